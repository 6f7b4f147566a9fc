//! Answers that have to satisfy a schema: checked once each, corrected at most twice, and never left in the dark.

use paseo_core::actor::Actor;
use paseo_core::limits::WAKES_PER_SESSION;
use paseo_core::session::{
    self, Abandoned, Accepted, Conclusion, Ending, Event, Finding, Outcome, Placement, Receipt, Refusal,
    Source, Stage, Status, Verb, Verdict,
};
use paseo_core::time::Timestamp;

use crate::bed::{Bed, agent, delivery, human, now, text, with_verb};

/// A message whose answer has to satisfy a schema.
fn structured(message: u8) -> Accepted {
    Accepted { schema: Some(text()), ..human(message) }
}

/// A bed whose turn for message 1 was answered.
fn answered() -> Bed {
    let mut bed = Bed::new();
    bed.send(structured(1));
    bed.complete();
    bed
}

/// Tells what the check of the newest answer found, with a correction under this number.
fn judge(bed: &mut Bed, finding: Finding, correction: u8) -> Option<Verdict> {
    let turn = bed.session().check.as_ref()?.turn;
    let violations = (finding != Finding::Valid).then(text);
    let correction = Accepted { origin: Actor::Daemon, ..human(correction) };
    let verdict = session::judge(&mut bed.draft, turn, finding, violations, Some(correction));
    bed.advance();
    verdict
}

fn conclusion(bed: &Bed) -> Option<(Conclusion, u8)> {
    let settled = bed.session().recent.iter().find(|settled| settled.id == delivery(1))?;
    settled.checked.as_ref().map(|checked| (checked.conclusion, checked.corrections))
}

#[test]
fn a_message_is_settled_once_its_answer_is_known_to_be_valid() {
    let mut bed = answered();
    assert_eq!(bed.receipt(1), Some(Receipt::Handed));
    assert_eq!(bed.session().condition.status, Status::Running);
    assert_eq!(judge(&mut bed, Finding::Valid, 100), Some(Verdict::Valid));
    assert_eq!(bed.receipt(1), Some(Receipt::Answered));
    assert_eq!(bed.session().condition.status, Status::Idle);
    assert_eq!(conclusion(&bed), Some((Conclusion::Valid, 0)));
    // An answer is not checked twice.
    assert_eq!(judge(&mut bed, Finding::Invalid, 101), None);
    bed.assert_replays();
}

#[test]
fn two_corrections_are_asked_for_and_not_a_third() {
    let mut bed = answered();
    for correction in [100, 101] {
        assert_eq!(judge(&mut bed, Finding::Invalid, correction), Some(Verdict::Correct));
        assert_eq!(bed.in_turn(), [correction]);
        assert_eq!(bed.turn_cause(), Some(1));
        assert_eq!(bed.receipt(1), Some(Receipt::Handed));
        bed.complete();
    }
    assert_eq!(bed.causes[&1].woken, 2, "a correction costs a wake");
    assert_eq!(judge(&mut bed, Finding::Invalid, 102), Some(Verdict::Invalid));
    assert_eq!(bed.receipt(1), Some(Receipt::Failed));
    assert_eq!(bed.receipt(102), None);
    assert_eq!(bed.session().condition.status, Status::Error);
    assert_eq!(bed.session().condition.code.as_deref(), Some("answer_invalid"));
    assert_eq!(conclusion(&bed), Some((Conclusion::Invalid, 2)));
    bed.assert_replays();
    // The agent is free.
    bed.send(human(2));
    assert_eq!(bed.in_turn(), [2]);
}

#[test]
fn a_valid_correction_settles_the_message_with_the_turn_that_answered_it() {
    let mut bed = answered();
    judge(&mut bed, Finding::Invalid, 100);
    let turn = bed.session().turn.as_ref().unwrap().id;
    bed.complete();
    assert_eq!(bed.receipt(100), Some(Receipt::Answered));
    assert_eq!(judge(&mut bed, Finding::Valid, 101), Some(Verdict::Valid));
    let settled = bed.session().recent.iter().find(|settled| settled.id == delivery(1)).unwrap();
    assert_eq!((settled.receipt, settled.turn), (Receipt::Answered, Some(turn)));
    assert_eq!(conclusion(&bed), Some((Conclusion::Valid, 1)));
    bed.assert_replays();
}

#[test]
fn a_check_that_does_not_end_is_not_corrected() {
    let mut bed = answered();
    assert_eq!(judge(&mut bed, Finding::Unchecked, 100), Some(Verdict::Unchecked));
    assert_eq!(bed.receipt(1), Some(Receipt::Failed));
    assert_eq!(conclusion(&bed), Some((Conclusion::Unchecked, 0)));
    bed.assert_replays();
}

