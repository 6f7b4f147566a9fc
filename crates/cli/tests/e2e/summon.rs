//! Agents that start others: `summon`.

use std::fs;

use paseo_wire::change::SessionChange;
use paseo_wire::session::CreateSession;
use paseo_wire::stream::Frame;
use serde_json::{Value, json};

use crate::cast::{Cast, WAIT, release};
use crate::screens::assert_said;

fn task(agent: &str) -> Value {
    json!({ "agent": agent, "task": "do it" })
}

fn with(agent: &str, more: Value) -> Value {
    let mut input = task(agent);
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

#[tokio::test]
async fn a_child_answers_below_its_parent() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<say thinking>><<sh pwd>><<say the answer>>");
    cast.script("poor", "is_subagent = true", "<<fail no money>>");
    let labels = [("ui".to_owned(), "true".to_owned())].into();
    let parent = cast.create(CreateSession { labels, ..CreateSession::default() }).await;
    let summoned = cast.call(&parent.id, "summon", &task("flash")).await;
    let child = cast.view(&summoned.agent()).await;
    assert_eq!(
        summoned.ok(),
        format!("agent_id: {}\nwithheld: agents_message, agents_list\n\nthe answer", child.id)
    );
    assert_eq!(child.parent.as_deref(), Some(parent.id.as_str()));
    assert_eq!((child.name.as_deref(), child.labels.len()), (Some("do it"), 0));
    assert_eq!(
        (&child.project, child.created_by.as_str()),
        (&parent.project, format!("session:{}", parent.id).as_str())
    );
    assert_eq!(cast.heard(&child.id).await, ["do it"]);
    assert_eq!(cast.view(&parent.id).await.turns, 1, "it was told by the call");

    // What cannot be started at all leaves nothing behind.
    cast.define("broken", "is_subagent = true\n[[models]]\nmodel_id = '/nowhere.script'");
    let broken = cast.call(&parent.id, "summon", &task("broken")).await;
    assert!(broken.error().contains("/nowhere.script"), "{}", broken.text);
    assert_eq!(cast.open("broken").await.len(), 0);

    let failed = cast.call(&parent.id, "summon", &task("poor")).await;
    assert!(
        failed.error().starts_with("agent_id: ") && failed.text.ends_with("failed: no money"),
        "{}",
        failed.text
    );
}

#[tokio::test]
async fn who_can_be_started_is_said_before_and_after() {
    let cast = Cast::new(&["perm_summon"]);
    let agent = cast.idle("default").await;
    let described = async || {
        let tools = cast.0.client.tools_of(&agent.id).await.unwrap().tools;
        tools.into_iter().find(|tool| tool.name == "summon").unwrap()
    };
    let empty = described().await.description;
    assert_said!(cast.0.home, &empty);
    cast.define(
        "programmer",
        "is_subagent = true\nname = 'Programmer'\ndescription = 'Implements code from a given plan'",
    );
    cast.define("flash", "is_subagent = true\nname = 'Flash'");
    cast.define("writer", "name = 'Writer'\ndescription = 'Writes'");
    let one = described().await;
    let text = &one.description;
    let group = "- flash: Flash\n- programmer: Programmer — Implements code from a given plan";
    assert!(text.contains(&format!("Available agents:\n{group}\n")) && !text.contains("writer"), "{text}");
    assert!(text.contains(&format!("Your working directory: {}", agent.directory)), "{text}");
    assert!(one.schema["properties"].get("top_level").is_none());
    let allow = "a person can allow it with `paseo settings set perm_user_agent on`";
    for (slug, told) in [
        ("nobody", "agent definition `nobody` not found, or you are not allowed to start it".to_owned()),
        ("writer", format!("`writer` is a user agent, and agents are not allowed to start those; {allow}")),
    ] {
        let refused = cast.call(&agent.id, "summon", &task(slug)).await;
        assert_eq!(refused.error(), format!("{told}\nchoose one of: flash, programmer"));
    }
    let refused = cast.call(&agent.id, "summon", &with("writer", json!({ "top_level": true }))).await;
    let told =
        format!("agents are not allowed to start user agents (top_level)\nleave out top_level; {allow}");
    assert_eq!(refused.error(), told);

    // Two groups, as soon as user agents may be started; counted from the next call on.
    cast.0.home.paseo(&["settings", "set", "perm_user_agent", "on"]).ok();
    let two = described().await;
    let text = &two.description;
    assert_said!(cast.0.home, text);
    assert!(two.schema["properties"].get("top_level").is_some());
    let refused = cast.call(&agent.id, "summon", &task("writer")).await;
    let told = "`writer` is a user agent and can only be started with top_level=true";
    assert!(refused.error().starts_with(told), "{}", refused.text);
    let wrong = cast.call(&agent.id, "summon", &with("flash", json!({ "top_level": true }))).await;
    let told = "`flash` is a subagent and cannot be started with top_level\nchoose one of: default, writer";
    assert_eq!(wrong.error(), told);
    assert_eq!(cast.open("flash").await.len() + cast.open("writer").await.len(), 0);
}

