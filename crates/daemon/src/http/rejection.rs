//! What is wrong with a request, in plain words: those of the libraries name Rust types and positions.

use axum::extract::path::ErrorKind;
use paseo_wire::error::Code;

use super::transport::Late;
use crate::failure::Failure;

const REFERENCE: &str = "see /api/openapi.json";

/// What is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plain {
    pub(super) message: String,
    pub(super) hint: String,
}

impl Plain {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

impl From<Plain> for Failure {
    fn from(plain: Plain) -> Self {
        Self::new(Code::InvalidRequest, plain.message).hint(plain.hint)
    }
}

/// Where a value is that does not fit.
#[derive(Clone, Copy)]
enum Place {
    Body,
    Query,
}

impl Place {
    fn part(self) -> &'static str {
        match self {
            Self::Body => "field",
            Self::Query => "query parameter",
        }
    }

    fn whole(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Query => "query",
        }
    }
}

/// Says in plain words what axum, serde and serde_json say of a body, a query or its headers.
pub(super) fn plain(text: &str) -> Plain {
    let text = without_position(text);
    if let Some(wrong) = text.strip_prefix("Failed to deserialize the JSON body into the target type: ") {
        return value(Place::Body, wrong);
    }
    if let Some(wrong) = text.strip_prefix("Failed to deserialize query string: ") {
        return value(Place::Query, wrong);
    }
    if let Some(wrong) = text.strip_prefix("Failed to parse the request body as JSON: ") {
        return syntax(wrong);
    }
    if let Some((_, header)) = UPGRADE.iter().find(|(theirs, _)| *theirs == text) {
        return Plain::new(format!("expected {header}"), "connect with a WebSocket client");
    }
    match text {
        "Expected request with `Content-Type: application/json`" => Plain::new(
            "expected `Content-Type: application/json`",
            "send JSON with `Content-Type: application/json`; see /api/openapi.json",
        ),
        _ if text.ends_with(&Late.to_string()) => Plain::new(Late.to_string(), "send the request again"),
        _ if text.starts_with("Failed to ") => Plain::new("the body is incomplete", "send the request again"),
        _ => value(Place::Body, text),
    }
}

/// Says in plain words what does not fit in a path; `route` is its template.
pub(super) fn in_path(kind: &ErrorKind, route: &str) -> Plain {
    let nth = |at: usize| {
        let name = route.split('{').nth(at + 1).and_then(|rest| rest.split('}').next());
        name.unwrap_or("path").trim_start_matches('*').to_owned()
    };
    let (name, expected) = match kind {
        ErrorKind::ParseErrorAtKey { key, expected_type, .. } => (key.clone(), words(expected_type)),
        ErrorKind::ParseErrorAtIndex { index, expected_type, .. } => (nth(*index), words(expected_type)),
        ErrorKind::ParseError { expected_type, .. } => (nth(0), words(expected_type)),
        ErrorKind::InvalidUtf8InPathParam { key } => (key.clone(), "UTF-8".to_owned()),
        ErrorKind::DeserializeError { key, message, .. } => (key.clone(), expected(message)),
        ErrorKind::Message(message) => (nth(0), expected(message)),
        _ => (nth(0), "another value".to_owned()),
    };
    let hint = format!("use the path `{route}`; {REFERENCE}");
    Plain::new(format!("invalid `{name}` in the path: expected {expected}"), hint)
}

/// What is missing for a WebSocket.
const UPGRADE: [(&str, &str); 6] = [
    ("Request method must be `GET`", "the method GET"),
    ("Connection header did not include 'upgrade'", "`Connection: upgrade`"),
    ("`Upgrade` header did not include 'websocket'", "`Upgrade: websocket`"),
    ("`Sec-WebSocket-Version` header did not include '13'", "`Sec-WebSocket-Version: 13`"),
    ("`Sec-WebSocket-Key` header missing", "a `Sec-WebSocket-Key`"),
    ("WebSocket request couldn't be upgraded since no upgrade state was present", "HTTP/1.1"),
];

