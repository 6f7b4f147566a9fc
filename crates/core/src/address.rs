//! Where messages may be posted to: addresses as they are written, and as their names resolve.
//!
//! Nothing here is lenient. A notation that two programs could read in two ways is refused, as are addresses that only
//! this machine or its neighbourhood has: who writes a definition must not reach what only the daemon can reach.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address of the web that was read and found in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// As it was written.
    pub url: String,
    pub host: Host,
    pub port: u16,
}

/// The host of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// A name, in lower case.
    Name(String),
    Address(IpAddr),
}

/// Whom a daemon may talk to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Hosts that may have a private address, as `[external] allow` lists them, in lower case.
    pub hosts: BTreeSet<String>,
    /// The port of the daemon itself, which no agent is behind.
    pub own_port: u16,
}

/// Why nothing is posted there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("invalid URL `{url}`: {why}")]
    Malformed { url: String, why: &'static str },
    #[error("{host} ({address}) is {what}; requests to it are blocked")]
    Forbidden { host: String, address: IpAddr, what: &'static str },
    #[error("{host} resolves to this machine ({address}); write it as localhost, 127.0.0.1 or [::1]")]
    Loopback { host: String, address: IpAddr },
    #[error("port {port} on this machine belongs to the daemon itself")]
    Own { port: u16 },
    #[error(
        "{host} ({address}) is a private address; to allow it, add it to config.toml: [external] allow = \
         [\"{host}\"]"
    )]
    Private { host: String, address: IpAddr },
    #[error("{host} does not resolve to an address")]
    Nowhere { host: String },
}

/// Who can be reached by an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Everyone,
    /// A private network.
    Private,
    /// This machine.
    Loopback,
    /// An address that nothing should be sent to, and what it is instead.
    Never(&'static str),
}

impl Target {
    /// Reads `http(s)://host[:port][/path][?query]`.
    pub fn parse(url: &str) -> Result<Self, Refused> {
        let no = |why| Refused::Malformed { url: shown(url), why };
        let (rest, standard) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (rest, 443),
            (None, Some(rest)) => (rest, 80),
            (None, None) => return Err(no("it must start with http:// or https://")),
        };
        if !url
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'"' | b'<' | b'>'))
        {
            return Err(no(
                "it must be plain ASCII without spaces, backslashes or a fragment (write international \
                 names as xn--…)",
            ));
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, _) = rest.split_at(end);
        if authority.contains('@') {
            return Err(no("it must not contain a user name or password; requests are signed instead"));
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(bracketed) => {
                let (host, port) = bracketed.split_once(']').ok_or_else(|| no("missing closing bracket"))?;
                let host: Ipv6Addr =
                    host.parse().map_err(|_| no("expected an IPv6 address between the brackets"))?;
                let port = match port {
                    "" => None,
                    port => {
                        Some(port.strip_prefix(':').ok_or_else(|| no("expected a port after the bracket"))?)
                    }
                };
                (Host::Address(host.into()), port)
            }
            None => {
                let (host, port) = match authority.split_once(':') {
                    Some((host, port)) => (host, Some(port)),
                    None => (authority, None),
                };
                (name(host).map_err(no)?, port)
            }
        };
        let port = match port {
            None => standard,
            Some(text) => read_port(text).ok_or_else(|| no("the port must be a number from 1 to 65535"))?,
        };
        Ok(Self { url: url.to_owned(), host, port })
    }

    /// Returns the host and the port, as a `Host` header names them.
    pub fn authority(&self) -> String {
        let standard = if self.url.starts_with("https://") { 443 } else { 80 };
        if self.port == standard { self.host.to_string() } else { format!("{}:{}", self.host, self.port) }
    }

    /// Returns the scheme, the host and the port.
    pub fn origin(&self) -> String {
        let scheme = if self.url.starts_with("https://") { "https" } else { "http" };
        format!("{scheme}://{}", self.authority())
    }

    /// Returns the addresses that need not be looked up, because they are written, or always the same.
    pub fn written(&self) -> Option<Vec<IpAddr>> {
        match &self.host {
            Host::Address(address) => Some(vec![*address]),
            Host::Name(name) if name == "localhost" => {
                Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()])
            }
            Host::Name(_) => None,
        }
    }

    /// Refuses unless each of the addresses that the host has may be posted to. One bad address spoils all.
    pub fn judge(&self, addresses: &[IpAddr], allowed: &Allowed) -> Result<(), Refused> {
        if addresses.is_empty() {
            return Err(Refused::Nowhere { host: self.host.to_string() });
        }
        addresses.iter().try_for_each(|address| self.judge_one(*address, allowed))
    }

    fn judge_one(&self, address: IpAddr, allowed: &Allowed) -> Result<(), Refused> {
        let host = self.host.to_string();
        match reach(address) {
            Reach::Everyone => Ok(()),
            Reach::Never(what) => Err(Refused::Forbidden { host, address, what }),
            Reach::Loopback if !matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]") => {
                Err(Refused::Loopback { host, address })
            }
            Reach::Loopback if self.port == allowed.own_port => Err(Refused::Own { port: self.port }),
            Reach::Loopback => Ok(()),
            Reach::Private if allowed.hosts.contains(&host) => Ok(()),
            Reach::Private => Err(Refused::Private { host, address }),
        }
    }
}

