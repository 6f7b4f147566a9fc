//! Refusals of the rules in the words of the API, with what to do next.

use paseo_core::team::Refused;
use paseo_wire::error::Code;

use crate::failure::Failure;

/// Puts a refusal into the words of the API.
pub(crate) fn refused(refused: Refused) -> Failure {
    let listed;
    let (code, hint) = match &refused {
        Refused::NoTask(_, team) => {
            listed = format!("`paseo task ls --team {team}` lists them");
            (Code::NotFound, Some(listed.as_str()))
        }
        Refused::NoThread(_, team) => {
            listed = format!("`paseo team show {team}` lists them");
            (Code::NotFound, Some(listed.as_str()))
        }
        Refused::NoMessage { thread, .. } => {
            listed = format!("`paseo thread tail {thread} --ids` shows what there is");
            (Code::InvalidRequest, Some(listed.as_str()))
        }
        Refused::Engaged { id, team, .. } => {
            listed = format!(
                "choose another name, or take it out first: `paseo team leave {team} --agent {id}` ends its tokens and \
                 gives its tasks back"
            );
            (Code::Conflict, Some(listed.as_str()))
        }
        Refused::NotClaimable { .. } => (Code::TaskNotClaimable, Some("claim another, or wait for it")),
        Refused::NotAssignable { .. } => {
            (Code::TaskNotClaimable, Some("give them another; what failed or was canceled can be retried"))
        }
        Refused::Overlap { .. } => {
            (Code::ResourceHeld, Some("claim another task, or wait until that one is done"))
        }
        Refused::NotInProgress { status, .. } => {
            let hint = match *status {
                "completed" => "there is nothing left to do about it",
                "failed" | "canceled" => "it can be claimed again once it is retried",
                "blocked" => "it can be claimed once what it waits for is completed",
                _ => "claim it first",
            };
            (Code::TaskNotInProgress, Some(hint))
        }
        Refused::Expired { .. } => {
            (Code::LeaseExpired, Some("claim it again, and look at what others did meanwhile"))
        }
        Refused::HolderMismatch { .. } => (Code::LeaseHolderMismatch, Some("leave it to them")),
        Refused::EpochMismatch { .. } => {
            (Code::EpochMismatch, Some("use the epoch that the newest claim returned"))
        }
        Refused::YoursAlready { .. } => {
            (Code::TaskNotClaimable, Some("go on with it, or extend its lease: renew it with that epoch"))
        }
        Refused::NoAgent { .. } => (Code::NotFound, Some("`paseo team show` shows who is there")),
        Refused::TakenOut { .. } => {
            (Code::Conflict, Some("`--again` takes it in again; `paseo team audit` says who took it out"))
        }
        Refused::NotYours { .. } | Refused::NotLeader => {
            (Code::Forbidden, Some("ask the leader, or a person"))
        }
        Refused::Closed { .. } => (Code::Conflict, Some("make another: `paseo team create`")),
        Refused::Over { .. } | Refused::NotRetriable { .. } => (Code::Conflict, None),
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
