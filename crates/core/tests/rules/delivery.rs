//! The delivery table, cell by cell.

use paseo_core::session::{
    self, Class, Draft, Event, HeldReason, Hold, Incoming, Outcome, Placement, Receipt, Refusal, Source,
    Status,
};

use crate::bed::{Bed, agent, completion, human, now, passive};

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

fn waiting() -> Bed {
    let mut bed = running();
    bed.draft.push(Event::Asked {
        hash: "h".into(),
        text: crate::bed::text(),
        tool: None,
        shape: None,
        question: false,
        destructive: false,
    });
    bed
}

fn failed() -> Bed {
    let mut bed = running();
    bed.end(Outcome::Failed, Source::ProcessExit);
    bed
}

fn stopped() -> Bed {
    let mut bed = running();
    assert!(session::hold_for_stop(&mut bed.draft));
    bed.end(Outcome::Interrupted, Source::Person);
    bed
}

fn paused() -> Bed {
    let mut bed = Bed::new();
    bed.draft.push(Event::Held { hold: Hold::Paused });
    bed
}

fn spent() -> Bed {
    let mut bed = Bed::new();
    bed.exhaust(50);
    bed.send(agent(101, 50));
    bed
}

fn closed() -> Bed {
    let mut bed = Bed::new();
    session::close(&mut bed.draft, Source::Person);
    bed
}

#[test]
fn a_busy_session_queues_people_and_agents() {
    for (name, make, status) in [
        ("starting", starting as fn() -> Bed, Status::Starting),
        ("running", running, Status::Running),
        ("waiting", waiting, Status::Waiting),
    ] {
        let mut bed = make();
        assert_eq!(bed.session().condition.status, status, "{name}");
        assert_eq!(bed.send(human(1)), Placement::Queued, "{name}");
        assert_eq!(bed.send(agent(2, 50)), Placement::Queued, "{name}");
        assert_eq!(bed.session().condition.status, status, "{name}");
        assert_eq!(bed.in_turn(), [100], "{name}");
        assert_eq!(bed.queued(), [1, 2], "{name}");
        bed.assert_replays();
    }
}

#[test]
fn an_idle_session_starts_for_anyone() {
    for message in [human(1), agent(1, 50), completion(1, 50)] {
        let mut bed = Bed::new();
        assert_eq!(bed.send(message), Placement::Ready);
        assert_eq!(bed.in_turn(), [1]);
    }
}

#[test]
fn an_idle_session_holds_an_agent_without_wakes() {
    let mut bed = Bed::new();
    bed.exhaust(50);
    assert_eq!(bed.send(agent(1, 50)), Placement::Ready);
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Budget)));
    assert_eq!(bed.session().hold, Hold::Budget);
    assert_eq!(bed.session().condition.status, Status::Idle);
    bed.assert_replays();
}

#[test]
fn after_an_error_anyone_clears_the_hold_and_starts() {
    for message in [human(1), agent(1, 50)] {
        let mut bed = failed();
        assert_eq!(bed.session().hold, Hold::Error);
        assert_eq!(bed.send(message), Placement::Ready);
        assert_eq!(bed.session().hold, Hold::None);
        assert_eq!(bed.in_turn(), [1]);
    }
}

#[test]
fn after_an_error_an_agent_without_wakes_is_held() {
    let mut bed = failed();
    bed.exhaust(50);
    bed.send(agent(1, 50));
    assert_eq!(bed.receipt(1), Some(Receipt::Held(HeldReason::Budget)));
}

#[test]
fn after_an_error_the_queue_waits_for_the_next_message() {
    let mut bed = running();
    bed.send(agent(1, 50));
    bed.end(Outcome::Failed, Source::ProcessExit);
    assert!(!bed.advance());
    assert_eq!(bed.queued(), [1]);
    bed.send(agent(2, 50));
    assert_eq!(bed.in_turn(), [1, 2]);
}

#[test]
fn an_error_beside_a_budget_hold_waits_too() {
    let mut bed = spent();
    bed.send(agent(1, 60));
    bed.hand();
    bed.send(agent(2, 60));
    bed.end(Outcome::Failed, Source::ProcessExit);
    assert!(!bed.advance(), "the queue goes on after clean turns only");
    assert_eq!(bed.session().hold, Hold::Error);
    bed.send(agent(3, 60));
    assert_eq!(bed.in_turn(), [2, 3]);
    assert_eq!(bed.session().hold, Hold::Budget, "what was held for budget still is");
    assert_eq!(bed.receipt(101), Some(Receipt::Held(HeldReason::Budget)));
}

