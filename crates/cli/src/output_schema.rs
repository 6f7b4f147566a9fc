//! `--output-schema`: read before anything is sent, and what came of the check in words.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use paseo_core::answer::{self, Violation};
use paseo_core::session::Abandoned;
use paseo_wire::message::{CheckView, ViolationView};
use paseo_wire::words::{AbandonReason, CheckState};
use serde_json::Value;

use crate::failure::Failure;

/// Most bytes of a file that are read: a schema with comments and white space is larger than what is sent.
const FILE_BYTES: u64 = 1 << 20;

/// Reads a schema, and refuses what the daemon would refuse without looking closer.
pub(crate) fn read(path: Option<&Path>) -> Result<Option<Value>, Failure> {
    path.map(read_one).transpose()
}

fn read_one(path: &Path) -> Result<Value, Failure> {
    let shown = path.display();
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| Failure::usage(format!("cannot read `{shown}`: {error}")))?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Failure::usage(format!(
            "`{shown}` is larger than 1 MB; expected a JSON Schema of at most 64 KB"
        ))
        .hint("use a smaller schema"));
    }
    let schema: Value = serde_json::from_slice(&bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column().max(1));
        Failure::usage(format!("`{shown}` is not JSON (line {line}, column {column})"))
    })?;
    answer::schema_text(&schema).map_err(|error| {
        Failure::usage(format!("`{shown}`: {error}")).hint("see \"Structured answers\" in the documentation")
    })?;
    Ok(schema)
}

/// Says why there is no answer that satisfies the schema.
pub(crate) fn unsatisfied(handle: &str, check: &CheckView) -> String {
    let after = match check.corrections {
        0 => String::new(),
        1 => " after 1 correction".to_owned(),
        corrections => format!(" after {corrections} corrections"),
    };
    let what = match check.state {
        CheckState::Unchecked => {
            format!("the answer of {handle} could not be checked against the output schema")
        }
        CheckState::Abandoned => {
            let why = check.reason.as_ref().map(given_up).unwrap_or_default();
            format!("{handle} gave no answer that satisfies the output schema{after}: {why}")
        }
        _ => format!("the answer of {handle} does not satisfy the output schema{after}"),
    };
    if check.violations.is_empty() { what } else { format!("{what}\n{}", listed(&check.violations)) }
}

/// Puts into words why an answer was given up.
pub(crate) fn given_up(reason: &AbandonReason) -> String {
    let known = serde_json::from_value::<Abandoned>(Value::from(reason.as_str()));
    known.map_or_else(|_| reason.to_string(), |known| known.words().to_owned())
}

/// Returns the check in one line, for a table.
pub(crate) fn summary(check: &CheckView) -> String {
    let corrections = match check.corrections {
        0 => String::new(),
        1 => ", 1 correction".to_owned(),
        corrections => format!(", {corrections} corrections"),
    };
    let reason = check.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let violations = match check.violations.len() {
        0 => String::new(),
        1 => ", 1 violation".to_owned(),
        violations => format!(", {violations} violations"),
    };
    format!("{}{reason}{corrections}{violations}", check.state)
}

fn listed(violations: &[ViolationView]) -> String {
    let core = |one: &ViolationView| Violation { path: one.path.clone(), expected: one.expected.clone() };
    answer::listed(&violations.iter().map(core).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use paseo_wire::id::DeliveryId;

    use super::*;

    #[test]
    fn a_schema_that_cannot_be_used_is_refused_before_anything_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let told = |text: &str| {
            let path = folder.path().join("s.json");
            std::fs::write(&path, text).unwrap();
            read(Some(&path)).map_err(|failure| (failure.exit as u8, failure.message))
        };
        assert_eq!(told("{\"type\": \"object\"}").unwrap().unwrap()["type"], "object");
        for (text, why) in [
            ("{\n nojson}", "s.json` is not JSON (line 2, column 2)"),
            ("", "s.json` is not JSON (line 1, column 1)"),
            ("[]", "not a JSON object"),
            (&format!("{{\"title\": \"{}\"}}", "x".repeat(70_000)), "expected at most 65536"),
            (&" ".repeat(1_100_000), "larger than 1 MB"),
            (&format!("{}{}", "{\"not\":".repeat(70), "{}".to_owned() + &"}".repeat(70)), "deeper than 64"),
            (&"[".repeat(100_000), "s.json` is not JSON"),
        ] {
            let (exit, message) = told(text).unwrap_err();
            assert!(exit == 2 && message.contains(why), "{message}");
        }
        assert!(
            read(Some(Path::new("/nowhere/s.json")))
                .unwrap_err()
                .message
                .contains("cannot read `/nowhere/s.json`")
        );
        assert!(read(Some(folder.path())).is_err());
        assert_eq!(read(None).unwrap(), None);
    }

    #[test]
    fn violations_are_listed() {
        let violation =
            |path: &str| ViolationView { path: path.to_owned(), expected: "1 is wrong".to_owned() };
        let check = CheckView {
            delivery: DeliveryId::default(),
            state: CheckState::Invalid,
            valid: Some(false),
            violations: vec![violation(""), violation("/a")],
            corrections: 2,
            reason: None,
        };
        assert_eq!(
            unsatisfied("3f2a", &check),
            "the answer of 3f2a does not satisfy the output schema after 2 corrections\n- 1 is wrong\n- at /a: 1 is wrong"
        );
        assert_eq!(summary(&check), "invalid, 2 corrections, 2 violations");
        let check = CheckView {
            state: CheckState::Abandoned,
            reason: Some(AbandonReason::Budget),
            violations: Vec::new(),
            ..check
        };
        assert!(unsatisfied("3f2a", &check).ends_with("no wakes are left to ask for a correction"));
    }
}
