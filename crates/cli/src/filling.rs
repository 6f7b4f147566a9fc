//! Filling in what a permission request asks for: from flags, from a file, or in a terminal.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;

use paseo_wire::permission::{FieldView, PermissionRequest, QuestionAnswer};
use paseo_wire::words::{FieldFormat, FieldKind};
use serde_json::{Map, Value};

use crate::asks;
use crate::failure::Failure;
use crate::printer::{Mode, Printer};
use crate::prompt;
use crate::terminal::Unseen;

/// What was given with a command.
#[derive(Debug)]
pub(crate) enum Given {
    Nothing,
    /// Values by the names of their fields, in the order in which they were typed.
    Fields(Vec<(String, String)>),
    /// Lines for questions, or JSON for a form.
    Text(String),
}

/// Answers to questions, and values for fields.
type Filled = (Option<Vec<QuestionAnswer>>, Option<Map<String, Value>>);

impl Given {
    /// Reads flags: `--field NAME=VALUE`, or the file of `--answers`.
    pub(crate) fn read(fields: Vec<String>, file: Option<&Path>) -> Result<Self, Failure> {
        if let Some(file) = file {
            let text = match file.to_str() {
                Some("-") => prompt::typed(OsStr::new("-"), "answer")?,
                _ => prompt::file(file, "answer")?,
            };
            return Ok(Self::Text(text));
        }
        let pair = |typed: String| match typed.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            // It may be a value, and so a secret.
            None => Err(Failure::usage("--field needs a name and a value")
                .hint("type it as NAME=VALUE, for example `--field size=3`")),
        };
        let fields = fields.into_iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        Ok(if fields.is_empty() { Self::Nothing } else { Self::Fields(fields) })
    }

    /// Returns it as the answer to a request. `worded`: a message answers it already.
    pub(crate) fn to(
        &self,
        ask: &PermissionRequest,
        worded: bool,
        printer: &Printer,
    ) -> Result<Filled, Failure> {
        match self {
            Self::Fields(typed) => Ok((None, Some(fields(&ask.fields, typed)?))),
            Self::Text(text) if ask.questions.is_empty() => {
                let read = serde_json::from_str(text);
                // The reason may quote a secret.
                let content = read.map_err(|_| {
                    Failure::usage("the answers are not a JSON object")
                        .hint("write them as {\"field\": value, …}")
                })?;
                Ok((None, Some(content)))
            }
            Self::Text(text) => {
                let line = |line: &str| QuestionAnswer { chosen: Vec::new(), text: Some(line.to_owned()) };
                Ok((Some(text.lines().map(line).collect()), None))
            }
            Self::Nothing if is_watched(printer) && !ask.fields.is_empty() => {
                asks::show(printer, ask)?;
                let mut typed = Vec::new();
                for field in &ask.fields {
                    typed.extend(prompt_for(printer, field)?.map(|value| (field.name.clone(), value)));
                }
                Ok((None, Some(fields(&ask.fields, &split(&ask.fields, typed))?)))
            }
            Self::Nothing
                if is_watched(printer) && !worded && ask.questions.iter().any(|asked| asked.secret) =>
            {
                asks::show(printer, ask)?;
                let mut answers = Vec::new();
                for asked in &ask.questions {
                    let line = ask_for(printer, &asked.text, asked.secret)?;
                    answers.push(QuestionAnswer { chosen: Vec::new(), text: Some(line) });
                }
                Ok((Some(answers), None))
            }
            Self::Nothing => Ok((None, None)),
        }
    }
}

fn is_watched(printer: &Printer) -> bool {
    io::stdin().is_terminal() && printer.is_watched() && printer.mode() == Mode::Normal
}

/// Asks for the value of a field; `None` when nothing was typed.
fn prompt_for(printer: &Printer, field: &FieldView) -> Result<Option<String>, Failure> {
    let values: Vec<&str> = field.options.iter().map(|option| option.value.as_str()).collect();
    let takes = match field.kind {
        FieldKind::Boolean => "true or false".to_owned(),
        FieldKind::Choice => format!("one of {}", values.join(", ")),
        FieldKind::Choices => format!("any of {}, separated by commas", values.join(", ")),
        FieldKind::Number | FieldKind::Integer => "number".to_owned(),
        FieldKind::Secret => "secret".to_owned(),
        FieldKind::Text | FieldKind::Other(_) => {
            field.format.as_ref().map_or("text", FieldFormat::as_str).to_owned()
        }
    };
    let default = field.default.as_ref().map(plain);
    let empty = match (&default, field.required) {
        (Some(default), _) => format!("; Enter for {default}"),
        (None, true) => "; required".to_owned(),
        (None, false) => "; Enter to leave it out".to_owned(),
    };
    let line =
        ask_for(printer, &format!("{} ({takes}{empty})", field.title), field.kind == FieldKind::Secret)?;
    Ok(Some(line).filter(|line| !line.is_empty()).or(default))
}

