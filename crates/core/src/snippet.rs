//! A preview of a text on one line, for lists.

use crate::limits::SNIPPET_CHARS;

/// Returns how a text begins, on one line and without characters that steer a terminal or the direction of writing.
pub fn snippet(text: &str) -> String {
    // More than a preview needs, however much of it is space.
    let start: String = text.chars().filter(|c| !steers(*c)).take(8 * SNIPPET_CHARS).collect();
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

/// Which end of a piece of text is kept when it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Start,
    End,
}

/// Returns a piece of a text as part of a line: spaces are single, nothing steers, and what is over is marked.
pub fn piece(text: &str, most: usize, keep: Keep) -> String {
    let mut line = String::new();
    for c in text.chars().filter(|c| !steers(*c)) {
        match c.is_whitespace() {
            true if line.ends_with(' ') => {}
            true => line.push(' '),
            false => line.push(c),
        }
    }
    let count = line.chars().count();
    if count <= most {
        return line;
    }
    let kept = most.saturating_sub(1);
    match keep {
        Keep::Start => line.chars().take(kept).chain(['…']).collect(),
        Keep::End => ['…'].into_iter().chain(line.chars().skip(count - kept)).collect(),
    }
}

fn steers(c: char) -> bool {
    c.is_control() && !c.is_whitespace() || is_direction(c)
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

    #[test]
    fn a_piece_keeps_its_edges_and_is_cut_at_one_end() {
        assert_eq!(piece(" a\n\n b\u{1b} ", 9, Keep::Start), " a b ");
        assert_eq!(piece("abcdef", 4, Keep::Start), "abc…");
        assert_eq!(piece("abcdef", 4, Keep::End), "…def");
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
