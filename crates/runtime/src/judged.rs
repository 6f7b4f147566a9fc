//! Connecting to addresses that others wrote down: names are looked up here, judged, and connected to as they were judged.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use paseo_core::address::{Allowed, Refused, Target};
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Response, StatusCode, Url};

use crate::outbound;
use crate::provider::BoxFuture;

/// How much of an answer is read. Only people look at it.
const ANSWER_BYTES: usize = 2_000;
/// How much of it they are shown.
const ANSWER_CHARS: usize = 200;

/// Looks a name up.
pub(crate) type Resolver = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// Where something is posted to, and on which conditions.
#[derive(Clone)]
pub(crate) struct Judged {
    pub(crate) target: Target,
    pub(crate) allowed: Allowed,
    pub(crate) resolver: Resolver,
    /// How long an attempt may take.
    pub(crate) timeout: Duration,
}

/// Why a connection is impossible.
pub(crate) enum Lost {
    Refused(Refused),
    /// The name could not be looked up, which may pass.
    Unknown(String),
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Posted {
    Answered {
        status: u16,
        /// The status and the first words of what was answered, for people.
        words: String,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// There was no answer, for this reason.
    Unreachable(String),
    /// Nothing may be posted there.
    Forbidden(String),
}

/// Looks names up as this machine does.
pub(crate) fn system() -> Resolver {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

impl Judged {
    /// Returns where to connect to, each address judged.
    pub(crate) async fn addresses(&self) -> Result<Vec<SocketAddr>, Lost> {
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

    /// Posts once. `fill` adds headers and body.
    pub(crate) async fn post(
        &self,
        fill: impl FnOnce(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
    ) -> Posted {
        match self.addresses().await {
            Ok(addresses) => self.send(&addresses, fill).await,
            Err(Lost::Refused(refused)) => Posted::Forbidden(refused.to_string()),
            Err(Lost::Unknown(why)) => Posted::Unreachable(why),
        }
    }

    /// Posts to these addresses and to no others.
    pub(crate) async fn send(
        &self,
        addresses: &[SocketAddr],
        fill: impl FnOnce(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
    ) -> Posted {
        let Self { target, timeout, .. } = self;
        let Some(url) = read_alike(target) else {
            return Posted::Forbidden(format!(
                "`{}` is ambiguous; write the URL in a simpler form",
                target.url
            ));
        };
        let client = match self.client(addresses) {
            Ok(client) => client,
            Err(error) => {
                return Posted::Unreachable(format!("cannot connect: {}", words(&error, *timeout)));
            }
        };
        match fill(client.post(url)).send().await {
            Ok(response) => answered(response).await,
            Err(error) => Posted::Unreachable(words(&error, *timeout)),
        }
    }

    fn client(&self, addresses: &[SocketAddr]) -> reqwest::Result<Client> {
        outbound::client()
            .resolve_to_addrs(&self.target.host.to_string(), addresses)
            .timeout(self.timeout)
            .pool_max_idle_per_host(0)
            .build()
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
mod tests {
    use paseo_core::address::Host;

    use super::*;

    #[test]
    fn the_client_reads_an_address_as_we_do() {
        for url in [
            "http://localhost:9/a",
            "https://Agents.Example/x?y",
            "http://[FD12:0::1]:8080",
            "http://8.8.8.8",
        ] {
            let target = Target::parse(url).unwrap();
            assert!(read_alike(&target).is_some(), "{url}");
        }
        let forged = Target {
            url: "http://127.0.0.1/".to_owned(),
            host: Host::Name("a.example".to_owned()),
            port: 80,
        };
        assert!(read_alike(&forged).is_none());
    }
}
