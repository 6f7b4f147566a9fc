//! What people do to messages that wait: edit, cancel, move and release.

use std::collections::{BTreeMap, BTreeSet};

use paseo_core::actor::Actor;
use paseo_core::content::ContentRef;
use paseo_core::id::{ContentId, DeliveryId, SessionId, ThreadId, WatchId};
use paseo_core::session::{
    self, Accepted, Class, Created, Draft, Event, HeldReason, Hold, On, Outcome, Pending, Position, Receipt,
    Session, Source, Unchangeable, Verb,
};
use proptest::prelude::*;

use crate::bed::{Bed, agent, cause, completion, delivery, human, now, passive, person, waited, with_verb};

const FRESH: u8 = 240;

fn watch(number: u8) -> WatchId {
    WatchId::from_parts(now(), [number; 10])
}

fn words(number: u8) -> ContentRef {
    let sha256 = format!("{number:02x}").repeat(32);
    ContentRef { id: ContentId::from_parts(now(), [number; 10]), len: 7, sha256 }
}

fn busy() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed
}

fn cancel(bed: &mut Bed, message: u8) -> Result<(), Unchangeable> {
    session::cancel(&mut bed.draft, &person(), delivery(message), watch(message))
}

fn move_to(bed: &mut Bed, message: u8, position: Position) -> Result<bool, Unchangeable> {
    session::move_to(&mut bed.draft, &person(), delivery(message), position)
}

fn release(bed: &mut Bed, messages: &[u8]) -> Result<session::Released, Unchangeable> {
    let deliveries: Vec<DeliveryId> = messages.iter().copied().map(delivery).collect();
    let stopped: BTreeSet<_> =
        bed.causes.iter().filter(|(_, cause)| cause.stopped).map(|(number, _)| cause(*number)).collect();
    session::release(&mut bed.draft, &person(), &deliveries, |id| stopped.contains(&id), cause(FRESH))
}

#[test]
fn an_edit_changes_the_words_and_nothing_else() {
    let mut bed = busy();
    let schema = Accepted { schema: Some(words(9)), ..human(1) };
    bed.send(schema);
    let before = bed.session().queue[0].clone();
    assert_eq!(session::edit(&mut bed.draft, &person(), delivery(1), words(1)), Ok(true));
    assert_eq!(bed.session().queue[0], Pending { text: words(1), ..before });
    assert_eq!(session::edit(&mut bed.draft, &person(), delivery(1), words(1)), Ok(false), "the same words");
    assert!(bed.complete());
    assert_eq!(bed.session().turn.as_ref().unwrap().deliveries[0].text, words(1));
    bed.assert_replays();
}

#[test]
fn only_words_of_people_are_edited() {
    let mut bed = busy();
    bed.send_all([agent(1, 50), completion(2, 50), passive(3, 50), human(4)]);
    let passive_of_person = Accepted { class: Class::Passive, ..human(5) };
    bed.send(passive_of_person);
    for message in [1, 2, 3, 5] {
        let edited = session::edit(&mut bed.draft, &person(), delivery(message), words(1));
        assert_eq!(edited, Err(Unchangeable::OthersWords), "{message}");
    }
    let editable: Vec<bool> =
        bed.session().queue.iter().map(|pending| session::is_editable(bed.session(), pending)).collect();
    assert_eq!(editable, [false, false, false, true, false]);
}

#[test]
fn what_a_thread_says_to_a_participant_is_not_edited() {
    let seat = session::SeatOf { thread: ThreadId::from_parts(now(), [3; 10]), seat: "claude".into() };
    let plain = Created::plain(SessionId::from_random([1; 16]), person(), "scripted", "/project");
    let created = Created { seat: Some(seat), ..plain };
    let mut draft = Draft::new(Session::create(created, now()), now());
    draft.push(Event::Held { hold: Hold::Stopped });
    draft.push(Event::Accepted(waited(human(1))));
    draft.push(Event::Accepted(human(2)));
    let edit = |draft: &mut Draft, message| session::edit(draft, &person(), delivery(message), words(1));
    assert_eq!(edit(&mut draft, 1), Err(Unchangeable::OthersWords));
    assert_eq!(edit(&mut draft, 2), Ok(true), "a person's own words to it");
    assert_eq!(session::cancel(&mut draft, &person(), delivery(1), watch(1)), Ok(()));
}

