//! Stored events in the words of the API. No stored event leaves the daemon: what is not named here stays inside.

use paseo_core::cause;
use paseo_core::codec;
use paseo_core::session::Event;
use paseo_core::team;
use paseo_wire::change::{CauseChange, SessionChange, TeamChange};
use paseo_wire::words::{Hold, SessionField};

use crate::failure::Failure;

/// Returns what a stored event of a session means to readers. `data` is gone once the session was deleted.
pub(crate) fn session(kind: &str, v: u16, data: Option<&str>) -> Result<SessionChange, Failure> {
    let Some(data) = data else { return Ok(SessionChange::Erased {}) };
    let event = codec::decode::<Event>(kind, v, data).map_err(Failure::internal)?;
    Ok(event.map_or(SessionChange::Updated { fields: Vec::new() }, of_session))
}

/// Returns what an event of a session means to readers.
pub(crate) fn of_session(event: Event) -> SessionChange {
    let updated = |fields: &[SessionField]| SessionChange::Updated { fields: fields.to_vec() };
    match event {
        Event::Created(_) => SessionChange::Created {},
        Event::Renamed { .. } => updated(&[SessionField::Name]),
        Event::Configured(_) => updated(&[SessionField::Options]),
        Event::Titled { .. } => updated(&[SessionField::Title]),
        Event::Labelled { .. } => updated(&[SessionField::Labels]),
        Event::Branched { .. } | Event::Uprooted { .. } => updated(&[SessionField::Worktree]),
        Event::Unparked {} => updated(&[SessionField::ParkedUntil]),
        Event::Pinned { .. } => updated(&[SessionField::PinnedAt]),
        Event::Awaited { .. } => updated(&[SessionField::NotifyWhenFinished]),
        Event::Attributed { .. } => updated(&[SessionField::Attributes]),
        Event::Entered { .. } => updated(&[SessionField::Entered]),
        Event::Looked { .. } | Event::Archived { .. } => updated(&[SessionField::Unread]),
        Event::Planned { .. } => updated(&[SessionField::Todo]),
        Event::Boarded { .. } | Event::TerminalTaken { .. } | Event::TerminalReleased { .. } => {
            updated(&[SessionField::Terminal])
        }
        // The transcript tells of them.
        Event::ShellOpened { .. } | Event::ShellClosed { .. } => updated(&[]),
        Event::UsageAdded { .. } => updated(&[SessionField::Usage]),
        // Between the daemon, the harness and other agents.
        Event::Referenced { .. }
        | Event::Prompted { .. }
        | Event::WatchArmed(_)
        | Event::WatchEnded { .. }
        | Event::WatchesGathered { .. } => updated(&[]),
        Event::Exited { code, signal } => SessionChange::ProcessEnded { code, signal },
        Event::Held { hold } => SessionChange::HoldChanged { hold: hold.into() },
        Event::Released {} => SessionChange::HoldChanged { hold: Hold::None },
        Event::Closed { .. } => SessionChange::Closed {},
        Event::Reopened {} => SessionChange::Reopened {},
        Event::Promoted { from, .. } => SessionChange::Promoted { from: from.into() },
        Event::Cleared {} => SessionChange::Cleared {},
        Event::Deleted {} => SessionChange::Deleted {},
        Event::Accepted(accepted) => SessionChange::MessageAccepted {
            delivery: accepted.delivery.into(),
            origin: accepted.origin.into(),
            verb: accepted.verb.into(),
            structured: accepted.schema.is_some(),
            corrects: accepted.corrects.map(Into::into),
        },
        Event::DeliveriesHeld { deliveries, reason } => SessionChange::MessageHeld {
            deliveries: deliveries.into_iter().map(Into::into).collect(),
            reason: reason.into(),
        },
        Event::Handing { delivery, turn } => {
            SessionChange::MessageHanding { delivery: delivery.into(), turn: turn.into() }
        }
        Event::Handed { delivery } => SessionChange::MessageHanded { delivery: delivery.into() },
        Event::Returned { delivery, repeat } => {
            SessionChange::MessageReturned { delivery: delivery.into(), repeat }
        }
        Event::Cancelled { delivery } => SessionChange::MessageCancelled { delivery: delivery.into() },
        Event::Edited { delivery, .. } => SessionChange::MessageEdited { delivery: delivery.into() },
        Event::Moved { delivery, before } => {
            SessionChange::MessageMoved { delivery: delivery.into(), before: before.map(Into::into) }
        }
        Event::DeliveriesReleased { deliveries, cause } => SessionChange::MessageReleased {
            deliveries: deliveries.into_iter().map(Into::into).collect(),
            cause: cause.map(Into::into),
        },
        Event::TurnOpened { turn, cause, deliveries, .. } => SessionChange::TurnStarted {
            turn: turn.into(),
            cause: cause.into(),
            deliveries: deliveries.into_iter().map(Into::into).collect(),
        },
        Event::TurnHanded { turn } => SessionChange::TurnConfirmed { turn: turn.into() },
        Event::TurnRetried { turn, attempt, of } => {
            SessionChange::TurnRetried { turn: turn.into(), attempt, of }
        }
        Event::TurnEnded { turn, outcome, source, code, until } => SessionChange::TurnEnded {
            turn: turn.into(),
            outcome: outcome.into(),
            source: source.into(),
            code,
            until: until.map(Into::into),
        },
        Event::AnswerChecked { delivery, turn, verdict, .. } => SessionChange::AnswerChecked {
            delivery: delivery.into(),
            turn: turn.into(),
            verdict: verdict.into(),
        },
        Event::AnswerAbandoned { delivery, reason } => {
            SessionChange::AnswerAbandoned { delivery: delivery.into(), reason: reason.into() }
        }
        Event::Asked { hash, tool, question, .. } => {
            SessionChange::PermissionRequested { hash: hash.into(), tool, question }
        }
        Event::Decided { hash, decision } => {
            SessionChange::PermissionDecided { hash: hash.into(), decision: decision.into() }
        }
    }
}

