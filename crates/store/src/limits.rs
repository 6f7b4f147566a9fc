//! The sizes that every engine keeps, and the checks that need no database.

use std::collections::HashSet;

use crate::batch::Batch;
use crate::error::{Error, Result};

/// The longest data of an event, in bytes.
pub const MAX_DATA: usize = 16 * 1024;
/// The longest text that is stored and read inline, in bytes.
pub const MAX_INLINE: usize = 32 * 1024;
/// The length of the head and of the tail that stand inline for a larger text, in bytes.
pub const EXCERPT: usize = 2 * 1024;
/// The longest text that is stored, in bytes; what is over is cut, with a mark.
pub const MAX_TEXT: usize = 32 * 1024 * 1024;
/// How long a repeated request gets its first receipt, in milliseconds.
pub const KEY_LIFETIME: i64 = 30 * 24 * 60 * 60 * 1000;

/// Refuses a batch that no state of the log could make valid.
pub(crate) fn check(batch: &Batch) -> Result<()> {
    for append in &batch.streams {
        check_stream(&append.stream)?;
        for event in &append.events {
            check_event(&event.kind, &event.data)?;
        }
    }
    for item in &batch.items {
        check_stream(&item.stream)?;
        check_event(&item.kind, &item.data)?;
    }
    let mut ids = HashSet::new();
    for content in &batch.contents {
        check_stream(&content.owner)?;
        if !ids.insert(content.id) {
            return Err(Error::Invalid(format!("content {} is listed twice", content.id)));
        }
    }
    let mut files = HashSet::new();
    for claim in &batch.claims {
        check_stream(&claim.stream)?;
        if !files.insert(claim.file) {
            return Err(Error::Invalid(format!("file {} is claimed twice", claim.file)));
        }
    }
    Ok(())
}

fn check_stream(name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::Invalid("a stream has no name".into()));
    }
    Ok(())
}

fn check_event(kind: &str, data: &str) -> Result<()> {
    if kind.is_empty() {
        return Err(Error::Invalid("an event has no kind".into()));
    }
    if data.is_empty() {
        return Err(Error::Invalid(format!("the data of `{kind}` is empty; expected JSON")));
    }
    if data.len() > MAX_DATA {
        return Err(Error::Invalid(format!(
            "the data of `{kind}` has {} bytes; the limit is {MAX_DATA}: store long text as content",
            data.len()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!((MAX_DATA, MAX_INLINE, EXCERPT, MAX_TEXT), (16_384, 32_768, 2_048, 33_554_432));
        assert_eq!(KEY_LIFETIME, 2_592_000_000, "30 days");
    }
}