#[test]
fn a_held_session_holds_agents() {
    for (name, mut bed, reason) in
        [("stopped", stopped(), HeldReason::Stopped), ("paused", paused(), HeldReason::Paused)]
    {
        for message in [agent(1, 50), completion(2, 50), passive(3, 50)] {
            assert_eq!(bed.send(message), Placement::Held(reason), "{name}");
        }
        assert_eq!(bed.session().turn, None, "{name}");
        assert_eq!(bed.receipt(1), Some(Receipt::Held(reason)), "{name}");
        bed.assert_replays();
    }
}

#[test]
fn a_budget_hold_holds_the_same_cause_only() {
    let mut bed = spent();
    assert_eq!(bed.send(agent(1, 50)), Placement::Held(HeldReason::Budget));
    assert_eq!(bed.send(agent(2, 60)), Placement::Ready);
    assert_eq!(bed.in_turn(), [2]);
    assert_eq!(bed.queued(), [101, 1]);
}

#[test]
fn a_person_clears_any_hold_and_brings_the_whole_queue_in_order() {
    for (name, mut bed, held) in [
        ("stopped", stopped(), vec![1, 2]),
        ("paused", paused(), vec![1, 2]),
        ("budget", spent(), vec![101, 1, 2]),
    ] {
        bed.send(agent(1, 50));
        bed.send(agent(2, 50));
        assert_eq!(bed.queued(), held, "{name}");
        assert_eq!(bed.send(human(3)), Placement::Ready, "{name}");
        assert_eq!(bed.session().hold, Hold::None, "{name}");
        assert_eq!(bed.in_turn(), [held, vec![3]].concat(), "{name}");
        assert_eq!(bed.turn_cause(), Some(3), "{name}");
        bed.assert_replays();
    }
}

#[test]
fn a_closed_session_reopens_for_people_and_refuses_agents() {
    let mut bed = closed();
    for message in [agent(1, 50), completion(1, 50), passive(1, 50)] {
        assert_eq!(bed.accept(message), Err(Refusal::Closed));
    }
    assert_eq!(bed.session().condition.status, Status::Closed);
    assert_eq!(bed.send(human(2)), Placement::Ready);
    assert_eq!(bed.session().condition.status, Status::Starting);
    assert_eq!(bed.in_turn(), [2]);
    bed.assert_replays();
}

#[test]
fn a_passive_line_of_a_person_reopens_and_releases_nothing() {
    let line = |number| session::Accepted { class: Class::Passive, ..human(number) };
    assert_eq!(closed().accept(line(1)), Err(Refusal::Closed));
    let mut bed = stopped();
    bed.send(agent(1, 50));
    assert_eq!(bed.send(line(2)), Placement::Held(HeldReason::Stopped));
    assert_eq!(bed.session().turn, None);
}

#[test]
fn a_refused_message_leaves_no_trace() {
    let mut bed = closed();
    let before = bed.session().clone();
    let mut draft = Draft::new(before.clone(), now());
    assert!(session::accept(&mut draft, agent(1, 50), true).is_err());
    assert!(draft.events.is_empty());
    assert_eq!(draft.session, before);
    bed.send(human(2));
    for number in 0..paseo_core::limits::QUEUE_LENGTH {
        let mut message = agent(0, 50);
        message.delivery = paseo_core::id::DeliveryId::from_uuid(uuid_of(number));
        bed.accept(message).unwrap();
    }
    let before = bed.session().clone();
    assert_eq!(bed.accept(agent(3, 50)), Err(Refusal::QueueFull));
    assert_eq!(*bed.session(), before);
}

#[test]
fn agents_take_no_room_from_people_and_from_news() {
    let numbered = |mut message: Incoming, number: usize| {
        message.delivery = paseo_core::id::DeliveryId::from_uuid(uuid_of(number));
        message
    };
    let mut bed = stopped();
    for number in 0..500 {
        bed.accept(numbered(agent(0, 50), number)).unwrap();
    }
    assert_eq!(bed.accept(agent(3, 50)), Err(Refusal::QueueFull));
    let news = Incoming { class: Class::Completion, ..agent(0, 50) };
    assert_eq!(bed.accept(numbered(news, 500)), Ok(Placement::Held(HeldReason::Stopped)));
    assert_eq!(bed.accept(numbered(human(0), 501)), Ok(Placement::Ready));
    // What people send has its own limit.
    for number in 502..1001 {
        bed.accept(numbered(human(0), number)).unwrap();
    }
    assert_eq!(bed.accept(numbered(human(0), 1001)), Err(Refusal::QueueFull));
}

fn uuid_of(number: usize) -> uuid::Uuid {
    uuid::Uuid::from_u128(number as u128)
}
