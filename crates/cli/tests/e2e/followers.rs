//! Sessions that follow a definition: how they are started, what they get, how they are kept and found.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

use crate::screens::{assert_said, assert_told};
use crate::{home, inspect, start};

/// Writes a definition of the user's own.
pub(crate) fn define(home: &TestHome, slug: &str, text: &str) {
    fs::create_dir_all(home.path().join("agents")).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.path().join("agents").join(format!("{slug}.toml")), text).unwrap();
    home.trust();
}

/// Returns the handles of the open sessions that follow a definition.
pub(crate) fn sessions(home: &TestHome, slug: &str) -> Vec<String> {
    home.paseo(&["ls", "-q", "--agent", slug]).ok().lines().map(str::to_owned).collect()
}

/// Starts a session of a definition and waits for its answer.
fn run(home: &TestHome, slug: &str, options: &[&str]) -> String {
    let arguments: Vec<&str> =
        ["run", "-d", "--agent", slug].iter().chain(options).chain(&["<<say hi>>"]).copied().collect();
    let handle = home.paseo(&arguments).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    handle
}

#[test]
fn what_the_command_says_beats_what_the_definition_says() {
    let mut home = home();
    // For this provider a model is a script.
    for model in ["slow", "fast"] {
        fs::write(home.work().join(model), "<<say hi>>").unwrap();
    }
    define(&home, "careful", "permissions = 'ask'\nmodel = 'slow'\nprovider = 'scripted'\n");
    let plain = inspect(&home, &run(&home, "careful", &[]));
    assert_eq!((&plain["agent"], &plain["permissions"]), (&"careful".into(), &"ask".into()));
    assert_eq!((&plain["model"], &plain["provider"]), (&"slow".into(), &"scripted".into()));
    let told = inspect(&home, &run(&home, "careful", &["--permissions", "full", "--model", "fast"]));
    assert_eq!((&told["permissions"], &told["model"]), (&"full".into(), &"fast".into()));
    assert_eq!(inspect(&home, &start(&home, "x"))["agent"], "default");
    // A model is a word of the provider that it was written for.
    define(&home, "coder", "provider = 'codex'\nmodel = 'gpt-5'\neffort = 'high'\n");
    let other = inspect(&home, &run(&home, "coder", &["--provider", "scripted"]));
    assert_eq!((&other["model"], &other["effort"]), (&Value::Null, &Value::Null));
    // What is set for all agents is not what was said for this one.
    home.set("PASEO_PROVIDER", "codex");
    assert_eq!(inspect(&home, &run(&home, "careful", &[]))["provider"], "scripted");
}

#[test]
fn an_agent_runs_where_its_definition_says() {
    let home = home();
    let (own, beside) = (home.path().parent().unwrap().join("own"), home.work().join("beside"));
    fs::create_dir(&own).unwrap();
    fs::create_dir(&beside).unwrap();
    define(&home, "rooted", "cwd = '~/own'\n");
    define(&home, "beside", "cwd = 'beside'\n");
    define(&home, "lost", "cwd = '/nowhere/at/all'\n");
    let place = |handle: &str| {
        let session = inspect(&home, handle);
        assert_eq!(session["project"], home.work().to_str().unwrap());
        session["directory"].as_str().unwrap().to_owned()
    };
    let rooted = run(&home, "rooted", &[]);
    assert_eq!(place(&rooted), own.to_str().unwrap());
    assert_eq!(place(&run(&home, "beside", &[])), beside.to_str().unwrap());
    assert_eq!(place(&run(&home, "rooted", &["--cwd", "."])), home.work().to_str().unwrap());
    let lost = home.paseo(&["run", "--agent", "lost", "x"]);
    assert_eq!(lost.code, 6, "{lost:?}");
    assert_told!(home, lost);

    // An agent with a place of its own is the same one, wherever it is asked.
    let mut elsewhere = home.command(&["tell", "--json", "rooted", "x"]);
    let told = elsewhere.current_dir(&own).output().unwrap();
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["created"], false);
    let mut elsewhere = home.command(&["tell", "--json", "default", "x"]);
    let told = elsewhere.current_dir(&own).output().unwrap();
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["created"], true, "another project's default is another one");
}

