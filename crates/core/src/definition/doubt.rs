//! What keeps agents of a sound definition from ever running here. Another version may well run them.

use std::collections::{BTreeSet, HashSet};

use super::{Definition, Exposure, Problem, Severity, missing};
use crate::permission::Power;
use crate::settings::Settings;
use crate::tool;

/// A provider that there is.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    pub name: &'a str,
    /// How hard it can be told to think.
    pub efforts: &'a [&'a str],
    /// What it can do without.
    pub withholds: &'a [Power],
}

/// Says what keeps its agents from running, with these providers.
pub fn doubts(definition: &Definition, providers: &[Known<'_>]) -> Vec<Problem> {
    let mut found = Vec::new();
    if let Some(name) = definition.provider.as_deref() {
        match providers.iter().find(|known| known.name == name) {
            Some(known) => {
                found.extend(unknown_efforts(definition, known));
                found.extend(not_withheld(definition, known));
            }
            None => {
                let all: Vec<&str> = providers.iter().map(|known| known.name).collect();
                let message = format!(
                    "there is no provider `{name}`; there are: {}; `paseo providers add` adds others",
                    all.join(", ")
                );
                found.extend(definition.doubt(&["provider", "chat", "type"], message));
            }
        }
    }
    found.extend(no_shell(definition));
    found
}

impl Definition {
    /// Makes a warning about the first of these fields that is there.
    pub fn doubt(&self, fields: &[&str], message: String) -> Option<Problem> {
        let line = fields.iter().chain(&[""]).find_map(|field| self.lines.get(*field));
        Some(Problem {
            file: self.source.file.clone()?,
            line: line.copied().unwrap_or(1),
            message,
            slug: Some(self.slug.clone()),
            severity: Severity::Warning,
        })
    }
}

fn unknown_efforts(definition: &Definition, provider: &Known<'_>) -> Vec<Problem> {
    let mut seen = HashSet::new();
    let efforts = definition.models.iter().filter_map(|model| model.effort.as_deref());
    let unknown = efforts
        .chain(definition.effort.as_deref())
        .filter(|effort| !provider.efforts.contains(effort) && seen.insert(*effort));
    let doubt = |effort: &str| {
        let known = match provider.efforts {
            [] => "it has none to choose from".to_owned(),
            efforts => format!("it knows: {}", efforts.join(", ")),
        };
        let message = format!("{} does not know the effort `{effort}`; {known}", provider.name);
        definition.doubt(&["effort", "models", "chat"], message)
    };
    unknown.filter_map(doubt).collect()
}

/// Powers that the definition does not grant, and its provider cannot do without.
fn not_withheld(definition: &Definition, provider: &Known<'_>) -> Option<Problem> {
    let mode = definition.permissions.unwrap_or_default();
    let had = |power: &&Power| {
        let spec = tool::find(power.tool());
        let missing = spec.and_then(|spec| missing(spec, definition, &Settings::default(), &BTreeSet::new()));
        mode.grants(**power) && missing.is_some() && !provider.withholds.contains(power)
    };
    let had: Vec<&str> = Power::ALL.iter().filter(had).map(|power| power.tool()).collect();
    let message = format!(
        "{} cannot withhold {}: its agents have that, whatever is said here",
        provider.name,
        had.join(", ")
    );
    (!had.is_empty()).then(|| definition.doubt(&["tools", "toolAllowlist", "toolDenylist"], message))?
}

/// Skills are commands of a shell.
fn no_shell(definition: &Definition) -> Option<Problem> {
    if definition.exposure == Exposure::Tools {
        return None;
    }
    let shell = tool::find(Power::Shell.tool())?;
    // No setting and no plugin is about the shell.
    let why = missing(shell, definition, &Settings::default(), &BTreeSet::new())?;
    let message = format!(
        "toolExposure `{}` needs a shell, and the agent has none: {}: {why}",
        definition.exposure.word(),
        shell.name
    );
    definition.doubt(&["toolExposure"], message)
}
