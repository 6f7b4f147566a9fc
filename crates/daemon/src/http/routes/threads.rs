//! Routes: threads: shared conversations between people and agents.

use axum::routing::{delete, get, patch, post};
use paseo_core::tool::{THREADS_INVITE, THREADS_POST, THREADS_READ};
use paseo_wire::page::PageQuery;
use paseo_wire::past::PastQuery;
use paseo_wire::session::ForceQuery;
use paseo_wire::thread::{ParticipantIdQuery, ThreadEventQuery, ThreadQuery};

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
            .seeks()
            .says("Create a thread")
            .takes("CreateThread")
            .heeds(&["Idempotency-Key"])
            .gives("ThreadAnswer"),
        route("getThread", "GET", "/api/threads/{thread}", Access::Seated(Some(THREADS_READ)), || {
            get(threads::show)
        })
        .says("Get a thread by id or name, as it is or as it was at a moment")
        .asks(query::<PastQuery>())
        .gives("ThreadAnswer"),
        route("updateThread", "PATCH", "/api/threads/{thread}", Access::Human, || patch(threads::change))
            .says("Update a thread's name and working directory")
            .takes("PatchThread")
            .gives("ThreadAnswer"),
        route("deleteThread", "DELETE", "/api/threads/{thread}", Access::Human, || delete(threads::remove))
            .says("Delete a thread and its messages, and close its participants' agents")
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
        .heeds(&["Idempotency-Key"])
        .gives("PostedMessage"),
        route(
            "previewWakes",
            "POST",
            "/api/threads/{thread}/wakes",
            Access::Seated(Some(THREADS_POST)),
            || post(threads::wakes),
        )
        .limited()
        .says("Get the participants that a message would wake, without sending it")
        .takes("PostMessage")
        .gives("WakePreview"),
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
        .asks(query::<PageQuery>())
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
        route("listHeldReplies", "GET", "/api/threads/{thread}/held", Access::Human, || get(threads::held))
            .says("List replies held until their authors may post, oldest first")
            .asks(query::<PageQuery>())
            .gives("HeldList"),
        route("markThreadLooked", "POST", "/api/threads/{thread}/looked", Access::Human, || {
            post(threads::looked)
        })
        .says("Mark messages of a thread as read")
        .takes("SeenMessages")
        .gives("ThreadAnswer"),
        route("suggestParticipantId", "GET", "/api/threads/{thread}/participant-id", Access::Human, || {
            get(threads::participant_id)
        })
        .says("Get a free id for a new participant")
        .asks(query::<ParticipantIdQuery>())
        .gives("SuggestedParticipantId"),
        route("createParticipantToken", "POST", "/api/threads/{thread}/tokens", Access::Human, || {
            post(threads::create_token)
        })
        .says("Create a token for one participant")
        .takes("CreateParticipantToken")
        .gives("CreatedToken"),
    ],
};
