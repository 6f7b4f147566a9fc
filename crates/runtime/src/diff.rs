//! Unified diffs, where a harness gives only what was and what is.

use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

use paseo_core::item::Diff;
use similar::{ChangeTag, DiffOp, TextDiff};

/// How many lines are shown around a change.
const CONTEXT: usize = 3;
/// How long the shortest diff of two texts is looked for. A longer one says the same.
const PATIENCE: Duration = Duration::from_millis(200);

/// A piece of a unified diff, as harnesses give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub old_start: u64,
    pub old_lines: u64,
    pub new_start: u64,
    pub new_lines: u64,
    /// With ` `, `+` or `-` in front, without a newline.
    pub lines: Vec<String>,
}

/// Makes a diff of the hunks that a harness gave. `None` when there are none.
pub fn of_hunks(path: &str, created: bool, hunks: &[Hunk]) -> Option<Diff> {
    if hunks.is_empty() {
        return None;
    }
    let mut patch =
        if created { format!("--- /dev/null\n+++ {path}\n") } else { format!("--- {path}\n+++ {path}\n") };
    for hunk in hunks {
        let Hunk { old_start, old_lines, new_start, new_lines, lines } = hunk;
        // Writing to a string cannot fail.
        let _ = writeln!(patch, "@@ -{old_start},{old_lines} +{new_start},{new_lines} @@");
        for line in lines {
            patch.push_str(line);
            patch.push('\n');
        }
    }
    Some(Diff { path: path.to_owned(), patch })
}

/// Makes a diff of two texts. `None` when they have the same lines.
pub fn between(path: &str, old: Option<&str>, new: &str) -> Option<Diff> {
    let before: Vec<&str> = old.unwrap_or_default().lines().collect();
    let after: Vec<&str> = new.lines().collect();
    let diff = TextDiff::configure().timeout(PATIENCE).diff_slices(&before, &after);
    let hunks: Vec<Hunk> = diff.grouped_ops(CONTEXT).iter().filter_map(|ops| hunk(&diff, ops)).collect();
    of_hunks(path, old.is_none(), &hunks)
}

fn hunk(diff: &TextDiff<'_, '_, str>, ops: &[DiffOp]) -> Option<Hunk> {
    let (first, last) = (ops.first()?, ops.last()?);
    let (old, new) =
        (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
    // Lines count from one, except where there are none.
    let start = |range: &Range<usize>| if range.is_empty() { range.start } else { range.start + 1 } as u64;
    let sign = |tag| match tag {
        ChangeTag::Equal => ' ',
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
    };
    let lines = ops.iter().flat_map(|op| diff.iter_changes(op));
    Some(Hunk {
        old_start: start(&old),
        old_lines: old.len() as u64,
        new_start: start(&new),
        new_lines: new.len() as u64,
        lines: lines.map(|line| format!("{}{}", sign(line.tag()), line.value())).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(old: Option<&str>, new: &str) -> Option<String> {
        between("a.txt", old, new).map(|diff| diff.patch)
    }

    #[test]
    fn a_new_file_is_all_plus() {
        let expected = "--- /dev/null\n+++ a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
        assert_eq!(patch(None, "one\ntwo\n").as_deref(), Some(expected));
    }

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expected = "--- a.txt\n+++ a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(patch(Some(old), new).as_deref(), Some(expected));
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old: Vec<String> = (1..=30).map(|line| line.to_string()).collect();
        let mut new = old.clone();
        new[2] = "three".to_owned();
        new.insert(20, "new".to_owned());
        let patch = patch(Some(&old.join("\n")), &new.join("\n")).unwrap();
        let heads: Vec<&str> = patch.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(heads, ["@@ -1,6 +1,6 @@", "@@ -18,6 +18,7 @@"]);
        assert_eq!(patch.lines().filter(|line| line.starts_with('+')).count(), 3, "{patch}");
    }

    #[test]
    fn lines_that_repeat_are_not_counted_twice() {
        let expected = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,3 @@\n x\n x\n+x\n";
        assert_eq!(patch(Some("x\nx\n"), "x\nx\nx\n").as_deref(), Some(expected));
        assert_eq!(patch(Some("x\n"), "").as_deref(), Some("--- a.txt\n+++ a.txt\n@@ -1,1 +0,0 @@\n-x\n"));
    }

    #[test]
    fn no_change_is_no_diff() {
        assert_eq!(patch(Some("x\n"), "x\n"), None);
        assert_eq!(patch(None, ""), None);
    }
}
