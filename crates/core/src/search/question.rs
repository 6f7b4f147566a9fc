//! How what people type is read: words, "phrases" and beginnings*. Nothing else means anything.

use crate::limits::{SEARCH_CHARS, SEARCH_TERMS};

/// Words that must follow each other in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub words: String,
    /// The last word may go on.
    pub prefix: bool,
}

/// Why there is nothing to search for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("nothing to search for: the query needs at least one letter or digit")]
    Empty,
    #[error("the query has {0} characters; the limit is {SEARCH_CHARS}")]
    TooLong(usize),
    #[error("the query has {0} words; the limit is {SEARCH_TERMS}")]
    TooMany(usize),
}

/// Reads what was typed. All of the terms must be in a text for it to be found.
pub fn read(typed: &str) -> Result<Vec<Term>, Refusal> {
    let count = typed.chars().count();
    if count > SEARCH_CHARS {
        return Err(Refusal::TooLong(count));
    }
    let mut terms = Vec::new();
    let mut rest = typed;
    while let Some(start) = rest.find(|c: char| !is_space(c)) {
        rest = &rest[start..];
        let phrase = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        let (words, after) = match phrase {
            Some(whole) => whole,
            // An unclosed quote is a character like any other.
            None => {
                let from = rest.chars().next().map_or(0, char::len_utf8);
                let end =
                    rest[from..].find(|c: char| is_space(c) || c == '"').map_or(rest.len(), |end| from + end);
                rest.split_at(end)
            }
        };
        let (prefix, after) = match (phrase.is_some(), after.strip_prefix('*')) {
            (true, Some(after)) => (true, after),
            (true, None) => (false, after),
            (false, _) => (words.ends_with('*'), after),
        };
        rest = after;
        // A word that goes on ends with a letter: `a-*` is `a`.
        let bare = words.trim_end_matches('*');
        let prefix = prefix && bare.ends_with(char::is_alphanumeric);
        if bare.contains(char::is_alphanumeric) {
            terms.push(Term { words: bare.split(is_space).collect::<Vec<_>>().join(" "), prefix });
        }
    }
    match terms.len() {
        0 => Err(Refusal::Empty),
        count if count > SEARCH_TERMS => Err(Refusal::TooMany(count)),
        _ => Ok(terms),
    }
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(typed: &str) -> Vec<(String, bool)> {
        read(typed).unwrap().into_iter().map(|term| (term.words, term.prefix)).collect()
    }

    fn plain(words: &[&str]) -> Vec<(String, bool)> {
        words.iter().map(|words| ((*words).to_owned(), false)).collect()
    }

    #[test]
    fn words_phrases_and_beginnings() {
        assert_eq!(terms("failing  tests"), plain(&["failing", "tests"]));
        assert_eq!(terms("a \"b c\" d"), plain(&["a", "b c", "d"]));
        assert_eq!(terms("\"b\tc\"d"), plain(&["b c", "d"]));
        assert_eq!(terms("par*"), [("par".into(), true)]);
        assert_eq!(terms("\"two wor\"* x"), [("two wor".into(), true), ("x".into(), false)]);
        assert_eq!(terms("session_id foo.rs:12"), plain(&["session_id", "foo.rs:12"]));
    }

    #[test]
    fn nothing_else_means_anything() {
        assert_eq!(terms("\" OR *"), plain(&["OR"]));
        assert_eq!(terms("NEAR(a col:b ^c -d (e)"), plain(&["NEAR(a", "col:b", "^c", "-d", "(e)"]));
        assert_eq!(terms("it\"s"), plain(&["it", "\"s"]));
        assert_eq!(terms("a-* b"), plain(&["a-", "b"]));
        assert_eq!(terms("nul\0byte"), plain(&["nul", "byte"]));
        assert_eq!(terms("日本 é"), plain(&["日本", "é"]));
    }

    #[test]
    fn what_cannot_be_searched_for_is_refused_in_words() {
        for empty in ["", "  ", "\"\"", "* - \"", "🎉", "\0"] {
            assert_eq!(read(empty), Err(Refusal::Empty), "{empty:?}");
        }
        assert_eq!(read(&"x".repeat(10_000)), Err(Refusal::TooLong(10_000)));
        let many = "x ".repeat(SEARCH_TERMS + 1);
        assert_eq!(read(&many), Err(Refusal::TooMany(SEARCH_TERMS + 1)));
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(typed in any::<String>()) {
            if let Ok(terms) = read(&typed) {
                prop_assert!((1..=SEARCH_TERMS).contains(&terms.len()));
                for term in terms {
                    prop_assert!(term.words.contains(char::is_alphanumeric));
                    prop_assert!(!term.words.contains(char::is_control));
                    prop_assert!(!term.prefix || term.words.ends_with(char::is_alphanumeric));
                }
            }
        }

        #[test]
        fn any_mixture_of_signs_is_read_or_refused(typed in "[\"* a-c():^{}]{0,40}") {
            let _ = read(&typed);
        }
    }
}
