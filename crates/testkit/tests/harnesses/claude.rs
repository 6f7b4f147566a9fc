//! Scenes with claude.

use paseo_testkit::real::Program;
use serde_json::{Value, json};

use crate::dialogue::Dialogue;
use crate::server::Server;
use crate::{Start, compare};

pub(crate) const SESSION: &str = "6a1b2c3d-0000-4000-8000-000000000001";
const BYPASS: [&str; 1] = ["--dangerously-skip-permissions"];
const ASK: [&str; 2] = ["--permission-prompt-tool", "stdio"];

/// Starts claude as the provider does.
pub(crate) fn start(start: Start<'_>, more: &[&str]) -> Dialogue {
    let mut arguments =
        vec!["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    arguments.extend([
        "--include-partial-messages",
        "--replay-user-messages",
        "--model",
        "claude-sonnet-4-5",
    ]);
    arguments.extend(more);
    start(&arguments)
}

pub(crate) fn say(claude: &mut Dialogue, number: u8, text: &str) {
    let id = format!("00000000-0000-4000-8000-0000000000{number:02}");
    claude.send(&json!({ "type": "user", "uuid": id, "message": { "role": "user", "content": text } }));
}

pub(crate) fn until_idle(claude: &mut Dialogue) {
    claude.until(|event| event["subtype"] == "session_state_changed" && event["state"] == "idle");
}

pub(crate) fn interrupt(claude: &mut Dialogue) {
    claude.send(&json!({
        "type": "control_request", "request_id": "stop", "request": { "subtype": "interrupt" },
    }));
}

/// Tells what was heard, without what differs from run to run.
fn story(claude: &Dialogue) -> Vec<String> {
    claude.heard.iter().filter_map(line).collect()
}

fn line(event: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&event["type"]);
    Some(match kind.as_str() {
        "system" => match event["subtype"].as_str()? {
            "session_state_changed" => format!("state {}", text(&event["state"])),
            // One for each delta, more or less.
            "thinking_tokens" => return None,
            "api_retry" => format!("retry {} {} {}", event["attempt"], event["error_status"], event["error"]),
            "init" => {
                let server = &event["mcp_servers"][0]["status"];
                format!("init {} {} {server}", event["model"], event["permissionMode"])
            }
            other => format!("system {other}"),
        },
        "stream_event" => {
            let event = &event["event"];
            let delta = &event["delta"];
            let said = delta.get("text").or(delta.get("thinking")).cloned().unwrap_or_default();
            format!("stream {} {} {said}", event["type"], event["content_block"]["type"])
        }
        "assistant" => {
            let block = &event["message"]["content"][0];
            let said = block.get("text").or(block.get("thinking")).or(block.get("name"));
            // The advice in the middle of an error names hosts.
            let said: String = text(said?).chars().take(25).collect();
            format!(
                "assistant {} {said:?} error={} aborted={}",
                block["type"], event["error"], event["aborted"]
            )
        }
        "user" if event["isReplay"] == true => {
            format!("replay {} {}", event["uuid"], event["message"]["content"])
        }
        "user" => {
            let block = &event["message"]["content"][0];
            let said = block.get("content").or(block.get("text"))?;
            // A server's result is not only text.
            let said = text(said.get(0).map_or(said, |part| &part["text"]));
            let first = said.split_whitespace().next().unwrap_or_default();
            format!("user {} error={} {first}", block["type"], block["is_error"] == true)
        }
        "command_lifecycle" => format!("lifecycle {} {}", event["command_uuid"], event["state"]),
        "control_request" => {
            format!("asks {} {}", event["request"]["tool_name"], event["request"]["description"])
        }
        "control_response" => format!("answer {}", event["response"]["subtype"]),
        "result" => {
            let usage = &event["usage"];
            format!(
                "result {} error={} {} status={} turns={} in={} cached={} out={} denied={} origin={}",
                event["subtype"],
                event["is_error"],
                event["terminal_reason"],
                event["api_error_status"],
                event["num_turns"],
                usage["input_tokens"],
                usage["cache_read_input_tokens"],
                usage["output_tokens"],
                event["permission_denials"].as_array().map_or(0, Vec::len),
                event["origin"]["kind"],
            )
        }
        other => other.to_owned(),
    })
}

#[test]
fn claude_speaks_thinks_and_works() {
    compare(Program::Claude, |process| {
        let mut claude = start(process, &[&["--session-id", SESSION][..], &BYPASS].concat());
        say(
            &mut claude,
            1,
            "<<think hmm ok>> <<say let me look>> <<bash echo hi; echo err 1>&2>> <<say done now>>",
        );
        until_idle(&mut claude);
        say(
            &mut claude,
            2,
            "<<write n.txt hello>> <<read n.txt>> <<edit n.txt hello bye>> <<bash exit 3>> <<say second>>",
        );
        until_idle(&mut claude);
        assert_eq!(claude.close(), 0);
        story(&claude)
    });
}

