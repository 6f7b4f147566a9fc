//! Identifiers. They are made at the edge, from randomness that is passed in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The text was not a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a UUID")]
pub struct Malformed(pub String);

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that already is one of these.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// Returns the UUID inside.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = Malformed;

            fn from_str(text: &str) -> Result<Self, Malformed> {
                Uuid::try_parse(text).map(Self).map_err(|_| Malformed(text.to_owned()))
            }
        }
    };
}

/// A version 4 id: any prefix is as random as the whole, which handles rely on.
macro_rules! random_id {
    ($(#[$doc:meta])* $name:ident) => {
        id!($(#[$doc])* $name);

        impl $name {
            /// Makes an id from 16 random bytes.
            pub fn from_random(bytes: [u8; 16]) -> Self {
                Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
            }
        }
    };
}

/// A version 7 id: it sorts by the time it was made.
macro_rules! ordered_id {
    ($(#[$doc:meta])* $name:ident) => {
        id!($(#[$doc])* $name);

        impl $name {
            /// Makes an id from a time and 10 random bytes.
            pub fn from_parts(now: crate::time::Timestamp, random: [u8; 10]) -> Self {
                let millis = u64::try_from(now.as_millis()).unwrap_or(0);
                Self(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
            }

            /// Returns when it was made.
            pub fn made_at(self) -> crate::time::Timestamp {
                let [a, b, c, d, e, f, ..] = *self.0.as_bytes();
                crate::time::Timestamp::from_millis(i64::from_be_bytes([0, 0, a, b, c, d, e, f]))
            }
        }
    };
}

random_id!(
    /// A session: one running or resumable conversation with one agent.
    SessionId
);
ordered_id!(
    /// A turn: one run of a session, from messages to an answer.
    TurnId
);
ordered_id!(
    /// An item: one thing in a transcript.
    ItemId
);
ordered_id!(
    /// A delivery: a message on its way into a session.
    DeliveryId
);
ordered_id!(
    /// A thread: a shared conversation of several participants.
    ThreadId
);
ordered_id!(
    /// Something that was said or changed in a thread.
    PostId
);
ordered_id!(
    /// A cause: the human request that work descends from.
    CauseId
);
ordered_id!(
    /// A piece of conversation text, stored apart from the events.
    ContentId
);
ordered_id!(
    /// A file that is attached to a message.
    FileId
);
ordered_id!(
    /// A credential made on purpose.
    TokenId
);
ordered_id!(
    /// A standing permission rule.
    RuleId
);
ordered_id!(
    /// A watch: a recipient to be notified of an outcome.
    WatchId
);
ordered_id!(
    /// A browser that is logged in.
    DeviceId
);
