//! The queries and errors of the teamd protocol. Its clients send `""` for what they leave out, so everything is
//! optional text.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, Type};

use crate::id::{MemberId, TeamId};
use crate::words::TeamdCode;

/// The query of a request about a team.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdQuery {
    /// By default the team of the credential, or the only team.
    #[schema(schema_with = team_or_none)]
    pub team_id: Option<TeamId>,
}

/// The query of `GET /v1/inbox`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdInboxQuery {
    /// By default the team of the credential, or the only team.
    #[schema(schema_with = team_or_none)]
    pub team_id: Option<TeamId>,
    /// The agent of the credential, or any agent of the team if a person asks.
    pub agent_id: Option<MemberId>,
    /// A `nextSince`: a number.
    #[schema(pattern = "^ *[0-9]{0,19} *$")]
    pub since: Option<String>,
}

/// The query of `GET /v1/threads/search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdSearchQuery {
    /// By default the team of the credential, or the only team.
    #[schema(schema_with = team_or_none)]
    pub team_id: Option<TeamId>,
    /// Text to find in titles and messages.
    pub q: Option<String>,
    /// The same as `q`, as the protocol's tool calls it.
    pub query: Option<String>,
}

/// The query of `GET /v1/threads/{thread}/tail`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdTailQuery {
    /// By default the team of the credential, or the only team.
    #[schema(schema_with = team_or_none)]
    pub team_id: Option<TeamId>,
    /// Number of messages, at most 200. Anything but a positive number means 20.
    #[schema(schema_with = tail_limit)]
    pub limit: Option<String>,
}

/// Returns the schema of a team's id that may also be left empty.
fn team_or_none() -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("By default, and if empty: the team of the credential, or the only team."))
        .pattern(Some("^ *([A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?)? *$"))
        .into()
}

/// Returns the schema of a limit that refuses nothing.
fn tail_limit() -> RefOr<Schema> {
    let number = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(200));
    let limit = AnyOfBuilder::new()
        .description(Some(
            "How many messages; more than 200 counts as 200, and anything but a positive number as 20.",
        ))
        .default(Some(20.into()))
        .item(number)
        .item(ObjectBuilder::new().schema_type(Type::String))
        .build();
    RefOr::T(Schema::AnyOf(limit))
}

/// The query of `GET /v1/can-write`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TeamdWriteQuery {
    /// By default the team of the credential, or the only team. The answer to a team that is not there is `allow:
    /// false`.
    #[schema(value_type = Option<String>)]
    pub team_id: Option<TeamId>,
    /// The agent of the credential, or one of the team when a person asks. The answer to any other is `allow: false`.
    #[schema(value_type = Option<String>)]
    pub agent_id: Option<MemberId>,
    /// By default the whole project.
    pub path: Option<String>,
}

/// A failure in the shape of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamdError {
    pub error: TeamdRefusal,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamdRefusal {
    pub code: TeamdCode,
    /// What went wrong, and what to do.
    pub message: String,
    /// What to do next; null if there is no advice. An extension of the protocol.
    #[serde(default)]
    #[schema(required)]
    pub hint: Option<String>,
}
