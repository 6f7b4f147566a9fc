//! The world of a run: sessions with their owners, harnesses, one log, and a scheduler that plays dice.

use std::collections::BTreeSet;

use paseo_core::actor::Actor;
use paseo_core::cause;
use paseo_core::codec;
use paseo_core::fold::SessionHead;
use paseo_core::id::{CauseId, DeliveryId, SessionId};
use paseo_core::session::{self, Created, Draft, Event, Outcome, Source};
use paseo_core::time::Timestamp;

use super::harness::{Act, Harness, Temper};
use super::ledger::{Check, Ledger};
use super::log::{Append, Log};
use super::owner::{Desk, Effect, Input, Owner, Stage};
use super::random::Random;
use super::{Fault, Report, Seed, post};

pub(super) struct World {
    random: Random,
    now: Timestamp,
    log: Log,
    ledger: Ledger,
    sessions: Vec<SessionId>,
    owners: Vec<Owner>,
    harnesses: Vec<Option<Harness>>,
    causes: BTreeSet<CauseId>,
    /// Messages that another daemon accepted and has not acknowledged yet.
    accepted_elsewhere: Vec<DeliveryId>,
    temper: Temper,
    fault: Option<Fault>,
    pub(super) report: Report,
}

impl World {
    pub(super) fn new(seed: Seed, fault: Option<Fault>) -> Self {
        let mut random = Random::new(seed);
        let now = Timestamp::from_millis(1_700_000_000_000);
        // Loud runs spend what a cause has. Most are small, so that the same sessions meet again and again.
        let temper = if random.percent(2) { Temper::Loud } else { Temper::Moody };
        let sessions = if temper == Temper::Loud && random.percent(95) { 3 } else { 3 + random.below(10) };
        let sessions: Vec<SessionId> =
            (0..sessions).map(|_| SessionId::from_random(random.bytes())).collect();
        let mut log = Log::default();
        for id in &sessions {
            let event = codec::encode(&Event::Created(Box::new(created(*id))));
            let append = Append { stream: session::stream(*id), version: 0, events: vec![event] };
            log.append(&[append], now).expect("the log is empty");
        }
        log.sync();
        let owners: Vec<Owner> =
            sessions.iter().map(|id| Owner::load(*id, &log, random.percent(70))).collect();
        Self {
            harnesses: sessions.iter().map(|_| None).collect(),
            temper,
            random,
            now,
            log,
            ledger: Ledger::default(),
            sessions,
            owners,
            causes: BTreeSet::new(),
            accepted_elsewhere: Vec::new(),
            fault,
            report: Report::default(),
        }
    }

    /// Lets one thing happen while people are around.
    pub(super) fn step(&mut self) -> Check {
        self.tick();
        match self.random.below(100) {
            0..=9 => self.person(),
            10..=11 => return self.crash(),
            12..=13 => self.rival(),
            14 => self.stop_cause(),
            _ => return self.work().map(drop),
        }
        Ok(())
    }

    /// Lets everything come to rest without another word of a person.
    pub(super) fn settle(&mut self) -> Check {
        const STEPS_PER_TURN: usize = 60;
        let before = self.ledger.turns();
        let turns = self.ledger.turns_left(self.causes.len());
        let mut steps = (turns + 10) * STEPS_PER_TURN;
        loop {
            self.tick();
            if !self.work()? {
                break;
            }
            steps -= 1;
            let turns_of_rest = self.ledger.turns() - before;
            if steps == 0 || turns_of_rest > turns {
                return Err(format!("no rest after {turns_of_rest} turns without a word of a person"));
            }
        }
        self.log.check_replay()?;
        self.ledger.check_acknowledged()?;
        for owner in &mut self.owners {
            owner.reload(&self.log);
            self.ledger.check(&owner.session)?;
            self.ledger.check_rest(&owner.session)?;
        }
        self.report.turns = self.ledger.turns();
        self.report.repeats = self.ledger.repeats();
        self.report.unpaid = self.ledger.unpaid();
        Ok(())
    }

    /// Does one thing that needs no person. Says whether there was any.
    fn work(&mut self) -> Result<bool, String> {
        let owners: Vec<usize> = (0..self.owners.len()).filter(|i| self.owners[*i].has_work()).collect();
        let harnesses: Vec<usize> = (0..self.owners.len()).filter(|i| self.harnesses[*i].is_some()).collect();
        let candidates = [!owners.is_empty(), !harnesses.is_empty(), self.log.is_volatile()];
        let possible: Vec<usize> = (0..candidates.len()).filter(|i| candidates[*i]).collect();
        match self.random.pick(&possible) {
            None => return Ok(false),
            Some(0) => {
                let owner = owners[self.random.below(owners.len())];
                self.owner(owner)?;
            }
            Some(1) => {
                let harness = harnesses[self.random.below(harnesses.len())];
                self.harness(harness);
            }
            Some(_) => self.sync()?,
        }
        Ok(true)
    }

