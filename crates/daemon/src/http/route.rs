//! One route: where it is, who may use it, what it takes and gives.

use std::ops::RangeInclusive;

use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use paseo_core::limits::ATTACHMENT_BYTES;
use paseo_wire::error::Code;
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::gate::Access;
use super::{App, bridge, teamd};
use crate::failure::Failure;

/// Routes about one subject.
pub(crate) struct Group {
    /// What the document calls the subject.
    pub(crate) tag: &'static str,
    pub(crate) about: &'static str,
    pub(crate) routes: &'static [Route],
}

/// The query that a route takes: a struct of the wire, which its handler reads and the document describes.
#[derive(Clone, Copy)]
pub(crate) struct QueryOf {
    /// The name of its type.
    pub(crate) name: fn() -> &'static str,
    pub(crate) schema: fn() -> RefOr<Schema>,
    /// Collects the schemas that it refers to.
    pub(crate) inner: fn(&mut Vec<(String, RefOr<Schema>)>),
}

/// Names the query of a route.
pub(super) const fn query<T: ToSchema>() -> QueryOf {
    QueryOf { name: std::any::type_name::<T>, schema: <T as PartialSchema>::schema, inner: T::schemas }
}

/// A parameter of a query, as far as every route checks it alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// Which numbers it may be, if the document says so.
    pub(crate) range: Option<RangeInclusive<u64>>,
}

impl QueryOf {
    /// Returns its parameters.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let schema = json!((self.schema)());
        let properties = schema["properties"].as_object().into_iter().flatten();
        properties.map(|(name, property)| Parameter { name: name.clone(), range: range(property) }).collect()
    }
}

fn range(schema: &Value) -> Option<RangeInclusive<u64>> {
    Some(schema["minimum"].as_u64()?..=schema["maximum"].as_u64()?)
}

/// A WebSocket: the schemas of its text frames.
#[derive(Clone, Copy)]
pub(crate) struct Socket {
    /// Frames from the daemon.
    pub(crate) server: &'static str,
    /// Frames from the client.
    pub(crate) client: &'static str,
}

/// One route.
pub(crate) struct Route {
    /// What programs call it: a verb and a noun, stable once it is released.
    pub(crate) name: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) summary: &'static str,
    /// Name of the schema of the body.
    pub(crate) request: Option<&'static str>,
    /// Name of the schema of the answer.
    pub(crate) response: Option<&'static str>,
    /// What the query may hold.
    pub(crate) query: Option<QueryOf>,
    /// Names of the schemas of an answer that can be one of several, or of the events of a stream.
    pub(crate) forms: &'static [&'static str],
    /// Names of headers that it heeds.
    pub(crate) headers: &'static [&'static str],
    /// Status of the answer when all goes well.
    pub(crate) status: u16,
    /// What the answer is made of, when it is not JSON.
    pub(crate) media: Option<&'static str>,
    /// Its body is a file, which its handler reads.
    pub(crate) streamed: bool,
    /// Its body names files to attach.
    pub(crate) attaches: bool,
    /// It becomes a WebSocket.
    pub(crate) socket: Option<Socket>,
    /// It looks for something that its body or its query names.
    pub(crate) seeks: bool,
    /// It only reads, and what is asked for can conflict with itself, or with the current state.
    pub(crate) compares: bool,
    /// It changes something, whatever the current state.
    pub(crate) steady: bool,
    /// It only reads, and can be asked for too much.
    pub(crate) measures: bool,
    /// It can be asked too often, or with too much that waits.
    pub(crate) limited: bool,
    pub(super) handler: fn() -> MethodRouter<App>,
}

/// How long the body of a request may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLimit {
    /// Of a client that has not said who it is.
    Stranger,
    Known,
    /// Of a file, which its handler reads and counts.
    Streamed,
}

