//! Items as people read them.

use paseo_wire::item::ItemView;
use serde_json::Value;

use crate::printer::{clock, line, truncate, uncoloured};

/// Longest headline of a tool call.
const HEADLINE: usize = 100;
/// Most lines of a tool's output that a transcript shows.
const OUTPUT_LINES: usize = 12;
/// Where to find what is folded.
const MORE: &str = "(paseo logs --full)";

/// How much of an item a transcript shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What is long is folded, and says so.
    Folded,
    /// All of the text that the item has.
    Whole,
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

/// Returns an item in one line: what was called, what came of it. `None` when there is nothing to tell.
pub(crate) fn headline(item: &ItemView) -> Option<String> {
    let text = || truncate(&line(item.text.as_deref().unwrap_or_default().trim()), HEADLINE);
    match item.kind.as_str() {
        "tool_call" => {
            let name = field(item, "name").unwrap_or("?");
            // The list stands in the result.
            if own_name(name) == "todo" {
                return Some(format!("tool {name}"));
            }
            let title = field(item, "title").filter(|title| tells_enough(title, name, item));
            let what = title.map_or_else(|| call_text(item), |title| truncate(&line(title), HEADLINE));
            Some(format!("tool {name}: {what}"))
        }
        "tool_result" => match field(item, "outcome") {
            Some("ok") | None => None,
            Some(outcome) => {
                let code = item.fields.get("exit_code").and_then(Value::as_i64);
                let code = code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
                Some(format!("tool {outcome}{code}"))
            }
        },
        "permission" => Some(permission(item, &text())),
        "notice" => Some(format!("note: {}", text())),
        "error" => Some(format!("error ({}): {}", field(item, "code").unwrap_or("?"), text())),
        _ => None,
    }
}

/// Says of text that grew on a screen that it does not count.
pub(crate) const BROKE_OFF: &str = "this attempt broke off; what it said is no part of the answer";

/// Returns an item as a block of a transcript: a head and its text. `None` for what only machines read.
pub(crate) fn block(item: &ItemView, extent: Extent) -> Option<(String, String)> {
    let text = item.text.clone().unwrap_or_default();
    let head = match item.kind.as_str() {
        "user_text" => field(item, "origin").unwrap_or("human").to_owned(),
        "assistant_text" if item.superseded => "agent, in an attempt that broke off".to_owned(),
        "thinking" if item.superseded => "agent thinks, in an attempt that broke off".to_owned(),
        "assistant_text" => "agent".to_owned(),
        "thinking" => "agent thinks".to_owned(),
        "todo" => "todo".to_owned(),
        "error" => {
            // Why something failed is what people look here for: it is never cut.
            let head = format!("error ({})", field(item, "code").unwrap_or("?"));
            let cause = text.trim();
            return Some(match (cause.contains('\n'), item.full_length) {
                (_, Some(length)) => {
                    (stamped(item, &head), format!("{cause}\n… {length} bytes in all {MORE}"))
                }
                (true, None) => (stamped(item, &head), cause.to_owned()),
                (false, None) => (stamped(item, &format!("{head}: {}", line(cause))), String::new()),
            });
        }
        "tool_call" | "notice" => {
            let head = headline(item)?;
            // What the headline says whole need not be said twice.
            let cut = extent == Extent::Whole && (text.trim().contains('\n') || head.ends_with('…'));
            return Some((stamped(item, &head), if cut { text } else { String::new() }));
        }
        "permission" => {
            let head = permission(item, "");
            // What the headline says whole need not be said twice.
            let said = field(item, "decision").is_some() || field(item, "headline") == Some(text.trim());
            return Some((stamped(item, &head), if said { String::new() } else { text }));
        }
        "tool_result" => {
            let head = headline(item).unwrap_or_else(|| "tool ok".to_owned());
            return Some((stamped(item, &head), folded(item, &uncoloured(&text), extent)));
        }
        _ => return None,
    };
    let text = match item.full_length {
        Some(length) => format!("{text}\n… {length} bytes in all {MORE}"),
        None => text,
    };
    Some((stamped(item, &head), text))
}

