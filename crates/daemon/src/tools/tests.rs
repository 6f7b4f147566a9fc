//! Agents that talk to each other, as the tools tell them.

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;
use paseo_core::settings::{Event, Key};
use serde_json::{Value, json};

use super::call;
use crate::http::tests::House;

async fn agent(house: &House) -> SessionId {
    house.session().await.session.id.parse().unwrap()
}

async fn switch_on(house: &House, key: Key) {
    let context = &house.app.sessions.context;
    let event = Event::Changed { key, value: true };
    context.settings.change(&context.journal, &Actor::Human("cli".into()), event).await.unwrap();
}

async fn ask(house: &House, caller: SessionId, name: &str, input: Value) -> (ToolOutcome, String) {
    call(&house.app.sessions, caller, name, input).await
}

#[tokio::test]
async fn sending_and_reading_are_granted_each_on_its_own() {
    let house = House::new().await;
    let (caller, other) = (agent(&house).await, agent(&house).await);
    for name in ["send_to_tab", "read_tab"] {
        let input = json!({ "tab_id": other.to_string(), "message": "hi" });
        assert_eq!(ask(&house, caller, name, input).await.0, ToolOutcome::Denied, "{name}");
    }
    switch_on(&house, Key::PermReadTab).await;
    let input = json!({ "tab_id": other.to_string(), "message": "hi" });
    assert_eq!(ask(&house, caller, "send_to_tab", input.clone()).await.0, ToolOutcome::Denied);
    let (outcome, text) = ask(&house, caller, "read_tab", input).await;
    assert_eq!(outcome, ToolOutcome::Ok);
    assert!(text.contains("Tab has no assistant responses yet."), "{text}");
}

#[tokio::test]
async fn what_cannot_be_meant_is_told_with_what_there_is() {
    let house = House::new().await;
    switch_on(&house, Key::PermSendToTab).await;
    let (caller, other) = (agent(&house).await, agent(&house).await);
    let handle = house.app.sessions.context.directory.handle(other);
    let attempts = [
        (json!({ "tab_id": "", "message": "hi" }), "`tab_id` is missing or empty".to_owned()),
        (json!({ "tab_id": other.to_string() }), "`message` is missing or empty".to_owned()),
        (json!({ "tab_id": "%%%%", "message": "hi" }), format!("- {handle} (idle")),
        (json!({ "tab_id": caller.to_string(), "message": "hi" }), "to itself".to_owned()),
    ];
    for (input, words) in attempts {
        let (outcome, text) = ask(&house, caller, "send_to_tab", input.clone()).await;
        assert_eq!(outcome, ToolOutcome::Error, "{input}");
        assert!(text.contains(&words), "{input}: {text}");
    }
    let untouched = house.app.sessions.context.directory.get(other).unwrap();
    assert!(untouched.queue.is_empty() && untouched.turn.is_none());
}
