//! What a person types into the terminal of an agent: the harness has it before the daemon knows.

use super::{Accepted, Draft, Event, Hold, Verb};
use crate::id::TurnId;

/// Takes in what a person typed. It belongs to the turn under way, or opened one. Returns the turn; `None` when the
/// session is closed.
pub fn typed(draft: &mut Draft, mut said: Accepted, turn: TurnId) -> Option<TurnId> {
    if !draft.session.is_open() {
        return None;
    }
    let (delivery, cause, hop) = (said.delivery, said.cause, said.hop);
    let running = draft.session.turn.as_ref().map(|turn| turn.id);
    said.verb = if running.is_some() { Verb::Steer } else { Verb::Queue };
    draft.push(Event::Accepted(said));
    let held = draft.session.hold != Hold::None || draft.session.parked().is_some();
    if held || draft.session.queue.iter().any(|pending| pending.held.is_some()) {
        // A person is there: what waited for one comes next.
        draft.push(Event::Released {});
    }
    match running {
        Some(turn) => {
            draft.push(Event::Handing { delivery, turn });
            draft.push(Event::Handed { delivery });
            Some(turn)
        }
        None => {
            draft.push(Event::TurnOpened { turn, cause, hop, deliveries: vec![delivery] });
            draft.push(Event::TurnHanded { turn });
            Some(turn)
        }
    }
}
