//! What pi's edits changed, as unified diffs.

use paseo_core::item::Diff;
use serde_json::Value;

use crate::diff::{self, Hunk};

/// Returns the change that a call made, by its input and the details of its result.
pub(super) fn of_call(name: &str, input: &Value, details: &Value) -> Option<Diff> {
    let path = input.get("path")?.as_str()?;
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    match name {
        // Pi does not say what was there before.
        "write" => diff::between(path, None, &text(input, "content")?),
        "edit" => match text(details, "patch") {
            Some(patch) => Some(Diff { path: path.to_owned(), patch }),
            None => diff::of_hunks(path, false, &hunks(&text(details, "diff")?)),
        },
        _ => None,
    }
}

/// Reads the diff that older ones show: a sign, the number of the line, its text. A line without a number stands for
/// those that are left out.
fn hunks(shown: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut open = false;
    // How many lines were added before, less those that were taken away.
    let mut shift: i64 = 0;
    for line in shown.lines() {
        let Some((sign, number, text)) = numbered(line) else {
            open = false;
            continue;
        };
        if !open {
            let shifted = i64::try_from(number).unwrap_or(0).saturating_add(shift);
            let (old_start, new_start) = match sign {
                // Its number is the new one.
                '+' => (i64::try_from(number).unwrap_or(0).saturating_sub(shift), number),
                _ => (i64::try_from(number).unwrap_or(0), u64::try_from(shifted).unwrap_or(0)),
            };
            let old_start = u64::try_from(old_start).unwrap_or(0);
            hunks.push(Hunk { old_start, old_lines: 0, new_start, new_lines: 0, lines: Vec::new() });
            open = true;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        match sign {
            '+' => (hunk.new_lines, shift) = (hunk.new_lines + 1, shift + 1),
            '-' => (hunk.old_lines, shift) = (hunk.old_lines + 1, shift - 1),
            _ => (hunk.old_lines, hunk.new_lines) = (hunk.old_lines + 1, hunk.new_lines + 1),
        }
        hunk.lines.push(format!("{sign}{text}"));
    }
    hunks.retain(|hunk| hunk.lines.iter().any(|line| !line.starts_with(' ')));
    hunks
}

fn numbered(line: &str) -> Option<(char, u64, &str)> {
    let sign = line.chars().next().filter(|sign| matches!(sign, '+' | '-' | ' '))?;
    let rest = line[1..].trim_start_matches(' ');
    let (number, text) = rest.split_once(' ').unwrap_or((rest, ""));
    Some((sign, number.parse().ok()?, text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_edit_of_an_older_one_becomes_hunks() {
        let shown =
            " 1 one\n-2 two\n+2 deux\n 3 three\n   ...\n 10 ten\n-11 eleven\n 12 twelve\n   ...\n 20 far";
        let input = json!({ "path": "a.txt", "edits": [] });
        let diff = of_call("edit", &input, &json!({ "diff": shown })).unwrap();
        assert_eq!(
            diff.patch,
            "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+deux\n three\n\
             @@ -10,3 +10,2 @@\n ten\n-eleven\n twelve\n"
        );
    }

    #[test]
    fn later_hunks_are_shifted_by_what_came_before() {
        let shown = "+1 new\n 1 one\n ...\n-9 nine\n+10 neuf";
        let hunks = hunks(shown);
        assert_eq!((hunks[1].old_start, hunks[1].new_start), (9, 10));
        assert_eq!((hunks[0].old_start, hunks[0].old_lines, hunks[0].new_lines), (1, 1, 2));
    }

    #[test]
    fn a_newer_one_brings_the_patch_and_a_written_file_is_all_plus() {
        let input = json!({ "path": "a.txt" });
        let diff = of_call("edit", &input, &json!({ "patch": "@@", "diff": "-1 x" })).unwrap();
        assert_eq!(diff.patch, "@@");
        let written = of_call("write", &json!({ "path": "n", "content": "x\n" }), &Value::Null).unwrap();
        assert!(written.patch.contains("+x"));
        assert_eq!(of_call("read", &input, &Value::Null), None);
        assert_eq!(of_call("edit", &input, &Value::Null), None);
    }
}
