//! Answers that have to satisfy a schema: when one is checked, corrected, accepted or given up.
//!
//! A message with a schema is settled when its answer is known to satisfy the schema or never to do so, not when its turn
//! ends. In between it is the session's [`Check`], which the log holds: a restart goes on with it.

use serde::{Deserialize, Serialize};

use super::{
    Abandoned, Accepted, Draft, Event, HeldReason, Hold, Outcome, Pending, Placement, Receipt, Session,
    Source, Status, Verdict, accept,
};
use crate::content::ContentRef;
use crate::id::{CauseId, DeliveryId, TurnId};
use crate::limits::CORRECTIONS;
use crate::time::Timestamp;

/// An answer that has to satisfy a schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The message that has the schema.
    pub delivery: DeliveryId,
    pub schema: ContentRef,
    pub cause: CauseId,
    pub hop: u32,
    /// The newest turn that answered.
    pub turn: TurnId,
    /// How many corrections were asked for.
    pub corrections: u8,
    pub stage: Stage,
    /// What the newest answer that was checked violates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violations: Option<ContentRef>,
}

/// How far a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The answer of its newest turn is to be checked.
    Checking,
    /// The agent is asked to correct it, by this message.
    Correcting(DeliveryId),
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub conclusion: Conclusion,
    pub corrections: u8,
    /// What the last answer that was checked violates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violations: Option<ContentRef>,
}

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    Valid,
    Invalid,
    Unchecked,
    Abandoned(Abandoned),
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    Valid,
    Invalid,
    /// It did not come to an end.
    Unchecked,
}

/// Returns the number of the correction that an invalid answer leads to. `None` when it is the last answer.
pub fn next_correction(check: &Check) -> Option<u8> {
    (check.corrections < CORRECTIONS).then_some(check.corrections + 1)
}

/// Takes in what the check of a turn's answer found. `correction` is sent when one is to be asked for.
///
/// Returns what that led to; `None` when no answer is expected any longer, or it was checked already.
pub fn judge(
    draft: &mut Draft,
    turn: TurnId,
    finding: Finding,
    violations: Option<ContentRef>,
    correction: Option<Accepted>,
) -> Option<Verdict> {
    let check = draft.session.check.as_ref()?;
    if check.stage != Stage::Checking || check.turn != turn {
        return None;
    }
    let delivery = check.delivery;
    let correction = correction.filter(|_| next_correction(check).is_some());
    let verdict = match (finding, &correction) {
        (Finding::Valid, _) => Verdict::Valid,
        (Finding::Unchecked, _) => Verdict::Unchecked,
        (Finding::Invalid, Some(_)) => Verdict::Correct,
        (Finding::Invalid, None) => Verdict::Invalid,
    };
    let correction = correction.filter(|_| verdict == Verdict::Correct).map(|correction| Accepted {
        corrects: Some(delivery),
        schema: Some(check.schema.clone()),
        cause: check.cause,
        hop: check.hop,
        ..correction
    });
    draft.push(Event::AnswerChecked { delivery, turn, verdict, violations });
    if let Some(correction) = correction {
        match accept(draft, correction, false) {
            Ok(Placement::Held(_)) => review(draft),
            Ok(_) => {}
            Err(_) => abandon(draft, Abandoned::Failed),
        }
    }
    Some(verdict)
}

/// Gives an answer up, if one is waited for. A correction that waits is taken back.
pub(super) fn abandon(draft: &mut Draft, reason: Abandoned) {
    let Some(check) = &draft.session.check else { return };
    let delivery = check.delivery;
    if let Stage::Correcting(correction) = check.stage
        && draft.session.queue.iter().any(|pending| pending.id == correction)
    {
        draft.push(Event::Cancelled { delivery: correction });
    }
    draft.push(Event::AnswerAbandoned { delivery, reason });
}

/// Gives an answer up whose correction will not be answered without a person.
pub(super) fn review(draft: &mut Draft) {
    if let Some(reason) = stuck(&draft.session) {
        abandon(draft, reason);
    }
}

/// Says whether a turn would be for a correction.
pub(super) fn is_correction(session: &Session, deliveries: &[DeliveryId]) -> bool {
    let correction = session.check.as_ref().map(|check| check.stage);
    matches!(correction, Some(Stage::Correcting(correction)) if deliveries.contains(&correction))
}

