//! Doing what the model calls for: with leave, and to what leave was given for.

use std::time::Instant;

use paseo_core::item::{ToolOutcome, ToolResultExtra};
use paseo_core::permission;

use super::tools::{self, Action, Outcome, Target};
use super::turn::{Open, Turn};
use crate::own_agent::{Ran, Stop};
use crate::provider::Answer;

/// What came of a call.
struct Done {
    outcome: ToolOutcome,
    exit_code: Option<i32>,
    text: String,
    extra: Option<String>,
}

impl Done {
    fn of(outcome: ToolOutcome, text: String) -> Self {
        Self { outcome, exit_code: None, text, extra: None }
    }

    fn error(text: impl Into<String>) -> Self {
        Self::of(ToolOutcome::Error, text.into())
    }
}

impl Turn<'_> {
    /// Does the first of the calls that are open.
    pub(super) async fn perform(&mut self) -> Result<(), Stop> {
        let Some(open) = self.open.first().cloned() else { return Ok(()) };
        let (done, stop) = match &open.action {
            Err(wrong) => (Done::error(wrong.clone()), None),
            Ok(Some(action)) => self.own(&open, action).await?,
            Ok(None) => (self.ours(&open).await?, None),
        };
        self.open.remove(0);
        let Done { outcome, exit_code, text, extra } = done;
        self.close(&open, outcome, exit_code, text, extra).await?;
        stop.map_or(Ok(()), Err)
    }

    /// Has the daemon do what is its own.
    async fn ours(&mut self, open: &Open) -> Result<Done, Stop> {
        if !self.agent.tools.iter().any(|tool| tool.name == open.name) {
            let names = self.agent.offered.iter().filter_map(|tool| tool["function"]["name"].as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let names = if names.is_empty() { "none".to_owned() } else { names };
            return Ok(Done::error(format!("unknown tool `{}`; available: {names}", open.name)));
        }
        let (outcome, text) =
            self.desk.request_tool(&open.call, open.name.clone(), open.input.clone()).await?;
        Ok(Done::of(outcome, text))
    }

    /// Does what is the agent's own, once it has leave.
    async fn own(&mut self, open: &Open, action: &Action) -> Result<(Done, Option<Stop>), Stop> {
        let Some((power, _)) = tools::find(&open.name) else {
            return Ok((Done::error(format!("unknown tool `{}`", open.name)), None));
        };
        let target = match action.path().map(|path| self.agent.root.resolve(path)).transpose() {
            Ok(target) => target,
            Err(wrong) => return Ok((Done::error(wrong), None)),
        };
        let request = permission::Request {
            call: open.call.name.clone(),
            tool: open.name.clone(),
            input: open.input.clone(),
            power,
            shape: action.shape(&open.name, power, target.as_ref()),
            form: None,
        };
        match self.desk.request_permission(request).await? {
            Answer::Allow { .. } => {}
            Answer::Deny { message } => return Ok((Done::of(ToolOutcome::Denied, message), None)),
            // It put no question, so this allows nothing.
            Answer::Choose { .. } | Answer::Fill { .. } | Answer::Cancel => {
                return Ok((Done::of(ToolOutcome::Denied, "Permission denied.".to_owned()), None));
            }
        }
        match (action, target) {
            (Action::Shell { .. }, _) => self.command(open, action).await,
            (_, Some(target)) => Ok((self.files(action.clone(), target).await?, None)),
            (_, None) => Ok((Done::error("no file was named"), None)),
        }
    }

    async fn command(&mut self, open: &Open, action: &Action) -> Result<(Done, Option<Stop>), Stop> {
        let Action::Shell { command, limit } = action else { return Ok((Done::error("no command"), None)) };
        let mut call = open.call.clone();
        // Waiting for leave is not running.
        call.started = Instant::now();
        if let Some(first) = self.open.first_mut() {
            first.call = call.clone();
        }
        let Ran { mut text, exit_code, overdue, stop } =
            match self.desk.run(command, &call, Some(*limit)).await {
                Ok(ran) => ran,
                Err(error) => return Ok((Done::error(format!("sh: {error}")), None)),
            };
        if overdue {
            text.push_str(&format!("\n[stopped after {} seconds]\n", limit.as_secs()));
        }
        let outcome = match (&stop, exit_code) {
            (Some(_), _) => ToolOutcome::Interrupted,
            (None, Some(0)) => ToolOutcome::Ok,
            (None, _) => ToolOutcome::Error,
        };
        Ok((Done { outcome, exit_code, text, extra: None }, stop))
    }

    /// Works with files, beside: a slow disk must not keep a person from stopping it.
    async fn files(&mut self, action: Action, target: Target) -> Result<Done, Stop> {
        let work = tokio::task::spawn_blocking(move || action.perform(&target));
        Ok(match self.desk.during(work).await? {
            Ok(Ok(Outcome { text, diff })) => {
                let extra = diff.map(|diff| ToolResultExtra::of(vec![diff]));
                let extra = extra.and_then(|extra| serde_json::to_string(&extra).ok());
                Done { outcome: ToolOutcome::Ok, exit_code: None, text, extra }
            }
            Ok(Err(wrong)) => Done::error(wrong),
            Err(error) => Done::error(format!("the call failed: {error}")),
        })
    }
}
