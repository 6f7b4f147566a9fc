//! Who is to be told and was, and who waits.

use std::collections::{BTreeMap, BTreeSet};

use paseo_core::id::{DeliveryId, SessionId, TurnId, WatchId};
use paseo_core::session::{On, Watch};

use super::Check;
use super::kin::Kin;
use super::messages::Messages;

const CHAIN: usize = 3;

#[derive(Default)]
pub(in crate::simulation) struct News {
    watches: BTreeMap<WatchId, Known>,
    /// Those whose watchers were told in words, by a call that came back.
    answered: BTreeSet<WatchId>,
    /// Those whose watchers took no news.
    untold: BTreeSet<WatchId>,
    /// Who waits for whom, by the watch behind it.
    waits: BTreeMap<WatchId, (SessionId, SessionId)>,
    /// Those that calls have waited for.
    awaited: BTreeSet<WatchId>,
    /// How many waits there were.
    waited: usize,
    /// Those whose notice is about a setback. The message may be answered before the notice arrives.
    set_back: BTreeSet<WatchId>,
    /// Which watches a notice tells of, by the notice's id.
    notices: BTreeMap<WatchId, Vec<WatchId>>,
    /// The turn that took a message up last.
    turns: BTreeMap<DeliveryId, TurnId>,
    /// Which notice told a watcher of a turn.
    outcomes: BTreeMap<(SessionId, TurnId), WatchId>,
    /// Who left whom.
    promotions: BTreeSet<(SessionId, SessionId)>,
    /// Of whom there is a watch by which the former parent is told.
    farewells: BTreeSet<(SessionId, SessionId)>,
}

struct Known {
    session: SessionId,
    watcher: SessionId,
    on: On,
    /// How often the session had been closed by then.
    closings: u32,
    /// How often the message had been set back by then.
    setbacks: u32,
    told: bool,
    ended: bool,
    /// It is about what the watcher's former child does, which it is not told any longer.
    parted: bool,
}

impl Known {
    /// Says whether there is something to be told, as long as the session is open.
    fn is_over(&self, messages: &Messages) -> bool {
        match self.on {
            On::Delivery(delivery) => {
                messages.is_settled(delivery) || messages.setbacks(delivery) > self.setbacks
            }
            On::Idle | On::Promotion => true,
        }
    }
}

fn setbacks(on: On, messages: &Messages) -> u32 {
    match on {
        On::Delivery(delivery) => messages.setbacks(delivery),
        On::Idle | On::Promotion => 0,
    }
}

impl News {
    pub(super) fn arm(&mut self, session: SessionId, watch: &Watch, messages: &Messages, kin: &Kin) -> Check {
        let known = Known {
            session,
            watcher: watch.watcher,
            on: watch.on,
            closings: kin.closings(session),
            setbacks: setbacks(watch.on, messages),
            told: false,
            ended: false,
            parted: false,
        };
        if watch.on == On::Promotion {
            self.farewells.insert((session, watch.watcher));
        }
        match self.watches.insert(watch.id, known) {
            Some(_) => Err(format!("{} was armed twice", watch.id)),
            None => Ok(()),
        }
    }

    /// Takes in that a turn takes messages up.
    pub(super) fn take_up(&mut self, turn: TurnId, deliveries: &[DeliveryId]) {
        self.turns.extend(deliveries.iter().map(|delivery| (*delivery, turn)));
    }

    /// Takes in that a message went back to the queue: no turn has it.
    pub(super) fn give_back(&mut self, delivery: DeliveryId) {
        self.turns.remove(&delivery);
    }

    /// Takes in that a session left its parent, which is told that, and of nothing that it watched before.
    pub(super) fn promote(&mut self, session: SessionId, parent: SessionId, converted: &[WatchId]) {
        self.promotions.insert((session, parent));
        let gathered: BTreeSet<&WatchId> = self.notices.values().flatten().collect();
        for (id, known) in &mut self.watches {
            let concerns = known.session == session && known.watcher == parent && !known.ended;
            if converted.contains(id) {
                known.on = On::Promotion;
                self.farewells.insert((session, parent));
            } else if concerns && !gathered.contains(id) {
                known.parted = true;
            }
        }
    }

    /// Takes in that one notice tells of these watches.
    pub(super) fn gather(&mut self, watches: &[WatchId], messages: &Messages) -> Check {
        let Some(first) = watches.first() else { return Err("a notice tells of nothing".to_owned()) };
        let gathered: BTreeSet<&WatchId> = self.notices.values().flatten().collect();
        if let Some(twice) = watches.iter().find(|watch| gathered.contains(watch)) {
            return Err(format!("{twice} is in two notices"));
        }
        let set_back = |watch: &&WatchId| match self.watches.get(watch).map(|known| known.on) {
            Some(On::Delivery(delivery)) => !messages.is_settled(delivery),
            _ => false,
        };
        let set_back: Vec<WatchId> = watches.iter().filter(set_back).copied().collect();
        self.set_back.extend(set_back);
        self.notices.insert(*first, watches.to_vec());
        Ok(())
    }

