//! The messages and commands that come in, made from randomness.

use paseo_core::actor::Actor;
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, ContentId, DeliveryId, SessionId, WatchId};
use paseo_core::session::{Class, Incoming, Notice, Position, Session, Verb};
use paseo_core::time::Timestamp;

use super::harness::Temper;
use super::owner::{Input, Mail, News, Rearrangement, person as someone, text};
use super::random::Random;

/// Makes what a person does next to a session.
pub(super) fn person(session: &Session, temper: Temper, random: &mut Random, now: Timestamp) -> Input {
    let first = match temper {
        Temper::Moody => 0,
        Temper::Loud | Temper::Fertile => 5,
    };
    match first + random.below(26 - first) {
        20 | 21 => Input::Promote(WatchId::from_parts(now, random.bytes())),
        22..=25 => rearrange(session, random, now),
        0 | 1 => Input::Stop,
        2 => Input::Close,
        3 => Input::Reopen,
        4 => Input::Clear,
        5 => rearrange(session, random, now),
        6..=8 => Input::Send(Incoming { verb: Verb::Steer, ..human(random, now) }.into()),
        9..=10 => Input::Send(Incoming { verb: Verb::Interrupt, ..human(random, now) }.into()),
        _ => Input::Send(human(random, now).into()),
    }
}

/// Makes what a person does to one of the messages that wait, or that waited a moment ago.
fn rearrange(session: &Session, random: &mut Random, now: Timestamp) -> Input {
    let turn = session.turn.iter().flat_map(|turn| turn.deliveries.iter().chain(&turn.steering));
    let known: Vec<DeliveryId> = session.queue.iter().chain(turn).map(|pending| pending.id).collect();
    let Some(delivery) = random.pick(&known) else { return Input::Continue };
    let how = match random.below(8) {
        0 | 1 => Rearrangement::Cancel(WatchId::from_parts(now, random.bytes())),
        2 => {
            let id = ContentId::from_parts(now, random.bytes());
            Rearrangement::Edit(ContentRef { id, len: 1, sha256: id.to_string() })
        }
        3 => Rearrangement::Move(Position::First),
        4 => Rearrangement::Move(Position::Last),
        5 => Rearrangement::Move(random.pick(&known).map_or(Position::Last, Position::Before)),
        _ => Rearrangement::Release(CauseId::from_parts(now, random.bytes())),
    };
    Input::Rearrange(delivery, how)
}

/// Makes a person's message: a request of its own.
pub(super) fn human(random: &mut Random, now: Timestamp) -> Incoming {
    Incoming {
        attachments: Vec::new(),
        delivery: DeliveryId::from_parts(now, random.bytes()),
        origin: someone(),
        verb: Verb::Queue,
        cause: CauseId::from_parts(now, random.bytes()),
        hop: 0,
        text: text(),
        class: if random.percent(5) { Class::Passive } else { Class::Message },
        waited: random.percent(10),
        aside: false,
        schema: None,
        corrects: None,
    }
}

/// Makes an agent's words for a peer, which inherit the cause of the turn they were said in.
pub(super) fn words(
    from: SessionId,
    cause: CauseId,
    hop: u32,
    random: &mut Random,
    now: Timestamp,
) -> Incoming {
    let origin = Actor::Session(from);
    Incoming { origin, cause, hop, class: Class::Message, waited: false, ..human(random, now) }
}

/// Makes an agent's message to a peer, as it comes.
pub(super) fn peer(
    from: SessionId,
    cause: CauseId,
    hop: u32,
    random: &mut Random,
    now: Timestamp,
) -> Incoming {
    let class = if random.percent(15) { Class::Passive } else { Class::Message };
    let waited = random.percent(20);
    Incoming { class, waited, ..words(from, cause, hop, random, now) }
}

/// Makes the message of a notice.
pub(super) fn news(notice: &Notice, from: SessionId, random: &mut Random, now: Timestamp) -> Mail {
    let Notice { id, cause, hop, class, .. } = *notice;
    let incoming = Incoming { origin: Actor::Daemon, cause, hop, class, waited: false, ..human(random, now) };
    Mail { incoming, watch: None, news: Some(News { notice: id, from }) }
}
