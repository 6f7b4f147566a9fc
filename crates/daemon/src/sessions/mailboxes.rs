//! The mailboxes of the sessions that are awake. What lies in one is read: none is closed between the moment when it was
//! found open and the moment when something is in it.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_core::id::SessionId;
use tokio::sync::mpsc;

use super::Command;

/// Commands that may wait for an actor's attention.
const CAPACITY: usize = 256;

/// The way to every session that is awake. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Mailboxes(Arc<Mutex<HashMap<SessionId, mpsc::Sender<Command>>>>);

impl Mailboxes {
    /// Returns the mailbox of a session, if it is awake.
    pub(super) fn find(&self, id: SessionId) -> Option<mpsc::Sender<Command>> {
        self.0.lock().get(&id).filter(|mailbox| !mailbox.is_closed()).cloned()
    }

    /// Returns the mailboxes of all sessions that are awake.
    pub(super) fn all(&self) -> Vec<mpsc::Sender<Command>> {
        self.0.lock().values().cloned().collect()
    }

    /// Returns the mailbox of a session, and its other end if it was opened just now: the caller has to read it.
    pub(super) fn open(&self, id: SessionId) -> (mpsc::Sender<Command>, Option<mpsc::Receiver<Command>>) {
        let mut mailboxes = self.0.lock();
        if let Some(mailbox) = mailboxes.get(&id).filter(|mailbox| !mailbox.is_closed()) {
            return (mailbox.clone(), None);
        }
        let (mailbox, commands) = mpsc::channel(CAPACITY);
        mailboxes.insert(id, mailbox.clone());
        (mailbox, Some(commands))
    }

    /// Puts a command into a mailbox as soon as there is a place. Gives it back when the mailbox is closed.
    pub(super) async fn put(
        &self,
        mailbox: &mpsc::Sender<Command>,
        command: Command,
    ) -> Result<(), Box<Command>> {
        let Ok(place) = mailbox.reserve().await else { return Err(Box::new(command)) };
        // It is closed under the same lock.
        let _mailboxes = self.0.lock();
        if mailbox.is_closed() {
            return Err(Box::new(command));
        }
        place.send(command);
        Ok(())
    }

    /// Closes a mailbox, unless something is in it or about to be.
    pub(super) fn close(&self, id: SessionId, commands: &mut mpsc::Receiver<Command>) -> bool {
        let mut mailboxes = self.0.lock();
        // A place that is taken from here on is given up again: who has it finds the mailbox closed.
        if commands.capacity() < commands.max_capacity() {
            return false;
        }
        commands.close();
        mailboxes.remove(&id);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use futures_util::FutureExt;

    use super::*;
    use crate::mint;

    /// The moment that matters: a place is taken after the look whether one is, and before the mailbox is closed.
    #[test]
    fn what_comes_as_a_mailbox_is_closed_is_given_back() {
        let (mailboxes, id) = (Mailboxes::default(), mint::session());
        let (mailbox, commands) = mailboxes.open(id);
        let mut commands = commands.expect("a new mailbox");
        let outcome = thread::scope(|scope| {
            let closing = mailboxes.0.lock();
            let putting = scope.spawn(|| mailboxes.put(&mailbox, Command::TellWatchers).now_or_never());
            while commands.capacity() == commands.max_capacity() {
                thread::yield_now();
            }
            commands.close();
            drop(closing);
            putting.join().expect("an outcome")
        });
        assert!(outcome.expect("a place").is_err());
        assert!(commands.try_recv().is_err());
    }

    #[test]
    fn a_mailbox_with_something_in_it_or_on_its_way_stays_open() {
        let (mailboxes, id) = (Mailboxes::default(), mint::session());
        let (mailbox, commands) = mailboxes.open(id);
        let mut commands = commands.expect("a new mailbox");
        let place = mailbox.try_reserve().expect("a place");
        assert!(!mailboxes.close(id, &mut commands));
        drop(place);
        let put = mailboxes.put(&mailbox, Command::TellWatchers).now_or_never();
        assert!(put.expect("a place").is_ok() && !mailboxes.close(id, &mut commands));
        assert!(commands.try_recv().is_ok());
        assert!(mailboxes.close(id, &mut commands) && mailboxes.find(id).is_none());
    }
}
