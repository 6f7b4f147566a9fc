//! Answers that have to satisfy a schema: the check beside the actor, and the correction that may follow it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::answer::{self, Violation};
use paseo_core::id::{SessionId, TurnId};
use paseo_core::item::{Draft, Kind};
use paseo_core::session::{self, Abandoned, Check, Class, Event, Finding, Stage, Verb, Verdict as Step};
use paseo_runtime::schema::{self, Question, Unchecked, Verdict};
use paseo_wire::error::Code;
use serde_json::Value;

use super::actor::{RETRY, SessionActor};
use super::writing::place;
use super::{Context, Message, Sessions, deliver};
use crate::failure::Failure;
use crate::journal::{self, Entries};
use crate::mint;
use crate::tools::answers::{self, Extent};

/// A check that is under way. Dropping it ends the process that does it.
pub(super) struct Checking {
    turn: TurnId,
    work: Pin<Box<dyn Future<Output = Found> + Send>>,
}

impl Checking {
    /// Waits for what it finds. May be cancelled.
    pub(super) async fn found(&mut self) -> Found {
        self.work.as_mut().await
    }
}

/// What a check found.
pub(super) struct Found {
    turn: TurnId,
    finding: Finding,
    violations: Vec<Violation>,
}

impl Context {
    /// Returns a schema as it is stored, if answers can be checked against it.
    pub(crate) async fn usable_schema(&self, schema: Option<&Value>) -> Result<Option<String>, Failure> {
        let Some(schema) = schema else { return Ok(None) };
        let refused = |why: String| {
            Failure::new(Code::InvalidRequest, why).hint("see \"Structured answers\" in the documentation")
        };
        let text = answer::schema_text(schema).map_err(|error| match error {
            answer::Refused::Large(_) => {
                Failure::new(Code::TooLarge, error.to_string()).hint("use a smaller schema")
            }
            answer::Refused::Deep | answer::Refused::NotASchema => refused(error.to_string()),
        })?;
        let question = Question { schema: text, answer: None };
        match schema::ask(&self.executable, &question).await {
            Ok(Verdict::Valid | Verdict::Invalid(_)) => Ok(Some(question.schema)),
            Ok(Verdict::Unusable(why)) => Err(refused(why)),
            Err(Unchecked::Exhausted) => {
                Err(refused("the output schema takes too much time or memory to check".to_owned()))
            }
            Err(error @ Unchecked::Unavailable(_)) => Err(Failure::internal(error)),
        }
    }
}

impl SessionActor {
    /// Begins the check that is due, or ends one that is no longer needed.
    pub(super) fn look_for_check(&mut self) {
        let due = self.due_check().map(|check| check.turn);
        if self.checking.as_ref().map(|checking| checking.turn) != due {
            self.begin_check(Duration::ZERO);
        }
    }

    fn due_check(&self) -> Option<&Check> {
        self.session.check.as_deref().filter(|check| check.stage == Stage::Checking && !self.over)
    }

