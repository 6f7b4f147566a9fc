//! What people do while an answer is checked or corrected: each has an outcome.

use paseo_client::Events;
use paseo_wire::change::SessionChange;
use paseo_wire::item::ItemBody;
use paseo_wire::message::{DeliveryView, Receipt, SendMessage, Verb};
use paseo_wire::session::CreateSession;
use paseo_wire::stream::Frame;
use paseo_wire::words::AbandonReason;
use serde_json::{Value, json};

use crate::screens::assert_told;
use crate::structured::script;
use crate::watch::{Watched, next, until};
use crate::workers::until_seen;

/// A schema that only a number satisfies.
pub(crate) fn number() -> Option<Value> {
    Some(json!({"type": "integer"}))
}

/// Starts an agent that does this in its turns, and whose first answer has to be a number.
pub(crate) async fn begin(watched: &Watched, turns: &[&str]) -> (String, Receipt) {
    let wanted = CreateSession {
        directory: watched.home.work().display().to_string(),
        prompt: Some("count".to_owned()),
        model: Some(script(&watched.home, turns)),
        output_schema: number(),
        ..CreateSession::default()
    };
    let created = watched.client.create_session(&wanted, None).await.unwrap();
    (created.session.id.into(), created.receipt.unwrap())
}

/// Waits until a message is settled.
pub(crate) async fn settled(watched: &Watched, session: &str, delivery: &str) -> DeliveryView {
    let read = async || watched.client.delivery(session, delivery).await;
    let is_settled = |view: &Result<DeliveryView, _>| {
        view.as_ref().is_ok_and(|view| {
            ["answered", "failed", "interrupted", "cancelled"].contains(&view.stage.as_str())
        })
    };
    until_seen("the end of the message", read, is_settled).await.unwrap()
}

/// Waits until Paseo asks for a correction, and returns the session that it asks.
pub(crate) async fn asked_to_correct(watched: &Watched) -> String {
    let mut events = watched.client.events(0, &["sessions".to_owned()]);
    let mut session = String::new();
    until(&mut events, |frame| match frame {
        Frame::Event(event)
            if matches!(&event.change, SessionChange::MessageAccepted { corrects: Some(_), .. }) =>
        {
            session = event.session.to_string();
            true
        }
        _ => false,
    })
    .await;
    session
}

/// Waits until the agent has this correction.
pub(crate) async fn corrected(events: &mut Events, number: usize) {
    let mut handed = 0;
    until(events, |frame| {
        handed += usize::from(
            matches!(frame, Frame::Item(frame) if matches!(&frame.item.body, ItemBody::UserText(said) if said.origin == "daemon")),
        );
        handed == number
    })
    .await;
}

fn state(view: &DeliveryView) -> (&str, Option<&str>, u8) {
    let check = view.check.as_ref().expect("it was checked");
    (check.state.as_str(), check.reason.as_ref().map(AbandonReason::as_str), check.corrections)
}

#[tokio::test]
async fn a_message_waits_for_the_correction_and_is_answered_by_itself() {
    let watched = Watched::new();
    let gate = watched.home.work().join("gate");
    rustix::fs::mkfifoat(rustix::fs::CWD, &gate, rustix::fs::Mode::RWXU).unwrap();
    let (session, first) = begin(&watched, &["<<say no>>", "<<sh cat gate>><<say 7>>"]).await;
    let mut events = watched.follow(&session, first.seq);
    corrected(&mut events, 1).await;
    let view = watched.client.delivery(&session, &first.delivery).await.unwrap();
    assert_eq!((view.stage.as_str(), state(&view)), ("handed", ("correcting", None, 1)));
    assert_eq!(view.check.unwrap().violations.len(), 1);
    let second = watched.send(&session, "<<say hello>>").await;
    assert_eq!(second.placement, "queued".into());
    tokio::task::spawn_blocking(move || std::fs::write(gate, "").unwrap()).await.unwrap();
    let view = settled(&watched, &session, &first.delivery).await;
    assert_eq!((view.stage.as_str(), state(&view)), ("answered", ("valid", None, 1)));
    let other = settled(&watched, &session, &second.delivery).await;
    assert_eq!((other.stage.as_str(), other.check), ("answered", None));
    assert_ne!(view.turn, other.turn);
}

