//! One attempt to post a letter: names are looked up here, judged, and connected to as they were judged.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use paseo_core::address::{Allowed, Refused, Target};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};

use super::courier::{Letter, Posted};
use super::signature::{self, SIGNATURE_HEADER, TIMESTAMP_HEADER};
use crate::provider::BoxFuture;
use crate::{fresh, outbound};

/// How much of an answer is read. Only people look at it.
const ANSWER_BYTES: usize = 2_000;
/// How much of it they are shown.
const ANSWER_CHARS: usize = 200;

/// Looks a name up.
pub(super) type Resolver = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Where letters go.
#[derive(Clone)]
pub(super) struct Mailbox {
    pub(super) target: Target,
    pub(super) allowed: Allowed,
    pub(super) secret: String,
    pub(super) resolver: Resolver,
    /// How long an attempt may take.
    pub(super) timeout: Duration,
}

/// Why there is nobody to connect to.
pub(super) enum Lost {
    Refused(Refused),
    /// The name could not be looked up, which may pass.
    Unknown(String),
}

/// Looks names up as this machine does.
pub(super) fn system() -> Resolver {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

impl Mailbox {
    /// Returns where to connect to, each address judged.
    pub(super) async fn addresses(&self) -> Result<Vec<SocketAddr>, Lost> {
        let target = &self.target;
        let found = match target.written() {
            Some(written) => written,
            None => {
                let host = target.host.to_string();
                let found = tokio::time::timeout(self.timeout, (self.resolver)(host.clone())).await;
                let late = || io::Error::new(io::ErrorKind::TimedOut, "the lookup timed out");
                found
                    .unwrap_or_else(|_| Err(late()))
                    .map_err(|error| Lost::Unknown(format!("cannot resolve {host}: {error}")))?
            }
        };
        target.judge(&found, &self.allowed).map_err(Lost::Refused)?;
        Ok(found.into_iter().map(|address| SocketAddr::new(address, target.port)).collect())
    }

    /// Tries once.
    pub(super) async fn post(&self, letter: &Letter) -> Posted {
        match self.addresses().await {
            Ok(addresses) => self.send(&addresses, letter).await,
            Err(Lost::Refused(refused)) => Posted::Forbidden(refused.to_string()),
            Err(Lost::Unknown(why)) => Posted::Unreachable(why),
        }
    }

    /// Posts to these addresses and to no others.
    async fn send(&self, addresses: &[SocketAddr], letter: &Letter) -> Posted {
        let Self { target, secret, timeout, .. } = self;
        let Some(url) = read_alike(target) else {
            return Posted::Forbidden(format!(
                "`{}` is ambiguous; write the URL in a simpler form",
                target.url
            ));
        };
        let client = outbound::client()
            .resolve_to_addrs(&target.host.to_string(), addresses)
            .timeout(*timeout)
            .pool_max_idle_per_host(0)
            .build();
        let client = match client {
            Ok(client) => client,
            Err(error) => {
                return Posted::Unreachable(format!("cannot connect: {}", words(&error, *timeout)));
            }
        };
        let at = fresh::now().as_millis() / 1_000;
        let request = client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("Idempotency-Key", &letter.key)
            .header(TIMESTAMP_HEADER, at.to_string())
            .header(SIGNATURE_HEADER, signature::sign(secret, at, &letter.body))
            .body(letter.body.clone());
        match request.send().await {
            Ok(response) => answered(response).await,
            Err(error) => Posted::Unreachable(words(&error, *timeout)),
        }
    }
}

/// Returns the address as the client reads it, if that is as we do.
fn read_alike(target: &Target) -> Option<Url> {
    let url = Url::parse(&target.url).ok()?;
    let same = url.host_str() == Some(target.host.to_string().as_str())
        && url.port_or_known_default() == Some(target.port)
        && url.username().is_empty()
        && url.password().is_none();
    same.then_some(url)
}

async fn answered(mut response: Response) -> Posted {
    let status = response.status();
    let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let retry_after = seconds.map(Duration::from_secs);
    let words =
        if status.is_success() { String::new() } else { told(status, &first_bytes(&mut response).await) };
    Posted::Answered { status: status.as_u16(), words, retry_after }
}

/// Reads the beginning of an answer, however long it would be.
async fn first_bytes(response: &mut Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < ANSWER_BYTES {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk[..chunk.len().min(ANSWER_BYTES - bytes.len())]),
            Ok(None) | Err(_) => break,
        }
    }
    bytes
}

fn told(status: StatusCode, body: &[u8]) -> String {
    let body = String::from_utf8_lossy(body);
    let line = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = line.chars().filter(|char| !char.is_control()).take(ANSWER_CHARS).collect();
    if line.is_empty() { status.to_string() } else { format!("{status} ({line})") }
}

/// Says what went wrong, down to the cause: the outermost words only say that something did.
fn words(error: &reqwest::Error, timeout: Duration) -> String {
    if error.is_timeout() {
        return format!("the server did not respond within {} seconds", timeout.as_secs());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests;
