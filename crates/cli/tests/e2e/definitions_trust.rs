//! Changes of the user's own definitions: which count at once, which wait for a person, and what counts meanwhile.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use paseo_testkit::home::{Output, TestHome};
use serde_json::Value;

use crate::pty::{Terminal, after_the_question};
use crate::screens::{assert_said, assert_told};
use crate::{home, json};

const READS: &str = "provider = 'scripted'\ntools = ['read', 'bash']\n";
const WRITES: &str = "provider = 'scripted'\ntools = ['read', 'bash', 'edit']\n";

/// Writes a file of the user's own, and trusts nothing.
pub(crate) fn write(home: &TestHome, name: &str, text: &str) {
    fs::create_dir_all(home.path().join("agents")).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.path().join(name), text).unwrap();
}

/// Returns the tools that the definition allows which counts.
pub(crate) fn tools(home: &TestHome, slug: &str) -> Option<String> {
    let list = json(&home.paseo(&["agents", "ls", "--json"]));
    let agents = list["agents"].as_array().unwrap();
    let found = agents.iter().find(|agent| agent["slug"] == slug && agent["counts"] == true)?;
    Some(match found["tools"]["allow"].as_array() {
        Some(allow) => allow.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>().join(" "),
        None => "all".to_owned(),
    })
}

pub(crate) fn pending(home: &TestHome) -> Vec<Value> {
    json(&home.paseo(&["agents", "ls", "--json"]))["pending"].as_array().unwrap().clone()
}

fn run(home: &TestHome, slug: &str, prompt: &str) -> Output {
    home.paseo(&["run", "--agent", slug, "--timeout", "60s", prompt])
}

