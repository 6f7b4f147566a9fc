//! Unified diffs, where a harness gives only what was and what is.

use std::fmt::Write;

use paseo_core::item::Diff;

/// How many lines are shown around a change.
const CONTEXT: usize = 3;

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

/// Makes a diff of two texts: one hunk from the first line that differs to the last. `None` when none does.
pub fn between(path: &str, old: Option<&str>, new: &str) -> Option<Diff> {
    let before: Vec<&str> = old.unwrap_or_default().lines().collect();
    let after: Vec<&str> = new.lines().collect();
    let shortest = before.len().min(after.len());
    let same_head = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
    let same_tail = before.iter().rev().zip(after.iter().rev()).take_while(|(old, new)| old == new).count();
    let same_tail = same_tail.min(shortest - same_head);
    let (before_end, after_end) = (before.len() - same_tail, after.len() - same_tail);
    if same_head == before_end && same_head == after_end {
        return None;
    }
    let first = same_head.saturating_sub(CONTEXT);
    let shown_tail = same_tail.min(CONTEXT);
    let context = |lines: &[&str]| lines.iter().map(|line| format!(" {line}")).collect::<Vec<_>>();
    let mut lines = context(&before[first..same_head]);
    lines.extend(before[same_head..before_end].iter().map(|line| format!("-{line}")));
    lines.extend(after[same_head..after_end].iter().map(|line| format!("+{line}")));
    lines.extend(context(&before[before_end..before_end + shown_tail]));
    let start = |end: usize| if end == first { first } else { first + 1 } as u64;
    let (old_end, new_end) = (before_end + shown_tail, after_end + shown_tail);
    let hunk = Hunk {
        old_start: start(old_end),
        old_lines: (old_end - first) as u64,
        new_start: start(new_end),
        new_lines: (new_end - first) as u64,
        lines,
    };
    of_hunks(path, old.is_none(), &[hunk])
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
