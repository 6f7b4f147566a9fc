//! A model on 127.0.0.1 that does what the prompt says, in the words of [`crate::script`].
//!
//! It speaks Anthropic Messages, OpenAI Responses and Chat Completions, and Google's `generateContent`. It is stateless: it counts the results of
//! tools that follow the prompt, so that resuming, retrying and many turns just work. Every final text ends with
//! `[turns=U tools=T model=M]`, the user's texts and the results of tools in the whole conversation, which proves
//! that the context was carried over.

pub(crate) mod anthropic;
mod chat;
mod failure;
pub(crate) mod frame;
mod google;
pub(crate) mod reply;
mod responses;
mod routes;
pub(crate) mod tools;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;

/// How long [`ModelServer::wait_for`] waits.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running model. Dropping it ends it, with every connection.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    book: Arc<Book>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    /// Names are in lower case.
    pub headers: Vec<(String, String)>,
    /// `null` when there was none.
    pub body: Value,
}

impl Request {
    /// Returns a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl ModelServer {
    /// Starts a model on a free port. It has a thread of its own, so that tests without a runtime can have one.
    pub fn start() -> Self {
        Self::start_on(0)
    }

    /// Starts a model on a port.
    pub fn start_on(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("a port on the loopback");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let address = listener.local_addr().expect("an address");
        let book = Arc::new(Book::default());
        let (stop, stopped) = oneshot::channel();
        let router = routes::router(Arc::clone(&book));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    served = async { axum::serve(listener, router).await } => served.expect("the model serves"),
                    _ = stopped => {}
                }
            });
        });
        Self { address, book, stop: Some(stop), thread: Some(thread) }
    }

    /// Returns its address, for `ANTHROPIC_BASE_URL`. The OpenAI APIs are under `/v1`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.book.requests.lock().expect("the requests").clone()
    }

    /// Waits, for ever, for the request with a number, from 1.
    pub fn nth(&self, number: usize) -> Request {
        let requests = self.book.requests.lock().expect("the requests");
        let requests =
            self.book.arrived.wait_while(requests, |all| all.len() < number).expect("the requests");
        requests[number - 1].clone()
    }

    /// Waits until there are so many requests, and returns them all. Fails the test when they do not come.
    pub fn wait_for(&self, count: usize) -> Vec<Request> {
        let requests = self.book.requests.lock().expect("the requests");
        let waited = self.book.arrived.wait_timeout_while(requests, PATIENCE, |all| all.len() < count);
        let (requests, late) = waited.expect("the requests");
        assert!(!late.timed_out(), "{} of {count} requests came within {PATIENCE:?}", requests.len());
        requests.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so.
            thread.join().ok();
        }
    }
}

/// What came in.
#[derive(Debug, Default)]
struct Book {
    requests: Mutex<Vec<Request>>,
    arrived: Condvar,
}

impl Book {
    /// Enters a request and returns its number, from 1.
    fn enter(&self, request: Request) -> usize {
        let mut requests = self.requests.lock().expect("the requests");
        requests.push(request);
        self.arrived.notify_all();
        requests.len()
    }
}
