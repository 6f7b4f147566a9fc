//! A glimpse of a text on one line, for lists.

use crate::limits::SNIPPET_CHARS;

/// Returns how a text begins, on one line and without characters that steer a terminal or the direction of writing.
pub fn snippet(text: &str) -> String {
    let steers = |c: &char| c.is_control() && !c.is_whitespace() || is_direction(*c);
    // More than a glimpse needs, however much of it is space.
    let start: String = text.chars().filter(|c| !steers(c)).take(8 * SNIPPET_CHARS).collect();
    let line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SNIPPET_CHARS) {
        None => line,
        Some(_) => {
            let mut short: String = line.chars().take(SNIPPET_CHARS - 1).collect();
            short.truncate(short.trim_end().len());
            short + "…"
        }
    }
}

/// Marks that turn the direction of what follows them.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_is_one_line_of_plain_characters() {
        assert_eq!(snippet("  one\n\n\ttwo\r\nthree "), "one two three");
        assert_eq!(snippet("a\u{1b}[31mred\u{7}\u{202e}b"), "a[31mredb");
        assert_eq!(snippet(""), "");
    }

    #[test]
    fn what_is_left_out_is_marked() {
        let whole = "é".repeat(SNIPPET_CHARS);
        assert_eq!(snippet(&whole), whole);
        let cut = snippet(&format!("{whole}é"));
        assert_eq!((cut.chars().count(), cut.chars().last()), (SNIPPET_CHARS, Some('…')));
    }

    proptest! {
        #[test]
        fn it_is_never_longer_and_never_steers(text in any::<String>()) {
            let short = snippet(&text);
            prop_assert!(short.chars().count() <= SNIPPET_CHARS);
            prop_assert!(!short.chars().any(|c| c.is_control() || is_direction(c)));
        }
    }
}
