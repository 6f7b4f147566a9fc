//! How a session is opened: the greeting, an old session or a new one, and what is set in it.

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::InitializeResponse;
use serde_json::{Value, json};

use super::adapt::{Conversation, Link};
use super::failure::{broken, failed, logins};
use super::out::Sent;
use super::parse::{RpcError, read, text};
use super::setup::Able;
use crate::driver::Action;
use crate::provider::{Failed, FailureCode, Output};

/// How many pages of sessions are looked through.
const PAGES: u32 = 20;

impl Conversation {
    pub(super) fn greeted(&mut self, result: &Value) {
        let name = &self.setup.name;
        let Some(hello) = read::<InitializeResponse>(result) else {
            let said: String = result.to_string().chars().take(200).collect();
            return self
                .give_up(broken(format!("{name} does not speak ACP: it answered initialize with {said}")));
        };
        if hello.protocol_version != ProtocolVersion::V1 {
            let theirs = hello.protocol_version;
            return self.give_up(broken(format!(
                "{name} speaks ACP version {theirs}, but Paseo speaks version 1; use another version of \
                 the agent"
            )));
        }
        self.logins = logins(&result["authMethods"]);
        let able = hello.agent_capabilities;
        self.able = Able {
            load: able.load_session,
            resume: able.session_capabilities.resume.is_some(),
            list: able.session_capabilities.list.is_some(),
            http: able.mcp_capabilities.http,
            images: able.prompt_capabilities.image,
        };
        self.link = Link::Opening;
        match self.setup.resume(self.able) {
            Some((method, params)) => {
                // What it is told again may come before the answer.
                self.resumed = true;
                self.out.request(method, &params, Sent::Resume);
                self.out.act(Action::Wake(self.setup.patience));
            }
            None if self.setup.resume.is_some() => self.forgotten(),
            None => {
                if self.past > 0 {
                    self.tell_lost();
                }
                self.open_new();
            }
        }
    }

    pub(super) fn open_new(&mut self) {
        self.setup.resume = None;
        self.resumed = false;
        self.link = Link::Opening;
        self.out.request("session/new", &self.setup.open(self.able), Sent::New);
        self.out.act(Action::Wake(self.setup.patience));
    }

    /// Starts over, as the old session is gone or cannot be continued.
    pub(super) fn forgotten(&mut self) {
        self.out.tell(Output::Forgotten);
        self.tell_lost();
        self.open_new();
    }

    pub(super) fn tell_lost(&mut self) {
        let name = &self.setup.name;
        let text = format!(
            "{name} could not resume the conversation. It starts a new one and remembers nothing of the \
             previous one."
        );
        self.out.notice("conversation_lost", text);
    }

    pub(super) fn find(&mut self, error: RpcError, cursor: Option<&str>) {
        self.pages += 1;
        let mut params = json!({ "cwd": self.setup.directory });
        if let Some(cursor) = cursor {
            params["cursor"] = cursor.into();
        }
        self.out.request("session/list", &params, Sent::Find(error));
    }

    pub(super) fn found(&mut self, error: RpcError, found: &Value) {
        let sessions = found["sessions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let wanted = self.setup.resume.as_deref();
        if sessions.iter().any(|session| Some(text(session, "sessionId")) == wanted) {
            let Failed { text, .. } = failed(&self.setup.name, &error, &self.logins);
            return self.give_up(Failed { code: FailureCode::ResumeFailed, text, until: None });
        }
        match found["nextCursor"].as_str() {
            Some(cursor) if self.pages < PAGES => self.find(error, Some(cursor)),
            _ => self.forgotten(),
        }
    }

    pub(super) fn opened(&mut self, session: &str, result: &Value) {
        match self.setup.steps(session, result) {
            Ok(steps) => {
                self.link = Link::Setting { session: session.to_owned(), steps: steps.into() };
                self.next_step_of_setup();
            }
            Err(text) => self.give_up(broken(text)),
        }
    }

    pub(super) fn next_step_of_setup(&mut self) {
        let Link::Setting { session, steps } = &mut self.link else { return };
        match steps.pop_front() {
            Some(step) => {
                self.out.request(step.method, &step.params, Sent::Step(step.clone()));
                self.out.act(Action::Wake(self.setup.patience));
            }
            None => {
                self.link = Link::Open { session: session.clone() };
                if !self.setup.hands_tools(self.able) && !self.setup.servers.is_empty() {
                    let name = &self.setup.name;
                    let text = format!(
                        "{name} does not support MCP servers over HTTP, so this agent has no Paseo tools."
                    );
                    self.out.notice("no_tools", text);
                }
                if let Some((variable, value)) = self.setup.as_root.filter(|_| !self.resumed) {
                    let name = &self.setup.name;
                    let text = format!(
                        "{name} runs as root: {variable}={value} was set, because it refuses to run in \
                         permission mode full otherwise."
                    );
                    self.out.notice("runs_as_root", text);
                }
                self.start_waiting();
            }
        }
    }

    /// Fails permanently: the next message gets a new process.
    pub(super) fn give_up(&mut self, failed: Failed) {
        self.link = Link::Broken(failed);
        self.start_waiting();
        self.out.act(Action::End);
    }
}
