//! What the real daemon cannot be made to say: another version, an ambiguous handle, nonsense.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;

use paseo_testkit::home::TestHome;

use crate::home;

/// Answers every request with the same bytes, for as long as the test runs.
fn answer_with(home: &TestHome, answer: String) {
    std::fs::create_dir(home.path()).unwrap();
    let listener = UnixListener::bind(home.path().join("daemon.sock")).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let (mut request, mut chunk) = (Vec::new(), [0; 4096]);
            while !request.windows(4).any(|window| window == b"\r\n\r\n") {
                match stream.read(&mut chunk) {
                    Ok(0) | Err(_) => break,
                    Ok(length) => request.extend_from_slice(&chunk[..length]),
                }
            }
            stream.write_all(answer.as_bytes()).ok();
        }
    });
}

fn http(status: &str, version: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\npaseo-version: {version}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn another_version_is_explained_once() {
    let home = home();
    let body = r#"{"seq":0,"sessions":[],"next":null,"hidden":{"status":0,"project":0,"labels":0}}"#;
    answer_with(&home, http("200 OK", "99.0.0", body));
    let output = home.paseo(&["ls", "-q"]);
    assert_eq!(output.ok(), "");
    insta::assert_snapshot!(output.stderr, @"this is paseo 0.1.0, but the daemon is 99.0.0; run `paseo restart`");
}

#[test]
fn an_ambiguous_handle_lists_the_candidates() {
    let home = home();
    let body = r#"{"code":"ambiguous","message":"`3f2a` could be two agents","candidates":[
        {"handle":"3f2a0","id":"a","name":"fix the tests","status":"running"},
        {"handle":"3f2a1b","id":"b","name":null,"status":"idle"}]}"#;
    answer_with(&home, http("409 Conflict", env!("CARGO_PKG_VERSION"), body));
    let output = home.paseo(&["stop", "3f2a"]);
    assert_eq!((output.code, output.stdout.as_str()), (3, ""));
    insta::assert_snapshot!(output.stderr, @r"
    error: `3f2a` could be two agents
     hint: list all agents with `paseo ls -ag`; a handle has at least 4 characters
           3f2a0   running  fix the tests
           3f2a1b  idle
    ");
}

#[test]
fn text_from_the_daemon_cannot_forge_lines() {
    let home = home();
    let body = r#"{"code":"not_found","message":"no\u001b[2J\u202e agent","candidates":[
        {"handle":"3f2a","id":"a","name":"evil\n91cc  idle  fake","status":"idle"}]}"#;
    answer_with(&home, http("404 Not Found", env!("CARGO_PKG_VERSION"), body));
    insta::assert_snapshot!(home.paseo(&["read", "zzzz"]).stderr, @r"
    error: no\u{1b}[2J\u{202e} agent
     hint: list all agents with `paseo ls -ag`; a handle has at least 4 characters
           3f2a  idle  evil 91cc  idle  fake
    ");
}

#[test]
fn an_answer_that_is_none_is_told() {
    let home = home();
    answer_with(&home, http("200 OK", env!("CARGO_PKG_VERSION"), "[]"));
    let output = home.paseo(&["status"]);
    assert_eq!(output.code, 7);
    // How the body differs from a status is said in words of the parser.
    insta::with_settings!({ filters => vec![(r"response: .*", "response: [reason]")] }, {
        insta::assert_snapshot!(output.stderr, @r"
        error: cannot read the daemon's response: [reason]
         hint: the daemon may be a different version; run `paseo restart`
        ");
    });
}
