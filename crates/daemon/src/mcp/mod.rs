//! The MCP servers that agents reach their tools by. Stateless: who calls is known from the path and the token.

mod server;
#[cfg(test)]
mod tests;

use paseo_core::tool::{Grants, Spec};
use paseo_runtime::provider::McpServer;

use crate::tools::catalogue::{self, SERVERS};

pub(crate) use server::serve;

/// Stands in the path for the session that calls.
const SELF: &str = "self";

/// Returns the servers that a session is given: those that have a tool for it.
///
/// Some harnesses take the addresses on their command line, which everybody can read: they do not tell the session's id.
pub(crate) fn servers(grants: &Grants, url: &str) -> Vec<McpServer> {
    let exposed = |spec: &&&Spec| spec.is_offered(grants.exposure());
    let has_tools = |server: &&str| {
        grants.specs().iter().filter(exposed).any(|spec| catalogue::server_of(spec.plugin) == *server)
    };
    let given = SERVERS.into_iter().filter(has_tools);
    given.map(|name| McpServer { name: name.to_owned(), url: format!("{url}/mcp/{SELF}/{name}") }).collect()
}
