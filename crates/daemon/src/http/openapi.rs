//! The OpenAPI document, from the table of routes and the schemas of the wire.

use axum::Json;
use paseo_wire::VERSION;
use paseo_wire::schema::Schemas;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use super::gate::Access;
use super::route::Route;
use super::routes::ROUTES;

/// Serves the document.
pub(crate) async fn document() -> Json<Value> {
    Json(build())
}

/// Builds the document.
pub(crate) fn build() -> Value {
    let mut document = serde_json::to_value(Schemas::openapi()).unwrap_or_default();
    document["info"]["version"] = json!(VERSION);
    document["components"]["securitySchemes"] = json!({ "token": { "type": "http", "scheme": "bearer" } });
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = operation(route);
    }
    document["paths"] = Value::Object(paths);
    document
}

fn operation(route: &Route) -> Value {
    let content = |schema: &str| json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } });
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let optional = |place: &'static str| move |name: &&'static str| json!({ "name": name, "in": place, "schema": { "type": "string" } });
    let parameters: Vec<Value> = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .chain(route.query.iter().map(optional("query")))
        .chain(route.headers.iter().map(optional("header")))
        .collect();
    let mut success = json!({ "description": "Done." });
    if let Some(schema) = route.response {
        success["content"] = content(schema);
    }
    if let Some(media) = route.media {
        success["content"] = json!({ media: { "schema": { "type": "string" } } });
    }
    let access = match route.access {
        Access::Public => "Anyone.".to_owned(),
        Access::Anyone => "Whoever has a credential.".to_owned(),
        Access::Human | Access::Page => "People only.".to_owned(),
        Access::Callback => {
            "Whoever knows the secret of the session: by its token, or by a signature.".to_owned()
        }
        Access::Itself => "The agent that the path names.".to_owned(),
        Access::Agent => "Agents, as themselves.".to_owned(),
        Access::Seated(_) => "People, and those who have a seat there.".to_owned(),
        Access::Member(tool) => {
            format!("People, agents of the team, and sessions in it that were granted `{tool}`.")
        }
        Access::Tool(tool) => format!("People, and agents that were granted `{tool}`."),
    };
    let mut failure = json!({ "description": "It could not be done." });
    // The shapes of teamd are its own.
    if !route.is_of_teamd() {
        failure["content"] = content(if route.is_of_bridge() { "BridgeError" } else { "ErrorBody" });
    }
    let mut operation = json!({
        "summary": route.summary,
        "description": format!("Who may: {access}"),
        "parameters": parameters,
        "responses": { route.status.to_string(): success, "default": failure },
        "security": if route.access == Access::Public { json!([]) } else { json!([{ "token": [] }]) },
    });
    if let Some(schema) = route.request {
        operation["requestBody"] = json!({ "required": true, "content": content(schema) });
    }
    if route.streamed {
        let file = json!({ "schema": { "type": "string", "format": "binary" } });
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/octet-stream": file } });
    }
    operation
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The committed document, for people and for generators of clients.
    const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

    #[test]
    fn the_committed_document_is_this_one() {
        let built = format!("{:#}\n", build());
        if std::env::var_os("PASEO_UPDATE").is_some() {
            std::fs::write(COMMITTED, &built).unwrap();
        }
        let committed = std::fs::read_to_string(COMMITTED).unwrap_or_default();
        assert!(
            built == committed,
            "docs/openapi.json is out of date: run `PASEO_UPDATE=1 cargo test -p paseo-daemon openapi`"
        );
    }

    #[test]
    fn every_schema_that_a_route_names_exists() {
        let document = build();
        for route in ROUTES {
            for schema in [route.request, route.response].into_iter().flatten() {
                assert!(
                    document["components"]["schemas"][schema].is_object(),
                    "{} {}: {schema}",
                    route.method,
                    route.path
                );
            }
            assert!(!route.summary.is_empty(), "{} {}", route.method, route.path);
        }
    }
}
