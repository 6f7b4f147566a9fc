//! What stands in the inbox, and in which order.

use paseo_core::inbox::{self, Need, Place, Section, What};
use paseo_core::session::{self, Ending, Event, HeldReason, Outcome, Session, Source};
use paseo_core::time::Timestamp;
use proptest::prelude::*;

use crate::bed::{Bed, agent, delivery, human, now, text};

fn running() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    bed
}

fn ask(bed: &mut Bed, hash: &str, question: bool) {
    let (hash, text) = (hash.into(), text());
    bed.draft.push(Event::Asked { hash, text, tool: None, shape: None, question, destructive: false });
}

fn found(session: &Session) -> Vec<(Section, Option<Need>)> {
    let entries = inbox::entries(session);
    assert!(entries.is_sorted_by_key(|entry| entry.place.clone()));
    let need = |what: &What<'_>| match what {
        What::Request(need, _) | What::Trouble(need) => Some(*need),
        What::Finished | What::Working => None,
    };
    entries.iter().map(|entry| (entry.place.section(), need(&entry.what))).collect()
}

const WORKING: (Section, Option<Need>) = (Section::Working, None);
const FINISHED: (Section, Option<Need>) = (Section::Finished, None);

fn needs(need: Need) -> (Section, Option<Need>) {
    (Section::NeedsYou, Some(need))
}

#[test]
fn an_agent_works_then_has_finished_until_people_look() {
    let mut bed = Bed::new();
    assert_eq!(found(bed.session()), []);
    bed.send(human(1));
    assert_eq!(found(bed.session()), [WORKING]);
    bed.complete();
    assert_eq!(found(bed.session()), [FINISHED]);
    session::look(&mut bed.draft, None).unwrap();
    assert_eq!(found(bed.session()), []);
}

#[test]
fn each_request_is_an_entry_and_one_that_waits_does_not_work() {
    let mut bed = running();
    ask(&mut bed, "a", false);
    ask(&mut bed, "b", true);
    assert_eq!(found(bed.session()), [needs(Need::Permission), needs(Need::Question)]);
    let mut worker = bed.session().clone();
    worker.profile.terminal = Some("paseo-red-1".into());
    assert_eq!(found(&worker), [needs(Need::Terminal), needs(Need::Terminal)]);
}

#[test]
fn failures_and_limits_need_a_person_and_do_not_count_as_finished() {
    for (outcome, source) in [(Outcome::Failed, Source::Protocol), (Outcome::Interrupted, Source::Restart)] {
        let mut bed = running();
        bed.end(outcome, source);
        assert_eq!(found(bed.session()), [needs(Need::Failure)], "{outcome:?}");
        // A look does not mend it.
        session::look(&mut bed.draft, None).unwrap();
        assert_eq!(found(bed.session()), [needs(Need::Failure)], "{outcome:?}");
    }
    let mut bed = running();
    let until = Some(Timestamp::from_millis(now().as_millis() + 60_000));
    session::end(&mut bed.draft, Ending { until, ..Ending::of(Outcome::Failed, Source::Protocol) });
    assert_eq!(found(bed.session()), [needs(Need::RateLimit)]);
    bed.draft.push(Event::Unparked {});
    assert_eq!(found(bed.session()), [needs(Need::Failure)]);
}

#[test]
fn what_a_person_stopped_is_not_asked_about() {
    let mut bed = running();
    session::hold_for_stop(&mut bed.draft);
    bed.end(Outcome::Interrupted, Source::Person);
    assert_eq!(found(bed.session()), []);
}

#[test]
fn messages_that_are_held_need_a_person_also_while_the_agent_works() {
    let mut bed = running();
    bed.accept(agent(2, 50)).unwrap();
    let reason = HeldReason::Budget;
    bed.draft.push(Event::DeliveriesHeld { deliveries: vec![delivery(2)], reason });
    assert_eq!(found(bed.session()), [needs(Need::Hold), WORKING]);
}

#[test]
fn archiving_hides_everything_but_open_requests_until_something_new_happens() {
    let mut bed = running();
    bed.end(Outcome::Failed, Source::Protocol);
    session::archive(&mut bed.draft, None).unwrap();
    assert_eq!(found(bed.session()), []);
    bed.send(human(2));
    assert_eq!(found(bed.session()), [WORKING]);
    bed.hand();
    session::archive(&mut bed.draft, None).unwrap();
    assert_eq!(found(bed.session()), []);
    ask(&mut bed, "a", false);
    assert_eq!(found(bed.session()), [needs(Need::Permission)]);
    session::archive(&mut bed.draft, None).unwrap();
    assert_eq!(found(bed.session()), [needs(Need::Permission)], "it waits for an answer");
}

#[test]
fn closed_agents_are_in_no_section() {
    let mut bed = running();
    bed.complete();
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(found(bed.session()), []);
}

#[test]
fn needs_come_oldest_first_and_what_finished_newest_first() {
    let at = |millis: i64, outcome: Outcome| {
        let mut session = running().session().clone();
        let turn = session.turn.as_ref().unwrap().id;
        let source = Source::Protocol;
        let ended = Event::TurnEnded { turn, outcome, source, code: None, until: None };
        session.apply(&ended, Timestamp::from_millis(millis));
        session
    };
    let sessions = [
        at(1, Outcome::Completed),
        at(2, Outcome::Completed),
        at(3, Outcome::Failed),
        at(4, Outcome::Failed),
    ];
    let mut entries: Vec<_> = sessions.iter().flat_map(inbox::entries).collect();
    entries.sort_by(|one, other| one.place.cmp(&other.place));
    let order: Vec<i64> = entries.iter().map(|entry| entry.since.as_millis()).collect();
    assert_eq!(order, [3, 4, 2, 1]);
    for entry in entries {
        assert_eq!(entry.place.to_string().parse(), Ok(entry.place));
    }
}

#[test]
fn other_texts_are_no_places() {
    let id = Bed::new().session().id;
    for text in ["", "needs_you", "needs_you:1", "needs_you:x:y:z", &format!("elsewhere:1:{id}:")] {
        assert!(text.parse::<Place>().is_err(), "{text}");
    }
    assert!(format!("working:-1:{id}:a:b").parse::<Place>().is_ok());
}

proptest! {
    #[test]
    fn a_place_can_be_written_and_read(section in 0..3usize, order: i64, hash in "[0-9a-f:]{0,70}") {
        let id = Bed::new().session().id;
        let text = format!("{}:{order}:{id}:{hash}", Section::ALL[section].word());
        let place: Place = text.parse().unwrap();
        prop_assert_eq!(place.section(), Section::ALL[section]);
        prop_assert_eq!(place.to_string(), text);
    }
}
