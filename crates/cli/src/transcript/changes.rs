//! What tools did to files.

use paseo_wire::item::ItemView;
use serde_json::Value;

use super::{Extent, MORE};
use crate::printer::{Row, Style};

/// Most lines of a change that are shown when it is folded.
const LINES: usize = 60;

/// A change to one file.
pub(super) struct Change<'a> {
    pub(super) path: &'a str,
    patch: &'a str,
}

/// How many lines were added and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// Returns the changes that a result tells.
pub(super) fn of(result: &ItemView) -> Vec<Change<'_>> {
    let all = result.fields.get("diffs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter()
        .filter_map(|one| Some(Change { path: one["path"].as_str()?, patch: one["patch"].as_str()? }))
        .collect()
}

impl Change<'_> {
    /// Returns the lines of its hunks. What names the files is said elsewhere.
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.patch.lines().skip_while(|line| !line.starts_with("@@"))
    }

    pub(super) fn count(&self) -> Count {
        let with = |sign: char| self.lines().filter(|line| line.starts_with(sign)).count();
        Count { added: with('+'), removed: with('-') }
    }

    fn rows(&self) -> impl Iterator<Item = Row> {
        self.lines().map(|line| {
            let style = match line.chars().next() {
                Some('+') => Style::Green,
                Some('-') => Style::Red,
                Some('@') => Style::Blue,
                _ => Style::Plain,
            };
            Row::of(style, line)
        })
    }
}

impl Count {
    pub(super) fn sum(changes: &[Change<'_>]) -> Self {
        changes.iter().map(Change::count).fold(Self::default(), |sum, one| Self {
            added: sum.added + one.added,
            removed: sum.removed + one.removed,
        })
    }

    /// Says it in two numbers, as `+3 −1`.
    pub(super) fn words(self) -> String {
        format!("+{} −{}", self.added, self.removed)
    }
}

/// Returns changes as a unified diff. Where there are several files, each is named.
pub(super) fn rows(changes: &[Change<'_>], extent: Extent) -> Vec<Row> {
    let several = changes.len() > 1;
    let mut rows = Vec::new();
    for change in changes {
        if several {
            rows.push(Row::of(Style::Bold, format!("{} {}", change.path, change.count().words())));
        }
        if extent != Extent::Counted {
            rows.extend(change.rows());
        }
    }
    if extent != Extent::Whole && rows.len() > LINES {
        let more = rows.len() - LINES;
        rows.truncate(LINES);
        rows.push(Row::of(Style::Dim, format!("… {more} more lines {MORE}")));
    }
    rows
}
