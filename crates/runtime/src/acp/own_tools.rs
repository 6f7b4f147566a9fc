//! Our own tools among those of an agent: what they may do, the daemon decides.

use agent_client_protocol_schema::v1::ToolKind;
use paseo_core::tool::REGISTRY;

use super::calls::{Call, is_name};
use crate::provider::McpServer;

/// Returns the names of the tools on our servers.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().filter(|spec| spec.power.is_none()).map(|spec| spec.name)
}

/// Says whether a call is one of our own tools. By its whole name: another server's may begin like ours.
pub(super) fn is_ours(call: &Call, servers: &[McpServer]) -> bool {
    let name = call.name();
    // Only by the name of a tool, and never by words that a model could choose.
    call.kind == ToolKind::Other
        && is_name(&name)
        && name == call.title
        && servers.iter().any(|server| is_on(server, &name))
}

/// Says whether a name is that of a tool on a server, as agents write it.
fn is_on(server: &McpServer, name: &str) -> bool {
    let server = &server.name;
    names().any(|tool| {
        [format!("{server}_{tool}"), format!("mcp__{server}__{tool}"), format!("mcp_{server}_{tool}")]
            .iter()
            .any(|known| known == name)
    })
}
