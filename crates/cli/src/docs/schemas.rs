//! `docs/schemas/`: a JSON Schema for everything that `--json` prints.

use std::collections::{BTreeMap, BTreeSet};

use clap::CommandFactory;
use serde_json::{Map, Value, json};
use utoipa::{OpenApi, ToSchema};

use super::commands::{leaves, name};
use crate::args::Cli;
use crate::{commands, outcome};

const COMPONENTS: &str = "#/components/schemas/";

/// The command line's own words; those of the wire have a list of their own.
#[derive(OpenApi)]
#[openapi(components(schemas(
    commands::read::AnswerView,
    commands::up::DownView,
    commands::up::UpView,
    commands::wait::DoneView,
    commands::why::WhyView,
    outcome::EndingView,
    SettingsMap,
    TeamEnv,
)))]
struct Own;

/// Each setting and whether it is on.
#[derive(ToSchema)]
#[allow(dead_code)] // Only its shape is wanted.
struct SettingsMap(BTreeMap<String, bool>);

/// Each variable with its value.
#[derive(ToSchema)]
#[allow(dead_code)] // Only its shape is wanted.
struct TeamEnv(BTreeMap<String, String>);

/// How often a command prints it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Once,
    /// One object on each line.
    Lines,
}

/// What a command prints: the command, the file of the schema, the schema's name, how often.
const OUTPUTS: [(&str, &str, &str, Form); 118] = [
    ("paseo run", "ending", "EndingView", Form::Once),
    ("paseo run --detach", "created", "CreatedSession", Form::Once),
    ("paseo ls", "list", "SessionPage", Form::Once),
    ("paseo ls --watch", "list", "SessionPage", Form::Lines),
    ("paseo send", "receipt", "Receipt", Form::Once),
    ("paseo send --wait", "ending", "EndingView", Form::Once),
    ("paseo ask", "ending", "EndingView", Form::Once),
    ("paseo tell", "messaged", "MessagedAgent", Form::Once),
    ("paseo switch", "switched", "SwitchedAgent", Form::Once),
    ("paseo switch --back", "went_back", "WentBack", Form::Once),
    ("paseo attach", "item", "ItemView", Form::Lines),
    ("paseo read", "answer", "AnswerView", Form::Once),
    ("paseo logs", "item", "ItemView", Form::Lines),
    ("paseo search", "search", "SearchPage", Form::Once),
    ("paseo files", "files", "FilePage", Form::Once),
    ("paseo files --show", "file", "FilePreview", Form::Once),
    ("paseo inbox", "inbox", "Inbox", Form::Once),
    ("paseo inspect", "agent", "SessionView", Form::Once),
    ("paseo why", "why", "WhyView", Form::Once),
    ("paseo queue", "queue", "Queue", Form::Once),
    ("paseo queue --cancel", "action", "ActionAnswer", Form::Once),
    ("paseo queue --edit", "action", "ActionAnswer", Form::Once),
    ("paseo queue --move", "action", "ActionAnswer", Form::Once),
    ("paseo queue --release", "action", "ActionAnswer", Form::Once),
    ("paseo queue --release-all", "action", "ActionAnswer", Form::Once),
    ("paseo trace", "trace", "DeliveryTrace", Form::Once),
    ("paseo cause", "cause", "CauseView", Form::Once),
    ("paseo cause --messages", "cause_messages", "CauseMessages", Form::Once),
    ("paseo map", "map", "MapView", Form::Once),
    ("paseo wait", "done", "DoneView", Form::Lines),
    ("paseo stop", "action", "ActionAnswer", Form::Lines),
    ("paseo archive", "action", "ActionAnswer", Form::Lines),
    ("paseo close", "action", "ActionAnswer", Form::Lines),
    ("paseo reopen", "action", "ActionAnswer", Form::Lines),
    ("paseo promote", "action", "ActionAnswer", Form::Lines),
    ("paseo clear", "action", "ActionAnswer", Form::Lines),
    ("paseo rm", "action", "ActionAnswer", Form::Lines),
    ("paseo rename", "agent", "SessionView", Form::Once),
    ("paseo set", "agent", "SessionView", Form::Once),
    ("paseo label", "agent", "SessionView", Form::Lines),
    ("paseo pin", "agent", "SessionView", Form::Lines),
    ("paseo notify", "agent", "SessionView", Form::Lines),
    ("paseo permit ls", "asks", "PermissionRequestPage", Form::Once),
    ("paseo permit allow", "answered", "AnsweredPermission", Form::Lines),
    ("paseo permit deny", "answered", "AnsweredPermission", Form::Lines),
    ("paseo permit rules", "rules", "RuleList", Form::Once),
    ("paseo permit forget", "rules", "RuleList", Form::Once),
    ("paseo providers", "providers", "ProviderList", Form::Once),
    ("paseo providers models", "models", "ModelList", Form::Once),
    ("paseo providers add", "providers", "ProviderList", Form::Once),
    ("paseo providers rm", "providers", "ProviderList", Form::Once),
    ("paseo agents ls", "definitions", "AgentList", Form::Once),
    ("paseo agents show", "definition", "AgentView", Form::Once),
    ("paseo agents check", "definitions", "AgentList", Form::Once),
    ("paseo agents trust", "definitions", "AgentList", Form::Once),
    ("paseo worktree ls", "worktrees", "WorktreeList", Form::Once),
    ("paseo worktree rm", "removed_worktree", "RemovedWorktree", Form::Once),
    ("paseo projects", "projects", "ProjectPage", Form::Once),
    ("paseo usage", "usage", "UsageReport", Form::Once),
    ("paseo open", "link", "LoginLink", Form::Once),
    ("paseo devices ls", "devices", "DeviceList", Form::Once),
    ("paseo devices revoke", "devices", "DeviceList", Form::Once),
    ("paseo settings get", "settings", "SettingsMap", Form::Once),
    ("paseo settings set", "settings", "SettingsMap", Form::Once),
    ("paseo token create", "token", "CreatedToken", Form::Once),
    ("paseo token ls", "tokens", "TokenList", Form::Once),
    ("paseo token revoke", "tokens", "TokenList", Form::Once),
    ("paseo thread new", "thread", "ThreadView", Form::Once),
    ("paseo thread ls", "threads", "ThreadPage", Form::Once),
    ("paseo thread show", "thread", "ThreadView", Form::Once),
    ("paseo thread rename", "thread", "ThreadView", Form::Once),
    ("paseo thread cwd", "thread", "ThreadView", Form::Once),
    ("paseo thread rm", "thread", "ThreadView", Form::Lines),
    ("paseo thread post", "thread_event", "ThreadEvent", Form::Once),
    ("paseo thread tail", "thread_event", "ThreadEvent", Form::Lines),
    ("paseo thread invite", "thread", "ThreadView", Form::Once),
    ("paseo thread uninvite", "thread", "ThreadView", Form::Once),
    ("paseo thread mute", "thread", "ThreadView", Form::Once),
    ("paseo thread unmute", "thread", "ThreadView", Form::Once),
    ("paseo thread pause", "thread", "ThreadView", Form::Once),
    ("paseo thread resume", "thread", "ThreadView", Form::Once),
    ("paseo thread discuss", "thread", "ThreadView", Form::Once),
    ("paseo thread auto", "thread", "ThreadView", Form::Once),
    ("paseo thread state", "thread_state", "ThreadState", Form::Once),
    ("paseo thread token", "token", "CreatedToken", Form::Once),
    ("paseo up", "up", "UpView", Form::Once),
    ("paseo status", "status", "DaemonStatus", Form::Once),
    ("paseo down", "down", "DownView", Form::Once),
    ("paseo doctor", "doctor", "Diagnosis", Form::Once),
    ("paseo team create", "team", "TeamView", Form::Once),
    ("paseo team ls", "teams", "TeamPage", Form::Once),
    ("paseo team show", "team", "TeamView", Form::Once),
    ("paseo team env", "team_env", "TeamEnv", Form::Once),
    ("paseo team audit", "notices", "NoticePage", Form::Once),
    ("paseo team refusals", "refusals", "RefusalList", Form::Once),
    ("paseo team leave", "team", "TeamView", Form::Once),
    ("paseo team rm", "team", "TeamView", Form::Once),
    ("paseo team leader", "ending", "EndingView", Form::Once),
    ("paseo team leader --detach", "created", "CreatedSession", Form::Once),
    ("paseo task create", "task", "TaskView", Form::Once),
    ("paseo task edit", "task", "TaskView", Form::Once),
    ("paseo task ls", "tasks", "TaskPage", Form::Once),
    ("paseo task ls --watch", "tasks", "TaskPage", Form::Lines),
    ("paseo task show", "task", "TaskView", Form::Once),
    ("paseo task claim", "task", "TaskView", Form::Once),
    ("paseo task renew", "task", "TaskView", Form::Once),
    ("paseo task complete", "task", "TaskView", Form::Once),
    ("paseo task fail", "task", "TaskView", Form::Once),
    ("paseo task release", "task", "TaskView", Form::Once),
    ("paseo task cancel", "task", "TaskView", Form::Once),
    ("paseo task retry", "task", "TaskView", Form::Once),
    ("paseo task reassign", "task", "TaskView", Form::Once),
    ("paseo worker start", "worker_started", "StartedWorker", Form::Once),
    ("paseo worker ls", "workers", "WorkerList", Form::Once),
    ("paseo worker capture", "capture", "Capture", Form::Once),
    ("paseo worker send", "receipt", "Receipt", Form::Once),
    ("paseo worker kill", "action", "ActionAnswer", Form::Lines),
    ("paseo can-write", "can_write", "WriteAnswer", Form::Once),
];

