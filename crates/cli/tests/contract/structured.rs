//! Answers that have to satisfy a schema: the daemon asks every harness for a correction in the same way.
//!
//! Not codex behind ACP: it begins each answer with a warning that it does not know the scripted model.

use std::fs;

use crate::bench::{Bench, CLAUDE_ACP, COPILOT, GEMINI, QWEN};

pub(crate) fn an_answer_is_corrected_until_it_satisfies_its_schema(bench: &mut Bench) {
    let schema = bench.home.work().with_file_name("schema.json");
    fs::write(&schema, r#"{"type": "integer"}"#).unwrap();
    let schema = schema.display().to_string();
    // The correction quotes what is wrong, and the model does what it reads there.
    let prompt = r#"<<exactly "<<exactly 7\>\>">>"#;
    let answered = bench.home.paseo(&["run", "--json", "--output-schema", &schema, prompt]);
    let ending: serde_json::Value = serde_json::from_str(&answered.stdout).unwrap();
    let handle = ending["handle"].as_str().unwrap().to_owned();
    let transcript = bench.transcript(&handle);
    assert_eq!((answered.code, &ending["answer"]), (0, &"7".into()), "{ending:#}\n{transcript}");
    assert_eq!((&ending["check"]["valid"], &ending["check"]["corrections"]), (&true.into(), &1.into()));
    assert!(bench.told().contains("exactly one JSON document"), "{}", bench.told());
    let said = bench.items_of(&handle, "user_text");
    assert_eq!(said.len(), 2, "{transcript}");
    assert_eq!((&said[0]["text"], &said[1]["origin"]), (&prompt.into(), &"daemon".into()), "{transcript}");
    // One that gets no better: the conversation is the same, and goes on afterwards.
    let failed =
        bench.home.paseo(&["send", &handle, "--wait", "--output-schema", &schema, "<<exactly \"no\">>"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""), "{failed:?}");
    assert!(
        failed.stderr.contains("does not satisfy the output schema after 2 corrections"),
        "{}",
        failed.stderr
    );
    assert!(bench.answer(&handle, "<<say still there>>").contains("still there [turns=6 "), "{transcript}");
}

fn with_acp(program: paseo_testkit::real::Program) {
    if let Some(mut bench) = Bench::real(program) {
        an_answer_is_corrected_until_it_satisfies_its_schema(&mut bench);
    }
}

#[test]
fn claude_agent_acp_corrects_its_answer() {
    with_acp(CLAUDE_ACP);
}

#[test]
fn copilot_corrects_its_answer() {
    with_acp(COPILOT);
}

#[test]
fn gemini_corrects_its_answer() {
    with_acp(GEMINI);
}

#[test]
fn qwen_corrects_its_answer() {
    with_acp(QWEN);
}
