//! What MCP servers ask people for through their harness: fields to fill in, or an address to visit.

use paseo_core::permission::Form;
use paseo_core::permission::form::{Field, FieldKind, FieldOption, Format};
use serde_json::{Map, Number, Value, json};

use crate::provider::Answer;

/// What a server asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A form, or an address. A form without fields asks for a yes or a no.
    Form(Form),
    /// Something that people cannot be shown, so it is declined.
    Unsupported,
}

/// Reads a request of a server. `order` names fields in the order in which they are shown, where that is told.
pub(crate) fn read(mode: &str, schema: &Value, url: &str, order: &[String]) -> Asked {
    let form = match mode {
        "url" => Some(Form::Link { url: url.to_owned() }),
        "" | "form" => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let fields = properties.map_or(Some(Vec::new()), |properties| fields(properties, schema, order));
            fields.map(|fields| Form::Fields { fields })
        }
        _ => None,
    };
    form.and_then(Form::checked).map_or(Asked::Unsupported, Asked::Form)
}

fn fields(properties: &Map<String, Value>, schema: &Value, order: &[String]) -> Option<Vec<Field>> {
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let place = |name: &String| order.iter().position(|known| known == name).unwrap_or(usize::MAX);
    let mut named: Vec<(&String, &Value)> = properties.iter().collect();
    named.sort_by_key(|(name, _)| place(name));
    let field = |(name, property): (&String, &Value)| {
        Some(Field {
            name: name.clone(),
            title: word(property, "title"),
            description: word(property, "description"),
            required: required.iter().any(|required| required == name.as_str()),
            default: property.get("default").filter(|value| !value.is_null()).cloned(),
            kind: kind(property)?,
        })
    };
    named.into_iter().map(field).collect()
}

/// Returns what a field takes; `None` when it is not one of the simple kinds.
fn kind(property: &Value) -> Option<FieldKind> {
    let count = |name: &str| property.get(name).and_then(Value::as_u64);
    let number = |name: &str| property.get(name).and_then(Value::as_number).cloned();
    let choice = |options, multiple| FieldKind::Choice {
        options,
        multiple,
        min_items: count("minItems").filter(|_| multiple),
        max_items: count("maxItems").filter(|_| multiple),
    };
    let bounded = |whole, minimum: Option<Number>, maximum| FieldKind::Number { whole, minimum, maximum };
    match property.get("type").and_then(Value::as_str)? {
        "boolean" => Some(FieldKind::Boolean),
        "integer" => Some(bounded(true, number("minimum"), number("maximum"))),
        "number" => Some(bounded(false, number("minimum"), number("maximum"))),
        "array" => Some(choice(options(property.get("items")?)??, true)),
        "string" => match options(property)? {
            Some(options) => Some(choice(options, false)),
            None => Some(FieldKind::Text {
                min_length: count("minLength"),
                max_length: count("maxLength"),
                pattern: property.get("pattern").and_then(Value::as_str).map(str::to_owned),
                format: Format::parse(&word(property, "format")),
                secret: word(property, "format") == "password"
                    || property.get("writeOnly").and_then(Value::as_bool) == Some(true),
            }),
        },
        _ => None,
    }
}

/// Reads what can be chosen; `Some(None)` when anything can, `None` when it makes no sense.
fn options(property: &Value) -> Option<Option<Vec<FieldOption>>> {
    let titled = |option: &Value| {
        Some(FieldOption {
            value: option.get("const")?.as_str()?.to_owned(),
            title: word(option, "title"),
            description: word(option, "description"),
        })
    };
    for list in ["oneOf", "anyOf"] {
        if let Some(listed) = property.get(list) {
            return listed.as_array()?.iter().map(titled).collect::<Option<Vec<_>>>().map(Some);
        }
    }
    let Some(values) = property.get("enum") else { return Some(None) };
    let names = property.get("enumNames").and_then(Value::as_array);
    let option = |(at, value): (usize, &Value)| {
        let title = names.and_then(|names| names.get(at)?.as_str()).unwrap_or_default().to_owned();
        Some(FieldOption { value: value.as_str()?.to_owned(), title, description: String::new() })
    };
    values.as_array()?.iter().enumerate().map(option).collect::<Option<Vec<_>>>().map(Some)
}

