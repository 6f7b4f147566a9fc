//! What an agent is told about one that it started.

use std::fmt;

use paseo_core::delegation::State;
use paseo_core::id::SessionId;
use paseo_core::session::Receipt;
use paseo_wire::error::Code;

use super::delegated::Delegated;
use super::news::{PROMOTED, cut};
use super::waiting::Ended;
use crate::failure::Failure;

/// An agent that was started, as what is told about it begins.
pub(super) struct Started {
    pub(super) id: SessionId,
    /// What its parent could not pass on to it.
    pub(super) withheld: Vec<String>,
}

impl fmt::Display for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent_id: {}", self.id)?;
        if !self.withheld.is_empty() {
            write!(f, "\nwithheld: {}", self.withheld.join(", "))?;
        }
        f.write_str("\n\n")
    }
}

impl Started {
    /// Tells where its task stands.
    pub(super) fn told(&self, state: State, text: &str) -> Delegated {
        Delegated::ok(self.id, state, format!("{self}{text}"))
    }

    /// Tells that it will not answer, and why.
    fn gone(&self, state: State, text: &str) -> Delegated {
        Delegated::error(self.id, state, format!("{self}{text}"))
    }
}

/// Tells what came of its task.
pub(super) fn outcome(
    started: &Started,
    receipt: Receipt,
    answer: Option<String>,
    error: Option<&str>,
) -> Delegated {
    let failed = |what: &str, words: Option<&str>| {
        let words = words.map(|words| format!(": {}", cut(words).0)).unwrap_or_default();
        started.gone(State::Failed, &format!("The agent {what}{words}"))
    };
    match receipt {
        Receipt::Failed => return failed("failed", error),
        Receipt::Interrupted => return failed("was interrupted", answer.as_deref()),
        Receipt::Cancelled => return failed("was closed before it finished", None),
        _ => {}
    }
    let answer = answer.unwrap_or_else(|| "(Finished without output.)".to_owned());
    let (answer, truncated) = cut(&answer);
    let mark = if truncated { "\n\n[truncated: the answer is longer]" } else { "" };
    started.told(State::Finished, &format!("{answer}{mark}"))
}

/// Tells why nobody waits for it any longer.
pub(super) fn unfinished(started: &Started, ended: Ended, can_retrieve: bool) -> Result<Delegated, Failure> {
    let again = if can_retrieve { "; call retrieve to wait again" } else { "" };
    let text = match ended {
        Ended::Called => "A person wrote to you while you waited: end your turn to receive the message. \
                          The agent keeps working; you will be notified when it has finished."
            .to_owned(),
        Ended::Words(words) => format!(
            "A person wrote to you while you waited:\n\n{words}\n\nThe agent keeps working; you will be \
             notified when it has finished{again}."
        ),
        Ended::TimedOut => {
            format!("The agent is still working; you will be notified when it has finished{again}.")
        }
        Ended::Held(why) => {
            return Ok(started.gone(State::Held, &format!("The agent cannot continue: {why}")));
        }
        Ended::Canceled => {
            let text = "The agent did not read your message: a person canceled it";
            return Ok(started.gone(State::Failed, text));
        }
        Ended::Promoted => format!("The agent {PROMOTED}."),
        Ended::Left | Ended::Failed | Ended::Settled { .. } => {
            return Err(Failure::new(Code::Conflict, "the waiting turn is over"));
        }
    };
    Ok(started.told(State::Unfinished, &text))
}
