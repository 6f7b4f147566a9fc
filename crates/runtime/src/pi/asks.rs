//! What pi's extensions want to know: ours, whether a tool may be used; the user's own, whatever they ask people.

use std::collections::HashMap;

use paseo_core::permission::form::{Choice, Question};
use paseo_core::permission::{Form, Power, Request, Shape};
use serde_json::{Value, json};

use super::parse::{self, Wish};
use super::tools;
use crate::provider::Answer;

/// Marks what comes from our extension.
pub(super) const OURS: &str = "paseo";

/// The asks that wait for their answer, by the id of pi's request.
#[derive(Debug, Default)]
pub(super) struct Asks(HashMap<String, Asked>);

#[derive(Debug)]
pub(super) enum Asked {
    /// Whether a tool may be used, in this call.
    Tool { call: String },
    /// An extension of the user's wants a yes or a no.
    Confirm,
    /// An extension of the user's wants words; one of these, if there are any.
    Words { options: Vec<String> },
}

impl Asks {
    /// Takes in a question. `None` when it makes no sense: then it has to be cancelled.
    pub(super) fn begin(&mut self, wish: Wish, directory: &std::path::Path) -> Option<Request> {
        let Wish { id, method, title, message, placeholder, options, .. } = wish;
        let (asked, request) = if method == "input" && title == OURS {
            let question: parse::Question = serde_json::from_str(&placeholder).ok()?;
            let asked = Asked::Tool { call: question.call.clone() };
            (asked, tools::request(id.clone(), question, directory))
        } else {
            let mut lines = vec![title, message];
            lines.retain(|line| !line.is_empty());
            let form = form(&method, lines.join("\n"), &options);
            lines.extend(options.iter().map(|option| format!("- {option}")));
            let text = lines.join("\n");
            let asked = if method == "confirm" { Asked::Confirm } else { Asked::Words { options } };
            let shape = Shape::Question { text };
            let (call, input, power) = (id.clone(), Value::Null, Power::Read);
            (asked, Request { call, tool: method, input, power, shape, form })
        };
        self.0.insert(id, asked);
        Some(request)
    }

    /// Returns what was asked, and the line that answers it.
    pub(super) fn answer(&mut self, id: &str, answer: &Answer) -> Option<(Asked, Value)> {
        let asked = self.0.remove(id)?;
        let said = match (&asked, answer) {
            (Asked::Tool { .. }, Answer::Allow { input, .. }) => {
                value(id, &json!({ "allow": true, "input": input }).to_string())
            }
            (Asked::Tool { .. }, Answer::Deny { message }) => {
                value(id, &json!({ "allow": false, "reason": message }).to_string())
            }
            (Asked::Confirm, answer) => {
                let confirmed = matches!(answer, Answer::Allow { .. });
                json!({ "type": "extension_ui_response", "id": id, "confirmed": confirmed })
            }
            (Asked::Words { options }, Answer::Allow { message: Some(words), .. })
                if options.is_empty() || options.iter().any(|option| option == words.trim()) =>
            {
                value(id, words.trim())
            }
            (Asked::Words { .. }, Answer::Choose { answers }) => {
                let chosen = answers.first().and_then(|chosen| chosen.first());
                chosen.map_or_else(|| cancelled(id), |chosen| value(id, chosen))
            }
            (Asked::Tool { .. }, Answer::Choose { .. } | Answer::Fill { .. } | Answer::Cancel) => {
                value(id, &json!({ "allow": false, "reason": "Permission denied." }).to_string())
            }
            (Asked::Words { .. }, _) => cancelled(id),
        };
        Some((asked, said))
    }

    /// Returns everything that is open, and forgets it.
    pub(super) fn withdraw_all(&mut self) -> Vec<String> {
        let mut all: Vec<String> = self.0.drain().map(|(id, _)| id).collect();
        all.sort();
        all
    }
}

/// Returns what a question of an extension offers. A yes or a no needs no form.
fn form(method: &str, text: String, options: &[String]) -> Option<Form> {
    let (open, options) = match method {
        "select" => (false, options),
        "input" | "editor" => (true, &[][..]),
        _ => return None,
    };
    let options = options.iter().map(|label| Choice { label: label.clone(), ..Choice::default() }).collect();
    let question = Question { text, options, open, ..Question::default() };
    Form::Questions { questions: vec![question] }.checked()
}

/// Returns the line that says no to a question without an answer.
pub(super) fn cancelled(id: &str) -> Value {
    json!({ "type": "extension_ui_response", "id": id, "cancelled": true })
}

fn value(id: &str, value: &str) -> Value {
    json!({ "type": "extension_ui_response", "id": id, "value": value })
}
