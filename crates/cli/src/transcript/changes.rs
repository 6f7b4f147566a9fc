//! What tools did to files.

use paseo_wire::item::DiffView;

use super::{Extent, MORE};
use crate::printer::{Row, Style};

/// Most lines of a change that are shown when it is folded.
const LINES: usize = 60;

/// How many lines were added and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// Returns the lines of a change's hunks. What names the files is said elsewhere.
fn lines(change: &DiffView) -> impl Iterator<Item = &str> {
    change.patch.lines().skip_while(|line| !line.starts_with("@@"))
}

fn lines_shown(change: &DiffView) -> impl Iterator<Item = Row> {
    lines(change).map(|line| {
        let style = match line.chars().next() {
            Some('+') => Style::Green,
            Some('-') => Style::Red,
            Some('@') => Style::Blue,
            _ => Style::Plain,
        };
        Row::of(style, line)
    })
}

impl Count {
    fn of(change: &DiffView) -> Self {
        let with = |sign: char| lines(change).filter(|line| line.starts_with(sign)).count();
        Self { added: with('+'), removed: with('-') }
    }

    pub(super) fn sum(changes: &[DiffView]) -> Self {
        changes.iter().map(Self::of).fold(Self::default(), |sum, one| Self {
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
pub(super) fn rows(changes: &[DiffView], extent: Extent) -> Vec<Row> {
    let several = changes.len() > 1;
    let mut rows = Vec::new();
    for change in changes {
        if several {
            rows.push(Row::of(Style::Bold, format!("{} {}", change.path, Count::of(change).words())));
        }
        if extent != Extent::Counted {
            rows.extend(lines_shown(change));
        }
    }
    if extent != Extent::Whole && rows.len() > LINES {
        let more = rows.len() - LINES;
        rows.truncate(LINES);
        rows.push(Row::of(Style::Dim, format!("… {more} more lines {MORE}")));
    }
    rows
}