/// These print what another command prints.
const SAME: [(&str, &str); 2] = [("paseo restart", "paseo up"), ("paseo settings", "paseo settings get")];

/// Returns a page for each schema, and one that says which command prints what.
pub(super) fn pages() -> BTreeMap<String, String> {
    let schemas = schemas();
    let mut pages = BTreeMap::new();
    let mut index = String::from(
        "# What `--json` prints\n\n\
         Use these JSON Schemas (2020-12) to read the output of commands in your programs. Later versions may add fields;\n\
         no field changes its meaning. This page is generated from the program.\n\n\
         ```sh run\n\
         paseo run --provider scripted --json 'Hello <<say hello>>'    # ending.json\n\
         paseo ls --json                                               # list.json\n\
         ```\n\n\
         ## Commands\n\n\
         A command that fails prints `{\"error\": {\"code\", \"message\", \"hint\"}}` on stderr, with an\n\
         [error code](../errors/README.md) or, if the command did not reach the daemon, the name of the exit code: `usage`,\n\
         `unreachable`, `timeout` …\n\n\
         A list is one object, the same as that of the API: its rows under their name, `next`, and what the API says of the\n\
         list, such as `seq`, `hidden` or `behind`. Commands read every page, so `next` is null; only `paseo search` and\n\
         `paseo team audit --newest` print as many rows as you ask for. `paseo settings get` prints an object with a field\n\
         for each setting. Where you can name several agents, requests, threads or workers, you get one object per line for\n\
         each of them, in their order.\n\n\
         | command | schema | |\n|---|---|---|\n",
    );
    let same = SAME.map(|(command, like)| {
        let (_, file, schema, form) = OUTPUTS.into_iter().find(|output| output.0 == like).unwrap();
        (command, file, schema, form)
    });
    for (command, file, schema, form) in OUTPUTS.into_iter().chain(same) {
        let often = if form == Form::Once { "one object" } else { "one object per line" };
        index.push_str(&format!("| `{command} --json` | [{file}]({file}.json) | {often} |\n"));
        pages.insert(format!("schemas/{file}.json"), format!("{:#}\n", standalone(&schemas, schema)));
    }
    index.push_str(
        "\n## Limits\n\n\
         Commands without a row have no `--json`.\n",
    );
    pages.insert("schemas/README.md".to_owned(), index);
    pages
}

