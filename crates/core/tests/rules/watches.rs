//! Whoever is to be told is told once, when there is something to tell.

use paseo_core::id::{SessionId, WatchId};
use paseo_core::limits::WATCHES;
use paseo_core::session::{self, Class, On, Outcome, Receipt, Refusal, Source, Watch};

use crate::bed::{Bed, agent, cause, delivery, human, now};

fn watch(number: u8, on: On) -> Watch {
    Watch {
        id: WatchId::from_parts(now(), [number; 10]),
        watcher: SessionId::from_random([9; 16]),
        on,
        cause: cause(50),
        hop: 2,
        class: Class::Completion,
        due: None,
    }
}

fn due(bed: &Bed) -> Vec<u8> {
    session::due(bed.session()).map(|watch| watch.id.uuid().as_bytes()[15]).collect()
}

#[test]
fn a_message_is_news_when_nothing_more_happens_to_it() {
    let mut bed = Bed::new();
    bed.send(agent(1, 50));
    session::arm(&mut bed.draft, watch(1, On::Delivery(delivery(1)))).unwrap();
    session::arm(&mut bed.draft, watch(2, On::Delivery(delivery(2)))).unwrap();
    assert!(due(&bed).is_empty());
    bed.complete();
    assert_eq!(due(&bed), [1]);
    let told = session::due(bed.session()).next().unwrap().due.clone().unwrap();
    assert_eq!(told.receipt, Receipt::Answered);
    assert!(told.turn.is_some());
    session::disarm(&mut bed.draft, watch(1, On::Idle).id);
    assert!(due(&bed).is_empty());
    bed.assert_replays();
}

#[test]
fn failures_and_interruptions_are_news_too() {
    for (outcome, receipt) in
        [(Outcome::Failed, Receipt::Failed), (Outcome::Interrupted, Receipt::Interrupted)]
    {
        let mut bed = Bed::new();
        bed.send(agent(1, 50));
        bed.hand();
        session::arm(&mut bed.draft, watch(1, On::Delivery(delivery(1)))).unwrap();
        bed.end(outcome, Source::Protocol);
        let told = session::due(bed.session()).next().unwrap().due.clone().unwrap();
        assert_eq!(told.receipt, receipt);
    }
}

#[test]
fn what_is_over_already_is_news_at_once() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.complete();
    session::arm(&mut bed.draft, watch(1, On::Delivery(delivery(1)))).unwrap();
    assert_eq!(due(&bed), [1]);
}

#[test]
fn a_message_that_comes_again_is_no_news() {
    let mut bed = Bed::new();
    bed.send(agent(1, 50));
    session::arm(&mut bed.draft, watch(1, On::Delivery(delivery(1)))).unwrap();
    bed.restart();
    assert!(due(&bed).is_empty(), "it was never confirmed and is still to come");
}

#[test]
fn idle_means_that_nothing_is_left_to_do() {
    let mut bed = Bed::new();
    bed.send(human(1));
    session::arm(&mut bed.draft, watch(1, On::Idle)).unwrap();
    bed.send(human(2));
    bed.hand();
    bed.end(Outcome::Completed, Source::Protocol);
    assert!(due(&bed).is_empty(), "another turn is next");
    bed.advance();
    bed.complete();
    assert_eq!(due(&bed), [1]);
}

#[test]
fn closing_is_news_for_everyone() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.send(agent(2, 50));
    session::arm(&mut bed.draft, watch(1, On::Idle)).unwrap();
    session::arm(&mut bed.draft, watch(2, On::Delivery(delivery(2)))).unwrap();
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(due(&bed), [1, 2]);
    assert_eq!(session::arm(&mut bed.draft, watch(3, On::Idle)), Err(Refusal::Closed));
}

#[test]
fn only_so_many_wait_for_news() {
    let mut bed = Bed::new();
    for number in 0..WATCHES as u8 {
        session::arm(&mut bed.draft, watch(number, On::Idle)).unwrap();
    }
    assert_eq!(session::arm(&mut bed.draft, watch(99, On::Idle)), Err(Refusal::Watched));
}
