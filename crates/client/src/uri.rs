//! Paths and queries, with every foreign character escaped.

use serde::Serialize;
use serde_json::Value;

/// Returns the path made of these segments.
pub(crate) fn path<const N: usize>(segments: [&str; N]) -> String {
    // Nothing, at the end, would ask for something else; a blank names nothing either.
    let segment = |segment: &str| encode(if segment.is_empty() { " " } else { segment });
    segments.iter().fold(String::new(), |path, next| path + "/" + &segment(next))
}

/// Returns `?key=value&…` for the fields of a query; fields that are missing or false are left out.
pub(crate) fn query(fields: &impl Serialize) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(fields) else { return String::new() };
    let mut text = String::new();
    for (key, value) in fields {
        let value = match value {
            Value::Null | Value::Bool(false) => continue,
            Value::String(value) => value,
            other => other.to_string(),
        };
        text.push(if text.is_empty() { '?' } else { '&' });
        text.push_str(&encode(&key));
        text.push('=');
        text.push_str(&encode(&value));
    }
    text
}

/// Escapes all but the unreserved characters. A segment of dots alone would be resolved away, so those too.
fn encode(text: &str) -> String {
    let only_dots = text.bytes().all(|byte| byte == b'.');
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => encoded.push(char::from(byte)),
            b'.' if !only_dots => encoded.push('.'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use paseo_wire::session::SessionQuery;

    use super::*;

    #[test]
    fn a_segment_stays_one_segment() {
        assert_eq!(path(["api", "sessions", "../tokens?x#y"]), "/api/sessions/..%2Ftokens%3Fx%23y");
        assert_eq!(path(["api", ".."]), "/api/%2E%2E");
        assert_eq!(path(["é %"]), "/%C3%A9%20%25");
    }

    #[test]
    fn a_query_holds_what_is_set() {
        assert_eq!(query(&SessionQuery::default()), "");
        let asked = SessionQuery {
            labels: Some("a=b&c,d=1".to_owned()),
            ui: true,
            limit: Some(7),
            ..SessionQuery::default()
        };
        assert_eq!(query(&asked), "?labels=a%3Db%26c%2Cd%3D1&ui=true&limit=7");
    }
}
