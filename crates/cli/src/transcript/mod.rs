//! Items as people read them.

mod calls;
mod changes;

use paseo_wire::item::{ItemBody, ItemView, PermissionFields};
use paseo_wire::words::{Decision, ItemKind};
use serde_json::Value;

pub(crate) use self::calls::Transcript;
use crate::attachments;
use crate::people::People;
use crate::printer::{Row, Style, clock, line, truncate};

/// Longest line that is to be read at a glance.
const HEADLINE: usize = 100;
/// Where to find what is folded.
const MORE: &str = "(paseo logs --full)";

/// How much of an item a transcript shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Of a change, only how many lines; of a tool's output, nothing.
    Counted,
    /// What is long is folded, and says so.
    Folded,
    /// All of the text that the item has.
    Whole,
}

/// A piece of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Its number and time. Without one it belongs to the block before.
    pub(crate) stamp: Option<String>,
    pub(crate) style: Style,
    pub(crate) head: String,
    pub(crate) body: Body,
}

/// What stands below the head of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Nothing,
    /// As it is.
    Text(String),
    /// What the agent said.
    Answer(String),
    Rows(Vec<Row>),
}

/// Knows, from one item to the next, where a transcript was cleared.
#[derive(Debug, Default)]
pub(crate) struct Clearing {
    within: bool,
}

/// How an item of a transcript that may have been cleared is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Shown,
    /// The first of those that were cleared: one line stands for them all.
    Cleared,
    Hidden,
}

impl Clearing {
    /// Takes the next item. What was cleared has lost its text; up to the next text, all else goes with it.
    pub(crate) fn next(&mut self, item: &ItemView) -> Fate {
        let lost = item.text.is_none()
            && (self.within
                || matches!(item.kind(), ItemKind::UserText | ItemKind::AssistantText | ItemKind::Thinking));
        let before = std::mem::replace(&mut self.within, lost);
        match (before, lost) {
            (_, false) => Fate::Shown,
            (false, true) => Fate::Cleared,
            (true, true) => Fate::Hidden,
        }
    }
}

/// Says of text that grew on a screen that it does not count.
pub(crate) const BROKE_OFF: &str = "this attempt failed; its text is not part of the answer";

impl Block {
    /// Makes a block of words that are no item.
    pub(crate) fn head(words: &str) -> Self {
        Self { stamp: Some(String::new()), style: Style::Dim, head: words.to_owned(), body: Body::Nothing }
    }

    /// Returns its first line.
    pub(crate) fn line(&self) -> String {
        match &self.stamp {
            Some(stamp) if !stamp.is_empty() => format!("{stamp} {}", self.head),
            _ => self.head.clone(),
        }
    }

    fn new(item: &ItemView, style: Style, head: impl Into<String>) -> Self {
        Self { stamp: Some(stamp(item)), style, head: head.into(), body: Body::Nothing }
    }

    fn text(self, text: impl Into<String>) -> Self {
        let text: String = text.into();
        Self { body: if text.is_empty() { Body::Nothing } else { Body::Text(text) }, ..self }
    }
}

/// Says whether an item begins something in a transcript. What belongs to something else, and what only machines read,
/// does not.
pub(crate) fn is_entry(item: &ItemView) -> bool {
    !matches!(item.kind(), ItemKind::ToolResult | ItemKind::Usage | ItemKind::Raw)
}

