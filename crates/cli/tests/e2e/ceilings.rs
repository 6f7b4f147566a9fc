//! Nobody starts somebody who may do more, and families stay small.

use std::fs;

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

use crate::cast::{Cast, tool};

fn summon(agent: &str, more: Value) -> Value {
    let mut input = json!({ "agent": agent, "task": "do it" });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

#[tokio::test]
async fn more_than_may_be_passed_on_is_refused_and_named() {
    let cast = Cast::new(&["perm_summon", "perm_user_agent", "perm_read_tab"]);
    cast.define("leader", "tools = ['read', 'summon', 'retrieve', 'agents_message', 'agents_list']");
    cast.define("writer", "is_subagent = true\ntools = ['read', 'edit', 'bash']");
    cast.define("shell", "tools = ['read', 'bash']");
    cast.script("anything", "is_subagent = true", "<<sh touch made>><<tool read_tab {\"tab_id\":\"x\"}>>");
    let leader = cast.idle("leader").await;
    for (name, input) in [
        ("summon", summon("writer", json!({}))),
        ("summon", summon("anything", json!({ "tools": ["edit", "bash"] }))),
        ("summon", summon("shell", json!({ "top_level": true }))),
        ("agents_message", json!({ "agentId": "shell", "content": "x", "session": "create" })),
    ] {
        let refused = cast.call(&leader.id, name, &input).await;
        assert!(
            refused.error().starts_with("this is more than you may pass on: native_"),
            "{}",
            refused.text
        );
        let hint = "\nyou may pass on: agents_list, agents_message, native_read, retrieve, summon, todo";
        assert!(refused.text.ends_with(hint), "{}", refused.text);
    }
    assert_eq!(cast.open("writer").await.len() + cast.open("anything").await.len(), 0);
    let unknown =
        cast.call(&leader.id, "summon", &summon("anything", json!({ "tools": ["teleport"] }))).await;
    assert!(unknown.error().starts_with("there is no tool `teleport`"), "{}", unknown.text);
    // What nobody asked for by name is left out.
    let child = cast.call(&leader.id, "summon", &summon("anything", json!({}))).await.agent();
    let called = cast.called(&child).await;
    assert!(called.iter().all(|called| called.outcome == "denied"), "{called:?}");
    assert!(!cast.0.home.work().join("made").exists());
    let tools = cast.0.client.tools_of(&child).await.unwrap();
    let names: Vec<&str> = tools.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        (names, tools.powers),
        (vec!["agents_message", "agents_list", "todo"], vec!["native_read".to_owned()])
    );
}

#[tokio::test]
async fn a_ceiling_holds_for_everything_below() {
    let cast = Cast::new(&["perm_summon", "perm_user_agent"]);
    cast.define("leader", "tools = ['read', 'summon', 'retrieve', 'agents_message']");
    cast.define("strong", "tools = ['read', 'bash']");
    cast.define("writer", "is_subagent = true\ntools = ['edit']");
    let attempts = [
        ("summon", summon("writer", json!({}))),
        ("summon", summon("strong", json!({ "top_level": true }))),
        ("agents_message", json!({ "agentId": "strong", "content": "x", "session": "create" })),
        ("agents_message", json!({ "agentId": "strong", "content": "x", "session": "latest" })),
    ];
    let script: String = attempts.iter().map(|(name, input)| tool(name, input)).collect();
    let tools = "tools = ['read', 'summon', 'retrieve', 'agents_message']";
    cast.script("middle", &format!("is_subagent = true\n{tools}"), &script);
    let strong = cast.idle("strong").await;
    let leader = cast.idle("leader").await;
    let middle = cast.call(&leader.id, "summon", &summon("middle", json!({}))).await.agent();
    let called = cast.called(&middle).await;
    assert_eq!(called.len(), 4);
    for refused in called {
        assert!(
            refused.error().contains("you may not pass on")
                || refused.text.contains("more than you may pass on"),
            "{}",
            refused.text
        );
        assert!(
            refused.text.contains("native_write") || refused.text.contains("native_shell"),
            "{}",
            refused.text
        );
    }
    assert_eq!((cast.open("strong").await.len(), cast.view(&strong.id).await.turns), (1, 0));
}

