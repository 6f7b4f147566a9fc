//! The table of routes: it builds the router, feeds the OpenAPI document and the test that tries them all.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, patch, post, put};
use http::StatusCode;
use paseo_core::tool::{READ_TAB, SEND_TO_TAB, THREADS_INVITE, THREADS_POST, THREADS_READ};
use paseo_wire::error::Code;

use super::gate::{Access, edge, gate};
use super::{
    App, admin, agents, back, bridge, conversations, devices, external, items, listing, messages, openapi,
    permissions, providers, rules, search, sessions, stream, threads, tools, trace, web, worktrees,
};
use crate::failure::Failure;
use crate::mcp;

/// Largest body that is read.
const BODY_BYTES: usize = 1024 * 1024;

/// One route.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) summary: &'static str,
    /// Name of the schema of the body.
    pub(crate) request: Option<&'static str>,
    /// Name of the schema of the answer.
    pub(crate) response: Option<&'static str>,
    /// Names of what the query may hold.
    pub(crate) query: &'static [&'static str],
    /// Names of headers that it heeds.
    pub(crate) headers: &'static [&'static str],
    /// Status of the answer when all goes well.
    pub(crate) status: u16,
    /// What the answer is made of, when it is not JSON.
    pub(crate) media: Option<&'static str>,
    handler: fn() -> MethodRouter<App>,
}

const fn route(
    method: &'static str,
    path: &'static str,
    access: Access,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route {
        method,
        path,
        access,
        summary: "",
        request: None,
        response: None,
        query: &[],
        headers: &[],
        status: 200,
        media: None,
        handler,
    }
}

impl Route {
    /// Says whether it is one of the bridge protocol.
    pub(crate) fn is_of_bridge(&self) -> bool {
        self.path.starts_with("/threads")
    }

    /// Refuses a request in the shape that its clients know.
    pub(crate) fn refuses(&self, failure: Failure) -> Response {
        if self.is_of_bridge() {
            return bridge::Refusal::from(failure).into_response();
        }
        failure.into_response()
    }

    const fn says(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    const fn takes(mut self, schema: &'static str) -> Self {
        self.request = Some(schema);
        self
    }

    const fn gives(mut self, schema: &'static str) -> Self {
        self.response = Some(schema);
        self
    }

    const fn heeds(mut self, headers: &'static [&'static str]) -> Self {
        self.headers = headers;
        self
    }

    const fn answers(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    const fn made_of(mut self, media: &'static str) -> Self {
        self.media = Some(media);
        self
    }

    const fn asks(mut self, query: &'static [&'static str]) -> Self {
        self.query = query;
        self
    }
}

