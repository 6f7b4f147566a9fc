//! One method per route of workers. A worker is named by its name or its handle.

use http::Method;
use paseo_wire::message::Receipt;
use paseo_wire::session::ActionAnswer;
use paseo_wire::terminal::{HistoryQuery, TerminalHistory};
use paseo_wire::worker::{
    AttachView, Capture, CaptureQuery, SendToWorker, StartWorker, StartedWorker, WorkerAnswer, WorkerList,
    WorkerQuery,
};

use crate::client::Ask;
use crate::routes::keyed;
use crate::uri::{path, query};
use crate::{Client, Error};

impl Client {
    /// Lists workers.
    pub async fn workers(&self, asked: &WorkerQuery) -> Result<WorkerList, Error> {
        self.whole(&format!("/api/workers{}", query(asked))).await
    }

    /// Starts a worker. Repeated with the same key, it is the same one.
    pub async fn start_worker(
        &self,
        wanted: &StartWorker,
        key: Option<&str>,
    ) -> Result<StartedWorker, Error> {
        self.read(keyed(Ask::new(Method::POST, "/api/workers"), key).json(wanted)).await
    }

    /// Shows a worker.
    pub async fn worker(&self, worker: &str) -> Result<WorkerAnswer, Error> {
        self.get(&path(["api", "workers", worker])).await
    }

    /// Returns what a worker's terminal shows.
    pub async fn capture_worker(&self, worker: &str, asked: &CaptureQuery) -> Result<Capture, Error> {
        self.get(&format!("{}{}", path(["api", "workers", worker, "capture"]), query(asked))).await
    }

    /// Returns lines of a worker's terminal, from the newest back.
    pub async fn worker_history(&self, worker: &str, asked: &HistoryQuery) -> Result<TerminalHistory, Error> {
        self.get(&format!("{}{}", path(["api", "workers", worker, "history"]), query(asked))).await
    }

    /// Returns by which command a person gets to a worker's terminal.
    pub async fn attach_worker(&self, worker: &str) -> Result<AttachView, Error> {
        self.get(&path(["api", "workers", worker, "attach"])).await
    }

    /// Types something into a worker's terminal.
    pub async fn send_to_worker(&self, worker: &str, message: &str) -> Result<Receipt, Error> {
        let body = SendToWorker { message: message.to_owned() };
        self.read(Ask::new(Method::POST, &path(["api", "workers", worker, "send"])).json(&body)).await
    }

    /// Ends a worker.
    pub async fn kill_worker(&self, worker: &str) -> Result<ActionAnswer, Error> {
        self.read(Ask::new(Method::DELETE, &path(["api", "workers", worker]))).await
    }
}
