//! No stored event leaves the daemon: whoever follows everything reads what is public, and nothing else.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use crate::api::PATIENCE;
use crate::scene::Scene;

/// What each frame of the stream has, and what it may have.
const FRAMES: &[(&str, &[&str], &[&str])] = &[
    ("cause", &["seq", "ts", "cause", "actor", "change"], &[]),
    ("ended", &["code", "message", "hint"], &["candidates", "problems"]),
    ("event", &["seq", "ts", "session", "actor", "change", "view"], &[]),
    ("item", &["session", "item"], &[]),
    ("live", &["session", "item", "kind", "offset", "text"], &["call"]),
    ("resume", &["after"], &[]),
    ("team", &["seq", "ts", "team", "actor", "change"], &["task"]),
    ("thread", &["seq", "thread", "event"], &["deleted"]),
];

/// What an event has in the bridge protocol, and about it.
const BRIDGE_EVENT: &[&str] = &["content", "from", "id", "meta", "thread", "to", "ts", "type"];
const BRIDGE_META: &[&str] = &["reply_to", "tags", "via"];

/// What an event has in the teamd protocol.
const TEAMD_EVENT: &[&str] = &[
    "schemaVersion",
    "id",
    "cursor",
    "type",
    "teamId",
    "agentId",
    "actor",
    "ts",
    "taskId",
    "threadId",
    "summary",
    "content",
];

/// Follows a stream until a word comes.
fn followed(scene: &Scene, path: &str, until: &str) -> String {
    let mut stream = UnixStream::connect(scene.home.path().join("daemon.sock")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let (mut seen, mut piece) = (Vec::new(), [0; 64 * 1024]);
    loop {
        let read = stream.read(&mut piece).unwrap();
        assert_ne!(read, 0, "the stream ended early");
        seen.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&seen);
        if text.contains(until) {
            return text.into_owned();
        }
    }
}

#[test]
fn nothing_internal_is_streamed() {
    let mut scene = Scene::new();
    let work = scene.home.work().display().to_string();
    scene.ok("POST", "/api/teams", json!({ "id": "red", "directory": work }));
    scene.ok("POST", "/api/teams/red/tasks", json!({ "title": "Parse", "description": "all of it" }));
    scene.ok("POST", "/api/tokens", json!({ "name": "ci" }));
    let started = json!({ "task": "<<say ready>>", "team": "red", "provider": "scripted" });
    let worker = scene.ok("POST", "/api/workers", started)["worker"]["session"].as_str().unwrap().to_owned();
    scene.settle(&worker);
    scene.until("thread.posted", 2);
    let asking = scene.start(json!({ "permissions": "ask" }), "<<sh touch made>>");
    scene.until_status(&asking, "waiting");
    scene.act(&asking, "stop");
    scene.settle(&asking);
    scene.ok("PATCH", &format!("/api/sessions/{asking}"), json!({ "name": "the-very-end" }));

    let thread = scene.look("/api/threads")["threads"][0]["id"].as_str().unwrap().to_owned();
    let cause =
        scene.look(&format!("/api/sessions/{asking}"))["session"]["last_cause"].as_str().unwrap().to_owned();
    let topics = format!("sessions,session:{worker},session:{asking},thread:{thread},team:red,cause:{cause}");
    // Frames show agents as they are now: only the number of the last event says that all frames have come.
    let end = format!("id: {}\n", scene.look("/api/sessions")["seq"]);
    let mut told = followed(&scene, &format!("/api/stream?after=0&topics={topics}"), &end);

    let mut kinds = BTreeSet::new();
    for frame in told.split("\n\n") {
        let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
        let (Some(kind), Some(data)) = (line("event: "), line("data: ")) else { continue };
        // The last one may be cut off.
        let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(data) else { continue };
        let known = FRAMES.iter().find(|(name, ..)| *name == kind);
        let (_, always, sometimes) = known.unwrap_or_else(|| panic!("{frame}"));
        assert!(always.iter().all(|name| fields.contains_key(*name)), "{kind}: {frame}");
        let known = |name: &&str| always.contains(name) || sometimes.contains(name);
        assert!(fields.keys().map(String::as_str).all(|name| known(&name)), "{kind}: {frame}");
        kinds.insert(kind.to_owned());
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["cause", "event", "item", "team", "thread"]);

    told += &told_by_bridge(&scene, &thread);
    told += &told_by_teamd(&scene);

    let mut secrets = 0;
    for event in scene.events() {
        let Some(data) = event.data else { continue };
        for name in ["token", "sha256"] {
            if let Some(secret) = data[name].as_str() {
                assert!(!told.contains(secret), "{}: {name} is told", event.kind);
                secrets += usize::from(secret.len() >= 32);
            }
        }
        for name in ["text", "prompt", "description"] {
            if let Some(hash) = data[name]["sha256"].as_str() {
                assert!(!told.contains(hash), "{}: the hash of {name} is told", event.kind);
                secrets += 1;
            }
        }
    }
    assert!(secrets > 5, "there was something to keep: {secrets}");
}

/// Returns everything that clients of the bridge protocol read of a thread, after a look at its fields.
fn told_by_bridge(scene: &Scene, thread: &str) -> String {
    let path = format!("/threads/{thread}/events/stream?since=2000-01-01T00:00:00Z");
    let mut told = followed(scene, &path, "ready");
    let streamed: Vec<Value> = told
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter_map(|data| serde_json::from_str(data).ok())
        .collect();
    let page = scene.look(&format!("/threads/{thread}/events?limit=500"));
    let read = page["events"].as_array().unwrap();
    assert!(!streamed.is_empty() && !read.is_empty());
    for event in streamed.iter().chain(read) {
        let (fields, meta) = (event.as_object().unwrap(), event["meta"].as_object().unwrap());
        let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, BRIDGE_EVENT, "{event}");
        assert!(meta.keys().all(|name| BRIDGE_META.contains(&name.as_str())), "{event}");
    }
    told += &page.to_string();
    for path in
        ["/threads".to_owned(), format!("/threads/{thread}/state"), format!("/threads/{thread}/presence")]
    {
        told += &scene.look(&path).to_string();
    }
    told
}

/// Returns everything that clients of the teamd protocol read, after a look at the fields of its events.
fn told_by_teamd(scene: &Scene) -> String {
    let inbox = scene.look("/v1/inbox?teamId=red");
    let events = inbox["events"].as_array().unwrap();
    assert!(!events.is_empty());
    for event in events {
        let known = |name: &String| TEAMD_EVENT.contains(&name.as_str());
        assert!(event.as_object().unwrap().keys().all(known), "{event}");
    }
    let rest = ["/v1/teams", "/v1/tasks?teamId=red", "/v1/threads/search?teamId=red&q="];
    let rest = rest.map(|path| scene.look(path).to_string()).concat();
    inbox.to_string() + &rest + &scene.look("/v1/threads/thread-0001/tail?teamId=red").to_string()
}
