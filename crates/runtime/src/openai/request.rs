//! One request to a model's server, and what comes back.

use std::cell::Cell;
use std::error::Error;
use std::fmt::Write as _;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::{Stream, StreamExt};
use paseo_core::cut::head_and_tail;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Response};
use serde_json::Value;

use super::setup::Endpoint;
use super::stream::{Chunk, error_words};
use crate::outbound;
use crate::provider::FailureCode;

/// How long a server may say nothing. One that runs at home reads a long conversation for minutes.
const SILENCE: Duration = Duration::from_secs(600);
/// The longest answer, as it is sent.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// How much may be sent without anything being said.
const EVENT_BYTES: usize = 1024 * 1024;
/// How much of a refusal is read, and how much of it is shown.
const REFUSAL_BYTES: usize = 64 * 1024;
const SHOWN_BYTES: usize = 600;
/// Marks the end of a stream.
const DONE: &str = "[DONE]";

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The server said no.
    Status { status: u16, retry_after: Option<Duration>, words: String },
    /// It could not be reached, or the connection broke.
    Broken(String),
    /// What came back is not what this API answers with.
    Strange(String),
}

impl Refusal {
    /// Says whether the same may work in a moment.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 500..=599),
            Self::Broken(_) => true,
            Self::Strange(_) => false,
        }
    }

    /// Returns for how long the server wants to be left alone.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Broken(_) | Self::Strange(_) => None,
        }
    }

    /// Says whether the conversation may be too long for the model.
    pub(super) fn may_be_too_long(&self) -> bool {
        matches!(self, Self::Status { status: 400 | 413, .. })
    }

    /// Returns what kind of failure it is.
    pub(super) fn code(&self) -> FailureCode {
        match self {
            Self::Status { status: 401 | 403, .. } => FailureCode::NotLoggedIn,
            Self::Status { status: 429, .. } => FailureCode::RateLimited,
            Self::Status { status: 408 | 500..=599, .. } | Self::Broken(_) | Self::Strange(_) => {
                FailureCode::ModelError
            }
            Self::Status { .. } => FailureCode::HarnessError,
        }
    }

    /// Returns what happened, in words for people. A server may repeat the key: it is not shown.
    pub(super) fn words(&self, endpoint: &Endpoint) -> String {
        hidden(&self.told(endpoint), endpoint)
    }

    fn told(&self, endpoint: &Endpoint) -> String {
        let (name, url) = (endpoint.name(), &endpoint.base_url);
        match self {
            Self::Status { status, words, .. } => {
                let hint = match status {
                    401 | 403 => "; check the API key",
                    404 => "; check the model name and the base URL",
                    _ => "",
                };
                let words = if words.is_empty() { String::new() } else { format!(": {words}") };
                format!("{name} at {url} responded with {status}{words}{hint}")
            }
            Self::Broken(why) => {
                format!("{name} at {url} could not be reached, or closed the connection: {why}")
            }
            Self::Strange(why) => {
                format!("{url} does not behave like a Chat Completions API: {why}; check the base URL")
            }
        }
    }
}

/// Makes what requests are sent with.
pub(super) fn client(chain: &[Endpoint]) -> Result<Client, String> {
    let builder = outbound::client().read_timeout(SILENCE);
    // Who never encrypts needs no certificates, and a bare system has none.
    let plain = chain.iter().all(|endpoint| endpoint.base_url.starts_with("http://"));
    let builder = if plain {
        let config = rustls::ClientConfig::builder()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        builder.tls_backend_preconfigured(config)
    } else {
        builder
    };
    builder.build().map_err(|error| words(&error))
}

/// The answer to a request, on its way.
pub(super) enum Answer {
    Stream(Events),
    /// Of a server that does not stream.
    Whole(Option<Box<Chunk>>),
}

type Events = Pin<Box<dyn Stream<Item = Result<String, Refusal>>>>;

/// A piece of an answer.
pub(super) enum Piece {
    Chunk(Box<Chunk>),
    /// The server says that it was all.
    Done,
    /// Nothing more comes.
    End,
}

impl Answer {
    /// Returns the next piece.
    pub(super) async fn next(&mut self, endpoint: &Endpoint) -> Result<Piece, Refusal> {
        let data = match self {
            Self::Whole(chunk) => return Ok(chunk.take().map_or(Piece::Done, Piece::Chunk)),
            Self::Stream(events) => match events.next().await {
                Some(data) => data?,
                None => return Ok(Piece::End),
            },
        };
        if data.trim() == DONE {
            return Ok(Piece::Done);
        }
        let chunk = serde_json::from_str(&data);
        chunk.map(|chunk| Piece::Chunk(Box::new(chunk))).map_err(|_| {
            Refusal::Strange(format!("the stream contains invalid JSON: {}", shown(&data, endpoint)))
        })
    }
}

