//! Routes: sessions: running and resumable conversations with agents, and their transcripts.

use axum::routing::{delete, get, patch, post};
use paseo_core::tool::READ_TAB;
use paseo_wire::conversation::WhereaboutsQuery;
use paseo_wire::item::ItemQuery;
use paseo_wire::session::{ForceQuery, SessionQuery};

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{back, conversations, items, listing, sessions};

pub(super) static SESSIONS: Group = Group {
    tag: "sessions",
    about: "Sessions: running and resumable conversations with agents, and their transcripts.",
    routes: &[
        route("getWhereabouts", "GET", "/api/whereabouts", Access::Human, || get(conversations::whereabouts))
            .seeks()
            .says("Get the session of a project that the caller is in")
            .asks(query::<WhereaboutsQuery>())
            .gives("Whereabouts"),
        route("listSessions", "GET", "/api/sessions", Access::Human, || get(listing::list))
            .seeks()
            .says("List sessions, pinned first, then newest; with `brief`, returns SessionLines")
            .asks(query::<SessionQuery>())
            .gives_one_of(&["SessionPage", "SessionLines"]),
        route("createSession", "POST", "/api/sessions", Access::Human, || post(sessions::create))
            .limited()
            .seeks()
            .says("Create a session, optionally with a first message; supports Idempotency-Key")
            .heeds(&["Idempotency-Key"])
            .takes("CreateSession")
            .gives("CreatedSession"),
        route("getSession", "GET", "/api/sessions/{id}", Access::Human, || get(sessions::show))
            .says("Get a session")
            .gives("SessionAnswer"),
        route("getSessionPrompt", "GET", "/api/sessions/{id}/prompt", Access::Human, || {
            get(sessions::prompt)
        })
        .says("Get the text added to a session's prompt")
        .gives("PromptView"),
        route("updateSession", "PATCH", "/api/sessions/{id}", Access::Human, || patch(sessions::patch))
            .says("Update a session's name, labels, pin and attributes")
            .takes("PatchSession")
            .gives("SessionAnswer"),
        route("deleteSession", "DELETE", "/api/sessions/{id}", Access::Human, || delete(sessions::remove))
            .says("Delete a session and its transcript")
            .asks(query::<ForceQuery>())
            .gives("ActionAnswer"),
        route("getLastTurn", "GET", "/api/sessions/{id}/last-turn", Access::Tool(READ_TAB), || {
            get(items::last_turn)
        })
        .says("Get an agent's last turn")
        .gives("LastTurn"),
        route("listItems", "GET", "/api/sessions/{id}/items", Access::Human, || get(items::page))
            .says("List transcript items, one page at a time")
            .asks(query::<ItemQuery>())
            .gives("ItemPage"),
        route("getItemText", "GET", "/api/sessions/{id}/items/{ordinal}/text", Access::Human, || {
            get(items::text)
        })
        .says("Get the full text of an item")
        .made_of("text/plain"),
        route("stopSession", "POST", "/api/sessions/{id}/stop", Access::Human, || post(sessions::stop))
            .says("Stop the running turn and hold the queue until a person sends a message")
            .gives("ActionAnswer"),
        route("closeSession", "POST", "/api/sessions/{id}/close", Access::Human, || post(sessions::close))
            .says("Close a session")
            .gives("ActionAnswer"),
        route("reopenSession", "POST", "/api/sessions/{id}/reopen", Access::Human, || post(sessions::reopen))
            .says("Reopen a closed session")
            .gives("ActionAnswer"),
        route("clearSession", "POST", "/api/sessions/{id}/clear", Access::Human, || post(sessions::clear))
            .says("Clear a session's transcript and start over")
            .gives("ActionAnswer"),
        route("goBack", "POST", "/api/sessions/{id}/back", Access::Human, || post(back::back))
            .limited()
            .says("Get a summary from a session, deliver it to the previous one, and return there")
            .takes("GoBack")
            .gives("WentBack"),
    ],
};
