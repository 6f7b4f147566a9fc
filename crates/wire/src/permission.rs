//! Asks, the answers to them, and standing rules on the wire.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::id::{RuleId, SessionId};
use crate::time::Moment;
use crate::words::LeaveDecision;

/// Something that an agent waits to be allowed, or to be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenAsk {
    pub session: SessionId,
    pub handle: String,
    /// What people call the agent.
    pub name: Option<String>,
    /// Where the agent was started: a rule counts there.
    pub project: String,
    /// Names the ask, and binds an answer to exactly this text.
    pub hash: String,
    /// The tool, in the harness's words; `None` when it is not known.
    pub tool: Option<String>,
    /// What would be done, in words; the first line of a question.
    #[serde(default)]
    pub headline: String,
    /// Exactly what would be done, or the question. Nothing in it is invisible.
    pub text: String,
    /// What a standing answer would cover, in words; `None` when there can be none.
    pub always: Option<String>,
    pub since: Moment,
    /// The worker's terminal, for a request that can only be answered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
}

/// A page of open asks, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub asks: Vec<OpenAsk>,
    /// Pass as `after` to read on.
    pub next: Option<String>,
}

/// The query of `GET /api/permissions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskQuery {
    /// Only what this agent asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^-?[0-9]{1,18}:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}:")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The body of `POST /api/sessions/{id}/permissions/{hash}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerPermission {
    pub allow: bool,
    /// Told to the agent: the answer to a question, the reason of a denial, or words along with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// From now on, for what the ask's `always` says, in its project. Refused when that is null.
    #[serde(default)]
    pub always: bool,
    /// For how long the request had been displayed without moving, in milliseconds by a monotonic clock. Required from
    /// browsers. Below 500 the decision is refused with `too_early`, as it is for a request younger than that.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::whole::optional_natural"
    )]
    pub shown_ms: Option<u64>,
}

/// An answer that won.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnsweredPermission {
    pub seq: u64,
    pub id: SessionId,
    pub handle: String,
    pub hash: String,
    pub allow: bool,
    /// What holds from now on, when that was wanted.
    pub rule: Option<RuleView>,
}

/// The body of `POST /api/sessions/{id}/leave`: what a harness wants to do, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Object)]
#[serde(transparent)]
pub struct AskLeave(pub Map<String, Value>);

/// The answer to `POST /api/sessions/{id}/leave`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeaveAnswer {
    pub decision: LeaveDecision,
    /// Why not, in words for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A permission rule: a remembered answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleView {
    pub id: RuleId,
    /// Where it counts: when it denies, also everywhere below, and in each worktree of the repository.
    pub project: String,
    /// The tool, in the harness's words. What is denied is denied to every tool.
    pub tool: String,
    /// What exactly it covers, in words.
    pub covers: String,
    /// Allowed, or denied. What is denied is denied whatever else is allowed.
    pub allow: bool,
}

/// The answer to `GET /api/rules`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleList {
    pub rules: Vec<RuleView>,
}
