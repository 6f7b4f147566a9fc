//! Ids, one type for each kind of thing, so that one is never taken for another. On the wire they are strings.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! id {
    ($(#[$attribute:meta])* $name:ident) => {
        #[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        $(#[$attribute])*
        pub struct $name(String);

        impl $name {
            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id)
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl PartialEq<String> for $name {
            fn eq(&self, other: &String) -> bool {
                self.0 == *other
            }
        }

        impl PartialEq<$name> for String {
            fn eq(&self, other: &$name) -> bool {
                *self == other.0
            }
        }
    };
}

/// Ids that the daemon makes: UUIDs.
macro_rules! made {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        id!($(#[$doc])* #[schema(value_type = String, format = "uuid")] $name);

        impl From<paseo_core::id::$name> for $name {
            fn from(id: paseo_core::id::$name) -> Self {
                Self(id.to_string())
            }
        }
    )+};
}

made!(
    /// The id of a session.
    SessionId,
    /// The id of a turn.
    TurnId,
    /// The id of an item of a transcript.
    ItemId,
    /// The id of a delivery: of one message on its way into a session.
    DeliveryId,
    /// The id of a cause: of the human request that work descends from.
    CauseId,
    /// The id of a thread.
    ThreadId,
    /// The id of an event in a thread.
    PostId,
    /// The id of an attached file.
    FileId,
    /// The id of a token.
    TokenId,
    /// The id of a standing permission rule.
    RuleId,
    /// The id of a device.
    DeviceId,
);

id!(
    /// The name of a team, which is its id.
    #[schema(value_type = String)]
    TeamId
);
id!(
    /// The id of a task, unique in its team.
    #[schema(value_type = String)]
    TaskId
);

impl From<&paseo_core::team::TeamId> for TeamId {
    fn from(id: &paseo_core::team::TeamId) -> Self {
        Self(id.to_string())
    }
}

impl From<paseo_core::team::TaskId> for TaskId {
    fn from(id: paseo_core::team::TaskId) -> Self {
        Self(id.to_string())
    }
}
