//! Questions that a harness puts to a person, with options to choose from.

use paseo_core::permission::form::{Choice, Question};
use serde::Deserialize;
use serde_json::Value;

/// An option, as harnesses write it. What is no text is left out.
#[derive(Debug, Deserialize)]
#[serde(from = "Offered")]
pub(crate) struct Listed(pub(crate) Choice);

#[derive(Debug, Deserialize)]
struct Offered {
    label: String,
    #[serde(default)]
    description: Value,
    #[serde(default)]
    preview: Value,
}

impl From<Offered> for Listed {
    fn from(Offered { label, description, preview }: Offered) -> Self {
        let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
        Self(Choice { label, description: text(description), preview: text(preview) })
    }
}

/// Reads questions in the form that claude and qwen write. Both take words in place of an option.
pub(crate) fn read(questions: &Value) -> Option<Vec<Question>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        question: String,
        #[serde(default)]
        header: String,
        #[serde(default)]
        multi_select: bool,
        options: Vec<Listed>,
    }
    let asked = Vec::<Asked>::deserialize(questions).ok()?;
    let question = |Asked { question: text, header, multi_select: multiple, options }| Question {
        text,
        header,
        options: options.into_iter().map(|Listed(option)| option).collect(),
        multiple,
        open: true,
        secret: false,
    };
    Some(asked.into_iter().map(question).collect())
}

/// Returns questions in words: each, and below it its options.
pub(crate) fn words(questions: &[Question]) -> String {
    let mut lines = Vec::new();
    for Question { text, options, .. } in questions {
        lines.push(text.clone());
        lines.extend(options.iter().map(|Choice { label, description, .. }| match description.as_str() {
            "" => format!("- {label}"),
            description => format!("- {label}: {description}"),
        }));
    }
    lines.join("\n")
}