/// Says what is asked, or who decided what. `text` stands in where there is no headline.
fn permission(item: &ItemView, text: &str) -> String {
    let what = field(item, "headline").map_or_else(|| text.to_owned(), line);
    let by = field(item, "by").map(|by| format!(" by {}", line(by))).unwrap_or_default();
    let head = match field(item, "decision") {
        None => "asks".to_owned(),
        Some("allow") => format!("allowed{by}"),
        Some("deny") => format!("denied{by}"),
        Some("withdrawn") => "not answered, and withdrawn".to_owned(),
        Some(decision) => format!("{decision}{by}"),
    };
    if what.is_empty() { head } else { format!("{head}: {what}") }
}

fn stamped(item: &ItemView, head: &str) -> String {
    format!("#{} {} {head}", item.ordinal, clock(item.ts))
}

/// Returns the name of a tool without that of its server.
fn own_name(name: &str) -> &str {
    name.rsplit("__").next().unwrap_or(name)
}

/// Says whether a title stands for a call: it does not when it is the tool's name, or one of several things that a tool of
/// ours was told.
fn tells_enough(title: &str, name: &str, item: &ItemView) -> bool {
    let own = own_name(name);
    let server = name.strip_prefix("mcp__").and_then(|name| name.strip_suffix(own)?.strip_suffix("__"));
    let named = server
        .is_some_and(|server| title == format!("{own} of {server}") || title == format!("{server}: {own}"));
    let ours = server.is_some_and(|server| server.to_lowercase().starts_with("paseo"));
    let several = || arguments(item).is_some_and(|input| input.as_object().is_some_and(|all| all.len() > 1));
    !(title.is_empty() || title == own || named || ours && several())
}

fn arguments(item: &ItemView) -> Option<Value> {
    serde_json::from_str(item.text.as_deref()?).ok()
}

/// Shows the command of a shell call rather than its JSON.
fn call_text(item: &ItemView) -> String {
    let text = item.text.as_deref().unwrap_or_default();
    let command =
        arguments(item).and_then(|input| input.get("command").and_then(Value::as_str).map(str::to_owned));
    truncate(&line(command.as_deref().unwrap_or(text).trim()), HEADLINE)
}

fn folded(item: &ItemView, text: &str, extent: Extent) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.get(..OUTPUT_LINES).unwrap_or(&lines).join("\n");
    match item.full_length {
        _ if extent == Extent::Whole => text.to_owned(),
        // How many lines it has, only the whole text knows.
        Some(length) => format!("{shown}\n… {length} bytes in all {MORE}"),
        None if lines.len() > OUTPUT_LINES => {
            format!("{shown}\n… {} more lines {MORE}", lines.len() - OUTPUT_LINES)
        }
        None => text.to_owned(),
    }
}