#[test]
fn a_message_with_a_schema_has_a_turn_of_its_own() {
    let mut bed = Bed::new();
    bed.send(human(9));
    bed.send_all([human(2), structured(1), human(3)]);
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [2]);
    assert!(bed.complete());
    assert_eq!(bed.in_turn(), [1]);
    // What waits behind it waits for the check, too.
    assert!(!bed.complete());
    judge(&mut bed, Finding::Invalid, 100);
    assert_eq!(bed.in_turn(), [100]);
    assert!(!bed.complete());
    judge(&mut bed, Finding::Valid, 101);
    assert_eq!(bed.in_turn(), [3]);
    bed.assert_replays();
}

#[test]
fn a_message_with_a_schema_cannot_steer() {
    let mut bed = Bed::new();
    assert_eq!(bed.accept(with_verb(Verb::Steer, structured(1))), Err(Refusal::StructuredSteer));
    bed.send(human(2));
    bed.hand();
    assert_eq!(bed.accept(with_verb(Verb::Steer, structured(1))), Err(Refusal::StructuredSteer));
    assert_eq!(bed.accept(structured(1)), Ok(Placement::Queued));
    assert_eq!(session::take_words(&mut bed.draft), None, "nor be told as the result of a tool");
}

#[test]
fn a_turn_that_is_not_answered_is_not_checked() {
    for (outcome, receipt) in
        [(Outcome::Failed, Receipt::Failed), (Outcome::Interrupted, Receipt::Interrupted)]
    {
        let mut bed = Bed::new();
        bed.send(structured(1));
        bed.hand();
        bed.end(outcome, Source::Protocol);
        assert_eq!(bed.receipt(1), Some(receipt));
        assert_eq!(bed.session().check, None);
        bed.assert_replays();
    }
}

#[test]
fn a_persons_message_waits_for_the_check_and_for_the_correction() {
    let mut bed = answered();
    assert_eq!(bed.send(human(2)), Placement::Ready);
    assert_eq!((bed.in_turn(), bed.queued()), (vec![], vec![2]));
    judge(&mut bed, Finding::Invalid, 100);
    assert_eq!((bed.in_turn(), bed.queued()), (vec![100], vec![2]));
    bed.complete();
    judge(&mut bed, Finding::Valid, 101);
    assert_eq!(bed.receipt(1), Some(Receipt::Answered));
    assert_eq!(bed.in_turn(), [2]);
    bed.assert_replays();
}

#[test]
fn a_person_steers_a_correction_and_its_answer_counts() {
    let mut bed = answered();
    judge(&mut bed, Finding::Invalid, 100);
    bed.hand();
    assert_eq!(bed.accept(with_verb(Verb::Steer, human(2))), Ok(Placement::Steer));
    bed.draft.push(Event::Handed { delivery: delivery(2) });
    bed.end(Outcome::Completed, Source::Protocol);
    assert_eq!(bed.receipt(2), Some(Receipt::Answered));
    assert_eq!(judge(&mut bed, Finding::Valid, 101), Some(Verdict::Valid));
    bed.assert_replays();
}

#[test]
fn a_message_that_interrupts_gives_the_answer_up() {
    // While it is checked.
    let mut bed = answered();
    bed.send(with_verb(Verb::Interrupt, human(2)));
    assert_eq!(bed.receipt(1), Some(Receipt::Interrupted));
    assert_eq!(bed.in_turn(), [2]);
    assert_eq!(judge(&mut bed, Finding::Invalid, 100), None);
    // While it is corrected, whether the agent has the correction or not.
    for handed in [true, false] {
        let mut bed = answered();
        judge(&mut bed, Finding::Invalid, 100);
        if handed {
            bed.hand();
        }
        assert_eq!(bed.accept(with_verb(Verb::Interrupt, human(2))), Ok(Placement::Interrupt));
        bed.end(Outcome::Interrupted, Source::Person);
        bed.advance();
        assert_eq!(bed.receipt(1), Some(Receipt::Interrupted), "handed: {handed}");
        assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::Interrupted), 1)));
        assert_eq!((bed.in_turn(), bed.queued()), (vec![2], vec![]), "handed: {handed}");
        bed.assert_replays();
    }
}

#[test]
fn stopping_gives_the_answer_up() {
    let mut bed = answered();
    assert!(session::hold_for_stop(&mut bed.draft));
    assert_eq!(bed.receipt(1), Some(Receipt::Interrupted));
    assert_eq!(bed.session().condition.status, Status::Idle);
    assert_eq!(judge(&mut bed, Finding::Invalid, 100), None);
    bed.assert_replays();
    for handed in [true, false] {
        let mut bed = answered();
        judge(&mut bed, Finding::Invalid, 100);
        if handed {
            bed.hand();
        }
        assert!(session::hold_for_stop(&mut bed.draft));
        bed.end(Outcome::Interrupted, Source::Person);
        assert_eq!(
            conclusion(&bed),
            Some((Conclusion::Abandoned(Abandoned::Stopped), 1)),
            "handed: {handed}"
        );
        assert!(!bed.advance() && bed.queued().is_empty(), "no correction is left for later");
        bed.assert_replays();
    }
}

