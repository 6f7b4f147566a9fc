//! Guarded agents: what they may change by the leases that they hold, and how any request is decided. The rules are in
//! `core::team` and `core::permission`; links are resolved here, before them.

use std::path::Path;

use paseo_core::permission::{self, Request, Scope, Verdict};
use paseo_core::session::{Hold, Profile, Session, TeamSeat};
use paseo_core::team::{self, Permit, Reason, Site, Team, TeamId, Wish, Worktree};
use paseo_runtime::place::real;
use paseo_wire::error::Code;
use paseo_wire::session::SessionView;

use super::Context;
use super::outlook::Outlook;
use crate::failure::Failure;
use crate::teams::RefusedWrite;
use crate::view;

/// What a guarded agent may not do, and why.
pub(super) struct Held(pub(super) String);

/// Why a guarded agent may not do something: in words for it, and what its team remembers of that.
struct Unpermitted {
    words: String,
    /// `None`: the team knows nothing of it.
    noted: Option<(TeamId, RefusedWrite)>,
}

impl From<String> for Unpermitted {
    fn from(words: String) -> Self {
        Self { words, noted: None }
    }
}

impl Context {
    /// Says whether a session is guarded now: because of its parent, or by its definition.
    pub(crate) fn is_guarded(&self, session: &Session) -> bool {
        self.guarded_by(session, &self.outlook(session))
    }

    /// Says whether the process of a session is guarded. One in a terminal is what it was started as.
    pub(crate) fn is_guarded_process(&self, session: &Session) -> bool {
        let started = session.history.guarded.filter(|_| session.history.token.is_some());
        started.unwrap_or_else(|| self.is_guarded(session))
    }

    /// Says whether a session and its children are held to their leases: what was started as guarded stays so until it
    /// is started again.
    pub(crate) fn is_held(&self, session: &Session) -> bool {
        self.is_guarded(session) || self.is_guarded_process(session)
    }

    /// Says whether there is the definition that a session follows.
    pub(crate) fn has_definition(&self, session: &Session) -> bool {
        self.outlook(session).definition.is_some()
    }

    pub(super) fn guarded_by(&self, session: &Session, outlook: &Outlook) -> bool {
        session.profile.guarded || outlook.definition.as_ref().is_some_and(|own| own.guarded)
    }

    /// Refuses a guard that could not be kept.
    pub(super) fn check_guard(&self, profile: &Profile) -> Result<(), Failure> {
        if profile.team.is_none() {
            return Err(Failure::new(
                Code::InvalidRequest,
                "--guard requires --team: the tasks of the team define what the agent may change",
            )
            .hint("pass --team; `paseo team ls` lists teams"));
        }
        let can = |name: &String| self.providers.get(name).is_some_and(|found| found.capabilities().guard);
        if can(&profile.provider) {
            return Ok(());
        }
        let able: Vec<String> = self.providers.names().into_iter().filter(can).collect();
        let message = format!(
            "provider `{}` cannot be guarded: its agents do not ask before they make changes",
            profile.provider
        );
        Err(Failure::new(Code::ProviderUnavailable, message)
            .hint(format!("use one of {}, or omit the guard", able.join(", "))))
    }

    /// Decides about a request: first the guard, then the permissions. A person is asked in the course of a turn only.
    pub(super) async fn verdict(&self, session: &Session, request: &Request) -> Verdict {
        match self.judge(session, request).await {
            Verdict::Ask if session.turn.is_none() => {
                Verdict::Deny("No permission can be requested between turns.".to_owned())
            }
            Verdict::Ask if session.hold == Hold::Stopped => {
                Verdict::Deny("A person has stopped this turn.".to_owned())
            }
            verdict => verdict,
        }
    }

    /// Decides about a request without asking a person.
    pub(crate) async fn judge(&self, session: &Session, request: &Request) -> Verdict {
        if let Err(refused) = self.grants(session).check(request.power.tool()) {
            return Verdict::Deny(refused.to_string());
        }
        if let Err(Held(why)) = self.held(session, request).await {
            return Verdict::Deny(why);
        }
        let (profile, settings) = (&session.profile, self.settings.get());
        permission::decide(profile.permissions, settings.rules.values(), &Scope::of(profile), request)
    }

