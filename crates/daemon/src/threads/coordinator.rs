//! The coordinator: wakes participants, brings their replies, says what went wrong. A visible participant itself.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::codec;
use paseo_core::id::{DeliveryId, PostId, SessionId, ThreadId, TurnId};
use paseo_core::label::Labels;
use paseo_core::session::{Class, Receipt as Stage, SeatOf, Verb};
use paseo_core::thread::{
    self, Address, COORDINATOR, Due, Event, Held, Line, Posted, Seat, Silence, Thread, Work,
};
use paseo_core::tool::Ceiling;
use paseo_store::{Record, Which};
use tokio::time::{Instant, sleep_until};

use super::Threads;
use super::rooms::{Change, Done};
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{Command, Message, NewSession, Order, RequestKey};
use crate::tools::answers;

/// After this long people are told that an answer is not there yet. It is still waited for.
const PATIENCE: Duration = Duration::from_secs(600);
/// How many events are looked through for what was said before.
const BEFORE: u64 = 500;
/// The model of those that shall choose it themselves.
const DEFAULT_MODEL: &str = "default";

impl Threads {
    /// Wakes whoever is due, and goes on with what was under way when the daemon ended.
    pub(crate) async fn boot(&self) -> Result<(), Failure> {
        let mut after: Option<String> = None;
        loop {
            let log = &self.sessions.context.journal.log;
            let heads = log.heads("thread/", Which::Live, after.as_deref(), 500).await?;
            let Some(last) = heads.last() else { return Ok(()) };
            after = Some(last.stream.to_string());
            for id in heads.iter().filter_map(|row| thread::from_stream(&row.stream)) {
                let thread = self.get(id).await?;
                for (seat, work) in
                    thread.invited.iter().filter_map(|(id, seat)| Some((id, seat.working_on?)))
                {
                    let Some(session) = thread.invited[seat].session else { continue };
                    self.see_through(id, seat.clone(), session, work);
                }
                self.wake_due(id);
            }
        }
    }

    /// Wakes whoever is due in a thread. Each on its own: nobody waits for anybody else.
    pub(super) fn wake_due(&self, id: ThreadId) {
        let this = self.clone();
        tokio::spawn(async move {
            let due = match this.get(id).await {
                Ok(thread) => thread.due,
                Err(failure) => return tracing::error!(thread = %id, error = %failure.message, "cannot wake"),
            };
            for due in due {
                let this = this.clone();
                tokio::spawn(async move { this.wake(id, due).await });
            }
        });
    }

    /// Wakes a participant, once.
    async fn wake(&self, id: ThreadId, due: Due) {
        let Some(_alone) = self.waking.begin(id, &due) else { return };
        match self.hand_over(id, &due).await {
            Ok(Some((session, delivery))) => {
                let work = Work { post: due.post, delivery };
                let (post, seat) = (due.post, due.seat.clone());
                let woken = self.note(id, Event::Woken { post, seat, session, delivery }).await;
                if let Err(failure) = woken {
                    return tracing::error!(thread = %id, error = %failure.message, "cannot note who is woken");
                }
                self.see_through(id, due.seat, session, work);
            }
            Ok(None) => {}
            Err(failure) => {
                let why = failure
                    .hint
                    .map_or(failure.message.clone(), |hint| format!("{}\n{hint}", failure.message));
                self.complain(id, &due, &format!("{} could not be woken: {why}", due.seat)).await;
            }
        }
    }

    /// Tells a participant what was said. `None` when it is not due any more.
    async fn hand_over(&self, id: ThreadId, due: &Due) -> Result<Option<(SessionId, DeliveryId)>, Failure> {
        let thread = self.get(id).await?;
        let Some(seat) = thread.invited.get(&due.seat).filter(|_| thread.due.contains(due)) else {
            return Ok(None);
        };
        let (trigger, before) = self.said(&thread, seat, due.post).await?;
        let session = match seat.session {
            Some(session) if self.sessions.context.journal.session(session).await?.is_some() => session,
            _ => self.seat(&thread, due, seat, &trigger).await?,
        };
        let author: Actor = trigger.by.clone();
        if author.is_human() {
            self.sessions.ask(session, |reply| Command::Reopen(author.clone(), reply)).await?;
        }
        let (cause, hop) = (trigger.posted.cause, trigger.posted.hop);
        // Words of others come from nobody, and beside those of whoever wakes it.
        if let Some(text) = thread::before(&thread, &due.seat, &before) {
            let message = Message {
                origin: Actor::Daemon,
                text,
                verb: Verb::Queue,
                class: Class::Passive,
                waited: false,
                aside: true,
                notify: None,
                cause: Some((cause, hop)),
                key: Some(once(id, due, "before")),
            };
            self.sessions.ask(session, |reply| Command::Deliver(message, reply)).await?;
        }
        let text = thread::call(&thread, &due.seat, &trigger.line);
        let message = Message {
            origin: author,
            text,
            verb: Verb::Queue,
            class: Class::Message,
            waited: true,
            aside: true,
            notify: None,
            cause: Some((cause, hop)),
            key: Some(once(id, due, "call")),
        };
        let receipt = self.sessions.ask(session, |reply| Command::Deliver(message, reply)).await?;
        Ok(Some((session, receipt.delivery.parse().map_err(Failure::internal)?)))
    }

