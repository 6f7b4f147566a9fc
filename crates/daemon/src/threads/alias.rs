//! Threads as teams call them: `thread-0001`, or `red/thread-0001` when several teams have one.

use paseo_core::actor::Actor;
use paseo_core::fold::{self, TeamHead};
use paseo_core::id::ThreadId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::team::{Team, TeamId, ThreadAlias};
use paseo_wire::error::Code;

use super::Threads;
use crate::desk::Held;
use crate::failure::Failure;
use crate::teams::refused;

/// How much of an id must be typed: it begins with the time, so that less names many.
const ID_CHARS: usize = 8;
/// Most candidates that are listed.
const LISTED: usize = 8;

impl Threads {
    /// Finds a thread by what a team calls it: the caller's own team, the one that is named, or the only one that has it.
    pub(super) async fn aliased(&self, by: Option<&Actor>, typed: &str) -> Result<Option<ThreadId>, Failure> {
        let (team, alias) = match typed.split_once('/') {
            Some((team, alias)) => (team.parse::<TeamId>().ok(), alias),
            None => (by.and_then(|by| self.team_of(by)), typed),
        };
        let Ok(alias) = alias.parse::<ThreadAlias>() else { return Ok(None) };
        let teams = self.sessions.context.teams()?;
        if let Some(team) = team {
            let team = teams.get(&team).await?;
            return Ok(team.threads.get(&alias).map(|known| known.thread));
        }
        let (mut found, mut after): (Vec<(TeamId, ThreadId)>, Option<TeamId>) = (Vec::new(), None);
        loop {
            let heads = teams.list(after.as_ref().map(TeamId::as_str), PAGE_ROWS).await?;
            for row in &heads {
                if let TeamHead::Team(team) =
                    fold::read(&row.stream, &row.head.state).map_err(Failure::internal)?
                {
                    found.extend(team.threads.get(&alias).map(|known| (team.id.clone(), known.thread)));
                    after = Some(team.id.clone());
                }
            }
            if heads.len() < PAGE_ROWS {
                break;
            }
        }
        match found.as_slice() {
            [] => Ok(None),
            [(_, one)] => Ok(Some(*one)),
            [(first, _), ..] => {
                let names = found.iter().take(LISTED).map(|(team, _)| format!("{team}/{alias}"));
                let names: Vec<String> = names.collect();
                let message = format!("several teams have {alias}: {}", names.join(", "));
                Err(Failure::new(Code::Ambiguous, message)
                    .hint(format!("name the team, as in {first}/{alias}")))
            }
        }
    }

    /// Refuses to change a thread of a team that was closed, or that one whose token acts in it has left. Nobody closes it
    /// as long as what is returned is there.
    pub(super) async fn in_open_team(&self, id: ThreadId, by: &Actor) -> Result<Option<Held<Team>>, Failure> {
        let Some(team) = &self.rooms.get(&id).await?.team else { return Ok(None) };
        let teams = self.sessions.context.teams()?;
        let held = teams.hold(team).await?;
        held.thing.open().map_err(refused)?;
        if let Actor::Agent(_) = by {
            teams.acting(&held.thing, by)?;
        }
        Ok(Some(held))
    }

    /// Finds the threads whose ids begin like this.
    pub(super) async fn beginning(&self, typed: &str) -> Result<Vec<ThreadId>, Failure> {
        let plausible =
            typed.len() >= ID_CHARS && typed.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        if !plausible {
            return Ok(Vec::new());
        }
        let stream = format!("thread/{}", typed.to_ascii_lowercase());
        let names = self.sessions.context.journal.log.names(&stream, LISTED + 1).await?;
        let mut found = Vec::new();
        for id in names.iter().filter_map(|name| name.trim_start_matches("thread/").parse().ok()) {
            // What was deleted is named no more.
            if self.get(id).await.is_ok() {
                found.push(id);
            }
        }
        Ok(found)
    }

    fn team_of(&self, by: &Actor) -> Option<TeamId> {
        match by {
            Actor::Agent(agent) => agent.split_once('/')?.0.parse().ok(),
            Actor::Session(session) => {
                let session = self.sessions.context.directory.get(*session)?;
                session.profile.team.as_ref().map(|seat| seat.team.clone())
            }
            Actor::Human(_) | Actor::Seat(_) | Actor::Daemon => None,
        }
    }
}
