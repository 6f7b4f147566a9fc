//! Addresses under which others reach a daemon, through a reverse proxy or a tunnel.

use std::net::IpAddr;

use crate::address::{Host, Target};

/// An origin that browsers and other programs know this daemon by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
    host: String,
}

/// Why an address is no public URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotPublic {
    #[error("is not a valid public URL")]
    Malformed,
    /// Browsers say who asks (`Sec-Fetch-Site`) only to origins that they trust; without that word a cookie counts for
    /// nothing, and a person who logs in is logged out again at once.
    #[error("has no TLS, so browsers cannot stay logged in there")]
    Plain,
}

impl PublicUrl {
    /// Reads `https://host[:port]`, or `http://` with a host that never leaves this machine, without a path.
    pub fn parse(url: &str) -> Result<Self, NotPublic> {
        let target = Target::parse(url).map_err(|_| NotPublic::Malformed)?;
        if url.split_once("://").is_none_or(|(_, rest)| rest.contains(['/', '?'])) {
            return Err(NotPublic::Malformed);
        }
        if !is_trusted(&target) {
            return Err(NotPublic::Plain);
        }
        Ok(Self { origin: target.origin(), host: target.authority() })
    }

    /// Says whether requests for a host come by this address, and by TLS.
    pub fn is_https_of(&self, host: &str) -> bool {
        self.origin.starts_with("https://") && self.host.eq_ignore_ascii_case(host)
    }

    /// Returns the address, as browsers write it.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the host, as a `Host` header names it.
    pub fn host(&self) -> &str {
        &self.host
    }
}

/// Says whether browsers treat an address as safe from eavesdroppers.
pub fn is_trusted(target: &Target) -> bool {
    target.url.starts_with("https://")
        || match &target.host {
            Host::Address(IpAddr::V4(address)) => address.is_loopback(),
            Host::Address(IpAddr::V6(address)) => address.is_loopback(),
            Host::Name(name) => name == "localhost" || name.ends_with(".localhost"),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_browsers_write_it() {
        for (written, origin, host) in [
            ("https://Paseo.example", "https://paseo.example", "paseo.example"),
            ("https://box:8443", "https://box:8443", "box:8443"),
            ("https://box:443", "https://box", "box"),
            ("https://[fe80::1]", "https://[fe80::1]", "[fe80::1]"),
        ] {
            let url = PublicUrl::parse(written).unwrap();
            assert_eq!((url.origin(), url.host()), (origin, host));
            assert!(url.is_https_of(&host.to_uppercase()) && !url.is_https_of("127.0.0.1:6767"));
        }
    }

    #[test]
    fn without_tls_it_stays_on_this_machine() {
        for near in ["localhost:8080", "127.0.0.1:8080", "127.8.0.1:1", "[::1]:8080", "paseo.localhost"] {
            let url = PublicUrl::parse(&format!("http://{near}")).unwrap();
            assert!(!url.is_https_of(near), "{near}");
        }
        for far in ["paseo.lan:28991", "192.168.0.7", "10.0.0.1:6767", "localhost.example", "notlocalhost"] {
            assert_eq!(PublicUrl::parse(&format!("http://{far}")), Err(NotPublic::Plain), "{far}");
        }
    }

    #[test]
    fn it_is_an_origin_and_nothing_else() {
        for url in [
            "",
            "box",
            "ftp://a",
            "https://",
            "https://a/",
            "https://a/b",
            "https://a?b",
            "https://a#b",
            "https://a b",
            "https://u@a",
            "https://a:0",
            "https://a:x",
            "https://[x]",
        ] {
            assert_eq!(PublicUrl::parse(url), Err(NotPublic::Malformed), "{url}");
        }
    }
}