/// Cuts off ` at line 1 column 7`: requests are rarely written by hand.
fn without_position(text: &str) -> &str {
    let is_position =
        |position: &str| position.bytes().all(|byte| byte.is_ascii_digit()) && !position.is_empty();
    match text.rsplit_once(" at line ").map(|(before, position)| (before, position.split_once(" column "))) {
        // An empty body has no column.
        Some((before, Some((_, "0")))) if before.ends_with("EOF while parsing a value") => {
            "Failed to parse the request body as JSON: empty"
        }
        Some((before, Some((line, column)))) if is_position(line) && is_position(column) => before,
        _ => text,
    }
}

/// Says why a text is no JSON.
fn syntax(wrong: &str) -> Plain {
    let why = match split(wrong).1 {
        "empty" => return Plain::new("the body is empty", format!("send a JSON object; {REFERENCE}")),
        wrong if wrong.starts_with("EOF") => "it ends too early",
        wrong if wrong.starts_with("control character") => "control characters in strings must be escaped",
        "trailing characters" => "something follows the value",
        "trailing comma" => "a comma has nothing after it",
        "expected value" => "expected a value",
        "expected ident" => "expected `true`, `false` or `null`",
        "key must be a string" => "names of fields must be strings",
        "invalid unicode code point" => "expected UTF-8",
        "recursion limit exceeded" => "it is nested too deeply",
        "number out of range" => "a number is too large",
        other => other,
    };
    Plain::new(format!("the body is not valid JSON: {why}"), format!("send a JSON object; {REFERENCE}"))
}

/// How messages of serde begin.
const BEGINNINGS: [&str; 7] = [
    "invalid type: ",
    "invalid value: ",
    "invalid length ",
    "unknown field ",
    "unknown variant ",
    "missing field ",
    "duplicate field ",
];

/// Splits what is wrong from where.
fn split(text: &str) -> (&str, &str) {
    if BEGINNINGS.iter().any(|beginning| text.starts_with(beginning)) {
        return ("", text);
    }
    let known = BEGINNINGS.iter().filter_map(|beginning| text.find(&format!(": {beginning}"))).min();
    let plain = text.find(": ").filter(|end| !text[..*end].contains(' '));
    match known.or(plain) {
        // Below a union, serde does not know where it is.
        Some(end) => (text[..end].trim_end_matches(['?', '.']), &text[end + 2..]),
        None => ("", text),
    }
}

/// Says which value does not fit, and what would.
fn value(place: Place, text: &str) -> Plain {
    let (at, wrong) = split(text);
    let part = place.part();
    let reference = REFERENCE.to_owned();
    let named = quoted(wrong).next().unwrap_or_default();
    let below = || match at {
        "" => named.to_owned(),
        _ => format!("{at}.{named}"),
    };
    if wrong.starts_with("unknown field ") {
        // The place is that of the field itself, if serde knows it.
        let is_there = at == named || at.strip_suffix(named).is_some_and(|above| above.ends_with('.'));
        let name = if is_there { at.to_owned() } else { below() };
        let known = alternatives(wrong);
        let hint = if known.is_empty() { format!("remove it; {REFERENCE}") } else { known };
        return Plain::new(format!("unknown {part} `{name}`"), hint);
    }
    if wrong.starts_with("missing field ") {
        return Plain::new(format!("missing {part} `{}`", below()), reference);
    }
    if wrong.starts_with("duplicate field ") {
        return Plain::new(format!("duplicate {part} `{}`", below()), "send it once");
    }
    let subject = match at {
        "" => place.whole().to_owned(),
        _ => format!("`{at}`"),
    };
    if wrong.starts_with("unknown variant ") {
        let known = alternatives(wrong);
        let hint = if known.is_empty() { reference } else { known };
        return Plain::new(format!("invalid {subject}: unknown word `{named}`"), hint);
    }
    // A message of ours that says it all.
    if wrong.starts_with("invalid ") && BEGINNINGS.iter().all(|theirs| !wrong.starts_with(theirs)) {
        let is_library = ["invalid digit found in string", "invalid float literal"].contains(&wrong);
        if !is_library {
            return Plain::new(wrong, reference);
        }
    }
    match (expected(wrong), at) {
        // A sentence of ours without a place.
        (same, "") if same == wrong => Plain::new(wrong, reference),
        (same, _) if same == wrong => Plain::new(format!("invalid {subject}: {wrong}"), reference),
        (expected, _) => Plain::new(format!("invalid {subject}: expected {expected}"), reference),
    }
}

