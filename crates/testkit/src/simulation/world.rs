//! The world of a run: sessions with their owners, harnesses, one log, and a scheduler that plays dice.

use std::collections::BTreeSet;

use paseo_core::actor::Actor;
use paseo_core::id::{CauseId, DeliveryId, SessionId, WatchId};
use paseo_core::session::{Created, Event};
use paseo_core::time::Timestamp;
use paseo_core::tool::{Ceiling, Plugin};

use super::definitions::{self, Definitions};
use super::harness::{Act, Harness, Temper};
use super::ledger::{Check, Ledger};
use super::log::{Append, Log, Stream};
use super::owner::{Desk, Effect, Input, Owner, Stage};
use super::random::Random;
use super::waits::Wait;
use super::{Fault, Report, Seed, post};

pub(super) struct World {
    pub(super) random: Random,
    pub(super) now: Timestamp,
    pub(super) log: Log,
    pub(super) ledger: Ledger,
    pub(super) sessions: Vec<SessionId>,
    pub(super) owners: Vec<Owner>,
    pub(super) harnesses: Vec<Option<Harness>>,
    pub(super) causes: BTreeSet<CauseId>,
    pub(super) definitions: Definitions,
    /// Calls that wait.
    pub(super) waits: Vec<Wait>,
    /// Sessions that are being closed, with all below them.
    pub(super) closing: BTreeSet<SessionId>,
    /// Messages that another daemon accepted and has not acknowledged yet.
    pub(super) accepted_elsewhere: Vec<DeliveryId>,
    pub(super) temper: Temper,
    pub(super) fault: Option<Fault>,
    pub(super) report: Report,
    /// Replays are checked byte by byte, too.
    thorough: bool,
}

impl World {
    pub(super) fn new(seed: Seed, fault: Option<Fault>) -> Self {
        let mut random = Random::new(seed);
        let now = Timestamp::from_millis(1_700_000_000_000);
        // Loud runs spend what a cause has. Most are small, so that the same sessions meet again and again.
        let temper = match random.below(100) {
            0..=1 => Temper::Loud,
            2..=3 => Temper::Fertile,
            _ => Temper::Moody,
        };
        let small = temper != Temper::Moody && random.percent(95);
        let sessions = if small { 3 } else { 3 + random.below(10) };
        let sessions: Vec<SessionId> =
            (0..sessions).map(|_| SessionId::from_random(random.bytes())).collect();
        let definitions = Definitions::new(&mut random);
        let mut log = Log::default();
        log.forgets_keys = fault == Some(Fault::TellTwice);
        let mut ledger = Ledger::default();
        for id in &sessions {
            let event = Event::Created(Box::new(root(*id, &definitions, &mut random)));
            log.append(vec![Append::session(*id, 0, vec![event])], None, now).expect("the log is empty");
        }
        for record in log.sync() {
            ledger.observe(&record).expect("nothing happened yet");
        }
        let owners: Vec<Owner> =
            sessions.iter().map(|id| Owner::load(*id, &log, random.percent(70))).collect();
        Self {
            harnesses: sessions.iter().map(|_| None).collect(),
            temper,
            random,
            now,
            log,
            ledger,
            sessions,
            owners,
            causes: BTreeSet::new(),
            definitions,
            waits: Vec::new(),
            closing: BTreeSet::new(),
            accepted_elsewhere: Vec::new(),
            fault,
            report: Report::default(),
            thorough: seed.0.is_multiple_of(8),
        }
    }

    /// Returns how many times longer than usual people stay: where everybody talks, until what a cause has is spent.
    pub(super) fn patience(&self) -> usize {
        match self.temper {
            Temper::Loud => 10,
            Temper::Moody | Temper::Fertile => 1,
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
            15 => return self.misfortune(),
            _ => return self.work().map(drop),
        }
        Ok(())
    }

    /// Lets everything come to rest without another word of a person. No wait needs its time to run out for that.
    pub(super) fn settle(&mut self) -> Check {
        const STEPS_PER_TURN: usize = 120;
        let before = self.ledger.messages.turns();
        let turns = self.ledger.messages.turns_left(self.causes.len());
        let mut steps = (turns + 10) * STEPS_PER_TURN;
        loop {
            self.tick();
            if !self.work()? {
                break;
            }
            steps -= 1;
            let turns_of_rest = self.ledger.messages.turns() - before;
            if steps == 0 || turns_of_rest > turns {
                return Err(format!("no rest after {turns_of_rest} turns without a word of a person"));
            }
        }
        self.check_replay()?;
        for owner in &mut self.owners {
            owner.reload(&self.log);
        }
        self.ledger.check_rest(self.owners.iter().map(|owner| &owner.session))?;
        self.report.turns = self.ledger.messages.turns();
        self.report.repeats = self.ledger.messages.repeats();
        self.report.unpaid = self.ledger.messages.unpaid();
        self.report.waits = self.ledger.news.waited();
        self.report.news = self.ledger.news.told();
        Ok(())
    }

