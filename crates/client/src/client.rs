//! The client itself: sending a request and reading its answer.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use paseo_wire::VERSION_HEADER;
use paseo_wire::page::{Listed, PageQuery};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::patience::PATIENCE;
use crate::transport::Endpoint;
use crate::uri::query;

/// More than any answer holds: the largest is the whole text of one item.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// A client of one daemon. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    endpoint: Endpoint,
    version: Arc<OnceLock<String>>,
    patience: Duration,
    rescue: Option<Rescue>,
}

/// Brings back a daemon that died, and says whether one answers now.
#[derive(Clone)]
struct Rescue(Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for Rescue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Rescue")
    }
}

impl Client {
    /// Makes a client of the daemon behind a Unix socket. Connects with the first request.
    pub fn unix(socket: impl Into<PathBuf>) -> Self {
        Self::new(Endpoint::Unix(socket.into()))
    }

    /// Makes a client of the daemon at `host:port`, with a token made for it.
    pub fn tcp(address: impl Into<String>, token: Option<String>) -> Self {
        Self::new(Endpoint::Tcp { address: address.into(), token })
    }

    /// Sets how long a daemon that went away is waited for: 30 seconds, unless this is said.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Sets what brings back a daemon that died before it ever answered. What it was asked is then asked again, if that
    /// changes nothing: a connection to a daemon that is just being killed succeeds and is never answered.
    #[must_use]
    pub fn with_rescue(self, rescue: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { rescue: Some(Rescue(Arc::new(rescue))), ..self }
    }

    /// Returns the daemon's version when it has answered and is not of this version.
    pub fn version_mismatch(&self) -> Option<&str> {
        self.version.get().map(String::as_str).filter(|version| *version != paseo_wire::VERSION)
    }

    fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, version: Arc::default(), patience: PATIENCE, rescue: None }
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Asks for something.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.read(Ask::new(Method::GET, path)).await
    }

    /// Reads a list whole, page by page. Fields beside the rows are those of the first page.
    pub(crate) async fn whole<L: Listed + DeserializeOwned>(&self, path: &str) -> Result<L, Error> {
        let mut list: L = self.get(path).await?;
        while let Some(after) = list.parts().1.take() {
            let more = query(&PageQuery { after: Some(after), limit: None });
            let more = if path.contains('?') { more.replacen('?', "&", 1) } else { more };
            let mut page: L = self.get(&format!("{path}{more}")).await?;
            let (rows, next) = page.parts();
            let (all, cursor) = list.parts();
            all.append(rows);
            *cursor = next.take();
        }
        Ok(list)
    }

    /// Sends a request and reads its JSON.
    pub(crate) async fn read<T: DeserializeOwned>(&self, ask: Ask) -> Result<T, Error> {
        let bytes = self.read_bytes(ask).await?;
        serde_json::from_slice(&bytes).map_err(|error| Error::Protocol(error.to_string()))
    }

    /// Sends a request and reads its body as it comes.
    pub(crate) async fn read_bytes(&self, ask: Ask) -> Result<Bytes, Error> {
        let rescue = self.rescue.as_ref().filter(|_| self.version.get().is_none());
        let rescued = || rescue.is_some_and(|Rescue(rescue)| rescue());
        match self.read_once(&ask).await {
            Err(Error::Unreachable { reason, .. })
                if ask.method == Method::GET && reason.kind() != io::ErrorKind::TimedOut && rescued() =>
            {
                self.read_once(&ask).await
            }
            result => result,
        }
    }

    async fn read_once(&self, ask: &Ask) -> Result<Bytes, Error> {
        let answer = self.open(ask).await?;
        self.body(answer.into_body()).await
    }

    /// Sends a request and returns the answer once it is known to be a success.
    pub(crate) async fn open(&self, ask: &Ask) -> Result<Response<Incoming>, Error> {
        let answer = self.endpoint.send(ask.request()?).await?;
        if let Some(version) = answer.headers().get(VERSION_HEADER).and_then(|value| value.to_str().ok()) {
            self.version.get_or_init(|| version.to_owned());
        }
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let body = self.body(answer.into_body()).await?;
        Err(refusal(status, &body))
    }

    /// Says that the connection to this daemon broke.
    pub(crate) fn broken(&self, reason: impl Into<io::Error>) -> Error {
        self.endpoint.unreachable(reason.into())
    }

    async fn body(&self, body: Incoming) -> Result<Bytes, Error> {
        let collected = Limited::new(body, ANSWER_BYTES).collect().await;
        Ok(collected.map_err(|error| self.broken(io::Error::other(error)))?.to_bytes())
    }
}