#[tokio::test]
async fn permissions_are_passed_on_and_never_widened() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<say hi>>");
    cast.define("free", "is_subagent = true\npermissions = 'full'");
    let wanted = paseo_wire::session::CreateSession {
        permissions: Some("read-only".to_owned()),
        ..Default::default()
    };
    let parent = cast.create(wanted).await;
    let child = cast.call(&parent.id, "summon", &summon("flash", json!({}))).await.agent();
    assert_eq!(cast.view(&child).await.permissions, "read-only");
    let refused = cast.call(&parent.id, "summon", &summon("free", json!({}))).await;
    assert!(refused.error().contains("permissions full"), "{}", refused.text);
}

#[tokio::test]
async fn a_family_is_four_deep_at_most() {
    let cast = Cast::new(&["perm_summon"]);
    let below = tool("summon", &summon("deep", json!({ "background": true })));
    cast.script(
        "deep",
        "is_subagent = true\ntools = ['summon', 'retrieve']",
        &format!("{below}\n---\n<<say told>>"),
    );
    let root = cast.idle("default").await;
    cast.call(&root.id, "summon", &summon("deep", json!({ "background": true }))).await.ok();
    let refused = loop {
        let open = cast.open("deep").await;
        let results = async |id: &str| cast.called(id).await.pop();
        let mut found = None;
        for session in &open {
            found = found.or(results(&session.id).await.filter(|called| called.outcome == "error"));
        }
        if let Some(refused) = found {
            break refused;
        }
        cast.0.settled(&open[0].id).await;
    };
    assert!(refused.text.contains("this would be 5 below"), "{}", refused.text);
    assert_eq!(cast.open("deep").await.len(), 4);
}

#[tokio::test]
async fn a_request_starts_so_many_agents_and_a_family_has_so_many() {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    fs::create_dir_all(home.path()).unwrap();
    // All of them are at work, and the one that starts them still has a place.
    fs::write(home.path().join("config.toml"), "[limits]\nlive_processes = 20\n").unwrap();
    let cast = Cast::at(home, &["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<hang>>");
    let root = cast.idle("default").await;
    let one = tool("summon", &summon("flash", json!({ "background": true })));
    cast.0.send(&root.id, &one.repeat(13)).await;
    cast.0.settled(&root.id).await;
    let called: Vec<_> = cast.called(&root.id).await;
    assert_eq!(called.iter().filter(|called| called.outcome == "ok").count(), 12);
    assert!(called[12].error().starts_with("12 agents were started within a minute"), "{}", called[12].text);
    assert_eq!(cast.open("flash").await.len(), 12, "nothing is left of what was refused");
    // Another request has a rate of its own, and the family a limit.
    cast.0.send(&root.id, &one.repeat(5)).await;
    cast.0.settled(&root.id).await;
    let last = cast.called(&root.id).await.pop().unwrap();
    assert!(
        last.error().starts_with("16 agents below the one that a person started are at work"),
        "{}",
        last.text
    );
    let close = cast.open("flash").await.remove(0);
    cast.0.client.close(&close.id).await.unwrap();
    cast.call(&root.id, "summon", &summon("flash", json!({ "background": true }))).await.ok();
}

#[tokio::test]
async fn what_is_switched_counts_from_the_next_call_on() {
    let cast = Cast::new(&[]);
    cast.script("flash", "is_subagent = true", "<<say hi>>");
    let root = cast.idle("default").await;
    for (switch, outcome) in [("off", "denied"), ("on", "ok"), ("off", "denied")] {
        cast.0.home.paseo(&["settings", "set", "perm_summon", switch]).ok();
        assert_eq!(cast.call(&root.id, "summon", &summon("flash", json!({}))).await.outcome, outcome);
    }
}
