//! The web app: pages and assets, embedded in the binary.

mod encoding;

use std::borrow::Cow;

use axum::response::{IntoResponse, Redirect, Response};
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use paseo_wire::error::Code;
use rust_embed::RustEmbed;

use self::encoding::{Accepted, Encoding};
use super::request::Path;
use crate::failure::Failure;
use crate::mint;

/// What a page of ours may do: nothing but what comes from us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// For files whose name holds a hash of what is in them.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// For files that keep their name when they change: browsers ask each time, and are mostly told that nothing did.
const REVALIDATED: &str = "no-cache";

/// The built app, each file with its compressed copies. Without it the API works all the same.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Built;

/// Redirects from the address of the daemon to the app.
pub(crate) async fn front() -> Redirect {
    Redirect::temporary("/app")
}

/// Serves the app's one page, whatever the path: the page knows its views.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    match built("index.html") {
        Some(file) => respond(&headers, "text/html; charset=utf-8", REVALIDATED, file),
        None => not_built(),
    }
}

/// Serves an asset. Its name holds a hash of what is in it, so it never changes.
pub(crate) async fn asset(headers: HeaderMap, Path(name): Path<String>) -> Response {
    in_folder(&headers, "assets", &name, IMMUTABLE)
}

/// Serves an icon of the installed app.
pub(crate) async fn icon(headers: HeaderMap, Path(name): Path<String>) -> Response {
    in_folder(&headers, "icons", &name, REVALIDATED)
}

/// Serves what makes the app installable. Browsers ask for it without their cookie.
pub(crate) async fn manifest(headers: HeaderMap) -> Response {
    match built("manifest.webmanifest") {
        Some(file) => respond(&headers, "application/manifest+json", REVALIDATED, file),
        None => not_built(),
    }
}

/// Serves the service worker, which may look after `/app` itself and not only what is below it.
pub(crate) async fn worker(headers: HeaderMap) -> Response {
    let Some(file) = built("sw.js") else { return not_built() };
    let mut response = respond(&headers, "text/javascript; charset=utf-8", REVALIDATED, file);
    let scope = HeaderName::from_static("service-worker-allowed");
    response.headers_mut().insert(scope, HeaderValue::from_static("/app"));
    response
}

fn not_built() -> Response {
    Failure::new(Code::NotFound, "this paseo was built without its web app")
        .hint("build it with `make build`, or use the command line")
        .into_response()
}

fn in_folder(headers: &HeaderMap, folder: &str, name: &str, cache: &'static str) -> Response {
    let is_plain = !name.contains('/');
    let file = is_plain.then(|| built(&format!("{folder}/{name}"))).flatten();
    match file.zip(kind(name)) {
        Some((file, kind)) => respond(headers, kind, cache, file),
        None => Failure::new(Code::NotFound, "asset not found")
            .hint("reload the page: the web app may have been updated")
            .into_response(),
    }
}

/// A file in the encodings that there are of it.
struct Copies {
    brotli: Option<Copied>,
    gzip: Option<Copied>,
    identity: Copied,
}

/// One copy of a file.
struct Copied {
    data: Bytes,
    /// Differs between the copies: a cache must not take one for the other.
    tag: String,
}

impl Copies {
    /// Finds a file, if it is there as it is.
    fn find(name: &str, get: impl Fn(&str) -> Option<Copied>) -> Option<Self> {
        let copy = |encoding: Encoding| get(&format!("{name}{}", encoding.suffix()));
        Some(Self {
            identity: copy(Encoding::Identity)?,
            brotli: copy(Encoding::Brotli),
            gzip: copy(Encoding::Gzip),
        })
    }

    fn has(&self, encoding: Encoding) -> bool {
        match encoding {
            Encoding::Brotli => self.brotli.is_some(),
            Encoding::Gzip => self.gzip.is_some(),
            Encoding::Identity => true,
        }
    }

    fn take(self, encoding: Encoding) -> Copied {
        let encoded = match encoding {
            Encoding::Brotli => self.brotli,
            Encoding::Gzip => self.gzip,
            Encoding::Identity => None,
        };
        encoded.unwrap_or(self.identity)
    }
}

fn built(name: &str) -> Option<Copies> {
    Copies::find(name, |name| {
        let file = Built::get(name)?;
        // What is built in is not copied for each client.
        let data = match file.data {
            Cow::Borrowed(data) => Bytes::from_static(data),
            Cow::Owned(data) => data.into(),
        };
        Some(Copied { data, tag: format!("\"{}\"", mint::hex(&file.metadata.sha256_hash())) })
    })
}

