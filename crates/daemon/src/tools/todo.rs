//! `todo`: the list of what is to be done, as agents read about it. The rules are in `core::todo`.

use serde_json::{Value, json};

use super::catalogue::lenient;

/// What agents read about it.
pub(super) fn described() -> (String, Value) {
    let text = "Keeps a list of what is to be done, for you and for the people who follow your work. Each call replaces the \
        whole list: always send every entry. There are no ids.\n\
        Use it when a task has three steps or more, when a person gives you several tasks, and when you find work that must \
        not be forgotten. Do not use it for a single simple step, or for mere talk.\n\
        States: pending, in_progress (exactly one at a time), completed (at once when it is done), cancelled (not needed any \
        more). An empty list clears it.";
    let parts = json!({
        "content": { "type": "string", "description": "What is to be done, in a few words." },
        "status": { "type": "string", "description": "pending (the default), in_progress, completed or cancelled." },
        "priority": { "type": "string", "description": "high, medium (the default) or low." },
    });
    let example = json!([
        { "content": "Run the build", "status": "in_progress" },
        { "content": "Fix what fails", "status": "pending" },
    ]);
    let properties = json!({
        "todos": {
            "type": "array",
            "items": lenient(parts, &["content"]),
            "description": "The whole list, in order.",
            "examples": [example],
        },
    });
    (text.to_owned(), lenient(properties, &["todos"]))
}
