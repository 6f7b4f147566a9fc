//! `todo`: the list of what is to be done, as agents read about it. The rules are in `core::todo`.

use serde_json::{Value, json};

use super::catalogue::lenient;

/// What agents read about it.
pub(super) fn described() -> (String, Value) {
    let text = "Keep a to-do list for yourself and for the people who follow your work. Each call replaces \
                the whole list: always send every entry. There are no ids.\nUse it when a task has three \
                or more steps, when a person gives you several tasks, and when you discover work that must \
                not be forgotten. Do not use it for a single simple step or for plain \
                conversation.\nStates: pending, in_progress (exactly one at a time), completed (set as \
                soon as it is done), cancelled (no longer needed). An empty list clears it.";
    let parts = json!({
        "content": { "type": "string", "description": "The step in a few words." },
        "status": { "type": "string", "description": "pending (default), in_progress, completed or \
                                                      cancelled." },
        "priority": { "type": "string", "description": "high, medium (default) or low." },
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