    /// Takes in a notice, which became durable at a session.
    pub(super) fn tell(&mut self, notice: WatchId, to: SessionId, messages: &Messages, kin: &Kin) -> Check {
        let watches = self.notices.get(&notice).ok_or_else(|| format!("{notice} was never gathered"))?;
        // What a call answered is in no notice any more.
        let told: Vec<WatchId> = watches
            .iter()
            .filter(|watch| self.watches.get(watch).is_some_and(|known| !known.ended))
            .copied()
            .collect();
        for watch in told {
            self.tell_one(watch, to, messages, kin)?;
            let Some(Known { on: On::Delivery(delivery), .. }) = self.watches.get(&watch) else { continue };
            let turn = self.turns.get(delivery).filter(|_| messages.is_settled(*delivery));
            let is_apart = self.awaited.contains(&watch) || self.set_back.contains(&watch);
            if let Some(turn) = turn.filter(|_| !is_apart)
                && *self.outcomes.entry((to, *turn)).or_insert(notice) != notice
            {
                return Err(format!("{to} is told of one outcome in two notices: {turn}"));
            }
        }
        Ok(())
    }

    fn tell_one(&mut self, id: WatchId, to: SessionId, messages: &Messages, kin: &Kin) -> Check {
        let answered = self.answered.contains(&id);
        let known = self.known(id)?;
        if known.watcher != to {
            return Err(format!("the news of {id} comes to somebody else"));
        }
        if known.parted {
            return Err(format!("{to} is told what became of somebody who left it"));
        }
        if std::mem::replace(&mut known.told, true) || answered {
            return Err(format!("the watcher of {id} is told twice"));
        }
        let over = known.is_over(messages) || kin.closings(known.session) > known.closings;
        if known.ended || !over {
            return Err(format!("there is no news of {id}"));
        }
        Ok(())
    }

    pub(super) fn end(&mut self, id: WatchId, kin: &Kin) -> Check {
        let answered = self.answered.contains(&id);
        let untold = self.untold.contains(&id);
        let known = self.known(id)?;
        if std::mem::replace(&mut known.ended, true) {
            return Err(format!("{id} ended twice"));
        }
        // A closed session takes no news.
        let refused = untold && kin.closings(known.watcher) > 0;
        if !(known.told || answered || refused || known.parted) {
            return Err(format!("{id} ends and its watcher was not told"));
        }
        Ok(())
    }

    /// Remembers that nobody takes a notice.
    pub(in crate::simulation) fn untell(&mut self, notice: WatchId) {
        self.untold.extend(self.notices.get(&notice).into_iter().flatten());
    }

    /// Takes in that a caller begins to wait.
    pub(in crate::simulation) fn wait(&mut self, id: WatchId, caller: SessionId, target: SessionId) -> Check {
        self.waited += 1;
        self.awaited.insert(id);
        if self.waits.insert(id, (caller, target)).is_some() {
            return Err(format!("{caller} waits twice for the same"));
        }
        // A circle is as long as one cares to look.
        if self.row(target, 0) + self.row_before(caller, 0) + 1 > CHAIN {
            return Err(format!("{caller} waits for {target} in a circle or a row of more than {CHAIN}"));
        }
        Ok(())
    }

    /// Takes in that a caller waits no longer.
    pub(in crate::simulation) fn stop_waiting(&mut self, id: WatchId) -> Check {
        match self.waits.remove(&id) {
            Some(_) => Ok(()),
            None => Err(format!("the wait for {id} ended twice")),
        }
    }

    /// Takes in that a caller got its answer. It may have had the news before a crash, and asks all the same.
    pub(super) fn answer(&mut self, id: WatchId, messages: &Messages, kin: &Kin) -> Check {
        let known = self.known(id)?;
        let over = known.is_over(messages) || kin.closings(known.session) > known.closings;
        if !over || !self.answered.insert(id) {
            return Err(format!("the watcher of {id} gets an answer that is none, or twice"));
        }
        self.stop_waiting(id)
    }

    /// Takes in that everybody who waited, or had an answer, is gone.
    pub(in crate::simulation) fn crash(&mut self) {
        self.waits.clear();
        let lasting = |id: &WatchId| self.watches.get(id).is_some_and(|known| known.ended);
        self.answered.retain(lasting);
    }

    /// Returns how many waits there were.
    pub(in crate::simulation) fn waited(&self) -> usize {
        self.waited
    }

    /// Returns how many watches led to news.
    pub(in crate::simulation) fn told(&self) -> usize {
        self.watches.values().filter(|known| known.told).count()
    }

    /// Checks that nobody waits for ever and nobody was forgotten.
    pub(super) fn check_rest(&self, messages: &Messages, kin: &Kin) -> Check {
        if let Some((caller, target)) = self.waits.values().next() {
            return Err(format!("{caller} waits for {target} for ever"));
        }
        if let Some((child, parent)) = self.promotions.difference(&self.farewells).next() {
            return Err(format!("{parent} is never told that {child} left it"));
        }
        let forgotten = self.watches.iter().find(|(_, known)| {
            let over = known.is_over(messages) || kin.is_closed(known.session);
            over && !known.ended
        });
        match forgotten {
            Some((id, known)) => Err(format!("{} is never told of {id} ({:?})", known.watcher, known.on)),
            None => Ok(()),
        }
    }

    fn known(&mut self, id: WatchId) -> Result<&mut Known, String> {
        self.watches.get_mut(&id).ok_or_else(|| format!("{id} was never armed"))
    }

    fn row(&self, from: SessionId, depth: usize) -> usize {
        let next = self.waits.values().filter(|(caller, _)| *caller == from && depth <= CHAIN);
        next.map(|(_, target)| 1 + self.row(*target, depth + 1)).max().unwrap_or(0)
    }

    fn row_before(&self, to: SessionId, depth: usize) -> usize {
        let before = self.waits.values().filter(|(_, target)| *target == to && depth <= CHAIN);
        before.map(|(caller, _)| 1 + self.row_before(*caller, depth + 1)).max().unwrap_or(0)
    }
}
