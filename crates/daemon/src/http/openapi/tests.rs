use std::collections::BTreeSet;

use axum::body::Body;
use http::Request;
use paseo_core::actor::Actor;
use serde_json::Value;

use super::build;
use crate::http::routes;
use crate::http::tests::House;
use crate::identity::Peer;

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
    for route in routes::all() {
        for schema in [route.request, route.response].into_iter().flatten().chain(route.forms.iter().copied())
        {
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
    for route in routes::all().filter(|route| route.method == "GET") {
        let first = route.forms.first().copied().filter(|_| route.media.is_none());
        let Some(schema) = route.response.or(first) else { continue };
        let properties = &document["components"]["schemas"][schema]["properties"];
        let pages = properties.get("next").is_some();
        let known = route.query.map(|query| query.parameters()).unwrap_or_default();
        let asks = ["after", "limit"].map(|name| known.iter().any(|known| known == name));
        // The shapes of other protocols are their own.
        if route.is_of_bridge() || route.is_of_teamd() {
            continue;
        }
        assert_eq!([pages, pages], asks, "{}: `next` comes with `after` and `limit`", route.path);
        if pages {
            let next = properties["next"]["type"].to_string();
            assert!(next.contains("null"), "{}: `next` is null on the last page: {next}", route.path);
        }
    }
}

/// Every operation of the document, with its path and method.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of = |(path, methods): (&String, &Value)| {
        let methods = methods.as_object().unwrap().clone();
        let path = path.clone();
        methods.into_iter().map(move |(method, operation)| (path.clone(), method, operation))
    };
    paths.iter().flat_map(of).collect()
}

// The rules of `make lint-api` that need no other program.
#[test]
fn operations_are_named_described_and_refused_alike() {
    let document = build();
    assert!(document["info"]["license"]["identifier"].is_string());
    assert!(document["servers"][0]["url"].is_string());
    let tags: BTreeSet<&str> =
        document["tags"].as_array().unwrap().iter().filter_map(|tag| tag["name"].as_str()).collect();
    let mut names = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let context = format!("{method} {path}");
        let name = operation["operationId"].as_str().unwrap().to_owned();
        let is_plain = name.chars().all(|one| one.is_ascii_alphanumeric());
        assert!(is_plain && name.starts_with(|first: char| first.is_ascii_lowercase()), "{context}: {name}");
        assert!(names.insert(name), "{context}: the name is taken");
        assert!(tags.contains(operation["tags"][0].as_str().unwrap()), "{context}");
        assert!(!path.contains('*') && (path == "/" || !path.ends_with('/')), "{context}");
        assert!(operation["security"].is_array(), "{context}");
        let answers = operation["responses"].as_object().unwrap();
        assert!(answers.keys().any(|status| status.starts_with('4')), "{context}");
        for parameter in operation["parameters"].as_array().unwrap() {
            let described = parameter["in"] == "query" || parameter["description"].as_str() != Some("");
            assert!(described, "{context}: say what {} is", parameter["name"]);
        }
    }
}

#[test]
fn no_two_paths_can_be_taken_for_each_other() {
    let document = build();
    let paths: Vec<Vec<&str>> =
        document["paths"].as_object().unwrap().keys().map(|path| path.split('/').collect()).collect();
    let meets = |one: &str, other: &str| one == other || one.starts_with('{') && other.starts_with('{');
    for (at, one) in paths.iter().enumerate() {
        for other in &paths[at + 1..] {
            let same =
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| meets(one, other));
            assert!(!same, "{one:?} and {other:?}");
        }
    }
}

#[tokio::test]
async fn every_query_is_the_one_that_its_handler_reads() {
    let house = House::new().await;
    let mut tried = 0;
    for route in routes::all() {
        let Some(query) = route.query else { continue };
        let path = route.path.replace(['{', '}'], "");
        let ask = |query: &str| {
            let builder = Request::builder().method(route.method).uri(format!("{path}?{query}"));
            let peer = Peer::Local(Ok(Actor::Human("cli".into())));
            house.ask(builder.extension(peer).header("content-length", "0").body(Body::empty()).unwrap())
        };
        let plain = ask("").await.status();
        assert!(!plain.is_server_error(), "{} {}: {plain}", route.method, route.path);
        let schema = serde_json::json!((query.schema)());
        for (name, property) in schema["properties"].as_object().unwrap() {
            let kind = property["type"].to_string();
            if kind.contains("integer") || kind.contains("boolean") {
                let status = ask(&format!("{name}=x")).await.status();
                // The bridge protocol looks for the thread first.
                let missing = route.is_of_bridge() && status.as_u16() == 404;
                assert!(status.as_u16() == 400 || missing, "{} {}: {name}", route.method, route.path);
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
}
