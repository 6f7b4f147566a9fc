//! What answers hold.

use paseo_core::team::{TaskId, Team, TeamThread, ThreadAlias};
use paseo_wire::time::Moment;
use paseo_wire::words::{TaskStatus, TeamdCode};
use serde_json::{Value, json};

use super::{Refusal, SCHEMA};
use crate::http::App;
use crate::teams::view;

pub(super) fn team_shape(team: &Team) -> Value {
    let agents: Vec<Value> = team
        .agents
        .iter()
        .map(|(id, member)| {
            let mut agent = json!({ "id": id, "role": member.role });
            if let Some(model) = &member.model {
                agent["model"] = json!(model);
            }
            agent
        })
        .collect();
    json!({ "schemaVersion": SCHEMA, "teamId": team.id.as_str(), "agents": agents })
}

pub(super) async fn task_shape(app: &App, team: &Team, id: TaskId) -> Result<Value, Refusal> {
    let task =
        team.task(id).map_err(|refused| Refusal::new(404, TeamdCode::TaskNotFound, refused.to_string()))?;
    let seen = view::task(&app.sessions.context.journal, team, None, id, task).await?;
    let ended = |status: TaskStatus| seen.ended_at.filter(|_| seen.status == status);
    let lease = seen.lease.as_ref();
    Ok(json!({
        "schemaVersion": SCHEMA,
        "id": seen.id,
        "title": seen.title,
        "description": seen.description.as_deref().unwrap_or_default(),
        "status": seen.status,
        "reason": seen.reason,
        "owner": seen.owner,
        "deps": seen.deps,
        "resources": seen.resources,
        "lease": lease.map(|lease| json!({
            "holder": lease.holder,
            "epoch": lease.epoch,
            "expiresAt": lease.expires_at,
        })),
        "epoch": seen.epoch,
        "summary": seen.summary,
        "message": seen.message.as_ref().map(|message| json!({
            "threadId": message.thread,
            "messageId": format!("msg-{}", message.id),
        })),
        "timestamps": {
            "createdAt": seen.created_at,
            "startedAt": seen.started_at,
            "completedAt": ended(TaskStatus::Completed),
            "failedAt": ended(TaskStatus::Failed),
        },
    }))
}

pub(super) fn thread_shape(alias: ThreadAlias, thread: &TeamThread) -> Value {
    json!({
        "schemaVersion": SCHEMA,
        "id": alias.to_string(),
        "title": thread.title,
        "participants": thread.participants,
        "taskId": thread.task.map(|task| task.to_string()),
        "createdAt": Moment::from(thread.created_at),
        "updatedAt": Moment::from(thread.updated_at),
    })
}

pub(super) fn message_shape(thread: ThreadAlias, id: &str, from: &str, body: &str, ts: Moment) -> Value {
    json!({
        "schemaVersion": SCHEMA,
        "id": format!("msg-{id}"),
        "threadId": thread.to_string(),
        "from": from,
        "body": body,
        "ts": ts,
    })
}
