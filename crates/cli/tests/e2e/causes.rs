//! Everything that descends from one request: seen as a tree, and stopped at once.

use paseo_wire::change::SessionChange;
use paseo_wire::error::Code;
use paseo_wire::stream::Frame;
use paseo_wire::words::ItemKind;
use serde_json::{Value, json};

use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::{assert_said, assert_told};
use crate::threads::Room;
use crate::watch::next;
use crate::workers::red;
use crate::workers_tools::member;

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
    let depths: Vec<usize> = cause.agents.iter().map(|agent| agent.depth).collect();
    assert_eq!(depths, [0, 1, 2, 3]);
    let left: Vec<u32> = cause.agents.iter().map(|agent| agent.wakes_left).collect();
    assert_eq!((left, cause.wakes_left, cause.spawned), (vec![6, 5, 5, 5], 61, 2));
    assert_eq!((cause.running, cause.waiting, cause.complete), (0, 0, true));
    assert!(cause.request.as_deref().is_some_and(|request| request.contains("Build it")), "{cause:?}");
    for agent in &cause.agents {
        assert!(agent.started_at.unwrap() <= agent.ended_at.unwrap(), "{agent:?}");
        assert!(agent.ended_at <= cause.ended_at && cause.opened_at <= agent.started_at, "{agent:?}");
    }
    // Every message is there, with where it went and what came of it.
    let messages = cast.0.client.cause_messages(&asked.cause).await.unwrap().messages;
    assert_eq!((messages.len(), cause.messages), (4, 4));
    assert_eq!((&messages[0].delivery, messages[0].from.as_str()), (&asked.delivery, "human:cli"));
    let hops: Vec<_> = messages
        .iter()
        .map(|message| {
            (message.from_handle.as_deref(), &*message.session, message.hop, message.stage.as_str())
        })
        .collect();
    assert_eq!(
        hops,
        [
            (None, root.id.as_str(), 0, "answered"),
            (Some(root.handle.as_str()), branch.id.as_str(), 1, "answered"),
            (Some(branch.handle.as_str()), leaf.id.as_str(), 2, "answered"),
            (Some(leaf.handle.as_str()), peer.id.as_str(), 3, "answered"),
        ]
    );
    assert!(messages[3].text.as_deref().is_some_and(|text| text.contains("hello")), "{messages:?}");
    assert!(messages.iter().all(|message| message.settled_at.is_some() && message.turn.is_some()));
    // A message stands for the request that it descends from, and an agent for what it did last.
    let by_message = cast.0.client.cause(&messages[3].delivery).await.unwrap();
    assert_eq!((&by_message.cause, by_message.agents.len()), (&asked.cause, 4));
    assert_eq!(cast.0.client.cause(&leaf.handle).await.unwrap().agents, cause.agents);
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
async fn a_message_that_rides_along_in_another_request_is_part_of_its_own() {
    let cast = Cast::new(&["perm_send_to_tab"]);
    let peer = cast.start("default", WAIT).await;
    cast.until_calling(&peer.id).await;
    let root = cast.idle("default").await;
    let message = tool("send_to_tab", &json!({ "tab_id": peer.id, "message": "by the way" }));
    let asked = cast.0.send(&root.id, &message).await;
    cast.0.settled(&root.id).await;
    let waiting = cast.0.client.cause(&asked.cause).await.unwrap();
    assert_eq!((waiting.waiting, waiting.ended_at), (1, None), "{waiting:#?}");
    // The next turn of the other one is a person's, and takes both.
    let person = cast.0.send(&peer.id, "<<say both>>").await;
    release(&cast);
    cast.until(&peer.id, |items| items.iter().any(|item| item.text.as_deref() == Some("both"))).await;
    cast.0.settled(&peer.id).await;
    let messages = cast.0.client.cause_messages(&asked.cause).await.unwrap().messages;
    let reached: Vec<_> = messages.iter().map(|one| (&*one.session, one.stage.as_str())).collect();
    assert_eq!(reached, [(root.id.as_str(), "answered"), (peer.id.as_str(), "answered")]);
    let cause = cast.0.client.cause(&asked.cause).await.unwrap();
    let turns: Vec<_> = cause.agents.iter().map(|agent| (&*agent.session, agent.turns)).collect();
    assert_eq!(turns, [(root.id.as_str(), 1), (peer.id.as_str(), 0)], "its turn is paid for by a person");
    assert!(cause.ended_at.is_some());
    // After a crash, everything is read from the log again.
    cast.0.crash();
    let again = cast.0.client.cause_messages(&asked.cause).await.unwrap().messages;
    assert_eq!(again, messages);
    assert_eq!(cast.0.client.cause(&person.cause).await.unwrap().turns.len(), 1);
}

