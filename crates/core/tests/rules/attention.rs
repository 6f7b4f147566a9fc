//! What people want to know, how far they have looked, and what they archived.

use paseo_core::item::Decision;
use paseo_core::session::{self, Event, HeldReason, Outcome, Source, Unseen};
use proptest::prelude::*;

use crate::bed::{Bed, agent, delivery, human, text};

fn news(bed: &Bed) -> u64 {
    bed.session().attention.news
}

fn is_unread(bed: &Bed) -> bool {
    bed.session().attention.is_unread()
}

fn is_archived(bed: &Bed) -> bool {
    bed.session().attention.is_archived()
}

/// An agent that has answered a person.
fn answered() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.complete();
    bed
}

fn ask(bed: &mut Bed, hash: &str) {
    bed.draft.push(Event::Asked {
        hash: hash.into(),
        text: text(),
        tool: None,
        shape: None,
        question: false,
        destructive: false,
    });
}

#[test]
fn a_turn_that_ends_is_unread_until_people_look() {
    let mut bed = Bed::new();
    assert!(!is_unread(&bed));
    bed.send(human(1));
    assert!(!is_unread(&bed), "a turn that begins is no news");
    bed.complete();
    assert!(is_unread(&bed));
    assert_eq!(session::look(&mut bed.draft, None), Ok(true));
    assert!(!is_unread(&bed));
    assert_eq!(session::look(&mut bed.draft, None), Ok(false), "a second look changes nothing");
    bed.assert_replays();
}

#[test]
fn failures_restarts_and_requests_are_news_and_what_people_do_is_none() {
    for (outcome, source, expected) in [
        (Outcome::Failed, Source::Protocol, 1),
        (Outcome::Failed, Source::ProcessExit, 1),
        (Outcome::Interrupted, Source::Restart, 1),
        (Outcome::Interrupted, Source::Person, 0),
    ] {
        let mut bed = Bed::new();
        bed.send(human(1));
        bed.hand();
        bed.end(outcome, source);
        assert_eq!(news(&bed), expected, "{outcome:?} {source:?}");
    }
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    ask(&mut bed, "a");
    ask(&mut bed, "b");
    assert_eq!(news(&bed), 2);
}

#[test]
fn messages_that_are_held_are_news_unless_a_person_held_them() {
    for (reason, expected) in [
        (HeldReason::Budget, 1),
        (HeldReason::Attempts, 1),
        (HeldReason::Stopped, 0),
        (HeldReason::Paused, 0),
        (HeldReason::CauseStopped, 0),
    ] {
        let mut bed = Bed::new();
        bed.accept(agent(1, 50)).unwrap();
        bed.draft.push(Event::DeliveriesHeld { deliveries: vec![delivery(1)], reason });
        assert_eq!(news(&bed), expected, "{reason:?}");
    }
}

#[test]
fn who_writes_or_decides_has_looked() {
    let mut bed = answered();
    bed.send(agent(2, 50));
    assert!(is_unread(&bed), "an agent that writes is no person who looks");
    bed.complete();
    bed.send(human(3));
    assert!(!is_unread(&bed));
    bed.hand();
    for (decision, unread) in [(Decision::Withdrawn, true), (Decision::Deny, false), (Decision::Allow, false)]
    {
        ask(&mut bed, "a");
        assert!(is_unread(&bed));
        bed.draft.push(Event::Decided { hash: "a".into(), decision });
        assert_eq!(is_unread(&bed), unread, "{decision:?}");
    }
    bed.assert_replays();
}

#[test]
fn a_look_counts_for_what_was_seen_and_no_more() {
    let mut bed = answered();
    let seen = news(&bed);
    bed.send(agent(2, 50));
    bed.complete();
    assert_eq!(session::look(&mut bed.draft, Some(seen)), Ok(true));
    assert!(is_unread(&bed), "what happened meanwhile was not seen");
    assert_eq!(session::look(&mut bed.draft, Some(seen + 1)), Ok(true));
    assert_eq!(session::look(&mut bed.draft, Some(seen)), Ok(false), "one that comes late changes nothing");
    assert!(!is_unread(&bed));
    let refused = Unseen { given: seen + 2, known: seen + 1 };
    assert_eq!(session::look(&mut bed.draft, Some(seen + 2)), Err(refused));
    assert_eq!(session::archive(&mut bed.draft, Some(seen + 2)), Err(refused));
}

#[test]
fn what_is_archived_comes_back_with_something_new() {
    let mut bed = answered();
    let seen = news(&bed);
    assert_eq!(session::archive(&mut bed.draft, Some(seen)), Ok(true));
    assert!(is_archived(&bed) && !is_unread(&bed));
    assert!(bed.session().is_open(), "it closes nothing");
    assert_eq!(session::archive(&mut bed.draft, Some(seen)), Ok(false));
    bed.send(agent(2, 50));
    assert!(!is_archived(&bed), "it works again");
    bed.complete();
    assert_eq!(session::archive(&mut bed.draft, Some(seen)), Ok(false), "that was before");
    assert!(!is_archived(&bed) && is_unread(&bed));
    bed.assert_replays();
}

#[test]
fn one_that_never_did_anything_can_be_archived() {
    let mut bed = Bed::new();
    assert!(!is_archived(&bed));
    assert_eq!(session::archive(&mut bed.draft, None), Ok(true));
    assert!(is_archived(&bed));
    bed.send(human(1));
    assert!(!is_archived(&bed));
}

#[test]
fn looking_does_not_move_a_session_up_in_lists() {
    let bed = answered();
    let before = bed.session().updated_at;
    let later = paseo_core::time::Timestamp::from_millis(before.as_millis() + 1);
    let mut session = bed.session().clone();
    session.apply(&Event::Looked { news: 1 }, later);
    session.apply(&Event::Archived { news: 1 }, later);
    assert_eq!(session.updated_at, before);
    assert!(session.attention.is_archived());
}

proptest! {
    /// Whatever comes in whatever order: numbers only grow, and no person has looked at what did not happen.
    #[test]
    fn looks_are_monotonic(steps in prop::collection::vec((0..5u8, 0..6u64), 0..40)) {
        let mut bed = Bed::new();
        let mut number = 0;
        for (what, upto) in steps {
            let before = bed.session().attention;
            match what {
                0 if bed.session().turn.is_none() && number < 200 => {
                    number += 1;
                    bed.send(agent(number, 50));
                }
                1 if bed.session().turn.is_some() => drop(bed.complete()),
                2 => drop(session::look(&mut bed.draft, Some(upto))),
                3 => drop(session::archive(&mut bed.draft, Some(upto))),
                // From a log that another version wrote.
                _ => bed.draft.push(Event::Looked { news: upto }),
            }
            let after = bed.session().attention;
            prop_assert!(after.news >= before.news && after.looked >= before.looked);
            prop_assert!(after.looked <= after.news);
        }
        bed.assert_replays();
    }
}

#[test]
fn sessions_without_news_store_nothing_about_them() {
    let bed = Bed::new();
    assert!(!serde_json::to_string(bed.session()).unwrap().contains("attention"));
}
