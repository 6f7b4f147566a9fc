//! What the derived schemas of bodies leave open: which keys a map takes, which characters a text has, and forms that
//! depend on another field. `exact.json` says it as a merge patch (RFC 7396) of the schemas.

use serde_json::{Map, Value};

/// The patch, by the names of schemas.
const PATCH: &str = include_str!("exact.json");

/// Reads the patch.
fn patch() -> Map<String, Value> {
    serde_json::from_str(PATCH).unwrap_or_default()
}

/// Patches the schemas of the document.
pub(super) fn refine(document: &mut Value) {
    for (name, change) in patch() {
        merge(&mut document["components"]["schemas"][name], change);
    }
}

fn merge(target: &mut Value, change: Value) {
    match (target, change) {
        (Value::Object(target), Value::Object(change)) => {
            for (key, value) in change {
                match value {
                    Value::Null => drop(target.remove(&key)),
                    value => merge(target.entry(key).or_insert(Value::Null), value),
                }
            }
        }
        (target, change) => *target = change,
    }
}

#[cfg(test)]
mod tests {
    use paseo_wire::schema::Schemas;
    use serde_json::json;
    use utoipa::OpenApi;

    use super::*;

    #[test]
    fn a_patch_changes_what_it_names_and_removes_what_is_null() {
        let mut schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        let change = json!({ "type": null, "properties": { "a": { "maxLength": 3 }, "b": true } });
        merge(&mut schema, change);
        assert_eq!(schema, json!({ "properties": { "a": { "type": "string", "maxLength": 3 }, "b": true } }));
    }

    #[test]
    fn every_schema_and_field_of_the_patch_is_there() {
        let derived = json!(Schemas::openapi())["components"]["schemas"].take();
        let patch = patch();
        assert!(!patch.is_empty());
        for (name, change) in patch {
            assert!(derived[&name].is_object(), "{name}");
            // A control is any object to the wire.
            let fields = change["properties"].as_object().filter(|_| name != "ThreadControl");
            for field in fields.into_iter().flat_map(Map::keys) {
                assert!(derived[&name]["properties"].get(field).is_some(), "{name}.{field}");
            }
        }
    }
}
