//! Routes: the bridge protocol, for clients that speak it.

use axum::routing::{get, post};
use paseo_core::tool::{THREADS_POST, THREADS_READ};
use paseo_wire::bridge::{BridgeQuery, BridgeStreamQuery, BridgeThreadsQuery};

use crate::http::bridge;
use crate::http::gate::Access;
use crate::http::route::{Group, query, route};

pub(super) static BRIDGE: Group = Group {
    tag: "bridge",
    about: "The bridge protocol, for clients that speak it.",
    routes: &[
    route("bridgePing", "GET", "/ping", Access::Public, || get(bridge::ping))
        .says("Bridge protocol: get the daemon's health")
        .gives("BridgePing"),
    route("bridgeListThreads", "GET", "/threads", Access::Seated(None), || get(bridge::list))
        .says("Bridge protocol: list threads, oldest first; participants see only their own")
        .asks(query::<BridgeThreadsQuery>())
        .gives("BridgeThreads"),
    route("bridgeCreateThread", "POST", "/threads", Access::Human, || post(bridge::create))
        .seeks()
        .says("Bridge protocol: create a thread")
        .takes("BridgeCreate")
        .gives("BridgeCreated"),
    route("bridgeListEvents", "GET", "/threads/{thread}/events", Access::Seated(Some(THREADS_READ)), || get(bridge::events))
        .says(
            "Bridge protocol: list thread events after `since`, oldest first; all of them, or a page of \
             `limit`",
        )
        .asks(query::<BridgeQuery>())
        .gives("BridgeEvents"),
    route("bridgePostEvent", "POST", "/threads/{thread}/events", Access::Seated(Some(THREADS_POST)), || post(bridge::post))
        .limited()
        .says("Bridge protocol: send a message or a control as the owner of the credential")
        .takes("BridgePost")
        .heeds(&["Idempotency-Key"])
        .gives("BridgeReceived"),
    route("bridgeWatchEvents", "GET", "/threads/{thread}/events/stream", Access::Seated(Some(THREADS_READ)), || {
        get(bridge::stream)
    })
    .says(
        "Bridge protocol: watch events after `since`, or from now on (server-sent events); `Last-Event-ID` \
         overrides `since`",
    )
    .asks(query::<BridgeStreamQuery>())
    .heeds(&["Last-Event-ID"])
    .gives_one_of(&["BridgeEvent"])
    .made_of("text/event-stream"),
    route("bridgeListPresence", "GET", "/threads/{thread}/presence", Access::Seated(Some(THREADS_READ)), || get(bridge::presence))
        .says("Bridge protocol: list participants' presence")
        .gives("BridgePresenceList"),
    route("bridgeUpdatePresence", "POST", "/threads/{thread}/presence", Access::Seated(Some(THREADS_POST)), || {
        post(bridge::say_presence)
    })
    .says("Bridge protocol: update the caller's presence")
    .takes("BridgePresence")
    .gives("BridgePresent"),
    route("bridgeGetState", "GET", "/threads/{thread}/state", Access::Seated(Some(THREADS_READ)), || get(bridge::state))
        .says("Bridge protocol: get a thread's participants and controls")
        .gives("BridgeStateAnswer"),
],
};
