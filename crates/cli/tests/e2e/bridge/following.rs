//! Reading along: pages, cursors, streams.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{ALWAYS, Bridge, Client, words};

const WRITERS: usize = 16;
/// Enough for more than one page.
const EACH: usize = 32;

/// B32
#[test]
fn many_writers_lose_nothing_and_everybody_sees_the_same_order() {
    let bridge = Bridge::new(&[]);
    let stream = bridge.path("events/stream");
    let watchers: Vec<_> = (0..3).map(|_| bridge.user.follow(&stream)).collect();
    let seats: Vec<Client> = (0..WRITERS).map(|number| bridge.seat(&format!("w{number}"))).collect();
    let watched: Vec<Vec<(String, Value)>> = std::thread::scope(|scope| {
        for seat in &seats {
            let bridge = &bridge;
            scope.spawn(move || {
                for number in 0..EACH {
                    bridge.post(seat, &json!({"content": number.to_string()})).ok();
                }
            });
        }
        let watching: Vec<_> = watchers
            .into_iter()
            .map(|mut watcher| {
                scope.spawn(move || (0..WRITERS * EACH).map(|_| watcher.next().unwrap()).collect())
            })
            .collect();
        watching.into_iter().map(|watcher| watcher.join().unwrap()).collect()
    });
    let messages: Vec<Value> =
        bridge.events().into_iter().filter(|event| event["type"] == "message").collect();
    assert_eq!(messages.len(), WRITERS * EACH);
    for seen in &watched {
        let events: Vec<Value> = seen.iter().map(|(_, event)| event.clone()).collect();
        assert_eq!(events, messages);
        assert!(seen.iter().all(|(id, event)| *id == event["ts"]));
    }
    // Each heard in the order in which it spoke; and the times of all are different, and in order as texts.
    let mut heard: BTreeMap<&str, usize> = BTreeMap::new();
    for message in &messages {
        let next = heard.entry(message["from"].as_str().unwrap()).or_default();
        assert_eq!(words(message), next.to_string());
        *next += 1;
    }
    let times: Vec<&str> = messages.iter().map(|event| event["ts"].as_str().unwrap()).collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    // In pages it is the same, also by the time of the last event.
    let (mut all, mut pages, mut since) = (Vec::new(), 0, ALWAYS.to_owned());
    loop {
        let page = bridge.user.get(&bridge.path(&format!("events?limit=500&since={since}"))).ok();
        let events = page["events"].as_array().unwrap().clone();
        let Some(last) = events.last() else { break };
        since = last["ts"].as_str().unwrap().to_owned();
        (pages, all) = (pages + 1, [all, events].concat());
    }
    assert_eq!((pages, all), (2, bridge.events()));
}

#[test]
fn a_stream_begins_at_the_end_or_where_one_was() {
    let mut bridge = Bridge::new(&[]);
    let first = bridge.say("all", "one");
    let mut live = bridge.user.follow(&bridge.path("events/stream"));
    let second = bridge.say("all", "two");
    assert_eq!(live.next(), Some((second["ts"].as_str().unwrap().to_owned(), second.clone())));
    // By `since`, and by the id of the last event, which counts more.
    let since = format!("events/stream?since={}", first["ts"].as_str().unwrap());
    assert_eq!(bridge.user.follow(&bridge.path(&since)).next().unwrap().1, second);
    let third = bridge.say("all", "three");
    let header = format!("last-event-id: {}\r\n", second["ts"].as_str().unwrap());
    assert_eq!(bridge.user.follow_from(&bridge.path(&since), &header).next().unwrap().1, third);
    assert_eq!(live.next().unwrap().1, third);
    // Across a crash.
    bridge.crash();
    assert!(std::iter::from_fn(|| live.next()).next().is_none());
    assert_eq!(bridge.user.follow_from(&bridge.path("events/stream"), &header).next().unwrap().1, third);
    // A clock of one's own will do, in any of its forms; one that is ahead makes nobody deaf.
    let at = first["ts"].as_str().unwrap()[.."2026-01-31T12:00:00.000".len()].to_owned();
    for since in [format!("{at}Z"), at.clone(), format!("{at}999")] {
        let page = bridge.user.get(&bridge.path(&format!("events?since={since}"))).ok();
        let newer: Vec<Value> = bridge
            .events()
            .into_iter()
            .filter(|event| event["ts"].as_str().unwrap()[..at.len()] > *at)
            .collect();
        assert_eq!(page["events"], json!(newer), "{since}");
    }
    let mut ahead = bridge.user.follow(&bridge.path("events/stream?since=2099-01-01T00:00:00Z"));
    let fourth = bridge.say("all", "four");
    assert_eq!(ahead.next().unwrap().1, fourth);
    let mut ahead = bridge.user.follow(&bridge.path("events/stream?since=2099-01-01T00:00:00.000000099999Z"));
    let fifth = bridge.say("all", "five");
    assert_eq!(ahead.next().unwrap().1, fifth);
}

#[test]
fn whoever_follows_a_thread_is_told_that_it_was_deleted() {
    let bridge = Bridge::new(&[]);
    let eve = bridge.seat("eve");
    let mut live = [&bridge.user, &eve].map(|client| client.follow(&bridge.path("events/stream")));
    bridge.home.paseo(&["thread", "rm", &bridge.thread, "--force"]).ok();
    for following in &mut live {
        let last = std::iter::from_fn(|| following.block()).last().unwrap();
        assert!(last.starts_with("event: ended\n"), "{last}");
    }
}
