//! Guarded workers: in a terminal, too, the real harnesses change nothing but what a task that they own covers.

use serde_json::{Value, json};

use crate::bench::{Bench, CLAUDE, CODEX, PI};
use crate::guarded::{ADVICE, allow_everything, text, until_expired};
use crate::workers::{type_in, until};

fn it_changes_only_what_its_task_covers(bench: &Bench) {
    let home = &bench.home;
    allow_everything(bench);
    if bench.is_claude() {
        // With a mode of its own it would ask a person for another one.
        let path = bench.config().join("settings.json");
        let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        settings["permissions"].as_object_mut().unwrap().remove("defaultMode");
        std::fs::write(path, settings.to_string()).unwrap();
    }
    std::fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    home.paseo(&["task", "create", "A task", "--resource", "."]).ok();
    home.paseo(&["worker", "start", "--team", "red", "--guard", "lease", "-q", "Please <<say hello>>"]).ok();
    let listed: Value = serde_json::from_str(home.paseo(&["worker", "ls", "--json"]).ok()).unwrap();
    let listed = &listed["workers"][0];
    assert_eq!(listed["guarded"], true);
    let handle = listed["handle"].as_str().unwrap();
    let shown = || home.paseo(&["worker", "capture", "red-1"]).stdout;
    let waited = home.paseo(&["wait", handle, "--timeout", "60s"]);
    assert_eq!(waited.code, 0, "{waited:?}\n{}", shown());
    // Nobody sits there: whoever waited for a person would never end.
    let told = |prompt: &str| {
        let sent = bench.send(handle, prompt);
        assert_eq!(sent.code, 0, "{sent:?}\n{}", shown());
    };

    let mark = bench.mark();
    let makes = |name: &str| makes(bench, name);
    told(&format!("Please <<write poem.txt violets>> <<bash touch made>> {} <<say done>>", makes("folder")));
    assert_eq!(text(bench, "poem.txt"), "roses", "{}", shown());
    assert!(!bench.file("made").exists() && !bench.file("folder").exists(), "{}", shown());
    assert!(bench.told_since(&mark).contains(ADVICE), "{}", shown());

    home.paseo(&["task", "reassign", "task-0001", "--to", "red-1"]).ok();
    told(&format!(
        "Please <<write poem.txt violets>> <<bash touch made>> {} <<say done again>>",
        makes("folder")
    ));
    assert_eq!(text(bench, "poem.txt"), "violets", "{}", shown());
    assert!(bench.file("made").exists() && bench.file("folder").exists(), "{}", shown());

    home.paseo(&["task", "reassign", "task-0001", "--to", "red-1", "--ttl", "1s"]).ok();
    until_expired(bench);
    let mark = bench.mark();
    told(&format!(
        "Please <<write poem.txt lilies>> <<bash touch more>> {} <<say done at last>>",
        makes("another")
    ));
    assert_eq!(text(bench, "poem.txt"), "violets", "{}", shown());
    assert!(!bench.file("more").exists() && !bench.file("another").exists(), "{}", shown());
    assert!(bench.told_since(&mark).contains(ADVICE), "{}", shown());
    home.paseo(&["worker", "kill", "red-1"]).ok();
}

