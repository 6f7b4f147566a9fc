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
        request: None,
        notice: None,
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

fn from(watcher: u8, watch: Watch) -> Watch {
    Watch { watcher: SessionId::from_random([watcher; 16]), ..watch }
}

fn gather(bed: &mut Bed) -> Vec<Vec<u8>> {
    session::gather(&mut bed.draft, |_| false);
    noticed(bed)
}

fn noticed(bed: &Bed) -> Vec<Vec<u8>> {
    let number = |watch: &Watch| watch.id.uuid().as_bytes()[15];
    let notices = session::notices(bed.session());
    notices.iter().map(|notice| notice.watches.iter().map(number).collect()).collect()
}

/// A turn that answers four requests of two agents.
fn answered_together() -> Bed {
    let mut bed = Bed::new();
    bed.send(human(100));
    bed.send_all((1..=4).map(|number| agent(number, 50)));
    for (number, watcher) in [(1, 8), (2, 9), (3, 8), (4, 8)] {
        let on = On::Delivery(delivery(number));
        session::arm(&mut bed.draft, from(watcher, watch(number, on))).unwrap();
    }
    assert!(bed.complete());
    assert_eq!(gather(&mut bed), Vec::<Vec<u8>>::new());
    bed.complete();
    bed
}

#[test]
fn several_requests_answered_by_one_turn_are_one_notice_for_each_watcher() {
    let mut bed = answered_together();
    assert_eq!(gather(&mut bed), [vec![1, 3, 4], vec![2]]);
    // What became known later does not join a notice that may be on its way.
    bed.send(agent(5, 50));
    session::arm(&mut bed.draft, from(8, watch(5, On::Delivery(delivery(5))))).unwrap();
    bed.complete();
    assert_eq!(gather(&mut bed), [vec![1, 3, 4], vec![2], vec![5]]);
    bed.assert_replays();
    let first = session::notices(bed.session()).remove(0);
    assert_eq!(first.id, first.watches[0].id);
    session::disarm_notice(&mut bed.draft, first.id);
    assert_eq!(noticed(&bed), [vec![2], vec![5]]);
    bed.assert_replays();
}

#[test]
fn a_call_that_waits_is_told_by_its_answer_and_by_no_notice() {
    let mut bed = answered_together();
    let waited = watch(3, On::Idle).id;
    session::gather(&mut bed.draft, |watch| watch == waited);
    assert_eq!(noticed(&bed), [vec![1, 4], vec![2]]);
    session::disarm(&mut bed.draft, waited);
    assert_eq!(gather(&mut bed), [vec![1, 4], vec![2]]);
}

#[test]
fn closing_is_one_notice_for_each_watcher_and_reopening_takes_none_back() {
    let mut bed = Bed::new();
    bed.send(agent(1, 50));
    bed.hand();
    bed.send(agent(2, 50));
    for number in [1, 2] {
        session::arm(&mut bed.draft, watch(number, On::Delivery(delivery(number)))).unwrap();
    }
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(gather(&mut bed), [vec![1, 2]], "the turn that was cut off, and the message behind it");
    session::reopen(&mut bed.draft);
    assert_eq!(gather(&mut bed), [vec![1, 2]]);
    assert_eq!(due(&bed), [1, 2]);
    bed.assert_replays();
}

#[test]
fn a_notice_descends_from_the_newest_request_that_it_answers() {
    let mut bed = answered_together();
    let id = watch(4, On::Idle).id;
    let newest = bed.draft.session.watches.iter_mut().find(|watch| watch.id == id).unwrap();
    (newest.cause, newest.hop) = (cause(60), 5);
    session::gather(&mut bed.draft, |_| false);
    let notice = session::notices(bed.session()).remove(0);
    assert_eq!((notice.cause, notice.hop), (cause(60), 5));
}