/// Views of one thing that have rows of something else.
#[cfg(test)]
const NOT_LISTS: [&str; 13] = [
    "AgentView",
    "CauseView",
    "DaemonStatus",
    "DeliveryTrace",
    "Diagnosis",
    "DownView",
    "LoginLink",
    "MapView",
    "TaskView",
    "TeamView",
    "ThreadState",
    "ThreadView",
    "UsageReport",
];

/// Returns every schema there is, by name.
fn schemas() -> Map<String, Value> {
    let components = |document: utoipa::openapi::OpenApi| {
        let document = serde_json::to_value(document).unwrap();
        document["components"]["schemas"].as_object().cloned().unwrap()
    };
    let mut all = components(paseo_wire::schema::Schemas::openapi());
    all.extend(components(Own::openapi()));
    all
}

/// Returns a schema with everything that it refers to.
fn standalone(schemas: &Map<String, Value>, name: &str) -> Value {
    let mut names = BTreeSet::new();
    collect(&schemas[name], schemas, &mut names);
    let mut root = schemas[name].clone();
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!(name);
    if !names.is_empty() {
        let definitions: Map<String, Value> =
            names.iter().map(|name| (name.clone(), schemas[name].clone())).collect();
        root["$defs"] = Value::Object(definitions);
    }
    let text = root.to_string().replace(COMPONENTS, "#/$defs/");
    serde_json::from_str(&text).unwrap()
}

