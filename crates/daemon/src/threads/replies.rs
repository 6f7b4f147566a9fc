//! What woken participants answer: waited for, brought, kept while they may not speak.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::cut;
use paseo_core::id::{SessionId, ThreadId, TurnId};
use paseo_core::limits::MESSAGE_BYTES;
use paseo_core::session::{self, Receipt as Stage, Session, Setback, Settled, Source, Status};
use paseo_core::thread::{self, Event, Held, Posted, Silence, Work};
use paseo_wire::error::Code;
use tokio::time::{Instant, sleep_until};

use super::coordinator::told_once;
use super::{Done, Threads};
use crate::failure::Failure;
use crate::mint;
use crate::tools::answers::{self, Extent};

impl Threads {
    /// Waits for what a woken participant answers, and brings it.
    pub(super) fn see_through(&self, id: ThreadId, seat: String, session: SessionId, work: Work) {
        let this = self.clone();
        tokio::spawn(async move {
            let outcome = this.outcome(id, &seat, session, work).await;
            let brought = match outcome {
                Ok(answer) => this.bring(id, &seat, session, work, answer).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = brought
                // Nobody waits for it in a thread that was deleted.
                && !this.is_gone(id).await
            {
                tracing::error!(thread = %id, seat, error = %failure.message, "cannot deliver a reply");
            }
        });
    }

    /// Waits for the end of the turn that took a message up.
    async fn outcome(
        &self,
        id: ThreadId,
        seat: &str,
        session: SessionId,
        work: Work,
    ) -> Result<Answer, Failure> {
        let context = &self.sessions.context;
        let mut patience = Instant::now().checked_add(self.patience);
        let (mut told_held, mut told_waiting, mut told_closed) = (false, false, false);
        let mut told_setback = None;
        // Not again by a daemon that is started again.
        let key = |what: &str| Some(told_once(id, work.post, seat, what));
        loop {
            // Before looking, so that nothing is missed in between.
            let changed = context.directory.changes();
            let Some((known, _)) = context.journal.session(session).await? else {
                return Ok(Answer::Failed(format!("{seat} was deleted before it answered")));
            };
            let settled = known.recent.iter().rev().find(|settled| settled.id == work.delivery);
            if let Some(settled) = settled {
                return self.answer(id, seat, &known, settled, work).await;
            }
            let setback = session::setback(&known, work.delivery);
            match (known.receipt(work.delivery), setback) {
                // It failed before it took it up, or at what came before it.
                (Some(_), Some(setback)) => {
                    // Once for each message: what is tried again and fails again is said of the newer one.
                    if told_setback.replace(setback.again) != Some(setback.again) {
                        self.set_back(id, seat, session, work, setback).await?;
                    }
                }
                (None, _) => return Ok(Answer::Failed(format!("the message to {seat} was lost"))),
                // It is there still when somebody opens it.
                (Some(_), None) if !known.is_open() => {
                    if !told_closed {
                        told_closed = true;
                        let words = format!(
                            "{seat} is not working on this: its agent is closed. Send it a message to continue."
                        );
                        self.remark(id, Some(work.post), &words, &["error"], key("closed")).await?;
                    }
                }
                (Some(Stage::Held(_)), None) if !told_held => {
                    told_held = true;
                    let words = format!(
                        "{seat} is not working on this: it was stopped, or its budget of {} turns without \
                         a person is used up. Send it a message to continue.",
                        paseo_core::limits::WAKES_PER_SESSION
                    );
                    self.remark(id, Some(work.post), &words, &["error"], key("held")).await?;
                }
                // People who follow the thread would wait for nothing.
                (Some(Stage::Handed), None) if known.condition.status == Status::Waiting && !told_waiting => {
                    told_waiting = true;
                    let words = format!(
                        "{seat} is waiting for permission. Run `paseo permit ls` to see the request."
                    );
                    self.remark(id, Some(work.post), &words, &["waiting"], key("waiting")).await?;
                }
                (Some(_), None) => {}
            }
            let late = async {
                match patience {
                    Some(until) => sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = changed => {}
                // Whoever was told that it does not go on is not told that it does.
                () = late => {
                    patience = None;
                    if setback.is_some() {
                        continue;
                    }
                    let words = format!("{seat} has not answered within {} and is still working.", lasting(self.patience));
                    self.remark(id, Some(work.post), &words, &["error", "timeout"], key("late")).await?;
                }
            }
        }
    }

    /// Says to all that a participant does not work on something, why not, and what becomes of it.
    async fn set_back(
        &self,
        id: ThreadId,
        seat: &str,
        session: SessionId,
        work: Work,
        setback: Setback,
    ) -> Result<(), Failure> {
        let account = answers::of_turn(&self.sessions, session, setback.turn, Extent::AnswerHead(0)).await?;
        let why = account.error().map(|why| format!(": {why}")).unwrap_or_default();
        let handle = self.sessions.context.directory.handle(session);
        let words = format!(
            "{seat} failed before it accepted the message{why}\n\n{} Run `paseo why {handle}` for details.",
            setback.again.words()
        );
        let key = told_once(id, work.post, seat, &format!("setback {:?}", setback.again));
        self.remark(id, Some(work.post), &words, &["error"], Some(key)).await
    }

    async fn answer(
        &self,
        id: ThreadId,
        seat: &str,
        known: &Session,
        settled: &Settled,
        work: Work,
    ) -> Result<Answer, Failure> {
        let account = match settled.turn {
            Some(turn) => answers::of_turn(&self.sessions, known.id, turn, Extent::Answer).await?,
            None => Default::default(),
        };
        Ok(match settled.receipt {
            Stage::Answered => Answer::Words(account.answer().unwrap_or_else(|| "[no output]".to_owned())),
            Stage::Failed => {
                let why = account.error().map(|why| format!(": {why}")).unwrap_or_default();
                Answer::Failed(format!("{seat} failed{why}"))
            }
            Stage::Cancelled => {
                let trigger = self.trigger(&self.get(id).await?, work.at).await?;
                let asked = beginning(&trigger.line.words);
                Answer::Failed(format!("{seat} will not answer {asked}: a person canceled the message"))
            }
            _ => {
                let trigger = self.trigger(&self.get(id).await?, work.at).await?;
                let asked = beginning(&trigger.line.words);
                let how = stopped_by(known, settled.turn);
                Answer::Failed(format!(
                    "{seat} was stopped before it answered {asked}, {how}; send it again if it is still \
                     needed"
                ))
            }
        })
    }

    /// Posts what a participant answered, or keeps it while it may not speak.
    async fn bring(
        &self,
        id: ThreadId,
        seat: &str,
        session: SessionId,
        work: Work,
        answer: Answer,
    ) -> Result<(), Failure> {
        let thread = self.get(id).await?;
        let trigger = self.trigger(&thread, work.at).await?;
        let (team, closed) = match self.in_open_team(id, &Actor::Daemon).await {
            Err(closed) if closed.code == Code::Conflict => (None, true),
            team => (team?, false),
        };
        let (by, words, failed) = match answer {
            Answer::Words(words) => {
                (Actor::Session(session), cut::within(&words, MESSAGE_BYTES).into_owned(), false)
            }
            Answer::Failed(words) => (Actor::Daemon, words, true),
        };
        let done = self.rooms.change(
            &by,
            &id,
            None,
            |thread, change| {
                // It was brought already.
                if !thread.works().any(|(by, _, waited)| by == seat && waited == work) {
                    return Ok(());
                }
                change.events.push(Event::Settled { post: work.post, seat: seat.to_owned() });
                // Nothing is said in a team that was closed.
                if closed {
                    return Ok(());
                }
                let (cause, hop) = (trigger.posted.cause, trigger.posted.hop + 1);
                let full = thread.silenced(seat).is_some() && !thread::can_hold(thread);
                let text = match full {
                    false => change.text(&words),
                    true => change.text(&format!(
                        "{seat} answered while muted or paused, and no more replies can be held: the reply \
                         is only in its transcript.",
                    )),
                };
                if failed || full {
                    let told = Posted::remark(mint::post(), text, Some(work.post), (cause, hop));
                    change.events.push(Event::Posted(Box::new(told.tagged(&["error"]))));
                    return Ok(());
                }
                let held = Held {
                    seat: seat.to_owned(),
                    reply_to: work.post,
                    text,
                    why: Silence::Paused,
                    cause,
                    hop,
                    tags: Vec::new(),
                };
                let elsewhere = |seat: &str| self.is_elsewhere(thread, seat);
                let mut event = thread::reply(thread, &words, mint::post(), held, &elsewhere);
                let mut remarks = Vec::new();
                if let Event::Posted(posted) = &mut event {
                    remarks = self.hold_back(thread, &by, posted);
                }
                change.events.push(event);
                for remark in remarks {
                    let told =
                        Posted::remark(mint::post(), change.text(&remark), Some(work.post), (cause, hop));
                    change.events.push(Event::Posted(Box::new(told)));
                }
                Ok(())
            },
            |()| String::new(),
        );
        let done = done.await?;
        drop(team);
        if let Done::New(thread, ()) = done {
            self.dismiss(&thread).await;
        }
        self.wake_due(id);
        Ok(())
    }

    /// Posts the replies whose authors may speak again.
    pub(super) async fn release(&self, id: ThreadId) -> Result<(), Failure> {
        for held in thread::released(&self.get(id).await?) {
            let team = self.in_open_team(id, &Actor::Daemon).await?;
            let done = self.rooms.change(
                &Actor::Daemon,
                &id,
                None,
                |thread, change| {
                    if thread::released(thread).contains(&held) {
                        let late = thread::late(mint::post(), held.clone());
                        change.events.push(Event::Posted(Box::new(late)));
                    }
                    Ok(())
                },
                |()| String::new(),
            );
            done.await?;
            drop(team);
        }
        Ok(())
    }
}

/// What came of it.
enum Answer {
    Words(String),
    /// In words for all.
    Failed(String),
}

/// Says who stopped a turn, as far as that is known.
fn stopped_by(session: &Session, turn: Option<TurnId>) -> &'static str {
    let ended = session.history.ended.as_ref().filter(|ended| Some(ended.turn) == turn);
    match ended.map(|ended| ended.source) {
        Some(Source::Person) => "by a person",
        Some(Source::Restart) => "with the daemon",
        _ => "by a person or with the daemon",
    }
}

/// Returns how a message begins, on one line.
fn beginning(text: &str) -> String {
    const CHARS: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => format!("\"{}…\"", &line[..end]),
        None => format!("\"{line}\""),
    }
}

/// Says how long something is, in whole minutes where it is.
fn lasting(time: Duration) -> String {
    let seconds = time.as_secs();
    let (number, unit) =
        if seconds.is_multiple_of(60) { (seconds / 60, "minute") } else { (seconds, "second") };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}