/// Every route there is.
pub(crate) static ROUTES: &[Route] = &[
    route("GET", "/healthz", Access::Public, || get(admin::health)).says("Says that the daemon answers.").gives("Health"),
    route("GET", "/api/openapi.json", Access::Anyone, || get(openapi::document)).says("This document."),
    route("GET", "/api/status", Access::Anyone, || get(admin::status)).says("The daemon about itself.").gives("DaemonStatus"),
    route("GET", "/api/whoami", Access::Anyone, || get(admin::whoami)).says("Who the caller is.").gives("WhoAmI"),
    route("GET", "/api/whereabouts", Access::Human, || get(conversations::whereabouts))
        .says("Which session of a project the caller is in, and where they came from.")
        .asks(&["project"])
        .gives("Whereabouts"),
    route("POST", "/api/shutdown", Access::Human, || post(admin::shutdown)).says("Stops the daemon in good order.")
        .answers(202),
    route("GET", "/api/sessions", Access::Human, || get(listing::list))
        .says("Lists sessions: pinned ones first, then the newest. With `brief` the answer is SessionLines.")
        .asks(&["labels", "ui", "any_labels", "all_statuses", "project", "agent", "after", "limit", "brief"])
        .gives("SessionPage"),
    route("POST", "/api/sessions", Access::Human, || post(sessions::create))
        .says("Starts a session, with its first message if there is one. Honours Idempotency-Key.")
        .heeds(&["Idempotency-Key"])
        .takes("CreateSession")
        .gives("CreatedSession"),
    route("GET", "/api/sessions/{id}", Access::Tool(READ_TAB), || get(sessions::show)).says("Shows a session.").gives("SessionAnswer"),
    route("GET", "/api/sessions/{id}/prompt", Access::Human, || get(sessions::prompt))
        .says("Shows what is added to the prompt of a session's harness.")
        .gives("PromptView"),
    route("GET", "/api/sessions/{id}/secret", Access::Human, || get(external::secret))
        .says("Shows the secret that Paseo and an external agent know each other by.")
        .gives("SecretView"),
    route("GET", "/api/sessions/{id}/tools", Access::Human, || get(tools::of))
        .says("Shows what an agent may use.")
        .gives("ToolList"),
    route("PATCH", "/api/sessions/{id}", Access::Human, || patch(sessions::patch))
        .says("Changes a session's name, labels, pin and attributes.")
        .takes("PatchSession")
        .gives("SessionAnswer"),
    route("DELETE", "/api/sessions/{id}", Access::Human, || delete(sessions::remove))
        .says("Deletes a session with everything that was said in it.")
        .asks(&["force"])
        .gives("ActionAnswer"),
    route("GET", "/api/sessions/{id}/items", Access::Tool(READ_TAB), || get(items::page))
        .says("Reads a page of the transcript.")
        .asks(&["after", "before", "limit"])
        .gives("ItemPage"),
    route("GET", "/api/sessions/{id}/items/{ordinal}/text", Access::Tool(READ_TAB), || get(items::text)).says("Reads the whole text of an item.")
        .made_of("text/plain"),
    route("POST", "/api/sessions/{id}/messages", Access::Tool(SEND_TO_TAB), || post(messages::send))
        .says("Sends a message. Honours Idempotency-Key.")
        .heeds(&["Idempotency-Key"])
        .takes("SendMessage")
        .gives("Receipt"),
    route("GET", "/api/sessions/{id}/queue", Access::Tool(READ_TAB), || get(messages::queue))
        .says("Lists the messages that wait in a session, with the beginning of each.")
        .gives("Queue"),
    route("GET", "/api/sessions/{id}/deliveries/{delivery}", Access::Tool(SEND_TO_TAB), || get(messages::delivery))
        .says("Says what became of a message.")
        .gives("DeliveryView"),
    route("POST", "/api/sessions/{id}/stop", Access::Human, || post(sessions::stop)).says("Stops the running turn; the queue waits for a person.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/close", Access::Human, || post(sessions::close)).says("Closes a session.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/reopen", Access::Human, || post(sessions::reopen)).says("Reopens a closed session.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/clear", Access::Human, || post(sessions::clear)).says("Removes the transcript; the agent starts afresh.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/back", Access::Human, || post(back::back))
        .says("Asks a session for a summary, and takes it to where the person came from. Waits for the summary.")
        .takes("GoBack")
        .gives("WentBack"),
    route("GET", "/api/agents/{slug}/sessions", Access::Human, || get(conversations::list))
        .says("Lists the sessions of a definition: open ones first, the most recently updated first.")
        .asks(&["project", "after", "limit"])
        .gives("AgentSessions"),
    route("POST", "/api/agents/{slug}/messages", Access::Human, || post(conversations::message))
        .says("Sends a message to a session of a definition, and makes one if there is none. Honours Idempotency-Key.")
        .heeds(&["Idempotency-Key"])
        .takes("MessageAgent")
        .gives("MessagedAgent"),
    route("POST", "/api/agents/{slug}/switch", Access::Human, || post(conversations::switch))
        .says("Brings a person to a session of a definition, and notes where they came from.")
        .takes("SwitchAgent")
        .gives("SwitchedAgent"),
    route("GET", "/api/permissions", Access::Human, || get(permissions::list))
        .says("Lists what open agents ask, oldest first.")
        .asks(&["session", "after", "limit"])
        .gives("AskPage"),
    route("POST", "/api/sessions/{id}/permissions/{hash}", Access::Human, || post(permissions::answer))
        .says("Answers what an agent asks. The first answer wins.")
        .takes("AnswerPermission")
        .gives("AnsweredPermission"),
    route("GET", "/api/rules", Access::Human, || get(rules::list)).says("Lists what people decided for good.").gives("RuleList"),
    route("DELETE", "/api/rules/{rule}", Access::Human, || delete(rules::remove)).says("Forgets such a decision.").gives("RuleList"),
    route("GET", "/api/providers", Access::Human, || get(providers::list)).says("Lists the kinds of agents, and which could be used now.").gives("ProviderList"),
    route("POST", "/api/providers", Access::Human, || post(providers::add))
        .says("Makes a command that speaks the Agent Client Protocol a kind of agent.")
        .takes("AddProvider")
        .gives("ProviderList"),
    route("DELETE", "/api/providers/{name}", Access::Human, || delete(providers::remove))
        .says("Forgets such a command.")
        .gives("ProviderList"),
    route("GET", "/api/agents", Access::Human, || get(agents::list))
        .says("Lists the definitions of agents, with what is wrong with them.")
        .asks(&["project"])
        .gives("AgentList"),
    route("GET", "/api/agents/{slug}", Access::Human, || get(agents::show))
        .says("Shows a definition with everything that it comes to: which tools its agents have, and why not the others.")
        .asks(&["project", "untrusted"])
        .gives("AgentView"),
    route("POST", "/api/projects/trust", Access::Human, || post(agents::trust))
        .says("Makes the definitions of a project count, as long as they stay as they are.")
        .takes("TrustAgents")
        .gives("AgentList"),
    route("DELETE", "/api/projects/trust", Access::Human, || delete(agents::distrust))
        .says("Takes the trust in a project's definitions back.")
        .asks(&["project"])
        .gives("AgentList"),
    route("GET", "/api/settings", Access::Human, || get(admin::settings)).says("Shows the settings.").gives("SettingsView"),
    route("PUT", "/api/settings/{key}", Access::Human, || put(admin::change_setting)).says("Switches a setting.").takes("PutSetting").gives("SettingsView"),
    route("GET", "/api/tokens", Access::Human, || get(admin::tokens)).says("Lists tokens, without their secrets.").gives("TokenList"),
    route("POST", "/api/tokens", Access::Human, || post(admin::create_token)).says("Makes a token; its secret is shown once.").takes("CreateToken").gives("CreatedToken"),
    route("DELETE", "/api/tokens/{token}", Access::Human, || delete(admin::revoke_token)).says("Revokes a token.").gives("TokenList"),
    route("POST", "/api/login-links", Access::Human, || post(devices::link)).says("Makes a link with which a browser logs in, once, within five minutes.").gives("LoginLink"),
    route("POST", "/api/login", Access::Public, || post(devices::login)).says("Logs a browser in: sets its cookie.")
        .answers(204).takes("Login"),
    route("POST", "/api/logout", Access::Human, || post(devices::logout)).says("Logs the asking browser out.")
        .answers(204),
    route("GET", "/api/devices", Access::Human, || get(devices::list)).says("Lists the browsers that are logged in.").gives("DeviceList"),
    route("DELETE", "/api/devices/{device}", Access::Human, || delete(devices::revoke)).says("Logs a browser out.").gives("DeviceList"),
    route("GET", "/api/deliveries/{delivery}", Access::Human, || get(trace::delivery)).says("Tells the life of a message.").gives("DeliveryTrace"),
    route("GET", "/api/causes/{cause}", Access::Human, || get(trace::cause)).says("Shows what descends from a person's request.").gives("CauseView"),
    route("POST", "/api/causes/{cause}/stop", Access::Human, || post(trace::stop_cause)).says("Ends everything that descends from a person's request.").gives("CauseView"),
    route("GET", "/api/threads", Access::Human, || get(threads::list))
        .says("Lists threads, the oldest first.")
        .asks(&["after", "limit"])
        .gives("ThreadPage"),
    route("POST", "/api/threads", Access::Human, || post(threads::create))
        .says("Makes a thread.")
        .takes("CreateThread")
        .heeds(&["idempotency-key"])
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}", Access::Seated(Some(THREADS_READ)), || get(threads::show))
        .says("Shows a thread, by its id or its name: who is in it, and who may do what.")
        .gives("ThreadAnswer"),
    route("PATCH", "/api/threads/{thread}", Access::Human, || patch(threads::change))
        .says("Changes the name of a thread, and where its agents work.")
        .takes("PatchThread")
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}/events", Access::Seated(Some(THREADS_READ)), || get(threads::events))
        .says("What happened in a thread: the newest, or from a version or an event on.")
        .asks(&["after", "before", "from", "limit"])
        .gives("ThreadEventPage"),
    route("POST", "/api/threads/{thread}/messages", Access::Seated(Some(THREADS_POST)), || post(threads::post))
        .says("Says something in a thread, and wakes whom it is for.")
        .takes("PostMessage")
        .heeds(&["idempotency-key"])
        .gives("PostedMessage"),
    route("POST", "/api/threads/{thread}/controls", Access::Seated(Some(THREADS_INVITE)), || post(threads::control))
        .says("Invites and uninvites; mutes, pauses and switches, which only people may.")
        .takes("ThreadControl")
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}/presence", Access::Seated(Some(THREADS_READ)), || get(threads::presence))
        .says("What participants are doing right now.")
        .gives("PresenceList"),
    route("POST", "/api/threads/{thread}/presence", Access::Seated(Some(THREADS_POST)), || post(threads::say_presence))
        .says("Says what the caller is doing.")
        .takes("SayPresence")
        .gives("PresenceList"),
    route("POST", "/api/threads/{thread}/tokens", Access::Human, || post(threads::create_token))
        .says("Makes a token that speaks as one participant of the thread, and as nobody else.")
        .takes("CreateSeatToken")
        .gives("CreatedToken"),
    route("GET", "/api/search", Access::Human, || get(search::search))
        .says("Finds what was said, answered and done by words: the newest first. Waits a moment for what was acknowledged only just now; `behind` says what is not looked at yet.")
        .asks(&["q", "agent", "thread", "in", "kind", "from", "since", "until", "directory", "best", "after", "limit"])
        .gives("SearchPage"),
    route("GET", "/api/stream", Access::Seated(None), || get(stream::stream))
        .says("Server-sent events from a point in the log on; see the Frame schemas. `Last-Event-ID` wins over `after`.")
        .asks(&["after", "topics", "ui"])
        .heeds(&["Last-Event-ID"])
        .made_of("text/event-stream"),
    route("GET", "/threads", Access::Seated(None), || get(bridge::list))
        .says("Bridge protocol: lists threads, the oldest first; to a participant, only its own.")
        .asks(&["after"])
        .gives("BridgeThreads"),
    route("POST", "/threads", Access::Human, || post(bridge::create))
        .says("Bridge protocol: makes a thread.")
        .takes("BridgeCreate")
        .gives("BridgeCreated"),
    route("GET", "/threads/{thread}/events", Access::Seated(Some(THREADS_READ)), || get(bridge::events))
        .says("Bridge protocol: what happened in a thread after `since`, the oldest first, a page at a time.")
        .asks(&["since"])
        .gives("BridgeEvents"),
    route("POST", "/threads/{thread}/events", Access::Seated(Some(THREADS_POST)), || post(bridge::post))
        .says("Bridge protocol: posts a message or a control, as whom the credential stands for.")
        .takes("BridgePost")
        .heeds(&["idempotency-key"])
        .gives("BridgeReceived"),
    route("GET", "/threads/{thread}/events/stream", Access::Seated(Some(THREADS_READ)), || get(bridge::stream))
        .says("Bridge protocol: server-sent events after `since`, or from now on. `Last-Event-ID` wins over `since`.")
        .asks(&["since"])
        .heeds(&["Last-Event-ID"])
        .made_of("text/event-stream"),
    route("GET", "/threads/{thread}/presence", Access::Seated(Some(THREADS_READ)), || get(bridge::presence))
        .says("Bridge protocol: what participants are doing right now.")
        .gives("PresenceList"),
    route("POST", "/threads/{thread}/presence", Access::Seated(Some(THREADS_POST)), || post(bridge::say_presence))
        .says("Bridge protocol: says what the caller is doing.")
        .takes("BridgePresence")
        .gives("PresenceList"),
    route("GET", "/threads/{thread}/state", Access::Seated(Some(THREADS_READ)), || get(bridge::state))
        .says("Bridge protocol: who is invited, and who may do what.")
        .gives("BridgeStateAnswer"),
    route("GET", "/api/worktrees", Access::Human, || get(worktrees::list)).says("Lists the git worktrees of agents.").gives("WorktreeList"),
    route("DELETE", "/api/worktrees/{worktree}", Access::Human, || delete(worktrees::remove))
        .says("Removes a worktree. Refuses while anything would be lost; `force` archives it first.")
        .asks(&["force"])
        .gives("RemovedWorktree"),
    route("GET", "/api/tools", Access::Agent, || get(tools::own))
        .says("Lists the tools that are granted to the calling agent.")
        .gives("ToolList"),
    route("POST", "/api/tools/{name}", Access::Agent, || post(tools::call))
        .says("Calls a tool as the calling agent. The body is an object with the arguments.")
        .takes("ToolArguments")
        .gives("ToolAnswer"),
    route("POST", "/mcp/{id}/{server}", Access::Itself, || post(mcp::serve))
        .says("An MCP server of the asking agent (streamable HTTP, stateless).")
        .made_of("application/json"),
    route("POST", "/external/sessions/{id}/messages", Access::Callback, || post(external::receive))
        .says("Takes in what an external agent answers: text or Markdown, stored before this returns. Known again by Idempotency-Key, X-Paseo-Message-Id, or turnOriginId and text.")
        .asks(&["turnOriginId"])
        .heeds(&["Idempotency-Key", "X-Paseo-Message-Id", "X-Paseo-Timestamp", "X-Paseo-Signature"]),
    route("GET", "/", Access::Public, || get(web::front)).says("Leads to the web app.").answers(307),
    route("GET", "/login", Access::Public, || get(web::page)).says("The login page; the code of a link is in the fragment.").made_of("text/html"),
    route("GET", "/app/assets/{name}", Access::Public, || get(web::asset)).says("A part of the web app."),
    route("GET", "/app", Access::Page, || get(web::page)).says("The web app.").made_of("text/html"),
    route("GET", "/app/{*view}", Access::Page, || get(web::page)).says("A view of the web app.").made_of("text/html"),
];

/// Builds the router from the table.
pub(crate) fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let gated = (route.handler)().route_layer(from_fn_with_state((app.clone(), route), gate));
        router = router.route(route.path, gated);
    }
    router
        .fallback(|| async {
            Failure::new(Code::NotFound, "there is nothing here").hint("see /api/openapi.json")
        })
        .layer(map_response(method_not_allowed))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn_with_state(app.clone(), edge))
        .with_state(app)
}

/// Gives the router's own refusal the shape of all others.
async fn method_not_allowed(response: Response) -> Response {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    let mut told = Failure::new(Code::InvalidRequest, "this path does not take that method")
        .hint("see /api/openapi.json")
        .into_response();
    *told.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    told
}
