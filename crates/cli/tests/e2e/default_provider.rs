//! The default provider of the caller, which a daemon that is already running was not told about.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use paseo_testkit::home::TestHome;

use crate::json;
use crate::screens::assert_told;

/// A home whose daemon was started without a default provider, and with no harness to fall back on.
fn undecided() -> TestHome {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    home.unset("PASEO_PROVIDER");
    // tmux for workers, and none of the harnesses.
    home.set("PATH", "/usr/bin:/bin");
    home.paseo(&["up"]).ok();
    fs::create_dir_all(home.path().join("agents")).unwrap();
    fs::write(home.path().join("agents/notes.toml"), "name = \"Notes\"\n").unwrap();
    home.trust();
    let refused = home.paseo(&["ask", "notes", "hello"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    home
}

/// Starts an agent with every command that can, and checks what runs it.
fn start_with_every_command(home: &TestHome) {
    home.paseo(&["team", "create", "red"]).ok();
    home.paseo(&["thread", "new", "planning"]).ok();
    assert_eq!(home.paseo(&["run", "<<say run>>"]).ok(), "run");
    assert_eq!(home.paseo(&["run", "--agent", "notes", "<<say defined>>"]).ok(), "defined");
    assert_eq!(home.paseo(&["ask", "notes", "--session", "create", "<<say asked>>"]).ok(), "asked");
    home.paseo(&["tell", "notes", "--session", "create", "<<say told>>"]).ok();
    home.paseo(&["worker", "start", "--team", "red", "<<say ready>>"]).ok();
    assert_eq!(home.paseo(&["team", "leader", "red", "<<say leading>>"]).ok(), "leading");
    // By its definition, and without saying by what at all.
    home.paseo(&["thread", "invite", "planning", "notes", "--id", "ada"]).ok();
    home.paseo(&["thread", "invite", "planning", "--id", "bob"]).ok();
    let invited = json(&home.paseo(&["thread", "state", "planning"]));
    assert_eq!(invited["participants"]["invited"][0]["profile"]["provider"], "scripted");
    assert_eq!(invited["participants"]["invited"][1]["profile"]["client"], "scripted");
    home.paseo(&["thread", "post", "planning", "--to", "ada", "<<say here>>"]).ok();
    home.paseo(&["switch", "notes", "<<say switched>>", "-q"]).ok();
    let all = json(&home.paseo(&["ls", "--json", "-g"]));
    let all = all["sessions"].as_array().unwrap();
    assert!(all.len() >= 6, "{all:?}");
    assert!(all.iter().all(|session| session["provider"] == "scripted"), "{all:?}");
    let list = json(&home.paseo(&["providers", "--json"]));
    let default: Vec<_> =
        list["providers"].as_array().unwrap().iter().filter(|one| one["default"] == true).collect();
    assert_eq!(default.len(), 1, "{default:?}");
    assert_eq!(
        (&default[0]["name"], &default[0]["default_reason"]),
        (&"scripted".into(), &"configured".into())
    );
}

#[test]
fn the_variable_counts_for_every_command_that_starts_an_agent() {
    let mut home = undecided();
    home.set("PASEO_PROVIDER", "scripted");
    start_with_every_command(&home);
}

#[test]
fn the_config_file_counts_for_every_command_that_starts_an_agent() {
    let home = undecided();
    fs::write(home.path().join("config.toml"), "provider = \"scripted\"\n").unwrap();
    start_with_every_command(&home);
}

/// A line that is wrong must not make another provider, with other powers, the default.
#[test]
fn a_config_file_that_breaks_changes_no_provider() {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    home.unset("PASEO_PROVIDER");
    home.set("PATH", "/usr/bin:/bin");
    home.set("ANTHROPIC_API_KEY", "none");
    let programs = home.work().with_file_name("programs");
    fs::create_dir(&programs).unwrap();
    let claude = programs.join("claude");
    fs::write(&claude, "#!/bin/sh\n[ \"$1\" = --version ] && echo '9.8.7 (Claude Code)'\nexit 0\n").unwrap();
    fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
    home.prepend_path(&programs);
    home.paseo(&["up"]).ok();
    let started = || {
        let created = home.paseo(&["run", "-d", "--json", "<<say hi>>"]);
        let provider = json(&created)["session"]["provider"].as_str().unwrap().to_owned();
        (provider, created.stderr)
    };
    assert_eq!(started().0, "claude", "the first that is ready");
    let config = home.path().join("config.toml");
    fs::write(&config, "provider = \"scripted\"\n").unwrap();
    assert_eq!(started(), ("scripted".to_owned(), String::new()));
    fs::write(&config, "provider = \"scripted\"\nx=\n").unwrap();
    let (provider, told) = started();
    assert_eq!(provider, "scripted");
    assert!(told.contains("config.toml:2"), "{told}");
}

#[test]
fn a_definitions_own_provider_beats_the_default_of_the_caller() {
    let mut home = undecided();
    fs::write(home.path().join("agents/own.toml"), "name = \"Own\"\nprovider = \"scripted\"\n").unwrap();
    home.trust();
    home.set("PASEO_PROVIDER", "codex");
    assert_eq!(home.paseo(&["ask", "own", "<<say mine>>"]).ok(), "mine");
    let refused = home.paseo(&["ask", "notes", "hello"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(home, refused);
    home.set("PASEO_PROVIDER", "clod");
    home.paseo(&["thread", "new", "planning"]).ok();
    for command in
        [&["ask", "notes", "hello"][..], &["run", "hello"], &["thread", "invite", "planning", "notes"]]
    {
        let refused = home.paseo(command);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert_told!(home, refused, @r"
        exit 2
        error: unknown provider `clod`
         hint: choose one of: claude, codex, pi, openai, openai-compatible, external, scripted, opencode, gemini, claude-agent-acp, codex-acp, qwen, copilot, pi-acp
        ");
    }
}
