//! Answers that have to satisfy a JSON Schema: which part of an answer counts, which schemas are taken, and what an agent is
//! told. When an answer is checked and corrected is decided in [`crate::session`].

mod document;
mod schema;
mod words;

use serde::{Deserialize, Serialize};

pub use document::{NotADocument, document};
pub use schema::{Refused, schema_text};
pub use words::{asked, correction, listed};

use crate::cut;
use crate::limits::VIOLATION_CHARS;

/// One thing that is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Where in the document, as a JSON Pointer; empty for the document itself.
    pub path: String,
    /// What was expected there.
    pub expected: String,
}

impl Violation {
    /// Makes one of bounded length.
    pub fn new(path: &str, expected: &str) -> Self {
        Self { path: bounded(path), expected: bounded(expected) }
    }
}

fn bounded(text: &str) -> String {
    match cut::head(text, VIOLATION_CHARS) {
        (head, true) => format!("{head}…"),
        (whole, false) => whole.to_owned(),
    }
}
