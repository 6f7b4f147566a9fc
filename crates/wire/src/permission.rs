//! Permission requests, the answers to them, and permission rules.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::id::{RequestHash, RuleId, SessionId};
use crate::time::Moment;
use crate::words::{CheckDecision, FieldFormat, FieldKind};

/// An open permission request, or a question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PermissionRequest {
    pub session: SessionId,
    pub handle: String,
    /// Name of the agent, given by a person.
    pub name: Option<String>,
    /// Where the agent was started. A rule applies there.
    pub project: String,
    /// Identifies the request, and binds an answer to exactly this text.
    pub hash: RequestHash,
    /// Name of the tool as the harness calls it; null if unknown.
    pub tool: Option<String>,
    /// One-line summary, or the first line of a question.
    #[serde(default)]
    pub headline: String,
    /// The exact action, or the question. Invisible characters are escaped.
    pub text: String,
    /// Questions with options, for a request that asks something. Answer them with `answers`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionView>,
    /// The plan that the agent asks to carry out. Allow it to approve, deny it with a message to have it revised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanView>,
    /// Fields to fill in, for a form of an MCP server. Answer them with `fields`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldView>,
    /// The address that an MCP server asks you to visit. Allow the request to say that you do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkView>,
    /// What a rule would cover, in words; null if the answer cannot be remembered.
    pub always: Option<String>,
    /// It may destroy what cannot be brought back, as far as the daemon can tell: clients ask twice before they allow it.
    #[serde(default)]
    pub destructive: bool,
    pub since: Moment,
    /// Terminal of the worker, for a request that can only be answered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
}

/// A question of a permission request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuestionView {
    pub text: String,
    /// A short title; null if there is none.
    pub header: Option<String>,
    /// Answers to choose from. Empty for a question that is answered in words.
    pub options: Vec<OptionView>,
    /// Several options may be chosen.
    pub multiple: bool,
    /// Other words than the options are an answer, too.
    pub open: bool,
    /// The answer is a secret: mask it. Paseo does not store it, and takes it only in `answers`.
    #[serde(default)]
    pub secret: bool,
}

/// An option of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OptionView {
    pub label: String,
    /// What it means; may be empty.
    pub description: String,
    /// What it would look like, as plain text; may be empty.
    #[serde(default)]
    pub preview: String,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldView {
    /// Key of the value in `fields`.
    pub name: String,
    pub title: String,
    /// What it means; may be empty.
    pub description: String,
    /// The form cannot be sent without it.
    pub required: bool,
    pub kind: FieldKind,
    /// Value to start with; null if there is none.
    #[schema(value_type = Value)]
    pub default: Option<Value>,
    /// Values to choose from, for the kinds `choice` and `choices`.
    pub options: Vec<FieldOptionView>,
    /// Format of a text; null for any text.
    pub format: Option<FieldFormat>,
    /// Regular expression that the MCP server expects a text to match. Paseo does not check it.
    pub pattern: Option<String>,
    /// Least value of a number, least length of a text, or least number of options.
    #[schema(value_type = Option<f64>)]
    pub minimum: Option<serde_json::Number>,
    /// Greatest value of a number, greatest length of a text, or greatest number of options.
    #[schema(value_type = Option<f64>)]
    pub maximum: Option<serde_json::Number>,
}

/// A value to choose in a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldOptionView {
    pub value: String,
    pub title: String,
    /// What it means; may be empty.
    pub description: String,
}

/// An address to visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LinkView {
    /// The address as text. Invisible characters are escaped.
    pub url: String,
    /// It is a web address that hides nothing: clients may offer it as a link. Show any other only as text.
    pub openable: bool,
}

/// A plan that an agent asks to carry out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanView {
    /// Markdown.
    pub text: String,
    /// The agent also asks for permissions in advance, which are not granted.
    pub advance: bool,
}

/// The answer to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionAnswer {
    /// Positions of the chosen options, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "crate::whole::positions")]
    #[schema(max_items = 64)]
    pub chosen: Vec<usize>,
    /// Your own words, where the question takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 16384)]
    pub text: Option<String>,
}

/// A page of open permission requests, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PermissionRequestPage {
    /// The point in the log to stream from.
    pub seq: u64,
    pub asks: Vec<PermissionRequest>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[schema(required)]
    pub next: Option<String>,
}

/// The query of `GET /api/permissions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PermissionRequestQuery {
    /// Only requests of this agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    pub session: Option<String>,
    /// Where the page before this one ended: its `next`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^-?[0-9]{1,18}:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")]
    pub after: Option<String>,
    /// How many to return at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100, default = 100)]
    pub limit: Option<usize>,
}

/// The body of `POST /api/sessions/{id}/permissions/{hash}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerPermission {
    pub allow: bool,
    /// Message to the agent: the answer to a question, or the reason for the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Answers to the `questions` of the request, one for each, in their order. Without them, `message` answers: by a
    /// line for each question, or as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 16)]
    pub answers: Option<Vec<QuestionAnswer>>,
    /// Values for the `fields` of the request, by their names: text, number, boolean, or an array of texts. Values that
    /// do not fit are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, Value>>)]
    pub fields: Option<Map<String, Value>>,
    /// Close a form or a link of an MCP server without an answer, which the server may tell from a denial. Needs
    /// `allow: false`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancel: bool,
    /// Remember the answer as a rule for what the request's `always` describes, in its project. Refused if that is null.
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

/// The answer that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnsweredPermission {
    pub seq: u64,
    pub id: SessionId,
    pub handle: String,
    pub hash: RequestHash,
    pub allow: bool,
    /// The new rule, if one was requested.
    pub rule: Option<RuleView>,
}

/// The body of `POST /api/sessions/{id}/leave`: an action of a harness, in its own format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Object)]
#[serde(transparent)]
pub struct CheckPermission(pub Map<String, Value>);

/// The answer to `POST /api/sessions/{id}/leave`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckedPermission {
    pub decision: CheckDecision,
    /// Reason for the agent, if denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A permission rule: a remembered answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleView {
    pub id: RuleId,
    /// Where it applies. A denial also applies everywhere below, and in each worktree of the repository.
    pub project: String,
    /// Name of the tool as the harness calls it. A denial applies to every tool.
    pub tool: String,
    /// What it covers, in words.
    pub covers: String,
    /// True to allow, false to deny. A denial wins over other rules.
    pub allow: bool,
}

/// The answer to `GET /api/rules`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleList {
    pub rules: Vec<RuleView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}
