//! The coordinator: wakes participants, brings their replies, says what went wrong. A visible participant itself.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::codec;
use paseo_core::id::{DeliveryId, PostId, SessionId, ThreadId};
use paseo_core::session::{Class, Verb};
use paseo_core::thread::{self, Due, Event, Line, Posted, Thread, Work};
use paseo_store::{Record, Which};
use paseo_wire::error::Code;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::Threads;
use super::room::Change;
use crate::desk::Done;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{Command, Message, RequestKey};

/// How many events are looked through for what was said before.
const BEFORE: usize = 500;
/// Participants whose places are kept before those whom nobody wakes are forgotten.
const PLACES: usize = 1024;

impl Threads {
    /// Wakes whoever is due, and goes on with what was under way when the daemon ended.
    pub(crate) async fn boot(&self) -> Result<(), Failure> {
        let mut after: Option<String> = None;
        loop {
            let log = &self.sessions.context.journal.log;
            let heads = log.heads("thread/", Which::Live, after.as_deref(), 500).await?;
            let Some(last) = heads.last() else {
                self.close_strays();
                return Ok(());
            };
            after = Some(last.stream.to_string());
            for id in heads.iter().filter_map(|row| thread::from_stream(&row.stream)) {
                let thread = match self.get(id).await {
                    Ok(thread) => thread,
                    // It was deleted just before the end.
                    Err(failure) if failure.code == Code::NotFound => {
                        if let Err(failure) = self.clear_away(&Actor::Daemon, id).await {
                            tracing::error!(thread = %id, error = %failure.message, "cannot clean up after a deleted thread");
                        }
                        continue;
                    }
                    Err(failure) => {
                        tracing::error!(thread = %id, error = %failure.message, "cannot resume a thread");
                        continue;
                    }
                };
                if let Err(failure) = self.release(id).await {
                    tracing::error!(thread = %id, error = %failure.message, "cannot release held replies");
                }
                for (seat, session, work) in thread.works() {
                    self.see_through(id, seat.to_owned(), session, work);
                }
                self.dismiss(&thread).await;
                self.wake_due(id);
            }
        }
    }

    /// Wakes whoever is due in a thread. Each on its own: nobody waits for anybody else, but each is told things in the
    /// order in which they were said.
    pub(super) fn wake_due(&self, id: ThreadId) {
        let this = self.clone();
        tokio::spawn(async move {
            let due = match this.get(id).await {
                Ok(thread) => thread.due,
                // Whoever was due in a thread that was deleted meanwhile is not any more.
                Err(failure) if failure.code == Code::NotFound => return,
                Err(failure) => {
                    return tracing::error!(thread = %id, error = %failure.message, "cannot wake participants");
                }
            };
            let mut seats: BTreeMap<String, Vec<Due>> = BTreeMap::new();
            for due in due {
                seats.entry(due.seat.clone()).or_default().push(due);
            }
            for due in seats.into_values() {
                let this = this.clone();
                tokio::spawn(async move {
                    for due in due {
                        this.wake(id, due).await;
                    }
                });
            }
        });
    }

    /// Wakes a participant, once.
    pub(super) async fn wake(&self, id: ThreadId, due: Due) {
        let alone = self.waking.alone(id, &due.seat).await;
        let woken = match self.hand_over(id, &due).await {
            Ok(Some((session, delivery))) => self.woken(id, &due, session, delivery).await,
            Ok(None) => {
                drop(alone);
                return self.close_stray(id, &due.seat).await;
            }
            Err(failure) => Err(failure),
        };
        drop(alone);
        match woken {
            // Elsewhere it has a session of its own; the former one has nothing more to do.
            Ok(thread) => self.dismiss(&thread).await,
            Err(failure) => {
                // Nobody works for a thread that was deleted meanwhile.
                if self.is_gone(id).await {
                    if let Err(failure) = self.clear_away(&Actor::Daemon, id).await {
                        tracing::error!(thread = %id, error = %failure.message, "cannot clean up after a deleted thread");
                    }
                    return;
                }
                let why = failure
                    .hint
                    .map_or(failure.message.clone(), |hint| format!("{}\n{hint}", failure.message));
                self.complain(id, &due, &format!("Could not wake {}: {why}", due.seat)).await;
            }
        }
    }

