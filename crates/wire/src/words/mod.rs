//! Closed sets of words: enums with the words of the API.
//!
//! A daemon may be newer than its client. So reading takes any word: one that this version does not know is
//! [`Other`](Status::Other), and is written again as it came. The schemas list the known ones.

/// Makes an enum of the words for something; `from` maps a type of the core whose variants have the same names.
macro_rules! words {
    (
        $(#[doc = $about:literal])+
        $name:ident from $core:ty {
            $($(#[doc = $means:literal])* $variant:ident = $word:literal,)+
        }
    ) => {
        words! {
            $(#[doc = $about])+
            $name {
                $($(#[doc = $means])* $variant = $word,)+
            }
        }

        impl From<$core> for $name {
            fn from(core: $core) -> Self {
                type Core = $core;
                match core {
                    $(Core::$variant => Self::$variant,)+
                }
            }
        }
    };
    (
        $(#[doc = $about:literal])+
        $name:ident {
            $($(#[doc = $means:literal])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[doc = $means])* $variant,)+
            /// A word of a newer version.
            Other(Box<str>),
        }

        impl $name {
            /// The words that this version knows.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Returns the word.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => Self::Other(other.into()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Ok(Self::from(word.as_ref()))
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                crate::words::schema(&[$($about),+], Self::WORDS)
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

/// Returns the schema of a set of words.
fn schema(about: &[&str], words: &[&str]) -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
    let about = about.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
    utoipa::openapi::ObjectBuilder::new()
        .schema_type(utoipa::openapi::schema::Type::String)
        .description(Some(about))
        .enum_values(Some(words.iter().copied()))
        .into()
}

// Behind the macro that they use.
mod bridge;
mod daemon;
mod definition;
mod error;
mod file;
mod item;
mod provider;
mod search;
mod session;
mod team;
mod teamd;
mod terminal;

pub use bridge::{BridgeEventKind, BridgePostKind, BridgeServer, BridgeVersion, PostedVia};
pub use daemon::{HealthStatus, PushButton, SettingKey, Verdict};
pub use definition::{
    AgentColor, DefinitionKind, Exposure, FileChange, Layer, PendingChange, Severity, Trust,
};
pub use error::Code;
pub use file::{BinaryKind, FileKind, PreviewKind};
pub use item::{
    AttachmentKind, CheckDecision, Decision, DelegationState, FieldFormat, FieldKind, ItemKind, LiveKind,
    MediaType, PermissionMode, TodoPriority, TodoStatus, ToolClass, ToolOutcome,
};
pub use provider::{Lifetime, ModelSource, Power, Preset, ProviderReason, Readiness, ToolPlugin};
pub use search::{SearchIn, SearchKind};
pub use session::{
    AbandonReason, AnswerVerdict, CheckState, Ending, GitOperation, HeldReason, Hold, InboxNeed, Placement,
    PlacementReason, QueuePosition, SessionField, Stage, Status, StatusSource, TracedStatus, TurnOutcome,
    UsageBy, Verb,
};
pub use team::{
    Guard, MuteMode, NotWokenReason, NoticeKind, NoticeReason, PresenceState, SilencedReason, TaskStatus,
    TeamRole, ThreadEventKind, WriteReason,
};
pub use teamd::{TeamdCode, TeamdSchemaVersion, TeamdWriteReason};
pub use terminal::TerminalRole;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_newer_version_is_read_and_written_as_it_came() {
        let known: Status = serde_json::from_str(r#""idle""#).unwrap();
        assert_eq!(known, Status::Idle);
        let newer: Status = serde_json::from_str(r#""dreaming""#).unwrap();
        assert_eq!(newer, Status::Other("dreaming".into()));
        assert_eq!(serde_json::to_string(&newer).unwrap(), r#""dreaming""#);
    }

    #[test]
    fn words_are_those_of_the_core() {
        use paseo_core::{item, permission, session, todo};
        for status in session::Status::ALL {
            assert_eq!(Status::from(status).as_str(), status.word());
            assert!(!matches!(TracedStatus::from(status), TracedStatus::Other(_)), "{status:?}");
        }
        for other in paseo_core::attachment::Other::ALL {
            assert_eq!(BinaryKind::from(other).as_str(), other.words());
        }
        for key in paseo_core::settings::Key::ALL {
            assert_eq!(SettingKey::from(key).as_str(), key.word());
        }
        assert_eq!(SettingKey::WORDS.len(), paseo_core::settings::Key::ALL.len());
        for color in paseo_core::definition::Color::ALL {
            assert_eq!(AgentColor::from(color).as_str(), color.word());
        }
        for mode in permission::Mode::ALL {
            assert_eq!(PermissionMode::from(mode).as_str(), mode.word());
        }
        // The log has the same words.
        let same = |word: &str, stored: serde_json::Value| assert_eq!(stored, word);
        same(Hold::from(session::Hold::Budget).as_str(), serde_json::json!(session::Hold::Budget));
        same(
            HeldReason::from(session::HeldReason::CauseStopped).as_str(),
            serde_json::json!(session::HeldReason::CauseStopped),
        );
        same(
            StatusSource::from(session::Source::ProcessExit).as_str(),
            serde_json::json!(session::Source::ProcessExit),
        );
        same(ToolClass::from(item::ToolClass::Other).as_str(), serde_json::json!(item::ToolClass::Other));
        same(
            TodoStatus::from(todo::Status::InProgress).as_str(),
            serde_json::json!(todo::Status::InProgress),
        );
    }
}