fn word(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns a request in words: who asks, what, and the fields or the address.
pub(crate) fn words(asker: &str, message: &str, form: &Form) -> String {
    let mut lines = vec![format!("{asker} asks: {message}")];
    match form {
        Form::Link { url } => lines.push(format!("It asks you to visit {url}")),
        Form::Fields { fields } => lines.extend(fields.iter().map(line)),
        Form::Questions { .. } | Form::Plan { .. } => {}
    }
    lines.join("\n")
}

fn line(field: &Field) -> String {
    let kind = match &field.kind {
        FieldKind::Text { secret: true, .. } => "secret text".to_owned(),
        FieldKind::Text { format, .. } => format.map_or("text", Format::word).to_owned(),
        FieldKind::Number { whole: true, .. } => "whole number".to_owned(),
        FieldKind::Number { whole: false, .. } => "number".to_owned(),
        FieldKind::Boolean => "true or false".to_owned(),
        FieldKind::Choice { options, multiple, .. } => {
            let values: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
            format!("{} {}", if *multiple { "any of" } else { "one of" }, values.join(", "))
        }
    };
    let required = if field.required { ", required" } else { "" };
    let about = [field.title.as_str(), field.description.as_str()];
    let about: Vec<&str> = about.into_iter().filter(|about| !about.is_empty()).collect();
    let about = if about.is_empty() { String::new() } else { format!(": {}", about.join(". ")) };
    format!("- {} ({kind}{required}){about}", field.name)
}

/// Returns the answer to a request in the words of MCP, which all harnesses use. An address is visited; a form is
/// filled in, and a yes alone says nothing.
pub(crate) fn answer(answer: &Answer, form: &Form) -> Value {
    match (answer, form) {
        (Answer::Fill { content }, Form::Fields { .. }) => json!({ "action": "accept", "content": content }),
        (Answer::Allow { .. }, Form::Link { .. }) => json!({ "action": "accept" }),
        (Answer::Cancel, _) => json!({ "action": "cancel" }),
        _ => decline(),
    }
}

/// Returns the answer to what cannot be shown.
pub(crate) fn decline() -> Value {
    json!({ "action": "decline" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_form(schema: Value) -> Option<Vec<Field>> {
        match read("form", &schema, "", &[]) {
            Asked::Form(Form::Fields { fields }) => Some(fields),
            Asked::Unsupported => None,
            other => panic!("{other:?}"),
        }
    }

    fn kinds(properties: Value) -> Option<Vec<FieldKind>> {
        let fields = read_form(json!({ "type": "object", "properties": properties }))?;
        Some(fields.into_iter().map(|field| field.kind).collect())
    }

    #[test]
    fn fields_of_all_kinds_are_read_in_their_order() {
        let schema = json!({
            "type": "object",
            "required": ["name", "size"],
            "properties": {
                "name": { "type": "string", "title": "Name", "description": "Of the place", "minLength": 2,
                    "maxLength": 9, "default": "here" },
                "mail": { "type": "string", "format": "email", "pattern": "@x$" },
                "size": { "type": "integer", "minimum": 1, "maximum": 5 },
                "ratio": { "type": "number" },
                "sure": { "type": "boolean", "default": true },
                "color": { "type": "string", "enum": ["r", "g"], "enumNames": ["Red"] },
            },
        });
        let fields = read_form(schema.clone()).unwrap();
        let names: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.required)).collect();
        let expected = [
            ("name", true),
            ("mail", false),
            ("size", true),
            ("ratio", false),
            ("sure", false),
            ("color", false),
        ];
        assert_eq!(names, expected);
        let FieldKind::Choice { options, multiple: false, .. } = &fields[5].kind else { panic!() };
        assert_eq!(options.iter().map(|option| option.title.as_str()).collect::<Vec<_>>(), ["Red", ""]);
        let whole = FieldKind::Number { whole: true, minimum: Some(1.into()), maximum: Some(5.into()) };
        assert_eq!(fields[2].kind, whole);
        assert_eq!(fields[0].default, Some(json!("here")));
        let order = ["sure", "name"].map(str::to_owned);
        let Asked::Form(Form::Fields { fields }) = read("", &schema, "", &order) else { panic!() };
        assert_eq!((fields[0].name.as_str(), fields[1].name.as_str()), ("sure", "name"));
    }

    #[test]
    fn options_may_have_titles_and_several_may_be_chosen() {
        let titled = json!([{ "const": "b", "title": "Blue", "description": "as the sky" }]);
        let read = kinds(json!({
            "one": { "type": "string", "oneOf": titled },
            "any": { "type": "array", "items": { "anyOf": titled }, "maxItems": 1 },
            "plain": { "type": "array", "items": { "type": "string", "enum": ["a"] } },
        }))
        .unwrap();
        let several: Vec<bool> =
            read.iter().map(|kind| matches!(kind, FieldKind::Choice { multiple: true, .. })).collect();
        assert_eq!(several, [false, true, true]);
    }

    #[test]
    fn a_password_is_a_secret() {
        let read = kinds(json!({
            "a": { "type": "string", "format": "password" },
            "b": { "type": "string", "writeOnly": true },
            "c": { "type": "string" },
        }))
        .unwrap();
        let secret: Vec<bool> =
            read.iter().map(|kind| matches!(kind, FieldKind::Text { secret: true, .. })).collect();
        assert_eq!(secret, [true, true, false]);
    }

    #[test]
    fn what_cannot_be_shown_is_not_asked() {
        for unsupported in [
            json!({ "x": { "type": "object", "properties": {} } }),
            json!({ "x": { "type": "array", "items": { "type": "string" } } }),
            json!({ "x": { "$ref": "#/definitions/x" } }),
            json!({ "x": { "type": "string", "enum": [1, 2] } }),
            json!({ "x": { "type": "string", "oneOf": [{ "title": "no value" }] } }),
            json!({ "x": true }),
        ] {
            assert_eq!(kinds(unsupported.clone()), None, "{unsupported}");
        }
        let plain = Asked::Form(Form::Fields { fields: Vec::new() });
        assert_eq!(read("form", &json!({ "type": "object", "properties": {} }), "", &[]), plain);
        assert_eq!(read("openai/userVerification", &Value::Null, "", &[]), Asked::Unsupported);
        assert_eq!(read("url", &Value::Null, "", &[]), Asked::Unsupported);
        let link = Asked::Form(Form::Link { url: "https://x.example".into() });
        assert_eq!(read("url", &Value::Null, "https://x.example", &[]), link);
    }

    #[test]
    fn an_answer_is_an_action_and_only_what_was_filled_in_is_content() {
        let content = json!({ "a": 1 }).as_object().unwrap().clone();
        let (form, link) = (Form::Fields { fields: vec![] }, Form::Link { url: "https://x.example".into() });
        let allow = Answer::Allow { input: Value::Null, message: None };
        let filled = Answer::Fill { content };
        let action = |given: &Answer, form: &Form| answer(given, form)["action"].as_str().unwrap().to_owned();
        assert_eq!(answer(&filled, &form), json!({ "action": "accept", "content": { "a": 1 } }));
        assert_eq!(action(&allow, &link), "accept");
        assert_eq!((action(&allow, &form), action(&filled, &link)), ("decline".into(), "decline".into()));
        for form in [form, link] {
            assert_eq!(action(&Answer::Deny { message: "no".into() }, &form), "decline");
            assert_eq!(action(&Answer::Choose { answers: vec![] }, &form), "decline");
            assert_eq!(action(&Answer::Cancel, &form), "cancel");
        }
    }
}