    fn owner(&mut self, index: usize) -> Check {
        if let Some(effect) = self.owners[index].effects.pop_front() {
            return self.perform(index, effect);
        }
        match std::mem::replace(&mut self.owners[index].stage, Stage::Free) {
            Stage::Free => self.decide(index),
            Stage::Appended(effects) => self.owners[index].stage = Stage::Appended(effects),
            Stage::Decided(decision) => {
                if self.log.append(&decision.appends, decision.at).is_err() {
                    self.report.conflicts += 1;
                    return Ok(());
                }
                let owner = &mut self.owners[index];
                let stream = session::stream(owner.session.id);
                owner.session = decision.session;
                owner.version = self.log.version(&stream);
                owner.stage = Stage::Appended(Vec::new());
                if self.fault == Some(Fault::HandEarly) {
                    owner.effects.extend(decision.effects);
                } else {
                    owner.stage = Stage::Appended(decision.effects);
                }
            }
        }
        Ok(())
    }

    fn decide(&mut self, index: usize) {
        let owner = &mut self.owners[index];
        if owner.version != self.log.version(&session::stream(owner.session.id)) {
            owner.reload(&self.log);
        }
        let Some(input) = owner.mailbox.front().cloned() else { return };
        let now = self.now;
        let mut desk = Desk { log: &self.log, now, random: &mut self.random, fault: self.fault };
        match owner.decide(&input, &mut desk) {
            Some(decision) => owner.stage = Stage::Decided(Box::new(decision)),
            None => drop(owner.mailbox.pop_front()),
        }
        if let (Some(Fault::AcknowledgeEarly), Input::Send(incoming), Stage::Decided(decision)) =
            (self.fault, &input, &owner.stage)
            && decision.effects.iter().any(|effect| matches!(effect, Effect::Acknowledge(_)))
        {
            self.ledger.acknowledge(incoming.delivery);
        }
    }

    fn perform(&mut self, index: usize, effect: Effect) -> Check {
        let owner = &self.owners[index];
        match effect {
            Effect::Acknowledge(delivery) => self.ledger.acknowledge(delivery),
            Effect::Hand(id) => {
                let Some(turn) = owner.session.turn.as_ref().filter(|turn| turn.id == id) else {
                    return Ok(());
                };
                for pending in &turn.deliveries {
                    self.ledger.send(pending.id, pending.repeat)?;
                }
                let words = match self.temper {
                    Temper::Moody => self.random.below(3),
                    Temper::Loud => 1,
                };
                self.harnesses[index] = Some(Harness::start(turn, words, self.temper));
            }
            Effect::Steer(delivery) => {
                let steering = owner.session.turn.as_ref().into_iter().flat_map(|turn| &turn.steering);
                let pending = steering.into_iter().find(|pending| pending.id == delivery);
                if let (Some(pending), Some(harness)) = (pending, &mut self.harnesses[index]) {
                    self.ledger.send(delivery, pending.repeat)?;
                    harness.steer(delivery);
                }
            }
            Effect::Interrupt => {
                if let Some(harness) = &mut self.harnesses[index] {
                    harness.interrupt();
                }
            }
            Effect::Kill => self.harnesses[index] = None,
            Effect::Notify { peer, cause, hop } => {
                let notice = post::notice(cause, hop, &mut self.random, self.now);
                let peer = self.sessions.iter().position(|id| *id == peer);
                // Not everybody who asked wants to be told.
                if let Some(peer) = peer.filter(|_| self.random.percent(50)) {
                    self.owners[peer].mailbox.push_back(Input::Send(notice));
                }
            }
        }
        Ok(())
    }

    fn harness(&mut self, index: usize) {
        let Some(harness) = &mut self.harnesses[index] else { return };
        match harness.act(&mut self.random, &mut self.ledger) {
            Act::Nothing => {}
            Act::Tell(input) => self.owners[index].mailbox.push_back(input),
            Act::Finish(input) => {
                self.harnesses[index] = None;
                self.owners[index].mailbox.push_back(input);
            }
            Act::Speak => {
                let (cause, hop) = (harness.cause, harness.hop + 1);
                let message = post::peer(self.sessions[index], cause, hop, &mut self.random, self.now);
                let others = self.owners.len() - 1;
                let peer = (index + 1 + self.random.below(others)) % self.owners.len();
                self.owners[peer].mailbox.push_back(Input::Send(message));
            }
        }
    }

