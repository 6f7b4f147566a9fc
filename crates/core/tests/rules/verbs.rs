//! What people can do to a running turn: queue, steer, interrupt.

use paseo_core::attachment::{Attached, Kind};
use paseo_core::id::FileId;
use paseo_core::session::{self, Event, Outcome, Placement, Receipt, Refusal, Source, Verb};

use crate::bed::{Bed, agent, delivery, human, passive, waited, with_verb};

fn steer(message: u8) -> session::Accepted {
    with_verb(Verb::Steer, human(message))
}

fn interrupt(message: u8) -> session::Accepted {
    with_verb(Verb::Interrupt, human(message))
}

fn starting() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed
}

fn running() -> Bed {
    let mut bed = starting();
    bed.hand();
    bed
}

#[test]
fn only_people_steer_and_interrupt() {
    for verb in [Verb::Steer, Verb::Interrupt] {
        assert_eq!(running().accept(with_verb(verb, agent(1, 50))), Err(Refusal::PeopleOnly));
    }
}

#[test]
fn steering_enters_the_running_turn() {
    let mut bed = running();
    assert_eq!(bed.send(steer(1)), Placement::Steer);
    assert_eq!(bed.receipt(1), Some(Receipt::Handing(1)));
    bed.draft.push(Event::Handed { delivery: delivery(1) });
    assert_eq!(bed.in_turn(), [100, 1]);
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!(bed.receipt(1), Some(Receipt::Answered));
    bed.assert_replays();
}

#[test]
fn steering_is_refused_where_the_provider_cannot() {
    let mut bed = running();
    assert_eq!(session::accept(&mut bed.draft, steer(1), false), Err(Refusal::CannotSteer));
    let mut idle = Bed::new();
    assert_eq!(session::accept(&mut idle.draft, steer(1), false), Ok(Placement::Ready));
}

#[test]
fn steering_that_was_not_taken_up_goes_to_the_head_of_the_queue() {
    let mut bed = running();
    bed.send(human(2));
    bed.send(steer(1));
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!(bed.queued(), [1, 2]);
    assert!(!bed.session().queue[0].repeat, "the harness said that it took nothing");
    assert_eq!(bed.session().queue[0].attempts, 0);
}

#[test]
fn steering_into_a_turn_that_dies_may_be_a_repeat() {
    let mut bed = running();
    bed.send(steer(1));
    bed.end(Outcome::Failed, Source::ProcessExit);
    assert!(bed.session().queue[0].repeat);
}

#[test]
fn steering_before_the_turn_runs_is_taken_up_in_order() {
    let mut bed = starting();
    assert_eq!(session::take_up(&mut bed.draft), None);
    bed.send(human(3));
    assert_eq!(bed.send(steer(1)), Placement::Queued);
    assert_eq!(bed.send(steer(2)), Placement::Queued);
    assert_eq!(session::take_up(&mut bed.draft), None, "nothing enters before the harness confirmed");
    bed.hand();
    assert_eq!(session::take_up(&mut bed.draft), Some(delivery(1)));
    assert_eq!(session::take_up(&mut bed.draft), Some(delivery(2)));
    assert_eq!(session::take_up(&mut bed.draft), None);
    assert_eq!(bed.queued(), [3]);
    bed.assert_replays();
}

#[test]
fn an_interrupting_message_is_next_alone_and_the_queue_follows() {
    let mut bed = running();
    bed.send(human(2));
    bed.send(human(3));
    assert_eq!(bed.send(interrupt(1)), Placement::Interrupt);
    bed.end(Outcome::Interrupted, Source::Person);
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [1]);
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [2, 3]);
}

#[test]
fn an_interrupting_message_is_next_even_when_the_turn_had_not_begun() {
    let mut bed = starting();
    assert_eq!(bed.send(interrupt(1)), Placement::Interrupt);
    bed.end(Outcome::Interrupted, Source::Person);
    assert_eq!(bed.queued(), [1, 100]);
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [1]);
    bed.assert_replays();
}

#[test]
fn an_interrupting_message_is_next_even_when_another_steers() {
    let mut bed = running();
    bed.send(steer(2));
    bed.send(interrupt(1));
    bed.send(steer(3));
    bed.end(Outcome::Interrupted, Source::Person);
    assert_eq!(bed.queued(), [1, 2, 3]);
}