    pub(super) fn check_replay(&self) -> Check {
        self.log.check_replay()?;
        if self.thorough { self.log.check_bytes() } else { Ok(()) }
    }

    /// Does one thing that needs no person. Says whether there was any.
    fn work(&mut self) -> Result<bool, String> {
        let owners: Vec<usize> = (0..self.owners.len()).filter(|i| self.owners[*i].has_work()).collect();
        let ready = |harness: &Option<Harness>| harness.as_ref().is_some_and(Harness::is_ready);
        let harnesses: Vec<usize> = (0..self.owners.len()).filter(|i| ready(&self.harnesses[*i])).collect();
        let waits = self.waits_over();
        let closings = self.closings_due();
        let candidates = [
            !owners.is_empty(),
            !harnesses.is_empty(),
            self.log.is_volatile(),
            !waits.is_empty(),
            !closings.is_empty(),
        ];
        let possible: Vec<usize> = (0..candidates.len()).filter(|i| candidates[*i]).collect();
        match self.random.pick(&possible) {
            None => return Ok(false),
            Some(0) => {
                let owner = owners[self.random.below(owners.len())];
                self.owner(owner)?;
            }
            Some(1) => {
                let harness = harnesses[self.random.below(harnesses.len())];
                self.harness(harness)?;
            }
            Some(2) => self.sync()?,
            Some(3) => {
                let (wait, end) = waits[self.random.below(waits.len())];
                self.end_wait(wait, end)?;
            }
            Some(_) => {
                let owner = closings[self.random.below(closings.len())];
                self.owners[owner].mailbox.push_back(Input::Close);
            }
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
                if self.has_left_somebody_behind(index) {
                    // The plan is made anew.
                    self.owners[index].mailbox.pop_front();
                    return Ok(());
                }
                if self.log.append(decision.appends, decision.key, decision.at).is_err() {
                    self.report.conflicts += 1;
                    return Ok(());
                }
                let owner = &mut self.owners[index];
                owner.version = self.log.version(Stream::Session(owner.session.id));
                owner.session = decision.session;
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
        let (now, fault, waited) = (self.now, self.fault, self.waited());
        let owner = &mut self.owners[index];
        if owner.version != self.log.version(Stream::Session(owner.session.id)) {
            owner.reload(&self.log);
        }
        let Some(input) = owner.mailbox.front().cloned() else { return };
        let mut desk = Desk { log: &self.log, now, random: &mut self.random, fault, waited };
        let decision = owner.decide(&input, &mut desk);
        if let (Some(Fault::AcknowledgeEarly), Input::Send(mail)) = (self.fault, &input)
            && decision.effects.iter().any(|effect| matches!(effect, Effect::Acknowledge(_)))
        {
            self.ledger.acknowledge(mail.incoming.delivery);
        }
        if decision.appends.is_empty() {
            owner.effects.extend(decision.effects);
            owner.mailbox.pop_front();
        } else {
            owner.stage = Stage::Decided(Box::new(decision));
        }
    }

    fn perform(&mut self, index: usize, effect: Effect) -> Check {
        let owner = &mut self.owners[index];
        let id = owner.session.id;
        match effect {
            Effect::Acknowledge(delivery) => self.ledger.acknowledge(delivery),
            Effect::Hand(turn) => {
                let Some(turn) = owner.session.turn.as_ref().filter(|running| running.id == turn) else {
                    return Ok(());
                };
                for pending in &turn.deliveries {
                    self.ledger.messages.send(pending.id, pending.repeat)?;
                }
                let words = match self.temper {
                    Temper::Moody => self.random.below(3),
                    Temper::Loud => 1,
                    Temper::Fertile => 4,
                };
                let grants = self.definitions.grants(&owner.session);
                let specs = grants.specs().iter().filter(|spec| spec.plugin != Plugin::Ui);
                let given: Vec<&str> = specs.map(|spec| spec.name).collect();
                self.ledger.grant(id, &given)?;
                self.harnesses[index] = Some(Harness::start(turn, grants, words, self.temper));
            }
            Effect::Steer(delivery) => {
                let steering = owner.session.turn.as_ref().into_iter().flat_map(|turn| &turn.steering);
                let pending = steering.into_iter().find(|pending| pending.id == delivery);
                if let (Some(pending), Some(harness)) = (pending, &mut self.harnesses[index]) {
                    self.ledger.messages.send(delivery, pending.repeat)?;
                    harness.steer(delivery);
                }
            }
            Effect::Interrupt => {
                if let Some(harness) = &mut self.harnesses[index] {
                    harness.interrupt();
                }
            }
            Effect::Kill => return self.lose_harness(index),
            Effect::Words(watch, words) => return self.hand_words(index, watch, words.as_ref()),
            Effect::Sent(watch) => {
                let wait = self.waits.iter_mut().find(|wait| wait.watch == watch);
                wait.into_iter().for_each(|wait| wait.armed = true);
            }
            Effect::Unsent(watch) => return self.refuse_wait(watch),
            Effect::Tell(notice) => {
                // Who waits is told by the end of the wait.
                let waited = self.waits.iter().map(|wait| wait.watch).collect();
                let Some(notice) = owner.ready(notice, &waited) else { return Ok(()) };
                if !owner.telling.insert(notice.id) {
                    return Ok(());
                }
                if self.fault == Some(Fault::DisarmFirst) {
                    owner.mailbox.push_back(Input::Noticed(notice.id));
                }
                let news = post::news(&notice, id, &mut self.random, self.now);
                let watcher = self.position(notice.watcher).expect("sessions are never deleted here");
                self.owners[watcher].mailbox.push_back(Input::Send(news));
            }
            Effect::Told(news) => self.end_notice(news.from, news.notice),
            Effect::Untold(news) => {
                self.ledger.news.untell(news.notice);
                self.end_notice(news.from, news.notice);
            }
        }
        Ok(())
    }

    fn harness(&mut self, index: usize) -> Check {
        let Some(harness) = &mut self.harnesses[index] else { return Ok(()) };
        let act = harness.act(&mut self.random, &mut self.ledger.messages);
        self.act(index, act)
    }

    pub(super) fn act(&mut self, index: usize, act: Act) -> Check {
        match act {
            Act::Nothing => {}
            Act::Tell(input) => self.owners[index].mailbox.push_back(input),
            Act::Finish(input) => {
                self.lose_harness(index)?;
                self.owners[index].mailbox.push_back(input);
            }
            Act::Speak => return self.speak(index),
        }
        Ok(())
    }

    /// Makes durable what was appended, and lets those who waited for it act.
    pub(super) fn sync(&mut self) -> Check {
        let mut touched = BTreeSet::new();
        for record in self.log.sync() {
            self.ledger.observe(&record)?;
            if let Stream::Session(id) = record.stream {
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
                if owner.version != self.log.version(Stream::Session(owner.session.id)) {
                    owner.reload(&self.log);
                }
                self.ledger.messages.check(&owner.session)?;
            }
        }
        Ok(())
    }

    pub(super) fn position(&self, id: SessionId) -> Option<usize> {
        self.sessions.iter().position(|known| *known == id)
    }

    fn end_notice(&mut self, session: SessionId, notice: WatchId) {
        let index = self.position(session).expect("sessions are never deleted here");
        self.owners[index].mailbox.push_back(Input::Noticed(notice));
    }

    /// Lets some time pass, or none, or much.
    fn tick(&mut self) {
        self.report.steps += 1;
        // Who starts agents all the time comes to the other limits only when the minutes pass.
        let seldom = if self.temper == Temper::Fertile { 20 } else { 200 };
        let millis = if self.random.below(seldom) == 0 { 70_000 } else { 3 };
        self.now = Timestamp::from_millis(self.now.as_millis() + self.random.below(millis) as i64);
    }
}

/// Checks that an owner's memory is what the log comes to.
fn check_memory(owner: &Owner, log: &Log) -> Check {
    let id = owner.session.id;
    // Somebody else may have written since: then the owner reads before it decides again.
    let is_newest = owner.version == log.version(Stream::Session(id));
    if is_newest && log.session(id).is_none_or(|session| **session != owner.session) {
        return Err(format!("I5: the owner of {id} remembers something else than the log"));
    }
    Ok(())
}

/// Makes a session as a person would.
fn root(id: SessionId, definitions: &Definitions, random: &mut Random) -> Created {
    let plain = Created::plain(id, Actor::Human("cli".into()), "scripted", "/");
    let definition = definitions.pick(random);
    let chosen = definitions::mode(random);
    Created {
        permissions: chosen.or(definition.permissions).unwrap_or_default(),
        definition: definitions::recorded(definition),
        // Its tools are those of its definition, whatever that says by then.
        ceiling: Some(Ceiling { tools: None, mode: chosen.unwrap_or_default() }),
        ..plain
    }
}
