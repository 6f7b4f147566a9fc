//! Routes: workers: agents in terminals of their own.

use axum::routing::{delete, get, post};
use paseo_core::tool::{TMUX_ATTACH, TMUX_CAPTURE, TMUX_KILL, TMUX_LIST, TMUX_SEND, TMUX_START};
use paseo_wire::terminal::HistoryQuery;
use paseo_wire::worker::{CaptureQuery, WorkerQuery};

use crate::http::gate::Access;
use crate::http::route::{Group, Socket, query, route};
use crate::http::{terminal, workers};

pub(super) static WORKERS: Group = Group {
    tag: "workers",
    about: "Workers: agents in their own terminals.",
    routes: &[
        route("listWorkers", "GET", "/api/workers", Access::Tool(TMUX_LIST), || get(workers::list))
            .seeks()
            .says("List workers by name; agents see only those of their team")
            .asks(query::<WorkerQuery>())
            .gives("WorkerList"),
        route("startWorker", "POST", "/api/workers", Access::Tool(TMUX_START), || post(workers::start))
            .limited()
            .seeks()
            .says("Create a worker in its own terminal; supports Idempotency-Key")
            .takes("StartWorker")
            .heeds(&["Idempotency-Key"])
            .gives("StartedWorker"),
        route("getWorker", "GET", "/api/workers/{worker}", Access::Tool(TMUX_LIST), || get(workers::show))
            .says("Get a worker by name or handle")
            .gives("WorkerAnswer"),
        route("killWorker", "DELETE", "/api/workers/{worker}", Access::Tool(TMUX_KILL), || {
            delete(workers::kill)
        })
        .says("Kill a worker, its terminal and all its processes")
        .gives("ActionAnswer"),
        route("captureWorker", "GET", "/api/workers/{worker}/capture", Access::Tool(TMUX_CAPTURE), || {
            get(workers::capture)
        })
        .says("Get the contents of a worker's terminal as plain text")
        .asks(query::<CaptureQuery>())
        .gives("Capture"),
        route("watchWorker", "GET", "/api/workers/{worker}/terminal", Access::Human, || get(terminal::watch))
            .socket(Socket { server: "TerminalServerFrame", client: "TerminalClientFrame" })
            .says("Watch a worker's terminal, and take it over, by a WebSocket"),
        route("getWorkerHistory", "GET", "/api/workers/{worker}/history", Access::Tool(TMUX_CAPTURE), || {
            get(terminal::history)
        })
        .says("Get the lines of a worker's terminal in pages, from the newest back")
        .asks(query::<HistoryQuery>())
        .gives("TerminalHistory"),
        route("attachWorker", "GET", "/api/workers/{worker}/attach", Access::Tool(TMUX_ATTACH), || {
            get(workers::attach)
        })
        .says("Get the command that attaches to a worker's terminal")
        .gives("AttachView"),
        route("sendToWorker", "POST", "/api/workers/{worker}/send", Access::Tool(TMUX_SEND), || {
            post(workers::send)
        })
        .limited()
        .says("Send a message to a worker's terminal")
        .takes("SendToWorker")
        .gives("Receipt"),
    ],
};
