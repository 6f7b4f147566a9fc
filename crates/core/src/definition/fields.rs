//! What the fields of a definition mean, whatever file they stand in.

use std::collections::BTreeMap;

use super::node::Entry;
use super::problem::{Fault, Severity};
use super::reader::Fields;
use super::{Definition, Exposure, LEASE, Route, Source, appearance, engine, reach, words};
use crate::limits::{PATH_BYTES, SLUG_CHARS};
use crate::name;
use crate::permission::Mode;

/// The keys that there are: id and provider.
pub type Keys = BTreeMap<String, String>;

/// What is known of a definition beside its fields.
pub(super) struct Seat<'a> {
    /// From the name of the file; without it `agentId` says it.
    pub(super) slug: Option<&'a str>,
    pub(super) source: Source,
    /// The prompt, where it is no field.
    pub(super) body: Option<String>,
    /// It is one of Claude Code's own files.
    pub(super) foreign: bool,
    pub(super) keys: &'a Keys,
}

/// A definition, or as much as could be told of it.
pub(super) struct Read {
    pub(super) slug: Option<String>,
    /// `None` when something is wrong that cannot be left out.
    pub(super) definition: Option<Definition>,
    pub(super) faults: Vec<Fault>,
}

/// Reads a definition.
pub(super) fn read(entries: &[Entry], line: usize, seat: Seat<'_>) -> Read {
    let mut fields = Fields::of("", entries);
    let slug = slug(&mut fields, line, &seat);
    let mut definition = Definition::plain(slug.as_deref().unwrap_or_default(), seat.source);
    definition.lines = fields.lines(line);
    definition.is_subagent = fields.flag("isSubagent").unwrap_or(seat.foreign);
    if let Some(name) = name(&mut fields) {
        definition.name = name;
    }
    definition.description = fields.text("description").map(|(text, _)| text.trim().to_owned());
    (definition.icon, definition.color) = appearance::read(&mut fields, seat.foreign);
    definition.prompt = prompt(&mut fields, seat.body);
    engine::read(&mut fields, &mut definition, seat.keys);
    definition.scope = reach::scope(&mut fields);
    definition.exposure = exposure(&mut fields);
    definition.skills = reach::skills(&mut fields);
    definition.agents = fields.lists("agentAllowlist", "agentDenylist");
    definition.ui_visible = fields.flag("uiVisible").unwrap_or(true);
    definition.api_exposed = fields.flag("apiExposed").unwrap_or(false);
    definition.permissions = permissions(&mut fields);
    definition.guarded = guarded(&mut fields);
    definition.ceiling = reach::ceiling(&mut fields);
    if let Some(directory) = directory(&mut fields, "cwd") {
        definition.directory = Some(directory);
    }
    definition.route = route(&mut fields);
    if seat.foreign {
        foreign(&mut fields);
    }
    let faults = fields.finish();
    let sound = slug.is_some() && faults.iter().all(|fault| fault.severity == Severity::Warning);
    Read { slug, definition: sound.then_some(definition), faults }
}

/// Says whether a text can be the slug of a definition.
pub fn is_slug(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !text.is_empty() && text.len() <= SLUG_CHARS && text.bytes().all(allowed)
}

fn slug(fields: &mut Fields<'_>, line: usize, seat: &Seat<'_>) -> Option<String> {
    let refused = |text: &str| {
        let shown: String = text.chars().take(SLUG_CHARS).flat_map(char::escape_debug).collect();
        format!("invalid slug `{shown}`: use at most {SLUG_CHARS} letters, digits, `_` and `-`")
    };
    if let Some(slug) = seat.slug {
        if !is_slug(slug) {
            fields.error(1, format!("file name: {}", refused(slug)));
            return None;
        }
        return Some(slug.to_owned());
    }
    let Some((slug, at)) = fields.text("agentId") else {
        fields.error(line, "this agent has no `agentId`");
        return None;
    };
    if !is_slug(&slug) {
        fields.error(at, refused(&slug));
        return None;
    }
    Some(slug)
}

fn name(fields: &mut Fields<'_>) -> Option<String> {
    let (name, display) = (fields.text("name"), fields.text("displayName"));
    if let (Some(_), Some((_, line))) = (&name, &display) {
        fields.error(*line, "`name` and `displayName` mean the same; keep one of them");
    }
    let (name, line) = display.or(name)?;
    let name = name.trim();
    if !name.is_empty() && !name::fits(name) {
        fields.error(line, name::limit("a name"));
    }
    Some(name.to_owned())
}

fn prompt(fields: &mut Fields<'_>, body: Option<String>) -> Option<String> {
    match (fields.text("systemPrompt"), body) {
        (Some((_, line)), Some(_)) => {
            fields.error(line, "two prompts: this field and the text below the fields; keep one of them");
            None
        }
        (Some((prompt, _)), None) | (None, Some(prompt)) => Some(prompt),
        (None, None) => None,
    }
}

fn exposure(fields: &mut Fields<'_>) -> Exposure {
    let Some((word, line)) = fields.text("toolExposure") else { return Exposure::default() };
    let all = [Exposure::Tools, Exposure::Skills, Exposure::Mixed];
    all.into_iter().find(|exposure| exposure.word() == word).unwrap_or_else(|| {
        fields.error(line, format!("unknown tool exposure `{word}`; expected tools, skills or mixed"));
        Exposure::default()
    })
}

fn permissions(fields: &mut Fields<'_>) -> Option<Mode> {
    let theirs = fields.text("permissionMode").and_then(|(word, line)| {
        let mode = words::permission_mode(&word);
        if mode.is_none() {
            fields.error(
                line,
                format!(
                    "the permission mode `{word}` is not supported; use `permissions` with full, ask or \
                     read-only"
                ),
            );
        }
        mode
    });
    let Some((word, line)) = fields.text("permissions") else { return theirs };
    let mode = Mode::parse(&word);
    if mode.is_none() {
        let known: Vec<&str> = Mode::ALL.iter().map(|mode| mode.word()).collect();
        fields.error(line, format!("unknown permission mode `{word}`; known: {}", known.join(", ")));
    }
    mode.or(theirs)
}

/// Reads what an agent is held to beside its permissions.
fn guarded(fields: &mut Fields<'_>) -> bool {
    let Some((word, line)) = fields.text("guard") else { return false };
    if word != LEASE {
        fields.error(line, format!("unknown guard `{word}`; known: {LEASE}"));
    }
    word == LEASE
}

fn route(fields: &mut Fields<'_>) -> Option<Route> {
    let (word, line) = fields.text("scope")?;
    let route = Route::ALL.into_iter().find(|route| route.word() == word);
    if route.is_none() {
        fields.error(line, format!("unknown scope `{word}`; expected global or project"));
    }
    route
}

pub(super) fn directory(fields: &mut Fields<'_>, name: &'static str) -> Option<String> {
    let (directory, line) = fields.text(name)?;
    if directory.len() > PATH_BYTES || directory.chars().any(char::is_control) {
        fields.error(line, format!("`{name}` is not a directory path"));
    }
    Some(directory)
}

/// Takes the fields of Claude Code that change nothing here, and tells of those that would there.
fn foreign(fields: &mut Fields<'_>) {
    for name in ["hooks", "mcpServers", "memory", "maxTurns", "background", "isolation", "initialPrompt"] {
        if let Some(node) = fields.take(name) {
            fields
                .warning(node.line, format!("`{name}` has no effect here; only Claude Code itself uses it"));
        }
    }
}
