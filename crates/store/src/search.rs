//! Searching: what is indexed, what is asked, what is found.

use std::sync::Arc;

use uuid::Uuid;

use crate::record::Seq;

/// How much of a text can be searched, in bytes from its start. Smaller texts are searched whole.
pub const MAX_SEARCHED: usize = crate::limits::MAX_INLINE;

/// What some events bring that can be searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Indexing {
    /// The index must have come exactly so far.
    pub after: Seq,
    /// Afterwards it has come so far.
    pub upto: Seq,
    /// By which rules, as [`crate::Log::indexed`] was told.
    pub version: u32,
    pub finds: Vec<Find>,
    pub homes: Vec<Home>,
}

/// A text that can be found. It is named, not given: what was erased meanwhile is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    pub stream: Arc<str>,
    /// The event that brings it.
    pub seq: Seq,
    /// The item that it is, if it is one. A text that is found already is then known to be this item.
    pub ordinal: Option<u64>,
    pub source: Source,
    /// A word for its kind, by which it can be asked for.
    pub class: String,
    /// Who said it.
    pub who: String,
    pub ts: i64,
}

/// Where the text of a [`Find`] is. Fields are those of a JSON object, by plain names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A content.
    Content(Uuid),
    /// A field of a content's side information.
    Extra(Uuid, &'static str),
    /// A field of the event's data. It takes the place of the one before it with the same stream and class; without
    /// a field there is none any more.
    Data(Option<&'static str>),
}

/// Where a stream is at home; takes the place of what was said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub stream: Arc<str>,
    pub places: Vec<String>,
}

/// What is asked for. Every condition must hold; an empty list is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// All of them must be in one text.
    pub terms: Vec<Term>,
    /// In this stream.
    pub stream: Option<String>,
    /// In streams whose name begins so.
    pub prefix: Option<String>,
    pub classes: Vec<String>,
    /// Said by one of these.
    pub who: Vec<Who>,
    pub since: Option<i64>,
    pub until: Option<i64>,
    /// In streams at home in this directory, or below it.
    pub place: Option<String>,
    pub order: Order,
    pub limit: usize,
}

/// Words that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub words: String,
    /// The last word may go on.
    pub prefix: bool,
}

/// Who said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    Is(String),
    StartsWith(String),
}

/// What comes first, and where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The newest, below a [`Hit::row`].
    Newest { before: Option<u64> },
    /// What fits best, after so many.
    Best { skip: usize },
}

impl Default for Order {
    fn default() -> Self {
        Self::Newest { before: None }
    }
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Higher for what came later.
    pub row: u64,
    pub stream: Arc<str>,
    pub seq: Seq,
    pub ordinal: Option<u64>,
    pub class: String,
    pub who: String,
    pub ts: i64,
    /// A piece of the text, around what was asked for.
    pub excerpt: Vec<Piece>,
}

/// Some text that is, or is not, what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub hit: bool,
}
