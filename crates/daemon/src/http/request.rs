//! What handlers take out of a request.

use std::any::type_name;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{self, FromRequest, FromRequestParts, MatchedPath, Query, Request};
use http::Uri;
use http::request::Parts;
use paseo_core::actor::Actor;
use paseo_core::handle;
use paseo_wire::IDEMPOTENCY_KEY;
use paseo_wire::error::Code;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::rejection::{in_path, plain};
use super::route::{BodyLimit, Parameter, QueryOf};
use crate::directory::shown;
use crate::failure::Failure;
use crate::mint;
use crate::sessions::RequestKey;

/// Longest idempotency key.
pub(super) const KEY_CHARS: usize = 200;

/// Who asks, as the gate found out.
#[derive(Debug, Clone)]
pub(crate) struct Caller(pub(crate) Actor);

/// The parts of the path that the route leaves open.
pub(crate) struct Path<T>(pub(crate) T);

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

/// A query that was read and found in order.
pub(crate) struct Asked<T>(pub(crate) T);

/// The idempotency key, if the client gave one.
pub(crate) struct Key(Option<String>);

impl Key {
    /// Binds the key to who asks, what for, and with which words.
    pub(crate) fn bind<T: Serialize>(self, caller: &Actor, route: &str, body: &T) -> Option<RequestKey> {
        let key = self.0?;
        let body = mint::sha256(&serde_json::to_vec(body).unwrap_or_default());
        Some(RequestKey { scope: format!("{caller} {route}"), key, body })
    }
}

/// Finds what the path names: by its id, or by a beginning of it that no other has.
pub(crate) fn one<I: Copy + ToString>(
    typed: &str,
    ids: impl IntoIterator<Item = I>,
    what: &str,
    listed_by: &str,
) -> Result<I, Failure> {
    match handle::meant(typed, ids).as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::new(Code::NotFound, format!("{what} `{}` not found", shown(typed)))
            .hint(format!("run `{listed_by}`"))),
        several => Err(Failure::new(
            Code::Ambiguous,
            format!("`{}` is ambiguous: {} {what}s match", shown(typed), several.len()),
        )
        .hint(format!("type more of the id shown by `{listed_by}`"))),
    }
}

/// Refuses a query that holds what the route does not know, or a number that the document does not allow.
pub(crate) fn check_query(uri: &Uri, known: &[Parameter]) -> Result<(), Failure> {
    let Ok(Query(pairs)) = Query::<Vec<(String, String)>>::try_from_uri(uri) else {
        return Err(Failure::new(Code::InvalidRequest, "the query is not in the form `key=value&…`"));
    };
    pairs.iter().try_for_each(|(name, value)| match known.iter().find(|known| known.name == *name) {
        Some(parameter) => check_range(parameter, value),
        None => Err(unknown(name, known)),
    })
}

fn unknown(name: &str, known: &[Parameter]) -> Failure {
    let name: String = name.chars().take(60).flat_map(char::escape_debug).collect();
    let known: Vec<&str> = known.iter().map(|known| known.name.as_str()).collect();
    let hint = match known.as_slice() {
        [] => "remove the query; this route takes none".to_owned(),
        known => format!("use one of: {}", known.join(", ")),
    };
    Failure::new(Code::InvalidRequest, format!("unknown query parameter `{name}`")).hint(hint)
}

/// Refuses a number outside of the range of its parameter. Whether it is a number is for its type to say.
fn check_range(parameter: &Parameter, value: &str) -> Result<(), Failure> {
    let (Some(range), Ok(number)) = (&parameter.range, value.parse::<u64>()) else { return Ok(()) };
    if range.contains(&number) {
        return Ok(());
    }
    let (name, least, most) = (&parameter.name, range.start(), range.end());
    Err(Failure::new(Code::InvalidRequest, format!("`{name}` is {number}; expected {least} to {most}"))
        .hint(format!("use a number from {least} to {most}")))
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or_else(|| Failure::internal("a route has no access check"))
    }
}

impl<S: Sync> FromRequestParts<S> for Key {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let Some(value) = parts.headers.get(IDEMPOTENCY_KEY) else { return Ok(Self(None)) };
        let is_printable = |key: &&str| key.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let key = value.to_str().ok().filter(is_printable);
        let key = key.filter(|key| (1..=KEY_CHARS).contains(&key.len()));
        let key = key.ok_or_else(|| {
            Failure::new(
                Code::InvalidRequest,
                format!("an idempotency key must have 1 to {KEY_CHARS} printable characters"),
            )
        })?;
        Ok(Self(Some(key.to_owned())))
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let route = parts.extensions.get::<MatchedPath>().map(|route| route.as_str().to_owned());
        match extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(extract::Path(open)) => Ok(Self(open)),
            Err(PathRejection::FailedToDeserializePathParams(rejection)) => {
                Err(in_path(rejection.kind(), &route.unwrap_or_default()).into())
            }
            Err(rejection) => Err(Failure::internal(rejection.body_text())),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let limit = request.extensions().get().copied().unwrap_or(BodyLimit::Known);
        match axum::Json::<Box<RawValue>>::from_request(request, state).await {
            // Without this an array of the fields' values would do as well.
            Ok(axum::Json(body)) if !body.get().starts_with('{') => {
                Err(Failure::new(Code::InvalidRequest, "the body is not a JSON object")
                    .hint("send a JSON object; see /api/openapi.json"))
            }
            Ok(axum::Json(body)) => match axum::Json::<T>::from_bytes(body.get().as_bytes()) {
                Ok(axum::Json(body)) => Ok(Self(body)),
                Err(rejection) => Err(plain(&rejection.body_text()).into()),
            },
            Err(JsonRejection::BytesRejection(rejection))
                if rejection.status() == http::StatusCode::PAYLOAD_TOO_LARGE =>
            {
                Err(limit.exceeded())
            }
            Err(rejection) => Err(plain(&rejection.body_text()).into()),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        // What the document says of a query holds only if the handler reads the same one.
        if parts.extensions.get::<QueryOf>().map(|query| (query.name)()) != Some(type_name::<T>()) {
            return Err(Failure::internal("a route does not name the query that its handler reads"));
        }
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(query)) => Ok(Self(query)),
            Err(rejection) => Err(plain(&rejection.body_text()).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(KEY_CHARS, 200);
    }
}