    /// Makes the session behind a seat.
    async fn seat(
        &self,
        thread: &Thread,
        due: &Due,
        seat: &Seat,
        trigger: &Trigger,
    ) -> Result<SessionId, Failure> {
        let context = &self.sessions.context;
        let directory = thread.directory.clone().ok_or_else(|| {
            Failure::new(
                paseo_wire::error::Code::InvalidRequest,
                "this thread has no directory for its agents to work in",
            )
            .hint("say where with `paseo thread cwd`, then say it again")
        })?;
        let client = seat.profile.client.as_deref().unwrap_or_default();
        let catalogue = context.definitions.catalogue(&directory);
        let (definition, provider) = match context.providers.get(client) {
            Some(_) => (catalogue.get(paseo_core::definition::DEFAULT)?, Some(client.to_owned())),
            None => (catalogue.get(client)?, None),
        };
        let order = Order {
            by: trigger.by.clone(),
            definition,
            project: directory.clone(),
            directory,
            provider,
            model: seat.profile.model.clone().filter(|model| model != DEFAULT_MODEL),
            effort: None,
            labels: Labels::default(),
            name: Some(seat.profile.nickname.clone().unwrap_or_else(|| due.seat.clone())),
            aside: true,
        };
        // Who was invited by an agent may do what that agent may pass on, and no more.
        let inviter = thread.invited.get(&seat.invited_by).and_then(|inviter| inviter.session);
        let new = match inviter {
            Some(inviter) => {
                let (inviter, _) = context
                    .journal
                    .session(inviter)
                    .await?
                    .ok_or_else(|| Failure::internal("whoever invited it is gone"))?;
                let above = inviter.profile.ceiling.clone().unwrap_or_default();
                let above: &Ceiling = &above;
                order.by_agent(context, &inviter, above, None, (trigger.posted.cause, trigger.posted.hop))?
            }
            None => order.by_person(context, None)?,
        };
        let seat = Some(SeatOf { thread: thread.id, seat: due.seat.clone() });
        let created = self.sessions.create(NewSession { seat, spawned: None, ..new }).await?;
        created.session.id.parse().map_err(Failure::internal)
    }

    /// Returns what a participant is woken by, and what was said before that it does not know.
    async fn said(
        &self,
        thread: &Thread,
        seat: &Seat,
        post: PostId,
    ) -> Result<(Trigger, Vec<Line>), Failure> {
        let mut after = seat.told.max(thread.version.saturating_sub(BEFORE));
        let (mut before, mut trigger) = (Vec::new(), None);
        while trigger.is_none() {
            let records = self.events(thread.id, after, 500).await?;
            let Some(last) = records.len().checked_sub(1) else { break };
            after += last as u64 + 1;
            for record in records {
                let Some(posted) = posted(&record) else { continue };
                let words =
                    self.sessions.context.journal.log.text(posted.text.id.uuid()).await?.unwrap_or_default();
                let line = Line { from: posted.from.clone(), to: posted.to.clone(), words };
                if posted.post == post {
                    let by = record.actor.parse().map_err(Failure::internal)?;
                    trigger = Some(Trigger { by, posted, line });
                    break;
                }
                before.push(line);
            }
        }
        let trigger = match trigger {
            Some(trigger) => trigger,
            None => self.trigger(thread, post).await?,
        };
        Ok((trigger, before))
    }

