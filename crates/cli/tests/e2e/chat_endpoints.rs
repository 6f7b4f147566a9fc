//! Servers that are not what they are taken for: it is said, and the next message works.

use std::net::TcpListener;

use paseo_testkit::model::ModelServer;
use serde_json::Value;

use crate::chat::{Bytes, Canned, at, http, items, notices, run, says, send};
use crate::screens::assert_told;

/// Runs a first turn against an answer, and a second against one that is as it should be.
fn told(answer: Bytes, code: &str) -> String {
    let server = Canned::start(vec![answer, says("well")]);
    let home = at(&server.url);
    let id = run(&home, &[], "hello");
    let view: Value = serde_json::from_str(home.paseo(&["inspect", &id, "--json"]).ok()).unwrap();
    assert_eq!((&view["status"], &view["status_code"]), (&"error".into(), &code.into()), "{view:#}");
    let error = items(&home, &id, "error").pop().unwrap()["text"].as_str().unwrap().to_owned();
    assert!(error.contains(&server.url), "it does not say where: {error}");
    assert_eq!(send(&home, &id, "again").ok(), "well");
    error
}

#[test]
fn a_page_is_no_answer() {
    let error = told(http("200 OK", "text/html", "<html>Welcome</html>"), "model_error");
    assert!(error.contains("the response is `text/html`") && error.contains("check the base URL"), "{error}");
}

#[test]
fn json_without_choices_is_no_answer() {
    let error = told(http("200 OK", "application/json", r#"{"hello":"world"}"#), "model_error");
    assert!(error.contains("no `choices`"), "{error}");
    let error = told(http("200 OK", "application/json", "{"), "model_error");
    assert!(error.contains("invalid JSON"), "{error}");
}

#[test]
fn a_redirect_is_not_followed() {
    let other = ModelServer::start();
    let answer = format!(
        "HTTP/1.1 307 Elsewhere\r\nlocation: {}/v1/chat/completions\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        other.url()
    );
    let error = told(Bytes::All(answer), "harness_error");
    assert!(error.contains("it redirects to http://127.0.0.1"), "{error}");
    assert!(other.requests().is_empty(), "the key went elsewhere");
}

#[test]
fn a_stream_of_something_else_is_no_answer() {
    let events = |body: &str| http("200 OK", "text/event-stream", body);
    assert!(told(events("data: hello\n\n"), "model_error").contains("stream contains invalid JSON"));
    assert!(told(events("data: [DONE]\n\n"), "model_error").contains("the stream contains no answer"));
    let endless = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    assert!(told(Bytes::Endless(endless.to_owned()), "model_error").contains("the response is too long"));
    let endless = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
    assert!(told(Bytes::Endless(endless.to_owned()), "model_error").contains("the response is too long"));
}

#[test]
fn a_key_that_a_server_repeats_is_not_shown() {
    let body = r#"{"error":{"message":"Incorrect key: sk-environment."}}"#;
    let error = told(http("401 Unauthorized", "application/json", body), "not_logged_in");
    assert!(error.contains("responded with 401: Incorrect key: [the key]."), "{error}");
}

#[test]
fn who_does_not_stream_is_understood_all_the_same() {
    let whole = r#"{"choices":[{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let server = Canned::start(vec![http("200 OK", "application/json", whole)]);
    let home = at(&server.url);
    let id = run(&home, &[], "hello");
    assert_eq!(home.paseo(&["read", &id]).ok(), "whole");
}

#[test]
fn nobody_there_is_told_after_a_few_attempts() {
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let home = at(&format!("http://{address}/v1"));
    let id = run(&home, &[], "hello");
    let error = items(&home, &id, "error").pop().unwrap();
    assert_eq!(error["code"], "model_error", "{error:#}");
    assert!(error["text"].as_str().unwrap().contains("could not be reached"), "{error:#}");
    assert_eq!(notices(&home, &id, "retrying").len(), 4);
}

#[test]
fn a_model_that_does_not_exist_is_named() {
    let model = ModelServer::start();
    let home = at(&format!("{}/v1", model.url()));
    let id = run(&home, &["--model", "gpt-none"], "<<status 404>>");
    let error = items(&home, &id, "error").pop().unwrap()["text"].as_str().unwrap().to_owned();
    assert!(error.starts_with("gpt-none at http://") && error.contains("check the model name"), "{error}");
    assert!(send(&home, &id, "<<say on>>").ok().starts_with("on ["));
}

#[test]
fn what_is_missing_is_said_before_an_agent_is_made() {
    let mut home = at("http://127.0.0.1:1/v1");
    home.unset("OPENAI_MODEL");
    let refused = home.paseo(&["run", "hello"]);
    assert_told!(home, refused);
    assert!(refused.stderr.contains("--model"), "{refused:?}");
    let id = run(&home, &["--provider", "openai-compatible", "--model", "m"], "hello");
    let error = items(&home, &id, "error").pop().unwrap()["text"].as_str().unwrap().to_owned();
    assert!(error.contains("needs a server URL") && error.contains("OPENAI_COMPATIBLE_BASE_URL"), "{error}");
}
