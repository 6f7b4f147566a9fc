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

/// The same, at most `limit` bytes long with its mark.
pub fn within(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit { Cow::Borrowed(text) } else { head_and_tail(text, limit.saturating_sub(MARK)) }
}

/// Beginning and end of a text that grows piece by piece, in a bounded number of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    limit: usize,
    head: String,
    /// What follows the head. Holds up to twice what is kept of it, so that it is not cut at each piece.
    tail: String,
    /// How long the whole text is, in bytes.
    length: u64,
}

impl Ends {
    /// An empty text, of which at most `limit` bytes will be kept.
    pub fn new(limit: usize) -> Self {
        Self { limit, head: String::new(), tail: String::new(), length: 0 }
    }

    /// Returns how long the whole text is, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds a piece at the end.
    pub fn push(&mut self, piece: &str) {
        let is_in_head = self.head.len() as u64 == self.length;
        let fitting = if is_in_head { floor(piece, self.limit / 2 - self.head.len()) } else { 0 };
        let (head, tail) = piece.split_at(fitting);
        self.head.push_str(head);
        self.tail.push_str(tail);
        self.length += piece.len() as u64;
        if self.tail.len() > 2 * self.limit {
            let cut = self.tail.len() - self.tail().len();
            self.tail.drain(..cut);
        }
    }

    /// Returns the text, with a mark where something is missing.
    pub fn text(&self) -> String {
        let tail = self.tail();
        match self.length - (self.head.len() + tail.len()) as u64 {
            0 => format!("{}{tail}", self.head),
            missing => format!("{}\n[… {missing} bytes left out …]\n{tail}", self.head),
        }
    }

    /// Returns what is kept, or the beginning and the end of it in at most `limit` bytes, each with its offset.
    pub fn pieces(&self, limit: usize) -> Vec<(u64, &str)> {
        let (head, tail) = (self.head.as_str(), self.tail());
        let (first, last) = match (head.len() + tail.len() <= limit, tail.is_empty()) {
            (true, _) => (head, tail),
            (false, true) => {
                let (first, rest) = head.split_at(floor(head, limit / 2));
                (first, &rest[ceiling(rest, rest.len().saturating_sub(limit / 2))..])
            }
            (false, false) => {
                let skipped = tail.len().saturating_sub(limit / 2);
                (&head[..floor(head, limit / 2)], &tail[ceiling(tail, skipped)..])
            }
        };
        let pieces = [(0, first), (self.length - last.len() as u64, last)];
        pieces.into_iter().filter(|(_, piece)| !piece.is_empty()).collect()
    }

    fn tail(&self) -> &str {
        let skipped = self.tail.len().saturating_sub(self.limit - self.head.len());
        &self.tail[ceiling(&self.tail, skipped)..]
    }
}

/// Returns the last place at or before `at` where a text can be cut.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// Returns the first place at or after `at` where a text can be cut.
fn ceiling(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
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
        fn a_text_that_grows_keeps_both_ends_and_counts_what_is_missing(
            pieces in prop::collection::vec(".{0,30}", 0..20), limit in 8_usize..200, shown in 8_usize..100,
        ) {
            let mut ends = Ends::new(limit);
            pieces.iter().for_each(|piece| ends.push(piece));
            let whole = pieces.concat();
            prop_assert_eq!(ends.length(), whole.len() as u64);
            prop_assert!(ends.head.len() + ends.tail.len() <= 4 * limit + 120, "it stays small");
            match ends.text().split_once("\n[… ") {
                None => prop_assert_eq!(ends.text(), whole.as_str()),
                Some((head, rest)) => {
                    let (missing, tail) = rest.split_once(" bytes left out …]\n").unwrap();
                    prop_assert!(whole.len() > limit && head.len() + tail.len() <= limit);
                    prop_assert!(whole.starts_with(head) && whole.ends_with(tail));
                    prop_assert_eq!(head.len() + missing.parse::<usize>().unwrap() + tail.len(), whole.len());
                }
            }
            let kept = ends.pieces(shown);
            prop_assert!(kept.iter().map(|(_, piece)| piece.len()).sum::<usize>() <= shown);
            for (offset, piece) in &kept {
                prop_assert_eq!(&whole[usize::try_from(*offset).unwrap()..][..piece.len()], *piece);
            }
            if let Some((offset, last)) = kept.last() {
                prop_assert_eq!(kept[0].0, 0);
                prop_assert_eq!(offset + last.len() as u64, ends.length(), "what follows continues it");
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
