//! Names that were mistyped.

/// Says whether one name may be meant by the other: the same letters in another case, or one letter apart.
pub fn close(known: &str, typed: &str) -> bool {
    if known.eq_ignore_ascii_case(typed) {
        return true;
    }
    let (known, typed): (Vec<char>, Vec<char>) = (known.chars().collect(), typed.chars().collect());
    if known.len().abs_diff(typed.len()) > 1 || known.len() < 4 {
        return false;
    }
    let same = known.iter().zip(&typed).take_while(|(one, other)| one == other).count();
    let (rest, other) = (&known[same..], &typed[same..]);
    let without = |text: &[char], count: usize| text.get(count..).map(<[char]>::to_vec);
    match known.len().cmp(&typed.len()) {
        std::cmp::Ordering::Equal => without(rest, 1) == without(other, 1),
        std::cmp::Ordering::Greater => without(rest, 1).as_deref() == Some(other),
        std::cmp::Ordering::Less => without(other, 1).as_deref() == Some(rest),
    }
}

/// Returns the known name that was probably meant.
pub fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    known.iter().find(|name| close(name, typed)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_meant_is_near() {
        assert!(close("toolDenylist", "toolDenyList") && close("description", "descripton"));
        assert!(close("effort", "efforts") && close("models", "model") && close("skills", "skulls"));
        assert!(!close("cwd", "cwx") && !close("skills", "tools") && !close("", "x"));
    }
}
