//! Routes: messages: sending, attaching, following and finding them.

use axum::routing::{delete, get, patch, post};
use paseo_core::tool::SEND_TO_TAB;
use paseo_wire::attachment::UploadQuery;
use paseo_wire::page::PageQuery;
use paseo_wire::search::SearchQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{attachments, causes, messages, queue, search, trace};

pub(super) static MESSAGES: Group = Group {
    tag: "messages",
    about: "Messages: sending, attaching, following and finding them.",
    routes: &[
    route("sendMessage", "POST", "/api/sessions/{id}/messages", Access::Tool(SEND_TO_TAB), || post(messages::send))
        .limited()
        .attaches()
        .says("Send a message; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .takes("SendMessage")
        .gives("Receipt"),
    route("uploadAttachment", "POST", "/api/attachments", attachments::UPLOAD, || post(attachments::upload))
        .limited()
        .steady()
        .says("Upload a file for a message (the body is the file, at most 32 MB; its type is detected)")
        .asks(query::<UploadQuery>())
        .streamed()
        .gives("UploadedAttachment"),
    route("getAttachment", "GET", "/api/sessions/{id}/attachments/{attachment}", Access::Human, || get(attachments::show))
        .says("Get an attached file; images are shown inline, other files are downloaded")
        .made_of("application/octet-stream"),
    route("listQueue", "GET", "/api/sessions/{id}/queue", Access::Human, || get(queue::list))
        .says("List an agent's queued messages with previews")
        .asks(query::<PageQuery>())
        .gives("Queue"),
    route("getQueuedText", "GET", "/api/sessions/{id}/queue/{delivery}/text", Access::Human, || get(queue::text))
        .says("Get the full text of a queued message")
        .made_of("text/plain"),
    route("editQueued", "PATCH", "/api/sessions/{id}/queue/{delivery}", Access::Human, || patch(queue::edit))
        .says("Update the text of a queued message that a person wrote; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .takes("EditMessage")
        .gives("ActionAnswer"),
    route("cancelQueued", "DELETE", "/api/sessions/{id}/queue/{delivery}", Access::Human, || delete(queue::cancel))
        .says("Cancel a queued message and notify the agent that sent it; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .gives("ActionAnswer"),
    route("moveQueued", "POST", "/api/sessions/{id}/queue/{delivery}/move", Access::Human, || post(queue::move_to))
        .says("Move a queued message within the queue; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .takes("MoveMessage")
        .gives("ActionAnswer"),
    route("releaseQueued", "POST", "/api/sessions/{id}/queue/{delivery}/release", Access::Human, || {
        post(queue::release)
    })
    .says("Release a held message for delivery; supports Idempotency-Key")
    .heeds(&["Idempotency-Key"])
    .gives("ActionAnswer"),
    route("releaseQueue", "POST", "/api/sessions/{id}/queue/release", Access::Human, || post(queue::release_all))
        .says("Release all held messages of an agent; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .gives("ActionAnswer"),
    route("getDelivery", "GET", "/api/sessions/{id}/deliveries/{delivery}", Access::Tool(SEND_TO_TAB), || {
        get(messages::delivery)
    })
    .says("Get a delivery and its outcome")
    .gives("DeliveryView"),
    route("traceDelivery", "GET", "/api/deliveries/{delivery}", Access::Human, || get(trace::delivery))
        .says("Get the history of a message")
        .gives("DeliveryTrace"),
    route("getCause", "GET", "/api/causes/{cause}", Access::Human, || get(causes::show))
        .says("Get everything that descends from a request, as a tree of agents")
        .gives("CauseView"),
    route("listCauseMessages", "GET", "/api/causes/{cause}/messages", Access::Human, || get(causes::messages))
        .says("List the messages that descend from a request, with their receipts")
        .asks(query::<PageQuery>())
        .gives("CauseMessages"),
    route("stopCause", "POST", "/api/causes/{cause}/stop", Access::Human, || post(causes::stop))
        .says("Stop everything that descends from a request")
        .gives("CauseView"),
    route("search", "GET", "/api/search", Access::Human, || get(search::search))
        .seeks()
        .compares()
        .measures()
        .says(
            "Search messages, answers and tool calls, newest first; `behind` reports what is not indexed yet",
        )
        .asks(query::<SearchQuery>())
        .gives("SearchPage"),
],
};
