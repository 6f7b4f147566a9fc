//! What comes to an end: a thread, and the sessions of those who left one.

use std::collections::BTreeSet;

use paseo_core::actor::Actor;
use paseo_core::id::{SessionId, ThreadId};
use paseo_core::session::Session;
use paseo_core::settings::Event as Setting;
use paseo_core::thread::{self, Event, Thread, speaks_in};
use paseo_store::Expect;
use paseo_wire::error::Code;

use super::room::Change;
use super::{Speaker, Threads};
use crate::desk::Done;
use crate::failure::Failure;
use crate::journal::{self, Entries};
use crate::sessions::{Command, gone_is_fine, to_the_end};

impl Threads {
    /// Deletes a thread with everything that was said in it, and closes the sessions of its participants. Returns it as
    /// it was.
    pub(crate) async fn delete(
        &self,
        speaker: &Speaker,
        id: ThreadId,
        force: bool,
    ) -> Result<Thread, Failure> {
        let (this, speaker) = (self.clone(), speaker.clone());
        to_the_end(async move { this.end(&speaker, id, force).await }).await
    }

    async fn end(&self, speaker: &Speaker, id: ThreadId, force: bool) -> Result<Thread, Failure> {
        let check = |thread: &Thread| match thread.is_busy() && !force {
            true => Err(Failure::new(Code::Conflict, "thread has running agents; pass --force to stop them")
                .hint(self.instead_of_force(thread))),
            false => thread.team.as_ref().map_or(Ok(()), |team| {
                let message = format!("threads of a team can't be deleted: this one belongs to team {team}");
                Err(Failure::new(Code::Conflict, message)
                    .hint("leave it: it wakes no agent while nobody posts to it"))
            }),
        };
        let delete = |thread: &Thread, change: &mut Change| {
            check(thread)?;
            change.events.push(Event::Deleted {});
            change.erase();
            Ok(thread.clone())
        };
        let deleted = match self.rooms.change(&speaker.actor, &id, None, delete, |_| String::new()).await? {
            Done::New(_, deleted) => deleted,
            Done::Repeat(_) => return Err(Failure::internal("a thread cannot be deleted twice")),
        };
        self.clear_away(&speaker.actor, id).await?;
        Ok(deleted)
    }

    /// Says how to wait for those who work for a thread. Some of them may have left it, and are not listed there.
    fn instead_of_force(&self, thread: &Thread) -> String {
        let sessions: BTreeSet<SessionId> = thread.works().map(|(_, session, _)| session).collect();
        let directory = &self.sessions.context.directory;
        let handles: Vec<String> = sessions.into_iter().map(|session| directory.handle(session)).collect();
        match handles.as_slice() {
            [] => "try again in a moment: its messages are being delivered".to_owned(),
            handles => format!("to wait for them instead, run `paseo wait {}`", handles.join(" ")),
        }
    }

    /// Says whether a thread was deleted.
    pub(super) async fn is_gone(&self, id: ThreadId) -> bool {
        self.get(id).await.is_err_and(|failure| failure.code == Code::NotFound)
    }

    /// Closes and revokes what belonged to a thread that is deleted. Should the daemon end before it is done, it is done
    /// when it starts again.
    pub(super) async fn clear_away(&self, by: &Actor, id: ThreadId) -> Result<(), Failure> {
        let context = &self.sessions.context;
        // All that were ever made for it, whether it knew of them or not: somebody may just have been woken.
        let of_this = |session: &Session| session.profile.seat.as_ref().is_some_and(|seat| seat.thread == id);
        for session in context.directory.all().iter().filter(|session| of_this(session)) {
            gone_is_fine(self.sessions.close(session.id, by).await)?;
        }
        self.attendance.keep(id, |_| false);
        let tokens = context.settings.get();
        for (token, _) in tokens.tokens.iter().filter(|(_, token)| speaks_in(&token.actor, id)) {
            let revoked = Setting::TokenRevoked { token: *token };
            context.settings.change(&context.journal, by, revoked).await?;
        }
        let ended = journal::part(thread::stream(id), Expect::Any, &[Event::Ended {}]);
        let batch = Entries::by(by).with(|batch| batch.streams.push(ended));
        context.journal.log.append(batch.into_batch()).await?;
        Ok(())
    }

