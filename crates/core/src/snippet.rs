//! A preview of a text on one line, for lists.

use crate::limits::SNIPPET_CHARS;

/// Returns how a text begins, on one line and without control characters. Marks of direction stay: who shows it shows
/// them, too, so that nothing reads otherwise than it is.
pub fn snippet(text: &str) -> String {
    shortened(&start(text))
}

/// Returns how words in Markdown begin, as `snippet` does, without the marks. What is run or decided is never read as
/// Markdown: its stars and bars mean something.
pub fn words(markdown: &str) -> String {
    let start = start(markdown);
    let plain: String =
        start.lines().filter_map(without_marks).flat_map(|line| [line, "\n".into()]).collect();
    match shortened(&plain) {
        // Marks alone are still better than nothing.
        empty if empty.is_empty() => shortened(&start),
        line => line,
    }
}

/// Returns more than a preview needs, however much of it is space or marks.
fn start(text: &str) -> String {
    text.chars().filter(|c| !steers(*c)).take(8 * SNIPPET_CHARS).collect()
}

/// Returns a line of Markdown without its marks; `None` for one that is nothing but marks.
fn without_marks(line: &str) -> Option<String> {
    let line = line.trim();
    let is_rule =
        line.len() > 2 && line.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | '|' | ':' | ' '));
    if is_rule || line.starts_with("```") {
        return None;
    }
    let mut words = line;
    while let Some(rest) = ["- ", "* ", "> ", "# "].iter().find_map(|mark| after_mark(words, mark)) {
        words = rest;
    }
    let words = words.replace("**", "").replace('`', "");
    Some(if line.starts_with('|') { words.replace('|', " ") } else { words })
}

/// Returns what follows a mark at the beginning of a line. Of `#` and `>`, there may be several.
fn after_mark<'line>(line: &'line str, mark: &str) -> Option<&'line str> {
    match mark {
        "# " => line
            .starts_with('#')
            .then(|| line.trim_start_matches('#'))
            .and_then(|rest| rest.strip_prefix(' ')),
        "> " => line.strip_prefix('>'),
        _ => line.strip_prefix(mark),
    }
    .map(str::trim_start)
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
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
    c.is_control() && !c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_is_one_line_of_plain_characters() {
        assert_eq!(snippet("  one\n\n\ttwo\r\nthree "), "one two three");
        assert_eq!(snippet("a\u{1b}[31mred\u{7}b"), "a[31mredb");
        assert_eq!(snippet(""), "");
    }

    #[test]
    fn marks_of_direction_stay() {
        assert_eq!(snippet("a\u{202e}b\u{2066}c"), "a\u{202e}b\u{2066}c");
        assert_eq!(words("**a\u{202e}b**"), "a\u{202e}b");
        assert_eq!(piece("a\u{202e}b", 9, Keep::Start), "a\u{202e}b");
    }

    #[test]
    fn words_have_no_marks_of_markdown() {
        for (markdown, plain) in [
            ("# Done\n\nAll **tests** pass, see `notes.md`.", "Done All tests pass, see notes.md."),
            ("> quoted\n>> twice", "quoted twice"),
            ("- one\n* two\n- - nested\n-not", "one two nested -not"),
            ("| file | change |\n|---|:-:|\n| a | b |", "file change a b"),
            ("```sh\nmake test\n```\nover", "make test over"),
            ("a | b, 2 * 3, #4, x > y", "a | b, 2 * 3, #4, x > y"),
            ("#hashtag\n---\nnext", "#hashtag next"),
            ("---", "---"),
            ("```", "```"),
            ("  ", ""),
        ] {
            assert_eq!(words(markdown), plain, "{markdown:?}");
        }
        assert_eq!(snippet("# echo `a` | b"), "# echo `a` | b", "what is not Markdown stays as it is");
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
            prop_assert!(!short.chars().any(char::is_control));
        }

        #[test]
        fn words_are_there_where_a_text_is(text in "[-#>*`| a\n]{0,40}") {
            let short = words(&text);
            prop_assert!(short.chars().count() <= SNIPPET_CHARS);
            prop_assert_eq!(short.is_empty(), snippet(&text).is_empty());
        }
    }
}
