//! The parameters of routes: what their paths leave open, their queries and their headers.

use paseo_core::limits::{HANDLE_CHARS, SLUG_CHARS};
use paseo_core::settings::Key;
use serde_json::{Map, Value, json};

use super::names;
use crate::http::request::KEY_CHARS;
use crate::http::route::Route;
use crate::tools::catalogue::SERVERS;

/// The ids of tasks: a number has one way of being written.
const TASK: &str = "^task-([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000|[1-9][0-9]{4,8})$";

/// The names of providers.
const PROVIDER: &str = "^[a-z][a-z0-9-]{0,31}$";

/// Returns the parameters of a route.
pub(super) fn of(route: &Route) -> Vec<Value> {
    let open = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = open.map(|name| in_path(route.path, name));
    in_path.chain(in_query(route)).chain(route.headers.iter().map(|name| header(route, name))).collect()
}

/// Returns the schemas that the query of a route refers to.
pub(super) fn inner(route: &Route) -> Vec<(String, Value)> {
    let mut schemas = Vec::new();
    if let Some(query) = route.query {
        (query.inner)(&mut schemas);
    }
    schemas.into_iter().map(|(name, schema)| (name, json!(schema))).collect()
}

fn in_path(path: &str, name: &str) -> Value {
    let handle = json!({
        "type": "string",
        "pattern": format!("^[0-9a-fA-F-]{{{HANDLE_CHARS},36}}$"),
        "examples": ["3f2a"],
    });
    let uuid = || json!({ "type": "string", "format": "uuid" });
    let named = || json!({ "type": "string", "minLength": 1 });
    let (about, schema) = match name {
        "id" => ("The agent's id, or a unique prefix of it: its handle.", handle),
        "token" | "device" => ("Its id, or a unique prefix of it.", handle),
        "attachment" => ("The id of the attachment.", uuid()),
        "delivery" => ("The id of the delivery, as in a receipt.", uuid()),
        "cause" => ("The id of the cause, or of a message that descends from it.", uuid()),
        "rule" => ("The id of the rule.", uuid()),
        "ordinal" => (
            "The number of the item in its transcript.",
            json!({ "type": "integer", "format": "int64", "minimum": 0 }),
        ),
        "hash" => {
            ("The hash of the permission request.", json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }))
        }
        "slug" => (
            "The slug of the agent definition.",
            json!({ "type": "string", "pattern": format!("^[A-Za-z0-9_-]{{1,{SLUG_CHARS}}}$") }),
        ),
        "key" => ("The setting.", json!({ "type": "string", "enum": Key::ALL.map(Key::word) })),
        "thread" if path.starts_with("/v1/") => {
            ("The thread of the team.", json!({ "type": "string", "pattern": "^thread-[0-9]{4,}$" }))
        }
        "thread" => ("The thread's id, a unique prefix of it, or its name.", named()),
        "team" => (
            "The id of the team; `-` is the caller's own.",
            json!({ "type": "string", "pattern": "^(-|[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?)$" }),
        ),
        // Only people create tokens, and a person is not an agent of the team.
        "agent" if path.ends_with("/tokens") => {
            ("The id of the agent in the team.", json!({ "type": "string", "pattern": names::free() }))
        }
        "agent" => (
            "The id of the agent in the team; `-` is the caller.",
            json!({ "type": "string", "pattern": "^(-|[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?)$" }),
        ),
        "task" => ("The id of the task.", json!({ "type": "string", "pattern": TASK })),
        "worker" => ("The name of the worker, or the handle of its agent.", named()),
        "worktree" => ("The name of the worktree, its branch, or the handle of its agent.", named()),
        "server" => ("The name of the MCP server.", json!({ "type": "string", "enum": SERVERS })),
        "name" if path.starts_with("/api/providers/") => {
            ("The name of the provider.", json!({ "type": "string", "pattern": PROVIDER }))
        }
        "name" if path.starts_with("/api/tools/") => ("The name of the tool.", named()),
        "name" => ("The name of the file.", named()),
        "*view" => ("The view: the rest of the path, which may contain slashes.", named()),
        _ => ("", named()),
    };
    let name = name.trim_start_matches('*');
    json!({ "name": name, "in": "path", "required": true, "description": about, "schema": schema })
}