    /// Refuses what a guarded agent has no lease for at this moment, and has its team remember that.
    pub(super) async fn held(&self, session: &Session, request: &Request) -> Result<(), Held> {
        let Err(Unpermitted { words, noted }) = self.permitted(session, request).await else { return Ok(()) };
        if let (Some((team, refused)), Ok(teams)) = (noted, self.teams()) {
            teams.note_refusal(&team, refused).await;
        }
        Err(Held(words))
    }

    /// Decides whether a guarded agent has a lease for something at this moment. What cannot be found out is refused.
    async fn permitted(&self, session: &Session, request: &Request) -> Result<(), Unpermitted> {
        let Some(wish) = Wish::of(request).filter(|_| self.is_held(session)) else { return Ok(()) };
        let unknown = |why: &str| -> Unpermitted {
            format!("Not done: you are guarded, and {why}. Reading needs no task.").into()
        };
        let Some(seat) = &session.profile.team else {
            return Err(unknown("you are not in a team, so no task allows you to make changes"));
        };
        let teams = self.teams().map_err(|failure| unknown(&failure.message))?;
        let team = teams.get(&seat.team).await.map_err(|failure| unknown(&failure.message))?;
        let site = self.site(session, &project(&team, session)).await.map_err(|why| unknown(&why))?;
        let wish = match wish {
            Wish::Files(paths) => {
                let mut resolved = Vec::with_capacity(paths.len());
                for path in paths {
                    resolved
                        .push(found(&session.profile.directory, &path).await.map_err(|why| unknown(&why))?);
                }
                Wish::Files(resolved)
            }
            Wish::Shell => Wish::Shell,
        };
        // Read last: a lease counts that is live now.
        let team = teams.get(&seat.team).await.map_err(|failure| unknown(&failure.message))?;
        if !self.is_seated(session, &team, &seat.agent) {
            let there = team.agents.contains_key(&seat.agent);
            return Err(unknown(&match team.closed_at {
                Some(_) => format!("your team {} was closed, so no task allows you to make changes", team.id),
                None if there => format!("`{}` is now another agent in the team", seat.agent),
                None => format!("`{}` is no longer in team {}", seat.agent, team.id),
            }));
        }
        team::guard(&team, &seat.agent, &wish, &site, teams.now()).map_err(|held| {
            let held = held.of(request);
            let (agent, session) = (seat.agent.clone(), session.id);
            let refused =
                RefusedWrite { agent, session, what: held.what.clone(), reason: held.reason.clone() };
            Unpermitted { words: held.to_string(), noted: Some((team.id.clone(), refused)) }
        })
    }

    /// Says whether a session is who has this place in a team, or descends from it: those that it starts work for it.
    /// A closed one has no members.
    pub(crate) fn is_seated(&self, session: &Session, team: &Team, agent: &str) -> bool {
        team.closed_at.is_none() && self.goes_by(session, team, agent)
    }

    /// Says the same, also of a team that was closed.
    fn goes_by(&self, session: &Session, team: &Team, agent: &str) -> bool {
        let Some(holder) = team.agents.get(agent).and_then(|member| member.session) else { return false };
        let (mut id, mut above) = (session.id, session.profile.parent);
        while id != holder {
            let Some(parent) = above.and_then(|parent| self.directory.get(parent)) else { return false };
            (id, above) = (parent.id, parent.profile.parent);
        }
        true
    }

