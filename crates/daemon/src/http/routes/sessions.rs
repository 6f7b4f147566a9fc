//! Routes: agents, which the API calls sessions, and their transcripts.

use axum::routing::{delete, get, patch, post};
use paseo_core::tool::READ_TAB;
use paseo_wire::conversation::WhereaboutsQuery;
use paseo_wire::inbox::InboxPageQuery;
use paseo_wire::item::{ItemQuery, TurnQuery};
use paseo_wire::session::{ForceQuery, SessionQuery};

use crate::http::gate::Access;
use crate::http::route::{Group, Socket, query, route};
use crate::http::{back, conversations, inbox, items, listing, sessions, terminal, turns};

pub(super) static SESSIONS: Group = Group {
    tag: "sessions",
    about: "Agents and their transcripts. A session is one agent: a running or resumable conversation.",
    routes: &[
        route("getWhereabouts", "GET", "/api/whereabouts", Access::Human, || get(conversations::whereabouts))
            .seeks()
            .says("Get the caller's current agent in a project")
            .asks(query::<WhereaboutsQuery>())
            .gives("Whereabouts"),
        route("listSessions", "GET", "/api/sessions", Access::Human, || get(listing::list))
            .seeks()
            .measures()
            .says("List agents, pinned first, then newest; with `brief`, returns SessionLines")
            .asks(query::<SessionQuery>())
            .gives_one_of(&["SessionPage", "SessionLines"]),
        route("createSession", "POST", "/api/sessions", Access::Human, || post(sessions::create))
            .limited()
            .attaches()
            .seeks()
            .says("Create an agent, optionally with a first message; supports Idempotency-Key")
            .heeds(&["Idempotency-Key"])
            .takes("CreateSession")
            .gives("CreatedSession"),
        route("getSession", "GET", "/api/sessions/{id}", Access::Human, || get(sessions::show))
            .says("Get an agent")
            .gives("SessionAnswer"),
        route("getSessionPrompt", "GET", "/api/sessions/{id}/prompt", Access::Human, || {
            get(sessions::prompt)
        })
        .says("Get the text added to an agent's prompt")
        .gives("PromptView"),
        route("updateSession", "PATCH", "/api/sessions/{id}", Access::Human, || patch(sessions::patch))
            .says("Update an agent's name, labels, pin, attributes, model, effort and permissions")
            .takes("PatchSession")
            .gives("SessionAnswer"),
        route("deleteSession", "DELETE", "/api/sessions/{id}", Access::Human, || delete(sessions::remove))
            .says("Delete an agent and its transcript")
            .asks(query::<ForceQuery>())
            .gives("ActionAnswer"),
        route("getLastTurn", "GET", "/api/sessions/{id}/last-turn", Access::Tool(READ_TAB), || {
            get(items::last_turn)
        })
        .says("Get an agent's last turn")
        .gives("LastTurn"),
        route("openShell", "GET", "/api/sessions/{id}/shell", Access::Human, || get(terminal::open_shell))
            .socket(Socket { server: "TerminalServerFrame", client: "TerminalClientFrame" })
            .says("Open the caller's own shell in an agent's directory, by a WebSocket"),
        route("listItems", "GET", "/api/sessions/{id}/items", Access::Human, || get(items::page))
            .says("List transcript items, one page at a time")
            .asks(query::<ItemQuery>())
            .gives("ItemPage"),
        route("listTurns", "GET", "/api/sessions/{id}/turns", Access::Human, || get(turns::page))
            .says("List the turns of an agent, one page at a time")
            .asks(query::<TurnQuery>())
            .gives("TurnPage"),
        route("getItemText", "GET", "/api/sessions/{id}/items/{ordinal}/text", Access::Human, || {
            get(items::text)
        })
        .says("Get the full text of an item")
        .made_of("text/plain"),
        route("stopSession", "POST", "/api/sessions/{id}/stop", Access::Human, || post(sessions::stop))
            .says("Stop the running turn and hold the queue until a person sends a message")
            .gives("ActionAnswer"),
        route("closeSession", "POST", "/api/sessions/{id}/close", Access::Human, || post(sessions::close))
            .says("Close an agent")
            .gives("ActionAnswer"),
        route("reopenSession", "POST", "/api/sessions/{id}/reopen", Access::Human, || post(sessions::reopen))
            .says("Reopen a closed agent")
            .gives("ActionAnswer"),
        route("promoteSession", "POST", "/api/sessions/{id}/promote", Access::Human, || {
            post(sessions::promote)
        })
        .says("Promote a subagent to an independent agent; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .gives("ActionAnswer"),
        route("clearSession", "POST", "/api/sessions/{id}/clear", Access::Human, || post(sessions::clear))
            .says("Clear an agent's transcript and start over")
            .gives("ActionAnswer"),
        route("markLooked", "POST", "/api/sessions/{id}/looked", Access::Human, || post(sessions::looked))
            .says("Mark an agent's news as seen")
            .takes("SeenNews")
            .gives("ActionAnswer"),
        route("archiveSession", "POST", "/api/sessions/{id}/archive", Access::Human, || {
            post(sessions::archive)
        })
        .says("Archive an agent: hide it from the inbox until something new happens")
        .takes("SeenNews")
        .gives("ActionAnswer"),
        route("getInbox", "GET", "/api/inbox", Access::Human, || get(inbox::show))
            .says("Get the inbox: agents that need a person, finished or are working")
            .asks(query::<InboxPageQuery>())
            .gives("Inbox"),
        route("goBack", "POST", "/api/sessions/{id}/back", Access::Human, || post(back::back))
            .limited()
            .says("Switch back to the previous agent with a summary from the current one")
            .takes("GoBack")
            .gives("WentBack"),
    ],
};
