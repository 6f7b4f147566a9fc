//! Which server has which tools, and what each is for.

use paseo_core::tool::{Grants, SET_BRANCH, SET_TITLE};
use serde_json::{Value, json};

/// A server by its name, with everything it could offer.
pub(super) struct Server {
    pub(super) name: &'static str,
    tools: &'static [Tool],
}

/// A tool as agents read about it.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// JSON schema of the arguments.
    pub(super) schema: fn() -> Value,
}

impl Server {
    /// Returns the tools that a session may use. What is not granted is never advertised.
    pub(super) fn granted<'a>(&self, grants: &'a Grants) -> impl Iterator<Item = &'static Tool> + use<'a> {
        self.tools.iter().filter(|tool| grants.check(tool.name).is_ok())
    }
}

/// All servers.
pub(super) static SERVERS: &[Server] = &[Server {
    name: "Paseo",
    tools: &[
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
    ],
}];
