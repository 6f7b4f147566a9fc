//! The list of what is to be done: always written as a whole, without ids.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::{TODO_CHARS, TODOS};

/// How much of an unknown word is quoted, in characters.
const WORD_CHARS: usize = 40;
/// How many unknown fields are named.
const IGNORED: usize = 10;
/// What an entry is made of.
const FIELDS: [&str; 3] = ["content", "status", "priority"];

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    pub content: String,
    pub status: Status,
    pub priority: Priority,
}

/// Where an entry stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

/// How important an entry is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

/// Why a list is refused. The old one stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("`todos` is missing: pass the whole list of entries each time")]
    NoList,
    #[error("entry {0} has no `content`: describe the step in a few words")]
    NoContent(usize),
    #[error("the content of entry {0} is longer than {TODO_CHARS} characters")]
    Long(usize),
    #[error("the list has {0} entries; the limit is {TODOS}")]
    Many(usize),
}

/// A list as an agent wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    pub todos: Vec<Todo>,
    /// Unknown words that were replaced by the defaults.
    pub unknown: Vec<Unknown>,
    /// Unknown fields that were left out, of the input and of its entries: quoted, sorted, each once.
    pub ignored: Vec<String>,
}

/// An unknown word, and what it counts as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {entry} was set to {taken}: {word} is not a valid {field}; known: {known}")]
pub struct Unknown {
    /// Which entry, counted from 1.
    entry: usize,
    field: &'static str,
    /// As it was written, shortened.
    word: String,
    taken: &'static str,
    known: &'static str,
}

/// Reads a list as an agent wrote it. An unknown status or priority becomes the default, and unknown fields are left out.
pub fn read(input: &Value) -> Result<List, Refused> {
    let entries = input.get("todos").and_then(Value::as_array).ok_or(Refused::NoList)?;
    if entries.len() > TODOS {
        return Err(Refused::Many(entries.len()));
    }
    let mut unknown = Vec::new();
    let mut read = |(number, entry): (usize, &Value)| {
        let content = entry.get("content").and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if content.is_empty() {
            return Err(Refused::NoContent(number + 1));
        }
        if content.chars().count() > TODO_CHARS {
            return Err(Refused::Long(number + 1));
        }
        Ok(Todo {
            content: content.to_owned(),
            status: word(entry, "status").unwrap_or_else(|word| {
                let (field, taken, known) =
                    ("status", "pending", "pending, in_progress, completed, cancelled");
                unknown.push(Unknown { entry: number + 1, field, word, taken, known });
                Status::default()
            }),
            priority: word(entry, "priority").unwrap_or_else(|word| {
                let (field, taken, known) = ("priority", "medium", "high, medium, low");
                unknown.push(Unknown { entry: number + 1, field, word, taken, known });
                Priority::default()
            }),
        })
    };
    let todos = entries.iter().enumerate().map(&mut read).collect::<Result<_, _>>()?;
    Ok(List { todos, unknown, ignored: ignored(input, entries) })
}

fn ignored(input: &Value, entries: &[Value]) -> Vec<String> {
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flat_map(|object| object.keys().cloned()).collect()
    };
    let of_input = keys(input).into_iter().filter(|key| key != "todos");
    let of_entries = entries.iter().flat_map(keys).filter(|key| !FIELDS.contains(&key.as_str()));
    let names: BTreeSet<String> = of_input.chain(of_entries).collect();
    names.iter().take(IGNORED).map(|name| quote(name)).collect()
}

/// Reads one of the words that there are; nothing is the usual one. The error is the word, shortened.
fn word<T: Default + DeserializeOwned>(entry: &Value, name: &str) -> Result<T, String> {
    match entry.get(name) {
        None | Some(Value::Null) => Ok(T::default()),
        Some(word) => serde_json::from_value(word.clone()).map_err(|_| {
            let plain = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
            quote(&plain)
        }),
    }
}

fn quote(word: &str) -> String {
    let short: String = word.chars().take(WORD_CHARS).flat_map(char::escape_debug).collect();
    format!("`{short}`")
}

/// Returns a list as the log holds it.
pub fn encode(todos: &[Todo]) -> String {
    // Plain data with string keys always serialises.
    serde_json::to_string(todos).unwrap_or_default()
}

