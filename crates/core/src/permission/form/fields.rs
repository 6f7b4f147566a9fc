//! Forms of MCP servers: named fields of simple kinds, and which values fit them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::format::Format;
use super::{ANSWER_BYTES, OPTIONS, visible};

/// Most fields of a form.
const FIELDS: usize = 32;

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The key of its value, as the server wrote it.
    pub name: String,
    /// What people read in place of the name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What the server would fill in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    #[serde(flatten)]
    pub kind: FieldKind,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FieldKind {
    Text {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_length: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_length: Option<u64>,
        /// A regular expression of the server's, which only the server checks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<Format>,
        /// It is shown and stored nowhere.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        secret: bool,
    },
    Number {
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whole: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        minimum: Option<Number>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        maximum: Option<Number>,
    },
    Boolean,
    /// One of these, or several.
    Choice {
        options: Vec<FieldOption>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        multiple: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_items: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_items: Option<u64>,
    },
}

/// A value to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldOption {
    pub value: String,
    /// What people read in place of the value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Why values do not fit a form. No value stands in it: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("the form has no field `{0}`")]
    Unknown(String),
    #[error("field `{0}` is required")]
    Missing(String),
    #[error("field `{field}` takes {expected}")]
    Kind { field: String, expected: String },
}

impl FieldOption {
    fn shown(&self) -> Self {
        // The value stays: it is what an answer names it by.
        let title = if self.title.is_empty() { &self.value } else { &self.title };
        Self { value: self.value.clone(), title: visible(title), description: visible(&self.description) }
    }
}

impl Field {
    /// Says whether its value is a secret.
    pub fn is_secret(&self) -> bool {
        matches!(self.kind, FieldKind::Text { secret: true, .. })
    }

    pub(super) fn shown(&self) -> Self {
        let title = if self.title.is_empty() { &self.name } else { &self.title };
        let kind = match &self.kind {
            FieldKind::Choice { options, multiple, min_items, max_items } => FieldKind::Choice {
                options: options.iter().map(FieldOption::shown).collect(),
                multiple: *multiple,
                min_items: *min_items,
                max_items: *max_items,
            },
            FieldKind::Text { min_length, max_length, pattern, format, secret } => FieldKind::Text {
                min_length: *min_length,
                max_length: *max_length,
                pattern: pattern.as_deref().map(visible),
                format: *format,
                secret: *secret,
            },
            kind @ (FieldKind::Number { .. } | FieldKind::Boolean) => kind.clone(),
        };
        Self {
            name: self.name.clone(),
            title: visible(title),
            description: visible(&self.description),
            required: self.required,
            default: self.default.clone(),
            kind,
        }
    }

    fn bytes(&self) -> usize {
        let default = self.default.as_ref().map_or(0, |value| value.to_string().len());
        let own = self.name.len() + self.title.len() + self.description.len() + default;
        own + match &self.kind {
            FieldKind::Choice { options, .. } => {
                let bytes =
                    |option: &FieldOption| option.value.len() + option.title.len() + option.description.len();
                options.iter().map(bytes).sum()
            }
            FieldKind::Text { pattern, .. } => pattern.as_ref().map_or(0, String::len),
            FieldKind::Number { .. } | FieldKind::Boolean => 0,
        }
    }

    fn can_be_filled(&self) -> bool {
        match &self.kind {
            FieldKind::Choice { options, .. } => (1..=OPTIONS).contains(&options.len()),
            FieldKind::Text { .. } | FieldKind::Number { .. } | FieldKind::Boolean => true,
        }
    }

    /// Forgets a default that is no answer, or would show a secret.
    pub(super) fn settle(&mut self) {
        let fits = |value: &Value| !self.is_secret() && self.expected(value).is_none();
        if !self.default.as_ref().is_some_and(fits) {
            self.default = None;
        }
    }

