//! The messages and commands that come in, made from randomness.

use paseo_core::actor::Actor;
use paseo_core::id::{CauseId, DeliveryId, SessionId};
use paseo_core::session::{Class, Incoming, Session, Verb};
use paseo_core::time::Timestamp;

use super::harness::Temper;
use super::owner::{Input, text};
use super::random::Random;

/// Makes what a person does next to a session.
pub(super) fn person(session: &Session, temper: Temper, random: &mut Random, now: Timestamp) -> Input {
    let first = match temper {
        Temper::Moody => 0,
        Temper::Loud => 5,
    };
    match first + random.below(20 - first) {
        0 | 1 => Input::Stop,
        2 => Input::Close,
        3 => Input::Reopen,
        4 => Input::Clear,
        5 => {
            let waiting: Vec<DeliveryId> = session.queue.iter().map(|pending| pending.id).collect();
            random.pick(&waiting).map_or(Input::Continue, Input::Cancel)
        }
        6..=8 => Input::Send(Incoming { verb: Verb::Steer, ..human(random, now) }),
        9..=10 => Input::Send(Incoming { verb: Verb::Interrupt, ..human(random, now) }),
        _ => Input::Send(human(random, now)),
    }
}

/// Makes a person's message: a request of its own.
pub(super) fn human(random: &mut Random, now: Timestamp) -> Incoming {
    Incoming {
        delivery: DeliveryId::from_parts(now, random.bytes()),
        origin: Actor::Human("cli".into()),
        verb: Verb::Queue,
        cause: CauseId::from_parts(now, random.bytes()),
        hop: 0,
        text: text(),
        class: if random.percent(5) { Class::Passive } else { Class::Message },
        waited: random.percent(10),
    }
}

/// Makes an agent's message to a peer, which inherits the cause of the turn it was sent in.
pub(super) fn peer(
    from: SessionId,
    cause: CauseId,
    hop: u32,
    random: &mut Random,
    now: Timestamp,
) -> Incoming {
    let class = if random.percent(15) { Class::Passive } else { Class::Message };
    let waited = random.percent(20);
    Incoming { origin: Actor::Session(from), cause, hop, class, waited, ..human(random, now) }
}

/// Makes the news that something which the receiver started is done.
pub(super) fn notice(cause: CauseId, hop: u32, random: &mut Random, now: Timestamp) -> Incoming {
    let waited = false;
    Incoming { origin: Actor::Daemon, cause, hop, class: Class::Completion, waited, ..human(random, now) }
}
