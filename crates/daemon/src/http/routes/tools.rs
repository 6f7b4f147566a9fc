//! Routes: tools that agents call as themselves.

use axum::routing::{get, post};
use paseo_wire::page::PageQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{leave, tools};
use crate::mcp;

pub(super) static TOOLS: Group = Group {
    tag: "tools",
    about: "Tools that agents call as themselves.",
    routes: &[
        route("listSessionTools", "GET", "/api/sessions/{id}/tools", Access::Human, || get(tools::of))
            .says("Get the tools an agent may use")
            .asks(query::<PageQuery>())
            .gives("ToolList"),
        route("listTools", "GET", "/api/tools", Access::Agent, || get(tools::own))
            .says("List the calling agent's tools")
            .asks(query::<PageQuery>())
            .gives("ToolList"),
        route("callTool", "POST", "/api/tools/{name}", Access::Agent, || post(tools::call))
            .says("Call a tool as the calling agent; the body is an object with the arguments")
            .takes("ToolArguments")
            .gives("ToolAnswer"),
        route("requestPermission", "POST", "/api/sessions/{id}/leave", Access::Itself, || post(leave::ask))
            .says(
                "Request permission for a tool call of the calling agent's harness in a terminal, in the \
             harness's format",
            )
            .takes("CheckPermission")
            .gives("CheckedPermission"),
        route("callMcpServer", "POST", "/mcp/{id}/{server}", Access::Itself, || post(mcp::serve))
            .says("Call the agent's MCP server (streamable HTTP, stateless)")
            .made_of("application/json"),
    ],
};