/// Collects the names that a schema refers to.
fn collect(schema: &Value, schemas: &Map<String, Value>, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(name) =
                fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(COMPONENTS))
                && names.insert(name.to_owned())
            {
                collect(&schemas[name], schemas, names);
            }
            fields.values().for_each(|value| collect(value, schemas, names));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, schemas, names)),
        _ => {}
    }
}

#[test]
fn every_command_with_json_has_a_schema() {
    let mut root = Cli::command();
    root.build();
    for command in leaves(&root) {
        let name = name(command);
        let has = command.get_arguments().any(|argument| argument.get_id() == "json");
        let listed = OUTPUTS.iter().any(|output| output.0 == name) || SAME.iter().any(|same| same.0 == name);
        assert_eq!(has, listed, "{name}");
        // A command that takes several names prints an object for each.
        let is_several = |argument: &clap::Arg| {
            ["handles", "threads", "which", "workers"].contains(&argument.get_id().as_str())
        };
        if command.get_positionals().any(is_several) {
            let lines =
                OUTPUTS.iter().find(|output| output.0 == name).is_none_or(|output| output.3 == Form::Lines);
            assert!(lines, "{name} prints an object for each argument");
        }
    }
}

#[test]
fn every_list_has_the_shape_of_the_api() {
    let (all, own) = (schemas(), json!(Own::openapi())["components"]["schemas"].take());
    let mut lists = BTreeSet::new();
    for (command, _, name, _) in OUTPUTS {
        let properties = all[name]["properties"].as_object().cloned().unwrap_or_default();
        let has_rows = properties.values().any(|property| property["type"] == "array");
        let is_ls = command.split(' ').any(|word| word == "ls");
        if !is_ls && (!has_rows || NOT_LISTS.contains(&name) || own[name].is_object()) {
            continue;
        }
        lists.insert(name);
        assert!(own[name].is_null(), "{command}: {name} is not a list of the API");
        let next = properties.get("next").unwrap_or_else(|| panic!("{command}: {name} has no `next`"));
        assert!(next["type"].to_string().contains("null"), "{name}: `next` is null on the last page");
        let required = all[name]["required"].as_array().cloned().unwrap_or_default();
        assert!(required.contains(&json!("next")), "{name}: `next` is always there");
        let has_seq = properties.contains_key("seq");
        assert!(!has_seq || required.contains(&json!("seq")), "{name}: `seq` is always there");
    }
    assert!(lists.len() > 15, "{lists:?}");
    assert!(NOT_LISTS.iter().all(|name| all[*name].is_object()), "NOT_LISTS names what is not there");
}
