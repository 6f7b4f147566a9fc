//! Reading screens: where a harness takes what is typed, and what it wants from a person instead.

/// The longest words that are passed on from a screen.
const WORDS: usize = 400;

/// How long a line of strokes is at least, to count as a border.
const BORDER: usize = 8;

/// Returns the lines of a screen, without what is blank at their ends.
pub(crate) fn lines(screen: &str) -> Vec<&str> {
    screen.lines().map(str::trim_end).collect()
}

/// Says whether a line is a border: strokes, whatever a harness writes at its end.
pub(crate) fn is_border(line: &str) -> bool {
    let strokes = line.trim_start().chars().take_while(|c| matches!(c, '─' | '━' | '╭' | '╰' | '╮' | '╯'));
    strokes.count() >= BORDER
}

/// Says whether what is at `line` has borders right above it and below.
pub(crate) fn is_framed(lines: &[&str], line: usize) -> bool {
    let above = line.checked_sub(1).and_then(|above| lines.get(above)).is_some_and(|line| is_border(line));
    above && lines.iter().skip(line + 1).any(|line| is_border(line))
}

/// Returns what stands in these lines, behind what points to them; `None` when nothing does.
pub(crate) fn typed(lines: &[&str], pointers: &[char]) -> Option<String> {
    let typed: Vec<&str> = lines.iter().map(|line| line.trim_matches(['│', ' ', '\u{a0}'])).collect();
    let typed = typed.join("\n");
    let typed = typed.trim_start_matches(pointers).trim();
    (!typed.is_empty()).then(|| typed.to_owned())
}

/// Returns what a screen says, in one line for people.
pub(crate) fn words(lines: &[&str]) -> String {
    let said = lines.iter().map(|line| line.trim()).filter(|line| {
        // Drawings and borders say nothing.
        line.chars().filter(|c| c.is_alphanumeric()).count() > 1
    });
    let said: Vec<&str> = said.flat_map(str::split_whitespace).collect();
    let said = said.join(" ");
    match said.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", &said[..end]),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_border_may_be_short_round_or_carry_a_name() {
        for border in ["────────", "  ╭────────────╮", "━━━━━━━━━━ a name ━━"]
        {
            assert!(is_border(border), "{border}");
        }
        for none in ["", "───", "- - - - - - - -", "a ─────────────", "╌╌╌╌╌╌╌╌╌╌"]
        {
            assert!(!is_border(none), "{none}");
        }
    }

    #[test]
    fn what_a_screen_says_is_one_short_line_without_its_drawings() {
        let screen = "\n ▐▛███▛█ \n──────────\n Trust this\n   folder?\n\n ❯ No\n";
        assert_eq!(words(&lines(screen)), "Trust this folder? ❯ No");
        let long = "é ".repeat(1_000) + &"wörter ".repeat(1_000);
        assert_eq!(words(&[&long]).chars().count(), WORDS + 1);
    }
}
