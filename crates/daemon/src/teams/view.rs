//! Teams in the words of the wire.

use paseo_core::content::ContentRef;
use paseo_core::team::{Lease, Member, Task, TaskId, Team, place};
use paseo_wire::team::{AgentOfTeam, LeaseView, MessageOfTeam, NoticeView, TaskView, TeamView};

use super::Told;
use crate::directory::Directory;
use crate::failure::Failure;
use crate::journal::Journal;

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
        created_by: team.created_by.to_string(),
        created_at: team.created_at.into(),
        updated_at: team.updated_at.into(),
        closed_at: team.closed_at.map(Into::into),
    }
}

fn agent(id: &str, member: &Member, directory: &Directory) -> AgentOfTeam {
    AgentOfTeam {
        id: id.to_owned(),
        role: member.role.as_str().into(),
        model: member.model.clone(),
        session: member.session.map(Into::into),
        handle: member.session.map(|session| directory.handle(session)),
        gone: member.session.is_some_and(|session| directory.get(session).is_none()),
    }
}

/// Returns a task as the API shows it.
pub(crate) async fn task(
    journal: &Journal,
    team: &Team,
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
        owner: task.owner.clone(),
        deps: task.deps.iter().copied().map(Into::into).collect(),
        resources: task.resources.iter().map(ToString::to_string).collect(),
        lease: task.lease.as_ref().map(lease),
        epoch: task.epoch,
        summary: text(journal, task.outcome.summary.as_ref()).await?,
        message: task.outcome.message.map(|message| MessageOfTeam {
            thread: message.thread.to_string(),
            id: message.post.to_string(),
        }),
        created_by: task.created_by.clone(),
        created_at: task.created_at.into(),
        started_at: task.started_at.map(Into::into),
        ended_at: task.ended_at.map(Into::into),
    })
}

/// Returns a lease as the API shows it.
pub(crate) fn lease(lease: &Lease) -> LeaseView {
    LeaseView { holder: lease.holder.clone(), epoch: lease.epoch, expires_at: lease.expires_at.into() }
}

/// Returns a line of an inbox as the API shows it.
pub(crate) fn notice(told: &Told) -> NoticeView {
    let notice = &told.notice;
    NoticeView {
        cursor: told.cursor,
        kind: notice.kind.into(),
        task: notice.task.map(Into::into),
        thread: notice.thread.map(|thread| thread.to_string()),
        message: notice.said.as_ref().map(|(post, _)| post.to_string()),
        actor: notice.actor.clone(),
        to: notice.to.clone(),
        epoch: notice.epoch,
        session: notice.session.map(Into::into),
        reason: notice.reason.map(str::to_owned),
        ts: told.at.into(),
    }
}

async fn text(journal: &Journal, reference: Option<&ContentRef>) -> Result<Option<String>, Failure> {
    match reference {
        Some(reference) => Ok(journal.log.text(reference.id.uuid()).await?),
        None => Ok(None),
    }
}
