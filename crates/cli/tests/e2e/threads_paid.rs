//! What is asked in a thread is found again: by whom, of whom, and what it came to.

use serde_json::json;

use crate::screens::assert_told;
use crate::threads::Room;

#[tokio::test]
async fn a_request_in_a_thread_is_shown_with_everyone_whom_it_woke() {
    let room = Room::new(&["ada", "bob"]);
    room.paseo(&["auto", "plan"]);
    let asked = room.say("all", "<<usage 1200 80>> <<say paid>>").await;
    room.until(|event| event.from == "ada").await;
    room.until(|event| event.from == "bob").await;
    let state = room.state().await;
    let seats = state["participants"]["invited"].as_array().unwrap();
    let ids: Vec<&str> = seats.iter().map(|seat| seat["session"].as_str().unwrap()).collect();
    let client = &room.watched.client;
    let (cause, mut other) = (client.cause(ids[0]).await.unwrap(), client.cause(ids[1]).await.unwrap());
    assert!(cause.now <= other.now && cause.opened_at.is_some_and(|opened| opened <= cause.now));
    other.now = cause.now;
    assert_eq!(cause, other);
    let mut found: Vec<(&str, usize, u64)> = Vec::new();
    for agent in &cause.agents {
        assert_eq!((agent.by.as_deref(), agent.wakes, agent.spawned), (None, 0, false));
        found.push((&agent.session, agent.turns, agent.usage.input_tokens));
    }
    found.sort_unstable();
    let mut expected: Vec<(&str, usize, u64)> = ids.iter().map(|id| (*id, 1, 1200)).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!((cause.turns.len(), cause.usage.input_tokens, cause.usage.output_tokens), (2, 2400, 160));
    assert_eq!((cause.thread.as_deref(), cause.post.as_ref()), (Some(room.thread.as_str()), Some(&asked.id)));
    assert!(cause.opened_by.as_deref().is_some_and(|by| by.starts_with("human:")), "{cause:#?}");
    let shown = room.home().paseo(&["cause", &cause.cause]);
    for (key, value) in
        [("asked by", "you"), ("thread", &room.thread), ("post", &asked.id), ("usage", "2560 tokens")]
    {
        let row = shown.ok().lines().find(|line| line.starts_with(key)).unwrap_or_default();
        assert!(row.contains(value), "{key}: {shown:?}");
    }
    // Whoever has nothing but the id of what was said is led there.
    let traced = room.home().paseo(&["trace", &asked.id]);
    assert_eq!(traced.code, 3, "{traced:?}");
    assert_told!(room.home(), traced, @r"
    exit 3
    error: this message was posted to a thread and may have gone to several agents
     hint: run `paseo cause aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1` to see what it led to
    ");
    assert!(traced.stderr.contains(&format!("paseo cause {}", cause.cause)), "{traced:?}");
}

#[tokio::test]
async fn whoever_was_asked_first_and_written_to_later_was_asked_by_a_person() {
    let room = Room::new(&["ada", "bob"]);
    room.paseo(&["discuss", "plan"]);
    let asked = room.say("all", "@ada @bob <<say @bob look>>").await;
    room.until(|event| event.from == "ada" && event.meta.wakes == ["bob"]).await;
    room.when(|state| state["participants"]["invited"][1]["session"].is_string()).await;
    let ada = room.state().await["participants"]["invited"][0]["session"].clone();
    let cause = room.watched.client.cause(ada.as_str().unwrap()).await.unwrap();
    assert_eq!(cause.post, Some(asked.id));
    assert_eq!(json!(cause.agents.iter().map(|agent| &agent.by).collect::<Vec<_>>()), json!([null, null]));
}
