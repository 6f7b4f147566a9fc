//! Secrets that people gave an agent: kept from everything that is stored or shown.

use super::form::{Form, Given};
use serde_json::{Map, Value};

/// Stands where a secret was.
const HIDDEN: &str = "[secret]";
/// The shortest secret that is looked for: a shorter one would take half of every text with it.
const LEAST: usize = 4;
/// Most secrets that are known at once; the oldest are forgotten.
const KNOWN: usize = 64;

/// What an agent was told and must not show up again.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// Learns the secrets among the answers to a form: what was written to a secret question or into a secret field.
    pub fn learn(&mut self, form: &Form, answers: &[Given], filled: &Map<String, Value>) {
        match form {
            Form::Questions { questions } => {
                let asked = questions.iter().zip(answers).filter(|(asked, _)| asked.secret);
                asked.filter_map(|(_, given)| given.text.as_deref()).for_each(|text| self.add(text));
            }
            Form::Fields { fields } => {
                let secret = fields.iter().filter(|field| field.is_secret());
                secret.filter_map(|field| filled.get(&field.name)?.as_str()).for_each(|text| self.add(text));
            }
            Form::Plan { .. } | Form::Link { .. } => {}
        }
    }

    fn add(&mut self, text: &str) {
        let text = text.trim();
        if text.chars().count() < LEAST {
            return;
        }
        // As it stands in JSON, too: what harnesses write is often quoted as they wrote it.
        let quoted = Value::from(text).to_string();
        let quoted = quoted.trim_matches('"');
        for form in [text, quoted] {
            if !self.0.iter().any(|known| known == form) {
                self.0.push(form.to_owned());
            }
        }
        let surplus = self.0.len().saturating_sub(KNOWN);
        self.0.drain(..surplus);
    }

    /// Returns a text without secrets; `None` when it has none.
    pub fn scrubbed(&self, text: &str) -> Option<String> {
        let mut found: Vec<&String> = self.0.iter().filter(|secret| text.contains(secret.as_str())).collect();
        // One may be a part of another.
        found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let scrub = |text: String, secret: &&String| text.replace(secret.as_str(), HIDDEN);
        (!found.is_empty()).then(|| found.iter().fold(text.to_owned(), scrub))
    }

    /// Takes the secrets out of a text.
    pub fn scrub(&self, text: &mut String) {
        if let Some(scrubbed) = self.scrubbed(text) {
            *text = scrubbed;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::form::{Field, FieldKind, Question};
    use super::*;

    fn told(text: &str) -> Secrets {
        let mut secrets = Secrets::default();
        let secret = Question { text: "PIN?".into(), open: true, secret: true, ..Question::default() };
        let plain = Question { secret: false, ..secret.clone() };
        let given = |text: &str| Given { chosen: Vec::new(), text: Some(text.to_owned()) };
        let form = Form::Questions { questions: vec![plain, secret] };
        secrets.learn(&form, &[given("public"), given(text)], &Map::new());
        secrets
    }

    #[test]
    fn a_secret_is_taken_out_wherever_it_stands_and_nothing_else_is() {
        let secrets = told(" hunter2 ");
        assert_eq!(secrets.scrubbed("a hunter2, hunter2!").as_deref(), Some("a [secret], [secret]!"));
        assert_eq!(secrets.scrubbed("a public hunter"), None);
        assert_eq!(format!("{secrets:?}"), "Secrets(1)");
    }

    #[test]
    fn a_secret_is_found_in_json() {
        let secrets = told(r#"a"b\c"#);
        assert_eq!(
            secrets.scrubbed(&json!({ "x": r#"a"b\c"# }).to_string()).as_deref(),
            Some(r#"{"x":"[secret]"}"#)
        );
    }

    #[test]
    fn what_is_too_short_to_be_found_is_not_looked_for() {
        assert_eq!(told("abc").scrubbed("abcabc"), None);
    }

    #[test]
    fn a_secret_field_is_one() {
        let kind = |secret| FieldKind::Text {
            min_length: None,
            max_length: None,
            pattern: None,
            format: None,
            secret,
        };
        let field = |name: &str, secret| Field {
            name: name.into(),
            title: String::new(),
            description: String::new(),
            required: false,
            default: None,
            kind: kind(secret),
        };
        let form = Form::Fields { fields: vec![field("user", false), field("password", true)] };
        let filled = json!({ "user": "gwendolyn", "password": "hunter2" });
        let mut secrets = Secrets::default();
        secrets.learn(&form, &[], filled.as_object().unwrap());
        assert_eq!(secrets.scrubbed("gwendolyn hunter2").as_deref(), Some("gwendolyn [secret]"));
    }
}
