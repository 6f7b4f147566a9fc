//! Leases: who works on a task, until when, and who may end it.

use super::{
    Assigned, By, Event, Lease, Member, Outcome, Refused, Stage, Status, Task, TaskId, Team, check_agent,
    holds, in_order, whose,
};
use crate::id::SessionId;
use crate::limits::TEAM_UNBLOCKS;
use crate::time::Timestamp;

/// How long a lease lasts by default.
pub const LEASE_MS: i64 = 5 * 60 * 1000;
/// The shortest lease. Clients of teamd test expiry with leases of a few milliseconds.
pub const MIN_LEASE_MS: i64 = 1;
/// The longest lease.
pub const MAX_LEASE_MS: i64 = 24 * 60 * 60 * 1000;
/// How long before its end the lease of one who is at work is extended, at most.
const LEAD_MS: i64 = 30 * 1000;
/// The shortest time by which such a lease is extended, so that a short one does not fill the log.
const EXTENSION_MS: i64 = 1000;
/// The last look before a lease ends comes so long before.
const LAST_MS: i64 = 50;

/// Gives a task to an agent: its epoch rises, and what came before counts no more.
pub fn claim(
    team: &Team,
    id: TaskId,
    agent: By<'_>,
    ttl: Option<i64>,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    team.open()?;
    let holder = holder(agent)?;
    let (ttl_ms, expires_at) = until(ttl, now)?;
    let task = team.task(id)?;
    if let Some(lease) = task.lease.as_ref().filter(|lease| lease.holder == holder && lease.is_live(now)) {
        return Err(Refused::YoursAlready { task: id, epoch: lease.epoch });
    }
    let mut events = free(team, id, task, now)?;
    let request = Request { reader: agent, deed: "claimed", holder: &holder };
    events.extend(unshared(team, id, task, request, now)?);
    events.push(Event::Claimed { task: id, holder, epoch: task.epoch + 1, ttl_ms, expires_at });
    Ok(events)
}

/// Extends a lease from now on.
pub fn renew(
    team: &Team,
    id: TaskId,
    agent: By<'_>,
    epoch: u64,
    ttl: Option<i64>,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    let (ttl_ms, expires_at) = until(ttl, now)?;
    let holder = held(team, id, agent, epoch, now)?;
    Ok(vec![Event::Renewed { task: id, holder, epoch, ttl_ms, expires_at, by_itself: false }])
}

/// Ends a task well, and lets those go on that waited for nothing else.
pub fn complete(
    team: &Team,
    id: TaskId,
    agent: By<'_>,
    epoch: u64,
    outcome: Outcome,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    let holder = held(team, id, agent, epoch, now)?;
    referred(team, &outcome)?;
    let waits_for_this_alone = |task: &Task| match team.status(task) {
        Status::Blocked(blockers) => blockers.iter().all(|blocker| blocker.task == id),
        _ => false,
    };
    let freed = team.tasks.iter().filter(|(_, task)| waits_for_this_alone(task)).map(|(other, _)| *other);
    let unblocks = freed.take(TEAM_UNBLOCKS).collect();
    Ok(vec![Event::Completed { task: id, holder, epoch, outcome, unblocks }])
}

/// Ends a task badly.
pub fn fail(
    team: &Team,
    id: TaskId,
    agent: By<'_>,
    epoch: u64,
    outcome: Outcome,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    let holder = held(team, id, agent, epoch, now)?;
    referred(team, &outcome)?;
    Ok(vec![Event::Failed { task: id, holder, epoch, outcome }])
}

/// Gives a task back, for another to claim.
pub fn release(
    team: &Team,
    id: TaskId,
    agent: By<'_>,
    epoch: u64,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    let holder = held(team, id, agent, epoch, now)?;
    Ok(vec![Event::Released { task: id, holder, epoch, by_itself: false }])
}

/// Releases the tasks of agents that were closed or deleted.
pub fn abandoned(team: &Team, is_gone: impl Fn(&str) -> bool) -> Vec<Event> {
    let held = team.held.iter().filter_map(|id| Some((*id, team.tasks.get(id)?.lease.as_ref()?)));
    let left = held.filter(|(_, lease)| is_gone(&lease.holder));
    left.map(|(task, Lease { holder, epoch, .. })| Event::Released {
        task,
        holder: holder.clone(),
        epoch: *epoch,
        by_itself: true,
    })
    .collect()
}

