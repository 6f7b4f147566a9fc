//! Decisions made in a browser: a misclick is not consent.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use paseo_testkit::home::TestHome;
use paseo_wire::permission::PermissionRequest;
use serde_json::{Value, json as value};

use crate::home;
use crate::web::log_in;

/// A browser that is logged in.
pub(crate) struct Browser {
    address: String,
    cookie: String,
}

impl Browser {
    pub(crate) fn log_in(home: &TestHome) -> Self {
        let answer = log_in(home);
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let status: Value = serde_json::from_str(home.paseo(&["status", "--json"]).ok()).unwrap();
        let address = status["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        Self { address, cookie }
    }

    /// Reads something, as a page of the app does.
    pub(crate) fn get(&self, path: &str) -> Value {
        let (address, cookie) = (&self.address, &self.cookie);
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\nsec-fetch-site: same-origin\r\n\
             connection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(body).unwrap()
    }

    /// Sends something, as a page of the app does. Returns the HTTP status and the answer.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (address, cookie) = (&self.address, &self.cookie);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncookie: {cookie}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// Returns a program that has a token instead of a cookie.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self { address: self.address.clone(), cookie: format!("x=y\r\nauthorization: Bearer {token}") }
    }

    /// Returns the address of the daemon, as the browser has it.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Decides a request. Returns the HTTP status and the error's code.
    fn decide(&self, ask: &PermissionRequest, decision: &Value) -> (u16, Option<String>) {
        let path = format!("/api/sessions/{}/permissions/{}", ask.session, ask.hash);
        let (status, body) = self.send("POST", &path, decision);
        (status, body["code"].as_str().map(str::to_owned))
    }
}

/// Starts an agent that asks, and waits until it does.
fn asking(home: &TestHome) -> PermissionRequest {
    let handle = home.paseo(&["run", "-d", "<<ask now?>><<hang>>"]).ok().to_owned();
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    let listed = home.paseo(&["permit", "ls", "--json"]);
    let open: Vec<PermissionRequest> = serde_json::from_value(crate::json(&listed)["asks"].take()).unwrap();
    open.into_iter().find(|ask| ask.handle == handle).unwrap()
}

fn refused(status: u16, code: &str) -> (u16, Option<String>) {
    (status, Some(code.to_owned()))
}

#[test]
fn a_browser_says_for_how_long_a_request_was_displayed() {
    let home = home();
    let (browser, ask) = (Browser::log_in(&home), asking(&home));
    assert_eq!(browser.decide(&ask, &value!({"allow": true})), refused(400, "invalid_request"));
    for shown in [0, 115, 499] {
        for allow in [true, false] {
            let early = browser.decide(&ask, &value!({"allow": allow, "shown_ms": shown}));
            assert_eq!(early, refused(409, "too_early"), "{shown}");
        }
    }
    for nonsense in [value!(-1), value!("500"), value!(500.5)] {
        let answer = browser.decide(&ask, &value!({"allow": true, "shown_ms": nonsense}));
        assert_eq!(answer, refused(400, "invalid_request"), "{nonsense}");
    }
    // Nothing was decided. By now it may be as old as it has to be, or is soon.
    let began = Instant::now();
    let decided = loop {
        match browser.decide(&ask, &value!({"allow": true, "shown_ms": 500})) {
            (409, Some(code)) if code == "too_early" && began.elapsed() < Duration::from_secs(5) => {}
            answer => break answer,
        }
    };
    assert_eq!(decided, (200, None));
    assert_eq!(
        browser.decide(&ask, &value!({"allow": true, "shown_ms": 500})),
        refused(409, "conflict"),
        "the first decision counts"
    );
}

#[test]
fn the_daemon_has_a_clock_of_its_own() {
    let home = home();
    let browser = Browser::log_in(&home);
    // A page that claims more than can be. Where the machine was too slow to be too early, another request is made.
    for _ in 0..20 {
        let began = Instant::now();
        let ask = asking(&home);
        let answer = browser.decide(&ask, &value!({"allow": true, "shown_ms": 60_000}));
        if answer == refused(409, "too_early") {
            return;
        }
        assert_eq!(answer, (200, None));
        assert!(began.elapsed() >= Duration::from_millis(500), "it was younger than that");
    }
    panic!("no request was answered within 500 ms");
}

#[test]
fn who_names_the_hash_needs_no_more() {
    let home = home();
    let ask = asking(&home);
    assert!(home.paseo(&["permit", "allow", &ask.hash]).ok().starts_with("Allowed"));
}

#[test]
fn a_request_from_before_a_restart_cannot_be_decided() {
    let home = home();
    let ask = asking(&home);
    home.paseo(&["restart"]).ok();
    let browser = Browser::log_in(&home);
    let answer = browser.decide(&ask, &value!({"allow": true, "shown_ms": 60_000}));
    assert_eq!(answer, refused(409, "conflict"));
}
