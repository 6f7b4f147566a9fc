//! Workers: agents of a team whose harness runs in a terminal that people can watch and take over.

mod leftovers;
mod reports;
mod start;
mod terminals;
mod viewing;

use std::collections::BTreeMap;
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::session::{Class, Session, Verb};
use paseo_core::team::{Team, TeamId, in_order, place};
use paseo_wire::error::Code;
use paseo_wire::message::Receipt;
use paseo_wire::worker::WorkerView;

pub(crate) use leftovers::{outliving, tidy};
pub(crate) use reports::{report, unreported};
pub(crate) use start::{NewWorker, alias};
pub(crate) use terminals::{Pane, Terminals};
pub(crate) use viewing::{Holder, Seat, Seen, follow};

use crate::failure::Failure;
use crate::sessions::{Command, Message, Sessions};
use crate::teams::Teams;
use crate::tools::admitted;
use crate::{tools, view};

/// How many lines a capture has unless somebody says otherwise, and at most.
pub(crate) const LINES: usize = paseo_core::limits::CAPTURE_LINES;
pub(crate) const MOST_LINES: usize = 10_000;

/// All workers. Cheap to make.
pub(crate) struct Workers {
    sessions: Sessions,
    teams: Teams,
}

/// What a terminal shows.
pub(crate) struct Shown {
    pub(crate) text: String,
    /// There is more above.
    pub(crate) cut: bool,
}

impl Workers {
    pub(crate) fn of(sessions: &Sessions) -> Result<Self, Failure> {
        Ok(Self { sessions: sessions.clone(), teams: sessions.context.teams()?.clone() })
    }

    /// Lists the workers that somebody may see, in order of their names.
    pub(crate) async fn list(
        &self,
        by: &Actor,
        team: Option<&TeamId>,
        prefix: Option<&str>,
    ) -> Result<Vec<WorkerView>, Failure> {
        let sight = self.sight(by).await?;
        let team = match team {
            Some(id) => Some(self.teams.get(id).await?),
            None => None,
        };
        let fits = |session: &Session| {
            let name = session.profile.terminal.as_deref().unwrap_or_default();
            prefix.is_none_or(|prefix| name.starts_with(prefix))
                // Also those of one that was closed: somebody has to end them.
                && team.as_ref().is_none_or(|team| team.agent_of(session.id).is_some())
                && sight.reaches(session)
        };
        let found: Vec<Arc<Session>> = self.open().into_iter().filter(|session| fits(session)).collect();
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let panes = self.panes().await;
        let mut views = Vec::with_capacity(found.len());
        for session in found {
            views.push(self.view(&session, &panes).await?);
        }
        views.sort_by_key(|view| place(&view.name));
        Ok(views)
    }

    /// Finds a worker by its name or its handle, for somebody who may see it.
    pub(crate) async fn find(&self, by: &Actor, typed: &str) -> Result<Arc<Session>, Failure> {
        let (open, sight) = (self.open(), self.sight(by).await?);
        let named = open.iter().find(|session| session.profile.terminal.as_deref() == Some(typed));
        let found = match named {
            Some(session) => Some(Arc::clone(session)),
            None => {
                let directory = &self.sessions.context.directory;
                open.iter().find(|session| directory.handle(session.id) == typed.to_lowercase()).cloned()
            }
        };
        let others = || {
            let seen = open.iter().filter(|session| sight.reaches(session));
            let names = in_order(seen.filter_map(|session| session.profile.terminal.as_deref()));
            if names.is_empty() {
                let how =
                    if by.is_human() { "paseo worker start \"…\" --team TEAM" } else { "team_tmux_start" };
                format!("no workers exist; start one with `{how}`")
            } else {
                format!("choose one of: {}", names.join(", "))
            }
        };
        if let Some(session) = found.filter(|session| sight.reaches(session)) {
            return Ok(session);
        }
        if by.is_human()
            && let Some(ended) = self.teams.ended(typed).await?
        {
            return Err(Failure { code: Code::SessionNotFound, ..ended });
        }
        let typed: String = typed.chars().take(64).flat_map(char::escape_debug).collect();
        Err(Failure::new(Code::SessionNotFound, format!("worker `{typed}` not found")).hint(others()))
    }

    /// Returns what a worker's terminal shows.
    pub(crate) async fn capture(&self, session: &Session, lines: Option<u64>) -> Result<Shown, Failure> {
        if lines == Some(0) {
            return Err(Failure::new(Code::InvalidRequest, "`lines` must be at least 1"));
        }
        let lines = usize::try_from(lines.unwrap_or(LINES as u64)).unwrap_or(MOST_LINES).min(MOST_LINES);
        let name = self.name(session);
        match self.sessions.context.terminals.capture(name, session.id, lines).await {
            Ok(shown) => Ok(Shown { text: shown.text, cut: shown.cut }),
            Err(failure) if failure.code == Code::SessionNotFound => Err(terminal_gone(name)),
            Err(failure) => Err(failure),
        }
    }

