//! The parameters of routes: what their paths leave open, their queries and their headers.

use paseo_core::limits::{HANDLE_CHARS, SLUG_CHARS};
use paseo_core::settings::Key;
use serde_json::{Map, Value, json};

use crate::http::request::KEY_CHARS;
use crate::http::route::Route;

/// Returns the parameters of a route.
pub(super) fn of(route: &Route) -> Vec<Value> {
    let open = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = open.map(|name| in_path(route.path, name));
    in_path.chain(in_query(route)).chain(route.headers.iter().map(|name| header(name))).collect()
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
        "id" => ("The id of the session, or a beginning of it that no other has: its handle.", handle),
        "token" | "device" => ("Its id, or a beginning of it that no other has.", handle),
        "attachment" => ("The id of the attachment.", uuid()),
        "delivery" => ("The id of the delivery, as in a receipt.", uuid()),
        "cause" => ("The id of the cause.", uuid()),
        "rule" => ("The id of the rule.", uuid()),
        "ordinal" => (
            "The number of the item in its transcript.",
            json!({ "type": "integer", "format": "int64", "minimum": 0 }),
        ),
        "hash" => ("The hash of the permission request.", named()),
        "slug" => (
            "The slug of the agent definition.",
            json!({ "type": "string", "pattern": format!("^[A-Za-z0-9_-]{{1,{SLUG_CHARS}}}$") }),
        ),
        "key" => ("The setting.", json!({ "type": "string", "enum": Key::ALL.map(Key::word) })),
        "thread" if path.starts_with("/v1/") => {
            ("The thread of the team.", json!({ "type": "string", "pattern": "^thread-[0-9]{4,}$" }))
        }
        "thread" => ("The id of the thread, a beginning of it that no other has, or its name.", named()),
        "team" => (
            "The id of the team; `-` is the caller's own.",
            json!({ "type": "string", "pattern": "^(-|[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?)$" }),
        ),
        // Only people create tokens, and a person is not an agent of the team.
        "agent" if path.ends_with("/tokens") => (
            "The id of the agent in the team.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$" }),
        ),
        "agent" => (
            "The id of the agent in the team; `-` is the caller.",
            json!({ "type": "string", "pattern": "^(-|[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?)$" }),
        ),
        "task" => ("The id of the task.", json!({ "type": "string", "pattern": "^task-[0-9]{4,}$" })),
        "worker" => ("The name of the worker, or the handle of its session.", named()),
        "worktree" => ("The name of the worktree, its branch, or the handle of its agent.", named()),
        "server" => ("The name of the MCP server.", named()),
        "name" if path.starts_with("/api/providers/") => ("The name of the provider.", named()),
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
        let about = property.as_object_mut().and_then(|property| property.remove("description"));
        let mut parameter =
            json!({ "name": name, "in": "query", "required": required, "schema": present(property) });
        if let Some(about) = about {
            parameter["description"] = about;
        }
        parameter
    };
    properties.into_iter().map(parameter).collect()
}

/// Returns a schema without null, which no query can hold: what is null is left out.
fn present(mut schema: Value) -> Value {
    if let Some(several) = schema["oneOf"].as_array()
        && let Some(one) = several.iter().find(|one| one.get("$ref").is_some())
    {
        return one.clone();
    }
    if let Some(several) = schema["type"].as_array().cloned()
        && let Some(one) = several.into_iter().find(|one| one != "null")
    {
        schema["type"] = one;
    }
    schema
}

fn header(name: &str) -> Value {
    let (about, schema) = match name.to_ascii_lowercase().as_str() {
        "idempotency-key" => (
            "Makes the request happen once: the same key with the same body has the same answer.",
            // Spaces around a header do not count.
            json!({ "type": "string", "maxLength": KEY_CHARS, "pattern": "^[!-~]([ -~]*[!-~])?$" }),
        ),
        "last-event-id" => ("The id of the last event that was seen.", json!({ "type": "string" })),
        "x-paseo-message-id" => ("Does the same as `Idempotency-Key`.", json!({ "type": "string" })),
        "x-paseo-timestamp" => ("When it was signed, in seconds since 1970.", json!({ "type": "string" })),
        "x-paseo-signature" => ("The signature, instead of a token.", json!({ "type": "string" })),
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