fn field<'a>(item: &'a ItemView, name: &str) -> Option<&'a str> {
    item.fields.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(kind: &str, fields: Value, text: &str) -> ItemView {
        serde_json::from_value(json!({
            "id": "i", "ordinal": 3, "seq": 9, "ts": "2026-01-31T12:00:00.000Z", "turn": null, "step": 0,
            "parent": null, "kind": kind, "fields": fields, "text": text, "full_length": null,
        }))
        .unwrap()
    }

    #[test]
    fn a_call_is_one_line() {
        let call = item(
            "tool_call",
            json!({"name": "shell", "class": "execute"}),
            r#"{"command":"echo a\necho b"}"#,
        );
        assert_eq!(headline(&call).unwrap(), "tool shell: echo a echo b");
        let titled = item("tool_call", json!({"name": "edit", "title": "src/main.rs"}), "{}");
        assert_eq!(headline(&titled).unwrap(), "tool edit: src/main.rs");
        assert_eq!(headline(&item("tool_result", json!({"outcome": "ok"}), "fine")), None);
        let failed = item("tool_result", json!({"outcome": "error", "exit_code": 2}), "");
        assert_eq!(headline(&failed).unwrap(), "tool error (exit code 2)");
    }

    #[test]
    fn a_call_of_a_tool_of_ours_says_what_it_was_told() {
        let told = r#"{"agent":"scout","task":"look"}"#;
        let call = |name: &str, title: &str, text: &str| {
            headline(&item("tool_call", json!({"name": name, "title": title}), text)).unwrap()
        };
        assert_eq!(call("summon", "summon", told), format!("tool summon: {told}"));
        for title in ["scout", "summon of Paseo", "Paseo: summon", ""] {
            let head = call("mcp__Paseo__summon", title, told);
            assert_eq!(head, format!("tool mcp__Paseo__summon: {told}"));
        }
        let one = call("mcp__Paseo__set_title", "Back", r#"{"title":"Back"}"#);
        assert_eq!(one, "tool mcp__Paseo__set_title: Back");
        assert!(call("summon", "summon", &"x".repeat(300)).ends_with('…'));
        assert_eq!(call("todo", "todo", r#"{"todos":[]}"#), "tool todo", "the result has the list");
    }

    #[test]
    fn an_ask_says_what_it_is_about_and_who_decided() {
        let json = r#"{"tool":"Bash","input":{"command":"touch x"}}"#;
        let ask = |fields: Value| item("permission", fields, json);
        let open = ask(json!({"hash": "h", "headline": "runs `touch x` in /p"}));
        assert_eq!(headline(&open).unwrap(), "asks: runs `touch x` in /p");
        let (head, text) = block(&open, Extent::Folded).unwrap();
        assert!(head.ends_with("asks: runs `touch x` in /p"), "{head}");
        assert_eq!(text, json, "exactly what would be done stands below it");
        let fields = json!({"decision": "allow", "by": "human:cli", "headline": "runs `touch x` in /p"});
        let (head, text) = block(&ask(fields), Extent::Folded).unwrap();
        assert!(head.ends_with("allowed by human:cli: runs `touch x` in /p"), "{head}");
        assert_eq!(text, "");
        // Of those that were asked before there were headlines.
        assert_eq!(headline(&item("permission", json!({}), "may I")).unwrap(), "asks: may I");
        assert!(block(&ask(json!({"decision": "deny"})), Extent::Folded).unwrap().0.ends_with(" denied"));
    }

    #[test]
    fn long_output_is_folded_unless_all_is_wanted() {
        let long = item("tool_result", json!({"outcome": "ok"}), &"x\n".repeat(40));
        let (head, text) = block(&long, Extent::Folded).unwrap();
        assert_eq!(head, "#3 2026-01-31 12:00:00 tool ok");
        assert!(text.ends_with("… 28 more lines (paseo logs --full)"), "{text}");
        assert_eq!(block(&long, Extent::Whole).unwrap().1, "x\n".repeat(40));
        let large = ItemView { full_length: Some(9000), ..long };
        assert!(
            block(&large, Extent::Folded).unwrap().1.ends_with("… 9000 bytes in all (paseo logs --full)")
        );
        assert_eq!(block(&item("usage", json!({}), ""), Extent::Whole), None);
    }

    #[test]
    fn the_cause_of_an_error_is_told_whole() {
        let error = |text: &str| {
            block(&item("error", json!({"code": "start_failed"}), text), Extent::Folded).unwrap()
        };
        let long = "x".repeat(300);
        assert!(error(&long).0.ends_with(&format!("error (start_failed): {long}")), "{:?}", error(&long));
        let (head, text) = error("it said:\n\nboom\n");
        assert!(head.ends_with("error (start_failed)") && text == "it said:\n\nboom", "{head} {text}");
    }

    #[test]
    fn colours_of_tools_are_not_shown() {
        let coloured = item("tool_result", json!({"outcome": "ok"}), "\u{1b}[32mok\u{1b}[0m");
        assert_eq!(block(&coloured, Extent::Whole).unwrap().1, "ok");
    }

    #[test]
    fn one_line_stands_for_what_was_cleared() {
        let said = |kind: &str| item(kind, json!({}), "x");
        let lost = |kind: &str| ItemView { text: None, ..said(kind) };
        let items = [
            lost("user_text"),
            lost("tool_result"),
            lost("assistant_text"),
            lost("usage"),
            said("user_text"),
            lost("usage"),
            said("assistant_text"),
        ];
        let mut clearing = Clearing::default();
        let fates = items.each_ref().map(|item| clearing.next(item));
        use Fate::{Cleared, Hidden, Shown};
        assert_eq!(fates, [Cleared, Hidden, Hidden, Hidden, Shown, Shown, Shown]);
    }

    #[test]
    fn a_long_call_is_told_whole_when_all_is_wanted() {
        let call = |command: &str| {
            item("tool_call", json!({"name": "shell"}), &json!({ "command": command }).to_string())
        };
        assert_eq!(block(&call("ls"), Extent::Whole).unwrap().1, "");
        assert_eq!(block(&call(&"x".repeat(300)), Extent::Folded).unwrap().1, "");
        assert!(block(&call(&"x".repeat(300)), Extent::Whole).unwrap().1.contains(&"x".repeat(300)));
    }
}
