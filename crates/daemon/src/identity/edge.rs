//! Checks at the edge of the TCP listener: is the request for us, and does a page of ours ask.

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, Uri};
use paseo_core::public_url::PublicUrl;
use paseo_wire::error::Code;

use crate::failure::Failure;

/// The names by which we may be called.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Edge {
    /// Accepts the loopback names with our port, and the public addresses.
    pub(crate) fn new(port: u16, public: &[PublicUrl]) -> Self {
        let hosts: Vec<String> =
            ["127.0.0.1", "localhost", "[::1]"].iter().map(|name| format!("{name}:{port}")).collect();
        let origins = hosts.iter().map(|host| format!("http://{host}"));
        let origins = origins.chain(public.iter().map(|url| url.origin().to_owned())).collect();
        Self {
            hosts: hosts.into_iter().chain(public.iter().map(|url| url.host().to_owned())).collect(),
            origins,
        }
    }

    /// Says whether requests for a host are for us.
    pub(crate) fn knows(&self, host: &str) -> bool {
        self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host))
    }

    /// Refuses requests that were meant for another host, or come from another site's page.
    ///
    /// A target may name a host, too (`GET http://host/path`), which then counts instead of the header.
    pub(crate) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
        if target.authority().is_some_and(|authority| !self.knows(authority.as_str())) {
            return Err(foreign_host());
        }
        let host = one(headers, HOST.as_str()).ok_or_else(foreign_host)?;
        if !self.knows(host) {
            return Err(foreign_host());
        }
        if headers.contains_key(ORIGIN) {
            let origin = one(headers, ORIGIN.as_str()).ok_or_else(foreign_origin)?;
            if !self.origins.iter().any(|ours| ours.eq_ignore_ascii_case(origin)) {
                return Err(foreign_origin());
            }
        }
        Ok(())
    }

    /// Refuses what a browser says it sends for another site.
    pub(crate) fn check_site(headers: &HeaderMap) -> Result<(), Failure> {
        match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
            None | Some(b"same-origin" | b"none") => Ok(()),
            Some(_) => Err(foreign_origin()),
        }
    }

    /// Refuses a WebSocket unless a page of ours opens it: browsers send cookies with it from every page of the same
    /// site, which other ports of this machine are, and nothing but the Origin tells them apart.
    pub(crate) fn check_socket(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let (host, origin) = (one(headers, HOST.as_str()), one(headers, ORIGIN.as_str()));
        let (Some(host), Some(origin)) = (host, origin) else { return Err(foreign_origin()) };
        let is_ours = self.origins.iter().any(|ours| ours.eq_ignore_ascii_case(origin));
        let of_host = origin.split_once("://").is_some_and(|(_, named)| named.eq_ignore_ascii_case(host));
        if is_ours && of_host { Ok(()) } else { Err(foreign_origin()) }
    }

    /// Refuses a cookie unless the browser says that a page of ours, or the person, sends it.
    pub(crate) fn check_cookie(method: &Method, headers: &HeaderMap) -> Result<(), Failure> {
        // Whether the Origin is ours was checked before.
        let proof = if method.is_safe() { "sec-fetch-site" } else { ORIGIN.as_str() };
        if headers.contains_key(proof) { Ok(()) } else { Err(foreign_origin()) }
    }
}

/// Returns the value of a header that stands exactly once.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

fn foreign_host() -> Failure {
    Failure::new(Code::ForeignHost, "the Host header names an unknown host")
        .hint("use the address shown by `paseo status`")
}

fn foreign_origin() -> Failure {
    Failure::new(Code::ForeignOrigin, "cross-site requests are not allowed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&'static str, &str)]) -> Result<(), Code> {
        check_target("/api/status", pairs)
    }

    fn check_target(target: &str, pairs: &[(&'static str, &str)]) -> Result<(), Code> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let edge = Edge::new(6767, &[PublicUrl::parse("https://Paseo.example").unwrap()]);
        edge.check(&target.parse().unwrap(), &headers)
            .and_then(|()| Edge::check_site(&headers))
            .map_err(|failure| failure.code)
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
    fn a_target_that_names_a_host_is_checked_like_the_header() {
        let ours = [("host", "localhost:6767")];
        for target in ["http://localhost:6767/x", "http://127.0.0.1:6767/x", "https://paseo.example/x"] {
            assert_eq!(check_target(target, &ours), Ok(()), "{target}");
        }
        for target in [
            "http://evil.example/x",
            "http://evil.example:6767/x",
            "http://localhost/x",
            "http://localhost:6767@evil.example/x",
            "http://evil@localhost:6767/x",
            "evil.example:6767",
        ] {
            assert_eq!(check_target(target, &ours), Err(Code::ForeignHost), "{target}");
        }
        // The header counts all the same.
        assert_eq!(
            check_target("http://localhost:6767/x", &[("host", "evil.example")]),
            Err(Code::ForeignHost)
        );
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

    #[test]
    fn a_public_address_is_ours_too() {
        assert_eq!(check(&[("host", "paseo.example"), ("origin", "https://paseo.example")]), Ok(()));
        assert_eq!(
            check(&[("host", "paseo.example"), ("origin", "http://paseo.example")]),
            Err(Code::ForeignOrigin)
        );
    }

    #[test]
    fn a_socket_needs_exactly_our_origin() {
        let edge = Edge::new(6767, &[PublicUrl::parse("https://paseo.example").unwrap()]);
        let check = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_str(value).unwrap());
            }
            edge.check_socket(&headers).is_ok()
        };
        assert!(check(&[("host", "localhost:6767"), ("origin", "http://localhost:6767")]));
        assert!(check(&[("host", "paseo.example"), ("origin", "https://paseo.example")]));
        for wrong in [
            &[("host", "localhost:6767")][..],
            &[("host", "localhost:6767"), ("origin", "null")],
            &[("host", "localhost:6767"), ("origin", "http://localhost:6768")],
            // Both are ours, but not the same: the cookie belongs to one of them.
            &[("host", "localhost:6767"), ("origin", "http://127.0.0.1:6767")],
            &[("host", "localhost:6767"), ("origin", "https://paseo.example")],
            &[
                ("host", "localhost:6767"),
                ("origin", "http://localhost:6767"),
                ("origin", "http://evil.example"),
            ],
            &[("origin", "http://localhost:6767")],
        ] {
            assert!(!check(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn a_cookie_needs_the_browsers_word() {
        let with = |name: &'static str| {
            HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_static("x"))])
        };
        assert!(Edge::check_cookie(&Method::GET, &with("sec-fetch-site")).is_ok());
        assert!(Edge::check_cookie(&Method::GET, &with("origin")).is_err());
        assert!(Edge::check_cookie(&Method::POST, &with("origin")).is_ok());
        assert!(Edge::check_cookie(&Method::POST, &with("sec-fetch-site")).is_err());
        assert!(Edge::check_cookie(&Method::DELETE, &HeaderMap::new()).is_err());
    }
}
