//! Scenes with codex.

use paseo_testkit::real::Program;
use serde_json::{Value, json};

use crate::compare;
use crate::dialogue::Dialogue;
use crate::server::Server;

/// A thread of a running codex.
pub(crate) struct Codex {
    pub(crate) process: Dialogue,
    pub(crate) thread: String,
    next: u64,
}

impl Codex {
    /// Starts codex, as the provider does, and a thread.
    pub(crate) fn start(process: Dialogue, method: &str, mut parameters: Value) -> Self {
        let mut codex = Self { process, thread: String::new(), next: 0 };
        let client = json!({ "name": "test", "title": "test", "version": "0" });
        codex
            .call("initialize", json!({ "clientInfo": client, "capabilities": { "experimentalApi": true } }));
        codex.process.send(&json!({ "method": "initialized" }));
        parameters["sandbox"] = "danger-full-access".into();
        let answer = codex.call(method, parameters);
        // None when codex refused.
        codex.thread = answer["result"]["thread"]["id"].as_str().unwrap_or_default().to_owned();
        codex
    }

    pub(crate) fn call(&mut self, method: &str, mut parameters: Value) -> Value {
        self.next += 1;
        if !self.thread.is_empty() {
            parameters["threadId"] = self.thread.as_str().into();
        }
        let id = self.next;
        self.process.send(&json!({ "id": id, "method": method, "params": parameters }));
        self.process.until(|event| event["id"] == id && event.get("method").is_none())
    }

    /// Starts a turn and returns its id, once it has begun.
    pub(crate) fn turn(&mut self, text: &str) -> String {
        let input = json!([{ "type": "text", "text": text }]);
        let answer = self.call("turn/start", json!({ "input": input, "clientUserMessageId": "mine" }));
        let turn = answer["result"]["turn"]["id"].as_str().expect("a turn").to_owned();
        self.until("turn/started");
        turn
    }

    pub(crate) fn until(&mut self, method: &str) -> Value {
        self.process.until(|event| event["method"] == method)
    }
}

/// Tells what was heard, without what differs from run to run.
fn story(codex: &Codex) -> Vec<String> {
    codex.process.heard.iter().filter_map(line).collect()
}

fn line(event: &Value) -> Option<String> {
    let Some(method) = event["method"].as_str() else {
        let outcome = if event.get("error").is_some() { "refused" } else { "answered" };
        return Some(format!("{outcome} {}", event["id"]));
    };
    let parameters = &event["params"];
    Some(match method {
        "configWarning" | "warning" | "remoteControl/status/changed" | "account/rateLimits/updated" => {
            return None;
        }
        "thread/readState/changed" | "thread/goal/cleared" | "item/commandExecution/outputDelta" => {
            return None;
        }
        // Codex repeats it as it likes.
        "turn/diff/updated" => return None,
        "thread/status/changed" => {
            format!("status {} {}", parameters["status"]["type"], parameters["status"]["activeFlags"])
        }
        "turn/started" => method.to_owned(),
        "turn/completed" => {
            let turn = &parameters["turn"];
            let error = &turn["error"]["codexErrorInfo"];
            format!("{method} {} {error} {}", turn["status"], turn["items"][0]["text"])
        }
        "item/started" | "item/completed" => {
            let item = &parameters["item"];
            let what = item.get("text").or(item.get("summary")).or(item.get("aggregatedOutput"));
            let what = what.or(item.get("result").map(|result| &result["content"]));
            let change = &item["changes"][0]["kind"]["type"];
            format!(
                "{method} {} {} status={} exit={} change={change} client={}",
                item["type"],
                what.cloned().unwrap_or_default(),
                item["status"],
                item["exitCode"],
                item["clientId"],
            )
        }
        "mcpServer/startupStatus/updated" => {
            format!("server {} {}", parameters["name"], parameters["status"])
        }
        "item/agentMessage/delta" | "item/reasoning/summaryTextDelta" => {
            format!("{method} {}", parameters["delta"])
        }
        "thread/tokenUsage/updated" => {
            let usage = &parameters["tokenUsage"];
            format!("usage {} {}", usage["last"]["inputTokens"], usage["last"]["outputTokens"])
        }
        "error" => {
            format!("error {} retry={}", parameters["error"]["codexErrorInfo"], parameters["willRetry"])
        }
        other => other.to_owned(),
    })
}