#[tokio::test]
async fn whoever_may_not_wait_is_told_how_to_start_it_without() {
    let cast = Cast::new(&["perm_summon"]);
    let next = crate::cast::tool("summon", &task("deep"));
    cast.script("deep", "is_subagent = true\ntools = ['summon', 'read', 'bash']", &next);
    let root = cast.start("default", &next).await;
    cast.0.settled(&root.id).await;
    // The row is full below the third: the last of it is no agent.
    let mut refused = Vec::new();
    for session in cast.open("deep").await {
        let called = cast.called(&session.id).await.pop().unwrap();
        if called.outcome == "error" {
            refused.push((session.handle, called.text));
        }
    }
    let [(handle, text)] = &refused[..] else { panic!("{refused:?}") };
    assert_said!(cast.0.home, text);
    let end =
        format!("{handle} → the new agent\nuse background=true; you will be notified when it has finished");
    assert!(text.ends_with(&end), "{text}");
    assert_eq!(cast.open("deep").await.len(), 3, "nothing was made");
}

#[tokio::test]
async fn what_works_in_the_background_is_told_once() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", &format!("{WAIT}<<say the answer>>"));
    let parent = cast.idle("default").await;
    let summoned = cast.call(&parent.id, "summon", &with("flash", json!({ "background": true }))).await;
    assert_said!(cast.0.home, summoned.ok(), @r"
    agent_id: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1
    withheld: agents_message, agents_list

    The agent works in the background. You will be notified when it has finished; use retrieve to wait for it.
    ");
    release(&cast);
    cast.until_heard(&parent.id, "the answer").await;
    cast.0.settled(&parent.id).await;
    cast.0.crash();
    cast.0.settled(&parent.id).await;
    let heard = cast.heard(&parent.id).await;
    assert_eq!(heard.iter().filter(|text| text.contains("[notice]")).count(), 1, "{heard:?}");
    assert!(cast.said(&parent.id).await.pop().unwrap().starts_with("Received: [message from tab"));
}

#[tokio::test]
async fn whenever_the_daemon_dies_a_child_has_its_task_and_its_parent_hears_of_it_once() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<say the answer>>");
    let script = crate::cast::tool("summon", &with("flash", json!({ "background": true })));
    for step in 1.. {
        let parent = cast.start("default", &script).await;
        let mut events = cast.0.follow(&parent.id, 0);
        let (mut stored, mut ended) = (0, 0);
        while stored < step && ended < 2 {
            match crate::watch::next(&mut events).await {
                Frame::Event(event) => {
                    (stored, ended) = (
                        stored + 1,
                        ended + usize::from(matches!(event.change, SessionChange::TurnEnded { .. })),
                    )
                }
                Frame::Item(_) => stored += 1,
                Frame::Live(_)
                | Frame::Thread(_)
                | Frame::Team(_)
                | Frame::Cause(_)
                | Frame::Resume(_)
                | Frame::Cursor(_) => {}
            }
        }
        cast.0.crash();
        cast.0.settled(&parent.id).await;
        let mut children = cast.open("flash").await;
        children.retain(|child| child.parent.as_ref() == Some(&parent.id));
        assert!(children.len() <= 1, "step {step}: {children:#?}");
        for child in &children {
            cast.until_heard(&parent.id, &child.id).await;
            assert_eq!(cast.heard(&child.id).await, ["do it"], "step {step}");
        }
        cast.0.settled(&parent.id).await;
        let heard = cast.heard(&parent.id).await;
        let notices = heard.iter().filter(|text| text.contains("[notice]")).count();
        assert_eq!(notices, children.len(), "step {step}: {heard:#?}");
        if ended == 2 {
            assert!(step > 8, "the walk met every step: {step}");
            break;
        }
    }
}

