//! Requests that make no sense: each is refused in the one form that all errors have.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::screens::assert_said;
use crate::{home, start};

/// Asks the daemon for a path. Returns the status and the body.
fn get(home: &TestHome, path: &str) -> (u16, Value) {
    let mut stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {path}: {body}"));
    (status, body)
}

#[test]
fn a_path_that_cannot_be_read_is_refused_as_json() {
    let home = home();
    let handle = start(&home, "x");
    for path in [format!("/api/sessions/{handle}/items/first/text"), "/api/sessions/%ff".to_owned()] {
        let (status, body) = get(&home, &path);
        assert_eq!((status, &body["code"]), (400, &"invalid_request".into()), "{path}: {body}");
        assert_said!(home, body["hint"].as_str().unwrap());
    }
}

#[test]
fn an_unknown_query_parameter_is_refused_with_the_known_ones() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let (status, body) = get(&home, "/api/sessions?label=a%3Db");
    assert_eq!((status, &body["code"]), (400, &"invalid_request".into()), "{body}");
    assert_said!(home, body["message"].as_str().unwrap(), @"unknown query parameter `label`");
    let hint = body["hint"].as_str().unwrap();
    assert_said!(home, hint, @"use one of: after, agent, all_statuses, any_labels, brief, labels, limit, project, ui");
    let (status, body) = get(&home, &format!("/api/sessions/{handle}?verbose=1"));
    assert_eq!(status, 400);
    assert_said!(home, body["hint"].as_str().unwrap(), @"remove the query; this route takes none");
    assert_eq!(get(&home, &format!("/api/sessions/{handle}/items?limit=1&before=9")).0, 200);
    assert_eq!(get(&home, "/api/sessions?any%5Flabels=true").0, 200, "a key may be escaped");
}

#[test]
fn items_between_two_ordinals_come_oldest_first() {
    let home = home();
    let handle = start(&home, "<<say one>><<say two>><<say three>>");
    home.paseo(&["wait", &handle]).ok();
    let ordinals = |query: &str| -> Vec<u64> {
        let (_, page) = get(&home, &format!("/api/sessions/{handle}/items?{query}"));
        page["items"].as_array().unwrap().iter().map(|item| item["ordinal"].as_u64().unwrap()).collect()
    };
    assert_eq!(ordinals("after=1&before=4"), [2, 3]);
    assert_eq!(ordinals("after=1&before=4&limit=1"), [2]);
    assert!(ordinals("after=3&before=3").is_empty());
}
