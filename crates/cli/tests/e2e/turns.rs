//! The turns of an agent, and the outcome of each message, however long ago.

use paseo_wire::item::{ItemBody, TurnQuery, TurnView};
use paseo_wire::message::{SendMessage, Verb};
use paseo_wire::stream::Frame;
use paseo_wire::words::{Stage, TurnOutcome};

use crate::watch::{Watched, next};

/// More messages than the state of an agent remembers.
const MANY: usize = 40;

/// Returns the outcome of each turn and its first message.
fn told(turns: &[TurnView]) -> Vec<(Option<TurnOutcome>, &str)> {
    turns.iter().map(|turn| (turn.outcome.clone(), turn.text.as_deref().unwrap())).collect()
}

/// Makes an agent whose first turns failed, was stopped and was steered; many others follow.
async fn long(watched: &Watched) -> String {
    let session = watched.create("<<say words>><<fail no luck>>").await.session.id.to_string();
    assert_eq!(watched.settled(&session).await, "error");
    let gate = "<<sh until [ -e go ]; do sleep 0.02; done>>";
    watched.send(&session, &format!("<<say more words>>{gate}")).await;
    watched.runs(&session).await;
    watched.home.paseo(&["stop", &session]).ok();
    watched.settled(&session).await;
    watched.send(&session, gate).await;
    watched.runs(&session).await;
    let steered =
        SendMessage { text: "<<say steered>>".to_owned(), verb: Verb::Steer, ..SendMessage::default() };
    watched.client.send(&session, &steered, None).await.unwrap();
    std::fs::write(watched.home.work().join("go"), "").unwrap();
    watched.settled(&session).await;
    for number in 4..=MANY {
        watched.send(&session, &format!("<<say {number}>>")).await;
        watched.settled(&session).await;
    }
    session
}

#[tokio::test]
async fn turns_are_listed_in_pages_both_ways() {
    let watched = Watched::new();
    let session = long(&watched).await;
    let read = async |before, after, limit| {
        let query = TurnQuery { before, after, limit: Some(limit) };
        watched.client.turns(&session, &query).await.unwrap()
    };

    let first = read(None, Some(0), 3).await;
    assert_eq!(
        told(&first.turns),
        [
            (Some(TurnOutcome::Failed), "<<say words>><<fail no luck>>"),
            (Some(TurnOutcome::Interrupted), "<<say more words>><<sh until [ -e go ]; do sleep 0.02; done>>"),
            (Some(TurnOutcome::Completed), "<<sh until [ -e go ]; do sleep 0.02; done>>"),
        ]
    );
    assert_eq!((first.earlier, first.turns[0].ordinal), (None, 1));

    // Each turn once, and each page with its neighbours, in both directions.
    let (mut forth, mut after) = (first.turns.clone(), first.next);
    while let Some(point) = after {
        let page = read(None, Some(point), 7).await;
        forth.extend(page.turns);
        after = page.next;
    }
    let (mut back, mut before) = (Vec::new(), None);
    loop {
        let page = read(before, None, 7).await;
        back.splice(0..0, page.turns);
        match page.earlier {
            Some(point) => before = Some(point),
            None => break,
        }
    }
    assert_eq!(forth.len(), MANY);
    assert_eq!(forth, back);
    // A message in the middle of a turn begins none.
    let inside = read(None, Some(first.turns[2].ordinal + 1), 1).await;
    assert_eq!(told(&inside.turns), [(Some(TurnOutcome::Completed), "<<say 4>>")]);
    let both = TurnQuery { before: Some(9), after: Some(1), limit: None };
    assert!(watched.client.turns(&session, &both).await.is_err());
}

#[tokio::test]
async fn a_running_turn_has_no_outcome_yet() {
    let watched = Watched::new();
    let created = watched.create("<<sh until [ -e go ]; do sleep 0.02; done>>").await;
    let session = created.session.id.to_string();
    watched.runs(&session).await;
    let page = watched.client.turns(&session, &TurnQuery::default()).await.unwrap();
    assert_eq!(page.turns.iter().map(|turn| turn.outcome.clone()).collect::<Vec<_>>(), [None]);
    std::fs::write(watched.home.work().join("go"), "").unwrap();
    watched.settled(&session).await;
    let page = watched.client.turns(&session, &TurnQuery::default()).await.unwrap();
    assert_eq!(page.turns[0].outcome, Some(TurnOutcome::Completed));
}

#[tokio::test]
async fn a_message_in_a_transcript_says_what_became_of_it() {
    let watched = Watched::new();
    let session = long(&watched).await;
    let mut stages = Vec::new();
    for item in watched.items(&session).await {
        if let ItemBody::UserText(said) = item.body {
            let delivery = watched.client.delivery(&session, &said.delivery).await.unwrap();
            assert_eq!(said.stage.as_ref(), Some(&delivery.stage), "as its receipt says");
            stages.push(delivery.stage);
        }
    }
    assert_eq!(stages.len(), MANY + 1);
    assert_eq!(stages[..4], [Stage::Failed, Stage::Interrupted, Stage::Answered, Stage::Answered]);
    assert!(stages[4..].iter().all(|stage| *stage == Stage::Answered));
}

#[tokio::test]
async fn what_needs_a_person_is_told_of_agents_that_no_list_shows() {
    let watched = Watched::new();
    let seq = watched.client.status().await.unwrap().seq;
    let mut events = watched.client.events(seq, &["inbox"]);
    let created = watched.create("<<say words>><<fail no luck>>").await;
    let mut told = Vec::new();
    loop {
        let Frame::Event(event) = next(&mut events).await else { continue };
        assert_eq!(event.session, created.session.id);
        told.push(event.change.word());
        if event.view.is_some_and(|view| view.status.as_str() == "error") {
            break;
        }
    }
    assert_eq!(told, ["created", "message_accepted", "turn_started", "turn_ended"], "and of nothing else");
}