    /// Notes that a participant was told, and waits for what it answers.
    pub(super) async fn woken(
        &self,
        id: ThreadId,
        due: &Due,
        session: SessionId,
        delivery: DeliveryId,
    ) -> Result<Arc<Thread>, Failure> {
        let (post, seat) = (due.post, due.seat.clone());
        let thread = self.note(id, Event::Woken { post, seat, session, delivery }).await?;
        let work = Work { post: due.post, at: due.at, delivery };
        self.see_through(id, due.seat.clone(), session, work);
        Ok(thread)
    }

    /// Tells a participant what was said. `None` when it is not due any more.
    pub(super) async fn hand_over(
        &self,
        id: ThreadId,
        due: &Due,
    ) -> Result<Option<(SessionId, DeliveryId)>, Failure> {
        let thread = self.get(id).await?;
        let Some(seat) = thread.invited.get(&due.seat).filter(|_| thread.due.contains(due)) else {
            return Ok(None);
        };
        // It was given a token since: whoever holds that answers.
        if self.is_elsewhere(&thread, &due.seat) {
            self.note(id, Event::Settled { post: due.post, seat: due.seat.clone() }).await?;
            return Ok(None);
        }
        let trigger = self.trigger(&thread, due.at).await?;
        let known = match seat.session {
            Some(session) => self.sessions.context.journal.session(session).await?,
            None => None,
        };
        // Where it works it was told when it began: elsewhere it begins anew, and knows nothing of what was said.
        let known = known.filter(|(known, _)| Some(&known.profile.directory) == thread.directory.as_ref());
        let (session, told) = match known {
            Some((known, _)) => (known.id, seat.told),
            None => (self.seat(&thread, due, seat, &trigger).await?, 0),
        };
        let (before, left_out) = self.before(&thread, &due.seat, told, due.at).await?;
        let author: Actor = trigger.by.clone();
        if author.is_human() {
            self.sessions.ask(session, |reply| Command::Reopen(author.clone(), reply)).await?;
        }
        let (cause, hop) = (trigger.posted.cause, trigger.posted.hop);
        // Words of others come from nobody, and beside those of whoever wakes it.
        if let Some(text) = thread::before(&thread, &before, left_out) {
            let message = Message {
                attachments: Vec::new(),
                origin: Actor::Daemon,
                text,
                verb: Verb::Queue,
                class: Class::Passive,
                waited: false,
                aside: true,
                schema: None,
                notify: None,
                cause: Some((cause, hop)),
                key: Some(once(id, due, "before")),
            };
            self.sessions.ask(session, |reply| Command::Deliver(message, reply)).await?;
        }
        let text = thread::call(&thread, &due.seat, &trigger.line);
        let message = Message {
            attachments: Vec::new(),
            origin: author,
            text,
            verb: Verb::Queue,
            class: Class::Message,
            waited: true,
            aside: true,
            schema: None,
            notify: None,
            cause: Some((cause, hop)),
            key: Some(once(id, due, "call")),
        };
        let receipt = self.sessions.ask(session, |reply| Command::Deliver(message, reply)).await?;
        Ok(Some((session, receipt.delivery.parse().map_err(Failure::internal)?)))
    }

    /// Returns what was said before a message that a participant does not know, the oldest first, and how much more
    /// there was. What is not told is not read: messages may be long, and many.
    pub(super) async fn before(
        &self,
        thread: &Thread,
        seat: &str,
        told: u64,
        at: u64,
    ) -> Result<(Vec<Line>, usize), Failure> {
        let after = told.max(at.saturating_sub(1 + BEFORE as u64));
        let records = self.events(thread.id, after, BEFORE).await?;
        let earlier = records.iter().zip(after + 1..).take_while(|(_, version)| *version < at);
        let said: Vec<Posted> = earlier.filter_map(|(record, _)| posted(record)).collect();
        let (chosen, left_out) = thread::recall(seat, &said);
        let mut lines = Vec::with_capacity(chosen.len());
        for posted in chosen {
            lines.push(Line::earlier(posted, &self.words(posted).await?));
        }
        Ok((lines, left_out))
    }

