//! A mistake in `config.toml`, and who can live with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::screens::{assert_said, assert_told};
use crate::{home, json, start};

fn configure(home: &TestHome, text: &str) {
    fs::create_dir_all(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.path().join("config.toml"), text).unwrap();
}

fn failed(home: &TestHome) -> Vec<Value> {
    let examined = home.paseo(&["doctor", "--json"]);
    assert_eq!(examined.code, 1, "{examined:?}");
    let diagnosis: Value = serde_json::from_str(&examined.stdout).unwrap();
    let checks = diagnosis["checks"].as_array().unwrap();
    checks.iter().filter(|check| check["verdict"] == "fail").cloned().collect()
}

#[test]
fn a_typo_does_not_lock_anybody_out() {
    let home = home();
    let handle = start(&home, "<<say hi>>");
    configure(&home, "listn = '127.0.0.1:1'\n");
    for words in [&["status"][..], &["ls"], &["logs", &handle], &["daemon", "logs"]] {
        let looked = home.paseo(words);
        looked.ok();
        assert_eq!(looked.stderr.matches("`listn`").count(), 1, "{looked:?}");
    }
    json(&home.paseo(&["ls", "--json"]));
    // The daemon goes on with what it read. What would read it anew says so, and does nothing.
    let ran = home.paseo(&["run", "hello"]);
    assert_eq!(ran.ok(), "You said: hello");
    assert_told!(home, ran, @r"
    exit 0
    warning: /tmp/paseo-000000/home/config.toml:1: unknown key `listn`
       hint: did you mean `listen`?
    Started aaa1 (scripted)
    ");
    let refused = home.paseo(&["restart"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(refused.stderr.matches("unknown key `listn`").count(), 1, "{refused:?}");
    let failed = failed(&home);
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["name"], "config");
    home.paseo(&["down"]).ok();
    let refused = home.paseo(&["ls"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(refused.stderr.matches("unknown key `listn`").count(), 1, "{refused:?}");
    assert_eq!(home.daemon_pid(), None);
}

#[test]
fn a_provider_that_does_not_exist_is_found() {
    let mut home = home();
    home.unset("PASEO_PROVIDER");
    configure(&home, "provider = 'nope'\n");
    let failed = failed(&home);
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["found"], "unknown provider `nope`");
    assert_said!(home, failed[0]["fix"].as_str().unwrap(), @"set PASEO_PROVIDER, or `provider` in config.toml, to one of claude, codex, pi, opencode, gemini, claude-agent-acp, codex-acp, qwen, copilot, pi-acp, openai, openai-compatible, scripted");
    configure(&home, "[limits]\nlive_processes = 0\n");
    let refused = home.paseo(&["run", "--provider", "scripted", "hello"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(home, refused);
}

#[test]
fn the_doctor_looks_at_keys_and_at_agents_elsewhere() {
    let mut home = home();
    configure(
        &home,
        "[[keys]]\nid = 'work'\nprovider = 'openai'\nenv = 'WORK_KEY'\n\
         [[keys]]\nid = 'lost'\nprovider = 'openai'\nenv = 'LOST_KEY'\n",
    );
    home.set("WORK_KEY", "sk-nobody-sees-this");
    home.unset("OPENAI_API_KEY");
    home.set("OPENAI_MODEL", "m");
    let found = |home: &TestHome, name: &str| {
        let answer = home.paseo(&["doctor", "--json"]);
        assert!(!answer.stdout.contains("sk-nobody-sees-this"), "{answer:?}");
        let diagnosis: Value = serde_json::from_str(&answer.stdout).unwrap();
        let checks = diagnosis["checks"].as_array().unwrap();
        let check =
            checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{checks:#?}"));
        (check["verdict"].as_str().unwrap().to_owned(), check["found"].as_str().unwrap().to_owned())
    };
    let pair = |verdict: &str, found: &str| (verdict.to_owned(), found.to_owned());
    assert_eq!(found(&home, "key work"), pair("ok", "for openai, from the variable WORK_KEY"));
    let lost = "for openai, from the variable LOST_KEY: the variable LOST_KEY is not set";
    assert_eq!(found(&home, "key lost"), pair("warn", lost));
    assert_eq!(found(&home, "openai"), pair("warn", "needs an API key"));
    assert_eq!(found(&home, "external").0, "ok");
    // What counts is how the daemon finds it.
    home.paseo(&["up"]).ok();
    home.set("OPENAI_API_KEY", "sk");
    assert_eq!(found(&home, "openai"), pair("warn", "needs an API key"));
    home.paseo(&["restart"]).ok();
    assert_eq!(found(&home, "openai"), pair("ok", "set up"));
    fs::write(home.path().join("external.key"), "short").unwrap();
    let (verdict, words) = found(&home, "external");
    assert_eq!(verdict, "fail");
    assert_said!(home, &words, @"/tmp/paseo-000000/home/external.key has no valid key");
}

#[test]
fn whoever_is_not_logged_in_is_told() {
    let mut home = home();
    let program = home.path().parent().unwrap().join("my-codex");
    fs::write(&program, "#!/bin/sh\n[ \"$1\" = --version ] && echo '9.8.7'\nexit 0\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let login = home.path().parent().unwrap().join("nobody");
    let config = format!(
        "[providers.codex]\nprogram = '{}'\nisolated_home = '{}'\n",
        program.display(),
        login.display()
    );
    configure(&home, &config);
    for name in ["OPENAI_API_KEY", "CODEX_API_KEY"] {
        home.unset(name);
    }
    let diagnosis = json(&home.paseo(&["doctor", "--json"]));
    let checks = diagnosis["checks"].as_array().unwrap();
    let codex = checks.iter().find(|check| check["name"] == "codex").unwrap();
    assert_eq!(codex["verdict"], "warn", "{codex}");
    assert_said!(home, codex["fix"].as_str().unwrap(), @"run `CODEX_HOME=/tmp/paseo-000000/nobody codex login`");
    // Nobody needs all of these.
    for name in ["opencode", "gemini"] {
        assert!(!checks.iter().any(|check| check["name"] == name), "{name}");
    }
    let started = home.paseo(&["run", "-d", "--provider", "codex", "hello"]);
    started.ok();
    assert_told!(home, started);
    assert!(!home.paseo(&["run", "-d", "hello"]).stderr.contains("warning"));
    // However it is started.
    home.paseo(&["thread", "new", "plan"]).ok();
    home.paseo(&["team", "create", "red"]).ok();
    for command in [
        &["thread", "invite", "plan", "codex"][..],
        &["worker", "start", "--team", "red", "--provider", "codex", "hello"],
    ] {
        let started = home.paseo(command);
        let warning = started.stderr.lines().find(|line| line.starts_with("warning")).unwrap();
        assert_said!(home, warning, @"warning: codex seems to be logged out");
    }
    assert!(!home.paseo(&["thread", "invite", "plan", "scripted"]).stderr.contains("warning"));
}
