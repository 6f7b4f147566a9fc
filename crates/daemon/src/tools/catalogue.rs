//! Which server has which tools, and what each is for, as the agent that asks is told.

use paseo_core::definition::Definition;
use paseo_core::session::Session;
use paseo_core::tool::{
    AGENTS_LIST, AGENTS_MESSAGE, Grants, NOTIFY_WHEN_IDLE, Plugin, READ_TAB, RETRIEVE, SEND_TO_TAB,
    SET_BRANCH, SET_TITLE, SUMMON, THREADS_INVITE, THREADS_LIST, THREADS_PARTICIPANTS, THREADS_POST,
    THREADS_READ, TODO,
};
use serde_json::{Value, json};

use crate::sessions::Context;

/// The server of the two tools of agents in the app: exactly these, and only for them.
const UI_SERVER: &str = "Paseo";
/// The server of whatever else is granted.
const TOOLS_SERVER: &str = "paseo-tools";
/// All servers.
pub(crate) const SERVERS: [&str; 2] = [UI_SERVER, TOOLS_SERVER];

/// A tool as an agent reads about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Described {
    pub(crate) name: &'static str,
    pub(crate) plugin: Plugin,
    pub(crate) description: String,
    /// JSON schema of the arguments.
    pub(crate) schema: Value,
}

/// Returns the server that a plugin's tools are on.
pub(crate) fn server_of(plugin: Plugin) -> &'static str {
    if plugin == Plugin::Ui { UI_SERVER } else { TOOLS_SERVER }
}

/// Describes the tools that a session may call. What is not granted is never advertised.
pub(crate) fn describe(context: &Context, session: &Session, grants: &Grants) -> Vec<Described> {
    let callable = grants.specs().iter().filter(|spec| spec.power.is_none());
    callable
        .map(|spec| {
            let (description, schema) = text(context, session, grants, spec.name);
            Described { name: spec.name, plugin: spec.plugin, description, schema }
        })
        .collect()
}

fn text(context: &Context, session: &Session, grants: &Grants, name: &str) -> (String, Value) {
    match name {
        SET_TITLE => (
            "Set the title that people see for the current task. Call it once per task, as soon as you \
             understand the task; a few words, no full stop."
                .to_owned(),
            object(json!({ "title": { "type": "string", "description": "A few words." } }), &["title"]),
        ),
        SET_BRANCH => (
            "Name the git branch of your worktree, for example `fix-login-timeout`. Call it once, together \
             with set_title."
                .to_owned(),
            object(json!({ "name": { "type": "string", "description": "The new branch name." } }), &["name"]),
        ),
        SEND_TO_TAB => (
            "Deliver a message to another agent, named by its short handle (any unique prefix of its id, \
             at least 4 characters). A busy agent reads it after its turn; an idle one starts a new turn. \
             Returns immediately without waiting for an answer; the other agent sees who sent the message."
                .to_owned(),
            object(
                json!({
                    "tab_id": { "type": "string", "description": "The short handle of the other agent." },
                    "message": { "type": "string", "description": "The message." },
                }),
                &["tab_id", "message"],
            ),
        ),
        READ_TAB => (
            "Return everything another agent, named by its short handle, said in its last completed turn, \
             with its status (idle, running or error). A snapshot: it never waits. Text beyond 20,000 \
             characters is cut, as reported by `truncated`."
                .to_owned(),
            object(json!({ "tab_id": tab_id() }), &["tab_id"]),
        ),
        NOTIFY_WHEN_IDLE => (
            "Get one notice when another agent, named by its short handle, has nothing left to do. The \
             notice arrives with your next turn; do not wait or poll."
                .to_owned(),
            object(json!({ "tab_id": tab_id() }), &["tab_id"]),
        ),
        AGENTS_MESSAGE => super::agents::described(grants),
        AGENTS_LIST => {
            ("List the other agents you can message, by their ids.".to_owned(), object(json!({}), &[]))
        }
        SUMMON => {
            let catalogue = context.definitions.catalogue(&session.profile.project);
            let own = catalogue.followed(session);
            let sees = |other: &&Definition| own.as_ref().is_ok_and(|own| own.sees(other));
            let seen: Vec<&Definition> = catalogue.all().map(AsRef::as_ref).filter(sees).collect();
            super::summon::described(session, &seen, super::summon::Modes::of(context), grants)
        }
        RETRIEVE => super::summon::retrieve_described(),
        TODO => super::todo::described(),
        THREADS_LIST | THREADS_READ | THREADS_POST | THREADS_INVITE | THREADS_PARTICIPANTS => {
            super::threads::described(session, name)
        }
        of_worker if of_worker.starts_with("team_tmux_") => super::workers::described(of_worker),
        of_team if of_team.starts_with("team_") => super::team::described(of_team),
        _ => (String::new(), object(json!({}), &[])),
    }
}

fn tab_id() -> Value {
    json!({ "type": "string", "description": "The short handle of the other agent." })
}

/// The schema of an object with these properties and no others.
pub(super) fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of an object with these properties, in which others are ignored.
pub(super) fn lenient(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}
