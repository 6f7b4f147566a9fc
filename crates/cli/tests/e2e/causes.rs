//! Everything that descends from one request: seen as a tree, and stopped at once.

use serde_json::{Value, json};

use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::assert_told;
use crate::watch::next;

/// A subagent that may do what whoever starts it may do.
const SUBAGENT: &str = "is_subagent = true\ntools = ['*']";

fn background(agent: &str) -> Value {
    json!({ "agent": agent, "task": "do it", "background": true })
}

#[tokio::test]
async fn a_request_is_shown_with_everyone_who_worked_for_it() {
    let cast = Cast::new(&["perm_summon", "perm_send_to_tab"]);
    let peer = cast.idle("default").await;
    let message = tool("send_to_tab", &json!({ "tab_id": peer.id, "message": "hello" }));
    cast.script("leaf", SUBAGENT, &format!("<<usage 10 5>>{message}<<say done>>"));
    cast.script(
        "branch",
        SUBAGENT,
        &format!("<<usage 20 5>>{}", tool("summon", &json!({ "agent": "leaf", "task": "x" }))),
    );
    let root = cast.idle("default").await;
    let asked = cast
        .0
        .send(
            &root.id,
            &format!("<<usage 1 1>>{}", tool("summon", &json!({ "agent": "branch", "task": "Build it" }))),
        )
        .await;
    cast.0.settled(&root.id).await;
    cast.0.settled(&peer.id).await;
    let cause = cast.0.client.cause(&asked.cause).await.unwrap();
    let (branch, leaf) = (cast.open("branch").await.remove(0), cast.open("leaf").await.remove(0));
    let found: Vec<_> = cause
        .agents
        .iter()
        .map(|agent| (agent.session.as_str(), agent.by.as_deref(), agent.spawned, agent.wakes, agent.turns))
        .collect();
    assert_eq!(
        found,
        [
            (root.id.as_str(), None, false, 0, 1),
            (&branch.id, Some(root.id.as_str()), true, 1, 1),
            (&leaf.id, Some(branch.id.as_str()), true, 1, 1),
            (&peer.id, Some(leaf.id.as_str()), false, 1, 1),
        ]
    );
    assert_eq!((cause.agents[2].usage.input_tokens, cause.usage.input_tokens, cause.wakes), (10, 31, 3));
    // An agent stands for what it did last.
    assert_eq!(cast.0.client.cause(&leaf.handle).await.unwrap(), cause);
    assert_eq!(cast.view(&leaf.id).await.last_cause.as_ref(), Some(&asked.cause));
    let inspected = cast.0.home.paseo(&["inspect", &leaf.handle]);
    let row = |name: &str, value: &str| {
        let line = inspected.ok().lines().find(|line| line.starts_with(name)).unwrap_or_default();
        assert!(line.contains(value), "{name}: {inspected:?}");
        assert!(!name.starts_with("parent") || !line.contains(&*branch.id), "{line}");
    };
    row("last cause", &asked.cause);
    row("parent", &branch.handle);
    row("created ", &format!(" by {}", branch.handle));
    let idle = cast.idle("default").await;
    let nothing = cast.0.home.paseo(&["cause", &idle.handle]);
    assert_told!(cast.0.home, nothing);
    let shown = cast.0.home.paseo(&["cause", &asked.cause]);
    let lines: Vec<&str> = shown.ok().lines().filter(|line| line.contains('└')).collect();
    assert!(lines[0].starts_with(&format!("└ {} Build it (started)", branch.handle)), "{shown:?}");
    assert!(lines[1].starts_with(&format!("  └ {}", leaf.handle)), "{shown:?}");
    assert!(lines[2].starts_with(&format!("    └ {}", peer.handle)), "{shown:?}");
}

