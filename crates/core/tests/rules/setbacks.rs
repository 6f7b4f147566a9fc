//! A turn that fails before its messages were taken up: they wait, and whoever sent them is told, once.

use paseo_core::id::{SessionId, WatchId};
use paseo_core::session::{
    self, Again, Class, Ending, On, Outcome, Receipt, Setback, Source, Watch, setback,
};
use paseo_core::time::Timestamp;

use crate::bed::{Bed, agent, cause, delivery, human, now};

/// A session that was sent a message, with somebody who is to be told what becomes of it.
fn watched() -> Bed {
    let mut bed = Bed::new();
    bed.send(agent(1, 50));
    let watch = Watch {
        id: WatchId::from_parts(now(), [1; 10]),
        watcher: SessionId::from_random([9; 16]),
        on: On::Delivery(delivery(1)),
        cause: cause(50),
        hop: 2,
        class: Class::Completion,
        due: None,
        request: None,
        notice: None,
    };
    session::arm(&mut bed.draft, watch).unwrap();
    bed
}

fn again(bed: &Bed, number: u8) -> Option<Again> {
    setback(bed.session(), delivery(number)).map(|Setback { again, .. }| again)
}

#[test]
fn a_turn_that_fails_before_it_begins_is_news() {
    let mut bed = watched();
    let turn = bed.session().turn.as_ref().unwrap().id;
    bed.end(Outcome::Failed, Source::ProcessExit);
    let told = session::due(bed.session()).next().unwrap().due.clone().unwrap();
    assert_eq!((told.receipt, told.turn), (Receipt::Failed, Some(turn)));
    assert_eq!(bed.session().receipt(delivery(1)), Some(Receipt::Queued), "it is still to come");
    let ended = bed.session().history.ended.as_deref().unwrap();
    assert_eq!((ended.turn, ended.outcome, &ended.returned), (turn, Outcome::Failed, &vec![delivery(1)]));
    bed.assert_replays();
}

#[test]
fn what_is_tried_again_by_itself_is_no_news_yet() {
    let mut bed = watched();
    let until = Some(Timestamp::from_millis(now().as_millis() + 60_000));
    let ending = Ending { until, ..Ending::of(Outcome::Failed, Source::Protocol) };
    session::end(&mut bed.draft, ending);
    assert_eq!(session::due(bed.session()).count(), 0);
    assert_eq!(again(&bed, 1), Some(Again::AfterLimit));
}

#[test]
fn a_message_that_failed_is_tried_again_with_the_next_and_then_by_a_person() {
    let mut bed = watched();
    assert_eq!(again(&bed, 1), None, "it is on its way");
    bed.end(Outcome::Failed, Source::ProcessExit);
    assert_eq!(again(&bed, 1), Some(Again::WithNext));
    bed.send(agent(2, 50));
    assert_eq!(again(&bed, 1), None, "it is on its way again");
    bed.end(Outcome::Failed, Source::ProcessExit);
    assert_eq!(again(&bed, 1), Some(Again::ByPerson));
    assert_eq!(again(&bed, 2), Some(Again::WithNext));
    bed.send(human(3));
    bed.complete();
    assert_eq!(bed.session().receipt(delivery(1)), Some(Receipt::Answered));
    assert_eq!(again(&bed, 1), None);
    bed.assert_replays();
}

#[test]
fn what_waits_behind_a_turn_that_failed_waits_for_the_same_reason() {
    let mut bed = Bed::new();
    bed.send(human(1));
    bed.hand();
    bed.send(agent(2, 50));
    bed.end(Outcome::Failed, Source::Protocol);
    assert_eq!(again(&bed, 2), Some(Again::WithNext));
    assert_eq!(again(&bed, 1), None, "that one is over");
}