/// As it stands in an address.
impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// Reads a host as `[external] allow` lists it: as it stands in an address, but that IPv6 needs no brackets.
pub fn listed(text: &str) -> Option<String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let host = match bare.parse::<Ipv6Addr>() {
        Ok(address) => Host::Address(address.into()),
        Err(_) => name(text).ok()?,
    };
    Some(host.to_string())
}

/// Reads a name, or four decimal numbers.
fn name(host: &str) -> Result<Host, &'static str> {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if host.ends_with('.') {
        return Err("the host must not end with a dot");
    }
    if host.len() > 253 || !host.split('.').all(is_label) {
        return Err("the host may contain only letters, digits, hyphens and dots");
    }
    // Some read `127.1`, `0x7f000001` or `2130706433` as an address, and some as a name.
    let last = host.rsplit('.').next().unwrap_or_default();
    let number =
        last.bytes().all(|byte| byte.is_ascii_digit()) || last.to_ascii_lowercase().starts_with("0x");
    if number {
        let address = host.parse::<Ipv4Addr>();
        return address
            .map(|address| Host::Address(address.into()))
            .map_err(|_| "an IPv4 address must be four decimal numbers, like 192.0.2.1");
    }
    Ok(Host::Name(host.to_ascii_lowercase()))
}

fn read_port(text: &str) -> Option<u16> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| plain && *port > 0)
}

fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        // Metadata services of cloud providers, which give secrets to every caller.
        [169, 254, 169, 254] | [168, 63, 129, 16] | [100, 100, 100, 200] => {
            Reach::Never("a cloud metadata address")
        }
        [0, ..] => Reach::Never("an unspecified address"),
        [127, ..] => Reach::Loopback,
        [169, 254, ..] => Reach::Never("a link-local address"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Reach::Private,
        // Carriers and overlay networks; measurements.
        [100, 64..=127, ..] | [198, 18..=19, ..] => Reach::Private,
        [192, 0, 0, _] | [192, 88, 99, _] => Reach::Never("a reserved address"),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Reach::Never("a documentation address"),
        [224..=239, ..] => Reach::Never("a multicast address"),
        [255, 255, 255, 255] => Reach::Never("the broadcast address"),
        [240..=255, ..] => Reach::Never("a reserved address"),
        _ => Reach::Everyone,
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Reach::Never("an unspecified address"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Reach::Loopback,
        // Each of these leads to an IPv4 address, which may be any.
        [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0 | 0xffff, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => {
            Reach::Never("an embedded IPv4 address")
        }
        [0x64, 0xff9b, ..] | [0x2002, ..] | [0x2001, 0, ..] => Reach::Never("an embedded IPv4 address"),
        [0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254] => Reach::Never("a cloud metadata address"),
        [0xfc00..=0xfdff, ..] => Reach::Private,
        [0xfe80..=0xfebf, ..] => Reach::Never("a link-local address"),
        [0xff00..=0xffff, ..] => Reach::Never("a multicast address"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Reach::Never("a documentation address"),
        [0x2001, 0x1..=0x1ff, ..] => Reach::Never("a reserved address"),
        [0x2000..=0x3fff, ..] => Reach::Everyone,
        _ => Reach::Never("a reserved address"),
    }
}

fn shown(url: &str) -> String {
    url.chars().take(120).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests;
