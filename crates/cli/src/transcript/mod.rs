//! Items as people read them.

mod calls;
mod changes;

use paseo_wire::item::ItemView;
use paseo_wire::words::ItemKind;
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

/// What becomes of an item in a transcript that may have been cleared.
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
            && (self.within || matches!(item.kind.as_str(), "user_text" | "assistant_text" | "thinking"));
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
    !matches!(item.kind.as_str(), "tool_result" | "usage" | "raw")
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
    Some(match item.kind.as_str() {
        "user_text" => {
            let said = whole();
            let mut lines: Vec<String> =
                Some(said).filter(|said| !said.trim().is_empty()).into_iter().collect();
            lines.extend(attachments::lines(item));
            let who = people.shown(field(item, "origin").unwrap_or("human:cli"));
            block(Style::Bold, &who).text(lines.join("\n"))
        }
        "assistant_text" | "thinking" => {
            let thinks = if item.kind == ItemKind::Thinking { "agent, thinking" } else { "agent" };
            let broken = if item.superseded { " (in a failed attempt)" } else { "" };
            let body =
                if item.kind == ItemKind::Thinking { Body::Text(whole()) } else { Body::Answer(whole()) };
            Block { body, ..block(Style::Dim, &format!("{thinks}{broken}")) }
        }
        "todo" => Block { body: todo(text), ..block(Style::Dim, "todo") },
        "error" => {
            // Why something failed is what people look here for: it is never cut.
            let head = format!("error ({})", field(item, "code").unwrap_or("?"));
            let cause = text.trim();
            match cause.contains('\n') || item.full_length.is_some() {
                true => block(Style::Red, &head).text(whole().trim()),
                false => block(Style::Red, &format!("{head}: {}", line(cause))),
            }
        }
        "notice" => {
            let head = format!("note: {}", truncate(&line(text.trim()), HEADLINE));
            // What the headline says whole need not be said twice.
            let cut = extent == Extent::Whole && (text.trim().contains('\n') || head.ends_with('…'));
            block(Style::Dim, &head).text(if cut { text } else { "" })
        }
        "permission" => {
            let said = field(item, "decision").is_some() || field(item, "headline") == Some(text.trim());
            block(Style::Yellow, &permission(item, people)).text(if said { "" } else { text })
        }
        _ => return None,
    })
}

/// Says what is asked, or who decided what.
fn permission(item: &ItemView, people: &People) -> String {
    let text = || truncate(&line(item.text.as_deref().unwrap_or_default().trim()), HEADLINE);
    let what = field(item, "headline").map_or_else(text, line);
    let by = field(item, "by").map(|by| format!(" by {}", line(&people.shown(by)))).unwrap_or_default();
    let head = match field(item, "decision") {
        None => "asks".to_owned(),
        Some("allow") => format!("allowed{by}"),
        Some("deny") => format!("denied{by}"),
        Some("withdrawn") => "withdrawn".to_owned(),
        Some(decision) => format!("{decision}{by}"),
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

fn field<'a>(item: &'a ItemView, name: &str) -> Option<&'a str> {
    item.fields.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