    /// Closes the sessions of those who left and have nothing more to do, now or as soon as they are idle. What they said
    /// and did stays, and so does the way back: invited again, they go on where they were.
    pub(super) async fn dismiss(&self, thread: &Thread) {
        let id = thread.id;
        for (seat, session) in thread.leaving() {
            if self.see_off(id, &seat, session).await {
                continue;
            }
            let this = self.clone();
            tokio::spawn(async move {
                loop {
                    // Before looking, so that nothing is missed in between.
                    let changed = this.sessions.context.directory.changes();
                    if this.see_off(id, &seat, session).await {
                        return;
                    }
                    changed.await;
                }
            });
        }
    }

    /// Closes the session of somebody who left. Says whether there is nothing more to do about it.
    async fn see_off(&self, id: ThreadId, seat: &str, session: SessionId) -> bool {
        if self.is_busy(session) {
            return false;
        }
        let _alone = self.waking.alone(id, seat).await;
        // It may have come back.
        let leaving = |thread: Thread| thread.leaving().iter().any(|(_, leaving)| *leaving == session);
        if !self.get(id).await.is_ok_and(leaving) {
            return true;
        }
        if self.is_busy(session) {
            return false;
        }
        let closed = self.sessions.context.directory.get(session).is_some();
        let done = match gone_is_fine(self.sessions.close(session, &Actor::Daemon).await) {
            Ok(()) => {
                self.note(id, Event::Dismissed { seat: seat.to_owned(), session, closed }).await.map(drop)
            }
            Err(failure) => Err(failure),
        };
        if let Err(failure) = done.or_else(|failure| gone_is_fine::<()>(Err(failure))) {
            tracing::warn!(thread = %id, seat, error = %failure.message, "cannot close a participant's session");
        }
        true
    }

    /// Closes what a daemon before this one left behind that ended in between: sessions that were told something for a
    /// thread which does not know of them, and will not.
    pub(super) fn close_strays(&self) {
        let seats = self.sessions.context.directory.all();
        let seats: BTreeSet<(ThreadId, String)> = seats
            .iter()
            .filter_map(|session| session.profile.seat.as_ref())
            .map(|seat| (seat.thread, seat.seat.clone()))
            .collect();
        let this = self.clone();
        tokio::spawn(async move {
            for (id, seat) in seats {
                this.close_stray(id, &seat).await;
            }
        });
    }

    /// The same for one seat.
    pub(super) async fn close_stray(&self, id: ThreadId, seat: &str) {
        let _alone = self.waking.alone(id, seat).await;
        let Ok(thread) = self.get(id).await else { return };
        // Whoever is due is about to be told, in that session.
        if thread.due.iter().any(|due| due.seat == seat) {
            return;
        }
        let is_stray = |session: &Session| {
            let of = session.profile.seat.as_ref().is_some_and(|of| of.thread == id && of.seat == seat);
            let here = Some(&session.profile.directory) == thread.directory.as_ref();
            of && here && !thread.knows(session.id)
        };
        for session in self.sessions.context.directory.all().iter().filter(|session| is_stray(session)) {
            if let Err(failure) = gone_is_fine(self.sessions.close(session.id, &Actor::Daemon).await) {
                tracing::warn!(thread = %id, seat, error = %failure.message, "cannot close a participant's session");
            }
        }
    }

    /// Opens the session of somebody who came back.
    pub(super) async fn welcome(&self, speaker: &Speaker, thread: &Thread, seat: &str) {
        let Some(session) = thread.invited.get(seat).and_then(|seat| seat.session) else { return };
        let by = speaker.actor.clone();
        // One that cannot be opened is complained about when it is to be woken.
        if let Err(failure) = self.sessions.ask(session, |reply| Command::Reopen(by, reply)).await {
            tracing::debug!(thread = %thread.id, seat, error = %failure.message, "cannot reopen a participant's session");
        }
    }

    fn is_busy(&self, session: SessionId) -> bool {
        let known = self.sessions.context.directory.get(session);
        known.is_some_and(|known| known.turn.is_some() || !known.queue.is_empty())
    }
}
