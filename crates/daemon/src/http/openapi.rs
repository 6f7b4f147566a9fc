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
        Access::Anyone => "Any caller with a credential.".to_owned(),
        Access::Human | Access::Page => "People only.".to_owned(),
        Access::Callback => "The holder of the session's callback token or signing secret.".to_owned(),
        Access::Itself => "The agent named in the path.".to_owned(),
        Access::Agent => "Agents, for themselves.".to_owned(),
        Access::Seated(_) => "People and participants of the thread.".to_owned(),
        Access::Member(tool) => {
            format!("People, agents of the team, and sessions in it that have the tool `{tool}`.")
        }
        Access::Tool(tool) => format!("People and agents that have the tool `{tool}`."),
    };
    let mut failure = json!({ "description": "The request failed." });
    // The shapes of teamd are its own.
    if !route.is_of_teamd() {
        failure["content"] = content(if route.is_of_bridge() { "BridgeError" } else { "ErrorBody" });
    }
    let mut operation = json!({
        "summary": route.summary,
        "description": format!("Access: {access}"),
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

    /// Strings that are documented with words and are free all the same, or whose words are not ours to choose.
    const FREE: &[(&str, &str)] = &[
        ("BridgeEvent.type", "the bridge protocol's words"),
        ("BridgePost.type", "the bridge protocol's words"),
        ("BridgePresence.state", "the bridge protocol lets participants choose"),
        ("SearchQuery.kind", "several words with commas between them"),
    ];

    /// Says whether a sentence is a list of words, as `one, two or three`.
    fn lists_words(sentence: &str) -> bool {
        let mut plain = String::new();
        let mut depth = 0;
        for character in sentence.chars() {
            match character {
                '(' => depth += 1,
                ')' => depth -= 1,
                other if depth == 0 => plain.push(other),
                _ => {}
            }
        }
        let plain = plain.replace(" or ", ", ");
        let words: Vec<&str> = plain.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let is_word = |word: &&str| {
            let word = word.trim_matches('`');
            word.starts_with(|first: char| first.is_ascii_lowercase())
                && word.chars().all(|one| one.is_ascii_lowercase() || "_-./".contains(one))
        };
        words.len() > 1 && words.iter().all(is_word)
    }

    /// Finds properties that are plain strings although their description lists the words that they can be.
    fn undeclared(place: &str, schema: &Value, found: &mut Vec<String>) {
        let Some(schema) = schema.as_object() else { return };
        let is_string = match &schema.get("type") {
            Some(Value::String(one)) => one == "string",
            Some(Value::Array(several)) => several.iter().any(|one| one == "string"),
            _ => false,
        };
        let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let sentences = about.split(['.', ':', ';']).map(str::trim);
        if is_string && !schema.contains_key("enum") && sentences.into_iter().any(lists_words) {
            found.push(place.to_owned());
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            undeclared(&format!("{place}.{name}"), property, found);
        }
        for name in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get(name) {
                undeclared(place, inner, found);
            }
        }
        for name in ["oneOf", "allOf", "anyOf"] {
            for inner in schema.get(name).and_then(Value::as_array).into_iter().flatten() {
                undeclared(place, inner, found);
            }
        }
    }

    #[test]
    fn closed_sets_of_words_are_enums() {
        assert!(lists_words("idle, starting, running or closed") && lists_words("`a` (the default) or `b`"));
        assert!(!lists_words("what it says, in words") && !lists_words("idle"));
        let document = build();
        let mut found = Vec::new();
        for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
            undeclared(name, schema, &mut found);
        }
        found.retain(|place| !FREE.iter().any(|(free, _)| free == place));
        assert_eq!(found, Vec::<String>::new(), "make them enums with `words!`, or say in FREE why not");
        let named = |place: &&str| {
            let (schema, field) = place.split_once('.').unwrap_or_default();
            document["components"]["schemas"][schema]["properties"].get(field).is_some()
        };
        assert!(FREE.iter().all(|(place, _)| named(place)), "FREE names what is not there");
    }

    #[test]
    fn lists_page_alike() {
        let document = build();
        for route in ROUTES.iter().filter(|route| route.method == "GET") {
            let Some(schema) = route.response else { continue };
            let properties = &document["components"]["schemas"][schema]["properties"];
            let pages = properties.get("next").is_some();
            let asks = ["after", "limit"].map(|name| route.query.contains(&name));
            // The shapes of the bridge protocol are its own.
            if route.is_of_bridge() {
                continue;
            }
            assert_eq!([pages, pages], asks, "{}: `next` comes with `after` and `limit`", route.path);
            if pages {
                let next = properties["next"]["type"].to_string();
                assert!(next.contains("null"), "{}: `next` is null on the last page: {next}", route.path);
            }
        }
    }
}
