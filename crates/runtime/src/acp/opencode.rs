//! What opencode is told in its environment: before what to ask, and to whom not to listen.

use std::fs;
use std::path::{Path, PathBuf};

use paseo_core::permission::Power;
use serde_json::{Map, Value, json};

use super::own_tools;
use super::preset::{Environment, Wants, inherited, pair};
use crate::provider::{Launch, StartError};

pub(super) const NAME: &str = "opencode";
/// Our plugin: the source of what runs inside of opencode.
pub(super) const PLUGIN: &str = include_str!("plugin.js");
/// The agent of its own that works; the mode that it is held in.
pub(super) const AGENT: &str = "build";
/// Its own agents, whom we tell what they may do.
const AGENTS: [&str; 4] = [AGENT, "plan", "general", "explore"];
/// Those of them that it hands work to.
const SUBAGENTS: [&str; 2] = ["general", "explore"];
/// The oldest that is known to leave a project's configuration alone when it is told to.
const HEEDS: (u32, u32) = (1, 18);
/// What a project configures it with: agents, plugins, and what they may do.
const CONFIGURATION: [&str; 3] = ["opencode.json", "opencode.jsonc", ".opencode"];
/// What a project tells it: all of the first name that there is.
const INSTRUCTIONS: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

/// Opencode asks by its configuration. What the user set stays, but for what it may do.
pub(super) fn environment(wants: &Wants<'_>) -> Environment {
    let mut config = inherited(wants, "OPENCODE_CONFIG_CONTENT")?;
    let rules = rules(wants);
    // What an agent of its own may do goes before what all may.
    change(&mut config, "agent", |known| {
        for name in AGENTS {
            change(known, name, |agent| drop(agent.insert("permission".to_owned(), rules.clone())));
        }
    });
    config.insert("permission".to_owned(), rules);
    // An agent that is denied something may do without.
    change(&mut config, "experimental", |experimental| {
        experimental.insert("continue_loop_on_deny".to_owned(), true.into());
    });
    if let Some(plugin) = wants.plugin {
        let plugin = json!(format!("file://{}", plugin.display()));
        match config.entry("plugin").or_insert_with(|| json!([])) {
            Value::Array(plugins) => plugins.push(plugin),
            other => *other = json!([plugin]),
        }
    }
    let mut environment = vec![pair("OPENCODE_DISABLE_AUTOUPDATE", "1")];
    if is_held(wants) {
        config.insert("default_agent".to_owned(), AGENT.into());
        // It leaves out a project's words along with its configuration.
        let told = upwards(wants.directory, &INSTRUCTIONS).into_iter().map(|path| json!(path));
        match config.entry("instructions").or_insert_with(|| json!([])) {
            Value::Array(instructions) => instructions.extend(told),
            other => *other = told.collect(),
        }
        environment.push(pair("OPENCODE_DISABLE_PROJECT_CONFIG", "1"));
    }
    environment.push(("OPENCODE_CONFIG_CONTENT".to_owned(), Value::Object(config).to_string()));
    Ok(environment)
}