#[test]
fn closing_and_clearing_give_the_answer_up() {
    let mut bed = answered();
    session::clear(&mut bed.draft).unwrap();
    assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::Cleared), 0)));
    assert_eq!(bed.session().condition.status, Status::Idle);
    bed.assert_replays();
    let mut bed = answered();
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::Closed), 0)));
    bed.assert_replays();
    let mut bed = answered();
    judge(&mut bed, Finding::Invalid, 100);
    bed.hand();
    session::close(&mut bed.draft, Source::Person);
    assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::Closed), 1)));
    assert_eq!(bed.session().condition.status, Status::Closed);
    bed.assert_replays();
}

#[test]
fn stopping_the_request_gives_the_answer_up() {
    let mut bed = answered();
    session::hold_cause(&mut bed.draft, crate::bed::cause(2));
    assert!(bed.session().check.is_some());
    session::hold_cause(&mut bed.draft, crate::bed::cause(1));
    assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::CauseStopped), 0)));
    bed.assert_replays();
    // A cause that was stopped meanwhile pays for nothing.
    let mut bed = answered();
    bed.causes.entry(1).or_default().stopped = true;
    judge(&mut bed, Finding::Invalid, 100);
    assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::CauseStopped), 1)));
    assert!(bed.queued().is_empty());
}

#[test]
fn without_a_wake_the_correction_fails_visibly() {
    let mut bed = answered();
    bed.exhaust(1);
    assert_eq!(bed.causes[&1].woken, WAKES_PER_SESSION);
    judge(&mut bed, Finding::Invalid, 100);
    assert_eq!(bed.receipt(1), Some(Receipt::Failed));
    assert_eq!(bed.receipt(100), Some(Receipt::Cancelled));
    assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::Budget), 1)));
    assert_eq!(bed.session().condition.status, Status::Error);
    bed.assert_replays();
    // Others are not kept from going on.
    bed.send(agent(2, 50));
    assert_eq!(bed.in_turn(), [2]);
}

#[test]
fn a_correction_whose_turn_fails_gives_the_answer_up() {
    for handed in [true, false] {
        let mut bed = answered();
        judge(&mut bed, Finding::Invalid, 100);
        if handed {
            bed.hand();
        }
        bed.end(Outcome::Failed, Source::ProcessExit);
        assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::Failed), 1)), "handed: {handed}");
        assert_eq!(bed.receipt(1), Some(Receipt::Failed));
        assert!(bed.queued().is_empty());
        bed.assert_replays();
    }
}

#[test]
fn a_correction_waits_for_the_end_of_a_limit() {
    let mut bed = answered();
    judge(&mut bed, Finding::Invalid, 100);
    let until = Timestamp::from_millis(now().as_millis() + 60_000);
    let ending = Ending { until: Some(until), ..Ending::of(Outcome::Failed, Source::Protocol) };
    session::end(&mut bed.draft, ending);
    assert_eq!(bed.session().check.as_ref().unwrap().stage, Stage::Correcting(delivery(100)));
    assert!(!bed.advance());
    assert!(session::unpark(&mut bed.draft, until));
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [100]);
    bed.assert_replays();
}

#[test]
fn a_restart_goes_on_with_the_check_and_asks_for_no_correction_twice() {
    let mut bed = answered();
    // Nothing is lost between the end of the turn and the check: it is in the state.
    assert_eq!(bed.session().check.as_ref().unwrap().stage, Stage::Checking);
    assert_eq!(judge(&mut bed, Finding::Invalid, 100), Some(Verdict::Correct));
    bed.hand();
    bed.restart();
    assert_eq!(bed.session().condition.status, Status::Running);
    assert!(bed.advance());
    assert_eq!(bed.in_turn(), [100], "the same correction, not another");
    assert_eq!(bed.session().check.as_ref().unwrap().corrections, 1);
    bed.complete();
    assert_eq!(judge(&mut bed, Finding::Valid, 101), Some(Verdict::Valid));
    assert_eq!(conclusion(&bed), Some((Conclusion::Valid, 1)));
    bed.assert_replays();
}

#[test]
fn a_correction_that_no_daemon_survives_is_given_up() {
    let mut bed = answered();
    judge(&mut bed, Finding::Invalid, 100);
    for _ in 0..2 {
        bed.hand();
        bed.restart();
        bed.advance();
    }
    assert_eq!(conclusion(&bed), Some((Conclusion::Abandoned(Abandoned::Attempts), 1)));
    assert_eq!(bed.receipt(1), Some(Receipt::Failed));
    assert_eq!(bed.session().condition.status, Status::Error);
    bed.assert_replays();
}
