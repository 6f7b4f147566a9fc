//! Labels: the single source of truth for what is a UI agent and what runs in the background.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::limits;

/// The key that makes an agent visible in the web app.
pub const UI: &str = "ui";

/// One `key=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub key: String,
    pub value: String,
}

/// Why a text is no label.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("invalid label `{0}`: expected key=value, for example env=ci")]
    Shape(String),
    #[error("invalid label `{0}`: it contains a control character; expected plain key=value")]
    Control(String),
    #[error("label `{0}…` is too long: key and value are limited to {max} bytes each", max = limits::LABEL_BYTES)]
    Long(String),
    #[error("{0} labels given; the limit is {max}", max = limits::LABELS)]
    Many(usize),
}

impl FromStr for Label {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let shape = || Malformed::Shape(text.chars().take(60).collect());
        let (key, value) = text.split_once('=').ok_or_else(shape)?;
        if key.trim().is_empty() || key.trim() != key {
            return Err(shape());
        }
        if stored_bytes(key) > limits::LABEL_BYTES || stored_bytes(value) > limits::LABEL_BYTES {
            return Err(Malformed::Long(text.chars().take(20).collect()));
        }
        if text.chars().any(char::is_control) {
            return Err(Malformed::Control(text.escape_default().to_string()));
        }
        Ok(Self { key: key.to_owned(), value: value.to_owned() })
    }
}

fn stored_bytes(text: &str) -> usize {
    text.len() + text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count()
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

/// A session's labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Labels(BTreeMap<String, String>);

impl Labels {
    /// Makes labels from what was typed. `ui` adds `ui=true` unless a label says otherwise.
    pub fn from_flags(labels: impl IntoIterator<Item = Label>, ui: bool) -> Result<Self, Malformed> {
        let mut map: BTreeMap<_, _> = labels.into_iter().map(|label| (label.key, label.value)).collect();
        if ui {
            map.entry(UI.to_owned()).or_insert_with(|| "true".to_owned());
        }
        if map.len() > limits::LABELS {
            return Err(Malformed::Many(map.len()));
        }
        Ok(Self(map))
    }

    /// Says whether this is a UI agent.
    pub fn is_ui(&self) -> bool {
        self.get(UI) == Some("true")
    }

    /// Returns the value under a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Sets a label.
    pub fn set(&mut self, label: Label) {
        self.0.insert(label.key, label.value);
    }

    /// Removes a label.
    pub fn unset(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// Returns how many labels there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Says whether there is no label.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the labels by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// What `ls` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Agents without `ui=true`.
    Background,
    /// Agents that have all of these, exactly.
    All(Vec<Label>),
}

impl Filter {
    /// Makes the filter from what was typed: without any label, background agents only.
    pub fn from_flags(mut labels: Vec<Label>, ui: bool) -> Self {
        if ui {
            labels.push(Label { key: UI.to_owned(), value: "true".to_owned() });
        }
        if labels.is_empty() { Self::Background } else { Self::All(labels) }
    }

    /// Says whether these labels pass.
    pub fn matches(&self, labels: &Labels) -> bool {
        match self {
            Self::Background => !labels.is_ui(),
            Self::All(all) => all.iter().all(|label| labels.get(&label.key) == Some(&label.value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(texts: &[&str], ui: bool) -> Labels {
        Labels::from_flags(texts.iter().map(|text| text.parse().unwrap()), ui).unwrap()
    }

    #[test]
    fn the_ui_flag_adds_and_never_overrides() {
        assert!(labels(&[], true).is_ui());
        assert!(!labels(&[], false).is_ui());
        assert_eq!(labels(&["ui=false"], true).get("ui"), Some("false"));
        assert_eq!(labels(&["ui=yes"], true).get("ui"), Some("yes"));
    }

    #[test]
    fn only_the_first_equals_sign_splits() {
        assert_eq!("a=b=c".parse(), Ok(Label { key: "a".into(), value: "b=c".into() }));
        assert_eq!("a=".parse(), Ok(Label { key: "a".into(), value: String::new() }));
    }

    #[test]
    fn a_bad_label_is_told_the_shape() {
        for text in ["foo", "=x", "", " =x", " a=x", "a\n=b", "a=\u{1b}[2J"] {
            let error = text.parse::<Label>().unwrap_err().to_string();
            assert!(error.contains("key=value"), "{error}");
        }
        assert!(matches!("k=".repeat(100).parse::<Label>(), Err(Malformed::Long(_))));
    }

    #[test]
    fn filters_are_exact_and_anded() {
        let both = labels(&["env=ci"], true);
        let background = labels(&["env=ci"], false);
        let of =
            |texts: &[&str], ui| Filter::from_flags(texts.iter().map(|t| t.parse().unwrap()).collect(), ui);
        assert!(!of(&[], false).matches(&both));
        assert!(of(&[], false).matches(&background));
        assert!(of(&[], true).matches(&both));
        assert!(!of(&[], true).matches(&background));
        assert!(of(&["env=ci"], false).matches(&both));
        assert!(of(&["env=ci"], true).matches(&both));
        assert!(!of(&["env=ci"], true).matches(&background));
        assert!(!of(&["env=c"], false).matches(&background));
        assert!(of(&[], false).matches(&labels(&["ui=false"], true)));
    }

    proptest! {
        #[test]
        fn a_label_survives_a_round_trip_and_is_bounded(text in ".{0,20}=.{0,140}") {
            if let Ok(label) = text.parse::<Label>() {
                prop_assert_eq!(label.to_string(), text);
                for part in [&label.key, &label.value] {
                    let stored = serde_json::to_string(part).unwrap();
                    prop_assert!(stored.len() <= limits::LABEL_BYTES + 2);
                }
            }
        }

        #[test]
        fn labels_that_were_set_pass_a_filter_for_them(pairs in prop::collection::vec("[a-c]=[x-z]", 0..6), ui: bool) {
            let typed: Vec<Label> = pairs.iter().map(|pair| pair.parse().unwrap()).collect();
            let labels = Labels::from_flags(typed, ui).unwrap();
            let all = labels.iter().map(|(key, value)| Label { key: key.to_owned(), value: value.to_owned() });
            let all: Vec<Label> = all.collect();
            let background = all.is_empty();
            prop_assert!(Filter::from_flags(all, false).matches(&labels));
            prop_assert_eq!(background, labels.is_empty());
            prop_assert_eq!(Filter::Background.matches(&labels), !labels.is_ui());
        }
    }
}