/// Returns what a message of serde, or of a parser of numbers, expected; any other message as it is.
fn expected(message: &str) -> String {
    match message {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number".to_owned()
        }
        "number too large to fit in target type" => "a smaller number".to_owned(),
        "number too small to fit in target type" => "a larger number".to_owned(),
        "provided string was not `true` or `false`" => "true or false".to_owned(),
        "invalid float literal" | "cannot parse float from empty string" => "a number".to_owned(),
        _ if message.starts_with("data did not match any variant") => "one of its forms".to_owned(),
        _ => match message.split_once(", expected ") {
            Some((wrong, expected)) if wrong.starts_with("invalid ") => words(expected),
            _ => message.strip_prefix("expected ").unwrap_or(message).to_owned(),
        },
    }
}

/// Returns the name of a type in plain words.
fn words(expected: &str) -> String {
    let known = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number of 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "bool" | "a boolean" => "true or false",
        "str" | "string" | "String" | "a string" => "a string",
        "a sequence" => "an array",
        "a map" => "an object",
        "unit" => "null",
        _ if expected.starts_with("a nonzero ") => "a whole number of 1 or more",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("tuple ") || expected.starts_with("a tuple ") => "an array",
        _ if expected.starts_with("enum ") || expected.ends_with(" identifier") => "a string",
        _ if expected.contains("tagged enum ") => "an object",
        other => other,
    };
    known.to_owned()
}

