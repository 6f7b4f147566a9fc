//! Calls of tools: what is made, what grows, what came of it.

use std::collections::HashMap;

use paseo_core::id::ItemId;
use paseo_core::item::{Draft, Kind, ToolOutcome, ToolResultExtra};
use paseo_core::time::Timestamp;
use serde_json::Value;

use super::out::Out;
use super::parse::{ToolNote, text_of};
use super::{diffs, tools};
use crate::provider::Output;

/// The calls that run.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<String, Open>);

#[derive(Debug)]
struct Open {
    /// What its result will be.
    item: ItemId,
    input: Value,
    began: Timestamp,
    /// The output that was passed on: pi repeats all of it each time.
    told: String,
    denied: bool,
}

impl Calls {
    pub(super) fn begin(&mut self, note: ToolNote, out: &mut Out) {
        let ToolNote { tool_call_id: call, tool_name: name, args, .. } = note;
        let kind = Kind::ToolCall { call: call.clone(), class: tools::class(&name), name: name.clone() };
        // Plain data with string keys always serialises.
        let extra = serde_json::to_string(&tools::extra(&name, &args)).ok();
        out.item(Draft { kind, text: Some(args.to_string()), extra });
        let (item, began) = (out.new_item(), out.now);
        self.0.insert(call, Open { item, input: args, began, told: String::new(), denied: false });
    }

    /// Passes on what is new in the output. What is not a continuation waits for the result.
    pub(super) fn grow(&mut self, note: &ToolNote, out: &mut Out) {
        let Some(open) = self.0.get_mut(&note.tool_call_id) else { return };
        let text = text_of(&note.result.content);
        if let Some(new) = text.strip_prefix(open.told.as_str()).filter(|new| !new.is_empty()) {
            let (call, new) = (note.tool_call_id.clone(), new.to_owned());
            out.tell(Output::Printed { call, item: open.item, text: new });
            open.told = text;
        }
    }

    /// Takes in that a call was refused.
    pub(super) fn deny(&mut self, call: &str) {
        if let Some(open) = self.0.get_mut(call) {
            open.denied = true;
        }
    }

    /// Takes in that a call was allowed: from now on it runs.
    pub(super) fn allow(&mut self, call: &str, now: Timestamp) {
        if let Some(open) = self.0.get_mut(call) {
            open.began = now;
        }
    }

    /// Takes in what came of a call; `stopped` when the turn is being stopped.
    pub(super) fn end(&mut self, note: &ToolNote, stopped: bool, out: &mut Out) {
        let Some(open) = self.0.remove(&note.tool_call_id) else { return };
        let outcome = match note.is_error {
            false => ToolOutcome::Ok,
            true if open.denied => ToolOutcome::Denied,
            true if stopped => ToolOutcome::Interrupted,
            true => ToolOutcome::Error,
        };
        let lasted = out.now.as_millis().saturating_sub(open.began.as_millis());
        let kind = Kind::ToolResult {
            call: note.tool_call_id.clone(),
            outcome,
            exit_code: tools::exit_code(&note.tool_name, &note.result),
            duration_ms: note.duration_ms.unwrap_or_else(|| u64::try_from(lasted).unwrap_or_default()),
        };
        let diff = diffs::of_call(&note.tool_name, &open.input, &note.result.details);
        let diff = diff.filter(|_| outcome == ToolOutcome::Ok);
        let extra = diff.and_then(|diff| serde_json::to_string(&ToolResultExtra::of(vec![diff])).ok());
        out.item_with(open.item, Draft { kind, text: Some(text_of(&note.result.content)), extra });
    }

    /// Forgets what will not end any more: the daemon closes it.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