/// Returns what a stored event of a team means to readers, and the task that it is about.
pub(crate) fn team(
    kind: &str,
    v: u16,
    data: Option<&str>,
) -> Result<(TeamChange, Option<team::TaskId>), Failure> {
    let event = match data {
        Some(data) => codec::decode::<team::Event>(kind, v, data).map_err(Failure::internal)?,
        None => None,
    };
    Ok(event.map_or((TeamChange::Updated {}, None), of_team))
}

/// Returns what a stored event of a cause means to readers.
pub(crate) fn cause(kind: &str, v: u16, data: Option<&str>) -> Result<CauseChange, Failure> {
    let event = match data {
        Some(data) => codec::decode::<cause::Event>(kind, v, data).map_err(Failure::internal)?,
        None => None,
    };
    Ok(match event {
        Some(cause::Event::Opened { session, delivery, .. }) => {
            CauseChange::Opened { session: session.into(), delivery: delivery.into() }
        }
        Some(cause::Event::Begun { thread, post, .. }) => {
            CauseChange::Posted { thread: thread.into(), message: post.into() }
        }
        Some(cause::Event::Woken { session, turn, .. }) => {
            CauseChange::Woken { session: session.into(), turn: turn.into() }
        }
        Some(cause::Event::Spawned { by, session }) => {
            CauseChange::Spawned { by: by.into(), session: session.into() }
        }
        Some(cause::Event::Stopped {}) => CauseChange::Stopped {},
        None => CauseChange::Updated {},
    })
}