/// Returns a default as it would be typed.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        value => value.to_string(),
    }
}

/// Several options are typed on one line.
fn split(known: &[FieldView], typed: Vec<(String, String)>) -> Vec<(String, String)> {
    let several =
        |name: &str| known.iter().any(|field| field.name == name && field.kind == FieldKind::Choices);
    let each = |(name, value): (String, String)| match several(&name) {
        true => value.split(',').map(|value| (name.clone(), value.trim().to_owned())).collect(),
        false => vec![(name, value)],
    };
    typed.into_iter().flat_map(each).collect()
}

/// Reads a line from the terminal, unseen if it is a secret.
fn ask_for(printer: &Printer, what: &str, secret: bool) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::usage(format!("cannot read the answer: {error}"));
    printer.note(&format!("{what}:"));
    let unseen = if secret { Some(Unseen::take().map_err(failed)?) } else { None };
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line).map_err(failed);
    drop(unseen);
    match read? {
        0 => Err(Failure::usage("input ended; nothing was decided")),
        _ => Ok(line.trim_end_matches(['\n', '\r']).to_owned()),
    }
}

/// Returns typed values as the kinds of their fields want them. The daemon checks them.
fn fields(known: &[FieldView], typed: &[(String, String)]) -> Result<Map<String, Value>, Failure> {
    let mut content = Map::new();
    for (name, value) in typed {
        let Some(field) = known.iter().find(|field| field.name == *name) else {
            let names: Vec<&str> = known.iter().map(|field| field.name.as_str()).collect();
            if names.is_empty() {
                return Err(Failure::usage("this request has no form, so it takes no `--field`")
                    .hint("leave out `--field`"));
            }
            return Err(Failure::usage(format!("the form has no field `{name}`"))
                .hint(format!("the form has the fields {}", names.join(", "))));
        };
        let text = || Value::from(value.as_str());
        let value = match field.kind {
            FieldKind::Boolean => match value.as_str() {
                "true" | "yes" | "y" => Value::Bool(true),
                "false" | "no" | "n" => Value::Bool(false),
                _ => text(),
            },
            FieldKind::Number | FieldKind::Integer => {
                value.parse::<serde_json::Number>().map_or_else(|_| text(), Value::Number)
            }
            FieldKind::Choices => {
                if let Some(Value::Array(chosen)) = content.get_mut(name) {
                    chosen.push(text());
                    continue;
                }
                Value::Array(vec![text()])
            }
            FieldKind::Text | FieldKind::Secret | FieldKind::Choice | FieldKind::Other(_) => text(),
        };
        if content.insert(name.clone(), value).is_some() {
            return Err(Failure::usage(format!("field `{name}` was given twice")));
        }
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str, kind: FieldKind) -> FieldView {
        FieldView {
            name: name.into(),
            title: name.into(),
            description: String::new(),
            required: false,
            kind,
            default: None,
            options: Vec::new(),
            format: None,
            pattern: None,
            minimum: None,
            maximum: None,
        }
    }

    #[test]
    fn what_is_typed_becomes_what_the_field_takes() {
        let known = [
            field("text", FieldKind::Text),
            field("size", FieldKind::Integer),
            field("sure", FieldKind::Boolean),
            field("any", FieldKind::Choices),
        ];
        let typed = |pairs: &[(&str, &str)]| {
            let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            fields(&known, &pairs).map(Value::from)
        };
        let filled = typed(&[("text", "3"), ("size", "3"), ("sure", "yes"), ("any", "a"), ("any", "b")]);
        assert_eq!(filled.unwrap(), json!({ "text": "3", "size": 3, "sure": true, "any": ["a", "b"] }));
        // The daemon says what is wrong with these.
        assert_eq!(
            typed(&[("size", "x"), ("sure", "maybe")]).unwrap(),
            json!({ "size": "x", "sure": "maybe" })
        );
        assert!(typed(&[("none", "1")]).is_err() && typed(&[("text", "1"), ("text", "2")]).is_err());
        assert!(
            Given::read(vec!["hunter2".into()], None)
                .is_err_and(|failure| !failure.message.contains("hunter2"))
        );
    }
}
