//! Waiting for each other: never in a circle, and never in a long row.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::{SessionId, WatchId};
use crate::limits::CHAIN;
use crate::session::{self, Due, HeldReason, Hold, On, Pending, Session};

/// Why an agent may not wait for another. It can still write to it and go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("an agent cannot wait for itself")]
    Itself,
    /// Each waits for the next, and the last for the first, who asked.
    #[error("{}", self.told(SessionId::to_string))]
    Circle(Vec<SessionId>),
    #[error("{}", self.told(SessionId::to_string))]
    TooDeep {
        /// Each waits for the next.
        chain: Vec<SessionId>,
    },
}

impl Refused {
    /// Puts it into words, with each agent by the name that it is known by.
    pub fn told(&self, name: impl Fn(&SessionId) -> String) -> String {
        let row =
            |agents: &mut dyn Iterator<Item = &SessionId>| agents.map(&name).collect::<Vec<_>>().join(" → ");
        match self {
            Self::Itself => "an agent cannot wait for itself".to_owned(),
            Self::Circle(circle) => {
                format!("waiting would create a deadlock: {}", row(&mut circle.iter().chain(circle.first())))
            }
            Self::TooDeep { chain } => format!(
                "waiting would create a chain of {} agents that wait for each other (limit {CHAIN}): {}",
                chain.len().saturating_sub(1),
                row(&mut chain.iter())
            ),
        }
    }
}

/// Decides whether `caller` may wait for `target`. `waits` says who waits for whom; one agent may wait for several.
pub fn admit(waits: &[(SessionId, SessionId)], caller: SessionId, target: SessionId) -> Result<(), Refused> {
    if caller == target {
        return Err(Refused::Itself);
    }
    if let Some(mut circle) = path(waits, target, caller) {
        // It ends with the caller, with whom it begins.
        circle.rotate_right(1);
        return Err(Refused::Circle(circle));
    }
    let mut chain = longest(waits.iter().map(|(waiter, awaited)| (*awaited, *waiter)), caller);
    chain.reverse();
    chain.extend(longest(waits.iter().copied(), target));
    if chain.len() - 1 > CHAIN {
        return Err(Refused::TooDeep { chain });
    }
    Ok(())
}

/// Why a wait is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// The message has an outcome.
    Settled(Due),
    /// The message waits for a person.
    Held(HeldReason),
    /// The whole session does, and the message with it.
    Halted(Hold),
    /// Nothing is left to do there.
    Idle,
    /// A person made the other one an independent agent.
    Promoted,
    Closed,
    /// The watch is gone: its watcher was told in another way.
    Told,
}

/// Says whether the wait behind a watch that was armed is over. It is asked again whenever the session changes.
pub fn over(session: &Session, watch: WatchId) -> Option<Over> {
    let Some(watch) = session.watches.iter().find(|known| known.id == watch) else { return Some(Over::Told) };
    if let Some(due) = &watch.due {
        return Some(Over::Settled(due.clone()));
    }
    if !session.is_open() {
        return Some(Over::Closed);
    }
    match watch.on {
        On::Delivery(delivery) => {
            let pending = session.queue.iter().find(|pending: &&Pending| pending.id == delivery)?;
            match (pending.held, session.hold) {
                (Some(reason), _) => Some(Over::Held(reason)),
                // What waits behind a running turn is decided about when that ends.
                (None, hold @ (Hold::Stopped | Hold::Error | Hold::Paused)) if session.turn.is_none() => {
                    Some(Over::Halted(hold))
                }
                (None, _) => None,
            }
        }
        On::Promotion => Some(Over::Promoted),
        On::Idle => session::due(session).any(|due| due.id == watch.id).then_some(Over::Idle),
    }
}

/// Returns a shortest way from one to the other, with both of them.
fn path(waits: &[(SessionId, SessionId)], from: SessionId, to: SessionId) -> Option<Vec<SessionId>> {
    let mut came_from = BTreeMap::new();
    let mut found = vec![from];
    let mut next = 0;
    while let Some(waiter) = found.get(next).copied() {
        next += 1;
        for (_, awaited) in waits.iter().filter(|(of, _)| *of == waiter) {
            if *awaited != from && !came_from.contains_key(awaited) {
                came_from.insert(*awaited, waiter);
                found.push(*awaited);
            }
        }
    }
    came_from.contains_key(&to).then(|| {
        let mut path: Vec<SessionId> =
            std::iter::successors(Some(to), |at| came_from.get(at).copied()).collect();
        path.reverse();
        path
    })
}

