//! What a crash leaves.

use std::sync::mpsc;

use serde_json::{Value, json};

use super::{Bridge, words};

/// B24: what was answered is not asked again, what was not is.
#[test]
fn a_restart_repeats_nothing_and_forgets_nothing() {
    let mut bridge = Bridge::new(&["ada", "eve"]);
    let handled = bridge.say("ada", "<<say one>>");
    bridge.reply(&handled);
    bridge.crash();
    // Acknowledged, and nothing of it was done yet, or all of it, or something in between.
    let open: Vec<Value> = (0..3).map(|number| bridge.say("eve", &format!("<<say {number}>>"))).collect();
    bridge.crash();
    for asked in &open {
        bridge.reply(asked);
    }
    bridge.crash();
    let last = bridge.say("ada", "<<say two>>");
    assert!(words(&bridge.reply(&last)).ends_with("two"));
    let events = bridge.events();
    for asked in open.iter().chain([&handled, &last]) {
        let replies = events.iter().filter(|event| event["meta"]["reply_to"] == asked["id"]).count();
        assert_eq!(replies, 1, "{asked} {events:#?}");
    }
}

/// B31
#[test]
fn a_daemon_that_is_killed_while_it_writes_loses_nothing_that_it_acknowledged() {
    let mut bridge = Bridge::new(&[]);
    for round in 0..3 {
        let (sender, receiver) = mpsc::channel();
        let (path, user) = (bridge.path("events"), bridge.user.clone());
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (sender, path, user) = (sender.clone(), path.clone(), user.clone());
                std::thread::spawn(move || {
                    for number in 0.. {
                        let event = json!({"content": format!("{round} {writer} {number}")}).to_string();
                        let Some(answer) = user.try_ask("POST", &path, &event) else { return };
                        assert_eq!(answer.status, 200, "{answer:?}");
                        sender.send(answer.body["event"].clone()).unwrap();
                    }
                })
            })
            .collect();
        drop(sender);
        let mut acknowledged: Vec<Value> = receiver.iter().take(20).collect();
        bridge.crash();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        acknowledged.extend(receiver.iter());
        let events = bridge.events();
        for event in &acknowledged {
            assert_eq!(events.iter().filter(|stored| *stored == event).count(), 1, "{event}");
        }
        // It goes on.
        let next = bridge.say("all", "still here");
        assert_eq!(bridge.events().last(), Some(&next));
    }
}
