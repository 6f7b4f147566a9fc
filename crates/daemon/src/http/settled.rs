//! How turns ended and what became of their messages, read from the log: the state of a session knows only the newest.

use std::collections::HashMap;

use paseo_core::codec;
use paseo_core::content::ContentRef;
use paseo_core::id::{DeliveryId, SessionId, TurnId};
use paseo_core::session::{self, Checked, Conclusion, Event, Outcome, Receipt as Stage, Verdict};
use paseo_store::{Body, Record, Seq, Version};
use paseo_wire::item::ItemView;

use super::App;
use crate::failure::Failure;
use crate::view;

/// Control events that are read at once.
const PAGE: usize = 256;

/// What the log says about some messages.
#[derive(Default)]
pub(super) struct Settling {
    messages: HashMap<DeliveryId, Course>,
    /// How turns ended, of all events that were read.
    pub(super) outcomes: HashMap<TurnId, Outcome>,
    /// How many of the messages have no outcome yet.
    open: usize,
}

/// What was read of one message.
#[derive(Default)]
struct Course {
    turn: Option<TurnId>,
    stage: Option<Stage>,
    checked: Option<Checked>,
    corrections: u8,
    violations: Option<ContentRef>,
    /// A correction of its answer was asked for.
    correcting: bool,
}

/// How a message ended.
pub(super) struct Past {
    pub(super) stage: Stage,
    /// How the check of its answer ended.
    pub(super) checked: Option<Checked>,
}

impl Settling {
    /// Begins with messages, each with the turn that is known to have taken it.
    pub(super) fn of(messages: impl IntoIterator<Item = (DeliveryId, Option<TurnId>)>) -> Self {
        let messages: HashMap<_, _> =
            messages.into_iter().map(|(id, turn)| (id, Course { turn, ..Course::default() })).collect();
        Self { open: messages.len(), messages, ..Self::default() }
    }

    /// Returns how a message ended, once it has.
    pub(super) fn past(&self, delivery: DeliveryId) -> Option<Past> {
        let course = self.messages.get(&delivery)?;
        Some(Past { stage: course.stage?, checked: course.checked.clone() })
    }

    /// Says whether nothing that comes later changes what is known. An answer is checked before the next turn begins.
    fn is_over(&self, event: &Event) -> bool {
        self.open == 0 && matches!(event, Event::TurnOpened { .. })
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::TurnOpened { turn, deliveries, .. } => {
                deliveries.iter().for_each(|id| self.enter(*id, *turn));
            }
            Event::Handing { delivery, turn } => self.enter(*delivery, *turn),
            // It waits for another turn: how this one ends is nothing to it.
            Event::Returned { delivery, .. } => {
                if let Some(course) = self.messages.get_mut(delivery) {
                    course.turn = None;
                }
            }
            Event::Cancelled { delivery } => {
                if let Some(course) = self.messages.get_mut(delivery) {
                    course.stage = Some(Stage::Cancelled);
                }
            }
            Event::TurnEnded { turn, outcome, .. } => {
                self.outcomes.insert(*turn, *outcome);
                for course in self.messages.values_mut().filter(|course| course.turn == Some(*turn)) {
                    course.stage = Some(match outcome {
                        Outcome::Completed => Stage::Answered,
                        Outcome::Failed => Stage::Failed,
                        Outcome::Interrupted => Stage::Interrupted,
                    });
                }
            }
            Event::AnswerChecked { delivery, verdict, violations, .. } => {
                let Some(course) = self.messages.get_mut(delivery) else { return };
                course.violations.clone_from(violations);
                let (stage, conclusion) = match verdict {
                    Verdict::Correct => {
                        course.corrections += 1;
                        course.correcting = true;
                        return self.count();
                    }
                    Verdict::Valid => (Stage::Answered, Conclusion::Valid),
                    Verdict::Invalid => (Stage::Failed, Conclusion::Invalid),
                    Verdict::Unchecked => (Stage::Failed, Conclusion::Unchecked),
                };
                course.conclude(stage, conclusion);
            }
            Event::AnswerAbandoned { delivery, reason } => {
                let Some(course) = self.messages.get_mut(delivery) else { return };
                course.conclude(reason.receipt(), Conclusion::Abandoned(*reason));
            }
            _ => return,
        }
        self.count();
    }

    fn enter(&mut self, delivery: DeliveryId, turn: TurnId) {
        if let Some(course) = self.messages.get_mut(&delivery) {
            course.turn = Some(turn);
        }
    }

    fn count(&mut self) {
        let is_open = |course: &&Course| course.stage.is_none() || course.correcting;
        self.open = self.messages.values().filter(is_open).count();
    }
}

impl Course {
    fn conclude(&mut self, stage: Stage, conclusion: Conclusion) {
        self.stage = Some(stage);
        self.correcting = false;
        let (corrections, violations) = (self.corrections, self.violations.clone());
        self.checked = Some(Checked { conclusion, corrections, violations });
    }
}

