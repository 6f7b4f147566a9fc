//! What is added to a harness's own prompt.

use crate::definition::{Definition, Exposure};
use crate::limits::PROMPT_PEERS;
use crate::permission::Power;
use crate::session::Session;
use crate::tool::{AGENTS_LIST, AGENTS_MESSAGE, Grants, Plugin, Spec, TODO};

/// Told to agents that are shown in the app, word for word.
pub const UI_TEXT: &str = "You are running under Paseo. You MUST call set_title immediately after understanding \
the task. Call it exactly once per task—do not repeat.\nYou are running inside a Paseo-owned worktree. Call \
set_branch once (alongside set_title) to name your branch.";

/// Told to agents that keep a list of what is to be done, after what they keep it with.
const TASK_MANAGEMENT: &str = "Use it VERY frequently, so that people can follow your work: whenever a \
                               task has three or more steps, and whenever you discover something that must \
                               not be forgotten.\n- Each call replaces the whole list: always send every \
                               entry, including completed ones. There are no ids.\n- Keep exactly one \
                               entry `in_progress` at a time, and set it before you start on it.\n- Set an \
                               entry to `completed` as soon as it is done, not later and not several at \
                               once; set it to `cancelled` when it is no longer needed.\n\nExample. A \
                               person asks: \"Run the build and fix what fails.\" You call todo with \"Run \
                               the build\" (in_progress) and \"Fix what fails\" (pending), and run the \
                               build. It reports three errors: you call todo with \"Run the build\" \
                               (completed), the first error (in_progress) and the other two (pending), and \
                               continue until all are completed.\nExample. A person asks: \"What does this \
                               function do?\" You answer without a list: there is nothing to plan.";

/// A skill as the prompt lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub plugin: Plugin,
    pub description: String,
    /// Where its `SKILL.md` is.
    pub path: String,
}

/// What the prompt of a session is made from.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    pub session: &'a Session,
    pub definition: &'a Definition,
    pub grants: &'a Grants,
    /// What the harness has although it is not granted: it cannot do without.
    pub unheld: &'a [Power],
    /// What the role of the session adds: leader, worker, participant.
    pub role: Option<&'a str>,
    pub skills: &'a [Skill],
    /// The definitions it may talk to.
    pub peers: &'a [&'a Definition],
}

