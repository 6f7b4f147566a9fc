//! What keeps agents of a sound definition from ever running here. Another version may well run them.

use std::collections::{BTreeSet, HashSet};

use super::{Definition, Exposure, Problem, Severity, missing};
use crate::permission::{Mode, Power};
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
    /// The permission modes that it can keep.
    pub permissions: &'a [Mode],
    /// It can be kept from changing anything without leave.
    pub guard: bool,
}

/// Says what keeps its agents from running, with these providers.
pub fn doubts(definition: &Definition, providers: &[Known<'_>]) -> Vec<Problem> {
    let mut found = Vec::new();
    if let Some(name) = definition.provider.as_deref() {
        match providers.iter().find(|known| known.name == name) {
            Some(known) => {
                found.extend(unknown_efforts(definition, known));
                found.extend(not_withheld(definition, known));
                found.extend(not_kept(definition, known));
                found.extend(not_guarded(definition, known));
            }
            None => {
                let all: Vec<&str> = providers.iter().map(|known| known.name).collect();
                let message = format!(
                    "unknown provider `{name}`; known: {} (`paseo providers add` adds more)",
                    all.join(", ")
                );
                found.extend(definition.doubt(&["provider", "chat", "type"], message));
            }
        }
    }
    found.extend(nameless_servers(definition));
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
            [] => "it has no effort levels".to_owned(),
            efforts => format!("it supports: {}", efforts.join(", ")),
        };
        let message = format!("{} does not support the effort `{effort}`; {known}", provider.name);
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
        "{} cannot withhold {}: its agents have it regardless of this definition",
        provider.name,
        had.join(", ")
    );
    (!had.is_empty()).then(|| definition.doubt(&["tools", "toolAllowlist", "toolDenylist"], message))?
}

/// A mode that the definition asks for, and its provider cannot keep: its agents are refused.
fn not_kept(definition: &Definition, provider: &Known<'_>) -> Option<Problem> {
    let mode = definition.permissions.filter(|mode| !provider.permissions.contains(mode))?;
    let known: Vec<&str> = provider.permissions.iter().map(|mode| mode.word()).collect();
    let message = format!(
        "{} does not support the permission mode `{}`; it supports: {}",
        provider.name,
        mode.word(),
        known.join(", ")
    );
    definition.doubt(&["permissions", "permissionMode"], message)
}

/// A guard that the provider has no way to be held by: its agents are refused.
fn not_guarded(definition: &Definition, provider: &Known<'_>) -> Option<Problem> {
    let message = format!(
        "provider `{}` cannot be guarded: its agents do not ask before they make changes",
        provider.name
    );
    (definition.guarded && !provider.guard).then(|| definition.doubt(&["guard"], message))?
}

/// A key of pi's is for the server that the model names.
fn nameless_servers(definition: &Definition) -> Option<Problem> {
    if definition.provider.as_deref() != Some("pi") {
        return None;
    }
    let named = |model: &str| matches!(model.split_once('/'), Some((server, id)) if !server.is_empty() && !id.is_empty());
    let model = definition.models.iter().find(|model| model.key.is_some() && !named(&model.model))?;
    let message = format!(
        "the model `{}` does not name the server its key is for; write it as provider/id, such as \
         anthropic/claude-sonnet-4-5",
        model.model
    );
    definition.doubt(&["models", "model", "chat"], message)
}

