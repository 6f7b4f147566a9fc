//! Words that an agent elsewhere sends when it likes: the answer that is waited for, or something late or unasked.

use super::{Draft, Ending, Outcome, Source, end, open_own};
use crate::cause::{self, Cause};
use crate::id::TurnId;

/// Where such words belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landing {
    /// They answer this turn, which is over now.
    Answer(TurnId),
    /// They are a turn that the agent began by itself, and over already. The cause's event belongs into the same batch.
    Own(TurnId, cause::Event),
    /// Nobody pays for a turn, or another one runs: they are only noted.
    Aside,
}

/// Takes such words in. `answers` is the turn that they say they answer; without it they answer whatever runs. `cause`
/// is that of the newest turn, and `fresh` the id of a turn of their own.
pub fn call_back(draft: &mut Draft, cause: &Cause, answers: Option<TurnId>, fresh: TurnId) -> Landing {
    let over = Ending::of(Outcome::Completed, Source::Protocol);
    match &draft.session.turn {
        Some(turn) if answers.is_none_or(|answers| answers == turn.id) => {
            let turn = turn.id;
            end(draft, over);
            Landing::Answer(turn)
        }
        Some(_) => Landing::Aside,
        None => match open_own(draft, cause, fresh) {
            Ok(Some(spent)) => {
                end(draft, over);
                Landing::Own(fresh, spent)
            }
            Ok(None) | Err(_) => Landing::Aside,
        },
    }
}
