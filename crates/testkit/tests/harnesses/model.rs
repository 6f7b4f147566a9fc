//! The scripted model, over HTTP.

use std::io::{Read, Write};
use std::net::TcpStream;

use paseo_testkit::model::ModelServer;
use serde_json::{Value, json};

/// Sends a request and returns everything that comes back.
fn post(model: &ModelServer, path: &str, body: &Value) -> String {
    let address = model.url().strip_prefix("http://").expect("an address").to_owned();
    let mut stream = TcpStream::connect(&address).expect("the model listens");
    let body = body.to_string();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nx-test: yes\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("a request");
    let mut answer = Vec::new();
    // A stream that is cut ends with an error.
    stream.read_to_end(&mut answer).ok();
    String::from_utf8_lossy(&answer).into_owned()
}

fn chat(prompt: &str) -> Value {
    json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": prompt }] })
}

#[test]
fn it_shows_the_requests_that_it_got() {
    let model = ModelServer::start();
    assert_eq!(model.requests(), []);
    post(&model, "/v1/chat/completions?x=1", &chat("hello"));
    let requests = model.wait_for(1);
    assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(requests[0].header("x-test"), Some("yes"));
    assert_eq!(requests[0].body["messages"][0]["content"], "hello");
}

#[test]
fn it_streams_a_chat_with_usage() {
    let model = ModelServer::start();
    let answer = post(&model, "/v1/chat/completions", &chat("<<think so>> <<say hello there>>"));
    for piece in
        [r#""reasoning_content":"so""#, r#""content":"hello ""#, r#""content":"model=m]""#, "data: [DONE]"]
    {
        assert!(answer.contains(piece), "{piece} is missing: {answer}");
    }
    assert!(answer.contains(r#""total_tokens":1020"#), "{answer}");
}

#[test]
fn it_answers_in_one_piece_when_no_stream_is_wanted() {
    let model = ModelServer::start();
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "<<say hello>>" }] });
    let answer = post(&model, "/v1/messages", &body);
    assert!(answer.contains(r#""text":"hello [turns=1 tools=0 model=m]""#), "{answer}");
    let body = json!({ "model": "m", "input": "<<say hello>>" });
    let answer = post(&model, "/v1/responses", &body);
    assert!(answer.contains(r#""text":"hello [turns=1 tools=0 model=m]""#), "{answer}");
}

#[test]
fn it_fails_as_it_is_told() {
    let model = ModelServer::start();
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "<<status 429 retry-after=3 reset=60>>" }] });
    let answer = post(&model, "/v1/messages", &body);
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    assert!(answer.contains("retry-after: 3\r\n"), "{answer}");
    assert!(answer.contains("anthropic-ratelimit-unified-reset: "), "{answer}");
    let body = json!({ "model": "m", "stream": true, "input": "<<status 429 reset=60>>" });
    assert!(post(&model, "/v1/responses", &body).contains("usage_limit_reached"));

    let once = chat("<<say a>> <<break times=1>> <<say b>>");
    let cut = post(&model, "/v1/chat/completions", &once);
    assert!(cut.contains(r#""content":"a""#) && !cut.contains("[DONE]"), "{cut}");
    assert!(post(&model, "/v1/chat/completions", &once).contains("[DONE]"));
}
