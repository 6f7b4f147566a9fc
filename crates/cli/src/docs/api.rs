//! `docs/api.md`: a tour that people wrote, and every operation, from the OpenAPI document.

use std::fmt::Write;

use serde_json::{Map, Value};

/// What people wrote.
const TOUR: &str = include_str!("api.md");
/// The requests that a test sends, by the names of operations.
const EXAMPLES: &str = include_str!("../../../daemon/src/http/openapi/examples.json");
/// The widest line of an example that stays on one line.
const WIDTH: usize = 110;

/// Returns the page.
pub(super) fn page() -> String {
    // Read when the test runs: it is made by another test, after this was compiled.
    let committed = std::fs::read_to_string(super::directory().join("openapi.json")).unwrap_or_default();
    let document: Value = serde_json::from_str(&committed).expect("docs/openapi.json is JSON");
    let examples: Map<String, Value> = serde_json::from_str(EXAMPLES).expect("the examples are JSON");
    let mut page = format!(
        "{TOUR}\n## Operations\n\nThis part is generated from [`openapi.json`](openapi.json). A test records the examples from a daemon; ids,\ntimes, paths and secrets are replaced, lists are shortened to two rows, and streams to one event of each kind. Every operation can also fail with an\n[error](errors/README.md).\n"
    );
    for tag in document["tags"].as_array().into_iter().flatten() {
        let name = tag["name"].as_str().unwrap_or_default();
        let mut title = name.to_owned();
        title[..1].make_ascii_uppercase();
        write!(page, "\n### {title}\n\n{}\n", text(&tag["description"])).expect("a string");
        for (path, methods) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                if operation["tags"][0] == name {
                    page.push_str(&described(&document, &examples, path, method, operation));
                }
            }
        }
    }
    page
}

fn described(
    document: &Value,
    examples: &Map<String, Value>,
    path: &str,
    method: &str,
    operation: &Value,
) -> String {
    let method = method.to_uppercase();
    let access = text(&operation["description"]).trim_start_matches("Access: ").to_owned();
    let mut page = format!(
        "\n#### {}\n\n`{method} {path}`: {}. For: {access}\n",
        text(&operation["operationId"]),
        text(&operation["summary"])
    );
    let rows: Vec<String> = operation["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|parameter| {
            let (name, place) = (text(&parameter["name"]), text(&parameter["in"]));
            let about = cell(&text(&parameter["description"]));
            let required = said(parameter["required"] == true);
            format!(
                "| `{name}` | {place} | {} | {required} | {about} |\n",
                kind(document, &parameter["schema"])
            )
        })
        .collect();
    if !rows.is_empty() {
        page.push_str("\n| parameter | in | type | required | |\n|---|---|---|---|---|\n");
        page.extend(rows);
    }
    let body = &operation["requestBody"]["content"]["application/json"];
    if body.is_object() {
        page.push_str(&fields(document, &body["schema"], "The body"));
    }
    let answer = operation["responses"]
        .as_object()
        .into_iter()
        .flatten()
        .find(|(status, _)| status.starts_with(['1', '2', '3']));
    let Some((status, answer)) = answer else { return page };
    let content = answer["content"].as_object().and_then(|content| content.iter().next());
    // A command line cannot speak through a WebSocket.
    let sent = examples.get(&text(&operation["operationId"])).filter(|_| status != "101");
    if let Some(example) = sent {
        let sent = operation["requestBody"]["content"].as_object().and_then(|content| content.keys().next());
        let media = sent.map_or("application/json", String::as_str);
        // Without a buffer, so that each event is shown when it comes.
        let is_stream = content.is_some_and(|(media, _)| media == "text/event-stream");
        let flags = if is_stream { "-sN" } else { "-s" };
        write!(page, "\n```sh no-run\n{}\n```\n", curl(example, media, flags)).expect("a string");
    }
    match content {
        Some((_, content)) if status == "101" => {
            page.push_str("\nOpens a WebSocket. Examples of its text frames:\n\n```json\n");
            for frame in content["examples"].as_object().into_iter().flat_map(Map::values) {
                writeln!(page, "{}", frame["value"]).expect("a string");
            }
            page.push_str("```\n");
        }
        Some((media, content)) if media == "application/json" => {
            write!(page, "\nAnswers `{status}` with {}.\n", kind(document, &content["schema"]))
                .expect("a string");
            page.push_str(&fields(document, &content["schema"], "The answer"));
        }
        Some((media, _)) => write!(page, "\nAnswers `{status}` with `{media}`.\n").expect("a string"),
        None => write!(page, "\nAnswers `{status}`, without a body.\n").expect("a string"),
    }
    if let Some(example) = content.and_then(|(_, content)| content.get("example")) {
        let language = if example.is_string() { "text" } else { "json" };
        write!(page, "\n```{language}\n{}\n```\n", printed(example)).expect("a string");
    }
    page
}

