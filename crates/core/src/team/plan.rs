//! What a team has: its agents, its tasks, its threads.

use std::collections::BTreeSet;

use super::{
    By, Enrolled, Event, Member, Refused, Resource, TaskCreated, TaskId, Team, TeamId, ThreadAlias,
    ThreadStarted, WORKER, abandoned, check_agent,
};
use crate::actor::Actor;
use crate::content::ContentRef;
use crate::id::{SessionId, ThreadId};
use crate::limits::{TEAM_AGENTS, TEAM_DEPS, TEAM_RESOURCE_BYTES, TEAM_TASKS, TEAM_THREADS};
use crate::name;

/// A task to be created.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub title: String,
    pub description: Option<ContentRef>,
    pub deps: Vec<String>,
    pub resources: Vec<String>,
}

/// A thread to be created.
#[derive(Debug, Clone)]
pub struct Thread {
    pub id: ThreadId,
    pub title: String,
    pub participants: Vec<String>,
    pub task: Option<TaskId>,
}

/// Makes a team.
pub fn found(
    team: TeamId,
    directory: Option<String>,
    agents: Vec<Enrolled>,
    by: Actor,
) -> Result<Event, Refused> {
    agents.iter().try_for_each(checked)?;
    let mut ids = BTreeSet::new();
    if let Some(twice) = agents.iter().find(|agent| !ids.insert(agent.id.as_str())) {
        return Err(Refused::SameId(twice.id.clone()));
    }
    crowd(ids.len())?;
    Ok(Event::Created { team, directory, agents, by })
}

/// Adds a member to a team, or changes its role. Nothing if that is so already.
pub fn enrol(team: &Team, id: &str, member: Member, by: By<'_>) -> Result<Vec<Event>, Refused> {
    admit(team, id, member, team.agents.len(), by)
}

/// Takes somebody into a team who only wants to act there, unless it is there already. Whoever was taken out comes back
/// only when that is asked for.
pub fn let_in(team: &Team, id: &str, again: bool, by: By<'_>) -> Result<Vec<Event>, Refused> {
    team.open()?;
    if team.agents.contains_key(id) {
        return Ok(Vec::new());
    }
    if team.former.contains(id) && !again {
        return Err(Refused::TakenOut { agent: id.to_owned(), team: team.id.clone() });
    }
    enrol(team, id, Member { role: WORKER.to_owned(), model: None, session: None }, by)
}

fn admit(team: &Team, id: &str, member: Member, there: usize, by: By<'_>) -> Result<Vec<Event>, Refused> {
    team.open()?;
    if team.agents.get(id) == Some(&member) {
        return Ok(Vec::new());
    }
    let by = Some(by.id().to_owned());
    let enrolled = Enrolled { id: id.to_owned(), member, by };
    checked(&enrolled)?;
    if !team.agents.contains_key(id) {
        crowd(there + 1)?;
    }
    Ok(vec![Event::Enrolled(enrolled)])
}

/// Adds a session to a team: by the name it wants, else by one derived from what it is. No session takes the name of
/// another that is still there: a session that is open, or one elsewhere that has a token or a task.
pub fn join(
    team: &Team,
    wanted: Option<&str>,
    base: &str,
    member: Member,
    by: By<'_>,
    is_open: impl Fn(SessionId) -> bool,
    has_token: impl Fn(&str) -> bool,
) -> Result<(String, Vec<Event>), Refused> {
    let mut events = Vec::new();
    let id = match wanted {
        Some(id) => {
            if let Some(known) = team.agents.get(id).filter(|known| known.session != member.session) {
                events = replaced(team, id, known, &is_open, has_token(id))?;
            }
            id.to_owned()
        }
        None => {
            let base = if check_agent(base).is_ok() { base } else { "agent" };
            let mut names = (1..).map(|number: u32| format!("{base}-{number}"));
            names.find(|name| team.names().all(|taken| taken != name)).unwrap_or_default()
        }
    };
    let is_gone = |known: &Member| known.session.is_some_and(|session| !is_open(session));
    let there = team.agents.values().filter(|known| !is_gone(known)).count();
    events.extend(admit(team, &id, member, there, by)?);
    Ok((id, events))
}

/// Gives a name to another session, with what its former session left behind. A session that can still act under it
/// keeps it.
fn replaced(
    team: &Team,
    id: &str,
    known: &Member,
    is_open: impl Fn(SessionId) -> bool,
    has_token: bool,
) -> Result<Vec<Event>, Refused> {
    if let Some(other) = known.session.filter(|other| is_open(*other)) {
        return Err(Refused::Taken { id: id.to_owned(), other });
    }
    let left = abandoned(team, |holder| holder == id);
    let why = match (has_token, known.session, left.is_empty()) {
        (true, ..) => "whose token is still valid",
        (false, None, false) => "that still owns a task",
        _ => return Ok(left),
    };
    Err(Refused::Engaged { id: id.to_owned(), team: team.id.clone(), why })
}

