use serde_json::json;

use super::*;

fn item(kind: &str, fields: Value, text: &str) -> ItemView {
    serde_json::from_value(json!({
        "id": "i", "ordinal": 3, "seq": 9, "ts": "2026-01-31T12:00:00.000Z", "turn": null, "step": 0,
        "parent": null, "kind": kind, "fields": fields, "text": text, "full_length": null,
    }))
    .unwrap()
}

fn call(id: &str, class: &str, title: &str) -> ItemView {
    item("tool_call", json!({"call": id, "name": "x", "class": class, "title": title}), "{}")
}

fn result(id: &str, outcome: &str, text: &str) -> ItemView {
    item("tool_result", json!({"call": id, "outcome": outcome, "duration_ms": 0}), text)
}

fn failed(id: &str, code: i32, text: &str) -> ItemView {
    let fields = json!({"call": id, "outcome": "error", "exit_code": code, "duration_ms": 0});
    item("tool_result", fields, text)
}

/// Shows blocks as text.
fn shown(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        if block.stamp.is_some() {
            text.push_str("# ");
        }
        text.push_str(&block.head);
        text.push('\n');
        match &block.body {
            Body::Nothing => {}
            Body::Text(body) | Body::Answer(body) => text.push_str(&format!("{body}\n")),
            Body::Rows(rows) => rows.iter().for_each(|row| text.push_str(&format!("{}\n", row.plain()))),
        }
    }
    text
}

fn all(extent: Extent, items: &[ItemView]) -> String {
    let mut transcript = Transcript::new(extent);
    let mut blocks: Vec<Block> =
        items.iter().flat_map(|item| transcript.take(item, &People::default())).collect();
    blocks.extend(transcript.rest());
    shown(&blocks)
}

fn one(item: &ItemView) -> String {
    all(Extent::Folded, std::slice::from_ref(item))
}

#[test]
fn a_call_and_what_came_of_it_belong_together() {
    let run = [call("1", "execute", "Run cargo test"), result("1", "ok", "fine\n")];
    assert_eq!(all(Extent::Folded, &run), "# Run cargo test\n\nfine\n");
    let silent = [call("1", "execute", "Run true"), result("1", "ok", "")];
    assert_eq!(all(Extent::Folded, &silent), "# Run true\n");
    let failed = failed("1", 101, "boom");
    assert_eq!(
        all(Extent::Folded, &[run[0].clone(), failed.clone()]),
        "# Run cargo test\nexit code 101\nboom\n"
    );
    // Two at once: which of them it was is said again.
    let both = [run[0].clone(), call("2", "execute", "Run make"), failed, result("2", "ok", "made")];
    let text = all(Extent::Folded, &both);
    assert_eq!(
        text,
        "# Run cargo test\n# Run make\n# Run cargo test: exit code 101\nboom\n# Run make\nmade\n"
    );
}

#[test]
fn what_is_refused_is_called_denied() {
    let edit = [call("1", "edit", "Edit a.rs"), result("1", "denied", "not allowed here")];
    assert_eq!(all(Extent::Folded, &edit), "# Edit a.rs: denied\nnot allowed here\n");
    let run = [call("1", "execute", "Run rm x"), result("1", "denied", "")];
    assert_eq!(all(Extent::Folded, &run), "# Run rm x\ndenied\n");
    let stopped = [call("1", "execute", "Run sleep 9"), result("1", "interrupted", "")];
    assert_eq!(all(Extent::Folded, &stopped), "# Run sleep 9\ninterrupted\n");
}

#[test]
fn in_lines_every_end_names_its_call_and_says_why() {
    let mut transcript = Transcript::in_lines();
    let items = [
        call("1", "execute", "Run true"),
        result("1", "ok", "fine"),
        call("2", "execute", "Run touch x"),
        result("2", "denied", "the agent may only read"),
        call("3", "execute", "Run make"),
        failed("3", 2, "boom\nmore"),
        call("4", "read", "Read a.rs"),
        result("4", "ok", "fn main() {}"),
    ];
    let blocks: Vec<Block> =
        items.iter().flat_map(|item| transcript.take(item, &People::default())).collect();
    let heads: Vec<&str> = blocks.iter().map(|block| block.head.as_str()).collect();
    assert_eq!(
        heads,
        [
            "Run true",
            "Run touch x",
            "Run touch x: denied: the agent may only read",
            "Run make",
            "Run make: exit code 2: boom",
            "Read a.rs"
        ]
    );
}

#[test]
fn edits_are_counted_and_shown_as_a_diff() {
    let patch = "--- a.rs\n+++ a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+--- three\n four\n";
    let edited = |diffs: Value| {
        let fields = json!({"call": "1", "outcome": "ok", "duration_ms": 0, "diffs": diffs});
        item("tool_result", fields, "File updated")
    };
    let one = edited(json!([{"path": "/p/a.rs", "patch": patch}]));
    let items = [call("1", "edit", "Edit a.rs"), one.clone()];
    let text = all(Extent::Folded, &items);
    assert_eq!(text, "# Edit a.rs +2 −1\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+--- three\n four\n");
    assert_eq!(all(Extent::Counted, &items), "# Edit a.rs +2 −1\n");

    let mut transcript = Transcript::new(Extent::Folded);
    transcript.take(&items[0], &People::default());
    let blocks = transcript.take(&one, &People::default());
    let Body::Rows(rows) = &blocks[0].body else { panic!("no rows") };
    let inks: Vec<_> = rows.iter().map(|row| row.0[0].ink).collect();
    assert_eq!(inks[2..5], [Style::Red.into(), Style::Green.into(), Style::Green.into()]);

    let long: String = (0..100).map(|line| format!("+{line}\n")).collect();
    let diffs = json!([{"path": "a", "patch": format!("@@ -0,0 +1,100 @@\n{long}")}, {"path": "b", "patch": "@@ -1 +1 @@\n-x\n+y\n"}]);
    let items = [items[0].clone(), edited(diffs)];
    let folded = all(Extent::Folded, &items);
    assert!(folded.starts_with("# Edit a.rs +101 −1\na +100 −0\n"), "{folded}");
    assert!(folded.ends_with("… 46 more lines (paseo logs --full)\n"), "{folded}");
    assert!(all(Extent::Whole, &items).ends_with("b +1 −1\n@@ -1 +1 @@\n-x\n+y\n"));
    assert_eq!(all(Extent::Counted, &items), "# Edit a.rs +101 −1\na +100 −0\nb +1 −1\n");
}