/// A hook of a cloned repository would change the project without being asked. Its words still count, and so do the
/// user's own hooks.
#[test]
fn a_guarded_claude_in_a_terminal_runs_no_hook_of_the_project() {
    let Some(bench) = Bench::real(CLAUDE) else { return };
    let home = &bench.home;
    allow_everything(&bench);
    let hooks = |name: &str| {
        let hook = |event: &str| {
            let file = bench.file(&format!("{name}-{event}"));
            json!([{ "hooks": [{ "type": "command", "command": format!("touch '{}'", file.display()) }] }])
        };
        json!({ "SessionStart": hook("start"), "UserPromptSubmit": hook("prompt") })
    };
    std::fs::create_dir(bench.file(".claude")).unwrap();
    for name in ["settings.json", "settings.local.json"] {
        let settings = json!({ "hooks": hooks(name) }).to_string();
        std::fs::write(bench.file(".claude").join(name), settings).unwrap();
    }
    let path = bench.config().join("settings.json");
    let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    settings["permissions"].as_object_mut().unwrap().remove("defaultMode");
    settings["hooks"] = hooks("own");
    std::fs::write(path, settings.to_string()).unwrap();
    std::fs::write(bench.file("CLAUDE.md"), "Everything here is about roses.\n").unwrap();

    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    home.paseo(&["worker", "start", "--team", "red", "--guard", "lease", "-q", "Please <<say hello>>"]).ok();
    let listed: Value = serde_json::from_str(home.paseo(&["worker", "ls", "--json"]).ok()).unwrap();
    let listed = &listed["workers"][0];
    let shown = || home.paseo(&["worker", "capture", "red-1"]).stdout;
    let waited = home.paseo(&["wait", listed["handle"].as_str().unwrap(), "--timeout", "60s"]);
    assert_eq!(waited.code, 0, "{waited:?}\n{}", shown());
    assert!(bench.told().contains("about roses"), "{}", shown());
    for event in ["start", "prompt"] {
        assert!(bench.file(&format!("own-{event}")).exists(), "{event}: {}", shown());
        for theirs in ["settings.json", "settings.local.json"] {
            assert!(!bench.file(&format!("{theirs}-{event}")).exists(), "{theirs} {event}: {}", shown());
        }
    }
    home.paseo(&["worker", "kill", "red-1"]).ok();
}

/// Whoever sits there may take their time.
#[test]
fn a_guarded_pi_in_a_terminal_is_given_leave_for_what_it_holds_then() {
    let Some(bench) = Bench::real(PI) else { return };
    let home = &bench.home;
    let work = home.work().display().to_string();
    home.paseo(&["team", "create", "red", "-C", &work]).ok();
    std::fs::create_dir_all(home.path().join("agents")).unwrap();
    let asker = "provider = 'pi'\npermissions = 'ask'\nguard = 'lease'\n";
    std::fs::write(home.path().join("agents/asker.toml"), asker).unwrap();
    home.trust();
    home.paseo(&["task", "create", "A task", "--resource", "."]).ok();
    home.paseo(&["worker", "start", "--team", "red", "--agent", "asker", "-q", "Please <<say hello>>"]).ok();
    let listed: Value = serde_json::from_str(home.paseo(&["worker", "ls", "--json"]).ok()).unwrap();
    let listed = &listed["workers"][0];
    let handle = listed["handle"].as_str().unwrap();
    let shown = || home.paseo(&["worker", "capture", "red-1"]).stdout;
    let waited = home.paseo(&["wait", handle, "--timeout", "60s"]);
    assert_eq!(waited.code, 0, "{waited:?}\n{}", shown());
    home.paseo(&["task", "reassign", "task-0001", "--to", "red-1"]).ok();
    for (name, cancel) in [("made", false), ("more", true)] {
        let asked = bench.send(handle, &format!("Please <<bash touch {name}>> <<say done>>"));
        assert_eq!(asked.code, 4, "{asked:?}\n{}", shown());
        if cancel {
            home.paseo(&["task", "cancel", "task-0001"]).ok();
        }
        type_in(&bench, &["Enter"]);
        until(&bench, "the end of its turn", || bench.inspect(handle)["status"] == "idle");
        assert_eq!(bench.file(name).exists(), !cancel, "{name}: {}", shown());
    }
    let refused = bench.items_of(handle, "tool_result").pop().unwrap();
    assert!(refused["text"].as_str().unwrap().contains("resource is `.`"), "{refused}");
    home.paseo(&["worker", "kill", "red-1"]).ok();
}

/// Returns what has a folder made by a command that no rule of the user's allows. Codex has to say that it wants to be out
/// of its sandbox for that.
fn makes(bench: &Bench, name: &str) -> String {
    if bench.program != CODEX {
        return format!("<<bash mkdir {name}>>");
    }
    let input = json!({
        "cmd": format!("mkdir {name}"), "sandbox_permissions": "require_escalated", "justification": "It is needed.",
    });
    format!("<<tool exec_command {input}>>")
}

#[test]
fn claude_is_guarded_in_a_terminal() {
    Bench::real(CLAUDE).as_ref().map(it_changes_only_what_its_task_covers);
}

#[test]
fn codex_is_guarded_in_a_terminal() {
    Bench::real(CODEX).as_ref().map(it_changes_only_what_its_task_covers);
}

#[test]
fn pi_is_guarded_in_a_terminal() {
    Bench::real(PI).as_ref().map(it_changes_only_what_its_task_covers);
}