/// Returns what stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Says what would be known instead; empty if nothing would.
fn alternatives(wrong: &str) -> String {
    let known: Vec<&str> =
        wrong.rsplit_once(", expected ").into_iter().flat_map(|(_, all)| quoted(all)).collect();
    match known.as_slice() {
        [] => String::new(),
        [one] => format!("use {one}"),
        several => format!("use one of: {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use axum::Json;
    use axum::extract::Query;
    use paseo_wire::words::PermissionMode;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)] // Only read.
    struct Sent {
        directory: String,
        #[serde(default)]
        limit: Option<u32>,
        #[serde(default)]
        to: Vec<Target>,
        #[serde(default)]
        on: Option<bool>,
        #[serde(default)]
        labels: BTreeMap<String, String>,
        #[serde(default)]
        mode: Option<PermissionMode>,
        #[serde(default)]
        team: Option<paseo_core::team::TeamId>,
        #[serde(default)]
        at: Option<paseo_wire::time::Moment>,
        #[serde(default)]
        size: Option<Size>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)] // Only read.
    struct Target {
        agent: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Size {
        Small,
        Large,
    }

    fn body<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        let Plain { message, hint } = plain(&Json::<T>::from_bytes(text.as_bytes()).unwrap_err().body_text());
        format!("{message} | {hint}")
    }

    fn query(text: &str) -> String {
        let uri = format!("/?{text}").parse().unwrap();
        let Plain { message, hint } = plain(&Query::<Sent>::try_from_uri(&uri).unwrap_err().body_text());
        format!("{message} | {hint}")
    }

    #[test]
    fn a_body_is_refused_in_plain_words() {
        let cases = [
            (
                r#"{"foo":1}"#,
                "unknown field `foo` | use one of: directory, limit, to, on, labels, mode, team, at, size",
            ),
            ("{}", "missing field `directory` | see /api/openapi.json"),
            (r#"{"directory":1}"#, "invalid `directory`: expected a string | see /api/openapi.json"),
            (
                r#"{"limit":-1}"#,
                "invalid `limit`: expected a whole number from 0 to 4294967295 | see /api/openapi.json",
            ),
            (
                r#"{"limit":"7"}"#,
                "invalid `limit`: expected a whole number from 0 to 4294967295 | see /api/openapi.json",
            ),
            (r#"{"on":"yes"}"#, "invalid `on`: expected true or false | see /api/openapi.json"),
            (r#"{"to":{}}"#, "invalid `to`: expected an array | see /api/openapi.json"),
            (r#"{"to":[7]}"#, "invalid `to[0]`: expected an object | see /api/openapi.json"),
            (r#"{"to":[{"agent":"a"},{}]}"#, "missing field `to[1].agent` | see /api/openapi.json"),
            (r#"{"to":[{"who":"a"}]}"#, "unknown field `to[0].who` | use agent"),
            (r#"{"labels":{"a b":1}}"#, "invalid `labels.a b`: expected a string | see /api/openapi.json"),
            (r#"{"limit":1,"limit":2}"#, "duplicate field `limit` | send it once"),
            (r#"{"mode":1}"#, "invalid `mode`: expected a string | see /api/openapi.json"),
            (r#"{"size":"huge"}"#, "invalid `size`: unknown word `huge` | use one of: small, large"),
            (
                r#"{"at":"noon"}"#,
                "invalid `at`: expected a moment, as 2026-01-31T12:00:00.000Z | see /api/openapi.json",
            ),
            ("7", "invalid body: expected an object | see /api/openapi.json"),
        ];
        for (sent, expected) in cases {
            assert_eq!(body::<Sent>(sent), expected, "{sent}");
        }
        // A sentence of ours stays what it is.
        assert!(
            body::<Sent>(r#"{"team":"a b"}"#).starts_with("invalid id `a b` for a team: "),
            "{}",
            body::<Sent>(r#"{"team":"a b"}"#)
        );
    }

    #[test]
    fn what_is_no_json_is_refused_in_plain_words() {
        let hint = "send a JSON object; see /api/openapi.json";
        for (sent, expected) in [
            ("", "the body is empty"),
            (r#"{"a":"#, "the body is not valid JSON: it ends too early"),
            ("{\n", "the body is not valid JSON: it ends too early"),
            ("{} {}", "the body is not valid JSON: something follows the value"),
            ("{1:2}", "the body is not valid JSON: names of fields must be strings"),
            (r#"{"a" 1}"#, "the body is not valid JSON: expected `:`"),
            ("{\"a\":\"\n\"}", "the body is not valid JSON: control characters in strings must be escaped"),
            ("hello", "the body is not valid JSON: expected a value"),
        ] {
            assert_eq!(body::<serde_json::Value>(sent), format!("{expected} | {hint}"), "{sent:?}");
        }
    }

    #[test]
    fn a_query_is_refused_in_plain_words() {
        for (sent, expected) in [
            ("limit=ten&directory=/", "invalid `limit`: expected a whole number | see /api/openapi.json"),
            ("limit=&directory=/", "invalid `limit`: expected a whole number | see /api/openapi.json"),
            (
                "limit=99999999999&directory=/",
                "invalid `limit`: expected a smaller number | see /api/openapi.json",
            ),
            ("on=yes&directory=/", "invalid `on`: expected true or false | see /api/openapi.json"),
            ("limit=1", "missing query parameter `directory` | see /api/openapi.json"),
            ("limit=1&limit=2", "duplicate query parameter `limit` | send it once"),
        ] {
            assert_eq!(query(sent), expected, "{sent}");
        }
    }

    #[test]
    fn a_path_and_headers_are_refused_in_plain_words() {
        let route = "/api/sessions/{session}/items/{item}";
        let at =
            |index: usize| ErrorKind::ParseErrorAtIndex { index, value: "x".into(), expected_type: "u64" };
        let message = |kind: &ErrorKind| in_path(kind, route).message;
        assert_eq!(message(&at(1)), "invalid `item` in the path: expected a whole number of 0 or more");
        assert_eq!(message(&at(7)), "invalid `path` in the path: expected a whole number of 0 or more");
        let encoding = ErrorKind::InvalidUtf8InPathParam { key: "session".into() };
        assert_eq!(message(&encoding), "invalid `session` in the path: expected UTF-8");
        assert_eq!(in_path(&at(1), route).hint, format!("use the path `{route}`; see /api/openapi.json"));
        let json = plain("Expected request with `Content-Type: application/json`");
        assert_eq!(json.message, "expected `Content-Type: application/json`");
        let cut = plain("Failed to buffer the request body: connection reset");
        assert_eq!(cut.message, "the body is incomplete");
        let late = plain("Failed to buffer the request body: the request did not arrive within 30 seconds");
        assert_eq!(late.message, "the request did not arrive within 30 seconds");
        let socket = plain("Connection header did not include 'upgrade'");
        assert_eq!(socket.message, "expected `Connection: upgrade`");
    }
}