#[test]
fn what_the_agent_may_have_read_keeps_its_words() {
    let mut bed = busy();
    bed.restart();
    assert!(bed.session().queue[0].repeat);
    let edited = session::edit(&mut bed.draft, &person(), delivery(100), words(1));
    assert_eq!(edited, Err(Unchangeable::MayBeRead));
    assert_eq!(cancel(&mut bed, 100), Ok(()), "but it can be canceled");
}

#[test]
fn agents_change_nothing() {
    let mut bed = busy();
    bed.send(human(1));
    let events = bed.draft.events.len();
    let itself = Actor::Session(bed.session().id);
    for by in [itself, Actor::Daemon, Actor::Seat("t/1".into()), Actor::Agent("red/ann".into())] {
        let only = Err(Unchangeable::PeopleOnly);
        let draft = &mut bed.draft;
        assert_eq!(session::edit(draft, &by, delivery(1), words(1)).map(drop), only);
        assert_eq!(session::cancel(draft, &by, delivery(1), watch(1)), only);
        assert_eq!(session::move_to(draft, &by, delivery(1), Position::First).map(drop), only);
        let released = session::release(draft, &by, &[delivery(1)], |_| false, cause(FRESH));
        assert_eq!(released.map(drop), only);
    }
    assert_eq!(bed.draft.events.len(), events);
}

#[test]
fn what_is_handed_over_is_locked_and_the_refusal_says_how_far_it_is() {
    let mut bed = busy();
    assert_eq!(cancel(&mut bed, 100), Err(Unchangeable::Handing));
    bed.hand();
    assert_eq!(cancel(&mut bed, 100), Err(Unchangeable::Handed));
    bed.send(with_verb(Verb::Steer, human(1)));
    assert_eq!(move_to(&mut bed, 1, Position::First), Err(Unchangeable::Handing), "on its way into the turn");
    bed.end(Outcome::Failed, Source::Protocol);
    let refused = cancel(&mut bed, 100).unwrap_err();
    assert_eq!(refused, Unchangeable::Settled(Receipt::Failed));
    assert!(refused.to_string().ends_with("it was read, and its turn failed"), "{refused}");
    assert_eq!(cancel(&mut bed, 7), Err(Unchangeable::Unknown));
}

#[test]
fn a_canceled_message_is_never_handed_over() {
    let mut bed = busy();
    bed.send_all([human(1), human(2)]);
    cancel(&mut bed, 1).unwrap();
    assert_eq!(bed.receipt(1), Some(Receipt::Cancelled));
    assert_eq!(cancel(&mut bed, 1), Err(Unchangeable::Settled(Receipt::Cancelled)));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [2]);
    bed.assert_replays();
}

#[test]
fn an_agent_whose_message_is_canceled_is_told_once() {
    let mut bed = busy();
    bed.send_all([agent(1, 50), human(2), completion(3, 50)]);
    for message in [1, 2, 3] {
        cancel(&mut bed, message).unwrap();
    }
    let due: Vec<_> = session::due(bed.session()).cloned().collect();
    assert_eq!(due.len(), 1, "neither people nor those whose work the news was of");
    assert_eq!(due[0].watcher, SessionId::from_random([9; 16]));
    assert_eq!((due[0].on, due[0].class), (On::Delivery(delivery(1)), Class::Passive));
    assert_eq!(due[0].due.as_ref().unwrap().receipt, Receipt::Cancelled);
    session::gather(&mut bed.draft, |_| false);
    assert_eq!(session::notices(bed.session()).len(), 1);
    bed.assert_replays();
}