/// Returns a longest row that begins with `first`, cut where it is too long in any case: a circle, which cannot be,
/// would have no end.
fn longest(edges: impl Iterator<Item = (SessionId, SessionId)>, first: SessionId) -> Vec<SessionId> {
    let edges: BTreeSet<(SessionId, SessionId)> = edges.collect();
    // Who can stand so far from the first, and behind whom.
    let mut layers: Vec<BTreeMap<SessionId, SessionId>> = Vec::new();
    let mut ends = BTreeSet::from([first]);
    while layers.len() <= CHAIN {
        let layer: BTreeMap<_, _> =
            edges.iter().filter(|(from, _)| ends.contains(from)).map(|(from, to)| (*to, *from)).collect();
        if layer.is_empty() {
            break;
        }
        ends = layer.keys().copied().collect();
        layers.push(layer);
    }
    let Some(mut at) = ends.first().copied() else { return vec![first] };
    let mut row = vec![at];
    for layer in layers.iter().rev() {
        at = layer.get(&at).copied().unwrap_or(first);
        row.push(at);
    }
    row.reverse();
    row
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actor::Actor;
    use crate::cause::Cause;
    use crate::content::ContentRef;
    use crate::id::{CauseId, ContentId, DeliveryId, TurnId};
    use crate::session::{
        Accepted, Class, Created, Draft, Ending, Event, Outcome, Receipt, Source, Verb, Watch,
    };
    use crate::time::Timestamp;

    fn id(n: u8) -> SessionId {
        SessionId::from_random([n; 16])
    }

    fn waits(pairs: &[(u8, u8)]) -> Vec<(SessionId, SessionId)> {
        pairs.iter().map(|(waiter, awaited)| (id(*waiter), id(*awaited))).collect()
    }

    #[test]
    fn nobody_waits_for_itself() {
        assert_eq!(admit(&[], id(1), id(1)), Err(Refused::Itself));
        assert_eq!(admit(&[], id(1), id(2)), Ok(()));
    }

    #[test]
    fn a_circle_is_refused_and_shown() {
        let known = waits(&[(1, 4), (1, 2), (2, 3)]);
        let refused = admit(&known, id(3), id(1)).unwrap_err();
        assert_eq!(refused, Refused::Circle(vec![id(3), id(1), id(2)]));
        let text = refused.to_string();
        assert!(text.contains(&format!("{} → {} → {} → {}", id(3), id(1), id(2), id(3))), "{text}");
        let named = refused.told(|one| if *one == id(1) { "x".to_owned() } else { "y".to_owned() });
        assert!(named.ends_with(": y → x → y → y"), "{named}");
        // The same the other way round is no circle.
        assert_eq!(admit(&known, id(1), id(3)), Ok(()));
    }

    #[test]
    fn three_wait_for_each_other_and_no_fourth() {
        let known = waits(&[(1, 2), (2, 3), (3, 4)]);
        let row = [1, 2, 3, 4, 5].map(id).to_vec();
        assert_eq!(admit(&known, id(4), id(5)), Err(Refused::TooDeep { chain: row }));
        let row = [9, 1, 2, 3, 4].map(id).to_vec();
        let refused = admit(&known, id(9), id(1)).unwrap_err();
        assert_eq!(refused, Refused::TooDeep { chain: row });
        assert!(refused.to_string().contains("a chain of 4 agents"), "{refused}");
        assert_eq!(admit(&known, id(9), id(2)), Ok(()));
        // In the middle, the rows before and behind add up.
        let apart = waits(&[(1, 2), (2, 3), (4, 5)]);
        let row = [1, 2, 3, 4, 5].map(id).to_vec();
        assert_eq!(admit(&apart, id(3), id(4)), Err(Refused::TooDeep { chain: row }));
    }

    #[test]
    fn one_may_wait_for_several_at_once() {
        let known = waits(&[(1, 2), (1, 2), (1, 3), (3, 4), (1, 4)]);
        assert_eq!(admit(&known, id(1), id(2)), Ok(()));
        assert_eq!(admit(&known, id(4), id(5)), Ok(()));
        assert!(matches!(admit(&known, id(2), id(1)), Err(Refused::Circle(_))));
    }

    #[test]
    fn a_circle_that_is_there_already_does_no_harm() {
        let known = waits(&[(1, 2), (2, 1)]);
        assert!(matches!(admit(&known, id(3), id(1)), Err(Refused::TooDeep { .. })));
        assert_eq!(admit(&known, id(3), id(4)), Ok(()));
    }

    const WATCH: [u8; 10] = [9; 10];

    /// A session that an agent wrote to and waits for.
    fn asked() -> (Draft, DeliveryId) {
        let now = Timestamp::default();
        let created = Created::plain(id(1), Actor::Human("cli".into()), "scripted", "/");
        let mut draft = Draft::new(Session::create(created, now), now);
        let delivery = DeliveryId::from_parts(now, [1; 10]);
        let incoming = Accepted {
            attachments: Vec::new(),
            delivery,
            origin: Actor::Session(id(2)),
            verb: Verb::Queue,
            cause: CauseId::from_parts(now, [1; 10]),
            hop: 1,
            text: ContentRef { id: ContentId::from_parts(now, [0; 10]), len: 0, sha256: String::new() },
            class: Class::Message,
            waited: true,
            aside: false,
            schema: None,
            corrects: None,
        };
        let cause = incoming.cause;
        session::accept(&mut draft, incoming, false).unwrap();
        let watch = WatchId::from_parts(now, WATCH);
        let (on, class) = (On::Delivery(delivery), Class::Completion);
        session::arm(
            &mut draft,
            Watch {
                id: watch,
                watcher: id(2),
                on,
                cause,
                hop: 2,
                class,
                due: None,
                request: None,
                notice: None,
            },
        )
        .unwrap();
        (draft, delivery)
    }

    fn seen(draft: &Draft) -> Option<Over> {
        over(&draft.session, WatchId::from_parts(Timestamp::default(), WATCH))
    }

    fn run(draft: &mut Draft, outcome: Outcome) {
        let plan = session::next(&draft.session).unwrap();
        let turn = TurnId::from_parts(Timestamp::default(), [1; 10]);
        session::open(draft, plan, &Cause::default(), turn);
        assert_eq!(seen(draft), None);
        if outcome == Outcome::Completed {
            draft.push(Event::TurnHanded { turn });
        }
        session::end(draft, Ending::of(outcome, Source::Protocol));
    }

    #[test]
    fn a_wait_ends_with_the_answer() {
        let (mut draft, _) = asked();
        assert_eq!(seen(&draft), None);
        run(&mut draft, Outcome::Completed);
        assert!(matches!(seen(&draft), Some(Over::Settled(due)) if due.receipt == Receipt::Answered));
        session::disarm(&mut draft, WatchId::from_parts(Timestamp::default(), WATCH));
        assert_eq!(seen(&draft), Some(Over::Told));
    }

    #[test]
    fn a_wait_ends_when_only_a_person_helps() {
        let (mut draft, delivery) = asked();
        session::hold_for_stop(&mut draft);
        assert_eq!(seen(&draft), Some(Over::Held(HeldReason::Stopped)));
        let (mut draft, _) = asked();
        // The harness died before it took the message, which now waits in a session that starts nothing by itself.
        run(&mut draft, Outcome::Failed);
        assert_eq!(draft.session.queue[0].id, delivery);
        assert!(matches!(seen(&draft), Some(Over::Settled(due)) if due.receipt == Receipt::Failed));
        let (mut draft, _) = asked();
        session::close(&mut draft, Source::Person);
        assert_eq!(seen(&draft), Some(Over::Closed));
    }

    /// The most waits in a row from here on, found the slow way.
    fn depth(waits: &[(SessionId, SessionId)], from: SessionId, budget: usize) -> usize {
        let next = waits.iter().filter(|(waiter, _)| *waiter == from && budget > 0);
        next.map(|(_, awaited)| 1 + depth(waits, *awaited, budget - 1)).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn waits_that_are_admitted_make_no_circle_and_no_long_row(
            asked in proptest::collection::vec((0u8..8, 0u8..8, any::<bool>()), 0..60)
        ) {
            let mut open = Vec::new();
            for (caller, target, ends) in asked {
                let (caller, target) = (id(caller), id(target));
                match admit(&open, caller, target) {
                    Ok(()) => open.push((caller, target)),
                    Err(Refused::Itself) => prop_assert_eq!(caller, target),
                    Err(Refused::Circle(circle)) => {
                        prop_assert_eq!((circle[0], circle[1]), (caller, target));
                        for step in circle[1..].windows(2) {
                            prop_assert!(open.contains(&(step[0], step[1])));
                        }
                        prop_assert!(open.contains(&(circle[circle.len() - 1], caller)));
                    }
                    Err(Refused::TooDeep { chain }) => {
                        prop_assert!(chain.len() > CHAIN + 1);
                        for step in chain.windows(2) {
                            let pair = (step[0], step[1]);
                            prop_assert!(open.contains(&pair) || pair == (caller, target));
                        }
                    }
                }
                // A circle would be as deep as one cares to look.
                prop_assert!((0..8).all(|from| depth(&open, id(from), 9) <= CHAIN));
                if ends && !open.is_empty() {
                    open.remove(0);
                }
            }
        }
    }
}
