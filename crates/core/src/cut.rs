//! Cutting long text, for readers that cannot take all of it.

use std::borrow::Cow;

/// Returns the first `limit` characters of a text, and whether there are more.
pub fn head(text: &str, limit: usize) -> (&str, bool) {
    match text.char_indices().nth(limit) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// Returns the text, or its beginning and its end with a mark between them that says how much is missing. What is
/// kept of the text has at most `limit` bytes.
pub fn head_and_tail(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let mut head = limit / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - limit / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let missing = tail - head;
    Cow::Owned(format!("{}\n[… {missing} bytes left out …]\n{}", &text[..head], &text[tail..]))
}

/// The mark has at most so many bytes.
const MARK: usize = 64;

/// The same for whoever takes no more than `limit` bytes, mark and all.
pub fn within(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit { Cow::Borrowed(text) } else { head_and_tail(text, limit.saturating_sub(MARK)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        assert_eq!((head("äöü", 3), head("äöü", 2)), (("äöü", false), ("äö", true)));
        assert_eq!(head_and_tail("abc", 3), "abc");
        assert_eq!(head_and_tail("abcdef", 4), "ab\n[… 2 bytes left out …]\nef");
    }

    proptest! {
        #[test]
        fn both_ends_are_kept_and_what_is_missing_is_counted(text in ".{0,400}", limit in 0_usize..200) {
            let cut = head_and_tail(&text, limit);
            if text.len() <= limit {
                prop_assert_eq!(&cut, &text);
            } else {
                let (head, rest) = cut.split_once("\n[… ").unwrap();
                let (missing, tail) = rest.split_once(" bytes left out …]\n").unwrap();
                prop_assert!(text.starts_with(head) && text.ends_with(tail));
                prop_assert!(head.len() + tail.len() <= limit);
                prop_assert_eq!(head.len() + missing.parse::<usize>().unwrap() + tail.len(), text.len());
            }
        }

        #[test]
        fn with_its_mark_it_fits(text in ".{0,400}", limit in MARK..200) {
            let cut = within(&text, limit);
            prop_assert!(cut.len() <= limit);
            prop_assert_eq!(cut == text, text.len() <= limit);
        }
    }
}