/// Skills are shell commands: an agent without a shell gets tools instead.
fn no_shell(definition: &Definition) -> Option<Problem> {
    if definition.exposure == Exposure::Tools {
        return None;
    }
    let shell = tool::find(Power::Shell.tool())?;
    // No setting and no plugin is about the shell.
    let why = missing(shell, definition, &Settings::default(), &BTreeSet::new())?;
    let message = format!(
        "toolExposure `{}` needs a shell, so `tools` is used instead ({}: {why})",
        definition.exposure.word(),
        shell.name
    );
    definition.doubt(&["toolExposure"], message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{File, Format, Keys, Origin, Parsed, parse};

    fn read(path: &str, text: &str) -> Parsed {
        let format = if path == "config.toml" { Format::ConfigToml } else { Format::Toml };
        let keys: Keys = [("own".to_owned(), "pi".to_owned())].into();
        parse(&File { path, text, format, origin: Origin::Home }, &keys)
    }

    fn problems(parsed: &Parsed) -> Vec<String> {
        let told = |problem: &Problem| format!("{}:{}: {}", problem.file, problem.line, problem.message);
        parsed.problems.iter().map(told).collect()
    }

    fn known<'a>(name: &'a str, efforts: &'a [&'a str], withholds: &'a [Power]) -> Known<'a> {
        Known { name, efforts, withholds, permissions: &[Mode::Full], guard: name != "scripted" }
    }

    #[test]
    fn what_can_never_run_is_doubted() {
        let providers = [
            Known { permissions: &Mode::ALL, ..known("claude", &["low", "high"], &Power::ALL) },
            Known { permissions: &Mode::ALL, ..known("pi", &[], &Power::ALL) },
            known("scripted", &[], &[Power::Read]),
        ];
        let doubted = |path: &str, text: &str| {
            let parsed = read(path, text);
            let found = parsed.definitions.iter().flat_map(|definition| doubts(definition, &providers));
            problems(&Parsed { problems: found.collect(), ..Parsed::default() })
        };
        for (text, expected) in [
            (
                "name = 'a'\nprovider = 'opencode'",
                "2: unknown provider `opencode`; known: claude, pi, scripted (`paseo providers add` adds more)",
            ),
            (
                "provider = 'scripted'\npermissions = 'ask'",
                "2: scripted does not support the permission mode `ask`; it supports: full",
            ),
            (
                "provider = 'scripted'\nguard = 'lease'",
                "2: provider `scripted` cannot be guarded: its agents do not ask before they make changes",
            ),
            (
                "provider = 'pi'\n[[models]]\nmodel_id = 'sonnet'\nkey_id = 'own'",
                "2: the model `sonnet` does not name the server its key is for; write it as provider/id, such as \
                 anthropic/claude-sonnet-4-5",
            ),
            (
                "provider = 'claude'\neffort = 'ultra'",
                "2: claude does not support the effort `ultra`; it supports: low, high",
            ),
            (
                "provider = 'claude'\n[[models]]\nmodel_id = 'm'\neffort = 'max'",
                "2: claude does not support the effort `max`; it supports: low, high",
            ),
            (
                "effort = 'low'\nprovider = 'scripted'",
                "1: scripted does not support the effort `low`; it has no effort levels",
            ),
            (
                "tools = ['read']\ntool_exposure = 'skills'",
                "2: toolExposure `skills` needs a shell, so `tools` is used instead (native_shell: the definition's `tools` does not list it)",
            ),
            (
                "permissions = 'read-only'\ntoolExposure = 'mixed'",
                "2: toolExposure `mixed` needs a shell, so `tools` is used instead (native_shell: permission mode read-only does not grant it)",
            ),
        ] {
            assert_eq!(doubted("agents/x.toml", text), [format!("agents/x.toml:{expected}")], "{text}");
        }
        assert_eq!(
            doubted("agents/x.toml", "provider = 'scripted'\ntools = ['read', 'bash']"),
            [
                "agents/x.toml:2: scripted cannot withhold native_write: its agents have it regardless of this definition"
            ]
        );
        let config = "[[agents]]\nagentId = 'a'\n[[agents]]\nagentId = 'b'\nchat = {}\n";
        assert!(doubted("config.toml", config)[0].starts_with("config.toml:5: unknown provider `openai`"));
        assert!(
            doubted("agents/x.toml", "provider = 'claude'\neffort = 'low'\ntoolExposure = 'skills'")
                .is_empty()
        );
        for sound in [
            "provider = 'pi'\nguard = 'lease'",
            "provider = 'scripted'\npermissions = 'full'",
            "provider = 'pi'\nmodels = ['sonnet']",
        ] {
            assert!(doubted("agents/x.toml", sound).is_empty(), "{sound}");
        }
        let named = "provider = 'pi'\n[[models]]\nmodel_id = 'anthropic/sonnet'\nkey_id = 'own'";
        assert!(doubted("agents/x.toml", named).is_empty());
        assert!(doubted("agents/x.toml", "effort = 'ultra'").is_empty(), "whatever the default provider is");
    }
}
