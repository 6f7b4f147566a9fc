//! Tools that an agent calls through its harness, and those that change the agent itself.

use paseo_core::actor::Actor;
use paseo_core::id::ItemId;
use paseo_core::item::{Entry, Kind, Place, ToolOutcome};
use paseo_core::limits::NAME_CHARS;
use paseo_core::session::{self, Refusal};
use paseo_core::todo;
use paseo_core::tool::{SET_BRANCH, SET_TITLE, TODO};
use serde_json::Value;

use super::Command;
use super::actor::SessionActor;
use super::changes::Change;
use super::writing::place;
use crate::failure::Failure;
use crate::tools::Way;
use crate::{journal, mint, tools, worktrees};

impl SessionActor {
    /// Lets a tool that the agent calls through its harness be done. Not here: it may take long, or need this actor.
    pub(super) fn call_tool(&self, call: String, name: String, input: Value) {
        let (sessions, caller, mailbox) = (self.sessions.clone(), self.id(), self.mailbox.clone());
        tokio::spawn(async move {
            let (outcome, text) = tools::call(&sessions, caller, Way::Harness, &name, input).await;
            // Without the actor there is no harness to tell.
            if let Some(mailbox) = mailbox.upgrade() {
                let _ = mailbox.send(Command::ToolDone { call, outcome, text }).await;
            }
        });
    }

    /// Does what changes the agent itself. Whether it may was checked by [`tools::call`].
    pub(super) async fn tool(&mut self, name: &str, input: &Value) -> (ToolOutcome, String) {
        match name {
            SET_TITLE => self.set_title(input).await,
            SET_BRANCH => self.set_branch(input).await,
            TODO => self.set_todo(input).await,
            other => (ToolOutcome::Error, format!("the tool `{other}` does not change the agent itself")),
        }
    }

    async fn set_branch(&mut self, input: &Value) -> (ToolOutcome, String) {
        let Some(name) = input.get("name").and_then(Value::as_str) else {
            return (ToolOutcome::Error, "`name` is missing: give the new branch name".to_owned());
        };
        let Some(worktree) = self.session.profile.worktree.clone() else {
            return (ToolOutcome::Error, "no branch to name: this agent has no worktree".to_owned());
        };
        let renamed = match worktrees::rename(&worktree, name).await {
            Ok(renamed) => renamed,
            Err(why) => return (ToolOutcome::Error, format!("the branch was not renamed: {why}")),
        };
        let by = Actor::Session(self.id());
        let stored = self
            .change(&by, |change| {
                session::branch(&mut change.draft, &renamed.branch);
                Ok(())
            })
            .await;
        match stored {
            Ok(()) => (ToolOutcome::Ok, format!("Renamed the branch to {}", renamed.branch)),
            Err(failure) => (ToolOutcome::Error, failure.message),
        }
    }

    async fn set_todo(&mut self, input: &Value) -> (ToolOutcome, String) {
        let list = match todo::read(input) {
            Ok(list) => list,
            Err(refused) => return (ToolOutcome::Error, refused.to_string()),
        };
        let (turn, text) = (self.current, todo::encode(&list.todos));
        let stored = self.quietly(|change| plan(change, mint::item(), place(turn), &text)).await;
        match stored {
            Ok(()) => (ToolOutcome::Ok, todo::echo(&list)),
            Err(failure) => (ToolOutcome::Error, failure.message),
        }
    }

    async fn set_title(&mut self, input: &Value) -> (ToolOutcome, String) {
        let title = input.get("title").and_then(Value::as_str).map(clean).filter(|title| !title.is_empty());
        let Some(title) = title else {
            return (ToolOutcome::Error, "`title` is missing: give a short title".to_owned());
        };
        let by = Actor::Session(self.id());
        let result = self
            .change(&by, |change| match session::title(&mut change.draft, title.clone()) {
                Ok(()) => Ok(format!("Set the title to: {title}")),
                Err(refusal @ Refusal::TitledAlready) => Ok(format!("No change: {refusal}.")),
                Err(refusal) => Err(Failure::from(refusal)),
            })
            .await;
        match result {
            Ok(text) => (ToolOutcome::Ok, text),
            Err(failure) => (ToolOutcome::Error, failure.message),
        }
    }
}

/// Drafts a new list of what is to be done; an empty one takes it away.
pub(super) fn plan(change: &mut Change, id: ItemId, place: Place, list: &str) {
    let (session, reference) = (change.draft.session.id, journal::reference(list));
    change.entries.content(session, reference.id, list.to_owned(), None);
    change.entries.item_with(session, id, Entry { place, kind: Kind::Todo }, Some(reference.id));
    let is_empty = list.trim() == "[]";
    session::todo(&mut change.draft, (!is_empty).then_some(reference));
}

/// One line, without control characters, of bounded length.
fn clean(title: &str) -> String {
    let plain = title.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(NAME_CHARS)
        .collect()
}