    /// Returns what a participant is woken by, and who said it.
    pub(super) async fn trigger(&self, thread: &Thread, at: u64) -> Result<Trigger, Failure> {
        let records = self.events(thread.id, at.saturating_sub(1), 1).await?;
        let found = records.first().and_then(|record| Some((record, posted(record)?)));
        let (record, posted) = found.ok_or_else(|| {
            Failure::internal("the message that woke a participant is missing from the thread")
        })?;
        let by = record.actor.parse().map_err(Failure::internal)?;
        let line =
            Line { from: posted.from.clone(), to: posted.to.clone(), words: self.words(&posted).await? };
        Ok(Trigger { by, line, posted })
    }

    async fn words(&self, posted: &Posted) -> Result<String, Failure> {
        Ok(self.sessions.context.journal.log.text(posted.text.id.uuid()).await?.unwrap_or_default())
    }

    /// Says to all why a participant was not woken, and that it is over.
    async fn complain(&self, id: ThreadId, due: &Due, words: &str) {
        let settled = self.note(id, Event::Settled { post: due.post, seat: due.seat.clone() }).await;
        let said = self.remark(id, Some(due.post), words, &["error"], None).await;
        if let Err(failure) = settled.and(said)
            && failure.code != Code::NotFound
        {
            tracing::error!(thread = %id, error = %failure.message, words, "cannot post a remark");
        }
    }

    /// Lets the coordinator say something; with a key once, however often it is started again.
    pub(super) async fn remark(
        &self,
        id: ThreadId,
        reply_to: Option<PostId>,
        words: &str,
        tags: &[&str],
        key: Option<RequestKey>,
    ) -> Result<(), Failure> {
        let _team = match self.in_open_team(id, &Actor::Daemon).await {
            // Nothing is said in a team that was closed.
            Err(closed) if closed.code == Code::Conflict => return Ok(()),
            team => team?,
        };
        let done = self.rooms.change(
            &Actor::Daemon,
            &id,
            key,
            |thread, change: &mut Change| {
                let text = change.text(words);
                let paid = (thread.standing.unwrap_or_else(mint::cause), 1);
                let told = Posted::remark(mint::post(), text, reply_to, paid);
                change.events.push(Event::Posted(Box::new(told.tagged(tags))));
                Ok(())
            },
            |()| String::new(),
        );
        done.await.map(drop)
    }

    /// Notes something about a thread.
    pub(super) async fn note(&self, id: ThreadId, event: Event) -> Result<Arc<Thread>, Failure> {
        let decide = |_: &Thread, change: &mut Change| {
            change.events.push(event.clone());
            Ok(())
        };
        match self.rooms.change(&Actor::Daemon, &id, None, decide, |()| String::new()).await? {
            Done::New(thread, ()) => Ok(thread),
            Done::Repeat(_) => self.rooms.get(&id).await,
        }
    }
}

/// Makes the key by which a participant is told something once, however often it is tried.
pub(super) fn once(id: ThreadId, due: &Due, what: &str) -> RequestKey {
    told_once(id, due.post, &due.seat, what)
}

/// The same for what all are told of a participant.
pub(super) fn told_once(id: ThreadId, post: PostId, seat: &str, what: &str) -> RequestKey {
    RequestKey { scope: thread::stream(id), key: format!("{what} {post}/{seat}"), body: [0; 32] }
}

/// What a participant is woken by.
pub(super) struct Trigger {
    pub(super) by: Actor,
    pub(super) posted: Posted,
    pub(super) line: Line,
}

pub(super) fn posted(record: &Record) -> Option<Posted> {
    let data = record.data.as_deref()?;
    match codec::decode::<Event>(&record.kind, record.v, data).ok()?? {
        Event::Posted(posted) => Some(*posted),
        _ => None,
    }
}

/// Who is being woken right now: nobody is woken for two things at once, else there were two sessions behind a seat.
#[derive(Clone, Default)]
pub(super) struct Waking(super::Shared<HashMap<(ThreadId, String), Place>>);

/// Held by whoever wakes a participant.
type Place = Arc<Mutex<()>>;

impl Waking {
    /// Waits until nobody else wakes this participant, nor has it come or go.
    pub(super) async fn alone(&self, thread: ThreadId, seat: &str) -> OwnedMutexGuard<()> {
        let place = {
            let mut all = self.0.lock();
            if all.len() >= PLACES {
                all.retain(|_, place| Arc::strong_count(place) > 1);
            }
            Arc::clone(all.entry((thread, seat.to_owned())).or_default())
        };
        place.lock_owned().await
    }
}
