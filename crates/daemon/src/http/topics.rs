//! What a stream is about, and who may follow it: when it begins, and as long as it goes on.

use paseo_core::actor::Actor;
use paseo_core::id::CauseId;
use paseo_core::tool::{TASKS_LIST, THREADS_READ};
use paseo_wire::error::Code;

use super::sessions::resolve;
use super::{App, teams, threads};
use crate::directory::shown;
use crate::failure::Failure;
use crate::frames::{Subject, Topics};

/// What a client follows. What an agent may see can end: it is checked again on every event.
pub(super) struct Following {
    app: App,
    by: Actor,
    pub(super) topics: Topics,
}

impl Following {
    /// Reads topics, and checks that the caller may follow all of them.
    pub(super) async fn begin(app: &App, by: Actor, typed: &str, only_ui: bool) -> Result<Self, Failure> {
        let mut topics = Topics { only_ui, ..Topics::default() };
        check_open(app, &by)?;
        for topic in typed.split(',').map(str::trim).filter(|topic| !topic.is_empty()) {
            match topic {
                "sessions" if by.is_human() => topics.sessions = true,
                "permissions" if by.is_human() => topics.permissions = true,
                "inbox" if by.is_human() => topics.needs = true,
                "threads" if by.is_human() => topics.threads = true,
                "sessions" | "permissions" | "inbox" | "threads" => return Err(own_only()),
                _ => {
                    topics.each.insert(subject(app, &by, topic).await?);
                }
            }
        }
        Ok(Self { app: app.clone(), by, topics })
    }

    /// Refuses once there is something among it that may not be followed any more.
    pub(super) async fn check(&self) -> Result<(), Failure> {
        if self.by.is_human() {
            return Ok(());
        }
        check_open(&self.app, &self.by)?;
        for followed in &self.topics.each {
            subject(&self.app, &self.by, &followed.to_string()).await?;
        }
        Ok(())
    }
}

/// Finds what a topic names, and checks that the caller may follow it.
async fn subject(app: &App, by: &Actor, topic: &str) -> Result<Subject, Failure> {
    match topic.split_once(':') {
        // An agent follows only itself, and does not learn that others exist.
        Some(("session", typed)) => match by {
            Actor::Human(_) => resolve(app, by, typed).await.map(Subject::Session),
            Actor::Session(own) if own.to_string() == typed => Ok(Subject::Session(*own)),
            _ => Err(own_only()),
        },
        Some(("thread", typed)) => {
            check_granted(app, by, THREADS_READ)?;
            let (thread, _) = threads::entered(app, by, typed).await?;
            Ok(Subject::Thread(thread.id))
        }
        Some(("team", typed)) => {
            check_granted(app, by, TASKS_LIST)?;
            let (team, _) = teams::entered(app, by, typed).await?;
            if !by.is_human() {
                team.open().map_err(crate::teams::refused)?;
            }
            Ok(Subject::Team(team.id.clone()))
        }
        // A request may reach every agent: only people follow one.
        Some(("cause", typed)) if by.is_human() => {
            let unknown = || Failure::new(Code::NotFound, format!("cause `{}` not found", shown(typed)));
            let id: CauseId = typed.parse().map_err(|_| unknown())?;
            let (_, version) = app.sessions.context.journal.cause(id).await?;
            (version > 0).then_some(Subject::Cause(id)).ok_or_else(unknown)
        }
        Some(("cause", _)) => Err(own_only()),
        _ => {
            let message = format!("unknown topic `{}`", topic.escape_debug());
            Err(Failure::new(Code::InvalidRequest, message).hint(
                "use sessions, permissions, inbox, threads, session:<id>, thread:<id>, team:<id> or cause:<id>",
            ))
        }
    }
}

/// Refuses an agent that was closed.
fn check_open(app: &App, by: &Actor) -> Result<(), Failure> {
    match by.session() {
        Some(id) if app.sessions.context.directory.get(id).is_none() => {
            Err(Failure::new(Code::Closed, "this agent was closed"))
        }
        _ => Ok(()),
    }
}

fn check_granted(app: &App, by: &Actor, tool: &str) -> Result<(), Failure> {
    let context = &app.sessions.context;
    let Some(agent) = context.directory.acting(by)? else { return Ok(()) };
    let checked = context.grants(&agent).check_process(tool);
    checked.map_err(|refused| Failure::new(Code::Forbidden, refused.to_string()))
}

fn own_only() -> Failure {
    Failure::new(Code::Forbidden, "an agent can only watch itself")
        .hint("use the topic session:$PASEO_SESSION")
}
