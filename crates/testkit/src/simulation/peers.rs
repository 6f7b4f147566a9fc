//! What an agent does to others in its turn: it writes, asks and waits, starts agents, and asks to be told.

use paseo_core::actor::Actor;
use paseo_core::family;
use paseo_core::id::{CauseId, SessionId, WatchId};
use paseo_core::session::{self, Class, Created, Draft, Event, Incoming, On, Session, Watch};
use paseo_core::tool::{Ceiling, SUMMON};

use super::causes::Causes;
use super::definitions;
use super::harness::Temper;
use super::ledger::Check;
use super::log::Append;
use super::owner::{Desk, Effect, Input, Mail, Owner, Stage, advance, watch_of};
use super::waits::Wait;
use super::world::World;
use super::{Fault, post};

impl World {
    /// Lets the agent in a turn turn to the others.
    pub(super) fn speak(&mut self, index: usize) -> Check {
        let summons = if self.temper == Temper::Fertile { 70 } else { 20 };
        if self.random.percent(summons) {
            return self.summon(index);
        }
        match self.random.below(100) {
            0..=44 => self.write(index),
            45..=69 => {
                // Some harnesses call several tools at once.
                for _ in 0..=usize::from(self.random.percent(25)) {
                    self.ask(index)?;
                }
            }
            70..=84 => return self.retrieve(index),
            _ => self.watch(index),
        }
        Ok(())
    }

    fn write(&mut self, index: usize) {
        let Some(peer) = self.peer(index) else { return };
        let Some((cause, hop)) = self.descent(index) else { return };
        let incoming = post::peer(self.sessions[index], cause, hop, &mut self.random, self.now);
        let watch = (incoming.class == Class::Message && self.random.percent(30)).then(|| self.watch_id());
        self.owners[peer].mailbox.push_back(Input::Send(Mail { incoming, watch, news: None }));
    }

    /// Sends a message and waits for what becomes of it.
    fn ask(&mut self, index: usize) -> Check {
        let Some(peer) = self.peer(index) else { return Ok(()) };
        let Some((cause, hop)) = self.descent(index) else { return Ok(()) };
        let words = post::words(self.sessions[index], cause, hop, &mut self.random, self.now);
        let watch = self.watch_id();
        let heeds_people = self.random.percent(30);
        if self.begin_wait(Wait { heeds_people, ..Wait::new(watch, index, peer) })? {
            let incoming = Incoming { waited: true, ..words };
            let mail = Mail { incoming, watch: Some(watch), news: None };
            self.owners[peer].mailbox.push_back(Input::Send(mail));
        }
        Ok(())
    }

    /// Waits for one of its own children that it has not heard of.
    fn retrieve(&mut self, index: usize) -> Check {
        let own = self.sessions[index];
        let mut unheard = Vec::new();
        for (child, owner) in self.owners.iter().enumerate() {
            let is_free = |watch: &&Watch| {
                watch.watcher == own
                    && !watch.notice.is_some_and(|notice| owner.telling.contains(&notice))
                    && !owner.answered.contains(&watch.id)
                    && !self.waits.iter().any(|wait| wait.watch == watch.id)
            };
            if owner.session.profile.parent == Some(own) && !owner.is_volatile() {
                unheard.extend(owner.session.watches.iter().filter(is_free).map(|watch| (child, watch.id)));
            }
        }
        if let Some((child, watch)) = self.random.pick(&unheard) {
            let wait = Wait::new(watch, index, child);
            self.begin_wait(Wait { armed: true, heeds_people: true, ..wait })?;
        }
        Ok(())
    }

    /// Asks to be told when a peer has nothing left to do.
    fn watch(&mut self, index: usize) {
        let Some(peer) = self.peer(index) else { return };
        let Some((cause, hop)) = self.descent(index) else { return };
        let class = if self.random.percent(30) { Class::Passive } else { Class::Completion };
        let (id, watcher) = (self.watch_id(), self.sessions[index]);
        let watch =
            Watch { id, watcher, on: On::Idle, cause, hop, class, due: None, request: None, notice: None };
        self.owners[peer].mailbox.push_back(Input::Arm(watch));
    }