/// Says whether opencode loads plugins at once.
///
/// It first waits for a package that it puts beside each of its configurations. It gets that in the background when it is
/// first started; waiting for it would take minutes where there is no network.
pub(super) fn loads_plugins_at_once(directory: &Path, inherited: &dyn Fn(&str) -> Option<String>) -> bool {
    let home = inherited("HOME").map(PathBuf::from);
    let config = inherited("XDG_CONFIG_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let Some(config) = config.or_else(|| Some(home.as_ref()?.join(".config"))) else { return false };
    let named = inherited("OPENCODE_CONFIG_DIR").map(PathBuf::from);
    let others =
        home.map(|home| home.join(".opencode")).into_iter().chain(upwards(directory, &[".opencode"]));
    has_package(&config.join(NAME))
        && others.chain(named).filter(|folder| folder.exists()).all(|folder| has_package(&folder))
}

fn has_package(folder: &Path) -> bool {
    let lock = fs::read(folder.join("package-lock.json")).unwrap_or_default();
    let lock: Value = serde_json::from_slice(&lock).unwrap_or_default();
    let listed = lock.pointer("/packages//dependencies/@opencode-ai~1plugin").is_some();
    listed && folder.join("node_modules").exists()
}

/// Refuses to hold an agent back whose project decides what it may do.
///
/// An older opencode cannot be told to leave a project's configuration alone, and there is more to it than we could
/// override: other agents, and plugins that run unasked.
pub(super) fn refuse_untrusted(version: Option<&str>, launch: &Launch) -> Result<(), StartError> {
    let Some(found) = project_configuration(launch) else { return Ok(()) };
    let opencode = match version {
        Some(version) if heeds(version) => return Ok(()),
        Some(version) => format!("opencode {version} has no option to ignore it"),
        None => "this version of opencode is unknown, so it may read that file".to_owned(),
    };
    Err(StartError {
        message: format!(
            "{} may grant this agent more than its permissions allow, and {opencode}",
            found.display()
        ),
        hint: Some(format!(
            "install opencode {}.{} or newer, remove that configuration, or start the agent with \
             `--permissions full`",
            HEEDS.0, HEEDS.1
        )),
    })
}

/// Returns what a project configures an agent with that is to be held back.
pub(super) fn project_configuration(launch: &Launch) -> Option<PathBuf> {
    if launch.permissions.is_full() && launch.withheld.is_empty() {
        return None;
    }
    // What lies in their home is the user's own.
    let own = std::env::var_os("HOME").map(|home| Path::new(&home).join(".opencode"));
    let found = CONFIGURATION.iter().flat_map(|name| upwards(&launch.directory, &[*name]));
    found.into_iter().find(|path| Some(path) != own.as_ref())
}

fn heeds(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return false };
    (major, minor) >= HEEDS
}

fn is_held(wants: &Wants<'_>) -> bool {
    !wants.permissions.is_full() || !wants.withheld.is_empty()
}

/// Returns all that have the first of these names that there is, from a directory up to the top of its repository.
fn upwards(directory: &Path, names: &[&str]) -> Vec<PathBuf> {
    let all: Vec<&Path> = directory.ancestors().collect();
    let top = all.iter().position(|place| place.join(".git").exists()).map_or(all.len(), |top| top + 1);
    let found = |name: &&str| -> Vec<PathBuf> {
        all[..top]
            .iter()
            .map(|place| place.join(name))
            .filter(|path| path.symlink_metadata().is_ok())
            .collect()
    };
    names.iter().map(found).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Changes an object within an object; what is none makes no sense to opencode, and is replaced.
fn change(within: &mut Map<String, Value>, name: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    let mut object = match within.get_mut(name).map(Value::take) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    };
    change(&mut object);
    within.insert(name.to_owned(), Value::Object(object));
}

/// Returns what opencode may do; the last rule that fits counts.
fn rules(wants: &Wants<'_>) -> Value {
    // What the user's own configuration names comes before this one: it must never allow what is withheld.
    let others = if is_held(wants) { "ask" } else { "allow" };
    let by_itself = if wants.permissions.is_full() { "allow" } else { "ask" };
    let mut rules = Map::new();
    rules.insert("*".to_owned(), others.into());
    for (power, tools) in [
        (Power::Read, &["read", "glob", "grep", "list", "lsp", "external_directory"][..]),
        (Power::Write, &["edit", "write", "patch"]),
        (Power::Shell, &["bash", "task"]),
        (Power::Net, &["webfetch", "websearch", "codesearch"]),
    ] {
        let rule = match power {
            power if wants.withheld.contains(&power) || !wants.permissions.grants(power) => "deny",
            Power::Read => "allow",
            _ => by_itself,
        };
        tools.iter().for_each(|tool| drop(rules.insert((*tool).to_owned(), rule.into())));
    }
    // A subagent of the user's may have powers of its own; those whom we told what they may do have not.
    if is_held(wants)
        && let Some(rule) = rules.get("task").filter(|rule| *rule != "deny").cloned()
    {
        let others = std::iter::once(("*".to_owned(), json!("deny")));
        let known = SUBAGENTS.map(|name| (name.to_owned(), rule.clone()));
        rules.insert("task".to_owned(), Value::Object(others.chain(known).collect()));
    }
    // These touch nothing.
    for tool in ["todowrite", "todoread", "skill", "question"] {
        rules.insert(tool.to_owned(), "allow".into());
    }
    // What our own tools may do, the daemon decides.
    for server in wants.servers {
        own_tools::names()
            .for_each(|tool| drop(rules.insert(format!("{}_{tool}", server.name), "allow".into())));
    }
    Value::Object(rules)
}

