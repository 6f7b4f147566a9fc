//! Calls of tools with what came of them.

use std::collections::BTreeMap;

use paseo_core::headline::own_name;
use paseo_wire::id::CallId;
use paseo_wire::item::{ItemBody, ItemView, ToolCallFields, ToolResultFields};
use paseo_wire::words::{ToolClass, ToolOutcome};

use super::changes::{self, Count};
use super::{Block, Body, Extent, HEADLINE, MORE, block};
use crate::people::People;
use crate::printer::{Row, Style, line, truncate, uncoloured};

/// Most lines of a tool's output that a transcript shows.
const OUTPUT_LINES: usize = 12;

/// Knows, from one item to the next, which calls have no result yet.
#[derive(Debug)]
pub(crate) struct Transcript {
    extent: Extent,
    /// What came of a call is said in a line of its own, which names the call again.
    in_lines: bool,
    open: BTreeMap<CallId, Open>,
    /// The call whose head is the last thing that was shown.
    last: Option<CallId>,
}

/// A call without a result.
#[derive(Debug)]
struct Open {
    item: ItemView,
    call: ToolCallFields,
    /// It was shown when it began.
    shown: bool,
}

impl Transcript {
    pub(crate) fn new(extent: Extent) -> Self {
        Self { extent, in_lines: false, open: BTreeMap::new(), last: None }
    }

    /// Makes one for those who read a line at a time.
    pub(crate) fn in_lines() -> Self {
        Self { in_lines: true, ..Self::new(Extent::Counted) }
    }

    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    /// Takes the next item and returns what it shows.
    pub(crate) fn take(&mut self, item: &ItemView, people: &People) -> Vec<Block> {
        match &item.body {
            ItemBody::ToolCall(call) => self.call(item, call),
            ItemBody::ToolResult(result) => self.result(item, result).into_iter().collect(),
            body => {
                let begins = matches!(body, ItemBody::UserText(_));
                let mut blocks = if begins { self.rest() } else { Vec::new() };
                blocks.extend(block(item, self.extent, people));
                if !blocks.is_empty() {
                    self.last = None;
                }
                blocks
            }
        }
    }

    /// Returns the calls that nothing came of, as far as they were not shown.
    pub(crate) fn rest(&mut self) -> Vec<Block> {
        self.last = None;
        let mut open: Vec<Open> =
            std::mem::take(&mut self.open).into_values().filter(|one| !one.shown).collect();
        open.sort_by_key(|one| one.item.ordinal);
        open.iter().map(|one| Block::new(&one.item, Style::Dim, title(&one.call))).collect()
    }

    fn call(&mut self, item: &ItemView, call: &ToolCallFields) -> Vec<Block> {
        // What takes no time is shown together with what came of it.
        let shown = !is_about_file(call) && !is_todo(call);
        let mut blocks = Vec::new();
        if shown {
            let whole = item.text.as_deref().unwrap_or_default();
            let head = title(call);
            // What the headline says whole need not be said twice.
            let cut = self.extent == Extent::Whole && head.ends_with('…');
            blocks.push(Block::new(item, Style::Dim, head).text(if cut { whole } else { "" }));
            self.last = Some(call.call.clone());
        }
        self.open.insert(call.call.clone(), Open { item: item.clone(), call: call.clone(), shown });
        blocks
    }

