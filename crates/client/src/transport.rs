//! Connections: one per request, because both ends are on one machine and a connection costs microseconds.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST, HeaderValue};
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use crate::Error;

/// How long the daemon may think before the first byte of an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the daemon listens.
#[derive(Debug, Clone)]
pub(crate) enum Endpoint {
    /// The caller is known by its process.
    Unix(PathBuf),
    /// The caller is known by its token.
    Tcp { address: String, token: Option<String> },
}

impl Endpoint {
    /// Sends a request and returns the answer as soon as its head is there.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Error> {
        match tokio::time::timeout(PATIENCE, self.exchange(request)).await {
            Ok(answer) => answer.map_err(|reason| self.unreachable(reason)),
            Err(_) => Err(self.unreachable(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("no data within {} seconds", PATIENCE.as_secs()),
            ))),
        }
    }

    /// Says that no daemon answers here.
    pub(crate) fn unreachable(&self, reason: io::Error) -> Error {
        let target = match self {
            Self::Unix(path) => path.display().to_string(),
            Self::Tcp { address, .. } => address.clone(),
        };
        Error::Unreachable { target, reason }
    }

    async fn exchange(&self, mut request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>> {
        match self {
            Self::Unix(path) => {
                request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
                over(UnixStream::connect(path).await?, request).await
            }
            Self::Tcp { address, token } => {
                request.headers_mut().insert(HOST, header(address)?);
                if let Some(token) = token {
                    let mut bearer = header(&format!("Bearer {token}"))?;
                    bearer.set_sensitive(true);
                    request.headers_mut().insert(AUTHORIZATION, bearer);
                }
                over(TcpStream::connect(address).await?, request).await
            }
        }
    }
}

async fn over<S>(stream: S, request: Request<Full<Bytes>>) -> io::Result<Response<Incoming>>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    // Ends by itself once the answer is read or dropped.
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(io::Error::other)
}

fn header(text: &str) -> io::Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}
