//! Whether an answer satisfies a schema. Pure, but neither time nor memory is bounded here.

use std::error::Error;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ReferencingError, Retrieve, Uri, ValidationError, Validator};
use paseo_core::answer::{Violation, document};
use paseo_core::limits::{CHECKED_BYTES, VIOLATIONS};
use serde_json::Value;

use super::{Question, Verdict};

/// Longest value that a violation shows, in bytes as JSON.
const SHOWN_BYTES: usize = 80;
/// Largest compiled form of one `pattern`, in bytes.
const PATTERN_BYTES: usize = 1 << 20;

/// Refuses every reference that leads out of the schema.
struct Nowhere;

impl Retrieve for Nowhere {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        Err("only references within the schema are followed".into())
    }
}

/// Answers a question.
pub(super) fn judge(question: &Question) -> Verdict {
    let validator = match compile(&question.schema) {
        Ok(validator) => validator,
        Err(why) => return Verdict::Unusable(why),
    };
    let Some(answer) = &question.answer else { return Verdict::Valid };
    let wrong = |expected: String| Verdict::Invalid(vec![Violation::new("", &expected)]);
    if answer.len() > CHECKED_BYTES {
        return wrong(format!("the answer has {} bytes; expected at most {CHECKED_BYTES}", answer.len()));
    }
    let document = match document(answer) {
        Ok(document) => document,
        Err(error) => return wrong(error.to_string()),
    };
    let instance: Value = match serde_json::from_str(document) {
        Ok(instance) => instance,
        Err(error) => {
            let (line, column) = (error.line(), error.column().max(1));
            return wrong(format!(
                "the answer is not JSON (line {line}, column {column}): it must be one JSON document and \
                 nothing else"
            ));
        }
    };
    let violations: Vec<Violation> =
        validator.iter_errors(&instance).take(VIOLATIONS).map(violation).collect();
    if violations.is_empty() { Verdict::Valid } else { Verdict::Invalid(violations) }
}

fn compile(schema: &str) -> Result<Validator, String> {
    let schema: Value =
        serde_json::from_str(schema).map_err(|error| format!("the output schema is not JSON: {error}"))?;
    // The engine that never goes back: `pattern` cannot take more than linear time.
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
    jsonschema::options()
        .with_retriever(Nowhere)
        .with_pattern_options(patterns)
        .build(&schema)
        .map_err(|error| unusable(&error))
}

fn unusable(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Referencing(ReferencingError::Unretrievable { uri, .. }) => format!(
            "the output schema refers to `{uri}`; expected only references within the schema, as in `#/$defs/name`"
        ),
        ValidationErrorKind::Referencing(ReferencingError::UnknownSpecification { specification }) => {
            format!(
                "the output schema has the unknown `$schema` `{specification}`; expected draft 2020-12, 2019-09, 7, 6 or 4"
            )
        }
        ValidationErrorKind::Referencing(ReferencingError::PointerToNowhere { pointer }) => {
            format!("the output schema refers to `#{pointer}`, which it does not have")
        }
        ValidationErrorKind::Referencing(ReferencingError::NoSuchAnchor { anchor }) => {
            format!("the output schema refers to `#{anchor}`, which it does not have")
        }
        ValidationErrorKind::Format { format } if format == "regex" => format!(
            "the output schema has a pattern that cannot be used{}: expected a regular expression of moderate size, without \
             look-around and backreferences",
            place(error)
        ),
        kind => {
            let what = match kind {
                ValidationErrorKind::Type { .. } => "wrong type",
                ValidationErrorKind::AnyOf { .. } if error.instance_path().as_str().ends_with("/type") => {
                    "unknown type, expected array, boolean, integer, null, number, object or string"
                }
                ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::Enum { .. } => "unknown value",
                ValidationErrorKind::Minimum { .. } | ValidationErrorKind::MinItems { .. } => "too small",
                ValidationErrorKind::UniqueItems => "an entry appears twice",
                _ => "invalid value",
            };
            // Which of the standard's own alternatives failed says nothing to who wrote the schema.
            let detail = match kind {
                ValidationErrorKind::AnyOf { .. } => String::new(),
                _ => format!(" ({})", words(error)),
            };
            format!("the output schema is not a valid JSON Schema{}: {what}{detail}", place(error))
        }
    }
}

fn place(error: &ValidationError<'_>) -> String {
    match error.instance_path().as_str() {
        "" => String::new(),
        path => format!(" at {}", Violation::new(path, "").path),
    }
}

fn violation(error: ValidationError<'_>) -> Violation {
    let mut expected = words(&error);
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
    {
        // What each of the alternatives lacks says more than that none fits.
        let first = context.iter().filter_map(|errors| errors.first());
        let each: Vec<String> = first.take(VIOLATIONS).map(words).collect();
        expected = format!("{expected} ({})", each.join("; "));
    }
    Violation::new(error.instance_path().as_str(), &expected)
}

