//! Refusals of the rules in the words of the API, with what to do next.

use paseo_core::team::Refused;
use paseo_wire::error::Code;

use crate::failure::Failure;

/// Puts a refusal into the words of the API.
pub(crate) fn refused(refused: Refused) -> Failure {
    let listed;
    let (code, hint) = match &refused {
        Refused::OwnDependency(..) => (Code::NotFound, Some("choose another task to depend on")),
        Refused::NoTask(_, team) | Refused::NoDependency(_, team) => {
            listed = format!("run `paseo task ls --team {team}`");
            (Code::NotFound, Some(listed.as_str()))
        }
        Refused::NoThread(_, team) => {
            listed = format!("run `paseo team show {team}`");
            (Code::NotFound, Some(listed.as_str()))
        }
        Refused::NoMessage { thread, .. } => {
            listed = format!("run `paseo thread tail {thread} --ids`");
            (Code::InvalidRequest, Some(listed.as_str()))
        }
        Refused::Engaged { id, team, .. } => {
            listed = format!(
                "choose another name, or remove the agent first: `paseo team leave {team} --agent {id}` \
                 revokes its tokens and releases its tasks"
            );
            (Code::Conflict, Some(listed.as_str()))
        }
        Refused::NotClaimable { task, status, .. } => {
            listed = match *status {
                "failed" | "canceled" => format!("retry it first: `paseo task retry {task}`"),
                "in_progress" => "claim another task, or wait for this one".to_owned(),
                _ => "claim another task".to_owned(),
            };
            (Code::TaskNotClaimable, Some(listed.as_str()))
        }
        Refused::NotAssignable { .. } => {
            (Code::TaskNotClaimable, Some("assign another task; failed and canceled tasks can be retried"))
        }
        Refused::Overlap { .. } => {
            (Code::ResourceHeld, Some("choose another task, or wait until that one is done"))
        }
        Refused::NotInProgress { status, .. } => {
            let hint = match *status {
                "completed" => "claim another task; this one is completed",
                "failed" | "canceled" => "retry it first to work on it again",
                "blocked" => "claim it when it is no longer blocked; to drop it, cancel it",
                _ => "claim it first",
            };
            (Code::TaskNotInProgress, Some(hint))
        }
        Refused::Expired { .. } => {
            (Code::LeaseExpired, Some("claim it again, and check what others changed in the meantime"))
        }
        Refused::HolderMismatch { .. } => (Code::LeaseHolderMismatch, Some("leave the task to its owner")),
        Refused::EpochMismatch { .. } => {
            (Code::EpochMismatch, Some("use the epoch that the newest claim returned"))
        }
        Refused::YoursAlready { .. } => {
            (Code::TaskNotClaimable, Some("continue with it; to keep it longer, renew its lease"))
        }
        Refused::NoAgent { .. } => (Code::NotFound, Some("run `paseo team show`")),
        Refused::TakenOut { .. } => {
            (Code::Conflict, Some("pass `--again` to add it again; `paseo team audit` shows who removed it"))
        }
        Refused::NotYours { .. } | Refused::NotLeader => {
            (Code::Forbidden, Some("ask the leader or a person"))
        }
        Refused::Closed { .. } => (Code::Conflict, Some("create another with `paseo team create NAME`")),
        Refused::HeldWhileEdited { task, .. } => {
            listed = format!("free it first: `paseo task reassign {task}`");
            (Code::Conflict, Some(listed.as_str()))
        }
        Refused::Cycle { .. } => (Code::InvalidRequest, Some("remove one of the dependencies")),
        Refused::Over { .. } | Refused::NotRetriable { .. } => (Code::Conflict, None),
        Refused::SameId(_) => (Code::Conflict, Some("give each member an id of its own")),
        Refused::Full(_) | Refused::Taken { .. } => (Code::Conflict, None),
        Refused::Ttl(_) | Refused::Invalid(_) | Refused::Name(_) | Refused::Resource(_) => {
            (Code::InvalidRequest, None)
        }
    };
    let failure = Failure::new(code, refused.to_string());
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
