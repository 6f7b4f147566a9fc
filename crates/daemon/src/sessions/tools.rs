//! Tools that an agent calls through its harness. Every call passes the scope check.

use paseo_core::actor::Actor;
use paseo_core::item::ToolOutcome;
use paseo_core::limits::NAME_CHARS;
use paseo_core::session::{self, Refusal};
use paseo_core::tool::{Grants, SET_BRANCH, SET_TITLE};
use serde_json::Value;

use super::actor::SessionActor;
use crate::failure::Failure;
use crate::worktrees;

impl SessionActor {
    /// Does what the agent asks for, if it may, and returns what to tell it.
    pub(super) async fn tool(&mut self, name: &str, input: &Value) -> (ToolOutcome, String) {
        let grants = Grants::of(&self.session, &self.context.settings.get());
        if let Err(refused) = grants.check(name) {
            tracing::info!(session = %self.id(), "refused a tool that is not granted");
            return (ToolOutcome::Denied, refused.to_string());
        }
        match name {
            SET_TITLE => self.set_title(input).await,
            SET_BRANCH => self.set_branch(input).await,
            // A power of the harness itself: it asked whether it may.
            native if native.starts_with("native_") => (ToolOutcome::Ok, String::new()),
            other => (ToolOutcome::Error, format!("the tool `{other}` cannot be called this way")),
        }
    }

    async fn set_branch(&mut self, input: &Value) -> (ToolOutcome, String) {
        let Some(name) = input.get("name").and_then(Value::as_str) else {
            return (ToolOutcome::Error, "set_branch needs a `name`: the new name of the branch".to_owned());
        };
        let Some(worktree) = self.session.profile.worktree.clone() else {
            return (ToolOutcome::Error, "nothing to name: this agent has no worktree".to_owned());
        };
        let renamed = match worktrees::rename(&worktree, name).await {
            Ok(renamed) => renamed,
            Err(why) => return (ToolOutcome::Error, format!("the branch keeps its name: {why}")),
        };
        let by = Actor::Session(self.id());
        let stored = self
            .change(&by, |change| {
                session::branch(&mut change.draft, &renamed.branch);
                Ok(())
            })
            .await;
        match stored {
            Ok(()) => (ToolOutcome::Ok, format!("The branch is now: {}", renamed.branch)),
            Err(failure) => (ToolOutcome::Error, failure.message),
        }
    }

    async fn set_title(&mut self, input: &Value) -> (ToolOutcome, String) {
        let title = input.get("title").and_then(Value::as_str).map(clean).filter(|title| !title.is_empty());
        let Some(title) = title else {
            return (ToolOutcome::Error, "set_title needs a `title`: a short text".to_owned());
        };
        let by = Actor::Session(self.id());
        let result = self
            .change(&by, |change| match session::title(&mut change.draft, title.clone()) {
                Ok(()) => Ok(format!("The title is now: {title}")),
                Err(refusal @ Refusal::TitledAlready) => Ok(format!("Nothing changed: {refusal}.")),
                Err(refusal) => Err(Failure::from(refusal)),
            })
            .await;
        match result {
            Ok(text) => (ToolOutcome::Ok, text),
            Err(failure) => (ToolOutcome::Error, failure.message),
        }
    }
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