/// Puts an error into words, with the value where that is short.
fn words(error: &ValidationError<'_>) -> String {
    let is_short = match error.instance().as_ref() {
        Value::String(text) => text.len() <= SHOWN_BYTES,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    };
    let found = if is_short { error.instance().to_string() } else { "this value".to_owned() };
    match error.kind() {
        ValidationErrorKind::Type { kind } => format!("expected {}, not {found}", types(kind)),
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) => format!("expected one of {}, not {found}", listed(options)),
            None => format!("expected {options}, not {found}"),
        },
        ValidationErrorKind::Required { property } => format!("the field {property} is missing"),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<Value> = unexpected.iter().map(|name| Value::from(name.as_str())).collect();
            format!("unknown field {}", listed(&names))
        }
        _ if is_short => error.to_string(),
        _ => error.masked_with("this value").to_string(),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(several) => {
            several.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn listed(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(schema: &Value, answer: &str) -> Verdict {
        judge(&Question { schema: schema.to_string(), answer: Some(answer.to_owned()) })
    }

    fn violations(schema: &Value, answer: &str) -> Vec<(String, String)> {
        match judged(schema, answer) {
            Verdict::Invalid(violations) => {
                violations.into_iter().map(|one| (one.path, one.expected)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn unusable(schema: Value) -> String {
        match judge(&Question { schema: schema.to_string(), answer: None }) {
            Verdict::Unusable(why) => why,
            other => panic!("{schema}: {other:?}"),
        }
    }

    #[test]
    fn an_answer_is_one_document_that_satisfies_the_schema() {
        let schema = json!({
            "type": "object",
            "properties": {"n": {"type": "integer"}, "kind": {"enum": ["a", "b"]}},
            "required": ["n"],
            "additionalProperties": false,
        });
        assert_eq!(judged(&schema, r#"{"n": 1}"#), Verdict::Valid);
        assert_eq!(judged(&schema, "```json\n{\"n\": 1}\n```"), Verdict::Valid);
        assert_eq!(
            violations(&schema, r#"{"n": "one"}"#),
            [("/n".to_owned(), r#"expected integer, not "one""#.to_owned())]
        );
        let mut several = violations(&schema, r#"{"kind": "c", "more": 1}"#);
        several.sort();
        let expected = [
            ("", r#"the field "n" is missing"#),
            ("", r#"unknown field "more""#),
            ("/kind", r#"expected one of "a", "b", not "c""#),
        ];
        assert_eq!(several, expected.map(|(path, words)| (path.to_owned(), words.to_owned())));
        for no_json in ["Sure: {\"n\":1}", "{\"n\":1} {\"n\":2}", "{\"n\":1", "{n:1}"] {
            let found = violations(&schema, no_json);
            assert!(
                found.len() == 1 && found[0].1.starts_with("the answer is not JSON (line 1, column "),
                "{found:?}"
            );
        }
        assert!(violations(&schema, " ")[0].1.contains("empty"));
    }

    #[test]
    fn what_is_told_is_bounded() {
        let schema = json!({"type": "array", "items": {"type": "string"}});
        assert_eq!(violations(&schema, &json!(vec![1; 1_000]).to_string()).len(), 20);
        let long = json!({"not": {"type": "string"}});
        assert!(violations(&long, &json!("x".repeat(10_000)).to_string())[0].1.len() < 1_000);
        let large = "1".repeat(CHECKED_BYTES + 1);
        assert!(violations(&json!({}), &large)[0].1.contains("expected at most 4194304"));
    }

    #[test]
    fn alternatives_say_what_each_lacks() {
        let schema = json!({"anyOf": [{"type": "string"}, {"type": "integer"}]});
        let found = violations(&schema, "1.5");
        assert!(
            found[0].1.contains("expected string") && found[0].1.contains("expected integer"),
            "{found:?}"
        );
    }

    #[test]
    fn references_stay_within_the_schema() {
        for (schema, named) in [
            (json!({"$ref": "https://example.com/x.json#/a"}), "https://example.com/x.json"),
            (json!({"$ref": "other.json"}), "other.json"),
            (json!({"properties": {"a": {"$dynamicRef": "file:///etc/passwd"}}}), "file:///etc/passwd"),
            (json!({"$schema": "https://example.com/own"}), "https://example.com/own"),
            (json!({"$ref": "#/$defs/gone"}), "#/$defs/gone"),
            (json!({"$ref": "#gone"}), "#gone"),
        ] {
            let why = unusable(schema);
            assert!(why.contains(&format!("`{named}`")), "{why}");
        }
        let local = json!({"$defs": {"n": {"type": "null"}}, "items": {"$ref": "#/$defs/n"}});
        assert_eq!(violations(&local, "[1]")[0].0, "/0");
        // What only looks like a reference is data.
        assert_eq!(
            judged(&json!({"const": {"$ref": "http://x"}}), r#"{"$ref": "http://x"}"#),
            Verdict::Valid
        );
    }

    #[test]
    fn the_draft_is_what_the_schema_says() {
        let items = |draft: &str| json!({"$schema": draft, "items": [{"type": "null"}]});
        assert_eq!(violations(&items("http://json-schema.org/draft-07/schema#"), "[1]").len(), 1);
        // In 2020-12 a list of schemas is called `prefixItems`.
        assert!(unusable(items("https://json-schema.org/draft/2020-12/schema")).contains("at /items"));
        assert!(unusable(json!({"items": [{"type": "null"}]})).contains("at /items"));
    }

    #[test]
    fn patterns_take_linear_time() {
        let schema = json!({"pattern": "^(a+)+$"});
        assert_eq!(violations(&schema, &json!(format!("{}b", "a".repeat(50_000))).to_string()).len(), 1);
        for pattern in ["(?=a)b", "(a)\\1", "(a{1000}){1000}"] {
            let why = unusable(json!({"pattern": pattern}));
            assert!(why.contains("at /pattern") && why.contains("look-around"), "{why}");
        }
    }

    #[test]
    fn a_schema_that_only_leads_to_itself_is_no_trap() {
        assert_eq!(judged(&json!({"$ref": "#"}), "1"), Verdict::Valid);
        let mutual = json!({
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
            "$ref": "#/$defs/a",
        });
        assert_eq!(judged(&mutual, "1"), Verdict::Valid);
    }
}