impl BodyLimit {
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Stranger => 16 * 1024,
            Self::Known => 1024 * 1024,
            Self::Streamed => ATTACHMENT_BYTES as usize,
        }
    }

    /// Refuses a body that is longer.
    pub(crate) fn exceeded(self) -> Failure {
        let (most, hint) = match self {
            Self::Stranger => ("16 KB", "send a smaller body, or log in first"),
            Self::Known => ("1 MB", "send a smaller body; upload large texts and files as attachments"),
            Self::Streamed => ("32 MB", "send a smaller file"),
        };
        Failure::new(Code::TooLarge, format!("the body is larger than {most}")).hint(hint)
    }
}

/// Begins a route.
pub(super) const fn route(
    name: &'static str,
    method: &'static str,
    path: &'static str,
    access: Access,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route {
        name,
        method,
        path,
        access,
        summary: "",
        request: None,
        response: None,
        query: None,
        forms: &[],
        headers: &[],
        status: 200,
        media: None,
        streamed: false,
        attaches: false,
        socket: None,
        seeks: false,
        compares: false,
        steady: false,
        measures: false,
        limited: false,
        handler,
    }
}

/// Puts a failure into the shape that clients of a path know, whether or not there is a route.
pub(crate) fn refusal(path: &str, failure: Failure) -> Response {
    if is_of_bridge(path) {
        return bridge::Refusal::from(failure).into_response();
    }
    if path.starts_with(teamd::ROOT) {
        return teamd::Refusal::from(failure).into_response();
    }
    failure.into_response()
}

fn is_of_bridge(path: &str) -> bool {
    path == "/threads" || path.starts_with("/threads/")
}

impl Route {
    /// Says whether it is one of the bridge protocol.
    pub(crate) fn is_of_bridge(&self) -> bool {
        is_of_bridge(self.path)
    }

    /// Returns how long a body may be.
    pub(crate) fn body_limit(&self) -> BodyLimit {
        match self.access {
            _ if self.streamed => BodyLimit::Streamed,
            Access::Public => BodyLimit::Stranger,
            // That of a callback is read by its handler, once it knows more.
            _ => BodyLimit::Known,
        }
    }

    /// Says whether it is one of teamd.
    pub(crate) fn is_of_teamd(&self) -> bool {
        self.path.starts_with(teamd::ROOT)
    }

    /// Refuses a request in the shape that its clients know.
    pub(crate) fn refuses(&self, failure: Failure) -> Response {
        refusal(self.path, failure)
    }

    pub(super) const fn says(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    pub(super) const fn takes(mut self, schema: &'static str) -> Self {
        self.request = Some(schema);
        self
    }

    pub(super) const fn gives(mut self, schema: &'static str) -> Self {
        self.response = Some(schema);
        self
    }

    pub(super) const fn gives_one_of(mut self, schemas: &'static [&'static str]) -> Self {
        self.forms = schemas;
        self
    }

    pub(super) const fn heeds(mut self, headers: &'static [&'static str]) -> Self {
        self.headers = headers;
        self
    }

    pub(super) const fn answers(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(super) const fn made_of(mut self, media: &'static str) -> Self {
        self.media = Some(media);
        self
    }

    pub(super) const fn streamed(mut self) -> Self {
        self.streamed = true;
        self
    }

    pub(super) const fn attaches(mut self) -> Self {
        self.attaches = true;
        self
    }

    pub(super) const fn socket(mut self, socket: Socket) -> Self {
        self.socket = Some(socket);
        self.status = 101;
        self
    }

    pub(super) const fn seeks(mut self) -> Self {
        self.seeks = true;
        self
    }

    pub(super) const fn compares(mut self) -> Self {
        self.compares = true;
        self
    }

    pub(super) const fn steady(mut self) -> Self {
        self.steady = true;
        self
    }

    pub(super) const fn measures(mut self) -> Self {
        self.measures = true;
        self
    }

    pub(super) const fn limited(mut self) -> Self {
        self.limited = true;
        self
    }

    pub(super) const fn asks(mut self, query: QueryOf) -> Self {
        self.query = Some(query);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!((BodyLimit::Stranger.bytes(), BodyLimit::Known.bytes()), (16_384, 1_048_576));
        assert_eq!(BodyLimit::Streamed.bytes(), 33_554_432);
    }
}
