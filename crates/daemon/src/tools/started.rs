//! What an agent is told about one that it started.

use std::fmt;

use paseo_core::id::SessionId;
use paseo_core::session::Receipt;
use paseo_wire::error::Code;

use super::news::cut;
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

/// Tells what came of its task.
pub(super) fn outcome(
    started: &Started,
    receipt: Receipt,
    answer: Option<String>,
    error: Option<&str>,
) -> Result<String, Failure> {
    let failed = |what: &str, words: Option<&str>| {
        let words = words.map(|words| format!(": {}", cut(words).0)).unwrap_or_default();
        Err(Failure::new(Code::Conflict, format!("{started}The agent {what}{words}")))
    };
    match receipt {
        Receipt::Failed => return failed("failed", error),
        Receipt::Interrupted => return failed("was interrupted", answer.as_deref()),
        Receipt::Cancelled => return failed("was closed before it finished", None),
        _ => {}
    }
    let answer = answer.unwrap_or_else(|| "(It has finished and said nothing.)".to_owned());
    let (answer, truncated) = cut(&answer);
    let mark = if truncated { "\n\n[the answer is longer; this is its beginning]" } else { "" };
    Ok(format!("{started}{answer}{mark}"))
}

/// Tells why nobody waits for it any longer.
pub(super) fn unfinished(started: &Started, ended: Ended, can_retrieve: bool) -> Result<String, Failure> {
    let again = if can_retrieve { "; call retrieve to wait for it again" } else { "" };
    let text = match ended {
        Ended::Called => "A person wrote to you while you waited: end your turn, and their message comes. The agent goes on \
            working; you are told when it has finished."
            .to_owned(),
        Ended::Words(words) => format!(
            "A person wrote to you while you waited:\n\n{words}\n\nThe agent goes on working, and you are told when it has \
             finished{again}."
        ),
        Ended::TimedOut => {
            format!("It is still working, and you are told when it has finished{again}.")
        }
        Ended::Held(why) => {
            let text = format!("{started}The agent does not go on: {why}");
            return Err(Failure::new(Code::Conflict, text));
        }
        Ended::Left | Ended::Failed | Ended::Settled { .. } => {
            return Err(Failure::new(Code::Conflict, "the turn that waited for this is over"));
        }
    };
    Ok(format!("{started}{text}"))
}
