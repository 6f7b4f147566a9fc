//! What people do, here and through other daemons, and what a crash leaves to be done.

use paseo_core::cause;
use paseo_core::id::CauseId;
use paseo_core::session::{self, Draft, Outcome, Source};

use super::ledger::Check;
use super::log::{Append, Stream};
use super::owner::{Input, Owner, Rearrangement};
use super::world::World;
use super::{Fault, post};

impl World {
    pub(super) fn person(&mut self) {
        let index = self.random.below(self.owners.len());
        let owner = &mut self.owners[index];
        match post::person(&owner.session, self.temper, &mut self.random, self.now) {
            // With everybody below it.
            Input::Close => drop(self.closing.insert(self.sessions[index])),
            input => {
                match &input {
                    Input::Send(mail) => drop(self.causes.insert(mail.incoming.cause)),
                    Input::Rearrange(_, Rearrangement::Release(cause)) => drop(self.causes.insert(*cause)),
                    _ => {}
                }
                owner.mailbox.push_back(input);
            }
        }
    }

    /// Lets another daemon write to a session that it does not own: it accepts, the owner picks it up.
    pub(super) fn rival(&mut self) {
        let index = self.random.below(self.owners.len());
        let id = self.sessions[index];
        let message = post::human(&mut self.random, self.now);
        let (delivery, cause) = (message.delivery, message.cause);
        let other = Owner::load(id, &self.log, false);
        let mut draft = Draft::new(other.session, self.now);
        if session::accept(&mut draft, message.clone(), false).is_ok() {
            let opened = cause::Event::Opened { by: message.origin, session: id, delivery };
            let batch =
                vec![Append::cause(cause, 0, vec![opened]), Append::session(id, other.version, draft.events)];
            self.log.append(batch, None, self.now).expect("nobody writes in between");
            self.causes.insert(cause);
            self.accepted_elsewhere.push(delivery);
            self.owners[index].mailbox.push_back(Input::Continue);
        }
    }

    pub(super) fn stop_cause(&mut self) {
        let causes: Vec<CauseId> = self.causes.iter().copied().collect();
        if let Some(id) = self.random.pick(&causes) {
            let version = self.log.version(Stream::Cause(id));
            let append = Append::cause(id, version, vec![cause::Event::Stopped {}]);
            self.log.append(vec![append], None, self.now).expect("nobody writes in between");
            for owner in &mut self.owners {
                owner.mailbox.push_back(Input::StopCause(id));
            }
        }
    }

    /// Ends the daemon without a word and starts it again. It may die once more while it starts.
    pub(super) fn crash(&mut self) -> Check {
        self.report.crashes += 1;
        self.log.crash();
        self.log.check_replay()?;
        self.ledger.crash()?;
        self.accepted_elsewhere.clear();
        self.waits.clear();
        self.closing.clear();
        // Sessions that were not durable yet never were.
        let (log, sessions) = (&self.log, &mut self.sessions);
        sessions.retain(|id| log.session(*id).is_some());
        self.owners.truncate(self.sessions.len());
        self.harnesses.truncate(self.sessions.len());
        self.harnesses.iter_mut().for_each(|harness| *harness = None);
        for index in 0..self.owners.len() {
            let can_steer = self.owners[index].can_steer;
            self.owners[index] = Owner::load(self.sessions[index], &self.log, can_steer);
            self.ledger.messages.check(&self.owners[index].session)?;
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
        let append = Append::session(owner.session.id, owner.version, draft.events);
        self.log.append(vec![append], None, self.now).expect("boot has the log for itself");
        owner.reload(&self.log);
        self.sync()
    }
}
