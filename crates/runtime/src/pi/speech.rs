//! What the model says: pieces while it grows, items once a message is whole.

use std::collections::HashMap;

use paseo_core::id::ItemId;
use paseo_core::item::{Draft, Kind, Usage};
use serde_json::Value;

use super::out::Out;
use super::parse::{self, Piece};
use crate::provider::{DeltaKind, Output};

/// The message that grows.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// The items that its parts become, by their place in it.
    parts: HashMap<usize, ItemId>,
}

impl Speech {
    /// Begins a message.
    pub(super) fn begin(&mut self) {
        self.parts.clear();
    }

    /// Passes a piece on. Calls of tools are shown when they are made.
    pub(super) fn grow(&mut self, piece: Piece, out: &mut Out) {
        let kind = match piece.r#type.as_str() {
            "text_delta" => DeltaKind::AssistantText,
            "thinking_delta" => DeltaKind::Thinking,
            _ => return,
        };
        if !piece.delta.is_empty() {
            let item = *self.parts.entry(piece.content_index).or_insert_with(|| out.new_item());
            out.tell(Output::Delta { item, kind, text: piece.delta });
        }
    }

    /// Returns the items that were shown of the message, which broke off.
    pub(super) fn break_off(&mut self) -> Vec<ItemId> {
        let mut shown: Vec<ItemId> = self.parts.drain().map(|(_, item)| item).collect();
        shown.sort_unstable();
        shown
    }

    /// Ends a message: returns what it said.
    pub(super) fn end(&mut self, content: &Value, out: &mut Out) -> Vec<(ItemId, Draft)> {
        let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut said = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            let text = |field: &str| part.get(field).and_then(Value::as_str);
            let found = match text("type") {
                Some("text") => text("text").map(|text| (Kind::AssistantText, text)),
                Some("thinking") => text("thinking").map(|text| (Kind::Thinking, text)),
                _ => None,
            };
            if let Some((kind, text)) = found.filter(|(_, text)| !text.is_empty()) {
                let item = self.parts.remove(&place).unwrap_or_else(|| out.new_item());
                said.push((item, Draft::text(kind, text)));
            }
        }
        self.parts.clear();
        said
    }
}

/// Returns the tokens and the money of a request. Pi counts what came from the cache apart.
pub(super) fn usage(of: parse::Usage) -> Usage {
    // A float becomes an integer by saturation: no price is that high.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let micros = (of.cost.total * 1_000_000.0).round() as u64;
    Usage {
        input_tokens: of.input.saturating_add(of.cache_read).saturating_add(of.cache_write),
        output_tokens: of.output,
        cached_tokens: of.cache_read,
        // Pi says 0 where it knows no price.
        cost_micros: (micros > 0).then_some(micros),
    }
}
