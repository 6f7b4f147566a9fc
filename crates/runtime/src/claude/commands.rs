//! The commands that Claude Code offers: each turn names them, and the answer to `initialize` describes them.

use serde::Deserialize;
use serde_json::Value;

use super::parse::System;
use crate::slash::{self, SlashCommand};

/// What was said about the commands.
#[derive(Debug, Default)]
pub(super) struct Commands {
    described: Vec<Described>,
    told: Vec<SlashCommand>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Described {
    name: String,
    description: Option<String>,
    argument_hint: Option<String>,
}

impl Commands {
    /// Takes in the answer to `initialize`.
    pub(super) fn describe(&mut self, answer: &Value) {
        let described = answer.get("commands").and_then(Value::as_array).into_iter().flatten();
        self.described = described.filter_map(|command| Described::deserialize(command).ok()).collect();
    }

    /// Returns those that a turn begins with, if they are others than before.
    pub(super) fn news(&mut self, system: &System) -> Option<Vec<SlashCommand>> {
        let names = system.fields.get("slash_commands").and_then(Value::as_array);
        let commands = slash::offered(names.into_iter().flatten().filter_map(Value::as_str).map(|name| {
            let about = self.described.iter().find(|described| described.name == name);
            SlashCommand {
                name: name.to_owned(),
                description: about.and_then(|about| about.description.clone()),
                hint: about.and_then(|about| about.argument_hint.clone()),
            }
        }));
        let changed = commands != self.told;
        self.told.clone_from(&commands);
        changed.then_some(commands)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn commands_are_named_by_a_turn_and_described_before() {
        let init = json!({ "subtype": "init", "slash_commands": ["review", "compact", 7] });
        let init: System = serde_json::from_value(init).unwrap();
        let mut commands = Commands::default();
        let plain = |name: &str| SlashCommand { name: name.to_owned(), ..SlashCommand::default() };
        assert_eq!(commands.news(&init).unwrap(), [plain("compact"), plain("review")]);
        assert_eq!(commands.news(&init), None, "they are the same");
        commands.describe(&json!({ "commands": [
            { "name": "review", "description": "Look at a change", "argumentHint": "[commit]" },
            { "name": "gone", "description": "Not here" },
            "nonsense",
        ] }));
        let review = SlashCommand {
            description: Some("Look at a change".into()),
            hint: Some("[commit]".into()),
            ..plain("review")
        };
        assert_eq!(commands.news(&init).unwrap(), [plain("compact"), review]);
    }
}
