//! How codex is started and threads are opened.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use paseo_core::permission::{Mode, Power};
use serde_json::json;

use super::super::{Codex, spawn};
use super::{Bed, launch};
use crate::provider::{Check, Input, Launch, Options, Output, Provider, Readiness};
use crate::provider::{FailureCode, TurnEnd};

#[test]
fn a_thread_is_opened_with_everything_that_a_session_needs() {
    let launch = Launch { effort: Some("high".to_owned()), ..launch() };
    let mut bed = Bed::start(&launch);
    assert_eq!(bed.request("initialize")["params"]["capabilities"]["experimentalApi"], true);
    assert_eq!(bed.written.len(), 1, "nothing before the answer");
    bed.answer("initialize", json!({}));
    assert_eq!(bed.wrote("initialized"), 1);
    assert_eq!(
        bed.request("thread/start")["params"],
        json!({
            "cwd": "/project",
            "model": "some-model",
            "approvalPolicy": "never",
            "approvalsReviewer": "user",
            "sandbox": "danger-full-access",
            "developerInstructions": "Be kind.",
            "experimentalRawEvents": true,
            "config": {
                "model_reasoning_effort": "high",
                "mcp_servers.paseo-tools": {
                    "url": "http://127.0.0.1:1/mcp",
                    "bearer_token_env_var": "PASEO_TOKEN",
                    "required": true,
                    "tool_timeout_sec": 3900,
                    "default_tools_approval_mode": "approve",
                },
            },
        })
    );
}

#[test]
fn each_mode_has_its_policy_and_sandbox() {
    let params = |permissions| {
        let mut bed = Bed::start(&Launch { permissions, ..launch() });
        bed.answer("initialize", json!({}));
        bed.request("thread/start")["params"].clone()
    };
    let policies = |mode| {
        let params = params(mode);
        (params["approvalPolicy"].clone(), params["sandbox"].clone())
    };
    assert_eq!(policies(Mode::Full), (json!("never"), json!("danger-full-access")));
    assert_eq!(policies(Mode::Ask), (json!("untrusted"), json!("danger-full-access")));
    assert_eq!(policies(Mode::ReadOnly), (json!("never"), json!("read-only")));
    let terminals = |mode| params(mode)["config"]["features.unified_exec_tty"].clone();
    assert_eq!(terminals(Mode::Ask), json!(false), "what is typed into one would not be asked about");
    assert_eq!(terminals(Mode::Full), json!(null));
}

#[test]
fn what_is_withheld_is_switched_off() {
    let config = |withheld: &[Power]| {
        let mut bed = Bed::start(&Launch { permissions: Mode::Ask, withheld: withheld.to_vec(), ..launch() });
        bed.answer("initialize", json!({}));
        bed.request("thread/start")["params"]["config"].clone()
    };
    let switches = |withheld: &[Power]| {
        let config = config(withheld);
        ["features.shell_tool", "features.view_image", "web_search"].map(|key| config[key].clone())
    };
    assert_eq!(switches(&[]), [json!(null), json!(null), json!(null)]);
    // It reads by commands; those that do more it asks for, and is refused.
    assert_eq!(switches(&[Power::Shell, Power::Net]), [json!(null), json!(null), json!("disabled")]);
    assert_eq!(switches(&Power::ALL), [json!(false), json!(false), json!("disabled")]);
}

#[test]
fn a_resumed_thread_gets_the_model_the_tools_and_the_prompt_of_today() {
    let mut bed = Bed::open(&Launch { resume: Some("old".to_owned()), ..launch() });
    let params = bed.request("thread/resume")["params"].clone();
    assert_eq!((&params["threadId"], &params["excludeTurns"]), (&json!("old"), &json!(true)));
    assert_eq!(params["model"], "some-model");
    assert!(params["config"]["mcp_servers.paseo-tools"].is_object());
    bed.input(Input::Turn { turn: super::turn_id(1), messages: vec![super::message(1, "go")] });
    assert_eq!(
        bed.request("turn/start")["params"]["collaborationMode"],
        json!({ "mode": "default", "settings": {
            "model": "real-model", "reasoning_effort": "medium", "developer_instructions": "Be kind.",
        }})
    );
    bed.answer("turn/start", json!({ "turn": { "id": "u1" } }));
    assert_eq!(bed.outputs, [], "the daemon knows this thread");
}

