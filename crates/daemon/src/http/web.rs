//! The web app: pages and assets, embedded in the binary.

use std::borrow::Cow;

use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use paseo_wire::error::Code;
use rust_embed::RustEmbed;

use super::request::Path;
use crate::failure::Failure;
use crate::mint;

/// What a page of ours may do: nothing but what comes from us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The built app. Without it the API works all the same.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Built;

/// Leads whoever typed the address of the daemon to the app.
pub(crate) async fn front() -> Redirect {
    Redirect::temporary("/app")
}

/// Serves the app's one page, whatever the path: the page knows its views.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    match Built::get("index.html") {
        Some(file) => respond(&headers, "text/html; charset=utf-8", "no-cache", file),
        None => Failure::new(Code::NotFound, "this paseo was built without its web app")
            .hint("build it with `make build`, or use the command line")
            .into_response(),
    }
}

/// Serves an asset. Its name holds a hash of what is in it, so it never changes.
pub(crate) async fn asset(headers: HeaderMap, Path(name): Path<String>) -> Response {
    let file = Built::get(&format!("assets/{name}"));
    match file.zip(kind(&name)) {
        Some((file, kind)) => respond(&headers, kind, "public, max-age=31536000, immutable", file),
        None => Failure::new(Code::NotFound, "asset not found").into_response(),
    }
}

fn respond(
    headers: &HeaderMap,
    kind: &'static str,
    cache: &'static str,
    file: rust_embed::EmbeddedFile,
) -> Response {
    let tag = format!("\"{}\"", mint::hex(&file.metadata.sha256_hash()));
    let known = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        // What is built in is not copied for each client.
        let data = match file.data {
            Cow::Borrowed(data) => Bytes::from_static(data),
            Cow::Owned(data) => data.into(),
        };
        ([(CONTENT_TYPE, kind)], data).into_response()
    };
    let set = response.headers_mut();
    let fixed: [(HeaderName, &'static str); 5] = [
        (CACHE_CONTROL, cache),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        set.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        set.insert(ETAG, tag);
    }
    response
}

fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}