#[test]
fn the_newest_interrupt_wins() {
    let mut bed = running();
    bed.send(interrupt(1));
    bed.send(interrupt(2));
    bed.end(Outcome::Interrupted, Source::Person);
    assert_eq!(bed.queued(), [2, 1]);
}

#[test]
fn a_message_to_a_busy_session_never_interrupts_by_itself() {
    for message in [human(1), agent(1, 50), waited(agent(1, 50)), passive(1, 50)] {
        let mut bed = running();
        assert_eq!(bed.send(message), Placement::Queued);
        assert_eq!(bed.in_turn(), [100]);
    }
}

#[test]
fn a_passive_line_cannot_jump_the_queue() {
    let line = |verb| session::Accepted { class: session::Class::Passive, ..with_verb(verb, human(2)) };
    for verb in [Verb::Steer, Verb::Interrupt] {
        let mut bed = running();
        bed.send(human(1));
        assert_eq!(bed.send(line(verb)), Placement::Queued);
        assert_eq!(bed.queued(), [1, 2]);
    }
}

#[test]
fn a_person_who_steers_carries_what_was_held_for_budget() {
    for (verb, turns) in [(Verb::Steer, vec![vec![1]]), (Verb::Interrupt, vec![vec![2], vec![1]])] {
        let mut bed = running();
        bed.exhaust(50);
        bed.send(agent(1, 50));
        bed.end(Outcome::Completed, Source::Protocol);
        assert!(!bed.advance());
        bed.send(agent(3, 60));
        bed.hand();
        bed.send(with_verb(verb, human(2)));
        if verb == Verb::Steer {
            bed.draft.push(Event::Handed { delivery: delivery(2) });
        }
        bed.end(Outcome::Completed, Source::Protocol);
        for expected in turns {
            assert!(bed.advance(), "{verb:?}");
            assert_eq!(bed.in_turn(), expected);
            assert_eq!(bed.turn_cause(), Some(2), "the person's request pays");
            bed.hand();
            bed.end(Outcome::Completed, Source::Protocol);
        }
        bed.assert_replays();
    }
}

#[test]
fn steering_keeps_its_order_behind_what_returned() {
    let mut bed = starting();
    bed.send(steer(1));
    bed.restart();
    assert_eq!(bed.queued(), [100, 1]);
    bed.accept(steer(2)).unwrap();
    assert_eq!(bed.queued(), [100, 1, 2]);
}

#[test]
fn an_older_interrupt_stays_before_what_was_to_steer() {
    let mut bed = running();
    bed.send(interrupt(1));
    bed.send(interrupt(2));
    bed.end(Outcome::Interrupted, Source::Person);
    assert!(bed.advance());
    bed.hand();
    bed.send(steer(3));
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!(bed.queued(), [1, 3]);
}

#[test]
fn words_for_an_agent_that_waits_are_handed_once_it_has_them() {
    let mut bed = running();
    bed.send_all([agent(1, 50), interrupt(2), human(3), human(4)]);
    assert_eq!(session::take_words(&mut bed.draft).map(|pending| pending.id), Some(delivery(3)));
    assert_eq!(bed.receipt(3), Some(Receipt::Handing(1)));
    bed.draft.push(Event::Handed { delivery: delivery(3) });
    assert_eq!(bed.receipt(3), Some(Receipt::Handed));
    // What the agent never got comes again.
    assert_eq!(session::take_words(&mut bed.draft).map(|pending| pending.id), Some(delivery(4)));
    assert_eq!(session::take_words(&mut bed.draft), None);
    bed.restart();
    assert_eq!(bed.queued(), [2, 4, 1]);
    assert!(bed.session().queue[1].repeat);
    bed.assert_replays();
}

#[test]
fn words_with_files_are_no_result_of_a_tool() {
    let mut bed = running();
    let id = FileId::from_uuid(uuid::Uuid::from_u128(1));
    let attachments = vec![Attached { id, kind: Kind::Png, len: 1 }];
    bed.send(session::Accepted { attachments, ..human(1) });
    assert_eq!(session::take_words(&mut bed.draft), None);
    bed.send(human(2));
    assert_eq!(session::take_words(&mut bed.draft).map(|pending| pending.id), Some(delivery(2)));
}