#[tokio::test]
async fn a_parent_is_told_once_when_its_child_dies() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<sh echo $PPID \\> pid; sleep 60>>");
    let parent = cast.idle("default").await;
    let input = with("flash", json!({ "background": true }));
    let child = cast.call(&parent.id, "summon", &input).await.agent();
    cast.until_calling(&child).await;
    let file = cast.0.home.work().join("pid");
    let pid = loop {
        match fs::read_to_string(&file).unwrap_or_default().trim().parse::<i32>() {
            Ok(pid) => break pid,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    cast.until_heard(&parent.id, "failed to complete your request").await;
    cast.0.settled(&parent.id).await;
    let heard = cast.heard(&parent.id).await;
    assert_eq!(heard.iter().filter(|text| text.contains("[notice]")).count(), 1, "{heard:?}");
    assert_eq!(cast.view(&child).await.status.as_str(), "error");
}

#[tokio::test]
async fn a_child_works_in_its_parents_directory_and_nowhere_else() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<sh pwd>>");
    let (work, outside) = (cast.0.home.work(), cast.0.home.work().with_file_name("outside"));
    fs::create_dir_all(work.join("inner")).unwrap();
    fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, work.join("link")).unwrap();
    std::os::unix::fs::symlink(work.join("inner"), work.join("within")).unwrap();
    let parent = cast.idle("default").await;
    let start = async |directory: &str| {
        cast.call(&parent.id, "summon", &with("flash", json!({ "working_directory": directory }))).await
    };
    for directory in ["inner", "within", "./inner/..", "inner/../inner"] {
        let child = cast.view(&start(directory).await.agent()).await;
        let real = work.join(directory).canonicalize().unwrap();
        assert_eq!(child.directory, real.to_str().unwrap(), "{directory}");
    }
    let open = cast.open("flash").await.len();
    for directory in ["..", "link", "/", "inner/../..", outside.to_str().unwrap()] {
        let refused = start(directory).await;
        let told = refused.error().replacen(directory, "elsewhere", 1);
        assert_said!(cast.0.home, &told, @r"
        `elsewhere` is outside your working directory
        choose a directory in /tmp/paseo-000000/work
        ");
    }
    let missing = start("nowhere").await;
    assert_said!(cast.0.home, missing.error());
    assert_eq!(cast.open("flash").await.len(), open);
}