/// Reassigns a task, or returns it to the queue. A closed member gets none.
pub fn reassign(
    team: &Team,
    id: TaskId,
    by: By<'_>,
    to: Option<By<'_>>,
    ttl: Option<i64>,
    now: Timestamp,
    is_open: impl Fn(SessionId) -> bool,
) -> Result<Vec<Event>, Refused> {
    team.open()?;
    let task = team.task(id)?;
    if !team.directs(by, task) {
        return Err(Refused::NotYours { task: id });
    }
    let (ttl_ms, expires_at) = until(ttl, now)?;
    let status = team.status(task);
    match &status {
        Status::InProgress => {}
        Status::Pending if to.is_some() => {}
        Status::Pending => return Err(not_in_progress(id, &status)),
        _ => return Err(Refused::NotAssignable { task: id, why: standing(&status) }),
    }
    let author = by.id().to_owned();
    let Some(to) = to else {
        return Ok(vec![Event::Reassigned { task: id, by: author, to: None, epoch: task.epoch }]);
    };
    let holder = holder(to)?;
    if let By::Agent(agent) = to {
        let is_there = |member: &Member| member.session.is_none_or(&is_open);
        match team.agents.get(agent) {
            Some(member) if is_there(member) => {}
            Some(_) => {
                return Err(Refused::Invalid(format!("`{agent}` is closed and cannot take tasks")));
            }
            None => {
                let there = team.agents.iter().filter(|(_, member)| is_there(member));
                let there = in_order(there.map(|(id, _)| id.as_str()).chain([By::Person.id()])).join(", ");
                return Err(Refused::NoAgent { agent: holder, there });
            }
        }
    }
    let request = Request { reader: by, deed: "assigned", holder: &holder };
    let mut events = unshared(team, id, task, request, now)?;
    let to = Some(Assigned { holder, ttl_ms, expires_at });
    events.push(Event::Reassigned { task: id, by: author, to, epoch: task.epoch + 1 });
    Ok(events)
}

/// Cancels a task. Its holder loses it.
pub fn cancel(team: &Team, id: TaskId, by: By<'_>) -> Result<Vec<Event>, Refused> {
    team.open()?;
    let task = team.task(id)?;
    let holds = task.lease.as_ref().is_some_and(|lease| lease.holder == by.id());
    if !holds && !team.directs(by, task) {
        return Err(Refused::NotYours { task: id });
    }
    match task.stage {
        Stage::Open | Stage::InProgress => Ok(vec![Event::Canceled { task: id, by: by.id().to_owned() }]),
        Stage::Completed | Stage::Failed | Stage::Canceled => {
            Err(Refused::Over { task: id, status: team.status(task).word() })
        }
    }
}

/// Reopens a failed or canceled task.
pub fn retry(team: &Team, id: TaskId, by: By<'_>) -> Result<Vec<Event>, Refused> {
    team.open()?;
    let task = team.task(id)?;
    if !team.directs(by, task) {
        return Err(Refused::NotYours { task: id });
    }
    match task.stage {
        Stage::Failed | Stage::Canceled => Ok(vec![Event::Retried { task: id, by: by.id().to_owned() }]),
        Stage::Open | Stage::InProgress | Stage::Completed => {
            Err(Refused::NotRetriable { task: id, status: team.status(task).word() })
        }
    }
}

/// A task whose lease needs a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    pub at: Timestamp,
    pub task: TaskId,
}

/// Says when a task's lease needs a look next, after `now`: at its end, and when a session holds it several times before,
/// ever closer, so that an agent that starts working shortly before the end is noticed, too.
pub fn attention(team: &Team, id: TaskId, now: Timestamp) -> Option<Due> {
    let lease = team.tasks.get(&id)?.lease.as_ref()?;
    let early = team.agents.get(&lease.holder).is_some_and(|member| member.session.is_some());
    let first = (lease.ttl_ms / 4).min(LEAD_MS);
    let leads = std::iter::successors(Some(first), |lead| Some(lead / 2)).take_while(|lead| *lead >= LAST_MS);
    let mut looks = leads.map(|lead| Timestamp::from_millis(lease.expires_at.as_millis() - lead));
    let before = looks.find(|look| *look > now).filter(|_| early);
    Some(Due { at: before.unwrap_or(lease.expires_at), task: id })
}

/// Returns the end of each lease of these tasks that has run out.
pub fn due(team: &Team, tasks: impl IntoIterator<Item = TaskId>, now: Timestamp) -> Vec<Event> {
    tasks.into_iter().filter_map(|id| expired(team, id, now)).collect()
}

/// Extends those of these leases that end soon and whose holders are at work.
pub fn extend(
    team: &Team,
    tasks: impl IntoIterator<Item = TaskId>,
    at_work: impl Fn(&str) -> bool,
    now: Timestamp,
) -> Vec<Event> {
    let soon = |id: TaskId| {
        let lease = team.tasks.get(&id)?.lease.as_ref()?;
        let left = lease.expires_at.as_millis() - now.as_millis();
        let ends_soon = left > 0 && left <= (lease.ttl_ms / 4).min(LEAD_MS);
        let ttl_ms = lease.ttl_ms.max(EXTENSION_MS);
        (ends_soon && at_work(&lease.holder)).then(|| Event::Renewed {
            task: id,
            holder: lease.holder.clone(),
            epoch: lease.epoch,
            ttl_ms,
            expires_at: later(now, ttl_ms),
            by_itself: true,
        })
    };
    tasks.into_iter().filter_map(soon).collect()
}

