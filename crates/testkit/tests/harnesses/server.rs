//! A server with one tool, for scenes: it tells callers what they showed it.

use axum::Json;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Dropping it ends it.
pub(crate) struct Server {
    pub(crate) url: String,
    _stop: oneshot::Sender<()>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port on the loopback");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                let router = Router::new().route("/mcp", post(answer));
                tokio::select! {
                    _ = async { axum::serve(listener, router).await } => {}
                    _ = stopped => {}
                }
            });
        });
        Self { url, _stop: stop }
    }
}

async fn answer(headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let shown = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or("nothing");
    if shown == "Bearer wrong" {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Some(id) = message.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"], "capabilities": { "tools": {} },
            "serverInfo": { "name": "proj", "version": "0" },
        }),
        Some("tools/list") => json!({ "tools": [{
            "name": "whoami", "description": "Tells who you are", "inputSchema": { "type": "object", "properties": {} },
        }] }),
        Some("tools/call") => {
            json!({ "content": [{ "type": "text", "text": format!("you showed {shown}") }] })
        }
        _ => {
            let error = json!({ "code": -32601, "message": "no such method" });
            return Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response();
        }
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}
