//! Unions of the document: each form gets a name of its own, and the field that tells them apart is said.

use serde_json::{Map, Value, json};

/// The fields that tell the forms of our unions apart.
const TELLS: [&str; 3] = ["type", "kind", "t"];

/// Names the forms of every union whose forms differ by a field.
pub(super) fn name_forms(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let mut forms = Map::new();
    for (name, schema) in schemas.iter_mut() {
        spread(name, schema, &mut forms);
        for tells in TELLS {
            name_forms_of(name, tells, schema, &mut forms);
        }
    }
    schemas.extend(forms);
}

/// Turns what all forms have, beside a union, into a union of forms that have it: generators of clients know no other.
fn spread(name: &str, schema: &mut Value, forms: &mut Map<String, Value>) {
    let Some([union, common]) = schema["allOf"].as_array().map(Vec::as_slice) else { return };
    let Some(several) = union["oneOf"].as_array() else { return };
    let shared = format!("{name}Common");
    let reference = json!({ "$ref": format!("#/components/schemas/{shared}") });
    let with_it = |form: &Value| json!({ "allOf": [reference, form] });
    let mut spread = json!({ "oneOf": several.iter().map(with_it).collect::<Vec<_>>() });
    if let Some(about) = schema.get("description") {
        spread["description"] = about.clone();
    }
    forms.insert(shared, common.clone());
    *schema = spread;
}

fn name_forms_of(name: &str, tells: &str, schema: &mut Value, forms: &mut Map<String, Value>) {
    let Some(all) = schema.get_mut("oneOf").and_then(Value::as_array_mut) else { return };
    let words: Option<Vec<String>> = all.iter().map(|form| word(form, tells)).collect();
    let Some(words) = words.filter(|words| words.len() > 1) else { return };
    let mut mapping = Map::new();
    for (form, word) in all.iter_mut().zip(words) {
        let named = format!("{name}{}", pascal(&word));
        let reference = format!("#/components/schemas/{named}");
        forms.insert(named, std::mem::replace(form, json!({ "$ref": reference })));
        mapping.insert(word, json!(reference));
    }
    schema["discriminator"] = json!({ "propertyName": tells, "mapping": mapping });
}

/// Returns the word by which a form is known.
fn word(form: &Value, tells: &str) -> Option<String> {
    let parts = form["allOf"].as_array().map_or(std::slice::from_ref(form), Vec::as_slice);
    let word = |part: &Value| match part["properties"][tells]["enum"].as_array()?.as_slice() {
        [word] => Some(word.as_str()?.to_owned()),
        _ => None,
    };
    parts.iter().find_map(word)
}

fn pascal(word: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    word.split(['_', '.']).map(capital).collect()
}
