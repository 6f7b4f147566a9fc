//! Telling agents of a team what others did: read from the log on demand, and one passive line each for
//! agents that run here.

use paseo_core::actor::Actor;
use paseo_core::codec;
use paseo_core::id::SessionId;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session::{Class, Verb};
use paseo_core::team::{self, Event, Notice, Team};
use paseo_core::time::Timestamp;
use paseo_store::{Body, Record};
use std::sync::Arc;

use super::Teams;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::{Command, Message};

/// Most lines that wait in a session: an agent that does not read them needs no more.
const WAITING: usize = 50;

/// Something that happened, with where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) cursor: u64,
    pub(crate) at: Timestamp,
    pub(crate) notice: Notice,
}

impl Teams {
    /// Returns what happened in a team after a cursor, as far as an agent is concerned (`None`: all of it), the cursor
    /// to go on from, and whether there is more.
    pub(crate) async fn told(
        &self,
        team: &Team,
        agent: Option<&str>,
        after: u64,
        limit: usize,
    ) -> Result<(Vec<Told>, u64, bool), Failure> {
        let log = &self.sessions.context.journal.log;
        let (mut found, mut cursor, stream) = (Vec::new(), after, team::stream(&team.id));
        loop {
            let records = log.read_stream(&stream, cursor, PAGE_ROWS).await?;
            let more = records.len() == PAGE_ROWS;
            for record in &records {
                let Body::Control { version } = record.body else { continue };
                cursor = version;
                for notice in notices(team, record, agent)? {
                    found.push(Told { cursor, at: Timestamp::from_millis(record.ts), notice });
                }
                if found.len() >= limit {
                    return Ok((found, cursor, cursor < team.version));
                }
            }
            if !more {
                return Ok((found, cursor, false));
            }
        }
    }

    /// Returns what happened in a team, newest first and before a cursor (`None`: from the end on), and the cursor to go
    /// on from, when there is more.
    pub(crate) async fn told_lately(
        &self,
        team: &Team,
        before: Option<u64>,
        limit: usize,
    ) -> Result<(Vec<Told>, Option<u64>), Failure> {
        let log = &self.sessions.context.journal.log;
        let end = before.map_or(team.version, |before| before.saturating_sub(1).min(team.version));
        let start = end.saturating_sub(limit as u64);
        // Versions have no gaps, so that these are the events between.
        let count = usize::try_from(end - start).unwrap_or(limit);
        let records = log.read_stream(&team::stream(&team.id), start, count.max(1)).await?;
        let mut found = Vec::new();
        for record in records.iter().rev() {
            let Body::Control { version } = record.body else { continue };
            if version > end {
                continue;
            }
            let at = Timestamp::from_millis(record.ts);
            let notices = notices(team, record, None)?.into_iter().rev();
            found.extend(notices.map(|notice| Told { cursor: version, at, notice }));
        }
        Ok((found, (start > 0).then_some(start + 1)))
    }

    /// Tells the sessions of a team what happened, in the background.
    pub(crate) fn tell(&self, team: &Arc<Team>, events: Vec<Event>) {
        let told = |event: &Event| {
            !matches!(event, Event::Renewed { .. } | Event::TaskCreated(_) | Event::Enrolled(_))
        };
        let events: Vec<Event> = events.into_iter().filter(told).collect();
        if events.is_empty() || sessions(team, &events).next().is_none() {
            return;
        }
        let (teams, team) = (self.clone(), Arc::clone(team));
        tokio::spawn(async move { teams.deliver(&team, &events).await });
    }

    async fn deliver(&self, team: &Team, events: &[Event]) {
        for (agent, id, left) in sessions(team, events) {
            let events = events.iter().filter(|event| !left || matches!(event, Event::Left { .. }));
            for notice in events.flat_map(|event| team::inbox(team, event, agent)) {
                let open = self.sessions.context.directory.get(id);
                let waiting = |pending: &&paseo_core::session::Pending| pending.class == Class::Passive;
                // It is closed, or has not read what it was told before.
                if open.is_none_or(|session| session.queue.iter().filter(waiting).count() >= WAITING) {
                    break;
                }
                let message = Message {
                    attachments: Vec::new(),
                    origin: Actor::Daemon,
                    text: notice.to_string(),
                    verb: Verb::Queue,
                    class: Class::Passive,
                    waited: false,
                    aside: false,
                    schema: None,
                    notify: None,
                    cause: Some((mint::cause(), 1)),
                    key: None,
                };
                if let Err(failure) = self.sessions.ask(id, |reply| Command::Deliver(message, reply)).await {
                    tracing::warn!(session = %id, error = %failure.message, "cannot notify an agent of its team's events");
                }
            }
        }
    }
}

/// Returns who is told of events in a team: its agents, and those who left, who are told just that.
fn sessions<'a>(team: &'a Team, events: &'a [Event]) -> impl Iterator<Item = (&'a str, SessionId, bool)> {
    let there =
        team.agents.iter().filter_map(|(agent, member)| Some((agent.as_str(), member.session?, false)));
    let left = events.iter().filter_map(|event| match event {
        Event::Left { agent, session, .. } => Some((agent.as_str(), (*session)?, true)),
        _ => None,
    });
    there.chain(left)
}

fn notices(team: &Team, record: &Record, agent: Option<&str>) -> Result<Vec<Notice>, Failure> {
    let Some(data) = &record.data else { return Ok(Vec::new()) };
    let event = codec::decode::<Event>(&record.kind, record.v, data).map_err(Failure::internal)?;
    Ok(match (event, agent) {
        (Some(event), Some(agent)) => team::inbox(team, &event, agent),
        (Some(event), None) => team::audit(team, &event),
        (None, _) => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(WAITING, 50);
    }
}
