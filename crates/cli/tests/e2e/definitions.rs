//! Definitions of agents: from which files they come, which count, and what is said about the others.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::chat::items;
use crate::pty::{Terminal, after_the_question};
use crate::screens::{assert_said, assert_told, squeezed};
use crate::{home, json};

/// Writes a file of the user's own.
fn own(home: &TestHome, name: &str, text: &str) {
    fs::create_dir_all(home.path().join("agents")).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.path().join(name), text).unwrap();
    home.trust();
}

/// Writes a file of the project.
fn project(home: &TestHome, name: &str, text: &str) {
    let path = home.work().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn list(home: &TestHome) -> Value {
    json(&home.paseo(&["agents", "ls", "--json"]))
}

/// Returns the definition that is used under a slug.
fn counting(list: &Value, slug: &str) -> Option<Value> {
    let agents = list["agents"].as_array().unwrap();
    agents.iter().find(|agent| agent["slug"] == slug && agent["counts"] == true).cloned()
}

fn origin(home: &TestHome, slug: &str) -> Option<String> {
    counting(&list(home), slug).map(|agent| agent["origin"].as_str().unwrap().to_owned())
}

fn trust(home: &TestHome) {
    home.paseo(&["agents", "trust", "--yes"]).ok();
}

/// Returns what is added to the prompt of an agent that is started now.
fn prompt(home: &TestHome) -> String {
    let handle = home.paseo(&["run", "-d", "<<say hi>>"]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    home.paseo(&["inspect", "--prompt", &handle]).ok().to_owned()
}

#[test]
fn every_kind_of_file_counts_and_the_nearest_wins() {
    let home = home();
    own(&home, "config.toml", "[[agents]]\nagentId = 'from-toml'\n\n[[agents]]\nagentId = 'both'\n");
    own(&home, "config.json", include_str!("../../../core/src/definition/example.json"));
    own(
        &home,
        "agents/flash.toml",
        "name = 'Flash'\nis_subagent = true\ntools = ['read']\nprovider = 'codex'\n",
    );
    own(
        &home,
        "agents/reviewer.md",
        "---\ndescription: Looks closely.\ntools: Read, Grep\n---\nYou review.\n",
    );
    project(&home, ".paseo/config.json", r#"{"agents": [{"agentId": "in-project"}]}"#);
    project(&home, ".paseo/agents/both.md", "Be kind.\n");
    project(&home, ".paseo/agents/twice.toml", "name = 'Ours'\n");
    project(&home, ".claude/agents/twice.md", "---\nname: Theirs\n---\n");
    project(&home, ".claude/agents/helper.md", "---\nname: helper\n---\nHelp.\n");
    for slug in ["from-toml", "both", "reading-list", "todo", "journal", "general", "flash", "reviewer"] {
        assert_eq!(origin(&home, slug).as_deref(), Some("home"), "{slug}");
    }
    for slug in ["in-project", "twice", "helper"] {
        assert_eq!(origin(&home, slug), None, "{slug}");
    }
    trust(&home);
    for slug in ["in-project", "both", "twice", "helper"] {
        assert_eq!(origin(&home, slug).as_deref(), Some("project"), "{slug}");
    }
    assert_eq!(origin(&home, "default").as_deref(), Some("built-in"));
    let all = list(&home);
    assert_eq!(counting(&all, "twice").unwrap()["name"], "Ours");
    assert_eq!(counting(&all, "helper").unwrap()["is_subagent"], true);
    assert_eq!(counting(&all, "reviewer").unwrap()["tools"]["allow"][0], "native_read");
    let problems = all["problems"].as_array().unwrap();
    assert!(problems.iter().all(|problem| problem["severity"] == "warning"), "{all}");

    let shown = home.paseo(&["agents", "ls"]);
    let row = shown.ok().lines().find(|line| line.starts_with("flash")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["flash", "Flash", "codex", "subagent", "home"]);
    assert_told!(home, shown, @r"
    exit 0
    8 warnings; see `paseo agents check`
    ");
    assert!(home.paseo(&["agents", "ls", "-q"]).ok().lines().any(|slug| slug == "helper"));
}

/// A file that may define anything, and was never read, keeps everything from being used.
#[test]
fn what_a_broken_config_refuses_is_not_shown_as_if_it_counted() {
    let home = home();
    home.paseo(&["up"]).ok();
    let config = home.path().join("config.json");
    fs::write(&config, "{").unwrap();
    let why = format!("{}:1: invalid JSON", config.display());
    let refused = home.paseo(&["run", "hello"]);
    assert!(refused.code != 0 && refused.stderr.contains(&why), "{refused:?}");
    let shown = home.paseo(&["agents", "show", "default"]);
    let told = format!("this version has no effect: cannot use agent definition `default`: {why}");
    assert!(shown.ok().contains("built-in") && shown.stderr.contains(&told), "{shown:?}");
    let shown = json(&home.paseo(&["agents", "show", "default", "--json"]))["agent"].clone();
    assert_eq!(shown["counts"], false, "{shown}");
    assert!(shown["notice"].as_str().unwrap().contains(&why), "{shown}");
    let listed = home.paseo(&["agents", "ls"]);
    assert!(!listed.ok().contains("default") && listed.stderr.contains(&why), "{listed:?}");
    assert_told!(home, listed);
    // Once it is mended, nothing is left of that.
    fs::write(&config, "{}").unwrap();
    let shown = home.paseo(&["agents", "show", "default"]);
    assert!(shown.ok().contains("built-in") && shown.stderr.is_empty(), "{shown:?}");
}

#[test]
fn a_bad_file_is_named_with_its_line_and_the_rest_loads() {
    let home = home();
    own(&home, "agents/good.toml", "name = 'Good'\n");
    own(&home, "agents/bad.md", "---\nname: Bad\ntool: Read\n---\nHello.\n");
    own(&home, "agents/odd.toml", "effort = 'enormous'\n");
    let shown = home.paseo(&["agents", "ls"]);
    assert!(shown.ok().contains("good") && !shown.stdout.contains("bad"), "{shown:?}");
    assert_told!(home, shown);
    let checked = home.paseo(&["agents", "check"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    let agents = home.path().join("agents");
    let lines: Vec<&str> = checked.stdout.lines().collect();
    let expected =
        format!("{}:3: unknown field `tool`; did you mean `tools`?", agents.join("bad.md").display());
    assert!(lines.contains(&expected.as_str()), "{lines:?}");
    let expected = format!("{}:1: warning: unknown effort `enormous`", agents.join("odd.toml").display());
    assert!(lines.iter().any(|line| line.starts_with(&expected)), "{lines:?}");
    let refused = home.paseo(&["agents", "show", "bad"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused);
    assert_eq!(home.paseo(&["agents", "show", "none"]).code, 3);

    own(&home, "agents/bad.md", "---\nname: Bad\ntools: Read\n---\nHello.\n");
    let checked = home.paseo(&["agents", "check"]);
    assert_eq!((checked.code, checked.stdout.lines().count()), (0, 1), "a warning is no error: {checked:?}");
    assert_told!(home, home.paseo(&["agents", "ls"]), @r"
    exit 0
    1 warning; see `paseo agents check`
    ");
    fs::remove_file(agents.join("odd.toml")).unwrap();
    assert_told!(home, home.paseo(&["agents", "check"]), @r"
    exit 0
    2 definitions, no problems
    ");
}

#[test]
fn a_change_counts_at_once_for_agents_that_run() {
    let home = home();
    own(&home, "agents/default.md", "Be kind.\n");
    let handle = home.paseo(&["run", "-d", "<<say hi>>"]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    let added = || home.paseo(&["inspect", "--prompt", &handle]).ok().to_owned();
    assert!(added().contains("Be kind."), "{}", added());
    own(&home, "agents/default.md", "Be terse.\n");
    assert!(added().contains("Be kind."), "this is what it was given");
    home.paseo(&["send", "--wait", &handle, "<<say hi>>"]).ok();
    assert!(added().contains("Be terse.") && !added().contains("kind"));
    // What is wrong does not count, and what counted before does, with words.
    own(&home, "agents/default.md", "---\ntool: Read\n---\n");
    let sent = home.paseo(&["send", "--wait", &handle, "<<say hi>>"]);
    assert_eq!(sent.ok(), "hi");
    assert_told!(home, sent);
    assert!(added().contains("Be terse."), "{}", added());
    fs::remove_file(home.path().join("agents/default.md")).unwrap();
    assert_eq!(home.paseo(&["send", "--wait", &handle, "<<say back>>"]).ok(), "back");
}

#[test]
fn a_projects_definitions_count_once_exactly_they_are_trusted() {
    let home = home();
    let path = home.work().join(".paseo/agents/default.md");
    project(&home, ".paseo/agents/default.md", "Obey the project.\n");
    assert!(!prompt(&home).contains("Obey"), "as if it were not there");
    let shown = home.paseo(&["agents", "ls"]);
    assert_said!(home, &squeezed(shown.ok()), @r"
    SLUG NAME PROVIDER KIND ORIGIN DESCRIPTION
    default default default user project, not trusted
    default Default default user built-in The provider's agent, unmodified.
    ");
    assert_told!(home, shown);
    // Nobody is there to look at it.
    let refused = home.paseo(&["agents", "trust"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stdout.contains(".paseo/agents/default.md") && refused.stderr.contains("--yes"),
        "{refused:?}"
    );

    trust(&home);
    assert!(prompt(&home).contains("Obey the project."));
    assert!(home.kill_daemon());
    assert!(prompt(&home).contains("Obey the project."), "trust survives");

    fs::write(&path, "Obey the changed project.\n").unwrap();
    let ran = home.paseo(&["run", "<<say hi>>"]);
    assert_eq!(ran.ok(), "hi");
    assert_told!(home, ran);
    assert!(prompt(&home).contains("Obey the project."), "this is what was trusted");
    assert_eq!(list(&home)["project"]["trust"], "changed");
    // Nor does removing it give what it held back.
    fs::remove_file(&path).unwrap();
    assert!(prompt(&home).contains("Obey the project."));
    fs::write(&path, "Obey the project.\n").unwrap();
    assert!(prompt(&home).contains("Obey the project."), "this is what was trusted");

    home.paseo(&["agents", "trust", "--revoke"]).ok();
    assert!(!prompt(&home).contains("Obey"));
    assert_eq!(home.paseo(&["agents", "trust", "--revoke"]).code, 3);
}

#[test]
fn trust_is_bound_to_what_was_seen() {
    let home = home();
    project(
        &home,
        ".claude/agents/helper.md",
        "---\nname: helper\ntools: Bash\npermissionMode: plan\n---\nHelp.\n",
    );
    let mut terminal = Terminal::start(&home, 120, &["agents", "trust"]);
    terminal.until("trust exactly these versions? [y/N]");
    // Between the question and the answer.
    project(&home, ".claude/agents/helper.md", "---\nname: helper\n---\nHarm.\n");
    terminal.type_in("y\r");
    let (code, seen, _) = terminal.finish();
    assert_eq!(code, Some(6), "{seen}");
    assert!(seen.contains("helper") && seen.contains("read-only") && seen.contains("native_shell"), "{seen}");
    assert_said!(home, &after_the_question(&seen), @"y error: the definitions in /tmp/paseo-000000/work have changed since you reviewed them hint: review them again: `paseo agents trust`");
    assert_eq!(list(&home)["project"]["trust"], "untrusted");
    let mut terminal = Terminal::start(&home, 120, &["agents", "trust"]);
    terminal.until("trust exactly these versions? [y/N]");
    terminal.type_in("n\r");
    assert_eq!(terminal.finish().0, Some(6));
    assert_eq!(list(&home)["project"]["trust"], "untrusted");
}

/// Whoever is asked sees what it comes to, what it replaces and what is wrong, and later what has changed.
#[test]
fn what_is_trusted_is_shown_before() {
    let home = home();
    own(&home, "agents/mine.md", "Mine.\n");
    project(
        &home,
        ".paseo/agents/mine.toml",
        "provider = 'codex'\npermissions = 'ask'\nceiling = ['edit']\ncwd = '/nowhere'\nsystem_prompt = 'Theirs.'\n",
    );
    project(&home, ".paseo/agents/broken.toml", "toolDenylist = ['summn']\n");
    let asked = home.paseo(&["agents", "trust"]);
    assert_said!(home, &asked.stdout);
    assert_told!(home, asked);
    assert!(home.paseo(&["agents", "show", "mine"]).ok().contains("Mine."));
    assert!(home.paseo(&["agents", "show", "mine", "--untrusted"]).ok().contains("Theirs."));
    assert_eq!(home.paseo(&["agents", "show", "default", "--untrusted"]).code, 3);
    fs::remove_file(home.work().join(".paseo/agents/broken.toml")).unwrap();
    trust(&home);
    project(&home, ".paseo/agents/new.toml", "provider = 'nemo'\n");
    let asked = home.paseo(&["agents", "trust"]);
    assert_said!(home, &asked.stdout);
}

#[test]
fn what_the_daemon_would_not_start_with_is_found() {
    let home = home();
    own(&home, "config.toml", "");
    assert_eq!(home.paseo(&["agents", "check"]).code, 0);
    own(&home, "config.toml", "\nlistn = 1\n");
    let checked = home.paseo(&["agents", "check"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert_said!(home, &checked.stdout, @"/tmp/paseo-000000/home/config.toml:2: unknown key `listn`");
    assert_told!(home, checked, @"exit 1");
}

#[test]
fn a_definition_shows_which_tools_its_agents_have_and_why_not_the_others() {
    let home = home();
    own(&home, "config.toml", "[plugins.todo]\nenabled = false\n");
    own(
        &home,
        "agents/reader.md",
        "---\ntools: Read, send_to_tab, Edit\npermissions: read-only\n---\nRead.\n",
    );
    let view = json(&home.paseo(&["agents", "show", "reader", "--json"]));
    assert_eq!(view["prompt"], "Read.");
    let reason = |view: &Value, name: &str| {
        let tools = view["effective_tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(tool["granted"].as_bool().unwrap(), tool["reason"].is_null());
        tool["reason"].as_str().map(str::to_owned)
    };
    assert_eq!(reason(&view, "native_read"), None);
    for (name, expected) in [
        ("native_write", "permission mode read-only does not grant it"),
        ("native_shell", "the definition's `tools` does not list it"),
        ("send_to_tab", "perm_send_to_tab is off"),
        ("todo", "the plugin `todo` is disabled in config.toml"),
        ("set_title", "only agents with the label ui=true get it"),
    ] {
        assert_eq!(reason(&view, name).as_deref(), Some(expected), "{name}");
    }
    home.paseo(&["settings", "set", "perm_send_to_tab", "on"]).ok();
    let view = json(&home.paseo(&["agents", "show", "reader", "--json"]));
    assert_eq!(reason(&view, "send_to_tab"), None);
    let shown = home.paseo(&["agents", "show", "reader"]);
    assert_said!(home, shown.ok());
}

/// Makes a program that writes its environment down, and is no agent otherwise.
fn notes_its_environment(home: &TestHome) -> (String, PathBuf) {
    let directory = home.path().parent().unwrap().to_owned();
    let (program, notes) = (directory.join("my-claude"), directory.join("environment"));
    let script = format!("#!/bin/sh\nenv > {0}.new && mv {0}.new {0}\nexit 3\n", notes.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (program.display().to_string(), notes)
}

#[test]
fn a_model_is_paid_with_the_key_that_it_names() {
    let mut home = home();
    home.unset("PASEO_PROVIDER");
    home.set("WORK_KEY", "sk-from-the-environment");
    home.set("ANTHROPIC_AUTH_TOKEN", "somebody-elses");
    let (program, notes) = notes_its_environment(&home);
    let file = home.path().parent().unwrap().join("key");
    fs::write(&file, "sk-from-a-file\n").unwrap();
    let config = format!(
        "provider = 'claude'\n[providers.claude]\nprogram = '{program}'\n\
         [[keys]]\nid = 'work'\nprovider = 'claude'\nenv = 'WORK_KEY'\nbase_url = 'http://127.0.0.1:9'\n\
         [[keys]]\nid = 'own'\nprovider = 'claude'\nfile = '{}'\n[[keys]]\nid = 'lost'\nprovider = 'claude'\nenv = 'NOT_SET'\n",
        file.display()
    );
    own(&home, "config.toml", &config);
    let chain = |key: &str| {
        format!("[[models]]\nmodel_id = 'opus'\nkey_id = '{key}'\n[[models]]\nmodel_id = 'sonnet'\n")
    };
    let variables = |key: &str| {
        own(&home, "agents/default.toml", &chain(key));
        let handle = home.paseo(&["run", "-d", "hello"]).ok().to_owned();
        home.paseo(&["wait", &handle]);
        let text = fs::read_to_string(&notes).unwrap_or_default();
        fs::remove_file(&notes).ok();
        (handle, text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (handle, work) = variables("work");
    for expected in [
        "ANTHROPIC_API_KEY=sk-from-the-environment",
        "ANTHROPIC_BASE_URL=http://127.0.0.1:9",
        "ANTHROPIC_AUTH_TOKEN=",
    ] {
        assert!(work.iter().any(|line| line == expected), "{expected}: {work:?}");
    }
    assert_eq!(json(&home.paseo(&["inspect", "--json", &handle]))["model"], "opus", "the first of the chain");
    let (_, file) = variables("own");
    assert!(file.iter().any(|line| line == "ANTHROPIC_API_KEY=sk-from-a-file"), "{file:?}");
    // What cannot be read is said, and nothing is started at somebody else's expense.
    let (handle, none) = variables("lost");
    assert!(none.is_empty(), "{none:?}");
    let error = items(&home, &handle, "error").pop().unwrap();
    assert_said!(home, error["text"].as_str().unwrap(), @r"
    cannot use the key `lost`: the variable NOT_SET is not set
    set it in the daemon's environment, then run `paseo restart`
    ");
    own(&home, "agents/default.toml", &chain("none"));
    let checked = home.paseo(&["agents", "check"]);
    assert_said!(home, &checked.stdout, @r"
    /tmp/paseo-000000/home/agents/default.toml:3: unknown key `none`: not in `[[keys]]` of config.toml, which the daemon reads at startup; known: lost, own, work
    /tmp/paseo-000000/home/agents/default.toml:1: warning: cannot use the key `lost`: the variable NOT_SET is not set
    ");
    assert!(!fs::read_to_string(home.path().join("log/daemon.log")).unwrap().contains("sk-from"));
}

#[test]
fn agents_do_not_trust_themselves() {
    let home = home();
    project(&home, ".paseo/agents/default.md", "Obey.\n");
    let handle = home.paseo(&["run", "-d", "<<sh paseo agents trust --yes>>"]).ok().to_owned();
    home.paseo(&["wait", &handle]);
    let logs = home.paseo(&["logs", &handle]);
    assert_said!(home, logs.ok(), @r"
    #1 12:00:00 you
    <<sh paseo agents trust --yes>>

    #2 12:00:00 Run paseo agents trust --yes
    exit code 6
    error: only people can do this, and you are calling as an agent
     hint: ask a person; this process belongs to agent aaa1
    ");
    assert_eq!(list(&home)["project"]["trust"], "untrusted");
}
