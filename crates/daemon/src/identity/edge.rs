//! Checks at the edge of the TCP listener: is the request for us, and does a page of ours ask.

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderValue};
use paseo_wire::error::Code;

use crate::failure::Failure;

/// The names by which we may be called.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    hosts: Vec<String>,
}

impl Edge {
    /// Accepts the loopback names with our port.
    pub(crate) fn loopback(port: u16) -> Self {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        Self { hosts: names.iter().map(|name| format!("{name}:{port}")).collect() }
    }

    /// Refuses requests that a browser sends for another site, or that were meant for another host.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let host = one(headers, HOST.as_str()).ok_or_else(foreign_host)?;
        if !self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host)) {
            return Err(foreign_host());
        }
        if headers.contains_key(ORIGIN) {
            let origin = one(headers, ORIGIN.as_str()).ok_or_else(foreign_origin)?;
            let ours = origin
                .strip_prefix("http://")
                .is_some_and(|origin| self.hosts.iter().any(|host| host.eq_ignore_ascii_case(origin)));
            if !ours {
                return Err(foreign_origin());
            }
        }
        match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
            None | Some(b"same-origin" | b"none") => Ok(()),
            Some(_) => Err(foreign_origin()),
        }
    }
}

/// Returns the value of a header that stands exactly once.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

fn foreign_host() -> Failure {
    Failure::new(Code::ForeignHost, "the Host header names another host")
        .hint("use the address that `paseo status` shows")
}

fn foreign_origin() -> Failure {
    Failure::new(Code::ForeignOrigin, "another site asked for this")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&'static str, &str)]) -> Result<(), Code> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        Edge::loopback(6767).check(&headers).map_err(|failure| failure.code)
    }

    #[test]
    fn our_own_names_pass() {
        for host in ["127.0.0.1:6767", "localhost:6767", "LOCALHOST:6767", "[::1]:6767"] {
            assert_eq!(check(&[("host", host)]), Ok(()), "{host}");
        }
        assert_eq!(check(&[("host", "localhost:6767"), ("origin", "http://localhost:6767")]), Ok(()));
        assert_eq!(check(&[("host", "localhost:6767"), ("sec-fetch-site", "none")]), Ok(()));
    }

    #[test]
    fn look_alikes_do_not() {
        for host in [
            "",
            "localhost",
            "127.0.0.1",
            "localhost:80",
            "evil.example:6767",
            "localhost.evil.example:6767",
            "127.0.0.1.evil.example:6767",
            "127.0.0.2:6767",
            "localhost:6767@evil.example",
            "localhost.:6767",
            "0:6767",
        ] {
            assert_eq!(check(&[("host", host)]), Err(Code::ForeignHost), "{host}");
        }
        assert_eq!(check(&[]), Err(Code::ForeignHost));
        assert_eq!(check(&[("host", "localhost:6767"), ("host", "evil.example")]), Err(Code::ForeignHost));
    }

    #[test]
    fn another_site_is_refused() {
        for origin in [
            "null",
            "http://evil.example",
            "https://localhost:6767",
            "http://localhost:1",
            "http://localhost:6767.evil.example",
            "",
        ] {
            assert_eq!(
                check(&[("host", "localhost:6767"), ("origin", origin)]),
                Err(Code::ForeignOrigin),
                "{origin}"
            );
        }
        for site in ["cross-site", "same-site", "x"] {
            assert_eq!(
                check(&[("host", "localhost:6767"), ("sec-fetch-site", site)]),
                Err(Code::ForeignOrigin)
            );
        }
    }
}
