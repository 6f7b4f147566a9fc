//! Examples that no test can record, as only a browser, an agent or a terminal sends them: written by hand, and compared
//! with the schemas of the document.

use serde_json::{Map, Value, json};

use super::{Asker, fits};

/// Path, query, request, status and answer by name. A word in capitals stands for a part that others share.
const WRITTEN: &str = include_str!("written.json");

/// Adds them to those that were recorded.
pub(super) fn add(asker: &mut Asker) {
    let written: Map<String, Value> = serde_json::from_str(WRITTEN).unwrap();
    for (name, written) in written {
        let example = example(asker, &name, &written);
        let before = asker.examples.insert(name.clone(), example);
        assert!(before.is_none(), "{name} is recorded, and needs no example by hand");
    }
}

fn example(asker: &Asker, name: &str, written: &Value) -> Value {
    let (method, template) = asker.operations.get(name).unwrap_or_else(|| panic!("no {name}"));
    let operation = &asker.document["paths"][template][method.to_lowercase()];
    let mut path = template.clone();
    for (parameter, value) in written["path"].as_object().into_iter().flatten() {
        path = path.replace(&format!("{{{parameter}}}"), value.as_str().unwrap());
    }
    assert!(!path.contains('{'), "{name}: {path}");
    if let Some(query) = written["query"].as_str() {
        let known = operation["parameters"].as_array().unwrap();
        for pair in query.split('&') {
            let key = pair.split_once('=').unwrap().0;
            assert!(known.iter().any(|one| one["name"] == key && one["in"] == "query"), "{name}: {key}");
        }
        path = format!("{path}?{query}");
    }
    let status = written["status"].as_u64().unwrap_or(200);
    let mut example = json!({ "method": method, "path": path, "status": status });
    let answer = &operation["responses"][status.to_string()];
    assert!(answer.is_object(), "{name}: {status}");
    if let Some(frames) = written["frames"].as_object() {
        let schema = &answer["content"]["application/json"]["schema"];
        for (kind, frame) in frames {
            let wrong = fits::wrong(&asker.document, schema, frame, name);
            assert_eq!(wrong, Vec::<String>::new(), "{name}: {kind}");
        }
        example["frames"] = written["frames"].clone();
        return example;
    }
    for (part, content) in
        [("request", &operation["requestBody"]["content"]), ("response", &answer["content"])]
    {
        let Some(value) = written.get(part).map(|value| filled(asker, value)) else {
            assert!(!content.is_object(), "{name}: {part} is missing");
            continue;
        };
        let schema =
            content.as_object().and_then(|content| content.values().next()).map(|one| &one["schema"]);
        let schema = schema.unwrap_or_else(|| panic!("{name} has no {part}"));
        assert_eq!(
            fits::wrong(&asker.document, schema, &value, name),
            Vec::<String>::new(),
            "{name}: {part}"
        );
        example[part] = value;
    }
    example
}

/// Puts in the parts that others share.
fn filled(asker: &Asker, value: &Value) -> Value {
    let recorded = |name: &str| asker.examples[name]["response"].clone();
    match value {
        Value::String(word) => match word.as_str() {
            "ACTION" => recorded("closeSession"),
            "DEFINITIONS" => recorded("listAgents"),
            "RECEIPT" => recorded("sendMessage"),
            "SESSION" => recorded("getSession")["session"].clone(),
            "TOOLS" => recorded("listSessionTools"),
            "NOTIFICATIONS" => json!({
                "endpoint": "https://push.example.org/send/0b5e8c1f",
                "public_key": "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
                "switches": {
                    "failure": true, "finished": true, "hold": false, "permission": true, "question": true,
                },
                "last": { "at": "2026-01-31T12:00:00.000Z", "delivered": true, "error": null },
            }),
            "WORKER" => json!({
                "name": "claude-1", "session": "3f2a5c1e-7b2d-7a10-9c4e-2f6a8b0d1e3c", "handle": "3f2a",
                "team": "red", "agent": "claude-1", "provider": "claude", "directory": "/home/ann/project",
                "thread": "thread-0001", "status": "running", "alive": true, "person": false, "attached": 0,
                "guarded": true, "exit": null, "trouble": null, "from_next_start": null, "unknown": false,
                "created_at": "2026-01-31T12:00:00.000Z", "attach": "paseo worker attach claude-1",
            }),
            _ => value.clone(),
        },
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), filled(asker, field))).collect())
        }
        other => other.clone(),
    }
}