    /// Returns what it takes, if a value is not that.
    fn expected(&self, value: &Value) -> Option<String> {
        match &self.kind {
            FieldKind::Boolean => (!value.is_boolean()).then(|| "true or false".to_owned()),
            FieldKind::Number { whole, minimum, maximum } => {
                let fits = value.as_number().is_some_and(|number| {
                    (!whole || is_whole(number))
                        && minimum.as_ref().is_none_or(|least| !less(number, least))
                        && maximum.as_ref().is_none_or(|most| !less(most, number))
                });
                (!fits).then(|| {
                    let kind = if *whole { "a whole number" } else { "a number" };
                    within(kind, minimum.as_ref(), maximum.as_ref(), "")
                })
            }
            FieldKind::Text { min_length, max_length, format, .. } => {
                let Some(text) = value.as_str() else { return Some("text".to_owned()) };
                if text.len() > ANSWER_BYTES {
                    return Some(format!("at most {ANSWER_BYTES} bytes"));
                }
                let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
                if min_length.is_some_and(|least| length < least)
                    || max_length.is_some_and(|most| length > most)
                {
                    return Some(within("text", *min_length, *max_length, " characters"));
                }
                format.filter(|format| !format.fits(text)).map(|format| format.words().to_owned())
            }
            FieldKind::Choice { options, multiple, min_items, max_items } => {
                let offered = |value: &Value| {
                    options.iter().any(|option| Some(option.value.as_str()) == value.as_str())
                };
                let fits = match value {
                    Value::Array(chosen) if *multiple => {
                        let count = u64::try_from(chosen.len()).unwrap_or(u64::MAX);
                        let distinct: HashSet<&str> = chosen.iter().filter_map(Value::as_str).collect();
                        distinct.len() == chosen.len()
                            && chosen.iter().all(offered)
                            && min_items.is_none_or(|least| count >= least)
                            && max_items.is_none_or(|most| count <= most)
                    }
                    value => !multiple && offered(value),
                };
                (!fits).then(|| {
                    let values =
                        options.iter().map(|option| visible(&option.value)).collect::<Vec<_>>().join(", ");
                    match multiple {
                        true => format!("{}: {values}", within("options", *min_items, *max_items, "")),
                        false => format!("one of its options: {values}"),
                    }
                })
            }
        }
    }
}

/// Returns `a number from 1 to 3`, as far as there are bounds.
fn within<T: std::fmt::Display>(what: &str, least: Option<T>, most: Option<T>, unit: &str) -> String {
    match (least, most) {
        (None, None) => what.to_owned(),
        (Some(least), None) => format!("{what} of at least {least}{unit}"),
        (None, Some(most)) => format!("{what} of at most {most}{unit}"),
        (Some(least), Some(most)) => format!("{what} from {least} to {most}{unit}"),
    }
}

fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn less(one: &Number, other: &Number) -> bool {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64() < other.as_f64(),
    }
}

/// Says whether people can be shown these fields: not too many, not too large, and all of them known.
pub(super) fn can_be_filled(fields: &[Field], limit: usize) -> bool {
    let names: HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    fields.len() <= FIELDS
        && names.len() == fields.len()
        && fields.iter().map(Field::bytes).sum::<usize>() <= limit
        && fields.iter().all(Field::can_be_filled)
}

