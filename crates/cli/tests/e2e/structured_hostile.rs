//! Schemas that are made to hurt: the daemon goes on, and says what is wrong.

use std::time::{Duration, Instant};

use paseo_wire::message::SendMessage;
use paseo_wire::stream::Frame;
use serde_json::{Map, Value, json};

use crate::screens::{assert_said, assert_told};
use crate::structured::file;
use crate::structured_people::{begin, settled};
use crate::watch::{Watched, until};
use crate::{home, inspect};

/// A schema of a few lines whose check takes longer than anyone waits: each level asks the next twice.
fn bomb(levels: usize) -> Value {
    let mut definitions = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        definitions.insert(format!("l{level}"), json!({ "allOf": [{ "properties": { "a": next.clone() } }, next.clone(), { "anyOf": [next, false] }] }));
    }
    definitions.insert(format!("l{levels}"), json!({ "type": "string" }));
    json!({ "$defs": definitions, "$ref": "#/$defs/l0" })
}

#[tokio::test]
async fn a_check_without_end_is_ended_and_the_daemon_answers_meanwhile() {
    let watched = Watched::new();
    let (session, first) = begin(&watched, &["<<say 1>>"]).await;
    settled(&watched, &session, &first.delivery).await;
    let message =
        SendMessage { text: "<<say 1>>".to_owned(), output_schema: Some(bomb(40)), ..SendMessage::default() };
    let receipt = watched.client.send(&session, &message, None).await.unwrap();
    let mut events = watched.follow(&session, receipt.seq);
    until(&mut events, |frame| matches!(frame, Frame::Event(event) if event.change.word() == "turn_ended"))
        .await;
    // It is killed in the middle of the check, which begins once more.
    watched.crash();
    let asked = Instant::now();
    let view = watched.client.delivery(&session, &receipt.delivery).await.unwrap();
    assert_eq!((view.stage.as_str(), view.check.unwrap().state.as_str()), ("handed", "checking"));
    assert!(asked.elapsed() < Duration::from_secs(5), "the daemon answers");
    let view = settled(&watched, &session, &receipt.delivery).await;
    let check = view.check.unwrap();
    assert_eq!((view.stage.as_str(), check.state.as_str(), check.corrections), ("failed", "unchecked", 0));
    assert_said!(watched.home, &check.violations[0].expected, @"the check exceeded its limit of 10 seconds or its memory limit");
    assert!(watched.home.left_beside_the_daemon().is_empty());
}

#[test]
fn schemas_that_lead_to_themselves_or_are_large_are_no_trap() {
    let home = home();
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let list = json!({ "$defs": { "list": { "type": "array", "items": { "$ref": "#/$defs/list" } } }, "$ref": "#/$defs/list" });
    let mutual = json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" });
    let options: Vec<usize> = (0..10_000).collect();
    let letters = "a".repeat(100_000);
    for (name, schema, answer, exit) in [
        ("itself", json!({ "$ref": "#" }), "1", 0),
        ("mutual", mutual, "1", 0),
        ("enum", json!({ "enum": options }), "9999", 0),
        ("enum-not", json!({ "enum": options }), "10000", 1),
        ("deep", list.clone(), deep.as_str(), 0),
        ("too-deep", list, &format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)), 1),
        ("pattern", json!({ "pattern": "^(a+)+$" }), &format!("\"{letters}!\""), 1),
        ("unique", json!({ "uniqueItems": true }), "[1, 2, 1]", 1),
    ] {
        let path = file(&home, &format!("{name}.json"), &schema.to_string());
        let begun = Instant::now();
        let output = home.paseo(&["run", "-q", "--output-schema", &path, &format!("<<say {answer}>>")]);
        assert_eq!(output.code, exit, "{name}: {}", output.stderr);
        assert!(output.stderr.len() < 10_000, "{name}: what is told is bounded: {}", output.stderr.len());
        assert!(begun.elapsed() < Duration::from_secs(30), "{name}");
    }
    for handle in home.paseo(&["ls", "-q"]).ok().lines() {
        assert!(["idle", "error"].contains(&inspect(&home, handle)["status"].as_str().unwrap()));
    }
}

#[test]
fn a_bomb_of_patterns_is_refused_or_bounded() {
    let home = home();
    let nested = (0..8).fold("a".to_owned(), |inner, _| format!("({inner}){{1,99}}"));
    let path = file(&home, "bomb.json", &json!({ "pattern": nested }).to_string());
    let output = home.paseo(&["run", "--output-schema", &path, "<<say \"a\">>"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert_told!(home, output);
}