#[tokio::test]
async fn stopping_closing_and_interrupting_end_the_wait() {
    let watched = Watched::new();
    for (what, reason) in [("stop", "stopped"), ("close", "closed"), ("interrupt", "interrupted")] {
        let (session, first) = begin(&watched, &["<<say no>>", "<<hang>>", "<<say after>>"]).await;
        let mut events = watched.follow(&session, first.seq);
        corrected(&mut events, 1).await;
        match what {
            "stop" => drop(watched.client.stop(&session).await.unwrap()),
            "close" => drop(watched.client.close(&session).await.unwrap()),
            _ => {
                let message = SendMessage {
                    text: "<<say instead>>".to_owned(),
                    verb: Verb::Interrupt,
                    ..SendMessage::default()
                };
                let receipt = watched.client.send(&session, &message, None).await.unwrap();
                let view = settled(&watched, &session, &receipt.delivery).await;
                assert_eq!(view.stage, "answered".into());
            }
        }
        let view = settled(&watched, &session, &first.delivery).await;
        assert_eq!(
            (view.stage.as_str(), state(&view)),
            ("interrupted", ("abandoned", Some(reason), 1)),
            "{what}"
        );
        let said = watched.items(&session).await;
        let notices = said.iter().filter(|item| item.code() == Some("answer_abandoned"));
        assert_eq!(notices.count(), 1, "{what}: {said:#?}");
        let shown = watched.client.session(&session).await.unwrap().session;
        assert_eq!((shown.queued, shown.held), (0, 0), "{what}: no correction is left for later");
    }
}

#[tokio::test]
async fn whoever_waits_is_told_that_the_answer_was_given_up() {
    let watched = Watched::new();
    let (schema, script) =
        (crate::structured::schema(&watched.home), script(&watched.home, &["<<say no>>", "<<hang>>"]));
    let run = watched.home.spawn(&["run", "--model", &script, "--output-schema", &schema, "count"]);
    let session = asked_to_correct(&watched).await;
    watched.runs(&session).await;
    watched.client.stop(&session).await.unwrap();
    let output = tokio::task::spawn_blocking(move || paseo_testkit::home::finish(run)).await.unwrap();
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{output:?}");
    assert_told!(watched.home, output, @r"
    exit 1
    Started aaa1 (scripted)
    aaa1 received: Your last answer does not satisfy the JSON Schema of this request (correction 1 of 2): - the answer is not JSON (line 1, column 2): it must be one JSON document and nothing else  Answer again with the whole corrected document.
    error: aaa1 gave no answer that satisfies the output schema after 1 correction: a person stopped the agent
      - the answer is not JSON (line 1, column 2): it must be one JSON document and nothing else
     hint: run `paseo read aaa1` to print the last answer
    ");
}

#[tokio::test]
async fn clearing_keeps_the_schema_of_what_waits() {
    let watched = Watched::new();
    let (session, first) = begin(&watched, &["<<say 1>>", "<<say no>>"]).await;
    settled(&watched, &session, &first.delivery).await;
    // What is stopped holds what waits.
    let hanging = watched.send(&session, "<<hang>>").await;
    let mut events = watched.follow(&session, hanging.seq);
    until(
        &mut events,
        |frame| matches!(frame, Frame::Event(event) if event.change.word() == "turn_confirmed"),
    )
    .await;
    let message =
        SendMessage { text: "<<say {}>>".to_owned(), output_schema: number(), ..SendMessage::default() };
    let waiting = watched.client.send(&session, &message, None).await.unwrap();
    watched.client.stop(&session).await.unwrap();
    settled(&watched, &session, &hanging.delivery).await;
    watched.client.clear(&session).await.unwrap();
    watched.send(&session, "<<say go on>>").await;
    let view = settled(&watched, &session, &waiting.delivery).await;
    assert_eq!((view.stage.as_str(), state(&view)), ("failed", ("invalid", None, 2)), "it was checked");
    // What a check found is erased with the conversation.
    watched.client.clear(&session).await.unwrap();
    let view = watched.client.delivery(&session, &waiting.delivery).await.unwrap();
    assert_eq!(view.check.unwrap().violations, []);
}

#[tokio::test]
async fn the_stream_shows_one_check_for_each_answer() {
    let watched = Watched::new();
    let (session, first) = begin(&watched, &["<<say no>>", "<<say no>>", "<<say 7>>"]).await;
    let mut events = watched.follow(&session, first.seq);
    let mut verdicts = Vec::new();
    while verdicts.last().is_none_or(|last| last != "valid") {
        if let Frame::Event(event) = next(&mut events).await {
            if let SessionChange::AnswerChecked { verdict, .. } = &event.change {
                verdicts.push(verdict.to_string());
            }
            // Between its turns the agent is not done.
            let status = event.view.map(|view| view.status);
            let done = verdicts.last().is_some_and(|last| last == "valid");
            assert!(
                done || ["starting", "running"]
                    .contains(&status.as_ref().map_or("", |status| status.as_str())),
                "{status:?}"
            );
        }
    }
    assert_eq!(verdicts, ["correct", "correct", "valid"]);
    let spent = watched.client.cause(&first.cause).await.unwrap();
    assert_eq!(spent.wakes, 2, "each correction costs a wake");
}
