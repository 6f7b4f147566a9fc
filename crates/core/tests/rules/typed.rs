//! What people type into terminals: the harness has it first, and it counts like any other message of a person.

use paseo_core::id::TurnId;
use paseo_core::session::{self, Event, Hold, Outcome, Receipt, Source, Status, Verb};

use crate::bed::{Bed, agent, human, now};

fn turn(number: u8) -> TurnId {
    TurnId::from_parts(now(), [number; 10])
}

#[test]
fn it_opens_a_turn_that_is_handed_already() {
    let mut bed = Bed::new();
    assert_eq!(session::typed(&mut bed.draft, human(1), turn(9)), Some(turn(9)));
    assert_eq!((bed.in_turn(), bed.turn_cause()), (vec![1], Some(1)));
    assert_eq!((bed.receipt(1), bed.session().condition.status), (Some(Receipt::Handed), Status::Running));
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!(bed.receipt(1), Some(Receipt::Answered));
    bed.assert_replays();
}

#[test]
fn in_the_middle_of_a_turn_it_belongs_to_it() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    let running = bed.session().turn.as_ref().unwrap().id;
    assert_eq!(session::typed(&mut bed.draft, human(2), turn(9)), Some(running));
    assert_eq!((bed.in_turn(), bed.queued()), (vec![1, 2], vec![]));
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!((bed.receipt(1), bed.receipt(2)), (Some(Receipt::Answered), Some(Receipt::Answered)));
    bed.assert_replays();
}

#[test]
fn what_waited_for_a_person_comes_after_it() {
    let mut bed = Bed::new();
    bed.send(human(1));
    session::hold_for_stop(&mut bed.draft);
    bed.hand();
    bed.end(Outcome::Interrupted, Source::Person);
    bed.send(agent(2, 1));
    assert_eq!((bed.session().hold, bed.queued()), (Hold::Stopped, vec![2]));
    session::typed(&mut bed.draft, human(3), turn(9));
    assert_eq!((bed.session().hold, bed.in_turn(), bed.queued()), (Hold::None, vec![3], vec![2]));
    assert!(bed.complete(), "the one that waited is next");
    assert_eq!(bed.in_turn(), [2]);
    bed.assert_replays();
}

#[test]
fn a_closed_session_takes_nothing_in() {
    let mut bed = Bed::new();
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(session::typed(&mut bed.draft, human(1), turn(9)), None);
    assert!(bed.queued().is_empty() && !bed.session().is_open());
}

#[test]
fn how_it_was_said_makes_no_difference() {
    let mut bed = Bed::new();
    let said = session::Accepted { verb: Verb::Interrupt, ..human(1) };
    session::typed(&mut bed.draft, said, turn(9));
    assert_eq!(bed.in_turn(), [1]);
}

#[test]
fn a_process_in_a_terminal_is_known_by_its_token_until_it_ends() {
    let mut bed = Bed::new();
    bed.draft.push(Event::Boarded { token: "a".to_owned(), guarded: None });
    assert_eq!((bed.session().history.token.as_deref(), bed.session().history.exit), (Some("a"), None));
    bed.draft.push(Event::Exited { code: Some(3), signal: None });
    let history = &bed.session().history;
    assert_eq!((history.token.as_deref(), history.exit.map(|exit| exit.code)), (None, Some(Some(3))));
    bed.draft.push(Event::Boarded { token: "b".to_owned(), guarded: None });
    assert_eq!(bed.session().history.exit, None);
    bed.assert_replays();
}
