//! Turns of an agent of our own: how they are stopped, and how they end by themselves.

use paseo_testkit::model::ModelServer;
use paseo_wire::stream::Frame;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::chat::{Bytes, Canned, at, http, items, notices, run, says, send};
use crate::inspect;
use crate::screens::assert_said;
use crate::watch::{Watched, until};

/// Returns an answer of these pieces.
fn pieces(pieces: &[Value]) -> Bytes {
    let data: String = pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect();
    http("200 OK", "text/event-stream", &format!("{data}data: [DONE]\n\n"))
}

/// Returns an answer that calls tools.
pub(crate) fn calls(calls: &[(&str, &str)]) -> Bytes {
    let calls = calls.iter().enumerate().map(|(index, (name, arguments))| {
        json!({ "index": index, "id": "same", "function": { "name": name, "arguments": arguments } })
    });
    let calls: Vec<Value> = calls.collect();
    pieces(&[json!({ "choices": [{ "delta": { "tool_calls": calls }, "finish_reason": "tool_calls" }] })])
}

#[tokio::test]
async fn a_stop_ends_the_request_at_once_and_what_was_said_is_kept() {
    let model = ModelServer::start();
    let watched = Watched::at(at(&format!("{}/v1", model.url())));
    let gate = watched.home.work().join("gate");
    mknodat(CWD, &gate, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    // The command waits for a reader: live text is not kept for late ones.
    let made = watched.create("<<bash cat gate>><<say begun>><<hang>>").await;
    let mut events = watched.follow(&made.session.id, made.receipt.unwrap().seq);
    until(&mut events, |frame| matches!(frame, Frame::Item(_))).await;
    std::fs::write(gate, "").unwrap();
    let mut said = String::new();
    until(&mut events, |frame| {
        if let Frame::Live(live) = frame {
            said.push_str(&live.text);
        }
        said.contains("begun")
    })
    .await;
    // It hangs for ever: nothing but the stop ends it.
    watched.client.stop(&made.session.id).await.unwrap();
    assert_eq!(watched.settled(&made.session.id).await, "idle");
    let said = items(&watched.home, &made.session.id, "assistant_text");
    assert!(said.len() == 1 && said[0]["text"] == "begun", "{said:#?}");
    assert!(send(&watched.home, &made.session.id, "<<say on>>").ok().starts_with("on [turns=2 "));
}

#[test]
fn calls_of_one_answer_are_told_first_and_done_in_order() {
    let two = calls(&[("shell", r#"{"command":"echo one"}"#), ("read", r#"{"path":"none"}"#), ("todo", "{")]);
    let server = Canned::start(vec![two, says("done")]);
    let home = at(&server.url);
    let id = run(&home, &[], "go");
    let order: Vec<String> = home
        .paseo(&["logs", "--json", &id])
        .ok()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned())
        .filter(|kind| kind.starts_with("tool_"))
        .collect();
    assert_eq!(order, ["tool_call", "tool_call", "tool_call", "tool_result", "tool_result", "tool_result"]);
    let results = items(&home, &id, "tool_result");
    let texts: Vec<&str> = results.iter().map(|result| result["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "one\n",
            "none: no such file or directory",
            "the arguments are not a JSON object; call the tool again"
        ]
    );
    // Every call has a result of its own, whatever ids the model gave.
    let messages = server.requests()[1]["messages"].as_array().unwrap().clone();
    let made = messages.iter().find_map(|message| message["tool_calls"].as_array().cloned()).unwrap();
    let made: Vec<&Value> = made.iter().map(|call| &call["id"]).collect();
    let answered = messages.iter().filter(|message| message["role"] == "tool");
    let answered: Vec<&Value> = answered.map(|message| &message["tool_call_id"]).collect();
    assert!(made == answered && made.len() == 3 && made[0] != made[1], "{made:?} {answered:?}");
    assert!(made.iter().all(|id| id.as_str().unwrap().len() <= 40));
}

#[test]
fn calls_that_are_too_many_are_answered_and_not_done() {
    let many: Vec<(&str, String)> =
        (0..66).map(|number| ("shell", format!(r#"{{"command":"echo {number}"}}"#))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, input)| (*name, input.as_str())).collect();
    let server = Canned::start(vec![calls(&many), says("done")]);
    let home = at(&server.url);
    let id = run(&home, &[], "go");
    let messages = server.requests()[1]["messages"].as_array().unwrap().clone();
    let told = messages.iter().filter(|message| message["role"] == "tool");
    let told: Vec<&str> = told.map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!((told.len(), told[63]), (66, "63\n"));
    for text in &told[64..] {
        assert_said!(home, text, @"not executed: the limit is 64 tool calls per response; call it again");
    }
    assert_eq!(home.paseo(&["read", &id]).ok(), "done");
}

#[test]
fn a_tool_that_does_not_exist_is_told_with_those_that_do() {
    let server = Canned::start(vec![calls(&[("frobnicate", "{}")]), says("done")]);
    let home = at(&server.url);
    let id = run(&home, &[], "go");
    let result = items(&home, &id, "tool_result").pop().unwrap();
    assert_eq!(result["outcome"], "error");
    let text = result["text"].as_str().unwrap();
    assert_eq!(text, "unknown tool `frobnicate`; available: shell, read, write, edit, list, search");
    assert_eq!(home.paseo(&["read", &id]).ok(), "done");
}

#[test]
fn a_model_that_never_comes_to_an_end_is_stopped() {
    let server = Canned::start(vec![calls(&[("list", "{}")])]);
    let home = at(&server.url);
    let id = run(&home, &[], "go");
    let view = inspect(&home, &id);
    assert_eq!(view["status_code"], "too_many_steps", "{view:#}");
    assert_eq!(server.requests().len(), 200);
}

#[test]
fn an_answer_that_was_cut_off_is_told() {
    let cut =
        pieces(&[json!({ "choices": [{ "delta": { "content": "and so" }, "finish_reason": "length" }] })]);
    let server = Canned::start(vec![cut]);
    let home = at(&server.url);
    let id = run(&home, &[], "go");
    assert_eq!(home.paseo(&["read", &id]).ok(), "and so");
    assert_eq!(notices(&home, &id, "cut_off").len(), 1);
}
