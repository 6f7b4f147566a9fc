//! `--output-schema`: answers that are checked, corrected and told apart.

use std::fs;

use paseo_testkit::home::{Output, TestHome};
use serde_json::{Value, json};

use crate::screens::{assert_said, assert_told, squeezed};
use crate::{home, inspect, json};

/// Writes a schema for an object with a number, and returns its path.
pub(crate) fn schema(home: &TestHome) -> String {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": false,
    });
    file(home, "schema.json", &schema.to_string())
}

/// Writes a file outside of the directory that agents work in, and returns its path.
pub(crate) fn file(home: &TestHome, name: &str, text: &str) -> String {
    let path = home.work().with_file_name(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Leaves out what the agent was told meanwhile: a turn may be over before its progress is shown.
fn without_progress(mut output: Output) -> Output {
    output.stderr =
        output.stderr.split_inclusive('\n').filter(|line| !line.contains(" received: ")).collect();
    output
}

/// Writes what the scripted agent does in each turn, and returns the path.
pub(crate) fn script(home: &TestHome, turns: &[&str]) -> String {
    file(home, "turns.script", &turns.join("\n---\n"))
}

#[test]
fn a_valid_answer_is_printed_as_it_was_given_and_nothing_else_is() {
    let home = home();
    let schema = schema(&home);
    let output = home.paseo(&["run", "--output-schema", &schema, "<<sh echo looking>><<say {\"n\":  7}>>"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "{\"n\":  7}\n"), "{output:?}");
    let fenced = home.paseo(&["run", "-q", "--output-schema", &schema, "<<say ```json\n{\"n\": 7}\n```>>"]);
    assert_eq!((fenced.code, fenced.stdout.as_str()), (0, "{\"n\": 7}\n"), "{fenced:?}");
    let ending = json(&home.paseo(&["run", "--json", "--output-schema", &schema, "<<say {\"n\": 7}>>"]));
    assert_eq!((&ending["outcome"], &ending["answer"]), (&"completed".into(), &"{\"n\": 7}".into()));
    let check = &ending["check"];
    assert_eq!(
        (&check["valid"], &check["corrections"], &check["violations"]),
        (&true.into(), &0.into(), &json!([]))
    );
    let handle = ending["handle"].as_str().unwrap();
    assert_eq!(inspect(&home, handle)["check"], *check);
    assert_eq!(inspect(&home, handle)["status"], "idle");
    let logs = home.paseo(&["logs", handle]);
    assert_said!(home, logs.ok(), @r#"
    #1 12:00:00 you
    <<say {"n": 7}>>

    #2 12:00:00 agent
    {"n": 7}

    #3 12:00:00 note: The answer satisfies the output schema.
    "#);
    assert!(
        !logs.stdout.contains("additionalProperties"),
        "the person's words, and no schema: {}",
        logs.stdout
    );
    // A message without a schema is not checked.
    assert_eq!(json(&home.paseo(&["run", "--json", "<<say hi>>"]))["check"], Value::Null);
}

#[test]
fn an_answer_is_corrected_in_the_same_conversation() {
    let home = home();
    let (schema, script) =
        (schema(&home), script(&home, &["<<say no>>", "<<say {\"n\": \"x\"}>>", "<<say {\"n\": 1}>>"]));
    let output = home.paseo(&["run", "--model", &script, "--output-schema", &schema, "count"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "{\"n\": 1}\n"), "{output:?}");
    assert_told!(home, without_progress(output));
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    let shown = inspect(&home, &handle);
    assert_eq!((&shown["check"]["state"], &shown["check"]["corrections"]), (&"valid".into(), &2.into()));
    assert_eq!((&shown["turns"], &shown["status"]), (&3.into(), &"idle".into()));
    let logs = home.paseo(&["logs", &handle]);
    assert_said!(home, logs.ok());
    assert_eq!(home.paseo(&["read", &handle]).ok(), "{\"n\": 1}");
}

#[test]
fn an_answer_that_never_satisfies_is_a_failure_with_its_violations() {
    let home = home();
    let schema = schema(&home);
    let failed = home.paseo(&["run", "--output-schema", &schema, "<<say {\"n\": \"x\", \"m\": 1}>>"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""), "{failed:?}");
    assert_told!(home, without_progress(failed.clone()));
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    assert!(failed.stderr.contains(&format!("`paseo read {handle}`")), "{}", failed.stderr);
    let shown = inspect(&home, &handle);
    assert_eq!((&shown["status"], &shown["status_code"]), (&"error".into(), &"answer_invalid".into()));
    assert_eq!((&shown["check"]["valid"], &shown["check"]["corrections"]), (&false.into(), &2.into()));
    assert_eq!(shown["check"]["violations"].as_array().unwrap().len(), 1);
    let shown = home.paseo(&["inspect", &handle]);
    let line = shown.ok().lines().find(|line| line.contains("violation")).unwrap();
    assert_said!(home, &squeezed(line), @"check invalid, 2 corrections, 1 violation");
    assert!(home.paseo(&["read", &handle]).stdout.contains("Received: "));
    // The agent is there for other work.
    assert_eq!(home.paseo(&["send", "--wait", &handle, "<<say hi>>"]).ok(), "hi");
    let failed = home.paseo(&["send", "--json", "--wait", "--output-schema", &schema, &handle, "<<say 1>>"]);
    let ending: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!(
        (failed.code, &ending["outcome"], &ending["code"]),
        (1, &"failed".into(), &"answer_invalid".into())
    );
    assert_eq!(ending["check"]["corrections"], 2);
    assert!(ending["answer"].as_str().unwrap().starts_with("Received: "), "{ending:#}");
}

#[test]
fn whoever_waits_later_is_told_the_same() {
    let home = home();
    let (schema, script) = (schema(&home), script(&home, &["<<say no>>", "<<say {\"n\": 1}>>"]));
    let handle =
        home.paseo(&["run", "-d", "--model", &script, "--output-schema", &schema, "count"]).ok().to_owned();
    let done = json(&home.paseo(&["wait", "--json", &handle]));
    assert_eq!((&done["status"], &done["check"]["valid"]), (&"idle".into(), &true.into()), "{done:#}");
    assert_eq!(done["check"]["corrections"], 1);
    assert_eq!(home.paseo(&["read", &handle]).ok(), "{\"n\": 1}");
    let handle = home.paseo(&["run", "-d", "--output-schema", &schema, "<<say no>>"]).ok().to_owned();
    let failed = home.paseo(&["wait", &handle]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert_told!(home, failed);
}

#[test]
fn an_agent_that_is_asked_by_its_definition_is_checked_too() {
    let home = home();
    let schema = schema(&home);
    let asked = home.paseo(&["ask", "--output-schema", &schema, "default", "<<say {\"n\": 3}>>"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "{\"n\": 3}\n"), "{asked:?}");
    // In the session that is there.
    let asked = home.paseo(&["ask", "--output-schema", &schema, "default", "<<say 3>>"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (1, ""), "{asked:?}");
}

#[test]
fn a_schema_that_cannot_be_used_is_refused_before_anything_starts() {
    let home = home();
    let refused = |text: &str| {
        let path = file(&home, "refused.json", text);
        let output = home.paseo(&["run", "--output-schema", &path, "<<say 1>>"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{text}: {output:?}");
        output.stderr
    };
    for (text, why) in [
        ("{", "refused.json` is not JSON"),
        ("[]", "is not a JSON object"),
        (r#"{"type": "objekt"}"#, "not a valid JSON Schema at /type: unknown type, expected array, "),
        (r#"{"$ref": "https://example.com/a.json"}"#, "refers to `https://example.com/a.json`"),
        (r#"{"items": {"$ref": "other.json#/a"}}"#, "refers to `other.json"),
        (r#"{"$ref": "file:///etc/passwd"}"#, "refers to `file:///etc/passwd`"),
        (r##"{"$ref": "#/$defs/gone"}"##, "refers to `#/$defs/gone`, which it does not have"),
        (r#"{"$schema": "https://example.com/own"}"#, "unknown `$schema` `https://example.com/own`"),
        (r#"{"pattern": "(?=a)b"}"#, "at /pattern"),
        (&json!({"title": "x".repeat(70_000)}).to_string(), "expected at most 65536"),
    ] {
        let told = refused(text);
        assert!(told.contains(why), "{why}: {told}");
    }
    let missing = home.paseo(&["run", "--output-schema", "/nowhere.json", "<<say 1>>"]);
    assert_eq!(missing.code, 2, "{missing:?}");
    assert_eq!(home.paseo(&["ls", "-q", "-a"]).ok(), "", "no agent was made");
    let handle = crate::start(&home, "<<say hi>>");
    home.paseo(&["wait", &handle]).ok();
    let path = file(&home, "refused.json", r#"{"type": "objekt"}"#);
    let sent = home.paseo(&["send", &handle, "--output-schema", &path, "<<say 1>>"]);
    assert_eq!(sent.code, 2, "{sent:?}");
    let steered = home.paseo(&["send", &handle, "--steer", "--output-schema", &schema(&home), "<<say 1>>"]);
    assert_eq!(steered.code, 2, "{steered:?}");
    assert_eq!(inspect(&home, &handle)["turns"], 1);
}

#[test]
fn the_draft_is_what_the_schema_says() {
    let home = home();
    let schema = file(
        &home,
        "draft-07.json",
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]}"#,
    );
    assert_eq!(home.paseo(&["run", "--output-schema", &schema, "<<say [null, 1]>>"]).ok(), "[null, 1]");
    assert_eq!(home.paseo(&["run", "--output-schema", &schema, "<<say [1]>>"]).code, 1);
}
