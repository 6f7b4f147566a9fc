//! The OpenAPI document, from the table of routes and the schemas of the wire.

mod answers;
mod exact;
mod examples;
mod names;
mod parameters;
#[cfg(test)]
mod tests;
mod unions;

use std::collections::BTreeSet;

use axum::Json;
use paseo_wire::VERSION;
use paseo_wire::schema::Schemas;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use super::gate::Access;
use super::route::{Group, Route, Socket};
use super::routes::{self, GROUPS};

const ABOUT: &str = "Runs and coordinates coding agents.\n\nEvery request carries a credential: \
    `Authorization: Bearer TOKEN` with a token of `paseo token create`, or the cookie of a browser that is logged in; \
    over the Unix socket the daemon knows its caller. Every failure has the same body: a stable `code`, a `message`, and \
    a `hint` that says what to do. Lists come in pages: pass `next` as `after` until it is null.";

/// Serves the document.
pub(crate) async fn document() -> Json<Value> {
    Json(build())
}

/// Builds the document.
pub(crate) fn build() -> Value {
    let mut document = serde_json::to_value(Schemas::openapi()).unwrap_or_default();
    document["info"]["version"] = json!(VERSION);
    document["info"]["description"] = json!(ABOUT);
    document["info"]["license"]["identifier"] = document["info"]["license"]["name"].clone();
    document["servers"] = json!([{
        "url": "http://{address}",
        "description": "The daemon; `paseo status` shows its address.",
        "variables": { "address": { "default": "127.0.0.1:6767", "description": "Host and port." } },
    }]);
    document["tags"] =
        GROUPS.iter().map(|group| json!({ "name": group.tag, "description": group.about })).collect();
    document["components"]["securitySchemes"] = json!({ "token": { "type": "http", "scheme": "bearer" } });
    for route in routes::all() {
        for (name, schema) in parameters::inner(route) {
            document["components"]["schemas"][name] = schema;
        }
    }
    let examples = examples::all();
    let (mut paths, mut used): (Map<String, Value>, BTreeSet<answers::Shared>) = Default::default();
    for group in GROUPS {
        for route in group.routes.iter().filter(|route| !is_alias(route)) {
            let path = paths.entry(written(route.path)).or_insert_with(|| json!({}));
            let mut operation = operation(group, route);
            if let Some(example) = examples.get(route.name) {
                examples::put(&mut operation, example);
            }
            path[route.method.to_lowercase()] = operation;
            used.extend(answers::of(route));
        }
    }
    document["paths"] = Value::Object(paths);
    document["components"]["responses"] =
        used.iter().map(|shared| (shared.name(), shared.written())).collect();
    optional_bodies(&mut document);
    empty_ids(&mut document);
    exact::refine(&mut document);
    names::reserve(&mut document);
    unions::name_forms(&mut document);
    parameters::bound(&mut document);
    document
}

/// Says which bodies of the teamd protocol may be left out: those in which nothing is required.
fn optional_bodies(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    for route in routes::all().filter(|route| route.is_of_teamd()) {
        let Some(schema) = route.request else { continue };
        let required = schemas[schema].get("required").is_some();
        document["paths"][written(route.path)][route.method.to_lowercase()]["requestBody"]["required"] =
            json!(required);
    }
}

/// Says that ids in bodies of the teamd protocol may be `""`, which its clients send for what they leave out.
fn empty_ids(document: &mut Value) {
    let empty = json!({ "type": "string", "maxLength": 0 });
    let refers = |form: &Value| form["$ref"].as_str().is_some_and(|reference| reference.ends_with("Id"));
    for route in routes::all().filter(|route| route.is_of_teamd()) {
        let Some(body) = route.request else { continue };
        let properties = document["components"]["schemas"][body]["properties"].as_object_mut();
        // Not even an empty string stands for another agent.
        for (_, property) in properties.into_iter().flatten().filter(|(name, _)| *name != "agentId") {
            if refers(&property["items"]) {
                property["items"] = json!({ "anyOf": [property["items"], empty] });
            }
            let forms = property.get_mut("oneOf").and_then(Value::as_array_mut);
            if let Some(forms) = forms.filter(|forms| forms.iter().any(refers) && !forms.contains(&empty)) {
                forms.push(empty.clone());
            }
        }
    }
}

/// Says whether a route is another with a slash behind it, which the format does not allow.
fn is_alias(route: &Route) -> bool {
    route.path.len() > 1 && route.path.ends_with('/')
}

/// Returns a path as the format has it, in which a parameter that takes the rest of a path looks like any other.
fn written(path: &str) -> String {
    path.replace("{*", "{")
}

