//! What agents and people are told of schemas and violations.

use super::Violation;
use crate::limits::CORRECTIONS;

/// Adds to a message what its answer has to look like.
pub fn asked(text: &str, schema: &str) -> String {
    format!(
        "{text}\n\nYour final answer must be exactly one JSON document that satisfies the JSON Schema below: no other words \
         before or after it. A program reads it.\n\n```json\n{schema}\n```"
    )
}

/// Says what is wrong with an answer, to the agent that gave it. The schema is added by [`asked`].
pub fn correction(number: u8, violations: &[Violation]) -> String {
    format!(
        "Your last answer does not satisfy the JSON Schema of this request (correction {number} of {CORRECTIONS}):\n{}\n\nAnswer \
         again with the whole corrected document.",
        listed(violations)
    )
}

/// Lists violations, a line each.
pub fn listed(violations: &[Violation]) -> String {
    let line = |Violation { path, expected }: &Violation| match path.as_str() {
        "" => format!("- {}", one_line(expected)),
        path => format!("- at {}: {}", one_line(path), one_line(expected)),
    };
    violations.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Keeps what an agent wrote from looking like lines of ours.
fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.split(breaks).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_names_each_violation_on_a_line_of_its_own() {
        let violations = [
            Violation::new("", "\"n\" is a required property"),
            Violation::new("/a\nb", "x\u{2028}- at /c: y"),
        ];
        assert_eq!(
            correction(1, &violations),
            "Your last answer does not satisfy the JSON Schema of this request (correction 1 of 2):\n\
             - \"n\" is a required property\n- at /a b: x - at /c: y\n\nAnswer again with the whole corrected document."
        );
        assert_eq!(Violation::new("", &"x".repeat(400)).expected.chars().count(), 301);
    }

    #[test]
    fn a_message_ends_with_its_schema() {
        let text = asked("List them.", "{\"type\":\"array\"}");
        assert!(
            text.starts_with("List them.\n\n") && text.ends_with("```json\n{\"type\":\"array\"}\n```"),
            "{text}"
        );
    }
}
