//! Scenes with pi, with Paseo's extension loaded.

use paseo_testkit::real::Program;
use serde_json::{Value, json};

use crate::dialogue::Dialogue;
use crate::{Start, compare};

/// The extension that the provider brings.
const EXTENSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src/pi/extension.js");

fn start(process: Start<'_>) -> Dialogue {
    let mut pi = process(&["--mode", "rpc", "-e", EXTENSION]);
    pi.send(&json!({ "id": "state", "type": "get_state" }));
    pi.until(|event| event["id"] == "state");
    pi
}

fn prompt(pi: &mut Dialogue, text: &str) {
    pi.send(&json!({ "id": "prompt", "type": "prompt", "message": text }));
}

fn until(pi: &mut Dialogue, kind: &str) {
    pi.until(|event| event["type"] == kind);
}

/// Tells what was heard, without what differs from run to run.
fn story(pi: &Dialogue) -> Vec<String> {
    pi.heard.iter().filter_map(line).collect()
}

fn line(event: &Value) -> Option<String> {
    let kind = event["type"].as_str()?;
    let message = &event["message"];
    let texts = |content: &Value| {
        let blocks = content.as_array().cloned().unwrap_or_default();
        let text = |block: &Value| block["text"].as_str().or(block["thinking"].as_str()).map(str::to_owned);
        blocks.iter().filter_map(text).collect::<Vec<_>>().join("|")
    };
    Some(match kind {
        "response" => format!("{} {} {}", event["id"], event["command"], event["success"]),
        "extension_ui_request" => {
            // Where it writes its session down is its own affair.
            let told = event["statusText"].as_str().unwrap_or_default();
            let told = told.split_once(",\"file\":").map_or(told.to_owned(), |(told, _)| format!("{told}}}"));
            format!("tells {told:?}")
        }
        "message_update" => {
            let piece = &event["assistantMessageEvent"];
            match piece["type"].as_str()? {
                told @ ("text_delta" | "thinking_delta") => {
                    format!("{told} {} {}", piece["contentIndex"], piece["delta"])
                }
                _ => return None,
            }
        }
        // The same is told when the tool ends.
        "message_start" | "message_end" if message["role"] == "toolResult" => return None,
        // Pi begins a message that fails only when it has failed.
        "message_start" if message["role"] == "assistant" => return None,
        "message_start" => format!("{kind} {}", message["role"]),
        "message_end" => {
            let usage = &message["usage"];
            let words = texts(&message["content"]);
            format!(
                "{kind} {} {words} {} {}",
                message["role"],
                message["stopReason"],
                usage["input"].as_u64().unwrap_or(0)
            )
        }
        // How often depends on the time.
        "tool_execution_update" => return None,
        "tool_execution_start" => format!("{kind} {} {}", event["toolName"], event["args"]),
        "tool_execution_end" => {
            let details = &event["result"]["details"]["diff"];
            let text = texts(&event["result"]["content"]);
            // What a tool says of its success is for the model.
            let text =
                if event["toolName"] == "bash" || event["isError"] == true { text } else { String::new() };
            format!("{kind} {} {} {text} {details}", event["toolName"], event["isError"])
        }
        "auto_retry_start" => format!("{kind} {} of {}", event["attempt"], event["maxAttempts"]),
        "auto_retry_end" => format!("{kind} {}", event["success"]),
        other => other.to_owned(),
    })
}

#[test]
fn pi_speaks_thinks_and_works() {
    compare(Program::Pi, |process| {
        let mut pi = start(process);
        prompt(
            &mut pi,
            "<<think hmm ok>> <<say let me look>> <<bash echo hi; echo err 1>&2; exit 3>> <<write x.txt hello>> \
             <<edit x.txt hello bye>> <<read x.txt>> <<say done now>>",
        );
        until(&mut pi, "agent_settled");
        prompt(&mut pi, "<<say second>>");
        until(&mut pi, "agent_settled");
        assert_eq!(pi.close(), 0);
        story(&pi)
    });
}

#[test]
fn pi_is_steered_and_aborted() {
    compare(Program::Pi, |process| {
        let mut pi = start(process);
        prompt(&mut pi, "<<bash touch up; until test -e go; do sleep 0.01; done>> <<say never>>");
        pi.wait_for_file("up");
        pi.send(&json!({ "id": "steer", "type": "steer", "message": "<<bash touch second; sleep 30>>" }));
        pi.until(|event| event["id"] == "steer");
        pi.open_file("go");
        pi.wait_for_file("second");
        pi.send(&json!({ "id": "abort", "type": "abort" }));
        pi.until(|event| event["id"] == "abort");
        prompt(&mut pi, "<<say next>>");
        until(&mut pi, "agent_settled");
        story(&pi)
    });
}

#[test]
fn pi_tells_what_the_model_failed_with_and_tries_again() {
    compare(Program::Pi, |process| {
        let mut pi = start(process);
        for script in ["<<status 401>>", "<<status 500 times=1>> <<say ok>>", "<<break times=1>> <<say ok>>"]
        {
            prompt(&mut pi, script);
            pi.until(|event| {
                event["type"] == "message_end" && event["message"]["role"] == "assistant" && {
                    let stopped = event["message"]["stopReason"] == "stop";
                    stopped || script.contains("401")
                }
            });
            until(&mut pi, "agent_settled");
        }
        story(&pi)
    });
}
