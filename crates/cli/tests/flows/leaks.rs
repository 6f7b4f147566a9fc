//! No stored event leaves the daemon: whoever follows everything reads what is public, and nothing else.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use crate::api::PATIENCE;
use crate::scene::Scene;

/// What the frames of the stream have, beside what they are about.
const FRAMES: &[(&str, &[&str])] = &[
    ("event", &["seq", "ts", "session", "actor", "change", "view"]),
    ("item", &["session", "item"]),
    ("live", &["session", "item", "kind", "offset", "text"]),
    ("thread", &["seq", "thread", "event", "deleted"]),
    ("team", &["seq", "ts", "team", "actor", "task", "change"]),
];

/// Follows these topics from the beginning, until a word comes.
fn followed(scene: &Scene, topics: &str, until: &str) -> String {
    let mut stream = UnixStream::connect(scene.home.path().join("daemon.sock")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("GET /api/stream?after=0&topics={topics} HTTP/1.1\r\nhost: localhost\r\n\r\n");
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
    let topics = format!("sessions,session:{worker},session:{asking},thread:{thread},team:red");
    let told = followed(&scene, &topics, "the-very-end");

    let mut kinds = BTreeSet::new();
    for frame in told.split("\n\n") {
        let line = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
        let (Some(kind), Some(data)) = (line("event: "), line("data: ")) else { continue };
        // The last one may be cut off.
        let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(data) else { continue };
        let known = FRAMES.iter().find(|(name, _)| *name == kind).unwrap_or_else(|| panic!("{frame}")).1;
        assert!(fields.keys().all(|name| known.contains(&name.as_str())), "{kind}: {frame}");
        kinds.insert(kind.to_owned());
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["event", "item", "team", "thread"]);

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