/// Returns a list as the agent that wrote it reads it, with what was not understood.
pub fn echo(list: &List) -> String {
    let empty = list.todos.is_empty().then(|| "The list is empty.".to_owned());
    let ignored = (!list.ignored.is_empty()).then(|| {
        let names = list.ignored.join(", ");
        format!("(ignored: {names}; entries only have content, status and priority)")
    });
    let lines = list.todos.iter().map(|todo| {
        let mark = match todo.status {
            Status::Pending => "[ ]",
            Status::InProgress => "[>]",
            Status::Completed => "[x]",
            Status::Cancelled => "[-]",
        };
        let priority = match todo.priority {
            Priority::High => " (high)",
            Priority::Low => " (low)",
            Priority::Medium => "",
        };
        format!("{mark} {}{priority}", todo.content)
    });
    let unknown = list.unknown.iter().map(|unknown| format!("({unknown})"));
    empty.into_iter().chain(lines).chain(unknown).chain(ignored).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_words_count_as_the_usual_ones() {
        let list = read(&json!({ "todos": [
            { "content": " a ", "status": "in_progress", "priority": "high" },
            { "content": "b", "status": "blocked" },
            { "content": "c", "status": null, "priority": 3 },
        ] }))
        .unwrap();
        let found: Vec<_> =
            list.todos.iter().map(|todo| (todo.content.as_str(), todo.status, todo.priority)).collect();
        assert_eq!(
            found,
            [
                ("a", Status::InProgress, Priority::High),
                ("b", Status::Pending, Priority::Medium),
                ("c", Status::Pending, Priority::Medium),
            ]
        );
        // Their author is told.
        assert_eq!(
            echo(&list),
            "[>] a (high)\n[ ] b\n[ ] c\n(entry 2 was set to pending: `blocked` is not a valid status; known: pending, in_progress, completed, cancelled)\n(entry 3 was set to medium: `3` is not a valid priority; known: high, medium, low)"
        );
        assert_eq!(serde_json::from_str::<Vec<Todo>>(&encode(&list.todos)).unwrap(), list.todos);
    }

    #[test]
    fn unknown_fields_are_left_out_and_said() {
        let list = read(&json!({ "merge": true, "todos": [
            { "content": "a", "id": "1", "activeForm": "Doing a" },
            { "content": "b", "state": "completed", "id": 2 },
        ] }))
        .unwrap();
        assert_eq!(
            echo(&list),
            "[ ] a\n[ ] b\n(ignored: `activeForm`, `id`, `merge`, `state`; entries only have content, status and priority)"
        );
        let cleared = read(&json!({ "todos": [], "merge": true })).unwrap();
        assert!(echo(&cleared).starts_with("The list is empty.\n(ignored: `merge`;"), "{}", echo(&cleared));
        let many: serde_json::Map<String, Value> = (0..1_000)
            .map(|n| (format!("{n:050}"), json!(0)))
            .chain([("todos".to_owned(), json!([]))])
            .collect();
        assert!(echo(&read(&Value::Object(many)).unwrap()).len() < 1_000, "the answer stays short");
    }

    #[test]
    fn an_empty_list_clears() {
        let list = read(&json!({ "todos": [] })).unwrap();
        assert_eq!((list.todos.len(), echo(&list).as_str()), (0, "The list is empty."));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert_eq!(read(&json!({ "todos": "a" })), Err(Refused::NoList));
        assert_eq!(read(&json!({})), Err(Refused::NoList));
        assert_eq!(read(&json!({ "todos": [{ "content": "a" }, {}] })), Err(Refused::NoContent(2)));
        assert_eq!(read(&json!({ "todos": [{ "content": " " }] })), Err(Refused::NoContent(1)));
        let long = "x".repeat(TODO_CHARS + 1);
        assert_eq!(read(&json!({ "todos": [{ "content": long }] })), Err(Refused::Long(1)));
        let many: Vec<Value> = vec![json!({ "content": "a" }); TODOS + 1];
        assert_eq!(read(&json!({ "todos": many })), Err(Refused::Many(TODOS + 1)));
    }
}