    /// Starts an agent, as a child or on its own. All of it is one batch, and nobody else starts one meanwhile.
    fn summon(&mut self, index: usize) -> Check {
        let by = self.sessions[index];
        let Some(harness) = &self.harnesses[index] else { return Ok(()) };
        let (cause, hop, granted) = (harness.cause, harness.hop + 1, harness.grants.has(SUMMON));
        let top_level = self.random.percent(if self.temper == Temper::Fertile { 60 } else { 25 });
        let id = SessionId::from_random(self.random.bytes());
        let Some(created) = self.outfit(by, id, top_level).filter(|_| granted) else {
            self.report.refused_spawns += 1;
            return Ok(());
        };
        let state = self.log.cause(cause);
        let spawned = match state.spawn(by, id, self.now) {
            Ok(event) => event,
            Err(_) if self.fault == Some(Fault::SpawnForFree) => {
                paseo_core::cause::Event::Spawned { by, session: id }
            }
            Err(_) => {
                self.report.refused_spawns += 1;
                return Ok(());
            }
        };
        let watch = (!top_level).then(|| self.watch_id());
        let incoming = post::words(by, cause, hop, &mut self.random, self.now);
        let delivery = incoming.delivery;
        let mail = Mail { incoming, watch, news: None };

        let mut draft = Draft::new(Session::create(created.clone(), self.now), self.now);
        session::accept(&mut draft, mail.incoming.clone(), false).expect("a new session takes a message");
        if let Some(watch) = watch_of(&mail) {
            session::arm(&mut draft, watch).expect("nobody watches a new session");
        }
        let mut effects = vec![Effect::Acknowledge(delivery)];
        effects.extend(watch.map(Effect::Sent));
        let mut causes = Causes::new(&self.log, self.now);
        causes.push(cause, spawned);
        let (now, fault, waited) = (self.now, self.fault, self.waited());
        let mut desk = Desk { log: &self.log, now, random: &mut self.random, fault, waited };
        advance(&mut draft, &mut causes, &mut effects, &mut desk);
        let mut events = vec![Event::Created(Box::new(created))];
        events.append(&mut draft.events);
        let mut batch = causes.appends();
        batch.push(Append::session(id, 0, events));
        self.log.append(batch, None, self.now).expect("nobody writes in between");

        self.report.spawns += 1;
        let mut owner = Owner::load(id, &self.log, self.random.percent(70));
        owner.stage = Stage::Appended(effects);
        owner.mailbox.push_back(Input::Continue);
        self.sessions.push(id);
        self.owners.push(owner);
        self.harnesses.push(None);
        match watch {
            Some(watch) if self.random.percent(40) => {
                let target = self.owners.len() - 1;
                self.begin_wait(Wait::new(watch, index, target)).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Decides what an agent is made from, if it may be made.
    fn outfit(&mut self, by: SessionId, id: SessionId, top_level: bool) -> Option<Created> {
        let parent = self.log.session(by).filter(|session| session.is_open())?.clone();
        if !top_level {
            let above = family::ancestors(by, |of| self.log.session(of)?.profile.parent);
            let root = above.last().copied().unwrap_or(by);
            let admitted = family::admit_child(above.len() + 1, self.below(root).len()).is_ok();
            let guarded = self.fault != Some(Fault::SpawnWhileClosing);
            let closing = guarded && above.iter().chain([&by]).any(|above| self.closing.contains(above));
            if closing || !admitted && self.fault != Some(Fault::IgnoreFamily) {
                return None;
            }
        }
        let definition = self.definitions.pick(&mut self.random);
        let tools = definitions::tools(&mut self.random);
        let ceiling = match self.fault {
            Some(Fault::IgnoreCeiling) => Ceiling::default(),
            _ => self.definitions.ceiling(&parent),
        };
        let outfit = ceiling.outfit(definition, tools.as_deref(), parent.profile.permissions);
        Some(Created {
            permissions: outfit.mode,
            parent: (!top_level).then_some(by),
            definition: definitions::recorded(definition),
            tools: outfit.tools,
            ceiling: Some(outfit.ceiling),
            ..Created::plain(id, Actor::Session(by), "scripted", "/")
        })
    }

    /// Picks somebody else, more often one who is around.
    fn peer(&mut self, index: usize) -> Option<usize> {
        let others = self.owners.len() - 1;
        let mut pick = || (index + 1 + self.random.below(others)) % (others + 1);
        let (first, second) = (pick(), pick());
        Some(if self.owners[first].session.is_open() { first } else { second })
    }

    fn descent(&self, index: usize) -> Option<(CauseId, u32)> {
        self.harnesses[index].as_ref().map(|harness| (harness.cause, harness.hop + 1))
    }

    fn watch_id(&mut self) -> WatchId {
        WatchId::from_parts(self.now, self.random.bytes())
    }
}
