//! `paseo label`

use std::collections::BTreeMap;

use paseo_core::handle::Prefix;
use paseo_core::label::Label;
use paseo_wire::error::Exit;
use paseo_wire::session::{PatchSession, SessionView};
use serde_json::Value;

use super::inspect::shown_attributes;
use super::ls::shown_labels;
use super::worse;
use crate::args::LabelArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

pub(crate) async fn run(context: &Context, args: LabelArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let (handles, patch) = sort(&args.words, &args.attributes)?;
    let client = context.client()?;
    let mut exit = Exit::Ok;
    for handle in handles {
        if printer.mode() == Mode::Normal && removes(&patch) {
            // What is gone already is not in the answer.
            if let Ok(answer) = client.session(handle).await {
                missing(&answer.session, &patch).iter().for_each(|words| printer.note(words));
            }
        }
        match client.patch_session(handle, &patch).await {
            Ok(answer) => match printer.mode() {
                Mode::Json => printer.json(&answer.session)?,
                Mode::Quiet => {}
                Mode::Normal => printer.line(&told(&answer.session, &patch))?,
            },
            Err(error) => {
                let failure = Failure::from(error);
                exit = worse(exit, failure.exit);
                printer.failure(&failure);
            }
        }
    }
    Ok(exit)
}

fn removes(patch: &PatchSession) -> bool {
    !patch.unset_labels.is_empty() || patch.attributes.values().any(Value::is_null)
}

/// Says which of the labels and attributes to remove are not there.
fn missing(session: &SessionView, patch: &PatchSession) -> Vec<String> {
    let labels = patch.unset_labels.iter().filter(|key| !session.labels.contains_key(*key));
    let labels = labels.map(|key| format!("{} has no label `{key}`", session.handle));
    let removed = patch.attributes.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name);
    let attributes = removed.filter(|name| !session.attributes.contains_key(*name));
    labels.chain(attributes.map(|name| format!("{} has no attribute `{name}`", session.handle))).collect()
}

/// Says which labels and attributes there are now; of attributes only if there are some, or one was meant.
fn told(session: &SessionView, patch: &PatchSession) -> String {
    let (labels, attributes) = (shown_labels(&session.labels), shown_attributes(session));
    let labels = if labels.is_empty() { "no labels".to_owned() } else { labels };
    let attributes = match (attributes.is_empty(), patch.attributes.is_empty()) {
        (true, true) => String::new(),
        (true, false) => ", no attributes".to_owned(),
        (false, _) => format!(", attributes {attributes}"),
    };
    format!("{} has {labels}{attributes}", session.handle)
}

/// Tells agents, labels to set and labels to remove apart.
fn sort<'a>(words: &'a [String], attributes: &[String]) -> Result<(Vec<&'a str>, PatchSession), Failure> {
    let mut handles = Vec::new();
    let mut patch = PatchSession { attributes: read_attributes(attributes)?, ..PatchSession::default() };
    for word in words {
        if word.contains('=') {
            let label: Label = word
                .parse()
                .map_err(|malformed: paseo_core::label::Malformed| Failure::usage(malformed.to_string()))?;
            patch.set_labels.insert(label.key, label.value);
        } else if let Some(key) = word.strip_suffix('-').filter(|key| !key.is_empty()) {
            patch.unset_labels.push(key.to_owned());
        } else if Prefix::parse(word).is_some() {
            handles.push(word.as_str());
        } else {
            return Err(Failure::usage(format!("`{word}` is neither a handle nor a label"))
                .hint("use KEY=VALUE to set a label, KEY- to remove it"));
        }
    }
    if let Some(both) = patch.unset_labels.iter().find(|key| patch.set_labels.contains_key(*key)) {
        return Err(Failure::usage(format!("label {both} is both set and removed")));
    }
    if handles.is_empty() {
        return Err(Failure::usage("no agent given").hint("run `paseo label HANDLE KEY=VALUE`"));
    }
    if patch == PatchSession::default() {
        return Err(Failure::usage("no label given").hint("use KEY=VALUE to set a label, KEY- to remove it"));
    }
    Ok((handles, patch))
}

/// Reads attributes; what is no JSON is a text, and null takes one away.
fn read_attributes(words: &[String]) -> Result<BTreeMap<String, Value>, Failure> {
    let mut read = BTreeMap::new();
    for word in words {
        let (name, value) = match (word.split_once('='), word.strip_suffix('-')) {
            (Some((name, text)), _) => {
                (name, serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
            }
            (None, Some(name)) => (name, Value::Null),
            (None, None) => ("", Value::Null),
        };
        if name.trim().is_empty() {
            return Err(Failure::usage(format!("invalid attribute `{word}`"))
                .hint("use --attr NAME=VALUE to set one, --attr NAME- to remove it"));
        }
        if read.insert(name.to_owned(), value).is_some() {
            return Err(Failure::usage(format!("attribute {name} is given twice")));
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> Result<(Vec<String>, PatchSession), Failure> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        sort(&words, &[]).map(|(handles, patch)| (handles.into_iter().map(str::to_owned).collect(), patch))
    }

    #[test]
    fn words_are_told_apart() {
        let (handles, patch) = sorted("3f2a 91cc env=ci team- a=b=c").unwrap();
        assert_eq!(handles, ["3f2a", "91cc"]);
        assert_eq!(
            patch.set_labels.into_iter().collect::<Vec<_>>(),
            [("a".into(), "b=c".into()), ("env".into(), "ci".into())]
        );
        assert_eq!(patch.unset_labels, ["team"]);
    }

    #[test]
    fn attributes_are_json_where_they_can_be() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            read_attributes(&words)
        };
        let expected = [
            ("a".to_owned(), Value::from(3)),
            ("b".to_owned(), Value::from("x=y z")),
            ("c".to_owned(), Value::Null),
            ("d".to_owned(), serde_json::json!({"e": [true]})),
        ];
        let some = read(&["a=3", "b=x=y z", "c-", "d={\"e\":[true]}"]).unwrap();
        assert_eq!(some, BTreeMap::from(expected));
        for bad in ["a", "=x", "-", ""] {
            assert!(read(&[bad]).unwrap_err().message.contains("invalid attribute"), "{bad}");
        }
        assert!(read(&["a=1", "a-"]).unwrap_err().message.contains("given twice"));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let told = |text| sorted(text).unwrap_err().message;
        assert_eq!(told("3f2a foo"), "`foo` is neither a handle nor a label");
        assert_eq!(told("env=ci team-"), "no agent given");
        assert_eq!(told("3f2a 91cc"), "no label given");
        assert_eq!(told("3f2a env=ci env-"), "label env is both set and removed");
        assert!(told("3f2a =x").contains("key=value"));
    }
}