/// Reads on from an event of the log until the outcome of all messages is known, or to the end.
pub(super) async fn read(
    app: &App,
    id: SessionId,
    from: Seq,
    mut settling: Settling,
) -> Result<Settling, Failure> {
    let (stream, log) = (session::stream(id), &app.sessions.context.journal.log);
    let mut after = before(app, &stream, from).await?;
    loop {
        let records = log.read_stream(&stream, after, PAGE).await?;
        let Some(version) = records.last().map(version) else { return Ok(settling) };
        after = version;
        for record in records {
            let Some(data) = &record.data else { continue };
            let event = codec::decode::<Event>(&record.kind, record.v, data).map_err(Failure::internal)?;
            let Some(event) = event else { continue };
            if settling.is_over(&event) {
                return Ok(settling);
            }
            settling.take(&event);
        }
    }
}

/// Returns the version of the last control event of a stream that is below an event of the log.
async fn before(app: &App, stream: &str, from: Seq) -> Result<Version, Failure> {
    let log = &app.sessions.context.journal.log;
    let mut low = 0;
    let mut high = match from {
        0 | 1 => 0,
        _ => log.head(stream).await?.map_or(0, |head| head.version),
    };
    // Versions have no gaps, and are in the order of the log.
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        let found = log.read_stream(stream, middle - 1, 1).await?;
        match found.first() {
            Some(record) if record.seq < from => low = middle,
            _ => high = middle - 1,
        }
    }
    Ok(low)
}

fn version(record: &Record) -> Version {
    match record.body {
        Body::Control { version } => version,
        Body::Item { .. } => 0,
    }
}

/// Returns the message that an item is, and the turn that took it.
pub(super) fn message(item: &ItemView) -> Option<(DeliveryId, Option<TurnId>)> {
    let delivery = item.delivery()?.parse().ok()?;
    Some((delivery, item.turn.as_ref().and_then(|turn| turn.parse().ok())))
}

/// Says of the messages among the items of a page what became of each.
pub(super) async fn settle(app: &App, id: SessionId, items: &mut [ItemView]) -> Result<(), Failure> {
    let context = &app.sessions.context;
    let session = context.directory.at(id, 0, &context.journal).await?;
    let known = |delivery| session.as_ref().and_then(|session| session.receipt(delivery));
    let forgotten = |item: &&ItemView| message(item).is_some_and(|(delivery, _)| known(delivery).is_none());
    let settling = match items.iter().find(forgotten) {
        Some(first) => {
            let messages = items.iter().filter(forgotten).filter_map(message);
            read(app, id, first.seq, Settling::of(messages)).await?
        }
        None => Settling::default(),
    };
    for item in items {
        let Some((delivery, _)) = message(item) else { continue };
        let stage = known(delivery).or_else(|| settling.past(delivery).map(|past| past.stage));
        if let Some(stage) = stage {
            item.settle(view::receipt(stage).0);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use paseo_core::session::Source;

    use super::*;
    use crate::mint;

    fn opened(turn: TurnId, delivery: DeliveryId) -> Event {
        Event::TurnOpened { turn, cause: mint::cause(), hop: 0, deliveries: vec![delivery] }
    }

    fn ended(turn: TurnId, outcome: Outcome) -> Event {
        Event::TurnEnded { turn, outcome, source: Source::Protocol, code: None, until: None }
    }

    /// Returns the outcome of a message, and how many of the events are read for it.
    fn read(delivery: DeliveryId, events: &[Event]) -> (Option<Stage>, usize) {
        let mut settling = Settling::of([(delivery, None)]);
        let over = events.iter().position(|event| {
            let over = settling.is_over(event);
            if !over {
                settling.take(event);
            }
            over
        });
        (settling.past(delivery).map(|past| past.stage), over.unwrap_or(events.len()))
    }

    #[test]
    fn a_message_ends_with_its_turn_unless_it_went_back_to_the_queue() {
        let (message, other) = (mint::delivery(), mint::delivery());
        let turns = [mint::turn(), mint::turn(), mint::turn()];
        let events = [
            opened(turns[0], message),
            Event::Returned { delivery: message, repeat: true },
            ended(turns[0], Outcome::Failed),
            opened(turns[1], message),
            ended(turns[1], Outcome::Interrupted),
            opened(turns[2], other),
            ended(turns[2], Outcome::Completed),
        ];
        assert_eq!(read(message, &events), (Some(Stage::Interrupted), 5));
        assert_eq!(read(other, &events), (Some(Stage::Answered), 7));
        assert_eq!(read(mint::delivery(), &events), (None, 7));
    }

    #[test]
    fn an_answer_counts_once_its_last_correction_was_checked() {
        let (message, correction) = (mint::delivery(), mint::delivery());
        let turns = [mint::turn(), mint::turn(), mint::turn()];
        let checked =
            |turn, verdict| Event::AnswerChecked { delivery: message, turn, verdict, violations: None };
        let events = [
            opened(turns[0], message),
            ended(turns[0], Outcome::Completed),
            checked(turns[0], Verdict::Correct),
            opened(turns[1], correction),
            ended(turns[1], Outcome::Completed),
            checked(turns[1], Verdict::Invalid),
            opened(turns[2], mint::delivery()),
        ];
        assert_eq!(read(message, &events), (Some(Stage::Failed), 6));
    }
}
