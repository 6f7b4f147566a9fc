//! Agents elsewhere: that a turn is stopped, and how long they may take.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;

use paseo_runtime::external::signature;
use serde_json::json;

use crate::far_agent::{FarAgent, Reply, meet};
use crate::screens::assert_said;

#[tokio::test]
async fn a_stop_is_told_to_whoever_was_asked() {
    let (cast, far, session) = meet(Some("slow")).await;
    let asked = far.next();
    cast.until_heard(&session, "slow").await;
    let handle = cast.view(&session).await.handle;
    for words in ["why", "inspect"] {
        let told = cast.0.home.paseo(&[words, &handle]);
        assert!(!told.ok().contains("process") && !told.ok().contains("native_"), "{told:?}");
    }
    assert_said!(cast.0.home, cast.0.home.paseo(&["why", &handle]).ok());
    // Also by a daemon that did not post it.
    cast.0.home.paseo(&["restart"]).ok();
    cast.0.home.paseo(&["stop", &handle]).ok();
    let told = far.next();
    let turn = asked.body["turnId"].as_str().unwrap();
    assert_eq!(told.headers["idempotency-key"], format!("stop-{turn}"));
    let body = json!({ "type": "stop", "sessionId": session, "agentId": "far", "turnId": turn });
    assert_eq!(told.body, body);
    let secret = cast.0.home.paseo(&["inspect", "--secret", &handle]).ok().to_owned();
    let (at, signed) = (&told.headers["x-paseo-timestamp"], &told.headers["x-paseo-signature"]);
    assert!(signature::is_signed(&secret, at, told.text.as_bytes(), signed, at.parse().unwrap()));

    // So does a message that interrupts. That nobody listens keeps nothing from going on.
    far.plan(&[Reply::Status(200), Reply::Status(500)]);
    cast.0.home.paseo(&["send", &handle, "one"]).ok();
    assert_eq!(far.next().body["message"]["text"], "one");
    cast.until_heard(&session, "one").await;
    cast.0.home.paseo(&["send", "--interrupt", &handle, "two"]).ok();
    let mut came = [far.next(), far.next()].map(|posted| posted.body["message"]["text"].clone());
    came.sort_by_key(|text| text.is_null());
    assert_eq!(came, [json!("two"), json!(null)]);
}

#[test]
fn a_definition_says_how_long_an_attempt_may_take() {
    let home = crate::home();
    DirBuilder::new().mode(0o700).create(home.path()).unwrap();
    let far = FarAgent::start();
    far.define(&home, "far", "");
    let file = home.path().join("agents/far.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}timeout_seconds = 1\n")).unwrap();
    far.plan(&[Reply::Silence]);
    home.paseo(&["run", "-d", "--agent", "far", "hello"]).ok();
    let (first, again) = (far.next(), far.next());
    assert_eq!(first.headers["idempotency-key"], again.headers["idempotency-key"]);
    fs::write(&file, format!("{text}timeout_seconds = 0\n")).unwrap();
    let checked = home.paseo(&["agents", "check"]);
    let told = format!("{}{}", checked.stdout, checked.stderr);
    assert_said!(home, &told, @"/tmp/paseo-000000/home/agents/far.toml:5: `external.timeout_seconds` is the timeout for posting a message: a whole number of seconds from 1 to 600");
}
