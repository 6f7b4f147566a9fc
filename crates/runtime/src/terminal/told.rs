//! For tests: what was seen, in short words.

use std::path::PathBuf;

use paseo_core::item::Kind;

use super::resident::Seen;
use crate::provider::{Terminal, TurnEnd};

/// Returns what was seen, a word or two for each.
pub(crate) fn words(seen: &[Seen]) -> Vec<String> {
    seen.iter().map(word).collect()
}

fn word(seen: &Seen) -> String {
    match seen {
        Seen::Reference(id) => format!("reference {id}"),
        Seen::Said(text) => format!("said {text}"),
        Seen::Ended(TurnEnd::Failed(failed)) => {
            let until = failed.until.map(|until| format!(" until {}", until.as_millis()));
            format!("failed {}{}", failed.code.word(), until.unwrap_or_default())
        }
        Seen::Ended(end) => format!("{end:?}").to_lowercase(),
        Seen::Item { draft, step, .. } => {
            let text = draft.text.as_deref().unwrap_or_default();
            match &draft.kind {
                Kind::ToolCall { name, class, .. } => format!("{step} call {name} {class:?}"),
                Kind::ToolResult { outcome, exit_code, duration_ms, .. } => {
                    let changed = if draft.extra.is_some() { " changed" } else { "" };
                    format!("{step} result {outcome:?} {exit_code:?} {duration_ms} {text:?}{changed}")
                }
                Kind::Usage(usage) => format!("{step} usage {} {}", usage.input_tokens, usage.output_tokens),
                kind => format!("{step} {} {text}", kind.word()),
            }
        }
    }
}

/// A terminal without a driver.
pub(crate) fn terminal() -> Terminal {
    Terminal {
        socket: PathBuf::from("/nowhere.sock"),
        name: "worker-1".to_owned(),
        underway: None,
        known: std::collections::HashSet::new(),
        attach: false,
    }
}
