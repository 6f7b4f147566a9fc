//! Routes: messages: sending, attaching, following and finding them.

use axum::routing::{get, post};
use paseo_core::tool::SEND_TO_TAB;
use paseo_wire::attachment::UploadQuery;
use paseo_wire::search::SearchQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{attachments, messages, search, trace};

pub(super) static MESSAGES: Group = Group {
    tag: "messages",
    about: "Messages: sending, attaching, following and finding them.",
    routes: &[
    route("sendMessage", "POST", "/api/sessions/{id}/messages", Access::Tool(SEND_TO_TAB), || post(messages::send))
        .limited()
        .says("Send a message; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .takes("SendMessage")
        .gives("Receipt"),
    route("uploadAttachment", "POST", "/api/attachments", attachments::UPLOAD, || post(attachments::upload))
        .limited()
        .says("Upload a file for a message (the body is the file, at most 32 MB; its type is detected)")
        .asks(query::<UploadQuery>())
        .streamed()
        .gives("UploadedAttachment"),
    route("getAttachment", "GET", "/api/sessions/{id}/attachments/{attachment}", Access::Human, || get(attachments::show))
        .says("Get an attached file; images are shown inline, other files are downloaded")
        .made_of("application/octet-stream"),
    route("listQueue", "GET", "/api/sessions/{id}/queue", Access::Human, || get(messages::queue))
        .says("List a session's queued messages with previews")
        .gives("Queue"),
    route("getDelivery", "GET", "/api/sessions/{id}/deliveries/{delivery}", Access::Tool(SEND_TO_TAB), || {
        get(messages::delivery)
    })
    .says("Get a delivery and its outcome")
    .gives("DeliveryView"),
    route("traceDelivery", "GET", "/api/deliveries/{delivery}", Access::Human, || get(trace::delivery))
        .says("Get the history of a message")
        .gives("DeliveryTrace"),
    route("getCause", "GET", "/api/causes/{cause}", Access::Human, || get(trace::cause))
        .says("Get everything that descends from a request")
        .gives("CauseView"),
    route("stopCause", "POST", "/api/causes/{cause}/stop", Access::Human, || post(trace::stop_cause))
        .says("Stop everything that descends from a request")
        .gives("CauseView"),
    route("search", "GET", "/api/search", Access::Human, || get(search::search))
        .seeks()
        .says(
            "Search messages, answers and tool calls, newest first; `behind` reports what is not indexed yet",
        )
        .asks(query::<SearchQuery>())
        .gives("SearchPage"),
],
};