fn stuck(session: &Session) -> Option<Abandoned> {
    let Stage::Correcting(correction) = session.check.as_ref()?.stage else { return None };
    let is_it = |pending: &&Pending| pending.id == correction;
    if session
        .turn
        .as_ref()
        .is_some_and(|turn| turn.deliveries.iter().any(|pending| pending.id == correction))
    {
        return None;
    }
    let ended = session.history.ended.as_ref();
    let Some(waiting) = session.queue.iter().find(is_it) else {
        let failed = ended.is_some_and(|ended| ended.outcome == Outcome::Failed);
        return Some(match session.hold {
            _ if failed => Abandoned::Failed,
            Hold::Stopped => Abandoned::Stopped,
            _ => Abandoned::Interrupted,
        });
    };
    let interrupted =
        ended.is_some_and(|ended| ended.source == Source::Person && ended.returned.contains(&correction));
    match waiting.held {
        Some(HeldReason::Stopped | HeldReason::Paused) => Some(Abandoned::Stopped),
        Some(HeldReason::Budget) => Some(Abandoned::Budget),
        Some(HeldReason::Attempts) => Some(Abandoned::Attempts),
        Some(HeldReason::CauseStopped) => Some(Abandoned::CauseStopped),
        None if interrupted => Some(Abandoned::Interrupted),
        // Until a limit ends it waits, and is tried again.
        None if session.hold == Hold::Error && session.parked().is_none() => Some(Abandoned::Failed),
        None => None,
    }
}

impl Abandoned {
    /// Returns the outcome of the message.
    pub fn receipt(self) -> Receipt {
        match self {
            Self::Stopped | Self::Interrupted | Self::Closed | Self::Cleared | Self::CauseStopped => {
                Receipt::Interrupted
            }
            Self::Budget | Self::Failed | Self::Attempts => Receipt::Failed,
        }
    }

    /// Puts it into words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Stopped => "a person stopped the agent",
            Self::Interrupted => "a person interrupted it",
            Self::Closed => "the agent was closed",
            Self::Cleared => "the transcript was cleared",
            Self::CauseStopped => "a person stopped the request",
            Self::Budget => "no wakes are left to ask for a correction",
            Self::Failed => "the correction turn failed",
            Self::Attempts => "the agent failed to answer the correction several times",
        }
    }
}

impl Session {
    /// Takes in that a turn answered a message. Says whether the answer is to be checked before the message is settled.
    pub(super) fn answered(&mut self, pending: &Pending, turn: TurnId) -> bool {
        match (&pending.schema, pending.corrects, &mut self.check) {
            (Some(schema), None, None) => {
                self.check = Some(Box::new(Check {
                    delivery: pending.id,
                    schema: (**schema).clone(),
                    cause: pending.cause,
                    hop: pending.hop,
                    turn,
                    corrections: 0,
                    stage: Stage::Checking,
                    violations: None,
                }));
                true
            }
            (_, Some(corrected), Some(check)) if check.delivery == corrected => {
                check.turn = turn;
                check.stage = Stage::Checking;
                // The correction itself is answered.
                false
            }
            _ => false,
        }
    }

    pub(super) fn answer_checked(
        &mut self,
        turn: TurnId,
        verdict: Verdict,
        violations: Option<ContentRef>,
        at: Timestamp,
    ) {
        let Some(check) = &mut self.check else { return };
        check.violations = violations;
        let (conclusion, receipt, status, code) = match verdict {
            Verdict::Correct => {
                check.corrections = check.corrections.saturating_add(1);
                return;
            }
            Verdict::Valid => (Conclusion::Valid, Receipt::Answered, Status::Idle, None),
            Verdict::Invalid => (Conclusion::Invalid, Receipt::Failed, Status::Error, Some("answer_invalid")),
            Verdict::Unchecked => {
                (Conclusion::Unchecked, Receipt::Failed, Status::Error, Some("answer_unchecked"))
            }
        };
        self.conclude(conclusion, receipt, Some(turn));
        if self.turn.is_none() {
            self.enter(status, Source::Daemon, at);
            self.condition.code = code.map(str::to_owned);
        }
    }

    pub(super) fn answer_abandoned(&mut self, reason: Abandoned, at: Timestamp) {
        let Some(turn) = self.check.as_ref().map(|check| check.turn) else { return };
        let receipt = reason.receipt();
        self.conclude(Conclusion::Abandoned(reason), receipt, Some(turn));
        // How a turn ended says more than that nothing is waited for.
        if self.turn.is_none() && self.condition.status.is_busy() {
            let failed = receipt == Receipt::Failed;
            self.enter(if failed { Status::Error } else { Status::Idle }, Source::of_abandoned(reason), at);
            self.condition.code = failed.then(|| "answer_abandoned".to_owned());
        }
    }

    fn conclude(&mut self, conclusion: Conclusion, receipt: Receipt, turn: Option<TurnId>) {
        if let Some(check) = self.check.take() {
            let Check { delivery, corrections, violations, .. } = *check;
            self.settle(delivery, receipt, turn, Some(Checked { conclusion, corrections, violations }));
        }
    }
}

impl Source {
    fn of_abandoned(reason: Abandoned) -> Self {
        match reason.receipt() {
            Receipt::Interrupted => Self::Person,
            _ => Self::Daemon,
        }
    }
}