#[test]
fn an_agent_that_asked_for_the_outcome_is_told_by_its_own_watch() {
    let mut bed = busy();
    bed.send(agent(1, 50));
    let own = session::Watch {
        id: watch(77),
        watcher: SessionId::from_random([9; 16]),
        on: On::Delivery(delivery(1)),
        cause: cause(50),
        hop: 2,
        class: Class::Completion,
        due: None,
        request: None,
        notice: None,
    };
    session::arm(&mut bed.draft, own).unwrap();
    cancel(&mut bed, 1).unwrap();
    let due: Vec<_> = session::due(bed.session()).map(|watch| watch.id).collect();
    assert_eq!(due, [watch(77)]);
}

#[test]
fn a_canceled_correction_gives_its_answer_up() {
    let mut bed = Bed::new();
    bed.send(Accepted { schema: Some(words(9)), ..human(1) });
    bed.hand();
    bed.end(Outcome::Completed, Source::Protocol);
    let turn = bed.session().check.as_ref().unwrap().turn;
    let correction = Accepted { origin: Actor::Daemon, ..human(2) };
    session::judge(&mut bed.draft, turn, session::Finding::Invalid, None, Some(correction));
    assert_eq!(bed.queued(), [2]);
    assert_eq!(move_to(&mut bed, 2, Position::Last), Err(Unchangeable::Correction));
    cancel(&mut bed, 2).unwrap();
    assert_eq!(bed.session().check, None);
    assert_eq!(bed.receipt(1), Some(Receipt::Interrupted));
    assert_eq!(bed.receipt(2), Some(Receipt::Cancelled));
    bed.assert_replays();
}

#[test]
fn a_message_moves_to_the_front_to_the_end_and_before_another() {
    let mut bed = busy();
    bed.send_all([human(1), human(2), human(3)]);
    let moved = |bed: &mut Bed, message, position| {
        let changed = move_to(bed, message, position).unwrap();
        (changed, bed.queued())
    };
    assert_eq!(moved(&mut bed, 3, Position::First), (true, vec![3, 1, 2]));
    assert_eq!(moved(&mut bed, 3, Position::First), (false, vec![3, 1, 2]));
    assert_eq!(moved(&mut bed, 1, Position::Last), (true, vec![3, 2, 1]));
    assert_eq!(moved(&mut bed, 1, Position::Last), (false, vec![3, 2, 1]));
    assert_eq!(moved(&mut bed, 1, Position::Before(delivery(2))), (true, vec![3, 1, 2]));
    assert_eq!(moved(&mut bed, 1, Position::Before(delivery(2))), (false, vec![3, 1, 2]));
    assert_eq!(moved(&mut bed, 1, Position::Before(delivery(1))), (false, vec![3, 1, 2]));
    assert_eq!(move_to(&mut bed, 1, Position::Before(delivery(100))), Err(Unchangeable::Handing));
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [3, 1, 2]);
    bed.assert_replays();
}

#[test]
fn what_a_person_moved_no_longer_jumps_the_queue() {
    let mut bed = busy();
    bed.send_all([human(1), with_verb(Verb::Steer, human(2))]);
    assert_eq!(bed.queued(), [2, 1]);
    move_to(&mut bed, 2, Position::Last).unwrap();
    bed.hand();
    assert_eq!(session::take_up(&mut bed.draft), None);
    bed.send(with_verb(Verb::Interrupt, human(3)));
    assert_eq!(bed.queued(), [3, 1, 2], "what interrupts is still next");
}

#[test]
fn a_release_lets_one_message_of_a_stopped_session_go_on() {
    let mut bed = busy();
    bed.send_all([human(1), agent(2, 50), human(3)]);
    session::hold_for_stop(&mut bed.draft);
    bed.end(Outcome::Interrupted, Source::Person);
    assert!(!bed.advance());
    assert_eq!(release(&mut bed, &[2]), Ok(session::Released { count: 1, opens: None }));
    assert!(bed.advance());
    assert_eq!((bed.in_turn(), bed.turn_cause()), (vec![2], Some(50)), "its request pays as before");
    assert!(!bed.complete(), "the others are still held");
    for message in [1, 3] {
        assert_eq!(bed.receipt(message), Some(Receipt::Held(HeldReason::Stopped)));
    }
    assert_eq!(release(&mut bed, &[1, 3]).unwrap().count, 2);
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [1, 3]);
    bed.assert_replays();
}