#[tokio::test]
async fn a_request_can_be_followed() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("leaf", SUBAGENT, "<<say leaf>>");
    let root = cast.idle("default").await;
    let asked = cast.0.send(&root.id, &tool("summon", &json!({ "agent": "leaf", "task": "x" }))).await;
    let seq = cast.0.client.cause(&asked.cause).await.unwrap().seq;
    let mut events = cast.0.client.events(0, &[format!("cause:{}", asked.cause)]);
    cast.0.settled(&root.id).await;
    let other = cast.0.send(&root.id, "<<say something else>>").await;
    cast.0.settled(&root.id).await;
    cast.0.client.stop_cause(&asked.cause).await.unwrap();
    let leaf = cast.open("leaf").await.remove(0);
    let (mut changes, mut turns) = (Vec::new(), Vec::new());
    while changes.last() != Some(&"stopped".to_owned()) {
        match next(&mut events).await {
            Frame::Cause(frame) => {
                assert_eq!(frame.cause, asked.cause);
                changes
                    .push(serde_json::to_value(frame.change).unwrap()["type"].as_str().unwrap().to_owned());
            }
            Frame::Event(event) => {
                if let SessionChange::TurnStarted { cause, .. } = &event.change {
                    assert_ne!(*cause, other.cause, "what descends from another request is not told");
                    turns.push(event.session.to_string());
                }
            }
            _ => {}
        }
    }
    assert_eq!(changes, ["opened", "spawned", "woken", "stopped"]);
    assert_eq!(turns, [root.id.to_string(), leaf.id.to_string()]);
    assert!(seq > 0);
    let unknown = cast.0.client.events(0, &["cause:0198c5b2-7d7e-7000-8000-3f2a91cc0000"]).next().await;
    assert_eq!(unknown.unwrap_err().code(), Some(Code::NotFound));
}

#[tokio::test]
async fn tasks_that_an_agent_claims_are_part_of_the_request() {
    let cast = red();
    cast.0.home.paseo(&["task", "create", "Parse", "--team", "red"]).ok();
    cast.0.home.paseo(&["task", "create", "Print", "--team", "red"]).ok();
    let worker = member(&cast, None, "worker").await;
    let claim = tool("team_tasks_claim", &json!({ "taskId": "task-0002" }));
    let asked = cast.0.send(&worker.id, &claim).await;
    cast.0.settled(&worker.id).await;
    let tasks = cast.0.client.cause(&asked.cause).await.unwrap().tasks;
    let found: Vec<_> = tasks
        .iter()
        .map(|task| (&*task.task, &*task.title, task.status.as_str(), task.claimed_by.as_deref()))
        .collect();
    assert_eq!(found, [("task-0002", "Print", "in_progress", Some(worker.id.as_str()))], "{tasks:?}");
    let other = cast.0.send(&worker.id, "<<say nothing>>").await;
    cast.0.settled(&worker.id).await;
    assert_eq!(cast.0.client.cause(&other.cause).await.unwrap().tasks, []);
}

#[tokio::test]
async fn stopping_a_request_stops_everyone_holds_what_waits_and_starts_nobody() {
    let cast = Cast::new(&["perm_summon"]);
    let more = tool("summon", &background("leaf"));
    cast.script("leaf", SUBAGENT, "<<say leaf>>");
    cast.script("branch", SUBAGENT, &format!("{WAIT}{more}"));
    let root = cast.idle("default").await;
    let asked = cast.0.send(&root.id, &format!("{}<<hang>>", tool("summon", &background("branch")))).await;
    cast.until(&root.id, |items| items.iter().any(|item| item.kind() == ItemKind::ToolResult)).await;
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
    let call = logs.ok().lines().rev().find(|line| line.contains("Build it")).unwrap();
    assert_said!(home, call, @"#2 12:00:00 summon: agent: branch, task: Build it");
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

#[tokio::test]
async fn a_request_that_began_in_a_thread_is_what_the_person_wrote() {
    let room = Room::new(&["ada"]);
    let client = &room.watched.client;
    let silent = room.say("user", "a note that wakes nobody").await;
    let cause = client.cause(silent.id.as_ref()).await.unwrap();
    assert_eq!((cause.request.as_deref(), cause.post), (Some("a note that wakes nobody"), Some(silent.id)));
    assert_eq!((cause.turns.len(), cause.running, cause.waiting, cause.ended_at), (0, 0, 0, None));

    let asked = room.say("ada", "Build the parser <<say built>>").await;
    room.until(|event| event.from == "ada").await;
    let cause = client.cause(asked.id.as_ref()).await.unwrap();
    assert_eq!(cause.request.as_deref(), Some("Build the parser <<say built>>"));
    // What she was told has the whole conversation in it.
    let told = client.cause_messages(&cause.cause).await.unwrap().messages.remove(0).text.unwrap();
    assert!(!told.starts_with("Build the parser"), "{told}");

    room.paseo(&["rm", "plan"]);
    let erased = client.cause(&cause.cause).await.unwrap();
    assert_eq!((erased.request, erased.cause), (None, cause.cause));
}