    fn begin_check(&mut self, pause: Duration) {
        let Some(check) = self.due_check().cloned() else {
            self.checking = None;
            return;
        };
        let (sessions, session, turn) = (self.sessions.clone(), self.id(), check.turn);
        let work = Box::pin(async move {
            tokio::time::sleep(pause).await;
            loop {
                match look(&sessions, session, &check).await {
                    Ok(found) => return found,
                    Err(failure) => {
                        tracing::error!(%session, error = %failure.message, "an answer cannot be read");
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
        self.checking = Some(Checking { turn, work });
    }

    /// Takes in what a check found: the answer will do, is to be corrected, or never will do.
    pub(super) async fn checked(&mut self, found: Found) {
        self.checking = None;
        let Found { turn, finding, violations } = found;
        let Some(check) = self.due_check().filter(|check| check.turn == turn).cloned() else { return };
        let (id, corrections, number) = (self.id(), check.corrections, session::next_correction(&check));
        // A list of plain data: it always serialises.
        let list = serde_json::to_string(&violations).unwrap_or_default();
        let stored = (!violations.is_empty()).then(|| journal::reference(&list));
        let correction = number.filter(|_| finding == Finding::Invalid).map(|number| {
            let message = correction(&check, number, &violations);
            let incoming = deliver::incoming(&message);
            self.texts.insert(incoming.text.id, message.text.clone());
            (message, incoming)
        });
        let result = self
            .change(&Actor::Daemon, |change| {
                let asked = correction.as_ref().map(|(_, incoming)| incoming.clone());
                let Some(step) = session::judge(&mut change.draft, turn, finding, stored.clone(), asked)
                else {
                    return Ok(());
                };
                if let Some(stored) = &stored {
                    change.entries.content(id, stored.id, list.clone(), None);
                }
                if let Some((message, incoming)) = correction.as_ref().filter(|_| step == Step::Correct) {
                    change.entries.content(id, incoming.text.id, message.text.clone(), None);
                }
                if let Some(said) = said(step, corrections, &violations) {
                    change.entries.item(id, mint::item(), place(Some(turn)), said);
                }
                Ok(())
            })
            .await;
        match result {
            Ok(()) if self.session.check.is_none() => self.report(),
            Ok(()) => {}
            Err(failure) => {
                tracing::error!(session = %id, error = %failure.message, "the check of an answer could not be stored");
                self.begin_check(RETRY);
            }
        }
    }
}

/// Says in the transcript that Paseo gave up on an answer.
pub(super) fn note_abandoned(entries: &mut Entries, draft: &session::Draft) {
    for event in &draft.events {
        match event {
            // Whatever the transcript says is about to be erased.
            Event::AnswerAbandoned { reason: Abandoned::Cleared, .. } => {}
            Event::AnswerAbandoned { reason, .. } => {
                let words = format!(
                    "Paseo no longer waits for an answer that satisfies the output schema: {}.",
                    reason.words()
                );
                let notice = Draft::text(Kind::Notice { code: "answer_abandoned".to_owned() }, words);
                entries.item(draft.session.id, mint::item(), place(None), notice);
            }
            _ => {}
        }
    }
}

/// Reads the answer of a turn and has it checked.
async fn look(sessions: &Sessions, session: SessionId, check: &Check) -> Result<Found, Failure> {
    let context = &sessions.context;
    let unchecked = |why: &str| (Finding::Unchecked, vec![Violation::new("", why)]);
    let (finding, violations) = match context.journal.log.text(check.schema.id.uuid()).await? {
        None => unchecked("the output schema was erased"),
        Some(schema) => {
            let answer = answers::of_turn(sessions, session, check.turn, Extent::Answer).await?.answer();
            let question = Question { schema, answer: Some(answer.unwrap_or_default()) };
            match schema::ask(&context.executable, &question).await {
                Ok(Verdict::Valid) => (Finding::Valid, Vec::new()),
                Ok(Verdict::Invalid(violations)) => (Finding::Invalid, violations),
                Ok(Verdict::Unusable(why)) => unchecked(&why),
                Err(error) => unchecked(&error.to_string()),
            }
        }
    };
    Ok(Found { turn: check.turn, finding, violations })
}

fn correction(check: &Check, number: u8, violations: &[Violation]) -> Message {
    Message {
        origin: Actor::Daemon,
        text: answer::correction(number, violations),
        attachments: Vec::new(),
        verb: Verb::Queue,
        class: Class::Message,
        waited: true,
        aside: false,
        // Core adds the one that the request has.
        schema: None,
        notify: None,
        cause: Some((check.cause, check.hop)),
        key: None,
    }
}

/// Returns what the transcript says of a step. A correction stands there itself, as the message that it is.
fn said(step: Step, corrections: u8, violations: &[Violation]) -> Option<Draft> {
    let listed = answer::listed(violations);
    let after = match corrections {
        0 => String::new(),
        1 => " after 1 correction".to_owned(),
        corrections => format!(" after {corrections} corrections"),
    };
    let error = |code: &str, text: String| Draft::text(Kind::Error { code: code.to_owned() }, text);
    match step {
        Step::Correct => None,
        Step::Valid => {
            let notice = Kind::Notice { code: "answer_valid".to_owned() };
            Some(Draft::text(notice, format!("The answer satisfies the output schema{after}.")))
        }
        Step::Invalid => Some(error(
            "answer_invalid",
            format!("The answer does not satisfy the output schema{after}:\n{listed}"),
        )),
        Step::Unchecked => Some(error(
            "answer_unchecked",
            format!("The answer could not be checked against its output schema:\n{listed}"),
        )),
    }
}