#[test]
fn what_was_read_stands_in_the_file() {
    let read = [call("1", "read", "Read a.rs"), result("1", "ok", "fn main() {}")];
    assert_eq!(all(Extent::Folded, &read), "# Read a.rs\n");
    assert_eq!(all(Extent::Whole, &read), "# Read a.rs\nfn main() {}\n");
    let failed = [call("1", "read", "Read a.rs"), result("1", "error", "no such file")];
    assert_eq!(all(Extent::Folded, &failed), "# Read a.rs: failed\nno such file\n");
    // Nothing came of it, and it is shown all the same.
    assert_eq!(all(Extent::Folded, &read[..1]), "# Read a.rs\n");
}

#[test]
fn an_ask_says_what_it_is_about_and_who_decided() {
    let json = r#"{"tool":"Bash","input":{"command":"touch x"}}"#;
    let ask = |fields: Value| one(&item("permission", fields, json));
    let open = ask(json!({"hash": "h", "headline": "runs `touch x` in /p"}));
    assert_eq!(open, format!("# asks: runs `touch x` in /p\n{json}\n"));
    let decided =
        ask(json!({"hash": "h", "decision": "allow", "by": "human:cli", "headline": "runs `touch x` in /p"}));
    assert_eq!(decided, "# allowed by you: runs `touch x` in /p\n");
    // Of those that were asked before there were headlines.
    assert_eq!(one(&item("permission", json!({"hash": "h"}), "may I")), "# asks: may I\nmay I\n");
}

#[test]
fn what_paseo_tells_an_agent_is_marked() {
    let said =
        |origin: &str| one(&item("user_text", json!({"delivery": "d", "origin": origin}), "Answer again"));
    assert_eq!(said("human:cli"), "# you\nAnswer again\n");
    assert_eq!(said("daemon"), "# Paseo (automatic message)\nAnswer again\n");
}

#[test]
fn long_output_is_folded_unless_all_is_wanted() {
    let run = |text: &str| [call("1", "execute", "Run x"), result("1", "ok", text)];
    let folded = all(Extent::Folded, &run(&"x\n".repeat(40)));
    assert!(folded.ends_with("x\n… 28 more lines (paseo logs --full)\n"), "{folded}");
    assert_eq!(all(Extent::Whole, &run(&"x\n".repeat(40))).matches('x').count(), 41);
    assert_eq!(all(Extent::Counted, &run("x")), "# Run x\n");
    let [call, result] = run("x");
    let large = ItemView { full_length: Some(9000), ..result };
    assert!(all(Extent::Folded, &[call, large]).ends_with("… 9000 bytes in all (paseo logs --full)\n"));
    assert_eq!(one(&item("usage", json!({}), "")), "");
}

#[test]
fn the_cause_of_an_error_is_told_whole() {
    let error = |text: &str| one(&item("error", json!({"code": "start_failed"}), text));
    let long = "x".repeat(300);
    assert_eq!(error(&long), format!("# error (start_failed): {long}\n"));
    assert_eq!(error("it said:\n\nboom\n"), "# error (start_failed)\nit said:\n\nboom\n");
}

#[test]
fn colours_of_tools_are_not_shown() {
    let coloured = [call("1", "execute", "Run x"), result("1", "ok", "\u{1b}[32mok\u{1b}[0m")];
    assert!(all(Extent::Whole, &coloured).ends_with("\nok\n"));
}

#[test]
fn lists_of_things_to_do_are_lists() {
    let list =
        json!([{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]).to_string();
    let todo = item("todo", json!({}), &list);
    assert_eq!(one(&todo), "# todo\n☑ a\n☐ b\n");
    // The call that wrote it says nothing else, unless it is refused.
    let call = item(
        "tool_call",
        json!({"call": "1", "name": "mcp__paseo__todo", "class": "other", "title": "todo"}),
        "{}",
    );
    assert_eq!(all(Extent::Folded, &[call.clone(), todo, result("1", "ok", "[x] a")]), "# todo\n☑ a\n☐ b\n");
    assert_eq!(all(Extent::Folded, &[call, result("1", "error", "no list")]), "# todo: failed\nno list\n");
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
    let call = |title: &str| {
        item(
            "tool_call",
            json!({"call": "1", "name": "shell", "class": "execute", "title": title}),
            "the whole input",
        )
    };
    assert_eq!(all(Extent::Whole, &[call("Run ls")]), "# Run ls\n");
    assert!(!all(Extent::Folded, &[call(&"x".repeat(300))]).contains("whole"));
    assert!(all(Extent::Whole, &[call(&"x".repeat(300))]).contains("the whole input"));
}
