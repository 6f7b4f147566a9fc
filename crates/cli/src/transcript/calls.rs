//! Calls of tools with what came of them.

use std::collections::BTreeMap;

use paseo_core::headline::own_name;
use paseo_wire::item::ItemView;
use paseo_wire::words::ItemKind;
use serde_json::Value;

use super::changes::{self, Count};
use super::{Block, Body, Extent, HEADLINE, MORE, block, field};
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
    open: BTreeMap<String, Open>,
    /// The call whose head is the last thing that was shown.
    last: Option<String>,
}

/// A call without a result.
#[derive(Debug)]
struct Open {
    item: ItemView,
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
        match item.kind.as_str() {
            "tool_call" => self.call(item),
            "tool_result" => self.result(item).into_iter().collect(),
            _ => {
                let mut blocks = if item.kind == ItemKind::UserText { self.rest() } else { Vec::new() };
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
        open.iter().map(|one| Block::new(&one.item, Style::Dim, title(&one.item))).collect()
    }

    fn call(&mut self, item: &ItemView) -> Vec<Block> {
        let id = field(item, "call").unwrap_or_default().to_owned();
        // What takes no time is shown together with what came of it.
        let shown = !matches!(field(item, "class"), Some("read" | "edit")) && !is_todo(item);
        let mut blocks = Vec::new();
        if shown {
            let whole = item.text.as_deref().unwrap_or_default();
            let head = title(item);
            // What the headline says whole need not be said twice.
            let cut = self.extent == Extent::Whole && head.ends_with('…');
            blocks.push(Block::new(item, Style::Dim, head).text(if cut { whole } else { "" }));
            self.last = Some(id.clone());
        }
        self.open.insert(id, Open { item: item.clone(), shown });
        blocks
    }

    fn result(&mut self, item: &ItemView) -> Option<Block> {
        let id = field(item, "call").unwrap_or_default();
        let call = self.open.remove(id);
        // The list itself is an item.
        if call.as_ref().is_some_and(|call| is_todo(&call.item)) && ended(item).is_none() {
            return None;
        }
        let directly_below = self.last.take_if(|last| last == id).is_some();
        let changes = changes::of(item);
        let ended = if self.in_lines { ended(item).map(|ended| because(ended, item)) } else { ended(item) };
        if self.in_lines && ended.is_none() && call.as_ref().is_some_and(|call| call.shown) {
            return None;
        }
        let style = match field(item, "outcome") {
            Some("ok") | None => Style::Dim,
            Some("denied") => Style::Yellow,
            Some(_) => Style::Red,
        };
        let body = match changes.is_empty() {
            false => Body::Rows(changes::rows(&changes, self.extent)),
            true => output(item, call.as_ref().map(|call| &call.item), self.extent),
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
        let mut head = call.as_ref().map_or_else(|| "tool".to_owned(), |call| title(&call.item));
        if !changes.is_empty() {
            head = format!("{head} {}", Count::sum(&changes).words());
        }
        if let Some(ended) = ended {
            head = format!("{head}: {ended}");
        }
        let stands_for = call.as_ref().filter(|call| !call.shown).map_or(item, |call| &call.item);
        Some(Block { body, ..Block::new(stands_for, style, head) })
    }
}

fn is_todo(call: &ItemView) -> bool {
    field(call, "name").is_some_and(|name| own_name(name) == "todo")
}

/// Returns what a call does, in one line.
fn title(call: &ItemView) -> String {
    let title = field(call, "title").filter(|title| !title.is_empty());
    let name = || own_name(field(call, "name").unwrap_or("tool")).to_owned();
    truncate(&line(&title.map_or_else(name, str::to_owned)), HEADLINE)
}

/// Says how a call ended, unless it went well.
fn ended(result: &ItemView) -> Option<String> {
    let code = result.fields.get("exit_code").and_then(Value::as_i64).filter(|code| *code != 0);
    match (field(result, "outcome"), code) {
        (Some("ok") | None, _) => None,
        (Some("denied"), _) => Some("denied".to_owned()),
        (Some("interrupted"), _) => Some("interrupted".to_owned()),
        (Some(_), Some(code)) => Some(format!("exit code {code}")),
        (Some(_), None) => Some("failed".to_owned()),
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
fn output(result: &ItemView, call: Option<&ItemView>, extent: Extent) -> Body {
    let text = uncoloured(result.text.as_deref().unwrap_or_default());
    let ok = matches!(field(result, "outcome"), Some("ok") | None);
    // What was read or written stands in the file; that it was is said above.
    let is_said = ok && call.is_some_and(|call| matches!(field(call, "class"), Some("read" | "edit")));
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
