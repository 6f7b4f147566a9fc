//! Items that have begun and not ended: text that grows, calls that run.

use paseo_core::id::ItemId;

use super::parse::{Change, Item, McpCall};
use crate::provider::DeltaKind;

/// How much of a command's output is kept in case it never ends within its turn.
const KEPT: usize = 64 * 1024;

/// Where an item of ours stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) step: u32,
    /// The call that started the subagent who did it.
    pub(super) parent: Option<String>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Open {
    thread: String,
    id: String,
    pub(super) position: Position,
    /// The item that it becomes, for a call: its result.
    pub(super) item: ItemId,
    pub(super) what: What,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // A few are open at a time, and most of them are calls.
pub(super) enum What {
    Text { kind: DeltaKind, text: String },
    Call { began: Item, output: String },
}

/// All of them, oldest first.
#[derive(Debug, Default)]
pub(super) struct OpenItems(Vec<Open>);

impl OpenItems {
    pub(super) fn begin(&mut self, thread: &str, id: &str, position: Position, item: ItemId, what: What) {
        self.0.push(Open { thread: thread.to_owned(), id: id.to_owned(), position, item, what });
    }

    pub(super) fn get_mut(&mut self, thread: &str, id: &str) -> Option<&mut Open> {
        self.0.iter_mut().find(|open| open.is(thread, id))
    }

    pub(super) fn end(&mut self, thread: &str, id: &str) -> Option<Open> {
        let at = self.0.iter().position(|open| open.is(thread, id))?;
        Some(self.0.remove(at))
    }

    /// Takes the texts of a thread that will not be finished.
    pub(super) fn end_texts(&mut self, thread: &str) -> Vec<Open> {
        self.end_if(|open| open.thread == thread && matches!(open.what, What::Text { .. }))
    }

    /// Takes everything of a thread.
    pub(super) fn end_all(&mut self, thread: &str) -> Vec<Open> {
        self.end_if(|open| open.thread == thread)
    }

    /// Returns the files that a call wants to change.
    pub(super) fn changes(&self, thread: &str, id: &str) -> Option<&[Change]> {
        let open = self.0.iter().find(|open| open.is(thread, id))?;
        match &open.what {
            What::Call { began: Item::FileChange { changes, .. }, .. } => Some(changes),
            What::Call { .. } | What::Text { .. } => None,
        }
    }

    /// Says whether this command runs.
    pub(super) fn is_command(&self, thread: &str, id: &str) -> bool {
        let open = self.0.iter().find(|open| open.is(thread, id));
        open.is_some_and(|open| matches!(open.what, What::Call { began: Item::CommandExecution(_), .. }))
    }

    /// Returns the calls to an MCP server that run.
    pub(super) fn mcp_calls(&self, thread: &str, server: &str) -> impl Iterator<Item = (&str, &McpCall)> {
        self.0.iter().filter_map(move |open| match &open.what {
            What::Call { began: Item::McpToolCall(call), .. }
                if open.thread == thread && call.server == server =>
            {
                Some((open.id.as_str(), call))
            }
            What::Call { .. } | What::Text { .. } => None,
        })
    }

    /// Returns the newest call that starts a subagent.
    pub(super) fn spawning(&self) -> Option<&str> {
        let mut calls = self.0.iter().rev();
        let newest = calls.find(|open| {
            matches!(&open.what, What::Call { began: Item::CollabAgentToolCall { tool, .. }, .. }
                if tool == "spawnAgent")
        });
        newest.map(|open| open.id.as_str())
    }

    fn end_if(&mut self, ends: impl Fn(&Open) -> bool) -> Vec<Open> {
        let (ended, open) = std::mem::take(&mut self.0).into_iter().partition(ends);
        self.0 = open;
        ended
    }
}

impl Open {
    fn is(&self, thread: &str, id: &str) -> bool {
        self.id == id && self.thread == thread
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Takes in a piece; of a command's output only the end is kept.
    pub(super) fn grow(&mut self, piece: &str) {
        match &mut self.what {
            What::Text { text, .. } => text.push_str(piece),
            What::Call { output, .. } => {
                output.push_str(piece);
                if output.len() > 2 * KEPT {
                    let cut = (output.len() - KEPT..).find(|at| output.is_char_boundary(*at));
                    output.drain(..cut.unwrap_or_default());
                }
            }
        }
    }
}
