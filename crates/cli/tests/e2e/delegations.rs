//! Work that agents hand to others, as a transcript shows it. The web app reads the same file in its tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use paseo_wire::item::ItemBody;
use paseo_wire::words::{DelegationState, ItemKind};
use serde_json::{Value, json};

use crate::cast::{Cast, WAIT, release};
use crate::screens::said;

fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/conversation/delegations.json")
}

/// Has an agent call a tool, and returns the call and its result.
async fn delegation(cast: &Cast, caller: &str, tool: &str, input: Value) -> Value {
    let called = cast.call(caller, tool, &input).await;
    let items = cast.0.items(caller).await;
    let last = |kind| items.iter().rev().find(|item| item.kind() == kind).unwrap().clone();
    let (call, result) = (last(ItemKind::ToolCall), last(ItemKind::ToolResult));
    let ItemBody::ToolResult(fields) = result.body else { panic!("{result:?}") };
    let mut text = called.text;
    // How long it took is another number each time.
    if let Ok(Value::Object(mut report)) = serde_json::from_str(&text) {
        report.entry("durationMs").and_modify(|took| *took = json!(0));
        text = Value::Object(report).to_string();
    }
    json!({
        "tool": tool,
        "input": call.text,
        "outcome": fields.outcome,
        "delegation": fields.delegation,
        "text": text,
    })
}

#[tokio::test]
async fn a_transcript_says_where_handed_on_work_stands() {
    let cast = Cast::new(&["perm_summon", "perm_user_agent", "perm_send_to_tab"]);
    cast.define(
        "lead",
        "toolAllowlist = ['agents_*', 'summon', 'retrieve', 'send_to_tab', 'native_*']\nagentAllowlist = ['*']",
    );
    cast.script("quick", "is_subagent = true", "<<say the answer>>");
    cast.script("poor", "is_subagent = true", "<<fail no money>>");
    cast.script("slow", "is_subagent = true", &format!("{WAIT}<<say the answer>>"));
    cast.script("notes", "", "<<say noted>>");
    cast.define("stopped", "");
    let stopped = cast.start("stopped", "<<hang>>").await;
    cast.0.client.stop(&stopped.id).await.unwrap();
    cast.0.settled(&stopped.id).await;
    let (caller, peer) = (cast.idle("lead").await, cast.idle("notes").await);
    let call = async |tool, input| delegation(&cast, &caller.id, tool, input).await;

    let mut all = vec![
        call("summon", json!({ "agent": "quick", "task": "look" })).await,
        call("summon", json!({ "agent": "poor", "task": "buy" })).await,
        call("summon", json!({ "agent": "notes", "task": "write", "top_level": true })).await,
        call("summon", json!({ "agent": "slow", "task": "dig", "background": true })).await,
    ];
    let child = cast.open("slow").await.remove(0);
    all.push(call("retrieve", json!({ "agent_id": child.id, "timeout": 1 })).await);
    release(&cast);
    all.push(call("retrieve", json!({ "agent_id": child.id })).await);
    for mode in ["sync", "async"] {
        let input = json!({ "agentId": "notes", "content": "note it", "mode": mode });
        all.push(call("agents_message", input).await);
    }
    for mode in ["sync", "async"] {
        let input =
            json!({ "agentId": "stopped", "content": "go on", "mode": mode, "session": &*stopped.id });
        all.push(call("agents_message", input).await);
    }
    for tab in [&peer.handle, &stopped.handle] {
        all.push(call("send_to_tab", json!({ "tab_id": tab, "message": "hello" })).await);
    }

    let states: BTreeSet<&str> = all.iter().filter_map(|each| each["delegation"]["state"].as_str()).collect();
    assert_eq!(states, BTreeSet::from_iter(DelegationState::WORDS.iter().copied()), "{all:#?}");
    // A call that reached no agent hands nothing on.
    let refused = call("summon", json!({ "agent": "nobody", "task": "look" })).await;
    assert_eq!(refused["delegation"], Value::Null);
    all.push(refused);
    let told = said(&cast.0.home, &format!("{:#}\n", Value::Array(all)));
    if std::env::var_os("PASEO_UPDATE").is_some() {
        std::fs::write(committed(), &told).unwrap();
    }
    let known = std::fs::read_to_string(committed()).unwrap_or_default();
    assert_eq!(told, known, "write the file again with PASEO_UPDATE=1, and read the difference");
}

#[tokio::test]
async fn a_cleared_transcript_says_nothing_of_it() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("quick", "is_subagent = true", "<<say the answer>>");
    let caller = cast.idle("default").await;
    let told = delegation(&cast, &caller.id, "summon", json!({ "agent": "quick", "task": "look" })).await;
    assert_eq!(told["delegation"]["state"], "finished");
    cast.0.client.clear(&caller.id).await.unwrap();
    let items = cast.0.items(&caller.id).await;
    let kept = items.iter().filter_map(|item| match &item.body {
        ItemBody::ToolResult(fields) => fields.delegation.as_ref(),
        _ => None,
    });
    assert_eq!(kept.count(), 0);
}
