//! A transcript as agents leave it: messages, thoughts, calls with their results, answers in Markdown.

use paseo_core::actor::Actor;
use paseo_core::id::DeliveryId;
use paseo_core::item::{Diff, Draft, Kind, ToolCallExtra, ToolClass, ToolOutcome, ToolResultExtra};
use serde::Serialize;
use uuid::Uuid;

/// Items until it begins anew: a message, and what an agent does about it.
const ROUND: u64 = 10;

/// Returns an item by its ordinal. One whose ordinal is a multiple of ten is an answer that names it.
pub(crate) fn item(ordinal: u64) -> Draft {
    let path = format!("src/part_{}.rs", ordinal / ROUND);
    match (ordinal - 1) % ROUND {
        0 => {
            let delivery = DeliveryId::from_uuid(Uuid::now_v7());
            let kind = Kind::UserText { origin: Actor::Human("web".into()), delivery };
            Draft::text(kind, format!("Please look at `{path}`: it is slow when the list is long."))
        }
        1 => {
            Draft::text(Kind::Thinking, format!("Reading {path} first, then what calls it, then the tests."))
        }
        2 => call(ordinal, "Read", ToolClass::Read, format!(r#"{{"file_path":"{path}"}}"#), &path),
        3 => result(ordinal, SOURCE.to_owned(), ToolResultExtra::default()),
        4 => call(ordinal, "Edit", ToolClass::Edit, format!(r#"{{"file_path":"{path}"}}"#), &path),
        5 => {
            let diffs = vec![Diff { path, patch: PATCH.to_owned() }];
            result(ordinal, "The file was changed.".to_owned(), ToolResultExtra::of(diffs))
        }
        6 => {
            call(ordinal, "Bash", ToolClass::Execute, r#"{"command":"cargo test"}"#.to_owned(), "cargo test")
        }
        7 => result(ordinal, OUTPUT.repeat(6), ToolResultExtra::default()),
        8 => Draft::text(Kind::AssistantText, format!("All tests pass, also those of `{path}`.")),
        _ => Draft::text(Kind::AssistantText, answer(ordinal)),
    }
}

/// Returns an answer that can be told from all others.
pub(crate) fn answer(number: u64) -> String {
    format!("### Part {number}\n\n{ANSWER}")
}

fn call(ordinal: u64, name: &str, class: ToolClass, input: String, title: &str) -> Draft {
    let kind = Kind::ToolCall { call: format!("call-{ordinal}"), name: name.to_owned(), class };
    let extra = ToolCallExtra { title: title.to_owned(), locations: Vec::new() };
    Draft { kind, text: Some(input), extra: Some(json(&extra)) }
}

fn result(ordinal: u64, output: String, extra: ToolResultExtra) -> Draft {
    let call = format!("call-{}", ordinal - 1);
    let kind = Kind::ToolResult { call, outcome: ToolOutcome::Ok, exit_code: Some(0), duration_ms: 42 };
    Draft { kind, text: Some(output), extra: Some(json(&extra)) }
}

fn json<T: Serialize>(extra: &T) -> String {
    serde_json::to_string(extra).expect("side information as JSON")
}

const SOURCE: &str = "\
pub fn find<'a>(list: &'a [Entry], name: &str) -> Option<&'a Entry> {
    // Looks at all of them.
    list.iter().filter(|entry| entry.name == name).next()
}
";

const PATCH: &str = "\
@@ -1,4 +1,4 @@
-pub fn find<'a>(list: &'a [Entry], name: &str) -> Option<&'a Entry> {
-    // Looks at all of them.
-    list.iter().filter(|entry| entry.name == name).next()
+pub fn find<'a>(list: &'a Sorted, name: &str) -> Option<&'a Entry> {
+    let at = list.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok()?;
+    list.get(at)
 }
";

const OUTPUT: &str = "test parts::a_name_is_found_in_a_long_list ... ok\n\
test parts::a_name_that_is_not_there_is_not_found ... ok\n";

const ANSWER: &str = "\
The list was searched from its beginning for **every** name. It is sorted now, and `find` halves it:

- a list of *ten thousand* names takes 14 steps;
- what calls it stays as it was.

```rust
let at = list.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok()?;
```

| names | before | after |
|---|---|---|
| 100 | 50 | 7 |
| 10,000 | 5,000 | 14 |
";