    /// Finds a message that was said longer ago.
    async fn trigger(&self, thread: &Thread, post: PostId) -> Result<Trigger, Failure> {
        let mut after = 0;
        loop {
            let records = self.events(thread.id, after, 500).await?;
            let Some(last) = records.len().checked_sub(1) else {
                return Err(Failure::internal("what woke a participant is not in the thread"));
            };
            after += last as u64 + 1;
            for record in records {
                let Some(posted) = posted(&record).filter(|posted| posted.post == post) else { continue };
                let words =
                    self.sessions.context.journal.log.text(posted.text.id.uuid()).await?.unwrap_or_default();
                let by = record.actor.parse().map_err(Failure::internal)?;
                let line = Line { from: posted.from.clone(), to: posted.to.clone(), words };
                return Ok(Trigger { by, posted, line });
            }
        }
    }

    /// Waits for what a woken participant answers, and brings it.
    fn see_through(&self, id: ThreadId, seat: String, session: SessionId, work: Work) {
        let this = self.clone();
        tokio::spawn(async move {
            this.attendance.says(id, &seat, "thinking", None);
            let outcome = this.outcome(id, &seat, session, work).await;
            let brought = match outcome {
                Ok(answer) => this.bring(id, &seat, session, work, answer).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = brought {
                tracing::error!(thread = %id, seat, error = %failure.message, "a reply could not be brought");
            }
            this.attendance.says(id, &seat, "listening", None);
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
        let mut patience = Some(Instant::now() + PATIENCE);
        let mut told_held = false;
        loop {
            // Before looking, so that nothing is missed in between.
            let changed = context.directory.changes();
            let Some((known, _)) = context.journal.session(session).await? else {
                return Ok(Answer::Failed(format!("{seat} was deleted before it answered")));
            };
            match known.receipt(work.delivery) {
                Some(Stage::Held(_)) if !told_held => {
                    told_held = true;
                    let words = format!(
                        "{seat} was not woken: {} agent turns without a person are used up, or it was stopped. Say something to \
                         it, and it goes on.",
                        paseo_core::limits::WAKES_PER_SESSION
                    );
                    self.remark(id, Some(work.post), &words, &["error"]).await?;
                }
                Some(_) => {}
                None => {
                    let settled = known.recent.iter().rev().find(|settled| settled.id == work.delivery);
                    let Some(settled) = settled else {
                        return Ok(Answer::Failed(format!("{seat} lost what it was asked")));
                    };
                    return self.answer(seat, session, settled.receipt, settled.turn).await;
                }
            }
            let late = async {
                match patience {
                    Some(until) => sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = changed => {}
                () = late => {
                    patience = None;
                    let words = format!("{seat} has not answered within {} minutes, and goes on.", PATIENCE.as_secs() / 60);
                    self.remark(id, Some(work.post), &words, &["error", "timeout"]).await?;
                }
            }
        }
    }

    async fn answer(
        &self,
        seat: &str,
        session: SessionId,
        receipt: Stage,
        turn: Option<TurnId>,
    ) -> Result<Answer, Failure> {
        let account = match turn {
            Some(turn) => answers::of_turn(&self.sessions, session, turn).await?,
            None => Default::default(),
        };
        Ok(match receipt {
            Stage::Answered => Answer::Words(account.answer().unwrap_or_else(|| "[no output]".to_owned())),
            Stage::Failed => {
                let why = account.error().map(|why| format!(": {why}")).unwrap_or_default();
                Answer::Failed(format!("{seat} failed{why}"))
            }
            _ => Answer::Failed(format!("{seat} was stopped before it answered")),
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
        let (trigger, _) = match self.trigger(&thread, work.post).await {
            Ok(trigger) => (trigger, ()),
            Err(failure) => return Err(failure),
        };
        let (by, words, failed) = match answer {
            Answer::Words(words) => (Actor::Session(session), words, false),
            Answer::Failed(words) => (Actor::Daemon, words, true),
        };
        let done = self.rooms.change(
            &by,
            id,
            None,
            |thread, change| {
                // It was brought already, or the participant was invited anew meanwhile.
                let working = thread.invited.get(seat).and_then(|seat| seat.working_on);
                let gone = !thread.invited.contains_key(seat);
                if working != Some(work) && !gone {
                    return Ok(());
                }
                change.events.push(Event::Settled { post: work.post, seat: seat.to_owned() });
                let text = change.text(&words);
                let (cause, hop) = (trigger.posted.cause, trigger.posted.hop + 1);
                if failed {
                    let tags = ["coordinator", "error"].map(str::to_owned).to_vec();
                    change.events.push(Event::Posted(Box::new(Posted {
                        post: mint::post(),
                        from: COORDINATOR.to_owned(),
                        to: Address::All.word().to_owned(),
                        text,
                        reply_to: Some(work.post),
                        tags,
                        via: None,
                        wakes: Vec::new(),
                        cause,
                        hop,
                    })));
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
                change.events.push(thread::reply(thread, &words, mint::post(), held));
                Ok(())
            },
            |()| String::new(),
        );
        match done.await? {
            Done::New(..) | Done::Repeat(_) => self.wake_due(id),
        }
        Ok(())
    }

    /// Posts the replies whose authors may speak again.
    pub(super) async fn release(&self, id: ThreadId) -> Result<(), Failure> {
        for held in thread::released(&self.get(id).await?) {
            let words =
                self.sessions.context.journal.log.text(held.text.id.uuid()).await?.unwrap_or_default();
            let done = self.rooms.change(
                &Actor::Daemon,
                id,
                None,
                |thread, change| {
                    if thread::released(thread).contains(&held) {
                        let late = thread::late(thread, &words, mint::post(), held.clone());
                        change.events.push(Event::Posted(Box::new(late)));
                    }
                    Ok(())
                },
                |()| String::new(),
            );
            done.await?;
        }
        Ok(())
    }

    /// Says to all why a participant was not woken, and that it is over.
    async fn complain(&self, id: ThreadId, due: &Due, words: &str) {
        let settled = self.note(id, Event::Settled { post: due.post, seat: due.seat.clone() }).await;
        let said = self.remark(id, Some(due.post), words, &["error"]).await;
        if let Err(failure) = settled.and(said) {
            tracing::error!(thread = %id, error = %failure.message, words, "nobody could be told");
        }
    }

    /// Lets the coordinator say something.
    async fn remark(
        &self,
        id: ThreadId,
        reply_to: Option<PostId>,
        words: &str,
        tags: &[&str],
    ) -> Result<(), Failure> {
        let done = self.rooms.change(
            &Actor::Daemon,
            id,
            None,
            |thread, change: &mut Change| {
                let text = change.text(words);
                let tags = ["coordinator"].iter().chain(tags).map(|tag| (*tag).to_owned()).collect();
                change.events.push(Event::Posted(Box::new(Posted {
                    post: mint::post(),
                    from: COORDINATOR.to_owned(),
                    to: Address::All.word().to_owned(),
                    text,
                    reply_to,
                    tags,
                    via: None,
                    wakes: Vec::new(),
                    cause: thread.standing.unwrap_or_else(mint::cause),
                    hop: 1,
                })));
                Ok(())
            },
            |()| String::new(),
        );
        done.await.map(drop)
    }

    /// Notes something about a thread.
    async fn note(&self, id: ThreadId, event: Event) -> Result<(), Failure> {
        let decide = |_: &Thread, change: &mut Change| {
            change.events.push(event.clone());
            Ok(())
        };
        self.rooms.change(&Actor::Daemon, id, None, decide, |()| String::new()).await.map(drop)
    }
}

/// Makes the key by which a participant is told something once, however often it is tried.
fn once(id: ThreadId, due: &Due, what: &str) -> RequestKey {
    RequestKey { scope: thread::stream(id), key: format!("{what} {}/{}", due.post, due.seat), body: [0; 32] }
}

/// What a participant is woken by.
struct Trigger {
    by: Actor,
    posted: Posted,
    line: Line,
}

/// What came of it.
enum Answer {
    Words(String),
    /// In words for all.
    Failed(String),
}

fn posted(record: &Record) -> Option<Posted> {
    let data = record.data.as_deref()?;
    match codec::decode::<Event>(&record.kind, record.v, data).ok()?? {
        Event::Posted(posted) => Some(*posted),
        _ => None,
    }
}

/// Who is being woken right now, so that nobody is woken twice at once.
#[derive(Clone, Default)]
pub(super) struct Waking(super::Shared<Vec<(ThreadId, Due)>>);

/// Somebody is being woken.
pub(super) struct Alone {
    waking: Waking,
    who: (ThreadId, Due),
}

impl Waking {
    fn begin(&self, thread: ThreadId, due: &Due) -> Option<Alone> {
        let mut all = self.0.lock();
        let who = (thread, due.clone());
        if all.contains(&who) {
            return None;
        }
        all.push(who.clone());
        Some(Alone { waking: self.clone(), who })
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.waking.0.lock().retain(|who| *who != self.who);
    }
}