#[tokio::test]
async fn a_user_agent_stands_on_its_own() {
    let cast = Cast::new(&["perm_summon", "perm_user_agent"]);
    cast.script("writer", "", "<<say written>>");
    let outside = cast.0.home.work().with_file_name("outside");
    fs::create_dir_all(&outside).unwrap();
    let labels: std::collections::BTreeMap<String, String> = [("ui".to_owned(), "true".to_owned())].into();
    let spawner = cast.create(CreateSession { labels: labels.clone(), ..CreateSession::default() }).await;
    let input =
        with("writer", json!({ "top_level": true, "working_directory": outside, "background": false }));
    let summoned = cast.call(&spawner.id, "summon", &input).await;
    let told = summoned.ok().lines().last().unwrap();
    assert_said!(cast.0.home, told, @"The agent is independent: you will not receive its answer.");
    let agent = cast.view(&summoned.agent()).await;
    assert_eq!((agent.parent, &agent.labels), (None, &labels));
    assert_eq!(agent.directory, outside.canonicalize().unwrap().to_str().unwrap());
    cast.0.settled(&agent.id).await;
    let refused = cast.call(&spawner.id, "retrieve", &json!({ "agent_id": agent.id })).await;
    let told =
        "This is a user agent (top-level tab) and cannot be retrieved. User agents are fire-and-forget.";
    assert_eq!(refused.error(), told);
    cast.0.client.close(&spawner.id).await.unwrap();
    assert_eq!(cast.view(&agent.id).await.status.as_str(), "idle", "it outlives who started it");
    assert_eq!(cast.heard(&spawner.id).await.len(), 2, "nobody was told");
    // Without a label on the spawner there is none on it.
    let plain = cast.idle("default").await;
    let agent = cast.call(&plain.id, "summon", &with("writer", json!({ "top_level": true }))).await.agent();
    assert!(cast.view(&agent).await.labels.is_empty());
}

#[tokio::test]
async fn closing_closes_what_descends_and_wakes_nobody() {
    let cast = Cast::new(&["perm_summon"]);
    let below = crate::cast::tool("summon", &with("leaf", json!({ "background": true })));
    cast.script(
        "branch",
        "is_subagent = true\ntools = ['summon', 'read', 'bash']",
        &format!("{below}{WAIT}"),
    );
    cast.script("leaf", "is_subagent = true\ntools = ['read', 'bash']", WAIT);
    let root = cast.idle("default").await;
    let branch = cast.call(&root.id, "summon", &with("branch", json!({ "background": true }))).await.agent();
    let leaf = loop {
        cast.until_calling(&branch).await;
        if let Some(leaf) = cast.open("leaf").await.pop() {
            break leaf.id.to_string();
        }
    };
    cast.until_calling(&leaf).await;
    let closed = cast.0.home.paseo(&["close", &root.handle]);
    closed.ok();
    for id in [root.id.as_str(), &branch, &leaf] {
        assert_eq!(cast.view(id).await.status.as_str(), "closed");
    }
    let events = async |id: &str| cast.view(id).await.status_since;
    assert!(events(&leaf).await <= events(&branch).await && events(&branch).await <= events(&root.id).await);
    assert_eq!(cast.view(&root.id).await.turns, 1, "nobody was woken to be told");
    assert_eq!(cast.heard(&root.id).await.len(), 1);
}

/// However many an agent starts, they do not keep a person from working.
#[tokio::test]
async fn children_leave_a_place_to_people() {
    let home = paseo_testkit::home::TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    fs::create_dir_all(home.path()).unwrap();
    fs::write(home.path().join("config.toml"), "[limits]\nlive_processes = 2\n").unwrap();
    let cast = Cast::at(home, &["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<hang>>");
    let parent = cast.idle("default").await;
    for _ in 0..3 {
        let summoned = cast.call(&parent.id, "summon", &with("flash", json!({ "background": true }))).await;
        summoned.ok();
    }
    let status = cast.0.client.status().await.unwrap();
    assert_eq!((status.live_processes, status.waiting_turns), (2, 2), "a child and the parent");
    for _ in 0..2 {
        assert_eq!(cast.0.home.paseo(&["run", "--timeout", "60s", "<<say there>>"]).ok(), "there");
    }
    assert_eq!(cast.0.client.status().await.unwrap().waiting_turns, 2);
}

#[tokio::test]
async fn a_parent_that_waits_leaves_its_place_to_the_child() {
    let home = paseo_testkit::home::TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    fs::create_dir_all(home.path()).unwrap();
    fs::write(home.path().join("config.toml"), "[limits]\nlive_processes = 1\n").unwrap();
    let cast = Cast::at(home, &["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<say the answer>>");
    let parent = cast.idle("default").await;
    let summoned = cast.call(&parent.id, "summon", &task("flash")).await;
    assert!(summoned.ok().ends_with("the answer"), "{}", summoned.text);
}
