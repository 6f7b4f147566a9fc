//! Agents that talk to each other, as the tools tell them.

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;
use paseo_core::session::{Class, Verb};
use paseo_core::settings::{Event, Key};
use paseo_core::tool::REGISTRY;
use serde_json::{Value, json};

use super::{Way, answered, call, catalogue};
use crate::http::tests::House;
use crate::sessions::{Command, Message};

async fn agent(house: &House) -> SessionId {
    house.session().await.session.id.parse().unwrap()
}

async fn switch_on(house: &House, key: Key) {
    let context = &house.app.sessions.context;
    let event = Event::Changed { key, value: true };
    context.settings.change(&context.journal, &Actor::Human("cli".into()), event).await.unwrap();
}

async fn ask(house: &House, caller: SessionId, name: &str, input: Value) -> (ToolOutcome, String) {
    call(&house.app.sessions, caller, Way::Harness, name, input).await
}

#[tokio::test]
async fn sending_and_reading_are_granted_each_on_its_own() {
    let house = House::new().await;
    let (caller, other) = (agent(&house).await, agent(&house).await);
    let send = json!({ "tab_id": other.to_string(), "message": "hi" });
    let read = json!({ "tab_id": other.to_string() });
    for (name, input) in [("send_to_tab", &send), ("read_tab", &read)] {
        assert_eq!(ask(&house, caller, name, input.clone()).await.0, ToolOutcome::Denied, "{name}");
    }
    switch_on(&house, Key::PermReadTab).await;
    assert_eq!(ask(&house, caller, "send_to_tab", send).await.0, ToolOutcome::Denied);
    let (outcome, text) = ask(&house, caller, "read_tab", read).await;
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
        (json!({ "tab_id": other.to_string() }), "`message` is missing".to_owned()),
        (
            json!({ "tab_id": other.to_string(), "message": " \n" }),
            "`message` is missing or empty".to_owned(),
        ),
        (json!({ "tab_id": "%%%%", "message": "hi" }), format!("- {handle} (idle")),
        (json!({ "tab_id": "____", "message": "hi" }), format!("- {handle} (idle")),
        (json!({ "tab_id": &handle[..3], "message": "hi" }), format!("- {handle} (idle")),
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

#[tokio::test]
async fn a_handle_that_could_be_two_is_told_with_both_and_one_more_character_helps() {
    let house = House::new().await;
    switch_on(&house, Key::PermReadTab).await;
    let caller = agent(&house).await;
    let alike = |last: u8| {
        let mut bytes = [0xab; 16];
        bytes[2] = last;
        SessionId::from_random(bytes)
    };
    let (one, two) = (alike(0x10), alike(0x20));
    for id in [one, two] {
        house.with_id(id).await;
    }
    let (outcome, text) = ask(&house, caller, "read_tab", json!({ "tab_id": "abab" })).await;
    assert_eq!(outcome, ToolOutcome::Error);
    for words in ["is ambiguous: 2 agents match", "- abab1 (idle", "- abab2 (idle", "type one more character"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    for typed in ["abab1", "ABAB1", &one.to_string()] {
        let (outcome, text) = ask(&house, caller, "read_tab", json!({ "tab_id": typed })).await;
        assert_eq!(outcome, ToolOutcome::Ok, "{typed}: {text}");
    }
    // Once the other is closed there is nothing left to confuse it with.
    house.app.sessions.close(two, &Actor::Human("cli".into())).await.unwrap();
    let (outcome, text) = ask(&house, caller, "read_tab", json!({ "tab_id": "abab" })).await;
    assert_eq!(outcome, ToolOutcome::Ok, "{text}");
    assert!(text.contains("tab=abab "), "{text}");
}

#[tokio::test]
async fn nothing_that_is_not_granted_is_ever_named() {
    let house = House::new().await;
    let context = &house.app.sessions.context;
    let caller = agent(&house).await;
    let keys = [Key::PermReadTab, Key::PermUserAgent, Key::PermSendToTab, Key::PermSummon];
    for key in keys {
        let session = context.directory.get(caller).unwrap();
        let grants = context.grants(&session);
        for tool in catalogue::describe(context, &session, &grants) {
            let told = format!("{} {}", tool.description, tool.schema);
            for other in REGISTRY.iter().filter(|spec| !grants.has(spec.name) && spec.name != "todo") {
                assert!(!told.contains(other.name), "{} names {}: {told}", tool.name, other.name);
            }
        }
        switch_on(&house, key).await;
    }
}

#[tokio::test]
async fn what_could_be_somebody_elses_is_not_told() {
    let house = House::new().await;
    for key in [Key::PermSummon, Key::PermReadTab] {
        switch_on(&house, key).await;
    }
    let alike = |last: u8| {
        let mut bytes = [0xab; 16];
        bytes[2] = last;
        SessionId::from_random(bytes)
    };
    let (caller, others) = (alike(0x10), [alike(0x20), alike(0x30)]);
    for id in [caller, others[0], others[1]] {
        house.with_id(id).await;
    }
    let (outcome, text) = ask(&house, caller, "retrieve", json!({ "agent_id": "abab" })).await;
    assert_eq!(outcome, ToolOutcome::Error);
    assert_eq!(
        text,
        "`abab` is not an agent that you started\nstart one first; none of the agents you started is open"
    );
    // Nobody means itself.
    let (_, text) = ask(&house, caller, "read_tab", json!({ "tab_id": "abab" })).await;
    assert!(text.contains("is ambiguous: 2 agents match") && !text.contains("abab1"), "{text}");
    house.app.sessions.close(others[1], &Actor::Human("cli".into())).await.unwrap();
    let (outcome, text) = ask(&house, caller, "read_tab", json!({ "tab_id": "abab" })).await;
    assert_eq!(outcome, ToolOutcome::Ok, "{text}");
}

#[tokio::test]
async fn whoever_is_closed_meanwhile_starts_no_user_agent() {
    let house = House::new().await;
    switch_on(&house, Key::PermUserAgent).await;
    let (sessions, caller, person) =
        (&house.app.sessions, agent(&house).await, Actor::Human("cli".to_owned()));
    let request = Message {
        attachments: Vec::new(),
        origin: person.clone(),
        text: "begin".to_owned(),
        verb: Verb::Queue,
        class: Class::Message,
        waited: false,
        aside: false,
        schema: None,
        notify: None,
        cause: None,
        key: None,
    };
    sessions.ask(caller, |reply| Command::Deliver(request, reply)).await.unwrap();
    // The close is on its way when the call comes in.
    let family = sessions.context.families.lock().await;
    let mut closing = std::pin::pin!(sessions.close(caller, &person));
    let queued = async {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        closed = &mut closing => panic!("nobody let it go on: {closed:?}"),
        () = queued => {}
    }
    let summon = json!({ "agent": "default", "task": "write", "top_level": true });
    let ((outcome, text), closed, ()) =
        tokio::join!(ask(&house, caller, "summon", summon), closing, async { drop(family) });
    closed.unwrap();
    assert_eq!((outcome, text.as_str()), (ToolOutcome::Error, "this agent was just closed"));
    assert!(sessions.context.directory.all().is_empty(), "nothing was started");
}

#[tokio::test]
async fn a_tool_that_panics_still_answers() {
    let broken = async { ("no number".parse::<u32>().map(|_| ToolOutcome::Ok).unwrap(), String::new()) };
    let (outcome, text) = answered("team_tasks_list", broken).await;
    assert_eq!(outcome, ToolOutcome::Error);
    assert!(text.contains("`team_tasks_list` failed because of a bug in Paseo"), "{text}");
}
