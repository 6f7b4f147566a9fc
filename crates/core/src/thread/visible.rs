//! Words that are shown in a line of their own: the name of a thread, what a participant is doing. Invisible
//! characters are left out: two texts that look the same are the same.

use crate::name;
use crate::permission::is_deceptive;

/// Why a thread cannot be called something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    #[error("{}", name::limit("a thread name"))]
    Length,
    #[error("the thread name contains invisible characters; type it instead of pasting it")]
    Invisible,
}

/// Returns the name of a thread as it is stored: on one line, with single blanks.
pub fn title(name: &str) -> Result<String, BadName> {
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let title = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if !name::fits(&title) {
        return Err(BadName::Length);
    }
    if is_visible(&title) { Ok(title) } else { Err(BadName::Invisible) }
}

/// Says whether all of a line can be seen.
pub fn is_visible(line: &str) -> bool {
    let mut before = ' ';
    line.chars().all(|c| {
        // What shapes the sign before it is seen there: emoji, and scripts that join letters.
        let shapes = matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0f}') && !before.is_ascii();
        before = if shapes { ' ' } else { c };
        shapes || !is_deceptive(c) && c != '\n'
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_in_no_name() {
        for good in ["plan", "Größe 2", "❤\u{fe0f} plan", "👩\u{200d}🚀", "計画"] {
            assert_eq!(title(good).as_deref(), Ok(good));
        }
        assert_eq!(title(" a\n\tb ").as_deref(), Ok("a b"));
        for odd in
            ["pl\u{200b}an", "plan\u{200d}", "\u{202e}nalp", "plan\u{e0041}", "❤\u{fe0f}\u{200d}x\u{200d}"]
        {
            assert_eq!(title(odd), Err(BadName::Invisible), "{odd:?}");
            assert!(!is_visible(odd));
        }
        assert_eq!(title(" \n"), Err(BadName::Length));
        assert!(!is_visible("a\nb"));
    }
}