fn respond(headers: &HeaderMap, kind: &'static str, cache: &'static str, file: Copies) -> Response {
    let Some(encoding) = Accepted::of(headers).choose(|encoding| file.has(encoding)) else {
        return unacceptable();
    };
    let Copied { data, tag } = file.take(encoding);
    let mut response = if is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = ([(CONTENT_TYPE, kind)], data).into_response();
        if let Some(token) = encoding.token() {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(token));
        }
        response
    };
    let set = response.headers_mut();
    let fixed: [(HeaderName, &'static str); 6] = [
        (CACHE_CONTROL, cache),
        (VARY, "accept-encoding"),
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

/// Refuses a client that accepts no copy there is, not even the file as it is.
fn unacceptable() -> Response {
    let failure = Failure::new(Code::InvalidRequest, "`Accept-Encoding` refuses every encoding of this file")
        .hint("accept `br`, `gzip` or `identity`");
    let mut response = failure.into_response();
    *response.status_mut() = StatusCode::NOT_ACCEPTABLE;
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// Says whether a client has a copy already. Proxies that compress mark tags as weak.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    let known = lists.flat_map(|list| list.split(',')).map(str::trim);
    let mut known = known.map(|known| known.strip_prefix("W/").unwrap_or(known));
    known.any(|known| known == tag || known == "*")
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

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    fn copies(encodings: &[Encoding]) -> Copies {
        Copies::find("app.js", |name| {
            let encoding =
                Encoding::ALL.into_iter().find(|encoding| name == format!("app.js{}", encoding.suffix()));
            let encoding = encoding.filter(|encoding| encodings.contains(encoding))?;
            let data = Bytes::from(format!("{encoding:?}"));
            Some(Copied { data, tag: format!("\"{encoding:?}\"") })
        })
        .unwrap()
    }

    fn ask(headers: &[(HeaderName, &'static str)], file: Copies) -> Response {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        respond(&headers.collect(), "text/javascript; charset=utf-8", IMMUTABLE, file)
    }

    fn header(response: &Response, name: HeaderName) -> Option<&str> {
        response.headers().get(name).map(|value| value.to_str().unwrap())
    }

    async fn text(response: Response) -> String {
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_client_gets_the_copy_that_it_accepts() {
        for (accepted, token, body) in
            [("gzip, br", Some("br"), "Brotli"), ("gzip", Some("gzip"), "Gzip"), ("zstd", None, "Identity")]
        {
            let response = ask(&[(http::header::ACCEPT_ENCODING, accepted)], copies(&Encoding::ALL));
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(header(&response, CONTENT_ENCODING), token);
            assert_eq!(header(&response, CONTENT_TYPE), Some("text/javascript; charset=utf-8"));
            assert_eq!(header(&response, VARY), Some("accept-encoding"));
            assert_eq!(header(&response, CACHE_CONTROL), Some(IMMUTABLE));
            assert_eq!(header(&response, CONTENT_SECURITY_POLICY), Some(POLICY));
            assert_eq!(header(&response, X_CONTENT_TYPE_OPTIONS), Some("nosniff"));
            assert_eq!(header(&response, ETAG), Some(format!("\"{body}\"").as_str()));
            assert_eq!(text(response).await, body);
        }
    }

    #[tokio::test]
    async fn a_small_file_has_no_compressed_copies() {
        let response = ask(&[(http::header::ACCEPT_ENCODING, "br")], copies(&[Encoding::Identity]));
        assert_eq!(header(&response, CONTENT_ENCODING), None);
        assert_eq!(text(response).await, "Identity");
        let only_compressed =
            |name: &str| (name != "app.js").then(|| Copied { data: Bytes::new(), tag: String::new() });
        assert!(Copies::find("app.js", only_compressed).is_none());
    }

    #[tokio::test]
    async fn a_client_that_refuses_every_copy_is_told() {
        let response = ask(&[(http::header::ACCEPT_ENCODING, "*;q=0")], copies(&Encoding::ALL));
        assert_eq!(response.status(), StatusCode::NOT_ACCEPTABLE);
        assert_eq!(header(&response, VARY), Some("accept-encoding"));
        assert!(text(response).await.contains("identity"));
    }

    #[tokio::test]
    async fn what_is_known_is_not_sent_again() {
        let br = (http::header::ACCEPT_ENCODING, "br");
        for known in ["\"Brotli\"", "W/\"Brotli\"", "\"old\", \"Brotli\"", "*"] {
            let response = ask(&[br.clone(), (IF_NONE_MATCH, known)], copies(&Encoding::ALL));
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{known}");
            assert_eq!(header(&response, VARY), Some("accept-encoding"));
            assert_eq!(header(&response, ETAG), Some("\"Brotli\""));
            assert_eq!(text(response).await, "");
        }
        // Another copy of the same file is not this one.
        for known in ["\"Gzip\"", "Brotli", "", "\"old\""] {
            let response = ask(&[br.clone(), (IF_NONE_MATCH, known)], copies(&Encoding::ALL));
            assert_eq!(response.status(), StatusCode::OK, "{known}");
        }
    }

    #[test]
    fn only_files_of_known_types_are_served() {
        assert_eq!(kind("icon-192.png"), Some("image/png"));
        assert_eq!(kind("manifest.webmanifest"), Some("application/manifest+json"));
        for name in ["index.js.br", "index.js.gz", "index.html", "js", "", "a.JS"] {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
