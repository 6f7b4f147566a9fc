//! A daemon seen through the typed client, for tests that follow what happens.

use std::time::Duration;

use paseo_client::{Client, Events};
use paseo_testkit::home::TestHome;
use paseo_wire::item::{ItemBody, ItemQuery, ItemView};
use paseo_wire::message::{CreatedSession, Receipt, SendMessage};
use paseo_wire::session::CreateSession;
use paseo_wire::stream::Frame;
use paseo_wire::words::{ItemKind, ToolOutcome};

/// Nothing here takes this long; a test that waits longer has found a bug.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A home whose daemon runs.
pub(crate) struct Watched {
    pub(crate) home: TestHome,
    pub(crate) client: Client,
}

impl Watched {
    pub(crate) fn new() -> Self {
        Self::at(TestHome::new(env!("CARGO_BIN_EXE_paseo")))
    }

    /// The same in a home that is there.
    pub(crate) fn at(home: TestHome) -> Self {
        home.paseo(&["up"]).ok();
        let client = Client::unix(home.path().join("daemon.sock"));
        Self { home, client }
    }

    /// Kills the daemon and starts it again.
    pub(crate) fn crash(&self) {
        assert!(self.home.kill_daemon(), "there was a daemon to kill");
        self.home.paseo(&["up"]).ok();
    }

    pub(crate) async fn create(&self, prompt: &str) -> CreatedSession {
        let directory = self.home.work().display().to_string();
        let wanted = CreateSession { directory, prompt: Some(prompt.to_owned()), ..CreateSession::default() };
        self.client.create_session(&wanted, None).await.unwrap()
    }

    pub(crate) async fn send(&self, session: &str, text: &str) -> Receipt {
        let message = SendMessage {
            text: text.to_owned(),
            verb: Default::default(),
            wait: false,
            attachments: Vec::new(),
            output_schema: None,
        };
        self.client.send(session, &message, None).await.unwrap()
    }

    pub(crate) fn follow(&self, session: &str, after: u64) -> Events {
        self.client.events(after, &[format!("session:{session}")])
    }

    /// Waits until a session has nothing to do, and returns its status.
    pub(crate) async fn settled(&self, session: &str) -> String {
        let mut events =
            self.client.session(session).await.map(|answer| self.follow(session, answer.seq)).unwrap();
        loop {
            let view = self.client.session(session).await.unwrap().session;
            if view.turn.is_none() && view.queued == 0 {
                return view.status.to_string();
            }
            next(&mut events).await;
        }
    }

    /// Waits until a session's status has this reason: no event tells of it.
    pub(crate) async fn explained(&self, session: &str, reason: Option<&str>) {
        let asked = async {
            while self.client.session(session).await.unwrap().session.status_reason.as_deref() != reason {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asked).await.expect("the status has its reason");
    }

    /// Waits until a session is at work.
    pub(crate) async fn runs(&self, session: &str) {
        let asked = async {
            while self.client.session(session).await.unwrap().session.status.as_str() != "running" {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asked).await.expect("it is at work");
    }

    /// Returns the whole transcript.
    pub(crate) async fn items(&self, session: &str) -> Vec<ItemView> {
        let mut items: Vec<ItemView> = Vec::new();
        loop {
            let after = Some(items.last().map_or(0, |item| item.ordinal));
            let page =
                self.client.items(session, &ItemQuery { after, ..ItemQuery::default() }).await.unwrap();
            items.extend(page.items);
            if page.next.is_none() {
                return items;
            }
        }
    }

    /// Runs a prompt to its end and returns what its shell steps printed.
    pub(crate) async fn shell(&self, prompt: &str) -> String {
        let created = self.create(prompt).await;
        self.settled(&created.session.id).await;
        let items = self.items(&created.session.id).await;
        items
            .into_iter()
            .filter(|item| item.kind() == ItemKind::ToolResult)
            .filter_map(|item| item.text)
            .collect()
    }
}

/// Returns who sent a message.
pub(crate) fn origin(item: &ItemView) -> &str {
    let ItemBody::UserText(said) = &item.body else { panic!("no message: {item:?}") };
    &said.origin
}

/// Returns how a tool call ended, by its result.
pub(crate) fn outcome(item: &ItemView) -> &ToolOutcome {
    let ItemBody::ToolResult(result) = &item.body else { panic!("no result: {item:?}") };
    &result.outcome
}

/// Returns the next frame.
pub(crate) async fn next(events: &mut Events) -> Frame {
    tokio::time::timeout(PATIENCE, events.next()).await.expect("something happens").unwrap()
}

/// Waits for a frame.
pub(crate) async fn until(events: &mut Events, mut wanted: impl FnMut(&Frame) -> bool) -> Frame {
    loop {
        let frame = next(events).await;
        if wanted(&frame) {
            return frame;
        }
    }
}

/// Says whether a frame shows this text as it grows.
pub(crate) fn shows(frame: &Frame, text: &str) -> bool {
    matches!(frame, Frame::Live(live) if live.text.contains(text))
}
