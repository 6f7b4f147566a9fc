//! The map: which agents are at work, who talks to whom, who waits for whom, and what that costs.

use paseo_wire::item::ItemView;
use paseo_wire::map::{MapQuery, MapView};
use paseo_wire::session::SessionView;
use paseo_wire::words::ItemKind;
use serde_json::json;

use crate::agents_message::{ASKER, ask};
use crate::cast::{Cast, WAIT, release, tool};
use crate::threads::Room;
use crate::watch::next;

async fn map(cast: &Cast, all: bool) -> MapView {
    cast.0.client.map(&MapQuery { all }).await.unwrap()
}

fn handles(map: &MapView) -> Vec<(&str, usize)> {
    map.agents.iter().map(|agent| (agent.handle.as_str(), agent.depth)).collect()
}

/// Starts an agent that waits for the one it summoned, which wrote to a third one and then waits in its shell.
async fn family(cast: &Cast) -> [SessionView; 3] {
    let peer = cast.idle("default").await;
    let message = tool("send_to_tab", &json!({ "tab_id": peer.id, "message": "hello" }));
    let script = format!("<<usage 100 10>>{message}{message}{WAIT}<<say done>>");
    cast.script("leaf", "is_subagent = true\ntools = ['*']", &script);
    let call = tool("summon", &json!({ "agent": "leaf", "task": "Build it" }));
    let root = cast.start("default", &format!("<<usage 1 1>>{call}")).await;
    let mut events = cast.0.client.events(0, &["sessions"]);
    while cast.open("leaf").await.is_empty() {
        next(&mut events).await;
    }
    let leaf = cast.open("leaf").await.remove(0);
    let calls = |items: &[ItemView]| items.iter().filter(|item| item.kind() == ItemKind::ToolCall).count();
    cast.until(&leaf.id, |items| calls(items) == 3).await;
    cast.0.settled(&peer.id).await;
    [root, leaf, peer]
}

#[tokio::test]
async fn the_map_shows_who_works_who_talks_and_who_waits() {
    let cast = Cast::new(&["perm_summon", "perm_send_to_tab"]);
    assert_eq!(map(&cast, false).await.agents, []);
    let quiet = cast.idle("default").await;
    let [root, leaf, peer] = family(&cast).await;
    let seen = map(&cast, false).await;
    let shown = [(root.handle.as_str(), 0), (leaf.handle.as_str(), 1), (peer.handle.as_str(), 0)];
    let mut wanted = shown.to_vec();
    // The peer is the oldest.
    wanted.rotate_right(1);
    assert_eq!(handles(&seen), wanted, "{seen:#?}");
    let busy: Vec<bool> = seen.agents.iter().map(|agent| agent.busy).collect();
    assert_eq!(busy, [false, true, true]);
    let link = |from: &SessionView, to: &SessionView| {
        let found = seen.links.iter().find(|link| link.from == from.id && link.to == to.id);
        found.map(|link| (link.messages, link.spawns))
    };
    assert_eq!((link(&root, &leaf), link(&leaf, &peer)), (Some((1, 1)), Some((2, 0))), "{seen:#?}");
    assert_eq!(link(&peer, &leaf), None);
    let waits: Vec<_> = seen.waits.iter().map(|wait| (&*wait.from, &*wait.to)).collect();
    assert_eq!(waits, [(root.id.as_str(), leaf.id.as_str())]);
    let tokens: Vec<u64> = seen.agents.iter().map(|agent| agent.usage.input_tokens).collect();
    assert_eq!(tokens, [0, 1, 100]);
    let cause = &seen.causes[0];
    assert_eq!((cause.usage.input_tokens, cause.handle.as_deref()), (101, Some(root.handle.as_str())));
    assert_eq!(seen.agents[2].cause.as_ref(), Some(&cause.cause));
    assert!(cause.wakes >= 2 && cause.wakes_left == 64 - cause.wakes, "{cause:?}");

    let all = map(&cast, true).await;
    assert!(all.agents.iter().any(|agent| agent.session == quiet.id), "{all:?}");
    let printed = cast.0.home.paseo(&["map"]);
    let line = |of: &SessionView| {
        printed.ok().lines().find(|line| line.contains(of.handle.as_str())).unwrap_or_default().to_owned()
    };
    assert!(printed.ok().contains(&format!("└ {} Build it", leaf.handle)), "{printed:?}");
    assert!(line(&root).contains(&leaf.handle), "it says for whom it waits: {printed:?}");

    // What was counted survives the daemon; nobody waits any more.
    cast.0.crash();
    let mut after = map(&cast, true).await;
    // What the child could not finish is told to its parent, which is an answer.
    after.links.retain(|link| link.messages > 0 || link.spawns > 0);
    assert_eq!((&after.links, &after.waits), (&seen.links, &vec![]));
    let counted: u64 = after.causes.iter().map(|cause| cause.usage.input_tokens).sum();
    assert_eq!(counted, 101);
    release(&cast);
}

#[tokio::test]
async fn the_map_shows_a_circle_that_was_refused() {
    let cast = Cast::new(&[]);
    cast.script("x", ASKER, &tool("agents_message", &ask("y")));
    cast.script("y", ASKER, &tool("agents_message", &ask("x")));
    let x = cast.start("x", "go").await;
    cast.0.settled(&x.id).await;
    let y = cast.open("y").await.remove(0);
    let refused = map(&cast, true).await.refused;
    let circle: Vec<_> = refused[0].agents.iter().map(|agent| agent.handle.as_str()).collect();
    assert_eq!((circle, refused[0].circle), (vec![y.handle.as_str(), x.handle.as_str()], true));
    let printed = cast.0.home.paseo(&["map", "--all"]);
    let circle = format!("{} → {} → {} (deadlock)", y.handle, x.handle, y.handle);
    assert!(printed.ok().contains(&circle), "{printed:?}");
}

#[tokio::test]
async fn posts_in_a_thread_are_on_the_map() {
    let room = Room::new(&["ann"]);
    let asked = room.say("ann", "<<say here>>").await;
    room.reply(&asked).await;
    let seen = room.watched.client.map(&MapQuery { all: true }).await.unwrap();
    let thread = &seen.threads[0];
    assert_eq!(thread.name.as_deref(), Some("plan"));
    assert_eq!((thread.participants[0].posts, thread.participants[0].wakes), (1, 1), "{thread:?}");
}