#[test]
fn whoever_releases_what_nobody_pays_for_stands_in_for_it() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send(agent(1, 50));
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Budget)));
    assert_eq!(release(&mut bed, &[1]), Ok(session::Released { count: 1, opens: Some(delivery(1)) }));
    assert_eq!(bed.session().hold, Hold::None);
    assert!(bed.advance());
    assert_eq!((bed.in_turn(), bed.turn_cause()), (vec![1], Some(FRESH)));
    assert_eq!(bed.causes[&FRESH].woken, 1, "and the wake is counted there");
    bed.assert_replays();
}

#[test]
fn a_message_of_a_stopped_request_goes_on_for_whoever_releases_it() {
    let mut bed = busy();
    bed.send(agent(1, 50));
    session::hold_for_stop(&mut bed.draft);
    bed.end(Outcome::Interrupted, Source::Person);
    bed.causes.entry(50).or_default().stopped = true;
    assert_eq!(release(&mut bed, &[1]).unwrap().opens, Some(delivery(1)));
    assert!(bed.advance(), "and is not held again at once");
    assert_eq!(bed.turn_cause(), Some(FRESH));
}

#[test]
fn after_an_error_or_a_limit_a_release_goes_on() {
    let mut bed = busy();
    bed.send(human(1));
    bed.hand();
    bed.end(Outcome::Failed, Source::Protocol);
    assert!(!bed.advance());
    assert!(session::is_releasable(bed.session(), &bed.session().queue[0]));
    release(&mut bed, &[1]).unwrap();
    assert!(bed.advance());
    assert!(!bed.session().queue.iter().any(|pending| session::is_releasable(bed.session(), pending)));
}

#[test]
fn there_is_nothing_to_release_in_what_only_waits_for_its_turn() {
    let mut bed = busy();
    bed.send(human(1));
    let events = bed.draft.events.len();
    assert_eq!(release(&mut bed, &[1]).unwrap().count, 0);
    assert_eq!(bed.draft.events.len(), events);
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(release(&mut bed, &[1]), Err(Unchangeable::Closed));
}

#[test]
fn a_hold_for_budget_goes_with_the_last_message_that_it_sat_on() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send_all([agent(1, 50), agent(2, 50)]);
    cancel(&mut bed, 1).unwrap();
    assert_eq!(bed.session().hold, Hold::Budget);
    cancel(&mut bed, 2).unwrap();
    assert_eq!(bed.session().hold, Hold::None);
}

/// One thing that happens to a session.
#[derive(Debug, Clone)]
enum Step {
    Send(Box<Accepted>),
    Cancel(u8),
    Edit(u8),
    Move(u8, u8),
    Release(u8),
    Stop,
    Hand,
    End(Outcome),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let message = 0u8..24;
    let step = prop_oneof![
        4 => (0u8..24, 0u8..6).prop_map(|(number, kind)| Step::Send(Box::new(match kind {
            0 => agent(number, 50 + number % 2),
            1 => passive(number, 50),
            2 => with_verb(Verb::Steer, human(number)),
            3 => with_verb(Verb::Interrupt, human(number)),
            4 => waited(agent(number, 50)),
            _ => human(number),
        }))),
        2 => message.clone().prop_map(Step::Cancel),
        2 => message.clone().prop_map(Step::Edit),
        2 => (message.clone(), 0u8..26).prop_map(|(one, other)| Step::Move(one, other)),
        2 => message.prop_map(Step::Release),
        1 => Just(Step::Stop),
        2 => Just(Step::Hand),
        2 => prop_oneof![Just(Outcome::Completed), Just(Outcome::Failed), Just(Outcome::Interrupted)]
            .prop_map(Step::End),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..60)
}

/// What the messages that a turn has look like.
fn locked(session: &Session) -> BTreeMap<DeliveryId, Pending> {
    let turn = session.turn.iter().flat_map(|turn| turn.deliveries.iter().chain(&turn.steering));
    turn.map(|pending| (pending.id, pending.clone())).collect()
}

