//! Tools on the wire: what an agent can call, and what it is answered.

use crate::words::{Power, ToolOutcome, ToolPlugin};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The answer to `GET /api/tools` and `GET /api/sessions/{id}/tools`: the tools granted to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// Tools that it can call.
    pub tools: Vec<ToolView>,
    /// Powers that its harness has.
    pub powers: Vec<Power>,
    /// Powers that its harness has although they are denied, because its provider cannot withhold them.
    pub unheld: Vec<Power>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}

/// A tool that an agent can call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolView {
    pub name: String,
    /// Plugin of the tool.
    pub plugin: ToolPlugin,
    /// Description for the agent.
    pub description: String,
    /// JSON schema of the arguments.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// The body of `POST /api/tools/{name}`: the arguments, as in the tool's schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(value_type = Object)]
#[serde(transparent)]
pub struct ToolArguments(pub Map<String, Value>);

/// The answer to `POST /api/tools/{name}`. A tool that is not granted is an error with the code `forbidden`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolAnswer {
    pub outcome: ToolOutcome,
    /// Result of the tool, as text.
    pub text: String,
}
