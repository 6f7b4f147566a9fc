//! Routes: external agents: their secrets and their callbacks.

use axum::routing::{get, post};
use paseo_wire::external::CallbackQuery;

use crate::http::external;
use crate::http::gate::Access;
use crate::http::route::{Group, query, route};

pub(super) static EXTERNAL: Group = Group {
    tag: "external",
    about: "External agents: their secrets and their callbacks.",
    routes: &[
        route("getSessionSecret", "GET", "/api/sessions/{id}/secret", Access::Human, || {
            get(external::secret)
        })
        .says("Get the shared secret of an external agent")
        .gives("SecretView"),
        route("receiveCallback", "POST", "/external/sessions/{id}/messages", Access::Callback, || {
            post(external::receive)
        })
        .limited()
        .says(
            "Receive a callback from an external agent (text or Markdown), deduplicated by \
             Idempotency-Key, X-Paseo-Message-Id, or turnOriginId and text",
        )
        .asks(query::<CallbackQuery>())
        .heeds(&["Idempotency-Key", "X-Paseo-Message-Id", "X-Paseo-Timestamp", "X-Paseo-Signature"]),
    ],
};
