//! How far people have read a thread, and what stands in lists of threads.

use serde::{Deserialize, Serialize};

use super::{Event, Posted, Thread, USER};
use crate::content::ContentRef;
use crate::id::PostId;
use crate::time::Timestamp;

/// The newest message of a thread, for lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Last {
    pub post: PostId,
    pub from: String,
    pub text: ContentRef,
    pub at: Timestamp,
}

/// Why a look is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`messages` is {given}, but the thread has {known}")]
pub struct Unseen {
    pub given: u64,
    pub known: u64,
}

/// Decides on a look at the first `upto` messages; without a number, at all of them. `None` if they were looked at before.
pub fn look(thread: &Thread, upto: Option<u64>) -> Result<Option<Event>, Unseen> {
    let known = thread.messages;
    let messages = match upto {
        Some(given) if given > known => return Err(Unseen { given, known }),
        upto => upto.unwrap_or(known),
    };
    Ok((messages > thread.looked).then_some(Event::Looked { messages }))
}

impl Thread {
    /// Returns how many messages no person has looked at.
    pub fn unread(&self) -> u64 {
        self.messages.saturating_sub(self.looked)
    }

    /// Takes in a message.
    pub(super) fn said(&mut self, posted: &Posted, at: Timestamp) {
        self.messages += 1;
        self.last =
            Some(Last { post: posted.post, from: posted.from.clone(), text: posted.text.clone(), at });
        // An author has read the thread.
        if posted.from == USER {
            self.looked = self.messages;
        }
    }

    /// Takes in that people have looked. A number of another life of the log is cut to what there is.
    pub(super) fn looked_at(&mut self, messages: u64) {
        self.looked = self.looked.max(messages.min(self.messages));
    }
}
