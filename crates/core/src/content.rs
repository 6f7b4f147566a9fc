//! References to conversation text. Events hold these, never the text.

use serde::{Deserialize, Serialize};

use crate::id::ContentId;

/// Points at a text in the log's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentRef {
    pub id: ContentId,
    /// Length in bytes.
    pub len: u64,
    /// sha256 of the text, hexadecimal.
    pub sha256: String,
}