#[test]
fn an_agent_that_edits_its_own_definition_gets_nothing_of_it() {
    let home = home();
    write(&home, "agents/reader.toml", READS);
    let before = tools(&home, "reader").unwrap();
    let file = home.path().join("agents/reader.toml");
    let edit = format!(
        "<<sh printf \"provider = 'scripted'\\ntools = ['read', 'bash', 'edit', 'summon']\\n\" \\> {0}>>\
         <<sh paseo agents trust --yes>><<sh EDITOR=true paseo agents edit reader>><<say done>>",
        file.display()
    );
    let ran = run(&home, "reader", &edit);
    assert_eq!(ran.ok(), "done");
    assert!(fs::read_to_string(&file).unwrap().contains("summon"), "it wrote the file");
    let logs = home.paseo(&["ls", "-q"]);
    let logs = home.paseo(&["logs", logs.ok().lines().next().unwrap()]);
    assert_eq!(logs.ok().matches("exit code 6").count(), 2, "{logs:?}");

    // Until a person decides, every command that uses it says so, also after a crash.
    home.paseo(&["team", "create", "red"]).ok();
    for round in 0..2 {
        assert_eq!(tools(&home, "reader").as_ref(), Some(&before), "round {round}");
        let ran = run(&home, "reader", "<<say hi>>");
        assert_eq!(ran.ok(), "hi");
        let warning = ran.stderr.lines().next().unwrap();
        assert_said!(home, warning, @"warning: agent definition `reader` has changed and would grant more (tool native_write, tool summon); the previous version is used until you approve the change");
        let handle = home.paseo(&["ls", "-q"]).ok().lines().next().unwrap().to_owned();
        let thread = format!("t{round}");
        home.paseo(&["thread", "new", &thread]).ok();
        for command in [
            &["ask", "reader", "<<say hi>>"][..],
            &["tell", "reader", "<<say hi>>"],
            &["switch", "reader"],
            &["inspect", &handle],
            &["thread", "invite", &thread, "reader", "--id", "ruth"],
            &["thread", "post", &thread, "@ruth <<say hi>>"],
            &["send", &handle, "<<say hi>>"],
            &["agents", "show", "reader"],
            &["worker", "start", "--team", "red", "--agent", "reader", "<<say hi>>"],
            &["agents", "ls"],
        ] {
            let told = home.paseo(command);
            assert!(told.stderr.lines().any(|line| line == warning), "{command:?}: {told:?}");
        }
        let doctor = home.paseo(&["doctor"]);
        let problem = warning.strip_prefix("warning: ").unwrap();
        assert!(doctor.stdout.contains(problem), "{doctor:?}");
        assert!(home.kill_daemon());
    }
    let shown = home.paseo(&["agents", "show", "reader", "--untrusted", "--json"]);
    assert!(json(&shown)["agent"]["tools"]["allow"].to_string().contains("summon"), "{shown:?}");
    home.paseo(&["agents", "trust", "reader", "--yes"]).ok();
    assert_eq!(
        tools(&home, "reader").unwrap(),
        "native_read native_shell native_net native_write summon todo"
    );
    let ran = run(&home, "reader", "<<say hi>>");
    assert_told!(home, ran, @r"
    exit 0
    Started aaa1 (scripted)
    ");
}

/// A definition that grants no more than `default` counts at once, and an agent can write one.
#[test]
fn an_agent_gains_nothing_from_a_peer_that_it_wrote_itself() {
    let home = home();
    let asks = "provider = 'scripted'\ntools = ['bash', 'agents_message']\nagentAllowlist = ['helper']\n";
    write(&home, "agents/asker.toml", asks);
    home.paseo(&["up"]).ok();
    let file = home.path().join("agents/helper.toml");
    let message = r#"<<tool agents_message {"agentId":"helper","content":"hello"}>>"#;
    let script = format!("<<sh printf \"tools = ['read', 'edit']\\n\" \\> {}>>{message}", file.display());
    let of_helper = || {
        let listed = json(&home.paseo(&["ls", "--all-statuses", "--json"]));
        let helper = listed["sessions"].as_array().unwrap().iter().find(|one| one["agent"] == "helper");
        let helper = helper.unwrap_or_else(|| panic!("{listed}"))["id"].as_str().unwrap().to_owned();
        let inspected = home.paseo(&["inspect", &helper]).ok().to_owned();
        (helper, inspected)
    };
    run(&home, "asker", &script).ok();
    assert_eq!(tools(&home, "helper").as_deref(), Some("native_read native_write todo"), "it counts");
    let (helper, shown) = of_helper();
    assert!(!shown.contains("native_write"), "{shown}");

    let waiting = pending(&home);
    assert_eq!((waiting.len(), &waiting[0]["change"]), (1, &"named".into()), "{waiting:?}");
    assert_eq!(waiting[0]["widens"][0], "all its tools when `asker` calls it");
    home.paseo(&["agents", "trust", "helper", "--yes"]).ok();
    assert!(pending(&home).is_empty());
    home.paseo(&["restart"]).ok();
    assert!(pending(&home).is_empty(), "after a restart");
    home.paseo(&["rm", &helper]).ok();
    run(&home, "asker", message).ok();
    let (_, shown) = of_helper();
    assert!(shown.contains("native_write"), "{shown}");
}

#[test]
fn what_narrows_counts_at_once_and_what_widens_waits_over_restarts() {
    let home = home();
    write(&home, "agents/a.toml", WRITES);
    home.paseo(&["up"]).ok();
    write(&home, "agents/a.toml", READS);
    assert_eq!(tools(&home, "a").unwrap(), "native_read native_shell native_net todo");
    home.paseo(&["restart"]).ok();
    // It counted before the change, and does not any more.
    write(&home, "agents/a.toml", WRITES);
    assert_eq!(tools(&home, "a").unwrap(), "native_read native_shell native_net todo");
    let waiting = pending(&home);
    assert_eq!((waiting.len(), &waiting[0]["change"]), (1, &"changed".into()), "{waiting:?}");
    assert_eq!(waiting[0]["before"], READS);
    assert_eq!(waiting[0]["after"], WRITES);
}

#[test]
fn only_the_first_start_trusts_what_is_there() {
    let home = home();
    write(&home, "agents/old.toml", "name = 'Old'\n");
    assert_eq!(tools(&home, "old").as_deref(), Some("all"));
    assert!(home.kill_daemon());
    write(&home, "agents/new.toml", "name = 'New'\n");
    write(&home, "agents/modest.toml", "tools = ['read']\n");
    write(&home, "agents/default.toml", "name = 'Mine'\ntools = []\n");
    assert_eq!(tools(&home, "old").as_deref(), Some("all"));
    assert_eq!(tools(&home, "new"), None);
    assert_eq!(tools(&home, "modest").as_deref(), Some("native_read todo"));
    let refused = run(&home, "new", "<<say hi>>");
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused);
    // One that shadows another waits although it grants less.
    let ran = home.paseo(&["run", "<<say hi>>"]);
    assert_eq!(ran.ok(), "hi");
    assert_told!(home, ran, @r"
    exit 0
    warning: new agent definition `default` would replace another; the built-in definition is used until you approve the change
       hint: run `paseo agents trust` to review and approve changes, `paseo agents check` to list mistakes
    Started aaa1 (scripted)
    ");
    let refused = home.paseo(&["agents", "trust"]);
    assert!(refused.code == 2 && refused.stderr.contains("--yes"), "{refused:?}");
    assert_told!(home, refused);
    home.paseo(&["agents", "trust", "--yes"]).ok();
    assert_eq!(
        (tools(&home, "new").as_deref(), tools(&home, "default").as_deref()),
        (Some("all"), Some("todo"))
    );
}

#[test]
fn a_person_decides_about_the_diff_on_the_next_run() {
    let home = home();
    write(&home, "agents/a.toml", READS);
    home.paseo(&["up"]).ok();
    write(&home, "agents/a.toml", WRITES);
    let arguments = ["run", "--agent", "a", "--timeout", "60s", "<<say hello>>"];
    let mut terminal = Terminal::start(&home, 120, &arguments);
    terminal.until("trust this change? [y/N]");
    terminal.type_in("n\r");
    let (code, seen, _) = terminal.finish();
    assert_eq!(code, Some(0), "{seen}");
    assert_said!(home, seen.split("[y/N]").next().unwrap());
    assert_eq!(pending(&home).len(), 1);

    let mut terminal = Terminal::start(&home, 120, &["ask", "a", "<<say hello>>"]);
    terminal.until("trust this change? [y/N]");
    // Between the question and the answer.
    write(&home, "agents/a.toml", &format!("{WRITES}permissions = 'full'\n"));
    terminal.type_in("y\r");
    let (code, seen, _) = terminal.finish();
    assert_eq!(code, Some(6), "{seen}");
    assert_said!(home, &after_the_question(&seen), @"y error: agent definition `a` has changed since you reviewed it hint: review it again: `paseo agents trust`");
    assert_eq!(tools(&home, "a").unwrap(), "native_read native_shell native_net todo");

    let mut terminal = Terminal::start(&home, 120, &["ask", "a", "<<say hello>>"]);
    terminal.until("trust this change? [y/N]");
    terminal.type_in("y\r");
    let (code, seen, _) = terminal.finish();
    assert_eq!(code, Some(0), "{seen}");
    assert!(tools(&home, "a").unwrap().contains("native_write") && pending(&home).is_empty());
}

#[test]
fn what_is_saved_in_the_editor_is_trusted() {
    let mut home = home();
    write(&home, "agents/other.toml", READS);
    home.paseo(&["up"]).ok();
    write(&home, "agents/other.toml", WRITES);
    let editor = home.path().with_file_name("editor");
    let script = "#!/bin/sh\nprintf \"name = 'Edited'\\nprovider = 'scripted'\\n\" > \"$2\"\n";
    fs::write(&editor, script).unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    home.set("EDITOR", format!("{} --wait", editor.display()));
    let edited = home.paseo(&["agents", "edit", "mine"]);
    assert_told!(home, edited);
    assert_eq!(tools(&home, "mine").as_deref(), Some("all"));
    assert_eq!(pending(&home).len(), 1, "nothing else was trusted");
    // Who changes nothing trusts nothing.
    home.set("EDITOR", "true");
    let looked = home.paseo(&["agents", "edit", "other"]);
    // What waits in the file is shown first: it would be saved along.
    assert_told!(home, looked);
    home.set("EDITOR", "false");
    assert_ne!(home.paseo(&["agents", "edit", "other"]).code, 0);
    assert_eq!(pending(&home).len(), 1);
    assert_ne!(home.paseo(&["agents", "edit", "../x"]).code, 0);
}

/// Agents can write while the editor is open.
#[test]
fn what_others_write_meanwhile_is_not_trusted_by_the_editor() {
    let mut home = home();
    write(&home, "agents/mine.toml", READS);
    write(
        &home,
        "config.json",
        r#"{"agents": [{"agentId": "a", "tools": ["read"]}, {"agentId": "b", "tools": ["read"]}]}"#,
    );
    home.paseo(&["up"]).ok();
    let file = home.path().join("agents/mine.toml");
    // The person looks, or saves; somebody else writes.
    for saves in ["true", "printf \"name = 'M'\\n\" >> \"$1\""] {
        let script = format!("printf \"provider = 'scripted'\\n\" > {}; {saves}; :", file.display());
        home.set("EDITOR", format!("sh -c '{}' sh", script.replace('\'', "'\\''")));
        let edited = home.paseo(&["agents", "edit", "mine"]);
        assert_ne!(tools(&home, "mine").as_deref(), Some("all"), "{edited:?}");
        assert!(edited.stderr.contains("changed"), "{edited:?}");
        write(&home, "agents/mine.toml", READS);
    }
    // What waits in the same file goes on waiting.
    let both =
        r#"{"agents": [{"agentId": "a", "tools": ["read"]}, {"agentId": "b", "tools": ["read", "edit"]}]}"#;
    write(&home, "config.json", both);
    assert_eq!(pending(&home).len(), 1);
    home.set("EDITOR", r#"sed -i 's/"a", "tools": \["read"\]/"a", "tools": ["read", "bash"]/'"#);
    home.paseo(&["agents", "edit", "a"]).ok();
    assert_eq!(tools(&home, "b").as_deref(), Some("native_read todo"));
    assert_eq!(tools(&home, "a").as_deref(), Some("native_read native_shell native_net todo"));
}

#[test]
fn a_config_that_does_not_parse_opens_no_gate() {
    let good = |file: &str| match file {
        "config.json" => {
            r#"{"agents": [{"agentId": "default", "tools": ["read"]}, {"agentId": "a", "tools": ["read"]}]}"#
        }
        _ => {
            "[[agents]]\nagentId = 'default'\ntools = ['read']\n[[agents]]\nagentId = 'a'\ntools = ['read']\n"
        }
    };
    for (file, bad) in [("config.json", "{\n \"agents\": [}\n"), ("config.toml", "\n[[agents]\n")] {
        let home = home();
        // Behind it is one that allows everything.
        write(&home, "agents/a.md", "---\nname: Lax\n---\n");
        write(&home, file, good(file));
        home.paseo(&["up"]).ok();
        write(&home, file, bad);
        let mut warning = String::new();
        for slug in ["default", "a"] {
            assert_eq!(tools(&home, slug).as_deref(), Some("native_read todo"), "{file}: {slug}");
            let ran = run(&home, slug, "<<say hi>>");
            assert_eq!(ran.ok(), "hi");
            warning = ran.stderr.lines().rfind(|line| line.starts_with("warning: ")).unwrap().to_owned();
            assert_said!(home, &warning);
        }
        // It may define more than what was read of it.
        let ran = run(&home, "unheard-of", "<<say hi>>");
        assert!(ran.code == 6 && ran.stderr.contains(&format!("{file}:2: ")), "{ran:?}");
        let problem = warning.strip_prefix("warning: ").unwrap();
        for command in [&["agents", "ls"][..], &["doctor"]] {
            let told = home.paseo(command);
            assert!(format!("{}{}", told.stdout, told.stderr).contains(problem), "{command:?}: {told:?}");
        }
        if file == "config.json" {
            assert!(home.kill_daemon());
            assert_eq!(tools(&home, "default").as_deref(), Some("native_read todo"), "after a restart");
        }
    }
}

/// Also those who follow a definition of another file hear of it.
#[test]
fn a_config_that_does_not_parse_is_told_to_whoever_starts_an_agent() {
    let home = home();
    write(&home, "config.json", "{}\n");
    home.paseo(&["up"]).ok();
    write(&home, "config.json", "{\n \"agents\": [}\n");
    let ran = home.paseo(&["run", "<<say hi>>"]);
    assert_eq!(ran.ok(), "hi");
    assert_told!(home, ran);
}

#[test]
fn a_config_that_never_parsed_refuses_everybody() {
    for (file, bad, good, why) in [
        ("config.json", "{\n \"agents\": [}\n", "{}\n", "invalid JSON"),
        ("config.toml", "\n[[agents]\n", "\n", "invalid TOML"),
    ] {
        let home = home();
        write(&home, "agents/a.md", "---\ntools: Read\n---\n");
        if file == "config.toml" {
            // No daemon starts with one that is broken. It appears while one runs.
            home.paseo(&["up"]).ok();
        }
        write(&home, file, bad);
        let checked = home.paseo(&["agents", "check"]);
        assert!(checked.code == 1 && checked.stdout.contains(&format!("{file}:2: ")), "{checked:?}");
        for slug in ["default", "a", "unknown"] {
            let refused = run(&home, slug, "<<say hi>>");
            assert_eq!(refused.code, 6, "{slug}: {refused:?}");
            let told = format!("cannot use agent definition `{slug}`: {}", home.path().join(file).display());
            assert!(refused.stderr.contains(&format!("{told}:2: {why}")), "{refused:?}");
        }
        let refused = home.paseo(&["run", "<<say hi>>"]);
        assert!(refused.code == 6 && refused.stderr.contains(&format!("{file}:2")), "{refused:?}");
        write(&home, file, good);
        assert_eq!(home.paseo(&["run", "<<say hi>>"]).ok(), "hi");
    }
}

/// What is refused because of one mistake stays refused after the next.
#[test]
fn a_second_mistake_lets_nothing_through() {
    let entry = r#"{"agents": [{"agentId": "default", "tools": ["read"], "bogus": 1}]}"#;
    let cut = &entry[..entry.len() - 3];
    for was_sound in [false, true] {
        let home = home();
        if was_sound {
            write(&home, "config.json", "{}\n");
            home.paseo(&["up"]).ok();
        }
        for text in [entry, cut] {
            write(&home, "config.json", text);
            for again in [false, true] {
                let refused = home.paseo(&["run", "<<say hi>>"]);
                assert!(refused.code == 6 && refused.stderr.contains("config.json:1"), "{text}: {refused:?}");
                if !again {
                    home.paseo(&["restart"]).ok();
                }
            }
        }
        write(&home, "config.json", r#"{"agents": [{"agentId": "default", "tools": ["read"]}]}"#);
        home.trust();
        assert_eq!(tools(&home, "default").as_deref(), Some("native_read todo"));
    }
}

/// Each way to put a file that cannot be read in front of a trusted one.
#[test]
fn an_unreadable_twin_of_a_trusted_project_definition_takes_nothing_from_it() {
    type Twin = fn(&Path);
    let twins: [(&str, Twin); 4] = [
        ("too large", |path| fs::write(path, "#".repeat(300_000)).unwrap()),
        ("a link", |path| symlink("/etc/passwd", path).unwrap()),
        ("a directory", |path| fs::create_dir(path).unwrap()),
        ("not UTF-8", |path| fs::write(path, b"name = '\xff'").unwrap()),
    ];
    for (what, twin) in twins {
        let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
        let folder = home.work().join(".paseo/agents");
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(home.work().join(".git")).unwrap();
        fs::write(folder.join("default.md"), "---\ntools: Read\n---\n").unwrap();
        home.paseo(&["agents", "trust", "--yes"]).ok();
        assert_eq!(tools(&home, "default").as_deref(), Some("native_read todo"), "{what}");
        let path = folder.join("default.toml");
        twin(&path);
        home.paseo(&["agents", "ls"]).ok();
        if fs::symlink_metadata(&path).unwrap().is_dir() {
            fs::remove_dir(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        fs::remove_file(folder.join("default.md")).unwrap();
        assert_eq!(tools(&home, "default").as_deref(), Some("native_read todo"), "{what}: it fell through");
        home.paseo(&["restart"]).ok();
        assert_eq!(tools(&home, "default").as_deref(), Some("native_read todo"), "{what}: after a restart");
    }
}
