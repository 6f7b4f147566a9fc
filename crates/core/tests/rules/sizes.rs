//! Control events stay small, whatever is in them.

use paseo_core::actor::Actor;
use paseo_core::codec;
use paseo_core::glob::Glob;
use paseo_core::id::{DeliveryId, ThreadId};
use paseo_core::label::{Label, Labels};
use paseo_core::limits::{
    ATTRIBUTE_BYTES, ATTRIBUTES, HELD_DELIVERIES, LABEL_BYTES, LABELS, NAME_CHARS, PATH_BYTES, QUEUE_LENGTH,
    SLUG_CHARS, TURN_DELIVERIES,
};
use paseo_core::permission::Mode;
use paseo_core::session::{self, BadAttributes, Created, Event, SeatOf, TeamSeat, Worktree};
use paseo_core::tool::{Ceiling, REGISTRY};
use serde_json::Value;
use uuid::Uuid;

use crate::bed::{Bed, agent, cause, human, now};

const EVENT_BYTES: usize = 16 * 1024;

#[test]
fn the_largest_turn_fits() {
    let mut bed = Bed::new();
    bed.send(human(100));
    fill(&mut bed);
    assert!(bed.complete());
    assert_eq!(bed.session().turn.as_ref().unwrap().deliveries.len(), TURN_DELIVERIES);
    assert_small(&bed.draft.events);
}

#[test]
fn holding_a_full_queue_fits() {
    let mut bed = Bed::new();
    bed.send(human(100));
    fill(&mut bed);
    session::hold_for_stop(&mut bed.draft);
    assert!(bed.session().queue.iter().all(|pending| pending.held.is_some()));
    let chunks = bed.draft.events.iter().filter(|event| matches!(event, Event::DeliveriesHeld { .. }));
    assert_eq!(chunks.count(), QUEUE_LENGTH.div_ceil(HELD_DELIVERIES));
    assert_small(&bed.draft.events);
    bed.assert_replays();
}

#[test]
fn a_budget_hold_on_a_full_turn_fits() {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.exhaust(50);
    fill(&mut bed);
    assert!(!bed.complete());
    assert!(bed.session().queue.iter().all(|pending| pending.held.is_some()));
    assert_small(&bed.draft.events);
}

#[test]
fn the_largest_labels_fit() {
    let mut bed = Bed::new();
    session::label(&mut bed.draft, largest_labels('a'), vec![]).unwrap();
    let unset = bed.session().labels.iter().map(|(key, _)| key.to_owned());
    let unset: Vec<String> = unset.chain((0..10_000).map(|number| format!("absent{number}"))).collect();
    session::label(&mut bed.draft, largest_labels('b'), unset).unwrap();
    assert_eq!(bed.draft.events.len(), 2);
    assert_small(&bed.draft.events);
}

#[test]
fn the_largest_session_fits() {
    let created = Created {
        session: Bed::new().session().id,
        by: Actor::Session(Bed::new().session().id),
        provider: "p".repeat(64),
        model: Some("m".repeat(128)),
        effort: Some("e".repeat(32)),
        permissions: Mode::ReadOnly,
        parent: Some(Bed::new().session().id),
        definition: Some("d".repeat(SLUG_CHARS)),
        of_project: true,
        tools: Some(REGISTRY.iter().map(|spec| Glob::new(spec.name)).collect()),
        ceiling: Some(Ceiling {
            tools: Some(REGISTRY.iter().map(|spec| spec.name.to_owned()).collect()),
            mode: Mode::ReadOnly,
        }),
        project: "/".repeat(PATH_BYTES),
        directory: "/".repeat(PATH_BYTES),
        worktree: Some(Worktree {
            repository: "/".repeat(PATH_BYTES),
            path: "/".repeat(PATH_BYTES),
            branch: "b".repeat(250),
            base: "0".repeat(64),
        }),
        labels: Labels::from_flags(largest_labels('a'), false).unwrap(),
        name: Some("\u{1f600}".repeat(NAME_CHARS)),
        seat: Some(SeatOf { thread: ThreadId::from_parts(now(), [0; 10]), seat: "s".repeat(64) }),
        team: Some(TeamSeat { team: "t".repeat(64).parse().unwrap(), agent: "a".repeat(64), leads: true }),
        guarded: true,
        terminal: Some("w".repeat(64)),
        reports_to: Some(ThreadId::from_parts(now(), [0; 10])),
    };
    assert_small(&[Event::Created(Box::new(created))]);
}

#[test]
fn the_largest_attributes_fit() {
    let mut bed = Bed::new();
    let longest = |n: usize| (format!("{n:02}"), Value::from("a".repeat(ATTRIBUTE_BYTES - 4)));
    session::attribute(&mut bed.draft, (0..ATTRIBUTES).map(longest).collect()).unwrap();
    assert_small(&bed.draft.events);
    let one_more = std::iter::once(("more".to_owned(), Value::from(1))).collect();
    assert!(matches!(session::attribute(&mut bed.draft, one_more), Err(BadAttributes::Many(_))));
    let swap = [("00".to_owned(), Value::Null), ("more".to_owned(), Value::from(1))];
    session::attribute(&mut bed.draft, swap.into_iter().collect()).unwrap();
    assert_eq!(bed.session().attributes.len(), ATTRIBUTES);
}

#[test]
fn what_is_left_of_the_longest_branch_fits() {
    assert_small(&[Event::Uprooted { kept: Some("r".repeat(300)) }]);
}

#[test]
fn a_quote_counts_twice() {
    let half = LABEL_BYTES / 2;
    assert!(format!("k={}", "\"".repeat(half)).parse::<Label>().is_ok());
    assert!(format!("k={}", "\"".repeat(half + 1)).parse::<Label>().is_err());
}

fn fill(bed: &mut Bed) {
    for number in 0..QUEUE_LENGTH {
        let mut message = agent(0, 50);
        message.delivery = DeliveryId::from_uuid(Uuid::from_u128(number as u128));
        message.cause = cause(50);
        bed.accept(message).unwrap();
    }
}

fn largest_labels(first: char) -> Vec<Label> {
    let value = "\\".repeat(LABEL_BYTES / 2);
    (0..LABELS)
        .map(|number| {
            let key = format!("{first}{number:03}{}", "\"".repeat(LABEL_BYTES / 2 - 2));
            format!("{key}={value}").parse().unwrap()
        })
        .collect()
}

fn assert_small(events: &[Event]) {
    for event in events {
        let encoded = codec::encode(event);
        assert!(encoded.data.len() <= EVENT_BYTES, "{}: {} bytes", encoded.kind, encoded.data.len());
    }
}