    /// Returns the place that a session has in a team now. What cannot be looked at counts as it was.
    pub(crate) async fn seat<'a>(&self, session: &'a Session) -> Option<&'a TeamSeat> {
        let seat = session.profile.team.as_ref()?;
        let Ok(teams) = self.teams() else { return Some(seat) };
        let Ok(team) = teams.get(&seat.team).await else { return Some(seat) };
        self.is_seated(session, &team, &seat.agent).then_some(seat)
    }

    /// Returns the name that a session goes by in its team. In one that was closed it keeps it: people know it by that.
    pub(crate) async fn member(&self, session: &Session) -> Option<String> {
        let seat = session.profile.team.as_ref()?;
        let team = match self.teams() {
            Ok(teams) => teams.get(&seat.team).await.ok(),
            Err(_) => None,
        };
        team.is_none_or(|team| self.goes_by(session, &team, &seat.agent)).then(|| seat.agent.clone())
    }

    /// Shows a session, with the place that it has in a team now, its looks and a preview of its transcript.
    pub(crate) async fn view(&self, session: &Session) -> SessionView {
        let team = self.seat(session).await.map(|seat| seat.team.to_string());
        let member = self.member(session).await;
        let preview = self.preview(session).await;
        let (icon, color) = self.definitions.looks(session);
        let (todo_done, todo_total) =
            preview.progress.map(|progress| (progress.done, progress.total)).unzip();
        SessionView {
            team: team.map(Into::into),
            member: member.map(Into::into),
            last_snippet: preview.said.as_deref().map(str::to_owned),
            step: view::step(session, &preview),
            todo_done,
            todo_total,
            icon,
            color: color.map(Into::into),
            ..self.directory.view(session)
        }
    }

    /// Says whether the session of an agent may write to a path, exactly as its guard would.
    pub(crate) async fn permit(&self, session: &Session, team: &Team, agent: &str, path: &str) -> Permit {
        let refused = |reason| Permit { allow: false, reason };
        let Ok(teams) = self.teams() else { return refused(Reason::NoLease) };
        let Ok(site) = self.site(session, &project(team, session)).await else {
            return refused(Reason::InvalidPath);
        };
        // That is how a command is asked about, wherever it runs.
        if Path::new(path) == Path::new(".") {
            return team::may_run(team, agent, &site, teams.now());
        }
        match found(&session.profile.directory, path).await {
            Ok(path) => team::may_write(team, agent, &path, &site, teams.now()),
            Err(why) => refused(Reason::Nowhere(why)),
        }
    }

    /// Returns where a session works, without links. A child works in its parent's worktree, which is its own as long as
    /// no agent with another membership works there.
    async fn site(&self, session: &Session, project: &str) -> Result<Site, String> {
        let mut profile = session.profile.clone();
        while profile.worktree.is_none()
            && let Some(parent) = profile.parent.and_then(|id| self.directory.get(id))
        {
            profile = parent.profile.clone();
        }
        let whose = profile.team.as_deref();
        let root = profile.worktree.as_ref().map(|worktree| worktree.path.clone());
        let scope = Scope::of(&profile);
        let worktree = match root.zip(scope.repository()) {
            Some((root, repository)) if Path::new(&session.profile.directory).starts_with(&root) => {
                let seat = session.profile.team.as_deref();
                let all = self.directory.all();
                let there = all.iter().filter(|other| Path::new(&other.profile.directory).starts_with(&root));
                let others = there.filter_map(|other| other.profile.team.as_deref());
                let alone = team::is_alone(seat, whose, others);
                let (root, repository) = (found("/", &root).await?, found("/", repository).await?);
                Some(Worktree { root, repository, alone })
            }
            _ => None,
        };
        Ok(Site { project: found("/", project).await?, worktree })
    }
}

/// Returns the project that resources are parts of: the team's, or where the session was started.
fn project(team: &Team, session: &Session) -> String {
    team.directory.clone().unwrap_or_else(|| session.profile.project.clone())
}

/// Returns where a path really leads. One with `..` stays as it is, for the rule to refuse: what it means depends on who
/// reads it.
async fn found(directory: &str, path: &str) -> Result<String, String> {
    if path.split('/').any(|part| part == "..") {
        return Ok(path.to_owned());
    }
    let (directory, path) = (directory.to_owned(), path.to_owned());
    let resolved = tokio::task::spawn_blocking(move || real(Path::new(&directory), &path));
    let resolved = resolved.await.map_err(|error| error.to_string())?;
    resolved.map(|path| path.to_string_lossy().into_owned())
}