#[test]
fn subagents_are_not_for_people() {
    let home = home();
    define(&home, "flash", "is_subagent = true\n");
    define(&home, "secret", "ui_visible = false\n");
    define(&home, "notes", "name = 'Notes'\n");
    for arguments in [&["run", "--agent", "flash", "x"][..], &["ask", "flash", "x"], &["switch", "flash"]] {
        let refused = home.paseo(arguments);
        assert_eq!((refused.code, refused.stdout.as_str()), (6, ""), "{refused:?}");
        assert_told!(home, refused, @r"
        exit 6
        error: agent `flash` is a subagent and can only be started by other agents
         hint: choose one of: default, notes
        ");
    }
}

#[test]
fn a_list_can_be_of_one_definition() {
    let home = home();
    define(&home, "notes", "name = 'Notes'\n");
    let (notes, plain) = (run(&home, "notes", &[]), start(&home, "x"));
    home.paseo(&["wait", &plain]).ok();
    assert_eq!(sessions(&home, "notes"), [notes.as_str()]);
    assert_eq!(sessions(&home, "default"), [plain]);
    let none = home.paseo(&["ls", "--agent", "other"]);
    assert_told!(home, none, @r"
    exit 0
    No agents.
    hidden: 2 with other definitions (leave out --agent)
    ");
    let table = home.paseo(&["ls"]);
    assert!(table.ok().lines().next().unwrap().contains("AGENT"), "{table:?}");
    home.paseo(&["close", &notes]).ok();
    assert_eq!(sessions(&home, "notes"), [""; 0]);
    assert_eq!(home.paseo(&["ls", "-q", "-a", "--agent", "notes"]).ok(), notes);
}

#[test]
fn pinned_ones_come_first_the_newest_pin_first() {
    let home = home();
    // One after the other, so that the first is the oldest.
    let handles = [(); 3].map(|()| {
        let handle = start(&home, "x");
        home.paseo(&["wait", &handle]).ok();
        handle
    });
    let listed = || home.paseo(&["ls", "-q"]).ok().lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(listed().last(), Some(&handles[0]));
    let before = inspect(&home, &handles[0])["updated_at"].clone();
    assert_eq!(home.paseo(&["pin", &handles[0]]).ok(), format!("Pinned {}", handles[0]));
    assert_ne!(inspect(&home, &handles[0])["updated_at"], before, "that is a change");
    home.paseo(&["pin", &handles[1]]).ok();
    // What happens in the others does not put them before these.
    home.paseo(&["send", "--wait", &handles[2], "<<say newer>>"]).ok();
    assert_eq!(listed(), [handles[1].clone(), handles[0].clone(), handles[2].clone()]);
    home.paseo(&["rename", &handles[1], "at hand"]).ok();
    assert!(home.paseo(&["ls"]).ok().contains("* at hand"));
    assert!(home.kill_daemon());
    assert_eq!(listed()[..2], [handles[1].clone(), handles[0].clone()], "it outlives the daemon");
    home.paseo(&["close", &handles[0], &handles[1], &handles[2]]).ok();
    let all = home.paseo(&["ls", "-q", "-a"]);
    assert_eq!(
        all.ok().lines().collect::<Vec<_>>(),
        [&handles[1], &handles[0], &handles[2]],
        "closed ones too"
    );
    home.paseo(&["reopen", &handles[0], &handles[1], &handles[2]]).ok();
    // They are put in another order by naming them in it; who is not known changes nothing for the others.
    let moved = home.paseo(&["pin", &handles[0], "zzzz", &handles[2], &handles[1]]);
    assert_eq!(moved.code, 3);
    assert_eq!(moved.stdout.lines().count(), 3);
    assert_eq!(listed(), [handles[0].clone(), handles[2].clone(), handles[1].clone()]);
    home.paseo(&["pin", &handles[1]]).ok();
    assert_eq!(listed()[0], handles[1], "pinned again it is first");
    home.paseo(&["pin", "--off", &handles[2], &handles[1], &handles[0]]).ok();
    let again = home.paseo(&["pin", "--off", &handles[0]]);
    assert_said!(home, again.ok(), @"aaa1 was not pinned");
    assert!(!home.paseo(&["ls"]).ok().contains('*'));
    assert_eq!(home.paseo(&["pin", "zzzz"]).code, 3);
}

#[test]
fn attributes_are_json_and_bounded() {
    let home = home();
    let handle = start(&home, "x");
    let set = home.paseo(&["label", &handle, "env=ci", "--attr", "weight=3", "--attr", "ticket=ABC-12"]);
    assert_said!(home, set.ok(), @r#"aaa1 has env=ci, attributes ticket="ABC-12" weight=3"#);
    assert_eq!(inspect(&home, &handle)["attributes"], json!({"weight": 3, "ticket": "ABC-12"}));
    home.paseo(&["label", &handle, "--attr", "weight-", "--attr", "panel={\"open\":true}"]).ok();
    let expected = json!({"ticket": "ABC-12", "panel": {"open": true}});
    assert_eq!(inspect(&home, &handle)["attributes"], expected);
    let long = home.paseo(&["label", &handle, "--attr", &format!("note={}", "x".repeat(300))]);
    assert_eq!(long.code, 2);
    assert_told!(home, long);
    let many: Vec<String> = (0..40).map(|number| format!("--attr=k{number}={number}")).collect();
    let arguments: Vec<&str> =
        ["label", handle.as_str()].into_iter().chain(many.iter().map(String::as_str)).collect();
    let many = home.paseo(&arguments);
    assert_told!(home, many);
    assert_eq!(inspect(&home, &handle)["attributes"], expected, "nothing of it happened");
    assert_eq!(home.paseo(&["label", &handle, "--attr", "x"]).code, 2);
    assert_eq!(home.paseo(&["label", &handle]).code, 2);
}

#[test]
fn a_look_at_one_session_shows_what_the_agent_said_last() {
    let home = home();
    define(&home, "notes", "name = 'Notes'\n");
    let handle = run(&home, "notes", &[]);
    assert_eq!(inspect(&home, &handle)["last_snippet"], "hi");
    let long = format!("<<say {} \u{1b}[31mred>>", "word ".repeat(60));
    home.paseo(&["send", "--wait", &handle, &long]).ok();
    let snippet = inspect(&home, &handle)["last_snippet"].as_str().unwrap().to_owned();
    assert!(snippet.chars().count() <= 160 && snippet.ends_with('…'), "{snippet}");
    assert!(!snippet.contains('\u{1b}'), "{snippet:?}");
    let shown = home.paseo(&["inspect", &handle]);
    assert!(shown.ok().contains("last line") && shown.ok().contains("word word"), "{shown:?}");
    assert!(shown.ok().lines().any(|line| line.starts_with("agent") && line.ends_with("notes")), "{shown:?}");
    let list = crate::json(&home.paseo(&["ls", "--json"]));
    assert_eq!(list["sessions"][0]["last_snippet"], snippet.as_str());
    home.paseo(&["clear", &handle]).ok();
    let cleared = inspect(&home, &handle);
    assert_eq!((&cleared["last_snippet"], &cleared["agent"]), (&Value::Null, &"notes".into()));
}

#[test]
fn a_look_at_one_session_shows_what_it_has_set_itself_to_do() {
    let home = home();
    define(&home, "planner", "tool_allowlist = ['todo']\n");
    let plan = r#"<<tool todo {"todos":[{"content":"dig","status":"completed"},{"content":"plant","status":"in_progress"}]}>>"#;
    let handle = home.paseo(&["run", "-d", "--agent", "planner", plan]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    let expected = json!([
        {"content": "dig", "status": "completed", "priority": "medium"},
        {"content": "plant", "status": "in_progress", "priority": "medium"},
    ]);
    assert_eq!(inspect(&home, &handle)["todo"], expected);
    let shown = home.paseo(&["inspect", &handle]);
    let line = shown.ok().lines().find(|line| line.ends_with("plant")).unwrap_or_default();
    assert!(line.starts_with("in progress"), "{shown:?}");
    assert!(inspect(&home, &start(&home, "x")).get("todo").is_none());
}
