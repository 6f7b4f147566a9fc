//! Searching: queries and hits.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{PostId, SessionId, Speaker, ThreadId};
use crate::time::Moment;
use crate::words::{SearchIn, SearchKind, Status};

/// The query of `GET /api/search`. All conditions must match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// Words that one text must all contain, "phrases" in quotes, prefixes*; at least one letter or digit. Case and
    /// accents are ignored.
    #[serde(default)]
    #[schema(required, pattern = r"[^\x00-/:-@\[-`{-\x7f]", max_length = 1000)]
    pub q: String,
    /// Only this agent's transcript: a handle or an id. Excludes `thread`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    pub agent: Option<String>,
    /// Only this thread: a name or an id. Excludes `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1)]
    pub thread: Option<String>,
    /// Only in agents, or only in threads.
    #[serde(default, rename = "in", skip_serializing_if = "Option::is_none")]
    pub within: Option<SearchIn>,
    /// Only hits of these kinds. `name` includes `title`.
    #[serde(default, with = "commas", skip_serializing_if = "Vec::is_empty")]
    pub kind: Vec<SearchKind>,
    /// The speaker: `me` for any person, an agent's handle, or a participant of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// From this moment on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    /// Before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
    /// Only agents and threads of this directory or below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^/")]
    pub directory: Option<String>,
    /// Best match first, instead of newest first. A cursor keeps the order of its page.
    #[serde(default)]
    pub best: bool,
    /// The `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^([0-9]{1,18}|best:([0-9]{1,4}|10000))$")]
    pub after: Option<String>,
    /// How many hits to return at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 500, default = 20)]
    pub limit: Option<usize>,
}

/// A list in a query: words with commas between them.
mod commas {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::SearchKind;

    pub(super) fn serialize<S: Serializer>(kinds: &[SearchKind], serializer: S) -> Result<S::Ok, S::Error> {
        let words: Vec<&str> = kinds.iter().map(SearchKind::as_str).collect();
        serializer.serialize_str(&words.join(","))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<SearchKind>, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let words = text.split(',').map(str::trim).filter(|_| !text.is_empty());
        Ok(words.map(SearchKind::from).collect())
    }
}

/// A page of hits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchPage {
    pub hits: Vec<SearchHit>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
    /// Number of the newest events that are not indexed yet.
    pub behind: u64,
}

/// A hit in an agent's transcript or in a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SearchHit {
    pub kind: SearchKind,
    pub who: Speaker,
    pub at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<FoundAgent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<FoundThread>,
    /// Ordinal of the item in the transcript; missing for names and queued messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u64>,
    /// The event in the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<PostId>,
    /// The text around the match.
    pub excerpt: Vec<ExcerptPiece>,
}

/// The agent of a hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundAgent {
    pub id: SessionId,
    pub handle: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub status: Status,
    pub project: String,
}

/// The thread of a hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundThread {
    pub id: ThreadId,
    pub name: String,
}

/// A piece of text, and whether it matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExcerptPiece {
    pub text: String,
    pub hit: bool,
}