/// Returns all of it, in order; empty when there is nothing to add.
pub fn build(parts: Parts<'_>) -> String {
    let sections = [
        parts.session.labels.is_ui().then(|| UI_TEXT.to_owned()),
        parts.definition.base_prompt(),
        parts.role.map(str::to_owned),
        tools(&parts),
        withheld(&parts),
        skills(&parts),
        parts.grants.has(TODO).then(|| task_management(&parts)),
        agents(&parts),
    ];
    sections.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// Says whether a tool is one of those that are granted on top: neither the harness's own nor the app's.
pub fn is_listed(spec: &Spec) -> bool {
    !matches!(spec.plugin, Plugin::Ui | Plugin::Native) && !spec.name.starts_with("system_")
}

fn tools(parts: &Parts<'_>) -> Option<String> {
    if parts.grants.exposure() == Exposure::Skills {
        return None;
    }
    let specs = parts.grants.specs().iter().filter(|spec| is_listed(spec));
    let lines: Vec<String> = specs.map(|spec| format!("- {}: {}", spec.name, spec.summary)).collect();
    (!lines.is_empty()).then(|| format!("Available tools:\n{}", lines.join("\n")))
}

/// Says what the harness could do and the agent may not, so that it knows why it is refused. Commands do all of that:
/// an agent with a shell is refused nothing.
fn withheld(parts: &Parts<'_>) -> Option<String> {
    if parts.grants.has(Power::Shell.tool()) {
        return None;
    }
    let withheld = parts.grants.withheld(parts.session.profile.permissions);
    let withheld = withheld.iter().filter(|power| !parts.unheld.contains(power));
    let each: Vec<String> = withheld.map(|power| format!("{} (`{}`)", power.words(), power.tool())).collect();
    (!each.is_empty()).then(|| {
        format!(
            "You are not allowed to {}. Tool calls that need it are denied; continue without it, and say \
             in your answer what is left to do.",
            each.join(", to ")
        )
    })
}

fn skills(parts: &Parts<'_>) -> Option<String> {
    let lines = parts.skills.iter().map(|skill| {
        format!("- {}: {} Read {} before using it.", skill.plugin.id(), skill.description, skill.path)
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty())
        .then(|| format!("Available CLI skills (commands in your shell):\n{}", lines.join("\n")))
}

fn task_management(parts: &Parts<'_>) -> String {
    let with = match parts.grants.exposure() {
        Exposure::Skills => format!("the shell command `{}`", command(TODO)),
        Exposure::Tools | Exposure::Mixed => format!("the tool `{TODO}`"),
    };
    format!("# Task Management\n\nYou have {with} for planning. {TASK_MANAGEMENT}")
}

/// Returns what a tool is called by in a shell.
fn command(tool: &str) -> String {
    format!("paseo tool {tool}")
}

fn agents(parts: &Parts<'_>) -> Option<String> {
    if parts.peers.is_empty() || !parts.grants.has(AGENTS_MESSAGE) {
        return None;
    }
    let named = parts.peers.iter().take(PROMPT_PEERS).map(|peer| match &peer.description {
        Some(description) => format!("- {}: {} - {description}", peer.slug, peer.name),
        None => format!("- {}: {}", peer.slug, peer.name),
    });
    let rest = parts.peers.len().saturating_sub(PROMPT_PEERS);
    let more = (rest > 0).then(|| match parts.grants.has(AGENTS_LIST) {
        true => format!("- and {rest} more (call {AGENTS_LIST} to list them)"),
        false => format!("- and {rest} more"),
    });
    let lines = named.chain(more);
    let with = match parts.grants.exposure() {
        Exposure::Skills => format!("the command `{}`", command(AGENTS_MESSAGE)),
        Exposure::Tools | Exposure::Mixed => AGENTS_MESSAGE.to_owned(),
    };
    Some(format!(
        "Available agents you can delegate to:\n{}\n\nUse {with} to ask another agent to perform a task.",
        lines.collect::<Vec<_>>().join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::actor::Actor;
    use crate::definition::{Origin, Source};
    use crate::glob::Glob;
    use crate::id::SessionId;
    use crate::session::Created;
    use crate::settings::Settings;
    use crate::time::Timestamp;

    fn session(ui: bool) -> Session {
        let by = Actor::Human("cli".into());
        let mut created = Created::plain(SessionId::from_random([1; 16]), by, "scripted", "/");
        if ui {
            created.labels.set("ui=true".parse().unwrap());
        }
        Session::create(created, Timestamp::default())
    }

    fn prompt(session: &Session, definition: &Definition, skills: &[Skill], peers: &[&Definition]) -> String {
        let grants = Grants::of(session, definition, &Settings::default(), &BTreeSet::new());
        build(Parts {
            session,
            definition,
            grants: &grants,
            unheld: &[],
            role: Some("You lead."),
            skills,
            peers,
        })
    }

    #[test]
    fn the_text_for_the_app_is_verbatim() {
        let lines: Vec<&str> = UI_TEXT.lines().collect();
        assert_eq!(
            lines,
            [
                "You are running under Paseo. You MUST call set_title immediately after understanding the task. \
                 Call it exactly once per task—do not repeat.",
                "You are running inside a Paseo-owned worktree. Call set_branch once (alongside set_title) to \
                 name your branch.",
            ]
        );
    }

    #[test]
    fn an_agent_without_anything_special_gets_no_prompt() {
        let session = session(false);
        let definition = Definition::built_in();
        let grants = Grants::of(&session, &definition, &Settings::default(), &BTreeSet::new());
        let parts = Parts {
            session: &session,
            definition: &definition,
            grants: &grants,
            unheld: &[],
            role: None,
            skills: &[],
            peers: &[],
        };
        assert_eq!(build(parts), "");
    }

    #[test]
    fn the_sections_come_in_order() {
        let peer = Definition {
            description: Some("manages tasks".to_owned()),
            ..Definition::plain("todo", Source { origin: Origin::Home, file: None })
        };
        let own = Definition {
            name: "General".to_owned(),
            description: Some("Helps.".to_owned()),
            exposure: Exposure::Mixed,
            ..Definition::plain("general", Source { origin: Origin::Home, file: None })
        };
        let skill =
            Skill { plugin: Plugin::Todo, description: "Plans.".to_owned(), path: "/s/SKILL.md".to_owned() };
        let text = prompt(&session(true), &own, &[skill], &[&peer]);
        let order = [
            "You are running under Paseo",
            "You are General. Helps.",
            "You lead.",
            "Available tools:\n- agents_message:",
            "- todo: Plans. Read /s/SKILL.md",
            "# Task Management",
            "- todo: todo - manages tasks",
            "Use agents_message",
        ];
        let places: Vec<usize> = order.iter().map(|part| text.find(part).expect(part)).collect();
        assert!(places.is_sorted(), "{text}");
    }

    #[test]
    fn whoever_lacks_a_power_is_told() {
        let mut own = Definition::built_in();
        own.scope.tools.deny = vec![Glob::new("native_shell"), Glob::new("native_net")];
        let told = prompt(&session(false), &own, &[], &[]);
        let expected =
            "You are not allowed to run commands (`native_shell`), to access the network (`native_net`).";
        assert!(told.contains(expected), "{told}");
    }

    #[test]
    fn whoever_has_a_shell_is_not_told_that_it_may_not_do_what_commands_do() {
        let mut own = Definition::built_in();
        own.scope.tools.deny = vec![Glob::new("native_read"), Glob::new("native_net")];
        let told = prompt(&session(false), &own, &[], &[]);
        assert!(!told.contains("You are not allowed to"), "{told}");
    }

    #[test]
    fn of_many_peers_the_rest_is_counted() {
        let source = || Source { origin: Origin::Home, file: None };
        let all: Vec<Definition> =
            (0..53).map(|number| Definition::plain(&format!("peer{number:02}"), source())).collect();
        let mut own = Definition::plain("general", source());
        let told = |own: &Definition, count: usize| {
            prompt(&session(false), own, &[], &all.iter().take(count).collect::<Vec<_>>())
        };
        let text = told(&own, 53);
        let end = "\n- peer49: peer49\n- and 3 more (call agents_list to list them)\n\nUse agents_message";
        assert!(text.contains(end) && !text.contains("peer50"), "{text}");
        let text = told(&own, 50);
        assert!(text.contains("\n- peer49: peer49\n\nUse agents_message"), "{text}");
        own.scope.tools.deny = vec![Glob::new("agents_list")];
        assert!(told(&own, 53).contains("\n- and 3 more\n\n"));
    }

    #[test]
    fn a_plugin_that_is_denied_as_a_skill_is_not_mentioned() {
        let own = Definition {
            exposure: Exposure::Skills,
            skills: crate::glob::Lists { allow: None, deny: vec![Glob::new("agents"), Glob::new("todo")] },
            ..Definition::plain("general", Source { origin: Origin::Home, file: None })
        };
        let peer = Definition::plain("notes", Source { origin: Origin::Home, file: None });
        let told = prompt(&session(false), &own, &[], &[&peer]);
        for word in ["Task Management", "notes", "agents_message", "todo"] {
            assert!(!told.contains(word), "{word}: {told}");
        }
        // Without a shell they are tools, which the list does not concern.
        let mut own = own;
        own.scope.tools.deny = vec![Glob::new("native_shell")];
        let told = prompt(&session(false), &own, &[], &[&peer]);
        for words in ["- agents_message:", "the tool `todo`", "- notes: notes"] {
            assert!(told.contains(words), "{words}: {told}");
        }
    }

    #[test]
    fn skills_take_the_place_of_tools() {
        let own = Definition {
            exposure: Exposure::Skills,
            ..Definition::plain("general", Source { origin: Origin::Home, file: None })
        };
        let peer = Definition::plain("notes", Source { origin: Origin::Home, file: None });
        let told = prompt(&session(false), &own, &[], &[&peer]);
        assert!(!told.contains("Available tools") && !told.contains("the tool `todo`"), "{told}");
        for words in [
            "You have the shell command `paseo tool todo` for planning. Use it VERY",
            "Use the command `paseo tool agents_message` to ask",
        ] {
            assert!(told.contains(words), "{words}: {told}");
        }
        let mixed = Definition { exposure: Exposure::Mixed, ..own };
        let told = prompt(&session(false), &mixed, &[], &[&peer]);
        for words in ["You have the tool `todo` for planning. Use it VERY", "Use agents_message to ask"] {
            assert!(told.contains(words), "{words}: {told}");
        }
    }
}
