//! Who is to be told what becomes of something here. An outbox: told first, then crossed out, and a key makes that once.

use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::{DeliveryId, SessionId, TurnId, WatchId};
use paseo_core::item::{Draft, Kind};
use paseo_core::session::{self, Verb, Watch};
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

impl SessionActor {
    /// Adds a watch.
    pub(super) async fn watch(&mut self, watch: Watch) -> Result<(), Failure> {
        self.change(&Actor::Daemon, |change| Ok(session::arm(&mut change.draft, watch.clone())?)).await
    }

    /// Ends a watch.
    pub(super) async fn unwatch(&mut self, watch: WatchId) -> Result<(), Failure> {
        self.telling.remove(&watch);
        self.quietly(|change| session::disarm(&mut change.draft, watch)).await
    }

    /// Ends a watch whose watcher knows already, unless it is being told at this moment.
    pub(super) async fn spare(&mut self, watch: WatchId) -> Result<bool, Failure> {
        if self.telling.contains(&watch) {
            return Ok(false);
        }
        self.unwatch(watch).await.map(|()| true)
    }

    /// Takes back the news of another session's work.
    pub(super) async fn forget_news(&mut self, of: SessionId) -> Result<(), Failure> {
        self.quietly(|change| session::forget_news(&mut change.draft, of)).await
    }

    /// Has everyone told who is to be and does not wait for it anyway. Not here: the other's actor may need this one.
    pub(super) fn tell_watchers(&mut self) {
        if self.session.watches.is_empty() || self.over {
            return;
        }
        let waits = &self.context.waits;
        for watch in session::due(&self.session).filter(|watch| !waits.is_waited(watch.id)) {
            if self.telling.insert(watch.id) {
                tokio::spawn(tell(self.sessions.clone(), self.session.id, watch.clone()));
            }
        }
    }

    /// Has everyone told who is still to be, as long as the transcript is there. Whoever cannot be told now will not be.
    pub(super) async fn tell_all_watchers(&mut self) {
        for watch in self.session.watches.clone() {
            if let Ok(text) = news::about(&self.sessions, self.session.id, &watch).await {
                let (sessions, watched) = (self.sessions.clone(), self.session.id);
                // Not here: the other's actor may need this one.
                tokio::spawn(async move { deliver(&sessions, watched, &watch, text).await });
            }
        }
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

/// Tells a watcher and crosses the watch out.
async fn tell(sessions: Sessions, watched: SessionId, watch: Watch) {
    while let Err(failure) = report(&sessions, watched, &watch).await {
        match failure.code {
            // There is nobody to tell.
            Code::NotFound | Code::Closed => break,
            Code::ShuttingDown => return,
            _ => tracing::warn!(session = %watch.watcher, error = %failure.message, "news waits"),
        }
        tokio::time::sleep(AGAIN).await;
    }
    if let Err(failure) = sessions.ask(watched, |reply| Command::Unwatch(watch.id, reply)).await {
        // It comes up again at the next start; the key keeps it from being told twice.
        tracing::warn!(session = %watched, error = %failure.message, "a watch is not crossed out");
    }
}

async fn report(sessions: &Sessions, watched: SessionId, watch: &Watch) -> Result<(), Failure> {
    let text = news::about(sessions, watched, watch).await?;
    deliver(sessions, watched, watch, text).await
}

async fn deliver(
    sessions: &Sessions,
    watched: SessionId,
    watch: &Watch,
    text: String,
) -> Result<(), Failure> {
    let key = RequestKey { scope: "watch".to_owned(), key: watch.id.to_string(), body: [0; 32] };
    let message = Message {
        origin: Actor::Session(watched),
        text,
        verb: Verb::Queue,
        class: watch.class,
        waited: false,
        aside: false,
        notify: None,
        cause: Some((watch.cause, watch.hop)),
        key: Some(key),
    };
    sessions.ask(watch.watcher, |reply| Command::Deliver(message, reply)).await.map(drop)
}