    /// Returns by which words a person gets to a worker's terminal, and the same as a line for a shell.
    pub(crate) fn attach(&self, session: &Session, pane: Option<&Pane>) -> (Vec<String>, String) {
        let argv = self.sessions.context.terminals.attach(self.name(session), pane);
        let line = argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        (argv, line)
    }

    /// Types something into a worker's terminal: a message like any other.
    pub(crate) async fn send(&self, by: &Actor, session: &Session, text: &str) -> Result<Receipt, Failure> {
        self.sessions.context.terminals.look().await?;
        let sender = self.sessions.context.directory.acting(by)?;
        let cause = sender.map(|sender| admitted(&self.sessions, &sender, session.id)).transpose()?;
        let message = Message {
            attachments: Vec::new(),
            origin: by.clone(),
            text: text.to_owned(),
            verb: Verb::Queue,
            class: Class::Message,
            waited: false,
            aside: true,
            schema: None,
            notify: None,
            cause,
            key: None,
        };
        self.sessions.ask(session.id, |reply| Command::Deliver(message, reply)).await
    }

    /// Ends a worker: its processes, its terminal and its session. What it said stays.
    pub(crate) async fn kill(&self, by: &Actor, session: &Session) -> Result<(), Failure> {
        if let Some(killer) = self.sessions.context.directory.acting(by)? {
            if killer.id == session.id {
                return Err(Failure::new(Code::Forbidden, "an agent cannot kill itself")
                    .hint("end your turn; your parent agent or a person can kill you"));
            }
            tools::powers::may_write_to(&self.sessions, &killer, session)?;
        }
        if let Err(missing) = self.sessions.context.terminals.check().await {
            let handle = self.sessions.context.directory.handle(session.id);
            return Err(Failure::new(missing.code, format!("nothing was killed: {}", missing.message)).hint(
                format!(
                    "install tmux, or run `paseo close {handle}` to end its processes and keep the terminal"
                ),
            ));
        }
        self.sessions.close(session.id, by).await?;
        self.gone(self.name(session), session.id).await
    }

    /// Waits until a terminal is gone; takes it away itself when nobody else does.
    async fn gone(&self, name: &str, session: SessionId) -> Result<(), Failure> {
        let terminals = &self.sessions.context.terminals;
        // Somebody may write to it meanwhile, and begins anew: that is another terminal.
        let is_back = || self.sessions.context.directory.get(session).is_some();
        for _ in 0..LOOKS {
            if is_back() {
                return Ok(());
            }
            // Whoever takes it away waits for the last process in it.
            if !self.sessions.is_awake(session) {
                match terminals.pane(name, session).await {
                    Ok(None) => return Ok(()),
                    Ok(Some(_)) => {}
                    Err(failure) => {
                        terminals.look_after();
                        terminals.sweep(session).await;
                        let message = format!(
                            "{name} is closed and its processes have ended, but its terminal could not be \
                             removed yet: {}",
                            failure.message
                        );
                        return Err(Failure { message, ..failure });
                    }
                }
            }
            tokio::time::sleep(LOOK).await;
        }
        // Its own actor does it, who knows whether it has come back.
        self.sessions.ask(session, Command::ClearAway).await
    }

    /// Shows one worker.
    pub(crate) async fn show(&self, session: &Session) -> Result<WorkerView, Failure> {
        self.view(session, &self.panes().await).await
    }

    /// Returns all terminals, or why nobody knows.
    async fn panes(&self) -> Result<BTreeMap<String, Pane>, String> {
        match self.sessions.context.terminals.all().await {
            Ok(all) => Ok(all.into_iter().map(|pane| (pane.name().to_owned(), pane)).collect()),
            Err(failure) => {
                // What the log knows is shown all the same.
                tracing::warn!(error = %failure.message, "cannot inspect the terminals");
                Err(failure.in_one())
            }
        }
    }