fn input(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

#[test]
fn codex_speaks_thinks_and_works() {
    compare(Program::Codex, |process| {
        let mut codex =
            Codex::start(process(&["app-server"]), "thread/start", json!({ "approvalPolicy": "never" }));
        codex.turn(
            "<<think hmm ok>> <<say let me look>> <<bash exec 2>&1; echo hi; echo err 1>&2; exit 3>> <<write x.txt hello>> \
             <<edit x.txt hello bye>> <<read x.txt>> <<say done now>>",
        );
        codex.until("turn/completed");
        codex.turn("<<say second>>");
        codex.until("turn/completed");
        assert_eq!(codex.process.close(), 0);
        story(&codex)
    });
}

#[test]
fn codex_is_interrupted_and_its_command_ends_only_when_told() {
    compare(Program::Codex, |process| {
        let mut codex =
            Codex::start(process(&["app-server"]), "thread/start", json!({ "approvalPolicy": "never" }));
        let turn = codex.turn("<<bash echo x; sleep 30>> <<say never>>");
        codex.process.until(|event| event["params"]["item"]["type"] == "commandExecution");
        codex.call("turn/interrupt", json!({ "turnId": turn }));
        codex.until("turn/completed");
        codex.call("thread/backgroundTerminals/clean", json!({}));
        codex.process.until(|event| {
            event["method"] == "item/completed" && event["params"]["item"]["type"] == "commandExecution"
        });
        let turn = codex.turn("<<slow 500>> <<say one two three four five six seven>>");
        codex.until("item/agentMessage/delta");
        codex.call("turn/interrupt", json!({ "turnId": turn }));
        codex.until("turn/completed");
        codex.call("turn/steer", json!({ "expectedTurnId": turn, "input": input("too late") }));
        let told = story(&codex);
        // Whether its usage was counted is a matter of luck, and so is whether it sees how the command was killed.
        let told = told.into_iter().filter(|line| !line.starts_with("usage"));
        told.map(|line| line.replace("exit=137", "exit=-1")).collect()
    });
}

#[test]
fn codex_takes_a_message_into_the_turn_at_a_tool_and_in_a_sentence() {
    compare(Program::Codex, |process| {
        let mut codex =
            Codex::start(process(&["app-server"]), "thread/start", json!({ "approvalPolicy": "never" }));
        let turn = codex.turn("<<bash sleep 1>> <<say unsteered>>");
        codex.process.until(|event| event["params"]["item"]["type"] == "commandExecution");
        codex.call("turn/steer", json!({ "expectedTurnId": turn, "input": input("<<say steered>>") }));
        codex.until("turn/completed");
        codex.turn("<<slow 500>> <<say one two three>>");
        codex.until("item/agentMessage/delta");
        // No new turn: the running one takes it.
        codex.call("turn/start", json!({ "input": input("<<say at once>>") }));
        codex.until("turn/completed");
        let told = story(&codex);
        told.into_iter().filter(|line| !line.starts_with("usage")).collect()
    });
}

#[test]
fn codex_tries_again_and_tells_of_failure() {
    compare(Program::Codex, |process| {
        let mut codex =
            Codex::start(process(&["app-server"]), "thread/start", json!({ "approvalPolicy": "never" }));
        for text in [
            "<<status 429 times=1 retry-after=1>> <<say ok>>",
            "<<status 429>>",
            "<<status 429 reset=60>>",
            "<<status 401>>",
            "<<status 400 too long>>",
            "<<say a b>> <<break times=1>> <<say fine>>",
            "<<break>>",
            "<<status 500 times=1>> <<say ok>>",
            "<<status 500 times=2>> <<say ok>>",
        ] {
            codex.turn(text);
            codex.until("turn/completed");
        }
        let told = story(&codex);
        told.into_iter().filter(|line| !line.starts_with("usage")).collect()
    });
}

#[test]
fn codex_asks_and_takes_no_for_an_answer() {
    compare(Program::Codex, |process| {
        let mut codex =
            Codex::start(process(&["app-server"]), "thread/start", json!({ "approvalPolicy": "untrusted" }));
        codex.turn("<<bash touch a>> <<write b.txt x>> <<say done>>");
        for decision in ["accept", "decline"] {
            let request =
                codex.process.until(|event| event.get("id").is_some() && event.get("method").is_some());
            codex.process.send(&json!({ "id": request["id"], "result": { "decision": decision } }));
        }
        codex.until("turn/completed");
        story(&codex)
    });
}

#[test]
fn codex_calls_a_tool_of_the_client() {
    compare(Program::Codex, |process| {
        let tool = json!({ "type": "function", "name": "ask", "description": "asks", "inputSchema": { "type": "object", "properties": {} } });
        let parameters = json!({ "approvalPolicy": "never", "dynamicTools": [tool] });
        let mut codex = Codex::start(process(&["app-server"]), "thread/start", parameters);
        codex.turn("<<tool ask {\"a\": 1}>> <<say done>>");
        let request = codex.until("item/tool/call");
        let content = json!([{ "type": "inputText", "text": "hello" }]);
        codex
            .process
            .send(&json!({ "id": request["id"], "result": { "contentItems": content, "success": true } }));
        codex.until("turn/completed");
        story(&codex)
    });
}

#[test]
fn codex_calls_a_tool_of_a_server_and_does_not_start_without_a_required_one() {
    compare(Program::Codex, |process| {
        let server = Server::start();
        let mut told = Vec::new();
        for token in ["right", "wrong"] {
            let headers = json!({ "Authorization": format!("Bearer {token}") });
            let proj = json!({ "url": server.url, "http_headers": headers, "required": true });
            let parameters = json!({ "approvalPolicy": "never", "config": { "mcp_servers.proj": proj } });
            let mut codex = Codex::start(process(&["app-server"]), "thread/start", parameters);
            if token == "right" {
                codex.turn("<<tool whoami {}>> <<say done>>");
                codex.until("turn/completed");
            }
            // They come before or after the answer, as it happens.
            told.extend(story(&codex).into_iter().filter(|line| !line.starts_with("server")));
        }
        told
    });
}

#[test]
fn codex_goes_on_after_a_kill() {
    compare(Program::Codex, |process| {
        let mut codex =
            Codex::start(process(&["app-server"]), "thread/start", json!({ "approvalPolicy": "never" }));
        codex.turn("<<bash echo one>> <<say first>>");
        codex.until("turn/completed");
        let thread = codex.thread.clone();
        codex.process.kill();
        let parameters = json!({ "threadId": thread, "approvalPolicy": "never", "model": "another", "excludeTurns": true });
        let mut codex = Codex::start(process(&["app-server"]), "thread/resume", parameters);
        codex.turn("<<say second>>");
        codex.until("turn/completed");
        codex.thread = "01a1df28-0000-7680-81cd-1bb819d08fae".into();
        let unknown = codex.call("thread/resume", json!({}));
        let told = story(&codex);
        assert!(
            unknown["error"]["message"].as_str().is_some_and(|text| text.starts_with("no rollout found"))
        );
        told.into_iter().filter(|line| !line.starts_with("usage")).collect()
    });
}