    fn result(&mut self, item: &ItemView, result: &ToolResultFields) -> Option<Block> {
        let call = self.open.remove(&result.call);
        // The list itself is an item.
        if call.as_ref().is_some_and(|open| is_todo(&open.call)) && ended(result).is_none() {
            return None;
        }
        let directly_below = self.last.take_if(|last| *last == result.call).is_some();
        let changes = &result.diffs;
        let ended = ended(result).map(|ended| if self.in_lines { because(ended, item) } else { ended });
        if self.in_lines && ended.is_none() && call.as_ref().is_some_and(|call| call.shown) {
            return None;
        }
        let style = match result.outcome {
            ToolOutcome::Ok => Style::Dim,
            ToolOutcome::Denied => Style::Yellow,
            ToolOutcome::Error | ToolOutcome::Interrupted | ToolOutcome::Other(_) => Style::Red,
        };
        let body = match changes.is_empty() {
            false => Body::Rows(changes::rows(changes, self.extent)),
            true => {
                // What was read or written stands in the file; that it was is said above.
                let about_file = call.as_ref().is_some_and(|open| is_about_file(&open.call));
                output(item, about_file && result.outcome == ToolOutcome::Ok, self.extent)
            }
        };
        let body = match body {
            Body::Rows(rows) if rows.is_empty() => Body::Nothing,
            body => body,
        };
        if directly_below && !self.in_lines {
            let block = Block { stamp: None, style, head: ended.unwrap_or_default(), body };
            return (!block.head.is_empty() || block.body != Body::Nothing).then_some(block);
        }
        self.last = None;
        let mut head = call.as_ref().map_or_else(|| "tool".to_owned(), |open| title(&open.call));
        if !changes.is_empty() {
            head = format!("{head} {}", Count::sum(changes).words());
        }
        if let Some(ended) = ended {
            head = format!("{head}: {ended}");
        }
        let stands_for = call.as_ref().filter(|call| !call.shown).map_or(item, |call| &call.item);
        Some(Block { body, ..Block::new(stands_for, style, head) })
    }
}

fn is_todo(call: &ToolCallFields) -> bool {
    own_name(&call.name) == "todo"
}

fn is_about_file(call: &ToolCallFields) -> bool {
    matches!(call.class, ToolClass::Read | ToolClass::Edit)
}

/// Returns what a call does, in one line.
fn title(call: &ToolCallFields) -> String {
    let title = call.title.as_deref().filter(|title| !title.is_empty());
    truncate(&line(title.unwrap_or_else(|| own_name(&call.name))), HEADLINE)
}

/// Says how a call ended, unless it went well.
fn ended(result: &ToolResultFields) -> Option<String> {
    match (&result.outcome, result.exit_code.filter(|code| *code != 0)) {
        (ToolOutcome::Ok, _) => None,
        (ToolOutcome::Denied, _) => Some("denied".to_owned()),
        (ToolOutcome::Interrupted, _) => Some("interrupted".to_owned()),
        (ToolOutcome::Error | ToolOutcome::Other(_), Some(code)) => Some(format!("exit code {code}")),
        (ToolOutcome::Error | ToolOutcome::Other(_), None) => Some("failed".to_owned()),
    }
}

/// Adds why a call was refused or failed, as far as that goes on the line.
fn because(ended: String, result: &ItemView) -> String {
    let text = uncoloured(result.text.as_deref().unwrap_or_default());
    match text.lines().find(|line| !line.trim().is_empty()) {
        Some(reason) => format!("{ended}: {}", truncate(&line(reason.trim()), HEADLINE)),
        None => ended,
    }
}

/// Returns what a tool said.
fn output(result: &ItemView, is_said: bool, extent: Extent) -> Body {
    let text = uncoloured(result.text.as_deref().unwrap_or_default());
    let lines: Vec<&str> = text.lines().collect();
    match extent {
        _ if text.trim().is_empty() => Body::Nothing,
        Extent::Counted => Body::Nothing,
        Extent::Folded if is_said => Body::Nothing,
        Extent::Whole => Body::Text(text),
        Extent::Folded => {
            let mut rows: Vec<Row> =
                lines.iter().take(OUTPUT_LINES).map(|line| Row::of(Style::Plain, *line)).collect();
            let more = match result.full_length {
                // How many lines it has, only the whole text knows.
                Some(length) => Some(format!("… {length} bytes in all {MORE}")),
                None if lines.len() > OUTPUT_LINES => {
                    Some(format!("… {} more lines {MORE}", lines.len() - OUTPUT_LINES))
                }
                None => None,
            };
            rows.extend(more.map(|more| Row::of(Style::Dim, more)));
            Body::Rows(rows)
        }
    }
}
