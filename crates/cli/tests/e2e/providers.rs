//! Which agent is started, and what it cannot do.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::screens::{assert_said, assert_told, squeezed};
use crate::{home, json};

#[test]
fn the_list_says_what_each_can_do() {
    let home = home();
    let list = json(&home.paseo(&["providers", "--json"]));
    let all = list["providers"].as_array().unwrap();
    let scripted = all.iter().find(|provider| provider["name"] == "scripted").unwrap();
    assert_eq!(
        (&scripted["readiness"], &scripted["default"], &scripted["default_reason"]),
        (&"ready".into(), &true.into(), &"configured".into())
    );
    let able = scripted["capabilities"].as_object().unwrap();
    for field in ["steer", "resume", "models", "efforts", "permissions", "mcp", "thinking", "cost"] {
        assert!(able.contains_key(field), "{field}");
    }
    assert_eq!(able["lifetime"], "pipe");
    let table = home.paseo(&["providers"]);
    let row = table.ok().lines().find(|line| line.starts_with("scripted")).unwrap();
    assert_said!(home, &squeezed(row), @"scripted yes, default (configured) efforts, MCP tools");
    assert!(home.paseo(&["providers", "-q"]).ok().lines().any(|name| name == "scripted"));
}

#[test]
fn the_list_says_what_is_missing() {
    let mut home = home();
    for name in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_COMPATIBLE_BASE_URL"] {
        home.unset(name);
    }
    home.set("OPENAI_COMPATIBLE_MODEL", "m");
    let list = home.paseo(&["providers"]);
    let row = list.ok().lines().find(|line| line.starts_with("openai ")).unwrap();
    assert_said!(home, &squeezed(row), @"openai not set up MCP tools, costs, terminals, PDF documents");
    let needs: Vec<&str> = list.stderr.lines().filter(|line| line.starts_with("openai")).collect();
    assert_said!(home, &needs.join("\n"), @r#"
    openai needs an API key and a model: set OPENAI_API_KEY and OPENAI_MODEL in the daemon's environment and run `paseo restart`; see "Any model" in the documentation for other ways
    openai-compatible needs a server URL: set OPENAI_COMPATIBLE_BASE_URL in the daemon's environment and run `paseo restart`; see "Any model" in the documentation for other ways
    "#);
}

#[test]
fn a_program_that_does_not_run_is_not_asked_to_log_in() {
    let home = home();
    fs::create_dir_all(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.path().join("config.toml"), "[providers.codex]\nprogram = \"/bin/false\"\n").unwrap();
    let examined = home.paseo(&["doctor"]);
    let row = examined.ok().lines().find(|line| line.starts_with("warn  codex ")).unwrap();
    assert_said!(home, &squeezed(row), @"warn codex does not run: `/bin/false --version` fails with exit status: 1");
    let list = home.paseo(&["providers"]);
    let row = list.ok().lines().find(|line| line.starts_with("codex ")).unwrap();
    assert_said!(home, &squeezed(row), @"codex not working costs, PDF documents");
    let row = list.stderr.lines().find(|line| line.starts_with("codex ")).unwrap();
    assert_said!(home, row, @"codex does not run: `/bin/false --version` fails with exit status: 1: try it in a shell, then reinstall it, or correct `program` in config.toml");
}

#[test]
fn without_an_agent_nothing_is_started_and_the_next_step_is_told() {
    let mut home = home();
    home.unset("PASEO_PROVIDER");
    home.set("PATH", "/nowhere");
    let refused = home.paseo(&["run", "hello"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(home, refused);
    let words =
        ["claude is not installed: ", "codex is not installed: ", "paseo demo", "--provider scripted"];
    for word in words {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    assert_eq!(home.paseo(&["run", "--provider", "scripted", "<<say hi>>"]).ok(), "hi");
    let created = json(&home.paseo(&["run", "-d", "--json", "--provider", "scripted", "<<say hi>>"]));
    assert_eq!(created["provider_reason"], "asked_for");
}

#[test]
fn the_first_that_is_ready_is_used_and_says_so() {
    let mut home = home();
    home.unset("PASEO_PROVIDER");
    home.set("PATH", "/usr/bin:/bin");
    home.set("ANTHROPIC_API_KEY", "none");
    // It says its version, and nothing else.
    let program = home.path().parent().unwrap().join("my-claude");
    fs::write(&program, "#!/bin/sh\n[ \"$1\" = --version ] && echo '9.8.7 (Claude Code)'\nexit 0\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let config = format!("[providers.claude]\nprogram = '{}'\n", program.display());
    fs::write(home.path().join("config.toml"), config).unwrap();

    let told = home.paseo(&["run", "-d", "hello"]);
    assert_told!(home, told);
    let created = json(&home.paseo(&["run", "-d", "--json", "hello"]));
    assert_eq!(
        (&created["session"]["provider"], &created["provider_reason"]),
        (&"claude".into(), &"first_ready".into())
    );
    let list = json(&home.paseo(&["providers", "--json"]));
    let claude = &list["providers"][0];
    assert_eq!((&claude["name"], &claude["default_reason"]), (&"claude".into(), &"first_ready".into()));
    assert_eq!(claude["program"], program.display().to_string());
    let effort = home.paseo(&["run", "--effort", "enormous", "hello"]);
    assert_eq!(effort.code, 2);
    assert!(effort.stderr.contains("high"), "{}", effort.stderr);
}

#[test]
fn what_a_provider_cannot_do_is_refused_before_anything_starts() {
    let home = home();
    let effort = home.paseo(&["run", "--effort", "high", "hello"]);
    assert_eq!(effort.code, 2);
    assert_told!(home, effort);
    let mode = home.paseo(&["run", "--permissions", "none", "hello"]);
    assert_eq!(mode.code, 2);
    assert_told!(home, mode);
    let model = home.paseo(&["run", "--model", "no-such.script", "hello"]);
    assert_eq!(model.code, 2);
    assert_told!(home, model);
    let unknown = home.paseo(&["run", "--provider", "clod", "hello"]);
    assert_told!(home, unknown);
    assert!(json(&home.paseo(&["ls", "--json"]))["sessions"].as_array().unwrap().is_empty());
}