#[test]
fn a_resumed_thread_is_told_that_its_prompt_is_gone() {
    let mut bed = Bed::open(&Launch { resume: Some("old".into()), prompt: String::new(), ..launch() });
    bed.input(Input::Turn { turn: super::turn_id(1), messages: vec![super::message(1, "go")] });
    let mode = bed.request("turn/start")["params"]["collaborationMode"].clone();
    let said = mode["settings"]["developer_instructions"].as_str().unwrap();
    assert!(said.contains("no longer apply"), "{said}");
}

#[test]
fn a_turn_has_the_effort_and_all_messages_in_order() {
    let mut bed = Bed::open(&Launch { effort: Some("low".to_owned()), ..launch() });
    let messages = vec![super::message(1, "first"), super::message(2, "second")];
    bed.input(Input::Turn { turn: super::turn_id(1), messages });
    assert_eq!(
        bed.request("turn/start")["params"],
        json!({
            "threadId": "thread-1",
            "clientUserMessageId": super::turn_id(1).to_string(),
            "input": [{ "type": "text", "text": "first\n\nsecond" }],
            "effort": "low",
        })
    );
}

#[test]
fn a_turn_that_comes_early_waits_for_the_thread() {
    let mut bed = Bed::start(&launch());
    bed.input(Input::Turn { turn: super::turn_id(1), messages: vec![super::message(1, "go")] });
    assert_eq!(bed.wrote("turn/start"), 0);
    bed.answer("initialize", json!({}));
    bed.answer("thread/start", json!({ "thread": { "id": "thread-1" } }));
    assert_eq!(bed.wrote("turn/start"), 1);
}

#[test]
fn a_thread_that_codex_does_not_know_is_forgotten() {
    let mut bed = Bed::start(&Launch { resume: Some("gone".to_owned()), ..launch() });
    bed.answer("initialize", json!({}));
    bed.input(Input::Turn { turn: super::turn_id(1), messages: vec![super::message(1, "go")] });
    bed.refuse("thread/resume", -32600, "no rollout found for thread id gone");
    bed.refuse("thread/read", -32600, "thread not loaded: gone");
    assert_eq!(bed.outputs[0], Output::Forgotten);
    let Some(TurnEnd::Failed(failed)) = bed.end() else { panic!("{:?}", bed.outputs) };
    assert_eq!(failed.code, FailureCode::ResumeFailed);
    bed.input(Input::Turn { turn: super::turn_id(2), messages: vec![super::message(2, "again")] });
    assert_eq!(bed.wrote("thread/start"), 1, "a new one");
}

#[test]
fn a_thread_is_not_forgotten_because_the_configuration_is_broken() {
    let launch = Launch { resume: Some("old".to_owned()), ..launch() };
    let begin = || {
        let mut bed = Bed::start(&launch);
        bed.answer("initialize", json!({}));
        bed.input(Input::Turn { turn: super::turn_id(1), messages: vec![super::message(1, "go")] });
        bed
    };
    let mut known = begin();
    known.refuse("thread/resume", -32600, "failed to load configuration");
    known.answer("thread/read", json!({ "thread": { "id": "old" } }));
    let mut internal = begin();
    internal.refuse("thread/resume", -32603, "required MCP servers failed to initialize: paseo-tools");
    for bed in [&mut known, &mut internal] {
        assert!(!bed.outputs.contains(&Output::Forgotten));
        let Some(TurnEnd::Failed(failed)) = bed.end() else { panic!("{:?}", bed.outputs) };
        assert_eq!(failed.code, FailureCode::HarnessError);
        bed.input(Input::Turn { turn: super::turn_id(2), messages: vec![super::message(2, "again")] });
        assert_eq!(bed.wrote("thread/resume"), 2, "the next turn tries again");
    }
}

