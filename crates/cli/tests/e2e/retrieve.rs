//! Waiting for an agent that was started: `retrieve`.

use serde_json::{Value, json};

use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::assert_said;

fn background(agent: &str) -> Value {
    json!({ "agent": agent, "task": "do it", "background": true })
}

#[tokio::test]
async fn what_was_retrieved_is_not_told_again() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<say the answer>>");
    // The child is done, and the news of it waits, before the parent asks.
    let parent = cast.start("default", &format!("{}{WAIT}", tool("summon", &background("flash")))).await;
    cast.until_accepted(&parent.id, 2).await;
    let child = cast.open("flash").await.remove(0);
    assert_eq!(cast.view(&parent.id).await.queued, 1);
    steer(&cast, &parent.id, &tool("retrieve", &json!({ "agent_id": child.id }))).await;
    release(&cast);
    cast.0.settled(&parent.id).await;
    let retrieved = cast.called(&parent.id).await.pop().unwrap();
    assert_eq!(retrieved.ok(), format!("agent_id: {}\n\nthe answer", child.id));
    let view = cast.view(&parent.id).await;
    assert_eq!((view.turns, view.queued), (1, 0), "no turn for what is known");
    // It can be asked for again, and by its handle.
    let again = cast.call(&parent.id, "retrieve", &json!({ "agent_id": child.handle })).await;
    assert_eq!(again.text, retrieved.text);
}

async fn steer(cast: &Cast, session: &str, text: &str) {
    let (text, verb) = (text.to_owned(), paseo_wire::message::Verb::Steer);
    let message = paseo_wire::message::SendMessage {
        text,
        verb,
        wait: false,
        attachments: Vec::new(),
        output_schema: None,
    };
    cast.0.client.send(session, &message, None).await.unwrap();
}

#[tokio::test]
async fn a_persons_words_end_the_wait_and_are_heard_once() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", &format!("{WAIT}<<say the answer>>"));
    let parent = cast.idle("default").await;
    let child = cast.call(&parent.id, "summon", &background("flash")).await.agent();
    let input = json!({ "agent_id": child });
    cast.0.send(&parent.id, &tool("retrieve", &input)).await;
    cast.until_calling(&parent.id).await;
    let sent = cast.0.send(&parent.id, "hurry up").await;
    cast.0.settled(&parent.id).await;
    let early = cast.called(&parent.id).await.pop().unwrap();
    assert_said!(cast.0.home, early.ok(), @r"
    agent_id: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1

    A person wrote to you while you waited:

    hurry up

    The agent keeps working; you will be notified when it has finished; call retrieve to wait again.
    ");
    let heard = cast.heard(&parent.id).await;
    assert_eq!(heard.iter().filter(|text| *text == "hurry up").count(), 1, "{heard:?}");
    assert_eq!(cast.view(&parent.id).await.turns, 2, "no turn of its own for it");
    let stage = cast.0.client.delivery(&parent.id, &sent.delivery).await.unwrap().stage;
    assert_eq!(stage.as_str(), "answered");

    let impatient = json!({ "agent_id": child, "timeout": 1 });
    let timeout = cast.call(&parent.id, "retrieve", &impatient).await;
    assert_said!(cast.0.home, timeout.ok(), @r"
    agent_id: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1

    The agent is still working; you will be notified when it has finished; call retrieve to wait again.
    ");
    release(&cast);
    cast.until_heard(&parent.id, "the answer").await;
}

#[tokio::test]
async fn a_persons_words_end_the_wait_of_a_summon_and_the_answer_comes_later() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", &format!("{WAIT}<<say the answer>>"));
    let parent = cast.start("default", &tool("summon", &json!({ "agent": "flash", "task": "do it" }))).await;
    cast.until_calling(&parent.id).await;
    cast.0.send(&parent.id, "hurry up").await;
    cast.0.settled(&parent.id).await;
    let early = cast.called(&parent.id).await.pop().unwrap();
    assert_said!(cast.0.home, early.ok(), @r"
    agent_id: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1
    withheld: agents_message, agents_list

    A person wrote to you while you waited:

    hurry up

    The agent keeps working; you will be notified when it has finished; call retrieve to wait again.
    ");
    release(&cast);
    cast.until_heard(&parent.id, "has finished your request").await;
}

#[tokio::test]
async fn only_ones_own_children_can_be_waited_for() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", "<<say the answer>>");
    cast.script("poor", "is_subagent = true", "<<fail no money>>");
    let (one, two) = (cast.idle("default").await, cast.idle("default").await);
    let wait = async |caller: &str, id: &str| cast.call(caller, "retrieve", &json!({ "agent_id": id })).await;
    let none = wait(&one.id, "ffffffff").await;
    assert_eq!(
        none.error(),
        "`ffffffff` is not an agent that you started\nstart one first; none of the agents you started is open"
    );
    for timeout in [json!(0), json!(3601)] {
        let refused =
            cast.call(&one.id, "retrieve", &json!({ "agent_id": "ffff", "timeout": timeout })).await;
        assert!(refused.error().contains("3600"), "{}", refused.text);
    }
    let own = cast.call(&one.id, "summon", &background("flash")).await.agent();
    let other = cast.call(&two.id, "summon", &background("flash")).await.agent();
    let handle = cast.view(&own).await.handle;
    for id in [other.as_str(), &one.id, "zzzz"] {
        let refused = wait(&one.id, id).await;
        assert_eq!(
            refused.error(),
            format!("`{id}` is not an agent that you started\nchoose one of: {handle}")
        );
    }
    let top = wait(&one.id, &two.id).await;
    assert_said!(cast.0.home, top.error());
    // A child that failed, and one that was closed.
    let poor = cast.call(&one.id, "summon", &background("poor")).await.agent();
    let failed = wait(&one.id, &poor).await;
    assert!(failed.error().contains("no money"), "{}", failed.text);
    cast.0.settled(&own).await;
    cast.0.client.close(&own).await.unwrap();
    assert!(wait(&one.id, &own).await.ok().ends_with("the answer"));
}