    async fn view(
        &self,
        session: &Session,
        panes: &Result<BTreeMap<String, Pane>, String>,
    ) -> Result<WorkerView, Failure> {
        let (profile, name) = (&session.profile, self.name(session));
        let pane =
            panes.as_ref().ok().and_then(|panes| panes.get(name)).filter(|pane| pane.is_of(session.id));
        let team: Option<Arc<Team>> = match &profile.team {
            Some(seat) => Some(self.teams.get(&seat.team).await?).filter(|team| team.is_member(session.id)),
            None => None,
        };
        let alias = team.as_ref().zip(profile.reports_to).and_then(|(team, thread)| {
            let mut all = team.threads.iter();
            all.find(|(_, known)| known.thread == thread).map(|(alias, _)| (*alias).into())
        });
        let context = &self.sessions.context;
        let (guarded, handle) = (context.is_guarded_process(session), context.directory.handle(session.id));
        // Whose definition is gone is not started again.
        let will_be = context.has_definition(session).then(|| context.is_guarded(session));
        let changed = will_be.filter(|will_be| *will_be != guarded);
        let from_next_start = changed.map(|will_be| from_next_start(name, &handle, will_be));
        Ok(WorkerView {
            name: name.to_owned(),
            session: session.id.into(),
            handle,
            team: team.map(|team| (&team.id).into()).unwrap_or_default(),
            thread: alias,
            agent: profile.slug().to_owned(),
            provider: profile.provider.clone(),
            status: session.condition.status.into(),
            directory: profile.directory.clone(),
            guarded,
            from_next_start,
            alive: pane.is_some_and(|pane| pane.exit().is_none()),
            unknown: panes.is_err(),
            trouble: panes.as_ref().err().cloned(),
            exit: view::exit(session),
            attached: pane.map_or(0, Pane::attached) + context.terminals.viewing.count(session.id),
            taken_over_by: session.history.keyboard.as_deref().map(Into::into),
            person: view::is_driven_by_person(session),
            created_at: profile.created_at.into(),
            attach: format!("paseo worker attach {name}"),
        })
    }

    fn name<'a>(&self, session: &'a Session) -> &'a str {
        session.profile.terminal.as_deref().unwrap_or_default()
    }

    fn open(&self) -> Vec<Arc<Session>> {
        let mut open = self.sessions.context.directory.all();
        open.retain(|session| session.profile.terminal.is_some());
        open
    }

    /// People see all; agents see those of their team, for as long as it is theirs, and those are theirs as well.
    async fn sight(&self, by: &Actor) -> Result<Sight, Failure> {
        Ok(match by {
            Actor::Human(_) | Actor::Daemon => Sight::All,
            Actor::Agent(agent) => match agent.split_once('/').and_then(|(team, _)| team.parse().ok()) {
                Some(team) => Sight::Of(Some(self.teams.get(&team).await?)),
                None => Sight::Of(None),
            },
            Actor::Session(id) => {
                let context = &self.sessions.context;
                let caller = context.directory.get(*id);
                match caller.as_ref().and_then(|caller| Some((caller, caller.profile.team.as_ref()?))) {
                    Some((caller, seat)) => {
                        let team = self.teams.get(&seat.team).await?;
                        let seated = context.is_seated(caller, &team, &seat.agent);
                        Sight::Of(Some(team).filter(|_| seated))
                    }
                    None => Sight::Of(None),
                }
            }
            Actor::Seat(_) => Sight::Of(None),
        })
    }
}

/// Which workers somebody may see.
enum Sight {
    All,
    /// Those that belong to a team now, or none.
    Of(Option<Arc<Team>>),
}

impl Sight {
    fn reaches(&self, session: &Session) -> bool {
        match self {
            Self::All => true,
            Self::Of(team) => team.as_ref().is_some_and(|team| team.is_member(session.id)),
        }
    }
}

/// Says what will be once it is started again, and how that is done.
fn from_next_start(name: &str, handle: &str, guarded: bool) -> String {
    let will_be = if guarded { "guarded" } else { "no longer guarded" };
    format!(
        "its definition makes it {will_be} from its next start: `paseo worker kill {name}`, then `paseo \
         send {handle} \"…\"`"
    )
}

/// Says that a worker is there, and its terminal is not.
pub(crate) fn terminal_gone(name: &str) -> Failure {
    Failure::new(Code::SessionNotFound, format!("the terminal of {name} no longer exists"))
        .hint(format!("restart it with a message: `paseo worker send {name} \"…\"`"))
}

/// How often and how long it is looked whether a terminal is gone.
const LOOKS: u32 = 400;
const LOOK: std::time::Duration = std::time::Duration::from_millis(25);

/// Writes a word so that a shell reads it as one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    match !word.is_empty() && word.chars().all(plain) && !word.starts_with('=') {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_each_word_as_one() {
        assert_eq!(quoted("/home/a/tmux.sock"), "/home/a/tmux.sock");
        assert_eq!(quoted("=red-1"), "'=red-1'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
