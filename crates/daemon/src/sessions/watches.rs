//! Telling other agents the outcome of something here. An outbox: a notice is sent first, then crossed out, and its key
//! makes that once.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, SessionId, TurnId, WatchId};
use paseo_core::item::{Draft, Kind};
use paseo_core::session::{self, Notice, On, Verb, Watch};
use paseo_wire::error::Code;

use super::actor::SessionActor;
use super::changes::Change;
use super::writing::{place, user_text};
use super::{Command, Message, RequestKey, Sessions};
use crate::failure::Failure;
use crate::mint;
use crate::tools::news;

/// How long to wait before someone is told again who could not be.
const AGAIN: Duration = Duration::from_secs(5);

/// The outcome of a watch whose watcher knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spared {
    Done,
    /// Its notice is on its way.
    OnItsWay,
    /// It is about something else since: the watcher is no longer the parent, and has yet to be told.
    Parted,
}

impl SessionActor {
    /// Adds a watch.
    pub(super) async fn watch(&mut self, watch: Watch) -> Result<(), Failure> {
        self.change(&Actor::Daemon, |change| Ok(session::arm(&mut change.draft, watch.clone())?)).await
    }

    /// Ends the watches of a notice that was sent.
    pub(super) async fn noticed(&mut self, notice: WatchId) -> Result<(), Failure> {
        self.telling.remove(&notice);
        self.quietly(|change| session::disarm_notice(&mut change.draft, notice)).await
    }

    /// Ends a watch whose watcher knows the outcome already, unless its notice is on its way. That a person made this
    /// one an independent agent is another matter.
    pub(super) async fn spare(&mut self, watch: WatchId) -> Result<Spared, Failure> {
        let known = self.session.watches.iter().find(|known| known.id == watch);
        if known.is_some_and(|known| known.on == On::Promotion) {
            return Ok(Spared::Parted);
        }
        self.spare_known(watch).await
    }

    /// Ends a watch whatever it is about, unless its notice is on its way.
    pub(super) async fn spare_known(&mut self, watch: WatchId) -> Result<Spared, Failure> {
        let known = self.session.watches.iter().find(|known| known.id == watch);
        if known.and_then(|known| known.notice).is_some_and(|notice| self.telling.contains(&notice)) {
            return Ok(Spared::OnItsWay);
        }
        self.quietly(|change| session::disarm(&mut change.draft, watch)).await.map(|()| Spared::Done)
    }

    /// Takes back the news of another session's work.
    pub(super) async fn forget_news(&mut self, of: SessionId) -> Result<(), Failure> {
        self.quietly(|change| session::forget_news(&mut change.draft, of)).await
    }

    /// Looks again which notices there are to send: a call that waited may have ended without its answer.
    pub(super) async fn look_for_notices(&mut self) {
        if let Err(failure) = self.quietly(|_| {}).await {
            tracing::warn!(session = %self.id(), error = %failure.message, "cannot check for notices");
        }
        self.send_notices();
    }

    /// Sends the notices that no call waits for. Not here: the other's actor may need this one.
    pub(super) fn send_notices(&mut self) {
        if self.session.watches.is_empty() || self.over {
            return;
        }
        for notice in self.unsent_notices() {
            if self.telling.insert(notice.id) {
                tokio::spawn(tell(self.sessions.clone(), self.session.id, notice));
            }
        }
    }

    /// Keeps notices back until [`Self::send_last_notices`]: the transcript that they quote is about to be erased.
    pub(super) fn keep_notices_back(&mut self) {
        self.telling.extend(self.session.watches.iter().map(|watch| watch.id));
    }

    /// Sends all notices while the transcript is still there. A watcher that cannot be told now never will be.
    pub(super) async fn send_last_notices(&mut self) {
        for notice in self.unsent_notices() {
            if let Ok(text) = news::about(&self.sessions, self.session.id, &notice).await {
                let (sessions, watched) = (self.sessions.clone(), self.session.id);
                // Not here: the other's actor may need this one.
                tokio::spawn(async move { deliver(&sessions, watched, &notice, text).await });
            }
        }
    }

    fn unsent_notices(&self) -> Vec<Notice> {
        let waits = &self.context.waits;
        let mut notices = session::notices(&self.session);
        notices.retain(|notice| !notice.watches.iter().any(|watch| waits.is_waited(watch.id)));
        notices
    }

    /// Takes a person's words into the running turn. They are handed once the agent goes on with them.
    pub(super) async fn take_words(&mut self) -> Result<Option<String>, Failure> {
        let mut taken = None;
        self.quietly(|change| taken = session::take_words(&mut change.draft)).await?;
        let Some(pending) = taken else { return Ok(None) };
        self.words.push(pending.id);
        let text = match self.texts.remove(&pending.text.id) {
            Some(text) => text,
            None => self.context.journal.log.text(pending.text.id.uuid()).await?.unwrap_or_default(),
        };
        Ok(Some(text))
    }

    /// Puts a notice into the transcript.
    pub(super) async fn note(&mut self, code: &'static str, text: String) -> Result<(), Failure> {
        self.hear_of_turn().await;
        let (session, turn) = (self.id(), self.current);
        let notice = Draft::text(Kind::Notice { code: code.to_owned() }, text);
        self.quietly(|change| change.entries.item(session, mint::item(), place(turn), notice.clone())).await
    }
}

/// Notes that the agent has a person's words, which ended a wait of its.
pub(super) fn hand_words(change: &mut Change, turn: Option<TurnId>, words: &[DeliveryId]) {
    let steering = change.draft.session.turn.as_ref().map(|turn| turn.steering.clone()).unwrap_or_default();
    for pending in steering.iter().filter(|pending| words.contains(&pending.id)) {
        change.draft.push(session::Event::Handed { delivery: pending.id });
        user_text(&mut change.entries, change.draft.session.id, turn, pending);
    }
}

/// Sends a notice and crosses it out.
async fn tell(sessions: Sessions, watched: SessionId, notice: Notice) {
    while let Err(failure) = report(&sessions, watched, &notice).await {
        match failure.code {
            // The recipient is gone.
            Code::NotFound | Code::Closed => break,
            Code::ShuttingDown => return,
            _ => {
                tracing::warn!(session = %notice.watcher, error = %failure.message, "cannot deliver a notice yet")
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
    if let Err(failure) = sessions.ask(watched, |reply| Command::Noticed(notice.id, reply)).await {
        // It comes up again at the next start; the key keeps it from being sent twice.
        tracing::warn!(session = %watched, error = %failure.message, "cannot cancel a notice");
    }
}

async fn report(sessions: &Sessions, watched: SessionId, notice: &Notice) -> Result<(), Failure> {
    let text = news::about(sessions, watched, notice).await?;
    deliver(sessions, watched, notice, text).await
}

async fn deliver(
    sessions: &Sessions,
    watched: SessionId,
    notice: &Notice,
    text: String,
) -> Result<(), Failure> {
    let key = RequestKey { scope: "watch".to_owned(), key: notice.id.to_string(), body: [0; 32] };
    let message = Message {
        attachments: Vec::new(),
        origin: Actor::Session(watched),
        text,
        verb: Verb::Queue,
        class: notice.class,
        waited: false,
        aside: false,
        schema: None,
        notify: None,
        cause: Some((notice.cause, notice.hop)),
        key: Some(key),
    };
    sessions.ask(notice.watcher, |reply| Command::Deliver(message, reply)).await.map(drop)
}
