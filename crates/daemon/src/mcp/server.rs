//! One request to an MCP server: whose it is, what it may see, what it does.

use std::sync::Arc;

use axum::RequestExt;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;
use paseo_core::tool::find;
use paseo_wire::VERSION;
use paseo_wire::error::Code;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::SELF;
use crate::failure::Failure;
use crate::http::App;
use crate::http::request::{Caller, Path};
use crate::sessions::Sessions;
use crate::tools::catalogue::{self, SERVERS};
use crate::tools::{self, Way};

/// Serves one request of an agent to one of its servers.
pub(crate) async fn serve(
    State(app): State<App>,
    Caller(by): Caller,
    Path((session, name)): Path<(String, String)>,
    request: Request,
) -> Response {
    let guest = match guest(&app, &by, &session, &name) {
        Ok(guest) => guest,
        Err(failure) => return failure.into_response(),
    };
    // Host and Origin were checked at the edge, for every route alike.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let service = StreamableHttpService::new(
        move || Ok(guest.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    service.handle(request.with_limited_body()).await.map(Body::new)
}

/// Finds out which agent asks for which of its servers.
fn guest(app: &App, by: &Actor, session: &str, name: &str) -> Result<Guest, Failure> {
    let is_own = |id: &SessionId| session == SELF || session.parse() == Ok(*id);
    let own = by.session().filter(is_own);
    let session = own.ok_or_else(|| {
        Failure::new(Code::Forbidden, "an agent's MCP servers accept only that agent's own token")
    })?;
    let server = SERVERS.into_iter().find(|server| *server == name).ok_or_else(|| {
        Failure::new(Code::NotFound, format!("unknown MCP server `{name}`"))
            .hint(format!("choose one of: {}", SERVERS.join(", ")))
    })?;
    Ok(Guest { sessions: app.sessions.clone(), session, server })
}

/// One agent at one server.
#[derive(Clone)]
struct Guest {
    sessions: Sessions,
    session: SessionId,
    server: &'static str,
}

impl Guest {
    fn tools(&self) -> Vec<Tool> {
        let context = &self.sessions.context;
        let Some(session) = context.directory.get(self.session) else { return Vec::new() };
        let grants = context.grants(&session);
        let described = catalogue::describe(context, &session, &grants);
        described
            .into_iter()
            .filter(|tool| catalogue::server_of(tool.plugin) == self.server)
            .filter(|tool| find(tool.name).is_some_and(|spec| spec.is_offered(grants.exposure())))
            .map(|tool| {
                let schema = match tool.schema {
                    Value::Object(schema) => schema,
                    _ => serde_json::Map::new(),
                };
                Tool::new(tool.name, tool.description, schema)
            })
            .collect()
    }

    async fn call(&self, name: String, input: Value) -> Result<CallToolResult, ErrorData> {
        // Another server's tool is no tool of this one, whoever may use it there.
        let elsewhere = find(&name).is_some_and(|spec| catalogue::server_of(spec.plugin) != self.server);
        if elsewhere {
            let text = format!("the tool `{name}` is not on the server `{}`", self.server);
            return Ok(CallToolResult::error(vec![ContentBlock::text(text)]));
        }
        let (outcome, text) = tools::call(&self.sessions, self.session, Way::Harness, &name, input).await;
        let content = vec![ContentBlock::text(text)];
        Ok(match outcome {
            ToolOutcome::Ok => CallToolResult::success(content),
            ToolOutcome::Error | ToolOutcome::Denied | ToolOutcome::Interrupted => {
                CallToolResult::error(content)
            }
        })
    }
}

impl ServerHandler for Guest {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new(self.server, VERSION);
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = request.arguments.map_or(Value::Null, Value::Object);
        tokio::select! {
            answer = self.call(request.name.into_owned(), input) => answer.map(Into::into),
            // Nobody listens any more: whoever waits is told by a notice instead.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was aborted", None)),
        }
    }
}
