//! A thread as its writer sees it.

use paseo_core::id::ThreadId;
use paseo_core::team;
use paseo_core::thread::{self, Event, Thread};
use paseo_core::time::Timestamp;
use paseo_store::{Expect, StreamAppend, Version};
use paseo_wire::error::Code;

use crate::desk::{self, Subject};
use crate::failure::Failure;
use crate::journal::{self, Journal};

/// What is to happen in a thread.
pub(super) type Change = desk::Change<Event>;

impl Subject for Thread {
    type Id = ThreadId;
    type Event = Event;

    fn stream(id: &ThreadId) -> String {
        thread::stream(*id)
    }

    async fn read(journal: &Journal, id: &ThreadId) -> Result<Option<(Self, Version)>, Failure> {
        journal.thread(*id).await
    }

    fn take_in(&mut self, event: &Event, at: Timestamp) {
        self.apply(event, at);
    }

    fn unknown(id: &ThreadId) -> Failure {
        Failure::new(Code::NotFound, format!("thread `{id}` not found")).hint("run `paseo thread ls`")
    }

    /// What is said in a thread of a team is in the inboxes of those who take part in it.
    fn echoes(&self, events: &[Event]) -> Vec<StreamAppend> {
        let Some(team) = &self.team else { return Vec::new() };
        let said: Vec<team::Event> = events
            .iter()
            .filter_map(|event| match event {
                Event::Posted(posted) => {
                    let (post, text, from) = (posted.post, posted.text.clone(), posted.from.clone());
                    Some(team::Event::ThreadPosted { thread: self.id, post, text, from })
                }
                _ => None,
            })
            .collect();
        if said.is_empty() { Vec::new() } else { vec![journal::part(team::stream(team), Expect::Any, &said)] }
    }
}
