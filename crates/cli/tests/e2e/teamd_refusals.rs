//! The teamd protocol where a request is none: whatever is wrong with it, the refusal has the same shape.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::teamd::{Team, code};

/// Sends a request as it is, and returns the status, the head and the body of the answer.
fn raw(address: &str, request: &[u8]) -> (u16, String, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    // Whoever is refused early may not read all of it.
    stream.write_all(request).ok();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let body = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body)
}

/// Checks that a refusal is `{error: {code, message, hint}}` and nothing else.
fn shaped(body: &Value) {
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["error"], "{body}");
    let mut keys: Vec<&String> = body["error"].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["code", "hint", "message"], "{body}");
    assert!(body["error"]["message"].as_str().is_some_and(|words| !words.is_empty()), "{body}");
}

#[test]
fn whatever_is_wrong_the_refusal_has_the_same_shape() {
    let team = Team::new();
    let ann = team.agent("ann");
    let ask = |method: &str, path: &str, headers: &str, body: &str| {
        let (token, length) = (&ann.token, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             {headers}content-length: {length}\r\n\r\n{body}",
            team.address
        );
        let (status, head, body) = raw(&team.address, request.as_bytes());
        shaped(&body);
        (status, body["error"]["code"].as_str().unwrap().to_owned(), head)
    };
    let refused = |method: &str, path: &str, headers: &str, body: &str| {
        let (status, code, _) = ask(method, path, headers, body);
        (status, code)
    };
    let is = |status: u16, code: &str| (status, code.to_owned());
    let json = "content-type: application/json\r\n";

    // Nothing there, or not like this.
    assert_eq!(refused("GET", "/v1/nothing", "", ""), is(404, "NOT_FOUND"));
    assert_eq!(refused("POST", "/v1/tasks/task-0001/explode", json, "{}"), is(404, "NOT_FOUND"));
    assert_eq!(refused("GET", "/v1/", "", ""), is(404, "NOT_FOUND"));
    for (method, path, allowed) in [
        ("DELETE", "/v1/tasks", "get,head,post"),
        ("PUT", "/v1/tasks/task-0001", "get,head"),
        ("GET", "/v1/tasks/task-0001/claim", "post"),
        ("POST", "/v1/inbox", "get,head"),
    ] {
        let (status, code, head) = ask(method, path, json, "{}");
        assert_eq!((status, code.as_str()), (405, "METHOD_NOT_ALLOWED"), "{method} {path}");
        let allow = head.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap_or_default();
        let mut methods: Vec<&str> = allow.split(',').map(str::trim).collect();
        methods.sort_unstable();
        assert_eq!(methods.join(","), allowed, "{head}");
    }

    // Bodies that are none.
    for body in ["", "{", "[]", "\"text\"", "12", "null", "{\"title\": }", "title=one"] {
        let expected = if body.is_empty() { "INVALID_TASK" } else { "INVALID_JSON" };
        assert_eq!(refused("POST", "/v1/tasks", json, body), is(400, expected), "{body}");
    }
    // What it is said to be does not matter: it is JSON or it is not.
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    assert_eq!(refused("POST", "/v1/tasks", form, "title=one"), is(400, "INVALID_JSON"));
    assert_eq!(refused("POST", "/v1/tasks", "", "\u{0}"), is(400, "INVALID_JSON"));
    let large = format!("{{\"title\": \"{}\"}}", "x".repeat(1024 * 1024));
    assert_eq!(refused("POST", "/v1/tasks", json, &large), is(413, "TOO_LARGE"));
    let wrong = json!({ "teamId": 7, "title": "one" }).to_string();
    assert_eq!(refused("POST", "/v1/tasks", json, &wrong), is(400, "INVALID_REQUEST"));
    assert_eq!(refused("POST", "/v1/tasks/task-0001/complete", json, "{}"), is(400, "INVALID_REQUEST"));
    let key = format!("{json}idempotency-key: {}\r\n", "k".repeat(201));
    assert_eq!(refused("POST", "/v1/tasks", &key, "{\"title\":\"x\"}"), is(400, "INVALID_REQUEST"));

    // Paths and queries that cannot be read.
    assert_eq!(refused("GET", "/v1/tasks/%ff", "", "").0, 400);
    assert_eq!(refused("GET", "/v1/inbox?since=-1", "", ""), is(400, "INVALID_REQUEST"));
    assert_eq!(refused("GET", "/v1/inbox?since=soon", "", ""), is(400, "INVALID_REQUEST"));

    // Who is not let in is told so in the same words, wherever it was going.
    let stranger = format!("GET /v1/tasks HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", team.address);
    let (status, _, body) = raw(&team.address, stranger.as_bytes());
    shaped(&body);
    assert_eq!(code(&(status, body)), (401, "UNAUTHORIZED"));
    let elsewhere = "GET /v1/tasks HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    let (status, _, body) = raw(&team.address, elsewhere.as_bytes());
    shaped(&body);
    assert_eq!(code(&(status, body)), (421, "FORBIDDEN"));
    // Whatever is asked, `can-write` answers.
    let (status, answer) = ann.get("/v1/can-write?teamId=nope&agentId=&path=%2e%2e");
    assert_eq!((status, &answer["allow"]), (200, &json!(false)), "{answer}");
    let (status, tasks) = ann.get("/v1/tasks");
    assert_eq!((status, &tasks["tasks"]), (200, &json!([])), "nothing came of any of it");
}

/// The four refusals of renew, complete and fail, in their order and with their statuses.
#[test]
fn stale_leases_are_refused_alike_whatever_is_done_with_them() {
    let team = Team::new();
    let (ann, ben) = (team.agent("ann"), team.agent("ben"));
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    for act in ["renew", "complete", "fail", "release"] {
        let refused = ann.on(&task, act, json!({ "epoch": 0 }));
        assert_eq!(code(&refused), (409, "TASK_NOT_IN_PROGRESS"), "{act}");
    }
    assert_eq!(ann.on(&task, "claim", json!({})).0, 200);
    for act in ["renew", "complete", "fail", "release"] {
        // Not hers and not the newest: whose it is comes first.
        assert_eq!(code(&ben.on(&task, act, json!({ "epoch": 7 }))), (403, "LEASE_HOLDER_MISMATCH"), "{act}");
        assert_eq!(code(&ann.on(&task, act, json!({ "epoch": 7 }))), (409, "EPOCH_MISMATCH"), "{act}");
    }
    let (status, renewed) = ann.on(&task, "renew", json!({ "epoch": 1 }));
    assert_eq!(
        (status, &renewed["lease"]["epoch"], &renewed["task"]["id"]),
        (200, &json!(1), &json!(task)),
        "{renewed}"
    );
    let unknown = ann.on("task-0099", "claim", json!({}));
    assert_eq!(code(&unknown), (404, "TASK_NOT_FOUND"));
}
