//! Ids, one type for each kind of thing, so that one is never taken for another. On the wire they are strings.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use paseo_core::actor::Actor;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{SchemaFormat, Type};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What the text of an id looks like, for its schema.
enum Form {
    Uuid,
    Pattern(&'static str),
    Free,
}

/// Returns the schema of an id.
fn schema(about: &[&str], form: &Form) -> RefOr<Schema> {
    let about = about.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
    let id = ObjectBuilder::new().schema_type(Type::String).description(Some(about));
    match form {
        Form::Uuid => id.format(Some(SchemaFormat::Custom("uuid".to_owned()))).into(),
        Form::Pattern(pattern) => id.pattern(Some(*pattern)).into(),
        Form::Free => id.into(),
    }
}

macro_rules! id {
    ($(#[doc = $about:literal])+ $name:ident: $form:expr) => {
        $(#[doc = $about])+
        #[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                schema(&[$($about),+], &$form)
            }
        }

        impl ToSchema for $name {}

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
    ($($(#[doc = $about:literal])+ $name:ident),+ $(,)?) => {$(
        id!($(#[doc = $about])+ $name: Form::Uuid);

        impl From<paseo_core::id::$name> for $name {
            fn from(id: paseo_core::id::$name) -> Self {
                Self(id.to_string())
            }
        }
    )+};
}

made!(
    /// The id of an agent.
    SessionId,
    /// The id of a turn.
    TurnId,
    /// The id of an item of a transcript.
    ItemId,
    /// The id of a delivery: of one message on its way to an agent.
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

/// What people may call teams and their agents.
const NAME: &str = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$";

id!(
    /// The name of a team, which is its id.
    TeamId: Form::Pattern(NAME)
);
id!(
    /// The id of an agent in its team. People who act in a team have the id `user`.
    MemberId: Form::Pattern(NAME)
);
id!(
    /// The id of a task, unique in its team.
    TaskId: Form::Pattern("^task-[0-9]{4,}$")
);
id!(
    /// The id of a thread in its team, as `thread-0001`.
    TeamThreadId: Form::Pattern("^thread-([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000|[1-9][0-9]{4,8})$")
);
id!(
    /// The id of a participant in a thread. People have the id `user`.
    ParticipantId: Form::Free
);
id!(
    /// Whom a message of a thread names: `all`, `user`, a participant, or a name that no participant has.
    Addressee: Form::Free
);
id!(
    /// The author of something: an actor, or a participant of a thread.
    Speaker: Form::Free
);
id!(
    /// The id of an API key in the configuration.
    ApiKeyId: Form::Free
);
id!(
    /// The id that a harness gave a tool call.
    CallId: Form::Free
);
id!(
    /// The hash of a permission request: of exactly what is requested.
    RequestHash: Form::Pattern("^[0-9a-f]{64}$")
);
id!(
    /// The id of a message in the teamd protocol.
    TeamdMessageId: Form::Pattern("^msg-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
);
id!(
    /// The id of an event in an inbox of the teamd protocol.
    TeamdEventId: Form::Pattern("^inbox-[0-9]{8,}(-[0-9]+)?$")
);
id!(
    /// An actor: `human:DEVICE`, `session:ID`, `seat:PARTICIPANT`, `agent:ID` or `daemon`.
    ActorName: Form::Free
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

impl From<paseo_core::team::ThreadAlias> for TeamThreadId {
    fn from(id: paseo_core::team::ThreadAlias) -> Self {
        Self(id.to_string())
    }
}

impl From<&Actor> for ActorName {
    fn from(actor: &Actor) -> Self {
        Self(actor.to_string())
    }
}

impl From<Actor> for ActorName {
    fn from(actor: Actor) -> Self {
        Self(actor.to_string())
    }
}
