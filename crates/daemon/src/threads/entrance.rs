//! Finding a thread, and as whom somebody is in it.

use std::path::Path;

use paseo_core::actor::Actor;
use paseo_core::id::{SessionId, ThreadId};
use paseo_core::limits::NAME_CHARS;
use paseo_core::session::{Session, Status};
use paseo_core::thread::{self, COORDINATOR, Others, Presence, Seat, Shown, Thread, USER};
use paseo_wire::error::Code;
use paseo_wire::thread::{PresenceList, PresenceView};

use super::{Speaker, Threads};
use crate::failure::Failure;
use crate::mint;

/// How much of a session's id an agent is called by in threads where it has no seat. Handles are beginnings of it.
const GUEST_CHARS: usize = 8;
/// Most ids of threads of one name that are listed.
const LISTED: usize = 8;

impl Threads {
    /// Finds a thread by its id or its name, and as whom somebody is in it.
    pub(crate) async fn enter(&self, by: &Actor, typed: &str) -> Result<(Thread, Speaker), Failure> {
        let found = self.find_for(Some(by), typed).await;
        // Whoever has no seat is not told whether there is such a thread.
        let seat = found.as_ref().ok().and_then(|thread| speaks_as(thread, by));
        let (thread, id) = match (found, seat) {
            (Ok(thread), Some(id)) => (thread, id),
            (Err(failure), _) if by.is_human() => return Err(failure),
            _ => {
                return Err(Failure::new(Code::Forbidden, "thread not found, or you are not a participant")
                    .hint("ask a person to invite you"));
            }
        };
        if let Actor::Agent(_) = by {
            self.in_open_team(thread.id, by).await?;
        }
        let cause = by.session().and_then(|session| self.sessions.context.turn_cause(session));
        Ok((thread, Speaker { actor: by.clone(), id, cause }))
    }

    /// The same for an agent that was granted the tools of threads: it takes part in those of its project, too.
    pub(crate) async fn attend(&self, agent: &Session, typed: &str) -> Result<(Thread, Speaker), Failure> {
        let thread = self.find_for(Some(&Actor::Session(agent.id)), typed).await?;
        let Some(id) = seen_as(&thread, agent) else {
            return Err(Failure::new(Code::Forbidden, "this thread is not yours and not in your project")
                .hint("call threads_list to see the threads you can take part in"));
        };
        let cause = self.sessions.context.turn_cause(agent.id);
        Ok((thread, Speaker { actor: Actor::Session(agent.id), id, cause }))
    }

    pub(crate) async fn find(&self, typed: &str) -> Result<Thread, Failure> {
        self.find_for(None, typed).await
    }

    /// Finds a thread by its id or the beginning of it, its name, or what a team calls it.
    async fn find_for(&self, by: Option<&Actor>, typed: &str) -> Result<Thread, Failure> {
        if let Ok(id) = typed.parse::<ThreadId>() {
            return self.get(id).await;
        }
        let mut found = self.named(typed).await?;
        let named = !found.is_empty();
        if !named {
            found.extend(self.aliased(by, typed).await?);
        }
        if found.is_empty() {
            found = self.beginning(typed).await?;
        }
        match found.as_slice() {
            [one] => self.get(*one).await,
            [] => Err(Failure::new(Code::NotFound, format!("thread `{}` not found", plain(typed)))
                .hint("run `paseo thread ls`")),
            several => {
                let ids: Vec<String> = several.iter().take(LISTED).map(ToString::to_string).collect();
                let more = if several.len() > LISTED { ", …" } else { "" };
                let (count, name, ids) = (several.len(), plain(typed), ids.join(", "));
                let same = if named { "are called" } else { "have ids that start with" };
                let message = format!("{count} threads {same} `{name}`: {ids}{more}");
                Err(Failure::new(Code::Ambiguous, message).hint(format!(
                    "use an id in place of the name, as in `paseo thread show {}`",
                    several[0]
                )))
            }
        }
    }

    /// Returns who speaks in a thread, or may, without being invited.
    pub(crate) fn others(&self, id: ThreadId) -> Others {
        let there = self.attendance.said(id).into_keys().filter(|who| who != USER);
        self.token_holders(id).into_iter().chain(there).collect()
    }

