//! Claude Code 2.1.325, as `claude -p --input-format stream-json` speaks.

mod events;
mod options;
mod tools;
mod turn;

use std::path::PathBuf;
use std::sync::mpsc::SyncSender;

use serde_json::{Value, json};

use super::desk::{self, Message, Nudge};
use super::memory::Memory;
use super::{Personality, pen, string};
use events::Events;
use options::Options;
use turn::Claude;

pub(super) fn run(arguments: &[String], personality: Personality) -> i32 {
    let options = match options::parse(arguments) {
        Ok(options) => options,
        Err(options::End { text, code: 0 }) => {
            pen::say(&text);
            return 0;
        }
        Err(options::End { text, code }) => {
            pen::complain(&text);
            return code;
        }
    };
    let (session, memory) = match conversation(&options) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let events = Events::new(&options, session);
    let (desk_in, desk) = desk::desk(personality);
    let mut claude = Claude::new(options, events.clone(), memory, desk, desk_in.clone());
    if let Some(prompt) = claude.options.prompt.clone() {
        // Input may follow a prompt on the command line only as its end.
        send(&desk_in, message(&json!(prompt), None));
        send(&desk_in, Nudge::End);
        return claude.work();
    }
    let reader = std::thread::spawn(move || read(&desk_in, &events));
    let code = claude.work();
    drop(reader);
    code
}

/// Reads the input and answers what can be answered while a turn runs.
fn read(desk: &SyncSender<Nudge>, events: &Events) {
    desk::each_line(|line| {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            let length = line.len();
            pen::complain(&format!(
                "Error parsing streaming input line (type=unknown, {length} chars): SyntaxError"
            ));
            std::process::exit(1);
        };
        match value["type"].as_str() {
            Some("user") => {
                let id = string(&value, "uuid");
                if let Some(id) = &id {
                    events.running();
                    events.lifecycle(id, "queued");
                }
                send(desk, message(&value["message"]["content"], id));
            }
            Some("control_request") => control(desk, events, &value),
            Some("control_response") => {
                // Claude repeats what it was told.
                events.raw(&value);
                let response = &value["response"];
                let id = string(response, "request_id").unwrap_or_default();
                events.close_question(&id);
                send(desk, Nudge::Answer { id, value: response["response"].clone() });
            }
            _ => {}
        }
    });
    send(desk, Nudge::End);
}

fn control(desk: &SyncSender<Nudge>, events: &Events, value: &Value) {
    let request = &value["request"];
    let id = value["request_id"].clone();
    let subtype = string(request, "subtype").unwrap_or_default();
    if events.is_wedged() && subtype != "initialize" {
        return;
    }
    let answer = match subtype.as_str() {
        "initialize" => events.initialized(request),
        "interrupt" => {
            // The receipt comes before the end of the turn, and after a question that is asked no more.
            events.withdraw_question();
            events.answer(&id, &json!({ "still_queued": [] }));
            send(desk, Nudge::Interrupt(Value::Null));
            return;
        }
        "set_model" => {
            let model = string(request, "model").unwrap_or_default();
            events.set_model(&model);
            events
                .replay_text(&format!("<local-command-stdout>Set model to `{model}`</local-command-stdout>"));
            json!({ "model": model })
        }
        "set_permission_mode" => {
            events.set_mode(&string(request, "mode").unwrap_or_default());
            json!({ "mode": request["mode"] })
        }
        "mcp_status" => json!({ "mcpServers": [] }),
        // It is free.
        "get_usage" => json!({ "session": { "total_cost_usd": 0 }, "rate_limits_available": false }),
        "mcp_set_servers" | "set_max_thinking_tokens" | "get_context_usage" | "stop_task" => json!({}),
        other => {
            events.raw(&json!({ "type": "control_response", "response": {
                "subtype": "error", "request_id": id, "error_code": "unsupported_request",
                "error": format!("Unsupported control request subtype: {other}"),
            } }));
            return;
        }
    };
    events.answer(&id, &answer);
}

/// Finds the conversation to continue, or starts one. Claude's own words and exit codes where it cannot.
fn conversation(options: &Options) -> Result<(String, Memory), i32> {
    let projects = config().join("projects");
    if let Some(id) = &options.resume {
        let Some(path) = Memory::find(&projects, id) else {
            let text = format!("No conversation found with session ID: {id}");
            pen::complain(&text);
            pen::line(&events::failed_to_start(&text));
            return Err(1);
        };
        return Ok((id.clone(), Memory::load(path)));
    }
    let id = options.session.clone().unwrap_or_else(pen::id);
    if Memory::find(&projects, &id).is_some() {
        pen::complain(&format!("Error: Session ID {id} is already in use."));
        return Err(1);
    }
    let directory = std::env::current_dir().unwrap_or_default();
    let project = directory.to_string_lossy().replace(['/', '.'], "-");
    Ok((id.clone(), Memory::new(projects.join(project).join(format!("{id}.jsonl")))))
}

fn config() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".claude");
    std::env::var_os("CLAUDE_CONFIG_DIR").map_or_else(home, PathBuf::from)
}

fn message(content: &Value, id: Option<String>) -> Nudge {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    };
    Nudge::Message(Message { id, text, turn: String::new(), content: content.clone() })
}

/// Puts something on the desk. One that is gone needs nothing any more.
fn send(desk: &SyncSender<Nudge>, nudge: Nudge) {
    desk.send(nudge).ok();
}
