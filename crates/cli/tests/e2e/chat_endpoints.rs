//! Servers that are not what they are taken for: it is said, and the next message works.

use std::net::TcpListener;

use insta::assert_snapshot;
use paseo_testkit::model::ModelServer;
use serde_json::Value;

use crate::chat::{Bytes, Canned, at, http, items, notices, run, says, send};
use crate::screens::{assert_said, assert_told, said};

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
    said(&home, &error)
}

#[test]
fn a_page_is_no_answer() {
    let error = told(http("200 OK", "text/html", "<html>Welcome</html>"), "model_error");
    assert_snapshot!(error, @"http://127.0.0.1:40000/v1 does not behave like a Chat Completions API: the response is `text/html`, not an event stream or JSON; check the base URL");
}

#[test]
fn json_without_choices_is_no_answer() {
    let error = told(http("200 OK", "application/json", r#"{"hello":"world"}"#), "model_error");
    assert_snapshot!(error, @r#"http://127.0.0.1:40000/v1 does not behave like a Chat Completions API: the response has no `choices`: {"hello":"world"}; check the base URL"#);
    let error = told(http("200 OK", "application/json", "{"), "model_error");
    assert_snapshot!(error, @"http://127.0.0.1:40000/v1 does not behave like a Chat Completions API: the response is invalid JSON: {; check the base URL");
}

#[test]
fn a_redirect_is_not_followed() {
    let other = ModelServer::start();
    let answer = format!(
        "HTTP/1.1 307 Elsewhere\r\nlocation: {}/v1/chat/completions\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        other.url()
    );
    let error = told(Bytes::All(answer), "harness_error");
    assert_snapshot!(error, @"scripted at http://127.0.0.1:40000/v1 responded with 307: it redirects to http://127.0.0.1:40000/v1/chat/completions, and redirects are not followed");
    assert!(other.requests().is_empty(), "the key went elsewhere");
}

#[test]
fn a_stream_of_something_else_is_no_answer() {
    let events = |body: &str| http("200 OK", "text/event-stream", body);
    assert_snapshot!(told(events("data: hello\n\n"), "model_error"), @"http://127.0.0.1:40000/v1 does not behave like a Chat Completions API: the stream contains invalid JSON: hello; check the base URL");
    assert_snapshot!(told(events("data: [DONE]\n\n"), "model_error"), @"http://127.0.0.1:40000/v1 does not behave like a Chat Completions API: the stream contains no answer; check the base URL");
    let endless = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    assert_snapshot!(told(Bytes::Endless(endless.to_owned()), "model_error"), @"http://127.0.0.1:40000/v1 does not behave like a Chat Completions API: the response is too long; check the base URL");
    let endless = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
    assert_snapshot!(told(Bytes::Endless(endless.to_owned()), "model_error"), @"http://127.0.0.1:40000/v1 does not behave like a Chat Completions API: the response is too long; check the base URL");
}

#[test]
fn a_key_that_a_server_repeats_is_not_shown() {
    let body = r#"{"error":{"message":"Incorrect key: sk-environment."}}"#;
    let error = told(http("401 Unauthorized", "application/json", body), "not_logged_in");
    assert_snapshot!(error, @"scripted at http://127.0.0.1:40000/v1 responded with 401: Incorrect key: [the key].; check the API key");
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
    assert_said!(home, error["text"].as_str().unwrap(), @"scripted at http://127.0.0.1:40000/v1 could not be reached, or closed the connection: client error (Connect): tcp connect error: Connection refused (os error 111)");
    assert_eq!(notices(&home, &id, "retrying").len(), 4);
}

#[test]
fn a_model_that_does_not_exist_is_named() {
    let model = ModelServer::start();
    let home = at(&format!("{}/v1", model.url()));
    let id = run(&home, &["--model", "gpt-none"], "<<status 404>>");
    let error = items(&home, &id, "error").pop().unwrap()["text"].as_str().unwrap().to_owned();
    assert_said!(home, &error, @"gpt-none at http://127.0.0.1:40000/v1 responded with 404: scripted failure; check the model name and the base URL");
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
    assert_said!(home, &error, @r#"
    provider `openai-compatible` needs a server URL
    set OPENAI_COMPATIBLE_BASE_URL in the daemon's environment and run `paseo restart`; see "Any model" in the documentation for other ways
    "#);
}