/// Returns a name that was reserved for a session that was never created to its former session.
pub fn stayed_away(team: &Team, session: SessionId, before: Option<Member>, by: By<'_>) -> Option<Event> {
    let (id, by) = (team.agent_of(session)?.to_owned(), by.id().to_owned());
    Some(match before {
        Some(member) => Event::Enrolled(Enrolled { id, member, by: Some(by) }),
        None => Event::Left { agent: id, session: Some(session), by },
    })
}

/// Makes a task. It depends only on tasks that are there, so no circle can close.
pub fn plan(team: &Team, by: By<'_>, plan: Plan) -> Result<TaskCreated, Refused> {
    team.open()?;
    let title = plain(&plan.title, "the title of a task")?;
    let task = TaskId(team.tasks.last_key_value().map_or(0, |(last, _)| last.0) + 1);
    if team.tasks.len() >= TEAM_TASKS {
        return Err(Refused::Full(format!(
            "limit reached: a team can have {TEAM_TASKS} tasks; create another team"
        )));
    }
    Ok(TaskCreated {
        task,
        title,
        description: plan.description,
        deps: dependencies(team, task, &plan.deps)?.into_iter().collect(),
        resources: checked_resources(team, &plan.resources)?,
        by: by.id().to_owned(),
    })
}

/// Reads what a task is to depend on: tasks of the team, and not itself.
pub(super) fn dependencies(team: &Team, task: TaskId, deps: &[String]) -> Result<BTreeSet<TaskId>, Refused> {
    let deps = deps.iter().map(|dep| dep.parse()).collect::<Result<BTreeSet<TaskId>, _>>()?;
    if deps.len() > TEAM_DEPS {
        return Err(Refused::Invalid(format!("a task can depend on at most {TEAM_DEPS} others")));
    }
    for dep in &deps {
        if *dep == task {
            return Err(Refused::OwnDependency(task, team.id.clone()));
        }
        if !team.tasks.contains_key(dep) {
            return Err(Refused::NoDependency(*dep, team.id.clone()));
        }
    }
    Ok(deps)
}

/// Reads what a task is to need.
pub(super) fn checked_resources(team: &Team, paths: &[String]) -> Result<Vec<Resource>, Refused> {
    let parse = |path: &String| Resource::parse(path, team.directory.as_deref());
    let resources = paths.iter().map(parse).collect::<Result<BTreeSet<Resource>, _>>()?;
    if resources.iter().map(|resource| resource.as_str().len() + 3).sum::<usize>() > TEAM_RESOURCE_BYTES {
        let most = TEAM_RESOURCE_BYTES / 1024;
        return Err(Refused::Invalid(format!(
            "the resources of a task are limited to {most} KB in total; name directories instead"
        )));
    }
    Ok(resources.into_iter().collect())
}

/// Creates a thread of the team. Its creator takes part in it.
pub fn start_thread(team: &Team, by: By<'_>, wanted: Thread) -> Result<ThreadStarted, Refused> {
    team.open()?;
    let title = plain(&wanted.title, "the title of a thread")?;
    if team.threads.len() >= TEAM_THREADS {
        return Err(Refused::Full(format!(
            "limit reached: a team can have {TEAM_THREADS} threads; create another team"
        )));
    }
    wanted.participants.iter().filter(|id| *id != By::Person.id()).try_for_each(|id| check_agent(id))?;
    if let Some(task) = wanted.task {
        team.task(task)?;
    }
    let mut participants: BTreeSet<String> = wanted.participants.into_iter().collect();
    participants.insert(by.id().to_owned());
    crowd(participants.len())?;
    Ok(ThreadStarted {
        alias: ThreadAlias(team.threads.last_key_value().map_or(0, |(last, _)| last.0) + 1),
        thread: wanted.id,
        title,
        participants: participants.into_iter().collect(),
        task: wanted.task,
        by: by.id().to_owned(),
    })
}

/// Says which task a thread is about.
pub fn link(team: &Team, by: By<'_>, thread: ThreadAlias, task: TaskId) -> Result<Vec<Event>, Refused> {
    team.open()?;
    let known = team.threads.get(&thread).ok_or_else(|| Refused::NoThread(thread, team.id.clone()))?;
    team.task(task)?;
    if known.task == Some(task) {
        return Ok(Vec::new());
    }
    Ok(vec![Event::ThreadLinked { thread, task, by: by.id().to_owned() }])
}

fn checked(enrolled: &Enrolled) -> Result<(), Refused> {
    check_agent(&enrolled.id)?;
    let short = |text: &str| {
        !text.trim().is_empty() && text.chars().count() <= 64 && !text.chars().any(char::is_control)
    };
    if !short(&enrolled.member.role) || !enrolled.member.model.as_deref().is_none_or(short) {
        return Err(Refused::Invalid("role and model must have 1 to 64 printable characters".to_owned()));
    }
    Ok(())
}

fn crowd(agents: usize) -> Result<(), Refused> {
    if agents > TEAM_AGENTS {
        return Err(Refused::Full(format!("limit reached: a team can have {TEAM_AGENTS} agents")));
    }
    Ok(())
}

/// A title on one line.
pub(super) fn plain(text: &str, what: &str) -> Result<String, Refused> {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let title = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if !name::fits(&title) {
        return Err(Refused::Invalid(name::limit(what)));
    }
    Ok(title)
}
