//! Children have no more than their parents may pass on, and families stay small.

use std::fs;

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

use crate::cast::{Cast, tool};
use crate::screens::assert_said;

fn summon(agent: &str, more: Value) -> Value {
    let mut input = json!({ "agent": agent, "task": "do it" });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

/// Returns what an agent has: tools and powers.
async fn had(cast: &Cast, id: &str) -> Vec<String> {
    let list = cast.0.client.tools_of(id).await.unwrap();
    list.tools.into_iter().map(|tool| tool.name).chain(list.powers.iter().map(ToString::to_string)).collect()
}

fn withheld(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("withheld: ")).unwrap_or_default()
}

#[tokio::test]
async fn a_child_gets_what_its_parent_may_pass_on_and_the_answer_lists_the_rest() {
    let cast = Cast::new(&["perm_summon", "perm_user_agent", "perm_read_tab"]);
    cast.define("leader", "tools = ['read', 'summon', 'retrieve', 'agents_message', 'agents_list']");
    cast.define("writer", "is_subagent = true\ntools = ['read', 'edit', 'bash']");
    cast.define("shell", "tools = ['read', 'bash']");
    cast.script("anything", "is_subagent = true", "<<sh touch made>><<tool read_tab {\"tab_id\":\"x\"}>>");
    let leader = cast.idle("leader").await;
    for (input, kept, own) in [
        (summon("writer", json!({})), "native_write, native_shell, native_net", &["todo", "native_read"][..]),
        (summon("writer", json!({ "tools": ["read", "edit"] })), "native_write", &["native_read"]),
        (summon("writer", json!({ "tools": ["read"] })), "", &["native_read"]),
        (summon("shell", json!({ "top_level": true })), "native_shell, native_net", &["todo", "native_read"]),
        // The three harmless ones may be passed on by everybody.
        (
            summon("writer", json!({ "tools": ["todo", "retrieve", "notify_when_idle"] })),
            "",
            &["notify_when_idle", "retrieve", "todo"],
        ),
    ] {
        let called = cast.call(&leader.id, "summon", &input).await;
        assert_eq!(withheld(called.ok()), kept, "{input}: {}", called.text);
        assert_eq!(had(&cast, &called.agent()).await, own, "{input}");
    }
    // What it does not have it can't use.
    let child = cast.call(&leader.id, "summon", &summon("anything", json!({}))).await;
    assert_eq!(withheld(child.ok()), "native_write, native_shell, native_net", "{}", child.text);
    let called = cast.called(&child.agent()).await;
    assert!(called.iter().all(|called| called.outcome == "denied"), "{called:?}");
    assert!(!cast.0.home.work().join("made").exists());
    // Asked by its definition it is the same, and a person gets another one.
    let asked = json!({ "agentId": "shell", "content": "x", "session": "create" });
    let asked = cast.call(&leader.id, "agents_message", &asked).await.json();
    assert_eq!(asked["withheld"], json!(["native_shell", "native_net"]), "{asked}");
    let told = cast.0.home.paseo(&["tell", "--json", "shell", "x"]);
    let told: Value = serde_json::from_str(told.ok()).unwrap();
    assert_eq!(told["created"], true, "{told}");
    let unknown =
        cast.call(&leader.id, "summon", &summon("anything", json!({ "tools": ["teleport"] }))).await;
    assert_said!(cast.0.home, unknown.error());
}

#[tokio::test]
async fn only_an_explicit_ceiling_passes_on_more_than_one_has() {
    let cast = Cast::new(&["perm_summon"]);
    cast.define("helper", "is_subagent = true\ntools = ['edit', 'agents_message', 'threads_read']");
    cast.define("ordinary", "tools = ['summon']");
    cast.define("open", "name = 'Open'");
    cast.define("generous", "tools = ['summon']\npass_on = ['edit', 'threads_*']");
    for (parent, kept) in [
        ("default", "agents_message, threads_read"),
        ("ordinary", "native_write, agents_message, threads_read"),
        ("open", "threads_read"),
        ("generous", "agents_message"),
    ] {
        let parent = cast.idle(parent).await;
        let called = cast.call(&parent.id, "summon", &summon("helper", json!({}))).await;
        assert_eq!(withheld(called.ok()), kept, "{}: {}", parent.id, called.text);
    }
}