/// Sends a request, and returns as soon as the answer begins.
pub(super) async fn send(client: &Client, endpoint: &Endpoint, body: &Value) -> Result<Answer, Refusal> {
    let mut request = client
        .post(format!("{}/chat/completions", endpoint.base_url))
        .header(ACCEPT, "text/event-stream, application/json")
        .json(body);
    if let Some(secret) = &endpoint.secret {
        let mut value = HeaderValue::from_str(&format!("Bearer {secret}"))
            .map_err(|_| Refusal::Strange("the API key contains invalid characters".to_owned()))?;
        value.set_sensitive(true);
        request = request.header(AUTHORIZATION, value);
    }
    let response = request.send().await.map_err(|error| match error.is_builder() {
        true => Refusal::Strange(words(&error)),
        false => Refusal::Broken(words(&error)),
    })?;
    if !response.status().is_success() {
        return Err(refusal(response, endpoint).await);
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("text/event-stream") {
        return Ok(Answer::Stream(events(response)));
    }
    if !kind.contains("json") {
        let kind = if kind.is_empty() { "no content type".to_owned() } else { format!("`{kind}`") };
        return Err(Refusal::Strange(format!("the response is {kind}, not an event stream or JSON")));
    }
    let text = bounded(response, ANSWER_BYTES).await?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|_| Refusal::Strange(format!("the response is invalid JSON: {}", shown(&text, endpoint))))?;
    if !value["choices"].is_array() && value.get("error").is_none() {
        let shown = shown(&text, endpoint);
        return Err(Refusal::Strange(format!("the response has no `choices`: {shown}")));
    }
    let chunk = serde_json::from_value(value).map_err(|error| Refusal::Strange(error.to_string()))?;
    Ok(Answer::Whole(Some(Box::new(chunk))))
}

fn events(response: Response) -> Events {
    let (mut all, since) = (0, Rc::new(Cell::new(0)));
    let seen = Rc::clone(&since);
    let pieces = response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(|error| Refusal::Broken(words(&error)))?;
        all += piece.len();
        since.set(since.get() + piece.len());
        if all > ANSWER_BYTES || since.get() > EVENT_BYTES {
            return Err(Refusal::Strange("the response is too long".to_owned()));
        }
        Ok(piece)
    });
    Box::pin(pieces.eventsource().map(move |event| {
        seen.set(0);
        event.map(|event| event.data).map_err(|error| match error {
            EventStreamError::Transport(refusal) => refusal,
            EventStreamError::Utf8(_) | EventStreamError::Parser(_) => {
                Refusal::Strange("the stream is not an event stream".to_owned())
            }
        })
    }))
}

async fn refusal(response: Response, endpoint: &Endpoint) -> Refusal {
    let (status, retry_after) = (response.status().as_u16(), retry_after(response.headers()));
    let target = response.headers().get(LOCATION).and_then(|target| target.to_str().ok());
    let words = match target.filter(|_| response.status().is_redirection()) {
        Some(target) => {
            format!("it redirects to {}, and redirects are not followed", shown(target, endpoint))
        }
        // What is cut off is not needed.
        None => match bounded(response, REFUSAL_BYTES).await {
            Ok(text) => body_words(&text, endpoint),
            Err(_) => String::new(),
        },
    };
    Refusal::Status { status, retry_after, words }
}

/// Returns what a body says about a failure.
fn body_words(text: &str, endpoint: &Endpoint) -> String {
    let told = match serde_json::from_str::<Value>(text) {
        Ok(value) => error_words(value.get("error").unwrap_or(&value)),
        Err(_) => text.trim().to_owned(),
    };
    shown(&told, endpoint)
}

/// Returns as much of what a server said as is shown. The key is taken out first: of one that is cut in two, a part
/// would be left.
pub(super) fn shown(text: &str, endpoint: &Endpoint) -> String {
    head_and_tail(&hidden(text, endpoint), SHOWN_BYTES).into_owned()
}

/// Returns a text without the key.
fn hidden(text: &str, endpoint: &Endpoint) -> String {
    match &endpoint.secret {
        Some(secret) => text.replace(secret.as_str(), "[the key]"),
        None => text.to_owned(),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|millis| millis / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

async fn bounded(mut response: Response, limit: usize) -> Result<String, Refusal> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| Refusal::Broken(words(&error)))? {
        body.extend_from_slice(&piece);
        if body.len() > limit {
            return Err(Refusal::Strange("the response is too long".to_owned()));
        }
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// Returns an error with what caused it.
fn words(error: &reqwest::Error) -> String {
    let mut words = String::new();
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(error) = cause {
        let separator = if words.is_empty() { "" } else { ": " };
        // Writing to a string cannot fail.
        let _ = write!(words, "{separator}{error}");
        cause = error.source();
    }
    if words.is_empty() { error.to_string() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown_wherever_the_text_is_cut() {
        let endpoint = Endpoint {
            model: "m".into(),
            effort: None,
            key: None,
            secret: Some("sk-secret-and-long".into()),
            base_url: "http://127.0.0.1:1/v1".into(),
            context: 1000,
        };
        for before in 270..310 {
            let text = format!("{}sk-secret-and-long{}", "x".repeat(before), "y".repeat(1000));
            let told = body_words(&text, &endpoint);
            assert!(!told.contains("sk-") && told.len() < SHOWN_BYTES + 100, "{told}");
        }
    }
}
