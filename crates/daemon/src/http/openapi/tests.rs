use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use paseo_core::actor::Actor;
use paseo_core::limits::{INBOX_ROWS, PAGE_ROWS};
use serde_json::{Value, json};

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
        let frames = route.socket.map_or(vec![], |socket| vec![socket.server, socket.client]);
        let bodies = [route.request, route.response].into_iter().flatten();
        for schema in bodies.chain(route.forms.iter().copied()).chain(frames) {
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

// Among the components of the document, one of two with the same name would replace the other.
#[test]
fn no_two_schemas_have_the_same_name() {
    let of_queries = routes::all().flat_map(super::parameters::inner);
    let of_bodies = paseo_wire::schema::reached().into_iter().map(|(name, schema)| (name, json!(schema)));
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for (name, schema) in of_bodies.chain(of_queries) {
        let first = known.entry(name.clone()).or_insert_with(|| schema.clone());
        assert_eq!(*first, schema, "two schemas are called {name}");
    }
    assert!(known.len() > 100, "{}", known.len());
}

/// Returns every schema that programs read, by name: of the API, of notifications, and of what commands print.
fn schemas(document: &Value) -> BTreeMap<String, Value> {
    let of_document = document["components"]["schemas"].as_object().unwrap().clone();
    let mut all: BTreeMap<String, Value> = of_document.into_iter().collect();
    let pushed = paseo_wire::schema::pushed();
    assert!(pushed.iter().any(|(name, _)| name == "PushAction"));
    for (name, schema) in pushed {
        all.entry(name).or_insert_with(|| json!(schema));
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schemas");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let mut schema: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
        let name = schema["title"].as_str().unwrap().to_owned();
        schema.as_object_mut().unwrap().remove("$defs");
        for (name, schema) in definitions.into_iter().chain([(name, schema)]) {
            all.entry(name).or_insert(schema);
        }
    }
    assert!(all.contains_key("EndingView"));
    all
}

/// Names of what is a word of a closed set, as a rule.
const TELLING: &[&str] = &[
    "action",
    "class",
    "code",
    "decision",
    "exposure",
    "hold",
    "in",
    "kind",
    "layer",
    "lifetime",
    "mode",
    "operation",
    "outcome",
    "permissions",
    "plugin",
    "preset",
    "priority",
    "problem",
    "readiness",
    "reason",
    "role",
    "scope",
    "severity",
    "source",
    "stage",
    "state",
    "status",
    "trust",
    "type",
    "verdict",
    "what",
];

/// Strings that look like words of a closed set and are free all the same, or whose words are not ours to choose.
const FREE: &[(&str, &str)] = &[
    ("AnswerView.code", "harnesses and providers have codes of their own"),
    ("AddProvider.mode", "the agent's own word"),
    ("BridgePresence.state", "the bridge protocol lets participants choose"),
    ("BridgePresenceView.state", "the bridge protocol lets participants choose"),
    ("BridgePresentView.state", "the bridge protocol lets participants choose"),
    ("EffectiveTool.reason", "a sentence"),
    ("EndingView.code", "harnesses and providers have codes of their own"),
    ("ErrorFields.code", "harnesses and providers have codes of their own"),
    ("ErrorView.code", "harnesses and providers have codes of their own"),
    ("InboxRequest.code", "harnesses and providers have codes of their own"),
    ("LastTurn.code", "harnesses and providers have codes of their own"),
    ("Login.code", "a secret"),
    ("NoticeFields.code", "harnesses and providers have codes of their own"),
    ("CheckedPermission.reason", "a sentence"),
    ("PresenceView.state", "participants may choose"),
    ("ProviderView.problem", "a sentence that names programs and variables; `readiness` has the word"),
    ("RefusalView.what", "a sentence"),
    ("SayPresence.state", "participants may choose"),
    ("SessionChangeTurnEnded.code", "harnesses and providers have codes of their own"),
    ("TaskView.reason", "a sentence"),
    ("TeamdAgent.role", "teamd lets callers choose"),
    ("TeamdTask.reason", "a sentence"),
    ("WorktreeEntry.problem", "a message of git"),
    ("watchEvents.topics", "some of the words are followed by an id"),
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

/// Finds properties that are plain strings although their name says, or their description lists, that they are words of
/// a closed set.
fn undeclared(place: &str, schema: &Value, found: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else { return };
    let is_string = match &schema.get("type") {
        Some(Value::String(one)) => one == "string",
        Some(Value::Array(several)) => several.iter().any(|one| one == "string"),
        _ => false,
    };
    let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let sentences = about.split(['.', ':', ';']).map(str::trim);
    let telling = place.split_once('.').is_some_and(|(_, name)| TELLING.contains(&name));
    let is_closed = telling || sentences.into_iter().any(lists_words);
    if is_string && !schema.contains_key("enum") && !schema.contains_key("const") && is_closed {
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
    let schemas = schemas(&document);
    for (name, schema) in &schemas {
        undeclared(name, schema, &mut found);
    }
    for (_, _, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let place = [&operation["operationId"], &parameter["name"]].map(|name| name.as_str().unwrap());
            let mut schema = parameter["schema"].clone();
            schema["description"] = parameter["description"].clone();
            undeclared(&place.join("."), &schema, &mut found);
        }
    }
    found.retain(|place| !FREE.iter().any(|(free, _)| free == place));
    assert_eq!(found, Vec::<String>::new(), "make them enums with `words!`, or say in FREE why not");
    let named = |place: &&str| {
        let (schema, field) = place.split_once('.').unwrap_or_default();
        let asked = operations(&document).iter().any(|(_, _, operation)| operation["operationId"] == schema);
        asked || schemas.get(schema).is_some_and(|schema| schema["properties"].get(field).is_some())
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
        let asks = ["after", "limit"].map(|name| known.iter().any(|known| known.name == name));
        // The shapes of other protocols are their own.
        if route.is_of_bridge() || route.is_of_teamd() {
            continue;
        }
        assert_eq!([pages, pages], asks, "{}: `next` comes with `after` and `limit`", route.path);
        let is_list = route.name.starts_with("list") || route.name.starts_with("search");
        assert!(pages || !is_list, "{}: every list has pages", route.path);
        if pages {
            let next = properties["next"]["type"].to_string();
            assert!(next.contains("null"), "{}: `next` is null on the last page: {next}", route.path);
            let required = document["components"]["schemas"][schema]["required"].to_string();
            assert!(required.contains("\"next\""), "{}: `next` is always there", route.path);
        }
    }
}

/// Returns the streams and WebSockets, and the schemas of their frames.
fn streams() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    routes::all().filter_map(|route| match route.socket {
        Some(socket) => Some((route.name, vec![socket.server, socket.client])),
        None if route.media == Some("text/event-stream") => Some((route.name, route.forms.to_vec())),
        None => None,
    })
}

/// How a field begins that tells the forms of a union apart.
const TELLS: [&str; 3] = ["type=", "kind=", "t="];

/// Collects the fields of a schema, and the schemas that it refers to.
fn collect(schema: &Value, fields: &mut BTreeSet<String>, refers: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        refers.insert(name.to_owned());
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let word = property["enum"][0]
            .as_str()
            .or(property["const"].as_str())
            .filter(|_| property["enum"].as_array().is_none_or(|words| words.len() == 1));
        fields.insert(word.map_or(name.clone(), |word| format!("{name}={word}")));
        // What is written in place has its fields here.
        let mut inner = BTreeSet::new();
        collect(property, &mut inner, refers);
        fields.extend(inner.into_iter().map(|inner| format!("{name}.{inner}")));
    }
    for inner in ["items", "additionalProperties", "propertyNames"] {
        if schema[inner].is_object() {
            collect(&schema[inner], fields, refers);
        }
    }
    for several in ["oneOf", "allOf", "anyOf"] {
        for form in schema[several].as_array().into_iter().flatten() {
            let mut own = BTreeSet::new();
            collect(form, &mut own, refers);
            let word = own.iter().find(|field| TELLS.iter().any(|tells| field.starts_with(tells))).cloned();
            match word {
                Some(word) => fields.extend(own.into_iter().map(|field| match field == word {
                    true => word.clone(),
                    false => format!("{word}.{field}"),
                })),
                None => fields.extend(own),
            }
        }
    }
}