fn operation(group: &Group, route: &Route) -> Value {
    let mut responses = json!({ route.status.to_string(): success(route) });
    for shared in answers::of(route) {
        let reference = format!("#/components/responses/{}", shared.name());
        responses[shared.status()] = json!({ "$ref": reference });
    }
    // A request that is repeated with its key makes nothing new.
    if route.status == 201 && !route.headers.is_empty() {
        responses["200"] = success(route);
    }
    if route.access == Access::Page {
        responses["303"] = json!({ "description": "Not logged in: go to the login page." });
    }
    let is_open = matches!(route.access, Access::Public | Access::Page);
    let mut operation = json!({
        "operationId": route.name,
        "tags": [group.tag],
        "summary": route.summary,
        "description": format!("Access: {}", access(route.access)),
        "parameters": parameters::of(route),
        "responses": responses,
        "security": if is_open { json!([]) } else { json!([{ "token": [] }]) },
    });
    if let Some(body) = body(route) {
        operation["requestBody"] = body;
    }
    operation
}

fn access(access: Access) -> String {
    match access {
        Access::Public => "Anyone.".to_owned(),
        Access::Anyone => "Any caller with a credential.".to_owned(),
        Access::Human | Access::Page => "People only.".to_owned(),
        Access::Callback => "The holder of the agent's callback token or signing secret.".to_owned(),
        Access::Itself => "The agent named in the path.".to_owned(),
        Access::Agent => "Agents, for themselves.".to_owned(),
        Access::Seated(_) => "People and participants of the thread.".to_owned(),
        Access::Member(tool) => {
            format!("People, agents of the team, and other agents in it that have the tool `{tool}`.")
        }
        Access::Tool(tool) => format!("People and agents that have the tool `{tool}`."),
    }
}

fn refers(schema: &str) -> Value {
    json!({ "schema": { "$ref": format!("#/components/schemas/{schema}") } })
}

/// Returns a schema of which one form has to fit.
fn one_of(mut forms: Vec<Value>) -> Value {
    if forms.len() == 1 { forms.remove(0) } else { json!({ "anyOf": forms }) }
}

fn success(route: &Route) -> Value {
    // The format has no place for what clients send through a WebSocket, so both kinds of frames stand here.
    if let Some(Socket { server, client }) = route.socket {
        let about = format!("A WebSocket. Text frames are `{server}` from the daemon, and `{client}` to it.");
        let frames = json!({ "anyOf": [refers(server)["schema"], refers(client)["schema"]] });
        return json!({ "description": about, "content": { "application/json": { "schema": frames } } });
    }
    let mut success = json!({ "description": if route.status == 307 { "Go there." } else { "Done." } });
    let forms: Vec<Value> = route.forms.iter().map(|form| refers(form)["schema"].take()).collect();
    let content = match (route.response, route.media) {
        (Some(schema), _) => json!({ "application/json": refers(schema) }),
        (None, Some(media)) if media.ends_with("json") => {
            json!({ media: { "schema": { "type": "object" } } })
        }
        (None, Some(media)) => {
            let schema = if forms.is_empty() { json!({ "type": "string" }) } else { events(forms) };
            json!({ media: { "schema": schema } })
        }
        (None, None) if !forms.is_empty() => json!({ "application/json": { "schema": one_of(forms) } }),
        (None, None) => return success,
    };
    success["content"] = content;
    success
}

/// Describes a stream of events: a text, which some tools read event by event.
fn events(data: Vec<Value>) -> Value {
    let text = json!({ "type": "string" });
    let data =
        json!({ "type": "string", "contentMediaType": "application/json", "contentSchema": one_of(data) });
    json!({ "type": ["string", "object"], "properties": { "id": text, "event": text, "data": data } })
}

fn body(route: &Route) -> Option<Value> {
    if let Some(schema) = route.request {
        return Some(json!({ "required": true, "content": { "application/json": refers(schema) } }));
    }
    if route.streamed {
        let file = json!({ "schema": { "type": "string", "format": "binary" } });
        return Some(json!({ "required": true, "content": { "application/octet-stream": file } }));
    }
    let anything = json!({ "application/json": { "schema": { "type": "object" } } });
    match route.access {
        Access::Callback => {
            let text = json!({ "schema": { "type": "string", "minLength": 1 } });
            Some(
                json!({ "required": true, "content": { "text/plain": text.clone(), "text/markdown": text } }),
            )
        }
        // Requests of the Model Context Protocol.
        Access::Itself => Some(json!({ "required": true, "content": anything })),
        _ => None,
    }
}