/// Returns the command that sends an example.
fn curl(example: &Value, media: &str, flags: &str) -> String {
    let method = text(&example["method"]);
    let verb = if method == "GET" { String::new() } else { format!("-X {method} ") };
    let url = format!("http://localhost{}", text(&example["path"]));
    let mut command = format!("curl {flags} --unix-socket ~/.paseo/daemon.sock {verb}'{url}'");
    if let Some(text) = example.get("request").and_then(Value::as_str) {
        let body = text.trim_end().replace('\'', "'\\''");
        write!(command, " \\\n  -H 'Content-Type: {media}' --data-binary '{body}'").expect("a string");
    } else if let Some(request) = example.get("request") {
        let body = on_one_line(request).replace('\'', "'\\''");
        write!(command, " \\\n  -H 'Content-Type: application/json' -d '{body}'").expect("a string");
    }
    command
}

/// Returns the fields of a body or an answer; of one with several forms, those of each.
fn fields(document: &Value, schema: &Value, what: &str) -> String {
    let schemas = &document["components"]["schemas"];
    if let Some(forms) = schema["anyOf"].as_array() {
        let form = |form: &Value| format!("\n{}:\n{}", kind(document, form), fields(document, form, what));
        return forms.iter().map(form).collect();
    }
    let Some(name) = name_of(schema) else { return String::new() };
    let schema = &schemas[name];
    let required =
        |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let rows: Vec<String> = properties
        .map(|(name, property)| {
            let (kind, about) = (kind(document, property), cell(&about(property)));
            format!("| `{name}` | {kind} | {} | {about} |\n", said(required(name)))
        })
        .collect();
    if rows.is_empty() {
        return format!("\n{what} is an object: {}\n", text(&schema["description"]));
    }
    format!("\n| field | type | required | |\n|---|---|---|---|\n{}", rows.concat())
}

fn said(required: bool) -> &'static str {
    if required { "yes" } else { "" }
}

/// Returns the name of the schema that is referred to.
fn name_of(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next())
}

/// Returns what a schema says about itself; that of an optional reference stands beside the reference.
fn about(schema: &Value) -> String {
    let inner =
        schema["oneOf"].as_array().and_then(|forms| forms.iter().find(|form| form.get("$ref").is_some()));
    let about = schema.get("description").or_else(|| inner?.get("description"));
    about.map(text).unwrap_or_default()
}

/// Returns the type of something in a few words; of a closed set, the words.
fn kind(document: &Value, schema: &Value) -> String {
    if let Some(name) = name_of(schema) {
        let named = &document["components"]["schemas"][name];
        return if named["enum"].is_array() { kind(document, named) } else { format!("`{name}`") };
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(forms) = schema[several].as_array() {
            let forms = forms.iter().filter(|form| form["type"] != "null" && form["maxLength"] != 0);
            return forms.map(|form| kind(document, form)).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(|word| format!("`{}`", text(word))).collect::<Vec<_>>().join(", ");
    }
    let is_null = |kind: &&Value| **kind != "null";
    let plain = match &schema["type"] {
        Value::Array(several) => several.iter().find(is_null).map(text).unwrap_or_default(),
        one => text(one),
    };
    match (plain.as_str(), &schema["format"]) {
        ("array", _) => format!("list of {}", kind(document, &schema["items"])),
        ("string", Value::String(format)) => format!("{plain} ({format})"),
        ("", _) => "any".to_owned(),
        _ => plain,
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns a text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// Prints an example; what fits on one line stays there.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => indented(value, 0),
    }
}

fn indented(value: &Value, depth: usize) -> String {
    let line = on_one_line(value);
    if line.chars().count() + depth * 2 <= WIDTH {
        return line;
    }
    let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    match value {
        Value::Array(rows) => {
            let rows: Vec<String> =
                rows.iter().map(|row| format!("{inner}{}", indented(row, depth + 1))).collect();
            format!("[\n{}\n{outer}]", rows.join(",\n"))
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{inner}{}: {}", Value::from(name.as_str()), indented(value, depth + 1))
            };
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{{\n{}\n{outer}}}", fields.join(",\n"))
        }
        other => other.to_string(),
    }
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::Array(rows) => format!("[{}]", rows.iter().map(on_one_line).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), on_one_line(value))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[test]
fn the_tour_names_the_lists_with_integer_cursors() {
    let document = std::fs::read_to_string(super::directory().join("openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let pages = TOUR.split("\n## Pages\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut lists = 0;
    for operation in operations {
        let name = operation["operationId"].as_str().unwrap();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let mut cursors = parameters.filter(|parameter| parameter["name"] == "after");
        let is_integer =
            cursors.any(|cursor| cursor["schema"]["type"] == "integer") && name.starts_with("list");
        assert_eq!(pages.contains(&format!("`{name}`")), is_integer, "{name}");
        lists += usize::from(is_integer);
    }
    assert!(lists > 3, "{lists}");
}