fn order(session: &Session) -> Vec<DeliveryId> {
    session.queue.iter().map(|pending| pending.id).collect()
}

/// Checks that every message of the events is somewhere, and that none that was canceled comes back.
fn check(session: &Session, events: &[Event]) -> Result<(), TestCaseError> {
    let mut canceled = BTreeSet::new();
    for event in events {
        match event {
            Event::Accepted(accepted) => {
                prop_assert!(session.receipt(accepted.delivery).is_some(), "{} is lost", accepted.delivery);
            }
            Event::Cancelled { delivery } => drop(canceled.insert(*delivery)),
            Event::Handing { delivery, .. } => prop_assert!(!canceled.contains(delivery)),
            Event::TurnOpened { deliveries, .. } => {
                prop_assert!(!deliveries.iter().any(|delivery| canceled.contains(delivery)));
            }
            _ => {}
        }
    }
    let ids = order(session);
    prop_assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "twice in the queue");
    prop_assert!(!ids.iter().any(|id| canceled.contains(id)));
    Ok(())
}

/// Does a step, as far as it can be done.
fn play(bed: &mut Bed, step: Step, sent: &mut BTreeSet<DeliveryId>) -> Result<(), TestCaseError> {
    let before = bed.session().clone();
    let (was_locked, was_order) = (locked(&before), order(&before));
    match step {
        Step::Send(message) if sent.insert(message.delivery) => drop(bed.accept(*message)),
        Step::Send(_) => {}
        Step::Cancel(message) => {
            let done = cancel(bed, message);
            prop_assert_eq!(done.is_ok(), was_order.contains(&delivery(message)));
        }
        Step::Edit(message) => {
            let done = session::edit(&mut bed.draft, &person(), delivery(message), words(message));
            prop_assert!(done.is_err() || was_order.contains(&delivery(message)));
            prop_assert_eq!(order(bed.session()), was_order.clone());
        }
        Step::Move(message, to) => {
            let position = match to {
                24 => Position::First,
                25 => Position::Last,
                other => Position::Before(delivery(other)),
            };
            if move_to(bed, message, position).is_ok() {
                let others = |ids: &[DeliveryId]| -> Vec<DeliveryId> {
                    ids.iter().copied().filter(|id| *id != delivery(message)).collect()
                };
                let now = order(bed.session());
                prop_assert_eq!(now.len(), was_order.len());
                prop_assert!(now.contains(&delivery(message)));
                prop_assert_eq!(others(&now), others(&was_order), "the others keep their order");
            } else {
                prop_assert_eq!(order(bed.session()), was_order.clone());
            }
        }
        Step::Release(message) => drop(release(bed, &[message])),
        Step::Stop => drop(session::hold_for_stop(&mut bed.draft)),
        Step::Hand if bed.session().turn.is_some() => bed.hand(),
        Step::End(outcome) if bed.session().turn.is_some() => bed.end(outcome, Source::Protocol),
        Step::Hand | Step::End(_) => {}
        Step::Restart => bed.restart(),
    }
    if bed.session().turn.as_ref().map(|turn| turn.id) == before.turn.as_ref().map(|turn| turn.id) {
        let now = locked(bed.session());
        for (id, pending) in was_locked {
            prop_assert_eq!(now.get(&id), Some(&pending), "a locked message changed");
        }
    }
    bed.advance();
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rearranging_loses_nothing_and_touches_nothing_that_is_locked(steps in steps()) {
        let mut bed = Bed::new();
        let mut sent = BTreeSet::new();
        for step in steps {
            play(&mut bed, step, &mut sent)?;
            check(bed.session(), &bed.draft.events)?;
        }
        bed.assert_replays();
        // A crash after any stored event leaves a state that the next daemon goes on with.
        for length in 0..=bed.draft.events.len() {
            let mut found = Bed::new();
            let kept = &bed.draft.events[..length];
            found.draft.extend(kept.iter().cloned());
            found.restart();
            check(found.session(), &found.draft.events)?;
        }
    }
}
