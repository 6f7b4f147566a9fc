//! The durable log: one trait, engines behind it, one conformance suite for all of them.
//!
//! Knows no domain rules: what a stream's events mean is folded by a function that is passed in.

mod batch;
mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod file;
mod limits;
mod log;
mod record;
mod search;
pub mod sqlite;

pub use batch::{
    Appended, Batch, Erasure, Expect, Fence, IdempotencyKey, NewContent, NewEvent, NewItem, StreamAppend,
};
pub use clock::{Clock, system_clock};
pub use error::{Error, Result};
pub use file::{Claim, FilePiece, FileRow, NewFile, Unclaimed};
pub use limits::{EXCERPT, KEY_LIFETIME, MAX_DATA, MAX_INLINE, MAX_TEXT};
pub use log::{Advanced, BoxFuture, Fold, Folded, Log, Memory, Side, Which};
pub use record::{Body, ContentRow, Head, HeadRow, ItemRow, Record, Seq, Text, Version};
pub use search::{Find, Hit, Home, Indexing, MAX_SEARCHED, Order, Piece, Search, Source, Term, Who};
pub use sqlite::Sqlite;
