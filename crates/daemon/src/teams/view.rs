//! Teams in the words of the wire.

use paseo_core::content::ContentRef;
use paseo_core::team::{Lease, Member, Needs, Overlap, Refusal, Task, TaskId, Team, place};
use paseo_wire::team::{
    AgentOfTeam, LeaseView, MessageOfTeam, NoticeView, OverlapView, RefusalView, TaskView, TeamView,
};
use paseo_wire::words::Guard;

use super::Told;
use crate::directory::Directory;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::sessions::Context;

/// Returns a team as the API shows it.
pub(crate) fn team(team: &Team, directory: &Directory) -> TeamView {
    let mut agents: Vec<AgentOfTeam> =
        team.agents.iter().map(|(id, member)| agent(id, member, directory)).collect();
    agents.sort_by_key(|agent| place(&agent.id));
    TeamView {
        id: (&team.id).into(),
        directory: team.directory.clone(),
        agents,
        tasks: team.tasks.len(),
        in_progress: team.held.len(),
        threads: team.threads.len(),
        version: team.version,
        created_by: (&team.created_by).into(),
        created_at: team.created_at.into(),
        updated_at: team.updated_at.into(),
        closed_at: team.closed_at.map(Into::into),
    }
}

/// Returns a team of the past as the API shows it, with what the guards had refused by then: whose session was closed
/// since was not gone then, and what guarded its members is not known.
pub(crate) async fn past_team(past: &Team, context: &Context) -> Result<TeamView, Failure> {
    let mut view = team(past, &context.directory);
    view.agents.iter_mut().for_each(|agent| agent.gone = false);
    tell_refusals(&mut view, past, &context.journal).await?;
    Ok(view)
}

/// Returns a team as the API shows it by itself, with what guards its members and what that refused last.
pub(crate) async fn whole(team: &Team, context: &Context) -> Result<TeamView, Failure> {
    let mut view = self::team(team, &context.directory);
    for agent in &mut view.agents {
        let session = team.agents.get(agent.id.as_str()).and_then(|member| member.session);
        let session = session.and_then(|session| context.directory.get(session));
        agent.guard = session.filter(|session| context.is_guarded_process(session)).map(|_| Guard::Lease);
    }
    tell_refusals(&mut view, team, &context.journal).await?;
    Ok(view)
}

/// Adds to each member what it was refused last.
async fn tell_refusals(view: &mut TeamView, team: &Team, journal: &Journal) -> Result<(), Failure> {
    for agent in &mut view.agents {
        if let Some(newest) = team.refusals.get(agent.id.as_str()).and_then(|all| all.last()) {
            agent.refused = Some(refusal(journal, &agent.id, newest).await?);
        }
    }
    Ok(())
}

/// Returns a refused write as the API shows it.
pub(crate) async fn refusal(
    journal: &Journal,
    agent: &str,
    refused: &Refusal,
) -> Result<RefusalView, Failure> {
    Ok(RefusalView {
        agent: agent.into(),
        at: refused.at.into(),
        what: text(journal, Some(&refused.what)).await?.unwrap_or_default(),
        reason: refused.reason.as_str().into(),
        why: refused.why.clone(),
    })
}

fn agent(id: &str, member: &Member, directory: &Directory) -> AgentOfTeam {
    AgentOfTeam {
        id: id.into(),
        role: member.role.as_str().into(),
        model: member.model.clone(),
        session: member.session.map(Into::into),
        handle: member.session.map(|session| directory.handle(session)),
        gone: member.session.is_some_and(|session| directory.get(session).is_none()),
        guard: None,
        refused: None,
    }
}

/// Returns a task as the API shows it; without `needs`, without its overlaps.
pub(crate) async fn task(
    journal: &Journal,
    team: &Team,
    needs: Option<&Needs<'_>>,
    id: TaskId,
    task: &Task,
) -> Result<TaskView, Failure> {
    let status = team.status(task);
    Ok(TaskView {
        id: id.into(),
        title: task.title.clone(),
        description: text(journal, task.description.as_ref()).await?,
        status: status.word().into(),
        reason: status.reason(),
        owner: task.owner.as_deref().map(Into::into),
        deps: task.deps.iter().copied().map(Into::into).collect(),
        resources: task.resources.iter().map(ToString::to_string).collect(),
        overlaps: needs.map_or_else(Vec::new, |needs| needs.overlaps(id)).into_iter().map(overlap).collect(),
        lease: task.lease.as_ref().map(lease),
        epoch: task.epoch,
        summary: text(journal, task.outcome.summary.as_ref()).await?,
        message: task
            .outcome
            .message
            .map(|message| MessageOfTeam { thread: message.thread.into(), id: message.post.into() }),
        created_by: task.created_by.as_str().into(),
        created_at: task.created_at.into(),
        started_at: task.started_at.map(Into::into),
        ended_at: task.ended_at.map(Into::into),
    })
}

fn overlap(overlap: Overlap) -> OverlapView {
    OverlapView {
        task: overlap.task.into(),
        own: overlap.own.to_string(),
        theirs: overlap.theirs.to_string(),
    }
}

/// Returns a lease as the API shows it.
pub(crate) fn lease(lease: &Lease) -> LeaseView {
    LeaseView {
        holder: lease.holder.as_str().into(),
        epoch: lease.epoch,
        expires_at: lease.expires_at.into(),
    }
}

/// Returns a line of an inbox as the API shows it.
pub(crate) fn notice(told: &Told) -> NoticeView {
    let notice = &told.notice;
    NoticeView {
        cursor: told.cursor,
        kind: notice.kind.into(),
        task: notice.task.map(Into::into),
        thread: notice.thread.map(Into::into),
        message: notice.said.as_ref().map(|(post, _)| (*post).into()),
        actor: notice.actor.as_str().into(),
        to: notice.to.as_deref().map(Into::into),
        epoch: notice.epoch,
        session: notice.session.map(Into::into),
        reason: notice.reason.map(Into::into),
        ts: told.at.into(),
    }
}

async fn text(journal: &Journal, reference: Option<&ContentRef>) -> Result<Option<String>, Failure> {
    match reference {
        Some(reference) => Ok(journal.log.text(reference.id.uuid()).await?),
        None => Ok(None),
    }
}
