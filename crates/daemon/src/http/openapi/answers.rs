//! The answers of routes that refuse something, which many share.

use paseo_wire::bridge::{BridgeError, BridgeRefusal};
use paseo_wire::error::{Code, ErrorBody};
use paseo_wire::page::LISTS;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::http::gate::Access;
use crate::http::route::Route;
use crate::http::teamd;

/// Who gives an answer, each in a shape of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Own,
    Bridge,
    Teamd,
}

/// An answer that refuses something: of the daemon, or of a protocol that it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shared {
    shape: Shape,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Invalid,
    Unauthenticated,
    Forbidden,
    NotFound,
    Conflict,
    TooLarge,
    Unsupported,
    Misdirected,
    TooMany,
    Failed,
}

/// Parts of a path that may name several things, or something that this machine cannot reach now: handles, names of
/// threads, workers. Other ids are exact.
const AMBIGUOUS: [&str; 4] = ["{id}", "{thread}", "{cause}", "{worker}"];

/// Returns the refusals of a route, by what it takes and who may use it.
pub(super) fn of(route: &Route) -> impl Iterator<Item = Shared> {
    let shape = match route {
        _ if route.is_of_bridge() => Shape::Bridge,
        _ if route.is_of_teamd() => Shape::Teamd,
        _ => Shape::Own,
    };
    let is_read = route.method == "GET";
    let names_something = route.path.contains('{');
    let has_body = super::body(route).is_some();
    // Pages of the web app ignore what others add to a link; nothing else does.
    let is_checked = route.path.starts_with("/api/") || route.query.is_some() || has_body;
    let may_lose_cursor = route.response.is_some_and(|schema| LISTS.contains(&schema));
    let is_open = matches!(route.access, Access::Public | Access::Page);
    let may_be_ambiguous = shape != Shape::Teamd && AMBIGUOUS.iter().any(|part| route.path.contains(part));
    let may_conflict = match is_read {
        true => may_be_ambiguous || may_lose_cursor || route.compares,
        false => !route.steady,
    };
    let kinds = [
        (Kind::Invalid, is_checked),
        (Kind::Unauthenticated, !is_open),
        // Of requests from another site, on every route.
        (Kind::Forbidden, true),
        (Kind::NotFound, names_something || route.seeks),
        (Kind::Conflict, !is_open && may_conflict),
        (Kind::TooLarge, has_body || route.measures),
        (Kind::Unsupported, route.streamed || route.attaches),
        // Checked before the route is looked up.
        (Kind::Misdirected, true),
        (Kind::TooMany, route.limited),
        (Kind::Failed, true),
    ];
    kinds.into_iter().filter(|(_, applies)| *applies).map(move |(kind, _)| Shared { shape, kind })
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Invalid => "Invalid",
            Self::Unauthenticated => "Unauthenticated",
            Self::Forbidden => "Forbidden",
            Self::NotFound => "NotFound",
            Self::Conflict => "Conflict",
            Self::TooLarge => "TooLarge",
            Self::Unsupported => "Unsupported",
            Self::Misdirected => "Misdirected",
            Self::TooMany => "TooMany",
            Self::Failed => "Failed",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Invalid => "The request is malformed, or has a parameter that does not exist.",
            Self::Unauthenticated => "The credential is missing or invalid.",
            Self::Forbidden => "The credential does not allow this, or the request comes from another site.",
            Self::NotFound => "The resource does not exist.",
            Self::Conflict => "The request conflicts with the current state, or its id is ambiguous.",
            Self::TooLarge => "The body, or something in it, is too large.",
            Self::Unsupported => {
                "A file of this type cannot be attached, or not to a message for this agent."
            }
            Self::Misdirected => "The `Host` header names a host that is not this daemon.",
            Self::TooMany => {
                "Too many requests or waiting messages. `Retry-After` says when to try again, if known."
            }
            Self::Failed => "The daemon failed; `code` says why.",
        }
    }

    /// Returns one of the failures that it stands for.
    fn example(self) -> Failure {
        match self {
            Self::Invalid => Failure::new(Code::InvalidRequest, "unknown query parameter `colour`")
                .hint("use one of: after, limit"),
            Self::Unauthenticated => Failure::new(Code::Unauthenticated, "missing or invalid credential")
                .hint("use the `paseo` command, or create a token with `paseo token create`"),
            Self::Forbidden => {
                Failure::new(Code::Forbidden, "only people can do this, and you are calling as an agent")
                    .hint("ask a person; this process belongs to agent 3f2a")
            }
            Self::NotFound => Failure::new(Code::NotFound, "agent not found").hint("run `paseo ls`"),
            Self::Conflict => Failure::new(Code::Conflict, "the file has changed since it was read")
                .hint("read it again, then repeat the change"),
            Self::TooLarge => Failure::new(Code::TooLarge, "the body is larger than 1 MB")
                .hint("send a smaller body; upload large texts and files as attachments"),
            Self::Unsupported => {
                Failure::new(Code::AttachmentRefused, "files of this type cannot be attached")
                    .hint("attach an image, a PDF or text")
            }
            Self::Misdirected => Failure::new(Code::ForeignHost, "the Host header names another host")
                .hint("use the address that `paseo status` shows"),
            Self::TooMany => Failure::new(Code::QueueFull, "too many messages wait already")
                .hint("wait until some messages have been answered"),
            Self::Failed => Failure::new(Code::StorageUnavailable, "the log cannot be written")
                .hint("free some disk space; run `paseo doctor`"),
        }
    }
}

impl Shared {
    pub(super) fn status(self) -> String {
        match self.kind {
            Kind::Failed => "default".to_owned(),
            kind => kind.example().code.http_status().to_string(),
        }
    }

    /// Returns its name among the components.
    pub(super) fn name(self) -> String {
        let prefix = match self.shape {
            Shape::Own => "",
            Shape::Bridge => "Bridge",
            Shape::Teamd => "Teamd",
        };
        format!("{prefix}{}", self.kind.name())
    }

    pub(super) fn written(self) -> Value {
        let failure = self.kind.example();
        let (schema, example) = match self.shape {
            Shape::Own => ("ErrorBody", json!(ErrorBody::from(failure))),
            Shape::Bridge => {
                let Failure { code, message, hint, .. } = failure;
                let error = BridgeRefusal { code, message, hint, thread: None, participant: None };
                ("BridgeError", json!(BridgeError { error }))
            }
            Shape::Teamd => ("TeamdError", json!(teamd::Refusal::from(failure).body())),
        };
        let mut content = super::refers(schema);
        content["example"] = example;
        json!({ "description": self.kind.about(), "content": { "application/json": content } })
    }
}
