//! Reading a whole thread at once, however long it is.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{ALWAYS, Bridge, PATIENCE, words};

/// Messages, and the length of each. Together they are far more than sockets hold.
const MESSAGES: usize = 200;
const LENGTH: usize = 250 * 1024;
/// Readers at once.
const READERS: usize = 8;

#[test]
fn a_read_without_a_limit_is_everything() {
    let bridge = Bridge::new(&[]);
    let long = "x".repeat(LENGTH);
    for number in 0..12 {
        bridge.say("all", &format!("{number} {long}"));
    }
    let said: Vec<Value> = (0..600).map(|number| bridge.say("all", &number.to_string())).collect();
    for since in ["", "?since=", &format!("?since={ALWAYS}")] {
        let page = bridge.user.get(&bridge.path(&format!("events{since}"))).ok();
        let events = page["events"].as_array().unwrap();
        assert_eq!((&page["count"], page.get("next"), events.len()), (&json!(613), None, 613), "{since}");
        assert_eq!((&events[0]["type"], words(&events[0])), (&json!("thread.created"), "plan"));
        assert_eq!(events[13..], said);
    }
    let since = said[598]["ts"].as_str().unwrap();
    let page = bridge.user.get(&bridge.path(&format!("events?since={since}"))).ok();
    assert_eq!((&page["events"], &page["count"]), (&json!([said[599]]), &json!(1)));
    // Whoever wants pages asks for them.
    let (mut all, mut since, mut pages) = (Vec::new(), ALWAYS.to_owned(), 0);
    loop {
        let page = bridge.user.get(&bridge.path(&format!("events?limit=100000&since={since}"))).ok();
        all.extend(page["events"].as_array().unwrap().clone());
        pages += 1;
        match page["next"].as_str() {
            Some(next) => since = next.to_owned(),
            None => break,
        }
    }
    assert_eq!((all, pages), (bridge.events(), 3), "long messages make a page short");
}

#[test]
fn a_whole_read_takes_no_memory_and_is_never_half() {
    let bridge = Bridge::new(&[]);
    let long = "x".repeat(LENGTH);
    for _ in 0..MESSAGES {
        bridge.say("all", &long);
    }
    let status = crate::json(&bridge.home.paseo(&["status", "--json"]));
    let peak = || {
        let path = format!("/proc/{}/status", status["pid"]);
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    };
    let begin = || {
        let mut stream = TcpStream::connect(&bridge.user.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = bridge.user.request("GET", &bridge.path("events"), "", "");
        stream.write_all(request.as_bytes()).unwrap();
        let mut first = [0; 1024];
        stream.read_exact(&mut first).unwrap();
        stream
    };
    let finish = |mut stream: TcpStream| {
        let (mut rest, mut buffer, mut last) = (0, vec![0; 64 * 1024], Vec::new());
        loop {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => return (rest, last),
                Ok(read) => {
                    rest += read;
                    last = buffer[read.saturating_sub(64)..read].to_vec();
                }
            }
        }
    };
    // Caches fill with the first ones.
    for _ in 0..4 {
        finish(begin());
    }
    let before = peak();
    let stalled: Vec<TcpStream> = (0..READERS).map(|_| begin()).collect();
    let (rest, last) = finish(begin());
    let count = format!("],\"count\":{}}}", MESSAGES + 1);
    assert!(rest > MESSAGES * LENGTH && last.ends_with(count.as_bytes()));
    let grown = peak() - before;
    assert!(grown < 24 << 20, "{} MB for {READERS} readers of {} MB", grown >> 20, (MESSAGES * LENGTH) >> 20);
    // Whoever is in the middle of it when the thread is deleted gets no end that looks like one.
    bridge.home.paseo(&["thread", "rm", &bridge.thread, "--force"]).ok();
    for stream in stalled {
        let (rest, last) = finish(stream);
        assert!(rest < MESSAGES * LENGTH && !last.ends_with(count.as_bytes()), "{rest}");
    }
}
