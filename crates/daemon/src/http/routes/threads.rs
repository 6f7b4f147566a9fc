//! Routes: threads: shared conversations between people and agents.

use axum::routing::{delete, get, patch, post};
use paseo_core::tool::{THREADS_INVITE, THREADS_POST, THREADS_READ};
use paseo_wire::session::ForceQuery;
use paseo_wire::thread::{ThreadEventQuery, ThreadQuery};

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::threads;

pub(super) static THREADS: Group = Group {
    tag: "threads",
    about: "Threads: shared conversations between people and agents.",
    routes: &[
        route("listThreads", "GET", "/api/threads", Access::Human, || get(threads::list))
            .says("List threads, oldest first")
            .asks(query::<ThreadQuery>())
            .gives("ThreadPage"),
        route("createThread", "POST", "/api/threads", Access::Human, || post(threads::create))
            .says("Create a thread")
            .takes("CreateThread")
            .heeds(&["idempotency-key"])
            .gives("ThreadAnswer"),
        route("getThread", "GET", "/api/threads/{thread}", Access::Seated(Some(THREADS_READ)), || {
            get(threads::show)
        })
        .says("Get a thread by id or name")
        .gives("ThreadAnswer"),
        route("updateThread", "PATCH", "/api/threads/{thread}", Access::Human, || patch(threads::change))
            .says("Update a thread's name and working directory")
            .takes("PatchThread")
            .gives("ThreadAnswer"),
        route("deleteThread", "DELETE", "/api/threads/{thread}", Access::Human, || delete(threads::remove))
            .says("Delete a thread and its messages, and close its participants' sessions")
            .asks(query::<ForceQuery>())
            .gives("ThreadAnswer"),
        route(
            "listThreadEvents",
            "GET",
            "/api/threads/{thread}/events",
            Access::Seated(Some(THREADS_READ)),
            || get(threads::events),
        )
        .says("List thread events: the newest, or those after a version or an event")
        .asks(query::<ThreadEventQuery>())
        .gives("ThreadEventPage"),
        route(
            "postThreadMessage",
            "POST",
            "/api/threads/{thread}/messages",
            Access::Seated(Some(THREADS_POST)),
            || post(threads::post),
        )
        .limited()
        .says("Send a message to a thread")
        .takes("PostMessage")
        .heeds(&["idempotency-key"])
        .gives("PostedMessage"),
        route(
            "controlThread",
            "POST",
            "/api/threads/{thread}/controls",
            Access::Seated(Some(THREADS_INVITE)),
            || post(threads::control),
        )
        .says(
            "Update participants (invite, uninvite) or, for people only, controls (mute, pause, discussion)",
        )
        .takes("ThreadControl")
        .gives("ThreadAnswer"),
        route(
            "listPresence",
            "GET",
            "/api/threads/{thread}/presence",
            Access::Seated(Some(THREADS_READ)),
            || get(threads::presence),
        )
        .says("List participants' presence")
        .gives("PresenceList"),
        route(
            "updatePresence",
            "POST",
            "/api/threads/{thread}/presence",
            Access::Seated(Some(THREADS_POST)),
            || post(threads::say_presence),
        )
        .says("Update the caller's presence")
        .takes("SayPresence")
        .gives("PresenceList"),
        route("createParticipantToken", "POST", "/api/threads/{thread}/tokens", Access::Human, || {
            post(threads::create_token)
        })
        .says("Create a token for one participant")
        .takes("CreateSeatToken")
        .gives("CreatedToken"),
    ],
};
