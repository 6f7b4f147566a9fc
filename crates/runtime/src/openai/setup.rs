//! What an agent is told before its first request. It travels on stdin: arguments and the environment are for everyone
//! to read, the agent's own commands among them.

use std::path::PathBuf;

use paseo_core::id::TurnId;
use paseo_core::item::{CompactionExtra, Kind};
use paseo_core::permission::Power;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::provider::{Attachment, Past, Tool};

/// All of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Setup {
    /// The session's, by the name that it has there.
    pub(super) directory: PathBuf,
    /// Added to the agent's own prompt.
    pub(super) prompt: String,
    /// What it must do without.
    pub(super) withheld: Vec<Power>,
    /// It is free to read only what lies in its directory.
    pub(super) confined: bool,
    /// At least one.
    pub(super) chain: Vec<Endpoint>,
    #[serde(with = "tools")]
    pub(super) tools: Vec<Tool>,
    #[serde(with = "past")]
    pub(super) past: Vec<Past>,
}

/// A model, and where it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Endpoint {
    pub(super) model: String,
    pub(super) effort: Option<String>,
    /// The id of the key, for people.
    pub(super) key: Option<String>,
    pub(super) secret: Option<String>,
    /// Without a slash at its end.
    pub(super) base_url: String,
    /// How many tokens the model takes.
    pub(super) context: u64,
}

impl Endpoint {
    /// Returns how people tell it from the others.
    pub(super) fn name(&self) -> String {
        match &self.key {
            Some(key) => format!("{} (key {key})", self.model),
            None => self.model.clone(),
        }
    }
}

/// Shown without the secret: what is printed ends up in logs.
impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("model", &self.model).field("key", &self.key).finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Tool")]
struct ToolWords {
    name: String,
    description: String,
    schema: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Past")]
struct PastWords {
    turn: Option<TurnId>,
    kind: Kind,
    text: String,
    kept: Option<CompactionExtra>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<Attachment>,
}

/// Makes a module that carries a list of someone else's type.
macro_rules! list_of {
    ($module:ident, $type:ident, $words:ident, $worded:literal) => {
        mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            use super::{$type, $words};

            #[derive(Serialize, Deserialize)]
            #[serde(transparent)]
            struct Worded(#[serde(with = $worded)] $type);

            pub(super) fn serialize<S: Serializer>(list: &[$type], serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(list.iter().cloned().map(Worded))
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Vec<$type>, D::Error> {
                Ok(Vec::<Worded>::deserialize(deserializer)?.into_iter().map(|Worded(one)| one).collect())
            }
        }
    };
}

list_of!(tools, Tool, ToolWords, "ToolWords");
list_of!(past, Past, PastWords, "PastWords");

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_survives_the_line_and_hides_its_secret_from_logs() {
        let endpoint = Endpoint {
            model: "m".into(),
            effort: None,
            key: Some("work".into()),
            secret: Some("sk-secret".into()),
            base_url: "http://127.0.0.1:1/v1".into(),
            context: 1000,
        };
        let setup = Setup {
            directory: "/p".into(),
            prompt: "Be kind.".into(),
            withheld: vec![Power::Net],
            confined: true,
            chain: vec![endpoint],
            tools: vec![Tool { name: "todo".into(), description: "d".into(), schema: json!({}) }],
            past: vec![Past {
                turn: None,
                kind: Kind::AssistantText,
                text: "a\nb".into(),
                kept: None,
                attachments: Vec::new(),
            }],
        };
        let line = serde_json::to_string(&setup).unwrap();
        assert!(!line.contains('\n'));
        let read: Setup = serde_json::from_str(&line).unwrap();
        assert_eq!((&read.chain, &read.tools, &read.past), (&setup.chain, &setup.tools, &setup.past));
        assert!(!format!("{read:?}").contains("sk-secret"));
    }
}
