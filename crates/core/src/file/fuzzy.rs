//! Names that fit what was typed of them.

use std::collections::BTreeSet;

/// What was typed of a path: its letters, in this order, with others between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query(Vec<char>);

/// How well a path fits; the smallest fits best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    fit: Fit,
    /// How many characters lie between the first and the last letter that fits.
    span: usize,
    length: usize,
}

/// The paths that fit best, of all that are offered.
#[derive(Debug)]
pub struct Best {
    query: Query,
    most: usize,
    found: BTreeSet<(Rank, String)>,
}

impl Best {
    /// Keeps at most so many.
    pub fn new(query: Query, most: usize) -> Self {
        Self { query, most, found: BTreeSet::new() }
    }

    /// Looks at a path.
    pub fn offer(&mut self, path: &str) {
        let Some(rank) = self.query.rank(path) else { return };
        self.found.insert((rank, path.to_owned()));
        if self.found.len() > self.most {
            self.found.pop_last();
        }
    }

    /// Returns them, the best first.
    pub fn into_paths(self) -> impl Iterator<Item = String> {
        self.found.into_iter().map(|(_, path)| path)
    }
}

/// Where the letters are, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    WholeName,
    StartOfName,
    InName,
    InPath,
    ScatteredInName,
    ScatteredInPath,
}

impl Query {
    /// Reads what was typed. Case and blanks make no difference.
    pub fn new(typed: &str) -> Self {
        Self(lowercase(typed).filter(|letter| !letter.is_whitespace()).collect())
    }

    /// Says how well a path fits; `None` when it does not.
    pub fn rank(&self, path: &str) -> Option<Rank> {
        let letters: Vec<char> = lowercase(path).collect();
        let start = letters.iter().rposition(|letter| *letter == '/').map_or(0, |slash| slash + 1);
        let name = &letters[start..];
        let rank = |fit, span| Rank { fit, span, length: letters.len() };
        let whole = self.0.len();
        if let Some(at) = position(name, &self.0) {
            let fit = match at {
                0 if name.len() == whole => Fit::WholeName,
                0 => Fit::StartOfName,
                _ => Fit::InName,
            };
            return Some(rank(fit, whole));
        }
        if position(&letters, &self.0).is_some() {
            return Some(rank(Fit::InPath, whole));
        }
        if let Some(span) = scattered(name, &self.0) {
            return Some(rank(Fit::ScatteredInName, span));
        }
        scattered(&letters, &self.0).map(|span| rank(Fit::ScatteredInPath, span))
    }
}

fn lowercase(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

fn position(letters: &[char], wanted: &[char]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    letters.windows(wanted.len()).position(|window| window == wanted)
}

/// Finds letters in their order. Of all ways that end earliest, the one that begins last: it is the densest there.
fn scattered(letters: &[char], wanted: &[char]) -> Option<usize> {
    let mut rest = wanted.iter().peekable();
    let mut end = None;
    for (at, letter) in letters.iter().enumerate() {
        if rest.next_if_eq(&letter).is_some() && rest.peek().is_none() {
            end = Some(at);
            break;
        }
    }
    let end = end?;
    let mut back = wanted.iter().rev().peekable();
    for (at, letter) in letters.iter().enumerate().take(end + 1).rev() {
        if back.next_if_eq(&letter).is_some() && back.peek().is_none() {
            return Some(end - at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(typed: &str, paths: &[&str]) -> Vec<String> {
        let mut best = Best::new(Query::new(typed), paths.len());
        paths.iter().for_each(|path| best.offer(path));
        best.into_paths().collect()
    }

    #[test]
    fn only_the_best_are_kept_each_once() {
        let mut best = Best::new(Query::new("a"), 2);
        for path in ["xxa", "b", "a", "ab", "a", "xa"] {
            best.offer(path);
        }
        assert_eq!(best.into_paths().collect::<Vec<_>>(), ["a", "ab"]);
    }

    #[test]
    fn what_fits_best_comes_first() {
        let paths = [
            "web/min_air.rs",
            "main/lib.rs",
            "src/domain.rs",
            "src/main_loop.rs",
            "a/m/a/i/n",
            "src/main",
            "docs/readme.md",
        ];
        let best = sorted("main", &paths);
        assert_eq!(best, ["src/main", "src/main_loop.rs", "src/domain.rs", "main/lib.rs", "a/m/a/i/n"]);
        assert_eq!(sorted("MAIN lib", &paths), ["main/lib.rs"]);
        assert_eq!(sorted("src/main", &paths)[0], "src/main");
        assert_eq!(sorted("xyz", &paths), Vec::<String>::new());
    }

    #[test]
    fn without_letters_everything_fits_and_short_paths_come_first() {
        assert_eq!(sorted(" ", &["src/main.rs", "a"]), ["a", "src/main.rs"]);
    }

    #[test]
    fn dense_letters_beat_scattered_ones() {
        assert_eq!(sorted("abc", &["axxbxxc", "a_b_c__", "a_xxa_bc"]), ["a_xxa_bc", "a_b_c__", "axxbxxc"]);
    }

    proptest! {
        #[test]
        fn letters_taken_out_of_a_path_find_it(path in "[a-zA-Z/._ ]{1,40}", keep in prop::collection::vec(any::<bool>(), 40)) {
            let typed: String = path.chars().zip(keep).filter(|(_, keep)| *keep).map(|(letter, _)| letter).collect();
            prop_assert!(Query::new(&typed).rank(&path).is_some());
        }
    }
}
