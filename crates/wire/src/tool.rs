//! Tools on the wire: what an agent can call, and what it is answered.

use crate::words::{Power, ToolOutcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The answer to `GET /api/tools` and `GET /api/sessions/{id}/tools`: what is granted to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// What it can call.
    pub tools: Vec<ToolView>,
    /// What its harness may do by itself.
    pub powers: Vec<Power>,
    /// What its harness does all the same, as its provider cannot withhold it.
    pub unheld: Vec<Power>,
}

/// A tool that an agent can call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolView {
    pub name: String,
    /// What it belongs to.
    pub plugin: String,
    /// What it is for, in words for the agent.
    pub description: String,
    /// JSON schema of the arguments.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// The body of `POST /api/tools/{name}`: the arguments, as the tool's schema wants them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Object)]
#[serde(transparent)]
pub struct ToolArguments(pub Map<String, Value>);

/// The answer to `POST /api/tools/{name}`. A tool that is not granted is an error with the code `forbidden`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolAnswer {
    pub outcome: ToolOutcome,
    /// What the tool says.
    pub text: String,
}
