//! Agents of several definitions, driven by scripts, for tests in which they work together.

use std::fs;

use paseo_testkit::home::TestHome;
use paseo_wire::change::SessionChange;
use paseo_wire::item::ItemView;
use paseo_wire::session::{CreateSession, SessionView};
use paseo_wire::stream::Frame;
use paseo_wire::words::ItemKind;
use serde_json::Value;

use crate::watch::{PATIENCE, Watched, next, outcome};

/// A home with definitions whose agents do what their scripts say.
pub(crate) struct Cast(pub(crate) Watched);

/// A tool that was called, with what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) outcome: String,
    pub(crate) text: String,
}

impl Called {
    /// Returns what the tool told, which must have worked.
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.outcome, "ok", "{}", self.text);
        &self.text
    }

    /// Returns what the tool told, which must have been an error.
    pub(crate) fn error(&self) -> &str {
        assert_eq!(self.outcome, "error", "{}", self.text);
        &self.text
    }

    /// Returns what the tool told as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.ok()).unwrap()
    }

    /// Returns the id of the agent that was started.
    pub(crate) fn agent(&self) -> String {
        let first = self.text.lines().next().unwrap();
        first.strip_prefix("agent_id: ").unwrap_or_else(|| panic!("{}", self.text)).to_owned()
    }
}

/// Writes a call of a tool as a directive.
pub(crate) fn tool(name: &str, input: &Value) -> String {
    format!("<<tool {name} {}>>", input.to_string().replace('>', "\\>"))
}

impl Cast {
    /// Starts a daemon with these settings switched on.
    pub(crate) fn new(switches: &[&str]) -> Self {
        Self::at(TestHome::new(env!("CARGO_BIN_EXE_paseo")), switches)
    }

    /// The same in a home that is there.
    pub(crate) fn at(home: TestHome, switches: &[&str]) -> Self {
        let watched = Watched::at(home);
        for key in switches {
            watched.home.paseo(&["settings", "set", key, "on"]).ok();
        }
        Self(watched)
    }

    /// Defines an agent that quotes what it gets. `fields` is TOML.
    pub(crate) fn define(&self, slug: &str, fields: &str) {
        let folder = self.0.home.path().join("agents");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{slug}.toml")), format!("provider = 'scripted'\n{fields}\n")).unwrap();
        self.0.home.trust();
    }

    /// Defines an agent that follows a script, whatever agents tell it.
    pub(crate) fn script(&self, slug: &str, fields: &str, script: &str) {
        let file = self.0.home.work().with_file_name(format!("{slug}.script"));
        fs::write(&file, script).unwrap();
        self.define(slug, &format!("{fields}\n[[models]]\nmodel_id = '{}'\n", file.display()));
    }

    /// Makes an idle agent.
    pub(crate) async fn idle(&self, slug: &str) -> SessionView {
        self.create(CreateSession { agent: Some(slug.to_owned()), ..CreateSession::default() }).await
    }

    /// Starts an agent with a prompt.
    pub(crate) async fn start(&self, slug: &str, prompt: &str) -> SessionView {
        let prompt = Some(prompt.to_owned());
        self.create(CreateSession { agent: Some(slug.to_owned()), prompt, ..CreateSession::default() }).await
    }

    pub(crate) async fn create(&self, wanted: CreateSession) -> SessionView {
        let directory = self.0.home.work().display().to_string();
        let wanted = CreateSession { directory, ..wanted };
        self.0.client.create_session(&wanted, None).await.unwrap().session
    }

    /// Has an agent call a tool and returns what came of it.
    pub(crate) async fn call(&self, session: &str, name: &str, input: &Value) -> Called {
        self.0.send(session, &tool(name, input)).await;
        self.0.settled(session).await;
        self.called(session).await.pop().unwrap()
    }

    /// Returns all tools that an agent called, in order.
    pub(crate) async fn called(&self, session: &str) -> Vec<Called> {
        let results =
            self.0.items(session).await.into_iter().filter(|item| item.kind() == ItemKind::ToolResult);
        results
            .map(|item| Called { outcome: outcome(&item).to_string(), text: item.text.unwrap_or_default() })
            .collect()
    }

    /// Returns what an agent said, in order.
    pub(crate) async fn said(&self, session: &str) -> Vec<String> {
        self.texts(session, ItemKind::AssistantText).await
    }

    /// Returns what an agent was told, in order.
    pub(crate) async fn heard(&self, session: &str) -> Vec<String> {
        self.texts(session, ItemKind::UserText).await
    }

    /// Returns the notices that an agent got, in order.
    pub(crate) async fn notices(&self, session: &str) -> Vec<String> {
        self.heard(session).await.into_iter().filter(|text| text.contains("[notice]")).collect()
    }

    pub(crate) async fn texts(&self, session: &str, kind: ItemKind) -> Vec<String> {
        let items = self.0.items(session).await.into_iter().filter(|item| item.kind() == kind);
        items.filter_map(|item| item.text).collect()
    }

    pub(crate) async fn view(&self, session: &str) -> SessionView {
        self.0.client.session(session).await.unwrap().session
    }

    /// Waits until an agent's transcript is as wanted.
    pub(crate) async fn until(&self, session: &str, wanted: impl Fn(&[ItemView]) -> bool) {
        let mut events = self.0.follow(session, 0);
        loop {
            let items = self.0.items(session).await;
            if wanted(&items) {
                return;
            }
            if tokio::time::timeout(PATIENCE, events.next()).await.is_err() {
                panic!("it never came; {:#?} has {items:#?}", self.view(session).await);
            }
        }
    }

    /// Waits until so many messages were accepted for an agent.
    pub(crate) async fn until_accepted(&self, session: &str, count: usize) {
        let (mut events, mut accepted) = (self.0.follow(session, 0), 0);
        while accepted < count {
            let frame = next(&mut events).await;
            accepted += usize::from(
                matches!(frame, Frame::Event(event) if matches!(event.change, SessionChange::MessageAccepted { .. })),
            );
        }
    }

    /// Waits until an agent was told something.
    pub(crate) async fn until_heard(&self, session: &str, words: &str) {
        let said = |item: &ItemView| item.text.as_deref().is_some_and(|text| text.contains(words));
        self.until(session, |items| items.iter().any(|item| item.kind() == ItemKind::UserText && said(item)))
            .await;
    }

    /// Waits until an agent has called a tool, or its shell, and is not answered yet.
    pub(crate) async fn until_calling(&self, session: &str) {
        self.until(session, |items| items.last().is_some_and(|item| item.kind() == ItemKind::ToolCall)).await;
    }

    /// Returns the open agents of a definition.
    pub(crate) async fn open(&self, slug: &str) -> Vec<SessionView> {
        let all = self.0.client.sessions(&Default::default()).await.unwrap().sessions;
        all.into_iter().filter(|session| session.agent == slug).collect()
    }
}

/// A shell step that waits for [`release`].
pub(crate) const WAIT: &str = "<<sh until [ -e go ]; do sleep 0.02; done>>";

/// Lets those go on that wait.
pub(crate) fn release(cast: &Cast) {
    fs::write(cast.0.home.work().join("go"), "").unwrap();
}