    /// Returns who has a token for a thread.
    pub(super) fn token_holders(&self, id: ThreadId) -> Others {
        let settings = self.sessions.context.settings.get();
        let held = settings.tokens.values().filter(|token| thread::speaks_in(&token.actor, id));
        let names = held.filter_map(|token| match &token.actor {
            Actor::Seat(seat) => seat.split_once('/').map(|(_, who)| who.to_owned()),
            _ => None,
        });
        names.collect()
    }

    /// Returns who is there: those who were invited, those who said so, and the coordinator.
    pub(crate) fn attending(&self, thread: &Thread) -> PresenceList {
        let (mut said, now) = (self.attendance.said(thread.id), mint::now());
        let view = |id: &str, presence: Option<&Presence>, shown: Shown| PresenceView {
            id: id.into(),
            state: shown.state.as_str().into(),
            updated_at: presence.map(|presence| presence.updated_at.into()),
            stale: shown.stale,
            details: shown.details,
        };
        let mut participants: Vec<PresenceView> = thread
            .invited
            .iter()
            .map(|(id, seat)| {
                let said = said.remove(id);
                let shown = self.stuck(seat).unwrap_or_else(|| thread::seen(seat, said.as_ref(), now));
                view(id, said.as_ref(), shown)
            })
            .collect();
        participants
            .extend(said.iter().map(|(id, said)| view(id, Some(said), thread::shown(Some(said), now))));
        // The coordinator is there as long as the daemon is.
        let coordinator = Presence::says(None, "listening", None, now);
        participants.push(view(COORDINATOR, Some(&coordinator), thread::shown(Some(&coordinator), now)));
        participants.sort_by(|one, other| one.id.cmp(&other.id));
        PresenceList { thread: thread.id.into(), ttl_seconds: thread::TTL, participants, next: None }
    }
}

impl Threads {
    /// Says what a participant waits for that was woken and does not work, or that it takes longer than it should.
    fn stuck(&self, seat: &Seat) -> Option<Shown> {
        let session = self.sessions.context.directory.get(seat.session.filter(|_| seat.is_working())?);
        let (state, details) = match session.map(|session| (session.condition.status, session.turn.is_some()))
        {
            None => ("idle", "its agent is closed; send a message to reopen it"),
            Some((Status::Waiting, _)) => ("waiting", "waiting for permission: `paseo permit ls`"),
            Some((_, false)) => ("idle", "did not accept the message; send another to wake it"),
            Some((_, true)) if thread::is_late(seat, self.patience, mint::now()) => {
                ("late", "has not answered in time and is still working")
            }
            Some((_, true)) => return None,
        };
        Some(Shown { state: state.to_owned(), details: Some(details.to_owned()), stale: false })
    }
}

/// Returns as whom an actor speaks in a thread where it has a place.
fn speaks_as(thread: &Thread, actor: &Actor) -> Option<String> {
    match actor {
        Actor::Human(_) => Some(USER.to_owned()),
        Actor::Session(id) => thread.seat_of(*id).map(str::to_owned),
        Actor::Seat(seat) => {
            let (of, id) = seat.split_once('/')?;
            (of == thread.id.to_string()).then(|| id.to_owned())
        }
        Actor::Agent(agent) => {
            let (team, id) = agent.split_once('/')?;
            (thread.team.as_ref()?.as_str() == team).then(|| id.to_owned())
        }
        Actor::Daemon => None,
    }
}

/// Returns as whom an agent takes part in a thread: by its seat, or as a guest in those of its project.
pub(crate) fn seen_as(thread: &Thread, agent: &Session) -> Option<String> {
    // Whoever was uninvited is still who it was, muted or not.
    let seat =
        agent.profile.seat.as_ref().filter(|seat| seat.thread == thread.id).map(|seat| seat.seat.clone());
    let place = thread.directory.as_deref().map(Path::new);
    // Those of a team are for whoever belongs to it, by the tools of teams.
    let open = thread.team.is_none();
    let ours = open && place.is_some_and(|place| place.starts_with(&agent.profile.project));
    seat.or_else(|| ours.then(|| guest(agent.id)))
}

/// Returns what somebody typed, fit to be shown.
fn plain(typed: &str) -> String {
    typed.chars().take(NAME_CHARS).flat_map(char::escape_debug).collect()
}

fn guest(id: SessionId) -> String {
    id.to_string().chars().take(GUEST_CHARS).collect()
}