#[test]
fn a_server_of_ours_that_does_not_start_fails_the_turn_in_words() {
    let mut bed = Bed::start(&launch());
    bed.answer("initialize", json!({}));
    bed.input(Input::Turn { turn: super::turn_id(1), messages: vec![super::message(1, "go")] });
    bed.say(
        "mcpServer/startupStatus/updated",
        json!({ "name": "paseo-tools", "status": "failed", "error": "401" }),
    );
    bed.refuse("thread/start", -32603, "required MCP servers failed to initialize: paseo-tools: 401");
    let Some(TurnEnd::Failed(failed)) = bed.end() else { panic!("{:?}", bed.outputs) };
    assert!(failed.text.contains("paseo-tools"));
    assert_eq!(bed.notices(), [], "said once");
    bed.input(Input::Turn { turn: super::turn_id(2), messages: vec![super::message(2, "again")] });
    assert_eq!(bed.wrote("thread/start"), 2, "the next turn tries again");
}

#[test]
fn no_secret_is_on_the_command_line() {
    let home = Path::new("/isolated");
    let program = spawn::program(&launch(), "/bin/codex".into(), Some(home));
    assert_eq!(program.arguments, ["app-server", "-c", "features.plugins=false"]);
    assert!(program.environment.contains(&("CODEX_HOME".to_owned(), "/isolated".to_owned())));
    assert!(program.environment.contains(&("PASEO_TOKEN".to_owned(), "secret".to_owned())));
    let program = spawn::program(&launch(), "/bin/codex".into(), None);
    assert_eq!(program.arguments, ["app-server"], "the user's configuration is theirs");
    assert!(!program.environment.iter().any(|(name, _)| name == "CODEX_HOME"));
}

#[test]
fn a_key_is_named_and_not_told() {
    let mut launch = launch();
    launch.environment.extend(crate::keys::variables("codex", "sk-secret", Some("http://127.0.0.1:1/v1")));
    let program = spawn::program(&launch, "/bin/codex".into(), None);
    let words: Vec<&str> = program.arguments.iter().map(|word| word.to_str().unwrap()).collect();
    assert_eq!(&words[1..4], ["-c", r#"model_provider="paseo""#, "-c"]);
    assert_eq!(
        words[4],
        r#"model_providers.paseo={name="paseo",base_url="http://127.0.0.1:1/v1",wire_api="responses",env_key="OPENAI_API_KEY"}"#
    );
    assert!(program.environment.contains(&("OPENAI_API_KEY".to_owned(), "sk-secret".to_owned())));
}

fn executable(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\necho codex-cli 0.166.0\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn the_native_program_is_called_instead_of_npms_wrapper() {
    let inner = "codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
    for place in ["node_modules/@openai", "node_modules/@openai/codex/node_modules/@openai"] {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let link = root.join("bin/codex");
        executable(&root.join("node_modules/@openai/codex/bin/codex.js"));
        fs::create_dir(root.join("bin")).unwrap();
        std::os::unix::fs::symlink("../node_modules/@openai/codex/bin/codex.js", &link).unwrap();
        assert_eq!(spawn::native(link.clone()), link, "the wrapper is better than nothing");
        let native = root.join(place).join(inner);
        executable(&native);
        assert_eq!(spawn::native(link), native);
        assert_eq!(spawn::native(native.clone()), native);
    }
}

#[tokio::test]
async fn what_can_be_known_beforehand_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (program, home) = (folder.path().join("codex"), folder.path().join("home"));
    executable(&program);
    fs::create_dir(&home).unwrap();
    let options = Options { program: Some(program.clone()), isolated_home: Some(home.clone()) };
    let codex = Codex::new(options.clone());
    let check = |effort: Option<&str>| Check {
        directory: "/".into(),
        model: Some("anything".to_owned()),
        effort: effort.map(str::to_owned),
        permissions: Mode::Ask,
    };
    assert_eq!(codex.check(&check(Some("high"))), Ok(()));
    let refused = codex.check(&check(Some("silly"))).unwrap_err();
    assert!(refused.hint.unwrap().contains("none, minimal, low, medium, high, xhigh"));
    fs::write(home.join("auth.json"), "{}").unwrap();
    assert_eq!(codex.readiness(), Readiness::Ready { program: Some(program) });
    assert_eq!(codex.version().await, Ok(Some("codex-cli 0.166.0".to_owned())));

    let nowhere = Codex::new(Options { program: Some(folder.path().join("gone")), ..options });
    assert!(nowhere.check(&check(None)).unwrap_err().hint.unwrap().contains("npm install -g @openai/codex"));
    assert!(matches!(nowhere.readiness(), Readiness::Missing { .. }));
    assert_eq!(nowhere.version().await, Ok(None));
}