#[test]
fn claude_is_interrupted_in_a_command_and_in_a_sentence() {
    compare(Program::Claude, |process| {
        let mut claude = start(process, &BYPASS);
        say(&mut claude, 1, "<<bash touch started; sleep 30>> <<say never>>");
        claude.until(|event| event["type"] == "stream_event" && event["event"]["type"] == "message_stop");
        claude.wait_for_file("started");
        interrupt(&mut claude);
        until_idle(&mut claude);
        say(&mut claude, 2, "<<slow 500>> <<say one two three four five six seven>>");
        claude.until(|event| event["event"]["delta"]["text"] == "one ");
        interrupt(&mut claude);
        until_idle(&mut claude);
        say(&mut claude, 3, "<<say after>>");
        until_idle(&mut claude);
        story(&claude)
    });
}

#[test]
fn claude_takes_a_message_into_the_turn_at_a_tool_or_else_into_the_next() {
    compare(Program::Claude, |process| {
        let mut claude = start(process, &BYPASS);
        say(&mut claude, 1, "<<bash sleep 1>> <<say unsteered>>");
        claude.until(|event| event["type"] == "stream_event" && event["event"]["type"] == "message_stop");
        say(&mut claude, 2, "<<say steered>>");
        until_idle(&mut claude);
        say(&mut claude, 3, "<<slow 200>> <<say one two three>>");
        claude.until(|event| event["event"]["delta"]["text"] == "one ");
        say(&mut claude, 4, "<<say another turn>>");
        until_idle(&mut claude);
        story(&claude)
    });
}

#[test]
fn claude_starts_a_turn_by_itself_when_background_work_ends() {
    compare(Program::Claude, |process| {
        let mut claude = start(process, &BYPASS);
        say(&mut claude, 1, "<<background sleep 1>> <<say in background>>");
        until_idle(&mut claude);
        until_idle(&mut claude);
        story(&claude)
    });
}

#[test]
fn claude_tries_again_and_tells_of_failure_as_a_success() {
    compare(Program::Claude, |process| {
        let mut claude = start(process, &BYPASS);
        for (number, text) in
            ["<<status 500 times=1>> <<say ok>>", "<<status 401>>", "<<say fine>>"].iter().enumerate()
        {
            say(&mut claude, u8::try_from(number).expect("a small number"), text);
            until_idle(&mut claude);
        }
        story(&claude)
    });
}

#[test]
fn claude_asks_and_takes_no_for_an_answer() {
    compare(Program::Claude, |process| {
        let mut claude = start(process, &ASK);
        let answers = [
            json!({ "behavior": "allow", "updatedInput": { "file_path": "a.txt", "content": "a" } }),
            json!({ "behavior": "deny", "message": "not today" }),
        ];
        for (number, answer) in answers.iter().enumerate() {
            say(
                &mut claude,
                u8::try_from(number).expect("a small number"),
                "<<write a.txt a>> <<say so be it>>",
            );
            let mut answer = answer.clone();
            let request = claude.until(|event| event["type"] == "control_request");
            if answer.get("updatedInput").is_some() {
                answer["updatedInput"] = request["request"]["input"].clone();
            }
            claude.send(&json!({ "type": "control_response", "response": {
                "subtype": "success", "request_id": request["request_id"], "response": answer,
            } }));
            until_idle(&mut claude);
        }
        say(&mut claude, 9, "<<write b.txt b>> <<say never>>");
        claude.until(|event| event["type"] == "control_request");
        interrupt(&mut claude);
        until_idle(&mut claude);
        story(&claude)
    });
}

#[test]
fn claude_calls_a_tool_of_a_server_and_goes_on_without_one_that_refuses() {
    compare(Program::Claude, |process| {
        let server = Server::start();
        let mut told = Vec::new();
        for token in ["right", "wrong"] {
            let headers = json!({ "Authorization": format!("Bearer {token}") });
            let proj = json!({ "type": "http", "url": server.url, "headers": headers, "alwaysLoad": true });
            let config = json!({ "mcpServers": { "proj": proj } }).to_string();
            let mut claude = start(process, &["--mcp-config", &config, "--strict-mcp-config", BYPASS[0]]);
            let script = if token == "right" { "<<tool whoami {}>> <<say done>>" } else { "<<say alone>>" };
            say(&mut claude, 1, script);
            until_idle(&mut claude);
            told.extend(story(&claude));
        }
        told
    });
}

#[test]
fn claude_goes_on_after_a_kill() {
    compare(Program::Claude, |process| {
        let mut claude = start(process, &[&["--session-id", SESSION][..], &BYPASS].concat());
        say(&mut claude, 1, "<<bash echo one>> <<say first>>");
        until_idle(&mut claude);
        claude.kill();
        let mut claude = start(process, &[&["--resume", SESSION][..], &BYPASS].concat());
        say(&mut claude, 2, "<<say second>>");
        until_idle(&mut claude);
        let mut told = story(&claude);
        assert_eq!(claude.close(), 0);
        // The id is taken, and another is unknown.
        let mut taken = start(process, &[&["--session-id", SESSION][..], &BYPASS].concat());
        told.push(format!("taken {} {:?}", taken.exit_code(), story(&taken)));
        let mut unknown =
            start(process, &[&["--resume", "6a1b2c3d-0000-4000-8000-00000000dead"][..], &BYPASS].concat());
        told.push(format!("unknown {} {:?}", unknown.exit_code(), story(&unknown)));
        told
    });
}
