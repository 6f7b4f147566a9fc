//! Asking a model server.

use std::time::Duration;

use serde_json::Value;

use super::{Error, Offered, Source, of_openai, offered};
use crate::outbound;

/// How long a server may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest list that is read, in bytes.
const ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// A model server, and with what it is paid.
pub(crate) struct Server {
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) secret: Option<String>,
}

/// Asks a server that speaks the API of OpenAI for its models.
pub(crate) async fn ask(server: Server) -> Result<Offered, Error> {
    let Server { base_url, secret } = server;
    let unreachable = |error: &reqwest::Error| match error.is_timeout() {
        true => Error::Slow(base_url.clone(), PATIENCE.as_secs()),
        // Its own words may hold the whole address.
        false => Error::Unreachable(base_url.clone(), kind(error).to_owned()),
    };
    let client = outbound::client().timeout(PATIENCE).build().map_err(|error| unreachable(&error))?;
    let request = client.get(format!("{base_url}/models"));
    let request = match secret {
        Some(secret) => request.bearer_auth(secret),
        None => request,
    };
    let mut response = request.send().await.map_err(|error| unreachable(&error))?;
    match response.status().as_u16() {
        200..=299 => {}
        status @ (401 | 403) => return Err(Error::KeyRefused(base_url, status)),
        status => return Err(Error::Status(base_url, status)),
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| unreachable(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > ANSWER_BYTES {
            return Err(Error::Malformed(base_url));
        }
    }
    let answer: Option<Value> = serde_json::from_slice(&body).ok();
    match answer.as_ref().and_then(of_openai) {
        Some(models) => Ok(offered(Source::Endpoint, models, false)),
        None => Err(Error::Malformed(base_url)),
    }
}

fn kind(error: &reqwest::Error) -> &'static str {
    match error {
        _ if error.is_connect() => "the connection failed",
        _ if error.is_builder() => "the address is not valid",
        _ => "the connection broke",
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Serves one answer, and returns what came of asking, with the request.
    async fn asked(answer: Vec<u8>) -> (Result<Offered, Error>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(stream.read_u8().await.unwrap());
            }
            // A reader that has enough disconnects.
            let _ = stream.write_all(&answer).await;
            String::from_utf8(request).unwrap()
        });
        let told = ask(Server { base_url, secret: Some("s3cret".to_owned()) }).await;
        (told, serving.await.unwrap())
    }

    fn answer(status: &str, body: &str) -> Vec<u8> {
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
            .into_bytes()
    }

    #[tokio::test]
    async fn a_server_is_asked_with_the_key() {
        let (told, request) = asked(answer("200 OK", r#"{"data":[{"id":"small"},{"id":"large"}]}"#)).await;
        let ids: Vec<String> = told.unwrap().models.into_iter().map(|model| model.id).collect();
        assert_eq!(ids, ["small", "large"]);
        assert!(request.starts_with("GET /v1/models HTTP/1.1\r\n"), "{request}");
        assert!(request.to_lowercase().contains("authorization: bearer s3cret\r\n"), "{request}");
    }

    #[tokio::test]
    async fn what_a_server_does_wrong_is_told_without_the_key() {
        let huge = format!(r#"{{"data":[{{"id":"{}"}}]}}"#, "x".repeat(ANSWER_BYTES));
        for (answer, is_expected) in [
            (
                answer("401 Unauthorized", "s3cret"),
                (|error| matches!(error, Error::KeyRefused(_, 401))) as fn(&Error) -> bool,
            ),
            (answer("500 Oops", "s3cret"), |error| matches!(error, Error::Status(_, 500))),
            // Redirects are not followed, as they would carry the key.
            (answer("302 Found\r\nlocation: http://127.0.0.1:1/", ""), |error| {
                matches!(error, Error::Status(_, 302))
            }),
            (answer("200 OK", "<html>"), |error| matches!(error, Error::Malformed(_))),
            (answer("200 OK", &huge), |error| matches!(error, Error::Malformed(_))),
            (b"".to_vec(), |error| matches!(error, Error::Unreachable(..))),
        ] {
            let (told, _) = asked(answer).await;
            let error = told.unwrap_err();
            assert!(is_expected(&error), "{error:?}");
            assert!(!error.to_string().contains("s3cret") && error.hint().is_some(), "{error}");
        }
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_told() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let told = ask(Server { base_url, secret: None }).await;
        assert!(matches!(told, Err(Error::Unreachable(..))), "{told:?}");
    }
}
