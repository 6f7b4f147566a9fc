//! One method per route of threads. A `thread` may be an id or a name.

use http::Method;
use paseo_wire::past::PastQuery;
use paseo_wire::settings::CreatedToken;
use paseo_wire::thread::{
    CreateParticipantToken, CreateThread, HeldList, ParticipantIdQuery, PatchThread, PostMessage,
    PostedMessage, PresenceList, SeenMessages, SuggestedParticipantId, ThreadAnswer, ThreadControl,
    ThreadEventPage, ThreadEventQuery, ThreadPage, ThreadQuery, WakePreview,
};
use serde_json::Value;

use crate::client::Ask;
use crate::routes::keyed;
use crate::uri::{path, query};
use crate::{Client, Error};

impl Client {
    /// Returns a page of threads.
    pub async fn threads(&self, asked: &ThreadQuery) -> Result<ThreadPage, Error> {
        self.get(&format!("/api/threads{}", query(asked))).await
    }

    /// Makes a thread. Repeated with the same key, it is made once.
    pub async fn create_thread(
        &self,
        wanted: &CreateThread,
        key: Option<&str>,
    ) -> Result<ThreadAnswer, Error> {
        self.read(keyed(Ask::new(Method::POST, "/api/threads"), key).json(wanted)).await
    }

    /// Shows a thread.
    pub async fn thread(&self, thread: &str) -> Result<ThreadAnswer, Error> {
        self.get(&path(["api", "threads", thread])).await
    }

    /// Shows a thread as it was.
    pub async fn past_thread(&self, thread: &str, past: &PastQuery) -> Result<ThreadAnswer, Error> {
        self.get(&format!("{}{}", path(["api", "threads", thread]), query(past))).await
    }

    /// Changes a thread's name, or where its agents work.
    pub async fn patch_thread(&self, thread: &str, patch: &PatchThread) -> Result<ThreadAnswer, Error> {
        self.read(Ask::new(Method::PATCH, &path(["api", "threads", thread])).json(patch)).await
    }

    /// Deletes a thread, and returns it as it was. While it has running agents, only by force.
    pub async fn delete_thread(&self, thread: &str, force: bool) -> Result<ThreadAnswer, Error> {
        let path = path(["api", "threads", thread]);
        let path = if force { format!("{path}?force=true") } else { path };
        self.read(Ask::new(Method::DELETE, &path)).await
    }

    /// Returns what happened in a thread.
    pub async fn thread_events(
        &self,
        thread: &str,
        asked: &ThreadEventQuery,
    ) -> Result<ThreadEventPage, Error> {
        self.get(&format!("{}{}", path(["api", "threads", thread, "events"]), query(asked))).await
    }

    /// Says something in a thread. Repeated with the same key, it is said once.
    pub async fn post(
        &self,
        thread: &str,
        message: &PostMessage,
        key: Option<&str>,
    ) -> Result<PostedMessage, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "threads", thread, "messages"]));
        self.read(keyed(ask, key).json(message)).await
    }

    /// Returns whom a message would wake, without sending it.
    pub async fn wakes(&self, thread: &str, message: &PostMessage) -> Result<WakePreview, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "threads", thread, "wakes"])).json(message)).await
    }

    /// Returns the replies that are held until their authors may post.
    pub async fn held_replies(&self, thread: &str) -> Result<HeldList, Error> {
        self.whole(&path(["api", "threads", thread, "held"])).await
    }

    /// Notes that a person has looked at messages of a thread.
    pub async fn looked_at_thread(&self, thread: &str, seen: &SeenMessages) -> Result<ThreadAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "threads", thread, "looked"])).json(seen)).await
    }

    /// Returns a free id for a new participant.
    pub async fn suggest_participant_id(
        &self,
        thread: &str,
        asked: &ParticipantIdQuery,
    ) -> Result<SuggestedParticipantId, Error> {
        let path = path(["api", "threads", thread, "participant-id"]);
        self.get(&format!("{path}{}", query(asked))).await
    }

    /// Changes who is in a thread, or who may do what.
    pub async fn control_thread(&self, thread: &str, control: Value) -> Result<ThreadAnswer, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "threads", thread, "controls"]));
        self.read(ask.json(&ThreadControl(control))).await
    }

    /// Returns what participants are doing.
    pub async fn presence(&self, thread: &str) -> Result<PresenceList, Error> {
        self.whole(&path(["api", "threads", thread, "presence"])).await
    }

    /// Creates a token for one participant.
    pub async fn create_seat_token(
        &self,
        thread: &str,
        wanted: &CreateParticipantToken,
    ) -> Result<CreatedToken, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "threads", thread, "tokens"]));
        self.read(ask.json(wanted)).await
    }
}