/// Returns what a person filled in, as the server expects it. Nothing is added: defaults are for people to see.
///
/// A text or a choice that is empty, and null, say nothing.
pub fn fill(fields: &[Field], given: &Map<String, Value>) -> Result<Map<String, Value>, Unfit> {
    if let Some(name) = given.keys().find(|name| !fields.iter().any(|field| field.name == **name)) {
        return Err(Unfit::Unknown(visible(name)));
    }
    let mut filled = Map::new();
    for field in fields {
        let value = given.get(&field.name).filter(|value| !is_empty(value));
        match value {
            Some(value) => match field.expected(value) {
                Some(expected) => return Err(Unfit::Kind { field: visible(&field.name), expected }),
                None => drop(filled.insert(field.name.clone(), value.clone())),
            },
            None if field.required => return Err(Unfit::Missing(visible(&field.name))),
            None => {}
        }
    }
    Ok(filled)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(chosen) => chosen.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str, required: bool, kind: FieldKind) -> Field {
        let (title, description) = (String::new(), String::new());
        Field { name: name.into(), title, description, required, default: None, kind }
    }

    fn text(format: Option<Format>) -> FieldKind {
        FieldKind::Text { min_length: None, max_length: Some(9), pattern: None, format, secret: false }
    }

    fn number(whole: bool) -> FieldKind {
        FieldKind::Number { whole, minimum: Some(1.into()), maximum: Some(Number::from_f64(2.5).unwrap()) }
    }

    fn choice(multiple: bool) -> FieldKind {
        let option = |value: &str| FieldOption { value: value.into(), ..FieldOption::default() };
        let options = vec![option("a"), option("b"), option("c")];
        FieldKind::Choice { options, multiple, min_items: None, max_items: Some(2).filter(|_| multiple) }
    }

    fn takes(kind: &FieldKind, value: Value) -> bool {
        let given = json!({ "x": value });
        let filled = fill(&[field("x", true, kind.clone())], given.as_object().unwrap());
        assert!(filled.as_ref().is_ok_and(|filled| json!(filled) == given) || filled.is_err());
        filled.is_ok()
    }

    #[test]
    fn a_value_fits_its_field_or_is_refused() {
        assert!(takes(&text(None), json!("yes")) && takes(&text(None), json!("äöüäöüäöü")));
        for no in [json!("ten chars."), json!(7), json!(true), json!(["yes"]), json!({ "a": 1 })] {
            assert!(!takes(&text(None), no.clone()), "{no}");
        }
        assert!(takes(&text(Some(Format::Email)), json!("a@b.ch")));
        assert!(!takes(&text(Some(Format::Email)), json!("a b@c")));
        for (yes, whole) in [(json!(1), true), (json!(2.0), true), (json!(2.5), false), (json!(1.5), false)] {
            assert!(takes(&number(whole), yes.clone()), "{yes}");
        }
        for (no, whole) in [(json!(0), true), (json!(1.5), true), (json!(3), false), (json!("1"), false)] {
            assert!(!takes(&number(whole), no.clone()), "{no}");
        }
        assert!(takes(&FieldKind::Boolean, json!(false)));
        assert!(!takes(&FieldKind::Boolean, json!("false")) && !takes(&FieldKind::Boolean, json!(0)));
        assert!(takes(&choice(false), json!("b")));
        for no in [json!("d"), json!(["b"]), json!(1)] {
            assert!(!takes(&choice(false), no.clone()), "{no}");
        }
        assert!(takes(&choice(true), json!(["c", "a"])));
        for no in [json!("b"), json!(["a", "a"]), json!(["a", "b", "c"]), json!(["a", 1]), json!(["d"])] {
            assert!(!takes(&choice(true), no.clone()), "{no}");
        }
    }

    #[test]
    fn what_is_required_is_there_and_what_is_not_asked_is_refused() {
        let fields = [field("a", true, text(None)), field("b", false, choice(true))];
        let filled = |given: Value| fill(&fields, given.as_object().unwrap());
        assert_eq!(filled(json!({})), Err(Unfit::Missing("a".into())));
        for empty in [json!(""), Value::Null] {
            assert_eq!(filled(json!({ "a": empty })), Err(Unfit::Missing("a".into())));
        }
        assert_eq!(filled(json!({ "a": "x", "c": 1 })), Err(Unfit::Unknown("c".into())));
        let expected = json!({ "a": "x" });
        assert_eq!(filled(json!({ "a": "x", "b": [] })), Ok(expected.as_object().unwrap().clone()));
    }

    #[test]
    fn a_form_that_cannot_be_shown_or_filled_in_is_none() {
        let can = |fields: &[Field]| can_be_filled(fields, 1000);
        assert!(can(&[field("a", true, text(None)), field("b", true, text(None))]));
        assert!(can(&[]), "a yes or a no");
        assert!(!can(&[field("a", true, text(None)), field("a", true, text(None))]), "one name twice");
        assert!(!can(&[field(&"a".repeat(1001), true, text(None))]), "too large");
        let none = FieldKind::Choice { options: vec![], multiple: false, min_items: None, max_items: None };
        assert!(!can(&[field("a", true, none)]), "nothing to choose");
        let mut wrong = Field { default: Some(json!("much too long")), ..field("a", true, text(None)) };
        wrong.settle();
        assert_eq!(wrong.default, None, "a default that is no answer");
        let mut right = Field { default: Some(json!("short")), ..wrong };
        right.settle();
        assert_eq!(right.default, Some(json!("short")));
        let many: Vec<Field> = (0..=FIELDS).map(|at| field(&at.to_string(), true, text(None))).collect();
        assert!(!can(&many), "too many");
    }

    #[test]
    fn a_refusal_repeats_no_value() {
        let secret = field("pin", true, text(None));
        let given = json!({ "pin": "hunter2hunter2" });
        let refused = fill(&[secret], given.as_object().unwrap()).unwrap_err();
        assert_eq!(refused.to_string(), "field `pin` takes text of at most 9 characters");
    }
}