/// Returns the parameters of a query, which are the fields of the struct that the handler reads.
fn in_query(route: &Route) -> Vec<Value> {
    let Some(query) = route.query else { return Vec::new() };
    let schema = json!((query.schema)());
    let is_required =
        |name: &String| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let parameter = |(name, mut property): (String, Value)| {
        let required = is_required(&name);
        property = present(property);
        // The cursor of every list of a team is an id, and that of a list of tasks the id of a task.
        if route.name == "listTasks" && name == "after" {
            property["pattern"] = json!(TASK);
        } else if name == "after" && property["type"] == "string" && property.get("pattern").is_none() {
            for (key, value) in cursor(route.response.unwrap_or_default()) {
                property[key] = value;
            }
        }
        let about = property.as_object_mut().and_then(|property| property.remove("description"));
        let about = about.unwrap_or_default();
        let is_list = property["type"] == "array";
        let mut parameter = json!({
            "name": name, "in": "query", "required": required, "description": about, "schema": property,
        });
        if is_list {
            // Commas between the words.
            parameter["style"] = json!("form");
            parameter["explode"] = json!(false);
        }
        parameter
    };
    properties.into_iter().map(parameter).collect()
}

/// Returns what the cursors of a list look like, whose query is the same as that of other lists.
fn cursor(list: &str) -> Vec<(&'static str, Value)> {
    match list {
        "CauseMessages" | "DeviceList" | "Queue" | "RuleList" | "TokenList" => {
            vec![("format", json!("uuid"))]
        }
        "AgentList" => vec![("pattern", json!("^(built-in|home|project):[A-Za-z0-9_-]{0,64}:"))],
        "HeldList" => vec![("pattern", json!("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:"))],
        "ProviderList" => vec![("pattern", json!(PROVIDER))],
        "RefusalList" => vec![("pattern", json!("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}:[0-9]{4}-"))],
        // The name of a row.
        _ => vec![("minLength", json!(1))],
    }
}

/// Returns a schema without null, which no query can hold: what is null is left out.
fn present(mut schema: Value) -> Value {
    if let Some(several) = schema["oneOf"].as_array()
        && let Some(one) = several.iter().find(|one| one.get("$ref").is_some())
    {
        return one.clone();
    }
    if let Some(object) = schema.as_object_mut()
        && object.get("default").is_some_and(Value::is_null)
    {
        object.remove("default");
    }
    if let Some(several) = schema["type"].as_array().cloned()
        && let Some(one) = several.into_iter().find(|one| one != "null")
    {
        schema["type"] = one;
    }
    schema
}

fn header(route: &Route, name: &str) -> Value {
    // Spaces around a header do not count.
    let key = || json!({ "type": "string", "maxLength": KEY_CHARS, "pattern": "^[!-~]([ -~]*[!-~])?$" });
    let (about, schema) = match name {
        "Idempotency-Key" => (
            "Idempotency key: repeating a request with the same key and body returns the same answer.",
            key(),
        ),
        "Last-Event-ID" if route.is_of_bridge() => {
            ("The `ts` of the last event that you received; overrides `since`.", json!({ "type": "string" }))
        }
        "Last-Event-ID" => (
            "The `seq` of the last event that you received; overrides `after`.",
            json!({ "type": "integer", "minimum": 0 }),
        ),
        "X-Paseo-Message-Id" => ("Same as `Idempotency-Key`.", key()),
        "X-Paseo-Timestamp" => (
            "When the request was signed, in seconds since 1970.",
            json!({ "type": "string", "pattern": "^-?[0-9]{1,18}$" }),
        ),
        "X-Paseo-Signature" => ("The signature, instead of a token.", json!({ "type": "string" })),
        _ => ("", json!({ "type": "string" })),
    };
    json!({ "name": name, "in": "header", "description": about, "schema": schema })
}

/// Gives whole numbers that are never negative the range that they have.
pub(super) fn bound(value: &mut Value) {
    match value {
        Value::Array(several) => several.iter_mut().for_each(bound),
        Value::Object(object) => {
            if is_natural(object) {
                let (format, most) = match object.get("format").and_then(Value::as_str) {
                    Some("int32") => ("uint32", u64::from(u32::MAX)),
                    _ => ("uint64", u64::MAX),
                };
                object.insert("format".to_owned(), json!(format));
                object.entry("maximum").or_insert(json!(most));
            }
            object.values_mut().for_each(bound);
        }
        _ => {}
    }
}

fn is_natural(object: &Map<String, Value>) -> bool {
    let is_integer = match object.get("type") {
        Some(Value::String(one)) => one == "integer",
        Some(Value::Array(several)) => several.iter().any(|one| one == "integer"),
        _ => false,
    };
    is_integer && object.get("minimum").is_some_and(|minimum| minimum.as_u64() == Some(0))
}