fn of_team(event: team::Event) -> (TeamChange, Option<team::TaskId>) {
    use team::Event;
    match event {
        Event::Created { .. } => (TeamChange::Created {}, None),
        Event::Closed { .. } => (TeamChange::Closed {}, None),
        Event::Enrolled(enrolled) => {
            let session = enrolled.member.session.map(|session| session.to_string());
            (TeamChange::AgentEnrolled { agent: enrolled.id.into(), session: session.map(Into::into) }, None)
        }
        Event::Left { agent, .. } => (TeamChange::AgentLeft { agent: agent.into() }, None),
        Event::WorkerStarted { agent, session, .. } => {
            (TeamChange::WorkerStarted { agent: agent.into(), session: session.into() }, None)
        }
        Event::WorkerEnded { agent, session, .. } => {
            (TeamChange::WorkerEnded { agent: agent.into(), session: session.into() }, None)
        }
        Event::ThreadStarted(started) => {
            (TeamChange::ThreadStarted { thread: started.alias.into() }, started.task)
        }
        Event::ThreadLinked { thread, task, .. } => {
            (TeamChange::ThreadLinked { thread: thread.into(), task: task.into() }, Some(task))
        }
        Event::ThreadPosted { thread, post, .. } => {
            (TeamChange::ThreadPosted { thread: thread.into(), message: post.into() }, None)
        }
        Event::TaskCreated(created) => {
            (TeamChange::TaskCreated { task: created.task.into() }, Some(created.task))
        }
        Event::TaskEdited(edited) => (TeamChange::TaskEdited { task: edited.task.into() }, Some(edited.task)),
        Event::WriteRefused(refused) => (TeamChange::WriteRefused { agent: refused.agent.into() }, None),
        Event::Claimed { task, holder, epoch, expires_at, .. } => {
            let expires_at = expires_at.into();
            (
                TeamChange::TaskClaimed { task: task.into(), holder: holder.into(), epoch, expires_at },
                Some(task),
            )
        }
        Event::Renewed { task, holder, epoch, expires_at, .. } => {
            let expires_at = expires_at.into();
            (
                TeamChange::TaskRenewed { task: task.into(), holder: holder.into(), epoch, expires_at },
                Some(task),
            )
        }
        Event::Expired { task, holder, epoch } => {
            (TeamChange::TaskExpired { task: task.into(), holder: holder.into(), epoch }, Some(task))
        }
        Event::Completed { task, holder, epoch, unblocks, .. } => {
            let unblocks = unblocks.into_iter().map(Into::into).collect();
            (
                TeamChange::TaskCompleted { task: task.into(), holder: holder.into(), epoch, unblocks },
                Some(task),
            )
        }
        Event::Failed { task, holder, epoch, .. } => {
            (TeamChange::TaskFailed { task: task.into(), holder: holder.into(), epoch }, Some(task))
        }
        Event::Released { task, holder, epoch, .. } => {
            (TeamChange::TaskReleased { task: task.into(), holder: holder.into(), epoch }, Some(task))
        }
        Event::Reassigned { task, to, epoch, .. } => {
            let to = to.map(|to| to.holder.into());
            (TeamChange::TaskReassigned { task: task.into(), to, epoch }, Some(task))
        }
        Event::Canceled { task, .. } => (TeamChange::TaskCanceled { task: task.into() }, Some(task)),
        Event::Retried { task, .. } => (TeamChange::TaskRetried { task: task.into() }, Some(task)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    /// The golden files have every kind of event, in every form it had.
    fn stored() -> Vec<(String, u16, Value)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/golden");
        let mut found: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let file = entry.unwrap().path();
                let name = file.file_name().unwrap().to_str().unwrap().to_owned();
                let (kind, rest) = name.split_once(".v").unwrap();
                let v = rest.split('.').next().unwrap().parse().unwrap();
                (kind.to_owned(), v, serde_json::from_slice(&fs::read(file).unwrap()).unwrap())
            })
            .collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    /// Returns what readers get of a kind; `None` for streams that they cannot follow by stored events.
    fn told(kind: &str, v: u16, data: &Value) -> Option<Value> {
        let (data, subject) = (data.to_string(), kind.split('.').next().unwrap());
        let change = match subject {
            "answer" | "delivery" | "permission" | "session" | "shell" | "terminal" | "turn" | "usage"
            | "watch" => serde_json::to_value(session(kind, v, Some(&data)).unwrap()),
            "team" | "task" => serde_json::to_value(team(kind, v, Some(&data)).unwrap().0),
            "cause" => serde_json::to_value(cause(kind, v, Some(&data)).unwrap()),
            // Threads have frames of their own, see `threads::view`. No client can follow the others.
            "thread" => return None,
            "definition" | "definitions" | "device" | "project" | "provider" | "rule" | "setting"
            | "token" => return None,
            new => panic!("say what readers are told of `{new}`"),
        };
        Some(change.unwrap())
    }

    #[test]
    fn readers_are_told_these_fields_and_no_others() {
        let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (kind, v, data) in stored() {
            let Some(Value::Object(change)) = told(&kind, v, &data) else { continue };
            let name = format!("{kind} -> {}", change["type"].as_str().unwrap());
            fields.entry(name).or_default().extend(change.keys().filter(|key| *key != "type").cloned());
        }
        let mut list = String::new();
        for (change, fields) in fields {
            let fields: Vec<String> = fields.into_iter().collect();
            list += format!("{change} {}", fields.join(" ")).trim_end();
            list += "\n";
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/view/changes.golden");
        if std::env::var_os("PASEO_UPDATE").is_some() {
            fs::write(&file, &list).unwrap();
        }
        assert_eq!(list, fs::read_to_string(&file).unwrap_or_default(), "see changes.golden");
    }

    #[test]
    fn nothing_internal_is_told() {
        for (kind, v, data) in stored() {
            let Some(change) = told(&kind, v, &data) else { continue };
            let change = change.to_string();
            for name in ["token", "sha256", "text", "prompt", "reference", "summary", "shape", "ceiling"] {
                if let Some(secret) = data.get(name) {
                    let secret = secret.get("sha256").unwrap_or(secret);
                    // In a golden file it may stand for the name of a request, which is public.
                    let is_public = data.get("hash") == Some(secret);
                    let told = change.contains(&secret.to_string());
                    assert!(is_public || !told, "{kind}: {name} is told: {change}");
                    assert!(!change.contains(&format!("\"{name}\"")), "{kind}: {change}");
                }
            }
        }
    }

    #[test]
    fn what_was_erased_says_only_that() {
        assert_eq!(session("session.created", 1, None).unwrap(), SessionChange::Erased {});
    }
}