// No stored event leaves the daemon: every new field of a frame must be listed here.
#[test]
fn frames_have_these_fields_and_no_others() {
    let document = build();
    let mut open: BTreeSet<String> = streams().flat_map(|(_, frames)| frames).map(str::to_owned).collect();
    let mut list: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    while let Some(name) = open.pop_first() {
        let (mut fields, mut refers) = (BTreeSet::new(), BTreeSet::new());
        collect(&document["components"]["schemas"][&name], &mut fields, &mut refers);
        list.insert(name, fields);
        open.extend(refers.into_iter().filter(|name| !list.contains_key(name)));
    }
    let mut text = String::new();
    for (stream, frames) in streams() {
        assert!(!frames.is_empty(), "{stream} does not say what it sends");
        text += &format!("{stream}: {}\n", frames.join(", "));
    }
    for (name, fields) in list.iter().filter(|(_, fields)| !fields.is_empty()) {
        text += &format!("\n{name}\n");
        for field in fields {
            text += &format!("  {field}\n");
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/http/openapi/frames.golden");
    if std::env::var_os("PASEO_UPDATE").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(file).unwrap_or_default(), "see frames.golden");
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

// Some tools read a stream as one text, others event by event.
#[test]
fn streams_are_texts_and_events() {
    let document = build();
    let mut seen = 0;
    for (path, _, operation) in operations(&document) {
        let schema = &operation["responses"]["200"]["content"]["text/event-stream"]["schema"];
        if schema.is_null() {
            continue;
        }
        assert_eq!(schema["type"], json!(["string", "object"]), "{path}");
        assert_eq!(schema["properties"]["data"]["type"], "string", "{path}");
        assert!(schema["properties"]["data"]["contentSchema"].is_object(), "{path}");
        seen += 1;
    }
    assert_eq!(seen, 2);
}

#[test]
fn every_body_of_an_operation_with_examples_has_one() {
    let examples = super::examples::all();
    let mut tried = 0;
    for (_, _, operation) in operations(&build()) {
        let name = operation["operationId"].as_str().unwrap();
        let Some(example) = examples.get(name) else { continue };
        let answers = operation["responses"].as_object().unwrap();
        let schema = |answer: &Value| answer["content"]["application/json"]["schema"].clone();
        let recorded = schema(&answers[&example["status"].to_string()]);
        let successes = answers.iter().filter(|(status, _)| status.starts_with(['1', '2']));
        let same = successes.map(|(_, answer)| answer).filter(|answer| schema(answer) == recorded);
        let bodies = same.map(|answer| &answer["content"]).chain([&operation["requestBody"]["content"]]);
        for (media, content) in bodies.filter_map(Value::as_object).flatten() {
            let has_example = content.get("example").is_some() || content.get("examples").is_some();
            assert!(has_example, "{name}: {media}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
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
    }
}

#[test]
fn every_parameter_is_described_and_every_number_has_a_range() {
    let document = build();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for (path, method, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            let context = format!("{method} {path}: {name}");
            assert!(!parameter["description"].as_str().unwrap_or_default().is_empty(), "{context}");
            // Headers are known whatever the case of their letters.
            let spelling = names.entry(name.to_ascii_lowercase()).or_insert_with(|| name.to_owned());
            assert_eq!(spelling, name, "{context}");
            assert!(
                !parameter["schema"]["default"].is_null() || parameter["schema"].get("default").is_none()
            );
            unbound(&document, &context, &parameter["schema"], &mut found);
        }
        if let Some(body) = operation["requestBody"]["content"].get("application/json") {
            unbound(&document, &format!("{method} {path}"), &body["schema"], &mut found);
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// Finds whole numbers without a least and a most.
fn unbound(document: &Value, place: &str, schema: &Value, found: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let inner = document.pointer(&reference[1..]).unwrap();
        return unbound(document, place, inner, found);
    }
    let is_integer = schema["type"].to_string().contains("integer");
    if is_integer && !(schema["minimum"].is_number() && schema["maximum"].is_number()) {
        found.push(place.to_owned());
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        unbound(document, &format!("{place}.{name}"), property, found);
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(name) {
            unbound(document, place, inner, found);
        }
    }
    for name in ["oneOf", "allOf", "anyOf"] {
        for inner in schema[name].as_array().into_iter().flatten() {
            unbound(document, place, inner, found);
        }
    }
}

// More rows than this are never read at once.
#[test]
fn every_limit_of_a_list_is_that_of_its_route() {
    let mut seen = 0;
    for route in routes::all().filter(|route| route.path.starts_with("/api/")) {
        let known = route.query.map(|query| query.parameters()).unwrap_or_default();
        let Some(limit) = known.into_iter().find(|known| known.name == "limit") else { continue };
        let most = match route.path {
            "/api/inbox" | "/api/permissions" => INBOX_ROWS,
            _ => PAGE_ROWS,
        };
        assert_eq!(limit.range, Some(1..=most as u64), "{}", route.path);
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[tokio::test]
async fn a_number_outside_of_its_range_is_refused_and_the_range_named() {
    let house = House::new().await;
    for (uri, expected) in [
        ("/api/sessions?limit=0", "`limit` is 0; expected 1 to 500"),
        ("/api/threads?limit=501", "`limit` is 501; expected 1 to 500"),
        ("/api/inbox?limit=101", "`limit` is 101; expected 1 to 100"),
    ] {
        let peer = Peer::Local(Ok(Actor::Human("cli".into())));
        let response = house.ask(Request::get(uri).extension(peer).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 400, "{uri}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["message"], expected, "{uri}");
    }
}

/// Parameters of queries that are any text.
const FREE_TEXT: &[(&str, &str)] = &[
    ("uploadAttachment.name", "any name; characters that a file name cannot have are replaced"),
    ("completeFile.query", "what a person typed"),
    ("checkWrite.path", "the answer says what is wrong with a path"),
    ("listWorkers.prefix", "the beginning of a name"),
    ("search.from", "what a person typed; a name that nobody has finds nothing"),
    ("suggestParticipantId.client", "an id is suggested for any client"),
    ("teamdSearchThreads.q", "what an agent typed"),
    ("teamdSearchThreads.query", "what an agent typed"),
    ("teamdCheckWrite.agentId", "the protocol refuses nothing here: the answer says why not"),
    ("teamdCheckWrite.path", "the protocol refuses nothing here: the answer says why not"),
    ("teamdCheckWrite.teamId", "the protocol refuses nothing here: the answer says why not"),
];

#[test]
fn every_text_in_a_query_has_a_form() {
    let document = build();
    let mut free = BTreeSet::new();
    for (_, _, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().unwrap() {
            let schema = &parameter["schema"];
            let schema = match schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
                Some(name) => &document["components"]["schemas"][name],
                None => schema,
            };
            let has_form =
                ["pattern", "enum", "format", "minLength"].iter().any(|key| schema.get(key).is_some());
            if parameter["in"] == "query" && schema["type"] == "string" && !has_form {
                let place =
                    [&operation["operationId"], &parameter["name"]].map(|name| name.as_str().unwrap());
                free.insert(place.join("."));
            }
        }
    }
    let known: BTreeSet<String> = FREE_TEXT.iter().map(|(place, _)| (*place).to_owned()).collect();
    assert_eq!(free, known, "give them a pattern, or say in FREE_TEXT why any text will do");
}

#[tokio::test]
async fn a_query_that_could_never_match_is_refused_and_signs_find_nothing() {
    let house = House::new().await;
    for (uri, status) in [
        ("/api/sessions?project=work", 400),
        ("/api/sessions?project=%2Fwork", 200),
        ("/api/sessions?agent=a%20b", 400),
        ("/api/sessions?agent=reviewer", 200),
        ("/api/threads?after=planning", 400),
        ("/threads?after=planning", 400),
        ("/api/threads?after=3f2a5c1e-7b2d-4a10-9c4e-2f6a8b0d1e3c", 200),
        ("/api/search?q=--", 400),
        ("/api/search?q=%E2%80%94", 200),
        ("/api/teams/a%20b", 404),
    ] {
        let peer = Peer::Local(Ok(Actor::Human("cli".into())));
        let response = house.ask(Request::get(uri).extension(peer).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), status, "{uri}");
    }
}

/// Returns the routes that a text names, as `GET /api/sessions`.
fn named_routes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        for (at, _) in text.match_indices(&format!("`{method} ")) {
            let rest = &text[at + method.len() + 2..];
            let end = rest.find(|one: char| one == '`' || one == '?' || one.is_whitespace());
            let path = &rest[..end.unwrap_or(rest.len())];
            // `…` stands for a beginning that is said elsewhere, or for the rest.
            if path.starts_with(['/', '…']) {
                found.push((method.to_owned(), path.to_owned()));
            }
        }
    }
    found
}

fn is_route(method: &str, path: &str) -> bool {
    fn parts(path: &str) -> Vec<&str> {
        path.split('/').skip(1).collect()
    }
    let wanted = parts(path.trim_start_matches('…'));
    let is_like =
        |part: &str, wanted: &str| part == wanted || part.starts_with('{') && wanted.starts_with('{');
    // A page about one resource leaves out where that is.
    let is_whole =
        routes::all().any(|route| parts(route.path)[0] == wanted[0]) && !wanted[0].starts_with('{');
    routes::all().filter(|route| route.method == method).any(|route| {
        let parts = parts(route.path);
        let from = if is_whole { 0 } else { parts.len().saturating_sub(wanted.len()) };
        let rest = &parts[from..];
        rest.len() == wanted.len() && rest.iter().zip(&wanted).all(|(part, wanted)| is_like(part, wanted))
    })
}

#[test]
fn every_route_that_is_named_exists() {
    assert!(is_route("GET", "/api/sessions") && is_route("GET", "…/deliveries/{delivery}"));
    assert!(!is_route("POST", "/api/agents/trust") && !is_route("GET", "…/messages/{delivery}"));
    let mut texts = vec![("openapi.json".to_owned(), build().to_string())];
    let mut folders = vec![std::path::PathBuf::from(COMMITTED).parent().unwrap().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                texts.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut seen = 0;
    for (place, text) in texts {
        for (method, path) in named_routes(&text) {
            seen += 1;
            assert!(is_route(&method, &path), "{place}: there is no `{method} {path}`");
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn operations_declare_the_refusals_that_apply_to_them() {
    let document = build();
    let operations = operations(&document);
    let declares = |name: &str, status: &str| {
        let found = operations.iter().find(|(_, _, operation)| operation["operationId"] == name);
        found.unwrap_or_else(|| panic!("{name}")).2["responses"].get(status).is_some()
    };
    // A handle may be ambiguous, the row of a cursor gone, and `at` excludes `version`; ids of teams and tasks are exact.
    for name in
        ["getSession", "listTokens", "getThread", "createSession", "deleteToken", "getUsage", "getTeam"]
    {
        assert!(declares(name, "409"), "{name}");
    }
    for name in ["getTask", "listAuditTrail", "traceDelivery", "updateSetting", "logOut", "getStatus"] {
        assert!(!declares(name, "409"), "{name}");
    }
    for (name, status, applies) in [
        ("search", "413", true),
        ("getTeam", "413", false),
        ("sendMessage", "429", true),
        ("getSession", "429", false),
        ("getStatus", "404", false),
        ("getHealth", "401", false),
        // Of another site, or for another host: refused before the route is known.
        ("getHealth", "403", true),
        ("getHealth", "421", true),
    ] {
        assert_eq!(declares(name, status), applies, "{name}: {status}");
    }
}

#[test]
fn operations_that_attach_files_can_refuse_their_type() {
    let document = build();
    let schemas = &document["components"]["schemas"];
    for (path, method, operation) in operations(&document) {
        let body = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str();
        let name = body.and_then(|reference| reference.rsplit('/').next()).unwrap_or_default();
        let attaches = schemas[name]["properties"].get("attachments").is_some();
        let declared = operation["responses"].get("415").is_some();
        assert!(!attaches || declared, "{method} {path}");
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
        let schema = json!((query.schema)());
        for (name, property) in schema["properties"].as_object().unwrap() {
            let kind = property["type"].to_string();
            if kind.contains("integer") || kind.contains("boolean") {
                let status = ask(&format!("{name}=x")).await.status();
                // The bridge protocol looks for the thread first.
                let missing = route.is_of_bridge() && status.as_u16() == 404;
                // Some routes are for agents alone.
                let missing = missing || plain.as_u16() == 403;
                assert!(status.as_u16() == 400 || missing, "{} {}: {name}", route.method, route.path);
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
}