    /// Makes durable what was appended, and lets those who waited for it act.
    fn sync(&mut self) -> Check {
        let mut touched = BTreeSet::new();
        for record in self.log.sync() {
            if let Some(id) = session::from_stream(&record.stream) {
                self.ledger.observe(id, &record.event)?;
                touched.insert(id);
            }
        }
        for id in self.accepted_elsewhere.drain(..) {
            self.ledger.acknowledge(id);
        }
        for owner in &mut self.owners {
            if let Stage::Appended(effects) = &mut owner.stage {
                owner.effects.extend(effects.drain(..));
                owner.stage = Stage::Free;
                owner.mailbox.pop_front();
                check_memory(owner, &self.log)?;
            }
            if touched.contains(&owner.session.id) {
                if owner.version != self.log.version(&session::stream(owner.session.id)) {
                    owner.reload(&self.log);
                }
                self.ledger.check(&owner.session)?;
            }
        }
        Ok(())
    }

    fn person(&mut self) {
        let index = self.random.below(self.owners.len());
        let owner = &mut self.owners[index];
        let input = post::person(&owner.session, self.temper, &mut self.random, self.now);
        if let Input::Send(incoming) = &input {
            self.causes.insert(incoming.cause);
        }
        owner.mailbox.push_back(input);
    }

    /// Lets another daemon write to a session that it does not own: it accepts, the owner picks it up.
    fn rival(&mut self) {
        let index = self.random.below(self.owners.len());
        let id = self.sessions[index];
        let message = post::human(&mut self.random, self.now);
        let (delivery, cause) = (message.delivery, message.cause);
        let other = Owner::load(id, &self.log, false);
        let mut draft = Draft::new(other.session, self.now);
        if session::accept(&mut draft, message.clone(), false).is_ok() {
            let opened = cause::Event::Opened { by: message.origin, session: id, delivery };
            let batch = [
                Append { stream: cause::stream(cause), version: 0, events: vec![codec::encode(&opened)] },
                Append {
                    stream: session::stream(id),
                    version: other.version,
                    events: draft.events.iter().map(codec::encode).collect(),
                },
            ];
            self.log.append(&batch, self.now).expect("nobody writes in between");
            self.causes.insert(cause);
            self.accepted_elsewhere.push(delivery);
            self.owners[index].mailbox.push_back(Input::Continue);
        }
    }

    fn stop_cause(&mut self) {
        let causes: Vec<CauseId> = self.causes.iter().copied().collect();
        if let Some(id) = self.random.pick(&causes) {
            let stream = cause::stream(id);
            let version = self.log.version(&stream);
            let events = vec![codec::encode(&cause::Event::Stopped {})];
            self.log
                .append(&[Append { stream, version, events }], self.now)
                .expect("nobody writes in between");
        }
    }

    /// Ends the daemon without a word and starts it again. It may die once more while it starts.
    fn crash(&mut self) -> Check {
        self.report.crashes += 1;
        self.log.crash();
        self.log.check_replay()?;
        self.ledger.check_acknowledged()?;
        self.accepted_elsewhere.clear();
        self.harnesses.iter_mut().for_each(|harness| *harness = None);
        for index in 0..self.owners.len() {
            let can_steer = self.owners[index].can_steer;
            self.owners[index] = Owner::load(self.sessions[index], &self.log, can_steer);
            self.ledger.check(&self.owners[index].session)?;
        }
        for index in 0..self.owners.len() {
            if self.random.percent(1) {
                return self.crash();
            }
            if self.fault != Some(Fault::SkipReconciliation) {
                self.reconcile(index)?;
            }
        }
        for owner in &mut self.owners {
            if owner.session.condition.status.is_busy() {
                return Err(format!("{} shows a turn that died with the daemon", owner.session.id));
            }
            owner.mailbox.push_back(Input::Continue);
        }
        Ok(())
    }

    fn reconcile(&mut self, index: usize) -> Check {
        let owner = &mut self.owners[index];
        let mut draft = Draft::new(owner.session.clone(), self.now);
        session::end(&mut draft, session::Ending::of(Outcome::Interrupted, Source::Restart));
        if draft.events.is_empty() {
            return Ok(());
        }
        let append = Append {
            stream: session::stream(owner.session.id),
            version: owner.version,
            events: draft.events.iter().map(codec::encode).collect(),
        };
        self.log.append(&[append], self.now).expect("boot has the log for itself");
        owner.reload(&self.log);
        self.sync()
    }

    /// Lets some time pass, or none.
    fn tick(&mut self) {
        self.report.steps += 1;
        self.now = Timestamp::from_millis(self.now.as_millis() + self.random.below(3) as i64);
    }
}

/// Checks that an owner's memory is what the log comes to.
fn check_memory(owner: &Owner, log: &Log) -> Check {
    let stream = session::stream(owner.session.id);
    let head = SessionHead::Session(Box::new(owner.session.clone()));
    let memory = serde_json::to_vec(&head).map_err(|error| error.to_string())?;
    // Somebody else may have written since: then the owner reads before it decides again.
    if owner.version == log.version(&stream) && log.head(&stream) != Some(&memory) {
        return Err(format!("I5: the owner of {stream} remembers something else than the log"));
    }
    Ok(())
}

fn created(session: SessionId) -> Created {
    Created::plain(session, Actor::Human("cli".into()), "scripted", "/")
}