/// Returns an item as a block of a transcript. `None` for what only machines read. Calls of tools and their results
/// belong together: see [`Transcript`].
fn block(item: &ItemView, extent: Extent, people: &People) -> Option<Block> {
    let text = item.text.as_deref().unwrap_or_default();
    let whole = || match item.full_length {
        Some(length) => format!("{text}\n… {length} bytes in all {MORE}"),
        None => text.to_owned(),
    };
    let block = |style, head: &str| Block::new(item, style, head);
    let broken = if item.superseded { " (in a failed attempt)" } else { "" };
    Some(match &item.body {
        ItemBody::UserText(said) => {
            let mut lines: Vec<String> =
                Some(whole()).filter(|text| !text.trim().is_empty()).into_iter().collect();
            lines.extend(attachments::described(&said.attachments));
            let who = people.shown(&said.origin);
            // Corrections and notices are for the agent, and no one wrote them.
            let (style, who) = match said.origin.as_str() {
                "daemon" => (Style::Dim, format!("{who} (automatic message)")),
                _ => (Style::Bold, who),
            };
            block(style, &who).text(lines.join(
                "
",
            ))
        }
        ItemBody::AssistantText(_) => {
            Block { body: Body::Answer(whole()), ..block(Style::Dim, &format!("agent{broken}")) }
        }
        ItemBody::Thinking(_) => {
            Block { body: Body::Text(whole()), ..block(Style::Dim, &format!("agent, thinking{broken}")) }
        }
        ItemBody::Todo(_) => Block { body: todo(text), ..block(Style::Dim, "todo") },
        ItemBody::Error(error) => {
            // Why something failed is what people look here for: it is never cut.
            let head = format!("error ({})", error.code);
            let cause = text.trim();
            match cause.contains('\n') || item.full_length.is_some() {
                true => block(Style::Red, &head).text(whole().trim()),
                false => block(Style::Red, &format!("{head}: {}", line(cause))),
            }
        }
        ItemBody::Notice(_) => {
            let head = format!("note: {}", truncate(&line(text.trim()), HEADLINE));
            // What the headline says whole need not be said twice.
            let cut = extent == Extent::Whole && (text.trim().contains('\n') || head.ends_with('…'));
            block(Style::Dim, &head).text(if cut { text } else { "" })
        }
        ItemBody::Permission(asked) => {
            let said = asked.decision.is_some() || asked.headline.as_deref() == Some(text.trim());
            block(Style::Yellow, &permission(asked, text, people)).text(if said { "" } else { text })
        }
        ItemBody::ToolCall(_)
        | ItemBody::ToolResult(_)
        | ItemBody::Usage(_)
        | ItemBody::Raw(_)
        | ItemBody::Other { .. } => return None,
    })
}

/// Says what is asked, or who decided what.
fn permission(asked: &PermissionFields, text: &str, people: &People) -> String {
    let text = || truncate(&line(text.trim()), HEADLINE);
    let what = asked.headline.as_deref().map_or_else(text, line);
    let by = asked.by.as_ref().map(|by| format!(" by {}", line(&people.shown(by)))).unwrap_or_default();
    let head = match &asked.decision {
        None => "asks".to_owned(),
        Some(Decision::Allow) => format!("allowed{by}"),
        Some(Decision::Deny) => format!("denied{by}"),
        Some(Decision::Withdrawn) => "withdrawn".to_owned(),
        Some(Decision::Other(decision)) => format!("{decision}{by}"),
    };
    if what.is_empty() { head } else { format!("{head}: {what}") }
}

/// Shows a list of things to do.
fn todo(text: &str) -> Body {
    let entries: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    let row = |entry: &Value| {
        let (mark, style) = match entry.get("status")?.as_str()? {
            "completed" => ("☑", Style::Dim),
            "cancelled" => ("☒", Style::Dim),
            "in_progress" => ("▸", Style::Bold),
            _ => ("☐", Style::Plain),
        };
        Some(Row::of(style, format!("{mark} {}", line(entry.get("content")?.as_str()?))))
    };
    match entries.iter().map(row).collect::<Option<Vec<Row>>>() {
        Some(rows) if !rows.is_empty() => Body::Rows(rows),
        _ => Body::Text(text.to_owned()),
    }
}

fn stamp(item: &ItemView) -> String {
    format!("#{} {}", item.ordinal, clock(item.ts))
}

#[cfg(test)]
mod tests;