#[tokio::test]
async fn stopping_a_request_stops_everyone_holds_what_waits_and_starts_nobody() {
    let cast = Cast::new(&["perm_summon"]);
    let more = tool("summon", &background("leaf"));
    cast.script("leaf", SUBAGENT, "<<say leaf>>");
    cast.script("branch", SUBAGENT, &format!("{WAIT}{more}"));
    let root = cast.idle("default").await;
    let asked = cast.0.send(&root.id, &format!("{}<<hang>>", tool("summon", &background("branch")))).await;
    cast.until(&root.id, |items| items.iter().any(|item| item.kind.as_str() == "tool_result")).await;
    let branch = cast.open("branch").await.remove(0);
    cast.until_calling(&branch.id).await;
    let other = cast.0.send(&branch.id, "another request").await;
    let stopped = cast.0.client.stop_cause(&asked.cause).await.unwrap();
    assert!(stopped.stopped);
    for session in [&root.id, &branch.id] {
        cast.0.settled(session).await;
    }
    let cause = cast.0.client.cause(&asked.cause).await.unwrap();
    assert!(cause.turns.iter().all(|turn| turn.outcome == Some("interrupted".into())), "{cause:#?}");
    // News of it reach nobody by themselves.
    assert_eq!(cast.view(&root.id).await.turns, 1);
    assert_eq!(cast.view(&branch.id).await.hold.as_str(), "stopped");
    assert_ne!(other.cause, asked.cause);
    // The shell that goes on by itself cannot start anyone for it.
    release(&cast);
    assert_eq!(cast.open("leaf").await.len(), 0);
}

#[tokio::test]
async fn whoever_waits_for_another_agent_says_for_whom() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("branch", SUBAGENT, WAIT);
    let call = tool("summon", &json!({ "agent": "branch", "task": "Build it" }));
    let root = cast.start("default", &call).await;
    let mut events = cast.0.client.events(0, &["sessions"]);
    while cast.open("branch").await.is_empty() {
        next(&mut events).await;
    }
    let branch = cast.open("branch").await.remove(0);
    cast.until_calling(&branch.id).await;
    assert_eq!(cast.view(&root.id).await.waits_for, Some(vec![branch.handle.clone()]));
    assert_eq!(cast.view(&branch.id).await.waits_for, None);
    let home = &cast.0.home;
    let why = home.paseo(&["why", &root.handle]);
    assert!(why.ok().contains(&format!("the answer of {}\n", branch.handle)), "{why:?}");
    let inspected = home.paseo(&["inspect", &root.handle]);
    let has = |row: &str| {
        inspected.ok().lines().any(|line| line.starts_with(row) && line.ends_with(&branch.handle))
    };
    assert!(has("waits for") && has("children"), "{inspected:?}");
    let logs = home.paseo(&["logs", &root.handle]);
    assert!(logs.ok().contains("summon: agent: branch, task: Build it"), "{logs:?}");
    // Whoever is stopped stops nobody else, and says so.
    let alone = home.paseo(&["stop", &root.handle]);
    let told = format!(
        "{} that it started keeps working; to stop everything: paseo cause {} --stop",
        branch.handle, root.handle
    );
    assert!(alone.stderr.contains(&told), "{alone:?}");
    cast.0.settled(&root.id).await;
    assert_eq!(cast.view(&root.id).await.waits_for, None);
    home.paseo(&["cause", &root.handle, "--stop"]).ok();
    cast.0.settled(&branch.id).await;
    assert_eq!(home.paseo(&["stop", &root.handle]).stderr, "");
}

#[tokio::test]
async fn a_message_of_a_stopped_request_waits_behind_the_work_of_another() {
    let cast = Cast::new(&[]);
    let busy = cast.start("default", WAIT).await;
    cast.until_calling(&busy.id).await;
    let sent = cast.0.send(&busy.id, "<<say never>>").await;
    cast.0.client.stop_cause(&sent.cause).await.unwrap();
    let view = cast.view(&busy.id).await;
    assert_eq!((view.status.as_str(), view.held, view.queued), ("running", 1, 0), "the other goes on");
    release(&cast);
    cast.0.settled(&busy.id).await;
    let stage = cast.0.client.delivery(&busy.id, &sent.delivery).await.unwrap();
    assert_eq!(
        (stage.stage.as_str(), stage.reason.as_ref().map(ToString::to_string)),
        ("held", Some("cause_stopped".to_owned()))
    );
    assert!(!cast.said(&busy.id).await.contains(&"never".to_owned()));
}