#[tokio::test]
async fn a_power_that_the_provider_cannot_withhold_is_refused_before_there_is_an_agent() {
    let cast = Cast::new(&["perm_summon"]);
    cast.define("reader", "tools = ['read', 'summon']");
    cast.0.home.paseo(&["providers", "add", "plain", "--", "cat"]).ok();
    let folder = cast.0.home.path().join("agents");
    fs::write(folder.join("plain.toml"), "provider = 'plain'\nis_subagent = true\n").unwrap();
    cast.0.home.trust();
    let reader = cast.idle("reader").await;
    let refused = cast.call(&reader.id, "summon", &summon("plain", json!({}))).await;
    assert_said!(cast.0.home, refused.error());
    assert_eq!(cast.open("plain").await.len(), 0);
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
        ("agents_message", json!({ "agentId": "strong", "content": "x", "session": STRONG })),
    ];
    let script: String = attempts.iter().map(|(name, input)| tool(name, input)).collect();
    let tools = "tools = ['read', 'summon', 'retrieve', 'agents_message', 'edit', 'bash']";
    let strong = cast.idle("strong").await;
    cast.script("middle", &format!("is_subagent = true\n{tools}"), &script.replace(STRONG, &strong.id));
    let leader = cast.idle("leader").await;
    let middle = cast.call(&leader.id, "summon", &summon("middle", json!({}))).await;
    assert_eq!(withheld(middle.ok()), "native_write, native_shell, native_net");
    let called = cast.called(&middle.agent()).await;
    let [child, top_level, asked, other] = &called[..] else { panic!("{called:?}") };
    assert_eq!(withheld(child.ok()), "native_write");
    assert_eq!(withheld(top_level.ok()), "native_shell, native_net");
    assert_eq!(asked.json()["withheld"], json!(["native_shell", "native_net"]));
    for id in [child.agent(), top_level.agent(), asked.json()["sessionId"].as_str().unwrap().to_owned()] {
        let own = had(&cast, &id).await;
        assert!(own.iter().all(|tool| ["native_read", "todo"].contains(&tool.as_str())), "{own:?}");
    }
    // An agent that may do more is not asked.
    assert_said!(cast.0.home, other.error());
    assert_eq!(cast.view(&strong.id).await.turns, 0);
}

/// Stands for the session of an agent that may do more.
const STRONG: &str = "the-strong-one";

#[tokio::test]
async fn permissions_are_passed_on_and_never_widened() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true\ntools = ['read']", "<<say hi>>");
    cast.define("free", "is_subagent = true\ntools = ['read']\npermissions = 'full'");
    let wanted =
        paseo_wire::session::CreateSession { permissions: Some("read-only".into()), ..Default::default() };
    let parent = cast.create(wanted).await;
    for (slug, kept) in [("flash", ""), ("free", "permissions full")] {
        let child = cast.call(&parent.id, "summon", &summon(slug, json!({}))).await;
        assert_eq!(withheld(child.ok()), kept);
        assert_eq!(cast.view(&child.agent()).await.permissions.as_str(), "read-only");
    }
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
    assert_said!(cast.0.home, &refused.text, @"limit reached: agents can be nested 4 levels deep, and this would be level 5; do the work yourself, or return it to your parent agent");
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
    assert_said!(cast.0.home, called[12].error());
    assert_eq!(cast.open("flash").await.len(), 12, "nothing is left of what was refused");
    // Another request has a rate of its own, and the family a limit.
    cast.0.send(&root.id, &one.repeat(5)).await;
    cast.0.settled(&root.id).await;
    let last = cast.called(&root.id).await.pop().unwrap();
    assert_said!(cast.0.home, last.error());
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
