//! FIFOs in place of files that the daemon reads: opening one like a regular file would block the daemon for ever.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use paseo_testkit::home::{Output, TestHome, finish};
use rustix::fs::{CWD, Mode, mkfifoat};

use crate::screens::{assert_said, assert_told, squeezed};
use crate::{home, start};

/// How many seconds a command may take before it counts as one that waits for ever.
const PATIENCE: &str = "30";

/// Puts a pipe into the place of a file.
fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if path.symlink_metadata().is_ok() {
        fs::remove_file(path).unwrap();
    }
    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
}

/// Runs a command that must not wait for what never comes.
fn within(home: &TestHome, words: &[&str]) -> Output {
    let mut command = home.program("timeout", &["-k", "1", PATIENCE, env!("CARGO_BIN_EXE_paseo")]);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = finish(command.spawn().unwrap());
    assert_ne!(output.code, 124, "{words:?} waits for ever: {output:?}");
    output
}

fn private(home: &TestHome) {
    fs::create_dir_all(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
}

/// The daemon is there and answers.
fn answers(home: &TestHome, place: &str, agents: usize) {
    let listed = within(home, &["ls", "-q"]);
    assert_eq!(listed.ok().lines().count(), agents, "{place}: {listed:?}");
}

/// Says whether a refusal names the file and what is wrong with it.
fn names(output: &Output, file: &str) -> bool {
    let told = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    told.contains(file)
}

#[test]
fn a_config_that_is_a_pipe_refuses_everybody() {
    for (file, is_read_at_start) in [("config.toml", true), ("config.json", false)] {
        let home = home();
        // Behind it is one that allows everything.
        private(&home);
        fs::create_dir(home.path().join("agents")).unwrap();
        fs::write(home.path().join("agents/a.md"), "---\nname: Lax\n---\n").unwrap();
        start(&home, "<<say hi>>");
        pipe(&home.path().join(file));
        answers(&home, file, 1);
        for words in [&["run", "<<say hi>>"][..], &["run", "--agent", "a", "<<say hi>>"], &["ask", "a", "hi"]]
        {
            let refused = within(&home, words);
            assert!(refused.code == 6 && names(&refused, file), "{file}, {words:?}: {refused:?}");
            assert_told!(home, refused);
        }
        let checked = within(&home, &["agents", "check"]);
        assert!(checked.code != 0, "{file}: {checked:?}");
        within(&home, &["agents", "ls"]);
        let examined = within(&home, &["doctor"]);
        let path = home.path().join(file).display().to_string();
        let rows: Vec<&str> = examined.stdout.lines().filter(|line| line.contains(&path)).collect();
        assert_said!(home, &squeezed(&rows.join("\n")));
        answers(&home, file, 1);

        // The next daemon finds it there when it starts.
        assert!(home.kill_daemon());
        if is_read_at_start {
            let refused = within(&home, &["ls"]);
            assert!(refused.code == 2 && names(&refused, file), "{refused:?}");
            assert_told!(home, refused);
        } else {
            let refused = within(&home, &["run", "<<say hi>>"]);
            assert!(refused.code == 6 && names(&refused, file), "{refused:?}");
            assert_told!(home, refused);
            answers(&home, file, 1);
        }
        fs::remove_file(home.path().join(file)).unwrap();
        assert_eq!(within(&home, &["run", "<<say hi>>"]).ok(), "hi", "{file}");
    }
}

#[test]
fn a_config_that_becomes_a_pipe_leaves_what_was_read_of_it() {
    let home = home();
    private(&home);
    let good = r#"{"agents": [{"agentId": "a", "tools": ["read"]}]}"#;
    fs::write(home.path().join("config.json"), good).unwrap();
    within(&home, &["up"]).ok();
    pipe(&home.path().join("config.json"));
    let ran = within(&home, &["run", "--agent", "a", "<<say hi>>"]);
    assert_eq!(ran.ok(), "hi");
    assert_told!(home, ran, @r"
    exit 0
    warning: /tmp/paseo-000000/home/config.json:1: it is not a regular file; the last valid version of `a` stays in use
       hint: run `paseo agents trust` to review and approve changes, `paseo agents check` to list mistakes
    Started aaa1 (scripted)
    ");
}

#[test]
fn a_definition_that_is_a_pipe_refuses_its_agent_and_no_other() {
    for name in ["a.toml", "a.md"] {
        let home = home();
        private(&home);
        pipe(&home.path().join("agents").join(name));
        within(&home, &["up"]).ok();
        let refused = within(&home, &["run", "--agent", "a", "<<say hi>>"]);
        assert!(refused.code == 6 && names(&refused, name), "{name}: {refused:?}");
        assert_told!(home, refused);
        assert_eq!(within(&home, &["run", "<<say hi>>"]).ok(), "hi", "{name}");
        let checked = within(&home, &["agents", "check"]);
        assert!(checked.code == 1 && checked.stdout.contains(name), "{name}: {checked:?}");
        answers(&home, name, 1);
    }
}

#[test]
fn a_pipe_among_a_projects_definitions_stops_nothing_else() {
    for place in [".paseo/agents/a.toml", ".paseo/agents/a.md", ".claude/agents/a.md", ".paseo/config.json"] {
        let home = home();
        private(&home);
        within(&home, &["up"]).ok();
        pipe(&home.work().join(place));
        let refused = within(&home, &["run", "--agent", "a", "<<say hi>>"]);
        assert_ne!(refused.code, 0, "{place}: {refused:?}");
        // Nothing can be trusted that cannot be read.
        within(&home, &["agents", "trust", "--yes"]);
        let refused = within(&home, &["run", "--agent", "a", "<<say hi>>"]);
        assert_ne!(refused.code, 0, "{place}: {refused:?}");
        let name = Path::new(place).file_name().unwrap().to_str().unwrap();
        let checked = within(&home, &["agents", "check"]);
        assert!(checked.code == 1 && checked.stdout.contains(name), "{place}: {checked:?}");
        answers(&home, place, 0);
    }
}

/// Whether somebody is logged in is read from files of the harnesses.
#[test]
fn a_pipe_among_the_files_of_a_harness_stops_nobody() {
    let mut home = home();
    let programs = home.work().join("programs");
    fs::create_dir(&programs).unwrap();
    for name in ["claude", "codex", "pi"] {
        fs::write(programs.join(name), "#!/bin/sh\necho 1.0.0\n").unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    home.prepend_path(&programs);
    for (variable, folder, files) in [
        ("CLAUDE_CONFIG_DIR", "claude", &["settings.json", ".claude.json", ".credentials.json"][..]),
        ("CODEX_HOME", "codex", &["config.toml", "auth.json", "hooks.json"]),
        ("PI_CODING_AGENT_DIR", "pi", &["auth.json", "models.json", "settings.json"]),
    ] {
        let folder = home.work().join(folder);
        files.iter().for_each(|name| pipe(&folder.join(name)));
        home.set(variable, folder);
    }
    within(&home, &["up"]).ok();
    let providers = within(&home, &["providers"]);
    assert!(providers.ok().contains("codex"), "{providers:?}");
    within(&home, &["doctor"]);
    assert_eq!(within(&home, &["run", "<<say hi>>"]).ok(), "hi");
    answers(&home, "harnesses", 1);
}

#[test]
fn a_key_in_a_pipe_is_no_key() {
    let home = home();
    private(&home);
    let secret = home.work().join("secret");
    pipe(&secret);
    let key = format!("[[keys]]\nid = 'work'\nprovider = 'openai'\nfile = '{}'\n", secret.display());
    fs::write(home.path().join("config.toml"), key).unwrap();
    let asked = "provider = 'openai'\n[[models]]\nmodel_id = 'm'\nkey_id = 'work'\n";
    fs::create_dir(home.path().join("agents")).unwrap();
    fs::write(home.path().join("agents/paid.toml"), asked).unwrap();
    let failed = within(&home, &["run", "--agent", "paid", "--timeout", "20s", "hi"]);
    assert!(failed.code != 0 && names(&failed, "secret"), "{failed:?}");
    assert_told!(home, failed);
    answers(&home, "the key", 0);
}

/// The daemon's own files: it says which one it cannot use instead of hanging at its start.
#[test]
fn a_pipe_in_the_place_of_a_file_of_the_daemons_own_is_named() {
    for file in ["home.id", "log/daemon.log", "log/daemon.stderr", "daemon.lock", "start.lock"] {
        let home = home();
        within(&home, &["up"]).ok();
        assert!(home.path().join(file).is_file(), "there is such a file: {file}");
        within(&home, &["down"]).ok();
        pipe(&home.path().join(file));
        let refused = within(&home, &["up"]);
        assert!(refused.code != 0, "{file}: {refused:?}");
        assert_told!(home, refused);
        assert_eq!(home.daemon_pid(), None, "{file}");
        within(&home, &["doctor"]);
        within(&home, &["daemon", "logs"]);
        fs::remove_file(home.path().join(file)).unwrap();
        within(&home, &["up"]).ok();
    }
    let home = home();
    private(&home);
    pipe(&home.path().join("external.key"));
    within(&home, &["up"]).ok();
    let far = "provider = 'external'\nurl = 'http://127.0.0.1:9/'\n";
    fs::create_dir_all(home.path().join("agents")).unwrap();
    fs::write(home.path().join("agents/far.toml"), far).unwrap();
    home.trust();
    let refused = within(&home, &["run", "--agent", "far", "--timeout", "20s", "hi"]);
    assert!(refused.code != 0, "{refused:?}");
    within(&home, &["doctor"]);
    assert_eq!(within(&home, &["run", "<<say hi>>"]).ok(), "hi");
}
