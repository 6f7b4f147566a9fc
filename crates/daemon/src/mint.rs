//! Where ids, time and secrets come from.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use paseo_core::id::{
    CauseId, ContentId, DeliveryId, DeviceId, FileId, ItemId, PostId, RuleId, SessionId, ThreadId, TokenId,
    TurnId, WatchId,
};
use paseo_core::time::Timestamp;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Returns the present.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Makes an id for a session.
pub(crate) fn session() -> SessionId {
    SessionId::from_uuid(Uuid::new_v4())
}

/// Makes an id for a turn.
pub(crate) fn turn() -> TurnId {
    TurnId::from_uuid(Uuid::now_v7())
}

/// Makes an id for an item.
pub(crate) fn item() -> ItemId {
    ItemId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a delivery.
pub(crate) fn delivery() -> DeliveryId {
    DeliveryId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a cause.
pub(crate) fn cause() -> CauseId {
    CauseId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a thread.
pub(crate) fn thread() -> ThreadId {
    ThreadId::from_uuid(Uuid::now_v7())
}

/// Makes an id for what is said in one.
pub(crate) fn post() -> PostId {
    PostId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a text.
pub(crate) fn content() -> ContentId {
    ContentId::from_uuid(Uuid::now_v7())
}

/// Makes an id for an attached file.
pub(crate) fn file() -> FileId {
    FileId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a token.
pub(crate) fn token() -> TokenId {
    TokenId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a browser.
pub(crate) fn device() -> DeviceId {
    DeviceId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a watch.
pub(crate) fn watch() -> WatchId {
    WatchId::from_uuid(Uuid::now_v7())
}

/// Makes an id for a rule.
pub(crate) fn rule() -> RuleId {
    RuleId::from_uuid(Uuid::now_v7())
}

/// Makes an id for an event.
pub(crate) fn event() -> Uuid {
    Uuid::now_v7()
}

/// Makes a secret that nobody can guess.
pub(crate) fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// Hashes bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Reads what [`hex`] wrote of a hash.
pub(crate) fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

/// Writes bytes as hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