/// A request before it is sent.
pub(crate) struct Ask {
    method: Method,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Result<Bytes, serde_json::Error>,
}

impl Ask {
    pub(crate) fn new(method: Method, path: &str) -> Self {
        Self { method, path: path.to_owned(), headers: Vec::new(), body: Ok(Bytes::new()) }
    }

    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        self.body = serde_json::to_vec(body).map(Bytes::from);
        self.header(CONTENT_TYPE.as_str(), "application/json")
    }

    /// Sends a file.
    pub(crate) fn bytes(mut self, bytes: Vec<u8>) -> Self {
        self.body = Ok(bytes.into());
        self.header(CONTENT_TYPE.as_str(), "application/octet-stream")
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn request(&self) -> Result<Request<Full<Bytes>>, Error> {
        let unsendable = |error: &dyn fmt::Display| Error::Protocol(format!("{} {error}", self.path));
        let body = self.body.as_ref().map_err(|error| unsendable(error))?.clone();
        let mut request = Request::builder()
            .method(self.method.clone())
            .uri(&self.path)
            .body(Full::new(body))
            .map_err(|error| unsendable(&error))?;
        for (name, value) in &self.headers {
            let value = HeaderValue::from_str(value).map_err(|error| unsendable(&error))?;
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        Ok(request)
    }
}

fn refusal(status: StatusCode, body: &[u8]) -> Error {
    match serde_json::from_slice(body) {
        Ok(body) => Error::Api(Box::new(body)),
        Err(_) => {
            let start: String = String::from_utf8_lossy(body).chars().take(200).collect();
            Error::Protocol(format!("{status} {start}").trim_end().to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn an_error_of_a_newer_daemon_keeps_its_words() {
        let body = br#"{"code":"out_of_tea","message":"the kettle is empty","hint":"fill it"}"#;
        let Error::Api(told) = refusal(StatusCode::CONFLICT, body) else { panic!("not read") };
        assert_eq!((told.code.as_str(), told.message.as_str()), ("out_of_tea", "the kettle is empty"));
    }

    /// A daemon that is killed takes a connection and never answers; the next one does.
    #[tokio::test]
    async fn what_changes_nothing_is_asked_again_after_a_rescue() {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("daemon.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let serving = std::thread::spawn(move || {
            for answers in [false, true, false] {
                let (mut stream, _) = listener.accept().unwrap();
                if answers {
                    let mut asked = [0; 1024];
                    assert_ne!(stream.read(&mut asked).unwrap(), 0);
                    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
                }
            }
        });
        let rescues = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&rescues);
        let client = Client::unix(&socket).with_rescue(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            true
        });
        assert_eq!(client.get::<serde_json::Value>("/x").await.unwrap(), serde_json::json!({}));
        assert_eq!(rescues.load(Ordering::SeqCst), 1);
        // Whatever changes something may have been done.
        let lost = client.read::<serde_json::Value>(Ask::new(Method::POST, "/x")).await;
        assert!(matches!(lost, Err(Error::Unreachable { .. })), "{lost:?}");
        assert_eq!(rescues.load(Ordering::SeqCst), 1);
        serving.join().unwrap();
    }
}
