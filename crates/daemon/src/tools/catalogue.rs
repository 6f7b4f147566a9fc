//! Which server has which tools, and what each is for.

use paseo_core::tool::{Grants, READ_TAB, SEND_TO_TAB, SET_BRANCH, SET_TITLE};
use serde_json::{Value, json};

/// A server by its name, with everything it could offer.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    tools: &'static [Tool],
}

/// A tool as agents read about it.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// JSON schema of the arguments.
    pub(crate) schema: fn() -> Value,
}

impl Server {
    /// Returns the tools that a session may use. What is not granted is never advertised.
    pub(crate) fn granted<'a>(&self, grants: &'a Grants) -> impl Iterator<Item = &'static Tool> + use<'a> {
        self.tools.iter().filter(|tool| grants.check(tool.name).is_ok())
    }
}

/// All servers.
pub(crate) static SERVERS: &[Server] = &[
    // Exactly these two, and only for agents in the app.
    Server { name: "Paseo", tools: UI },
    // Whatever else is granted.
    Server { name: "paseo-tools", tools: TABS },
];

const UI: &[Tool] = &[
    Tool {
        name: SET_TITLE,
        description: "Sets the title that people see for the current task. Call it once per task, as soon as \
                          you understand what is wanted; a few words, no full stop.",
        schema: || {
            json!({
                "type": "object",
                "properties": { "title": { "type": "string", "description": "A few words." } },
                "required": ["title"],
                "additionalProperties": false,
            })
        },
    },
    Tool {
        name: SET_BRANCH,
        description: "Names the git branch of your worktree, for example `fix-login-timeout`. Call it once, \
                          together with set_title.",
        schema: || {
            json!({
                "type": "object",
                "properties": { "name": { "type": "string", "description": "The new name of the branch." } },
                "required": ["name"],
                "additionalProperties": false,
            })
        },
    },
];

const TABS: &[Tool] = &[
    Tool {
        name: SEND_TO_TAB,
        description: "Delivers a message to another agent, named by its short handle (any unique prefix of its id, at \
                      least 4 characters). A busy agent takes it up after its turn, an idle one starts a new turn. \
                      Returns at once and does not wait for an answer; the other one sees who sent it.",
        schema: || {
            json!({
                "type": "object",
                "properties": {
                    "tab_id": { "type": "string", "description": "The short handle of the other agent." },
                    "message": { "type": "string", "description": "What to tell it." },
                },
                "required": ["tab_id", "message"],
                "additionalProperties": false,
            })
        },
    },
    Tool {
        name: READ_TAB,
        description: "Returns the last completed answer of another agent, named by its short handle, with its status \
                      (idle, running or error). A snapshot: it never waits.",
        schema: || {
            json!({
                "type": "object",
                "properties": {
                    "tab_id": { "type": "string", "description": "The short handle of the other agent." },
                },
                "required": ["tab_id"],
                "additionalProperties": false,
            })
        },
    },
];
