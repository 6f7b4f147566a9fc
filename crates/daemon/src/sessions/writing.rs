//! What is written into a transcript.

use paseo_core::id::{ItemId, SessionId, TurnId};
use paseo_core::item::{Entry, Kind, Place};
use paseo_core::session::Pending;

use crate::journal::Entries;
use crate::mint;

/// Longest name or id that a harness may give.
const NAME_BYTES: usize = 200;

/// The place of what the daemon itself says in a turn.
pub(super) fn place(turn: Option<TurnId>) -> Place {
    Place { turn, ..Place::default() }
}

/// Cuts what a harness may have made up: it stands in the event itself, which stays small.
pub(super) fn bound_names(kind: &mut Kind) {
    let cut = |text: &mut String| *text = bounded(text);
    match kind {
        Kind::ToolCall { call, name, .. } => {
            cut(call);
            cut(name);
        }
        Kind::ToolResult { call, .. } => cut(call),
        Kind::Permission { hash, .. } => cut(hash),
        Kind::Notice { code } | Kind::Error { code } => cut(code),
        Kind::UserText { .. }
        | Kind::AssistantText
        | Kind::Thinking
        | Kind::Todo
        | Kind::Usage(_)
        | Kind::Raw { .. } => {}
    }
}

/// Cuts a name to a length that fits into an event.
pub(super) fn bounded(text: &str) -> String {
    let end = (0..=NAME_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or(0)].to_owned()
}

/// Writes down a message that the agent has.
pub(super) fn user_text(entries: &mut Entries, session: SessionId, turn: Option<TurnId>, pending: &Pending) {
    user_text_as(mint::item(), entries, session, turn, pending);
}

/// The same, as an item whose id is given.
pub(super) fn user_text_as(
    item: ItemId,
    entries: &mut Entries,
    session: SessionId,
    turn: Option<TurnId>,
    pending: &Pending,
) {
    let kind = Kind::UserText { origin: pending.origin.clone(), delivery: pending.id };
    let entry = Entry { place: place(turn), kind };
    entries.item_with(session, item, entry, Some(pending.text.id));
}
