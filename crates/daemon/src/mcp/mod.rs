//! The MCP servers that agents reach their tools by. Stateless: who calls is known from the path and the token.

mod server;
#[cfg(test)]
mod tests;

use paseo_core::id::SessionId;
use paseo_core::tool::Grants;
use paseo_runtime::provider::McpServer;

use crate::tools::catalogue;

pub(crate) use server::serve;

/// Returns the servers that a session is given: those that have a tool for it.
pub(crate) fn servers(grants: &Grants, url: &str, session: SessionId) -> Vec<McpServer> {
    let given = catalogue::SERVERS.iter().filter(|server| server.granted(grants).next().is_some());
    given
        .map(|server| McpServer {
            name: server.name.to_owned(),
            url: format!("{url}/mcp/{session}/{}", server.name),
        })
        .collect()
}