#[cfg(test)]
mod tests {
    use paseo_core::permission::Mode;

    use super::super::tests::launch;
    use super::*;
    use crate::provider::McpServer;

    fn environment_of(
        permissions: Mode,
        withheld: &[Power],
        inherited: &str,
        directory: &Path,
    ) -> Environment {
        let servers = [McpServer { name: "Paseo".into(), url: "http://127.0.0.1:1/mcp".into() }];
        let inherited = |_: &str| Some(inherited.to_owned());
        let wants = Wants {
            permissions,
            withheld,
            prompt: "",
            servers: &servers,
            directory,
            plugin: None,
            inherited: &inherited,
        };
        environment(&wants)
    }

    fn told(permissions: Mode, withheld: &[Power], inherited: &str) -> Value {
        let environment = environment_of(permissions, withheld, inherited, Path::new("/nowhere")).unwrap();
        serde_json::from_str(&environment.last().unwrap().1).unwrap()
    }

    #[test]
    fn it_gets_our_plugin_beside_others_once_it_loads_plugins_at_once() {
        let home = tempfile::tempdir().unwrap();
        let config = home.path().join("config/opencode");
        fs::create_dir_all(config.join("node_modules")).unwrap();
        let project = home.path().join("project");
        fs::create_dir(&project).unwrap();
        let inherited = |name: &str| {
            let set = (name == "XDG_CONFIG_HOME").then(|| home.path().join("config"));
            set.map(|path| path.display().to_string())
        };
        let ready = || loads_plugins_at_once(&project, &inherited);
        assert!(!ready(), "it was never started");
        let lock = r#"{ "packages": { "": { "dependencies": { "@opencode-ai/plugin": "1.18.33" } } } }"#;
        fs::write(config.join("package-lock.json"), lock).unwrap();
        assert!(ready());
        fs::create_dir(project.join(".opencode")).unwrap();
        assert!(!ready(), "it has yet to get it for the project");
        let inherited = |_: &str| Some(r#"{"plugin":["theirs"]}"#.to_owned());
        let wants = Wants {
            permissions: Mode::Full,
            withheld: &[],
            prompt: "",
            servers: &[],
            directory: &project,
            plugin: Some(Path::new("/h/paseo.js")),
            inherited: &inherited,
        };
        let environment = environment(&wants).unwrap();
        let config: Value = serde_json::from_str(&environment.last().unwrap().1).unwrap();
        assert_eq!(config["plugin"], json!(["theirs", "file:///h/paseo.js"]));
    }

    #[test]
    fn it_is_told_before_what_to_ask() {
        let full = told(Mode::Full, &[], "");
        assert_eq!(
            (&full["permission"]["*"], &full["permission"]["bash"]),
            (&json!("allow"), &json!("allow"))
        );
        let ask = told(Mode::Ask, &[Power::Shell], "");
        let rules = &ask["permission"];
        let of = |tool: &str| rules[tool].as_str().unwrap();
        assert_eq!((of("*"), of("read"), of("edit"), of("bash")), ("ask", "allow", "ask", "deny"));
        assert_eq!((of("Paseo_set_title"), of("task")), ("allow", "deny"));
        assert_eq!(&ask["agent"]["build"]["permission"], rules);
        let read_only = told(Mode::ReadOnly, &[], "");
        assert_eq!(read_only["permission"]["edit"], "deny");
    }

    #[test]
    fn only_our_own_tools_are_allowed_by_their_names() {
        let rules = told(Mode::Ask, &[], "")["permission"].clone();
        let ours = rules.as_object().unwrap().keys().filter(|name| name.starts_with("Paseo"));
        assert!(ours.clone().count() > 0 && ours.into_iter().all(|name| !name.contains('*')), "{rules:#}");
    }

    #[test]
    fn what_the_user_configured_stays() {
        let own =
            r#"{"model":"a/b","agent":{"mine":{"prompt":"x"},"build":{"prompt":"y"}},"permission":"allow"}"#;
        let told = told(Mode::Ask, &[], own);
        assert_eq!((&told["model"], &told["agent"]["mine"]["prompt"]), (&json!("a/b"), &json!("x")));
        assert_eq!(told["agent"]["build"]["prompt"], "y");
        assert_eq!(told["permission"]["bash"], "ask");
    }

    #[test]
    fn what_makes_no_sense_is_replaced_or_refused_in_words() {
        let own = r#"{"agent":7,"experimental":"x","instructions":false}"#;
        let replaced = told(Mode::Ask, &[], own);
        assert_eq!(replaced["agent"]["build"]["permission"]["bash"], "ask");
        assert_eq!(replaced["experimental"]["continue_loop_on_deny"], true);
        let replaced = told(Mode::Ask, &[], r#"{"agent":{"build":[]}}"#);
        assert_eq!(replaced["agent"]["build"]["permission"]["bash"], "ask");
        for nonsense in ["{nonsense", "[]", "7", "{ // mine\n }"] {
            let refused = environment_of(Mode::Full, &[], nonsense, Path::new("/nowhere")).unwrap_err();
            assert!(refused.message.contains("OPENCODE_CONFIG_CONTENT"), "{refused:?}");
        }
    }

    #[test]
    fn who_is_held_back_does_not_listen_to_the_project() {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir_all(project.path().join(".git")).unwrap();
        fs::create_dir_all(project.path().join("sub")).unwrap();
        fs::write(project.path().join("AGENTS.md"), "be kind").unwrap();
        let sub = project.path().join("sub");
        for (mode, withheld, held) in [
            (Mode::Full, &[][..], false),
            (Mode::Full, &[Power::Net], true),
            (Mode::Ask, &[], true),
            (Mode::ReadOnly, &[], true),
        ] {
            let environment = environment_of(mode, withheld, "", &sub).unwrap();
            assert_eq!(environment.contains(&pair("OPENCODE_DISABLE_PROJECT_CONFIG", "1")), held, "{mode:?}");
            let config: Value = serde_json::from_str(&environment.last().unwrap().1).unwrap();
            assert_eq!(config["default_agent"] == AGENT, held, "{mode:?}");
            // Its words are no configuration.
            let instructions = json!([project.path().join("AGENTS.md")]);
            assert_eq!(config["instructions"] == instructions, held, "{config:#}");
        }
        let withheld = told(Mode::Full, &[Power::Net], "");
        assert_eq!(withheld["permission"]["*"], "ask");
        assert_eq!(
            withheld["permission"]["task"],
            json!({ "*": "deny", "general": "allow", "explore": "allow" })
        );
    }

    #[test]
    fn a_project_that_an_older_one_would_listen_to_is_refused_where_it_is_to_be_held_back() {
        for name in CONFIGURATION {
            let project = tempfile::tempdir().unwrap();
            fs::create_dir_all(project.path().join(".git")).unwrap();
            fs::create_dir_all(project.path().join("sub")).unwrap();
            let launch =
                |permissions| Launch { permissions, directory: project.path().join("sub"), ..launch() };
            assert_eq!(refuse_untrusted(None, &launch(Mode::Ask)), Ok(()));
            fs::write(project.path().join(name), "{}").unwrap();
            for (version, mode, refused) in [
                (Some("1.17.9"), Mode::Ask, true),
                (Some("0.18.0"), Mode::ReadOnly, true),
                (None, Mode::Ask, true),
                (Some("words"), Mode::Ask, true),
                (Some("1.17.9"), Mode::Full, false),
                (Some("1.18.33"), Mode::Ask, false),
                (Some("2.0.0"), Mode::ReadOnly, false),
            ] {
                let result = refuse_untrusted(version, &launch(mode));
                assert_eq!(result.is_err(), refused, "{name} {version:?} {mode:?}");
                if let Err(error) = result {
                    let said = version.map_or("this version of opencode is unknown".to_owned(), |it| {
                        format!("opencode {it}")
                    });
                    assert!(error.message.contains(&said), "{error}");
                }
            }
        }
    }
}
