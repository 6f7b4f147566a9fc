//! How trusted files have changed.

use std::collections::BTreeMap;

/// How a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Changed,
    Removed,
}

impl Change {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// Compares files by name and hash; what stayed as it was is left out.
pub fn changes(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> BTreeMap<String, Change> {
    let since = now.iter().filter_map(|(name, hash)| match before.get(name) {
        None => Some((name.clone(), Change::Added)),
        Some(old) => (old != hash).then(|| (name.clone(), Change::Changed)),
    });
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    since.chain(gone.map(|name| (name.clone(), Change::Removed))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect()
    }

    #[test]
    fn what_stayed_is_left_out() {
        let (before, now) =
            (files(&[("a", "1"), ("b", "1"), ("c", "1")]), files(&[("a", "1"), ("b", "2"), ("d", "1")]));
        let found: Vec<(String, Change)> = changes(&before, &now).into_iter().collect();
        let expected = [("b", Change::Changed), ("c", Change::Removed), ("d", Change::Added)];
        assert_eq!(found, expected.map(|(name, change)| (name.to_owned(), change)));
        assert!(changes(&now, &now).is_empty());
    }
}