/// Checks that a caller owns a task by the lease it names. Clients rely on the order of the checks.
fn held(team: &Team, id: TaskId, agent: By<'_>, epoch: u64, now: Timestamp) -> Result<String, Refused> {
    let task = team.task(id)?;
    let expired = |holder: &str, epoch| Refused::Expired { task: id, whose: whose(holder, agent), epoch };
    let Some(lease) = &task.lease else {
        return Err(match &task.lapsed {
            Some(lapsed) => expired(&lapsed.holder, lapsed.epoch),
            None => not_in_progress(id, &team.status(task)),
        });
    };
    if !lease.is_live(now) {
        return Err(expired(&lease.holder, lease.epoch));
    }
    if lease.holder != agent.id() {
        let agent = agent.id().chars().take(64).flat_map(char::escape_debug).collect();
        return Err(Refused::HolderMismatch { task: id, holder: lease.holder.clone(), agent });
    }
    if lease.epoch != epoch {
        return Err(Refused::EpochMismatch { task: id, given: epoch, now: lease.epoch });
    }
    Ok(lease.holder.clone())
}

/// Checks that a task is free and that nothing blocks it.
fn free(team: &Team, id: TaskId, task: &Task, now: Timestamp) -> Result<Vec<Event>, Refused> {
    match (team.status(task), &task.lease) {
        (Status::Pending, _) => Ok(Vec::new()),
        (Status::InProgress, Some(lease)) if lease.is_live(now) => {
            let why = format!("{} owns it until the lease ends", lease.holder);
            Err(Refused::NotClaimable { task: id, why, status: Status::InProgress.word() })
        }
        (Status::InProgress, _) => Ok(due(team, [id], now)),
        (status, _) => Err(not_claimable(id, &status)),
    }
}

/// The future owner of a task, and in which words a refusal says so to its reader.
#[derive(Clone, Copy)]
struct Request<'a> {
    reader: By<'a>,
    /// Claimed or assigned.
    deed: &'static str,
    holder: &'a str,
}

/// Checks that no other member works on the resources of a task.
fn unshared(
    team: &Team,
    id: TaskId,
    task: &Task,
    request: Request<'_>,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    let mut over = Vec::new();
    if task.resources.is_empty() {
        return Ok(over);
    }
    for other in team.held.iter().filter(|other| **other != id) {
        let Some((theirs, lease)) = team.tasks.get(other).and_then(|task| Some((task, task.lease.as_ref()?)))
        else {
            continue;
        };
        if lease.holder == request.holder {
            continue;
        }
        let pairs =
            theirs.resources.iter().flat_map(|held| task.resources.iter().map(move |own| (held, own)));
        let Some((held, wanted)) = pairs.into_iter().find(|(held, own)| held.overlaps(own)) else { continue };
        if lease.is_live(now) {
            return Err(Refused::Overlap {
                task: id,
                deed: request.deed,
                other: *other,
                holds: holds(&lease.holder, request.reader),
                held: held.clone(),
                wanted: wanted.clone(),
            });
        }
        over.extend(expired(team, *other, now));
    }
    Ok(over)
}

fn expired(team: &Team, id: TaskId, now: Timestamp) -> Option<Event> {
    let lease = team.tasks.get(&id)?.lease.as_ref().filter(|lease| !lease.is_live(now))?;
    Some(Event::Expired { task: id, holder: lease.holder.clone(), epoch: lease.epoch })
}

fn not_in_progress(task: TaskId, status: &Status) -> Refused {
    let blockers = match status {
        Status::Blocked(blockers) => blockers.iter().map(|blocker| blocker.task).collect(),
        _ => Vec::new(),
    };
    Refused::NotInProgress { task, status: status.word(), blockers }
}

fn not_claimable(task: TaskId, status: &Status) -> Refused {
    Refused::NotClaimable { task, why: standing(status), status: status.word() }
}

fn standing(status: &Status) -> String {
    status.reason().unwrap_or_else(|| format!("it is {}", status.word()))
}

fn holder(agent: By<'_>) -> Result<String, Refused> {
    if let By::Agent(id) = agent {
        check_agent(id)?;
    }
    Ok(agent.id().to_owned())
}

/// Checks that what an outcome refers to is in a thread of the team.
fn referred(team: &Team, outcome: &Outcome) -> Result<(), Refused> {
    match &outcome.message {
        Some(message) if !team.threads.contains_key(&message.thread) => {
            Err(Refused::NoThread(message.thread, team.id.clone()))
        }
        _ => Ok(()),
    }
}

fn until(ttl: Option<i64>, now: Timestamp) -> Result<(i64, Timestamp), Refused> {
    let ttl = ttl.unwrap_or(LEASE_MS);
    if !(MIN_LEASE_MS..=MAX_LEASE_MS).contains(&ttl) {
        return Err(Refused::Ttl(ttl));
    }
    Ok((ttl, later(now, ttl)))
}

fn later(now: Timestamp, millis: i64) -> Timestamp {
    Timestamp::from_millis(now.as_millis().saturating_add(millis))
}
