//! Content codings: what a client accepts, and which copy of a file it is sent (RFC 9110, section 12.5.3).

use http::HeaderMap;
use http::header::ACCEPT_ENCODING;

/// How a copy of a file is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Brotli,
    Gzip,
    Identity,
}

impl Encoding {
    /// All of them, the smallest first.
    pub(super) const ALL: [Self; 3] = [Self::Brotli, Self::Gzip, Self::Identity];

    /// Returns the value of `Content-Encoding`; none for a file as it is.
    pub(super) const fn token(self) -> Option<&'static str> {
        match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        }
    }

    /// Returns what the build adds to the name of a file.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
            Self::Identity => "",
        }
    }

    fn is_called(self, name: &str) -> bool {
        let names: &[&str] = match self {
            Self::Brotli => &["br"],
            Self::Gzip => &["gzip", "x-gzip"],
            Self::Identity => &["identity"],
        };
        names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// What a client accepts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    brotli: Weight,
    gzip: Weight,
    identity: Weight,
}

/// A quality value in thousandths; zero refuses.
type Weight = u16;

/// Weight of a coding that was named without one.
const WHOLE: Weight = 1000;
/// Below every weight that can be written down: acceptable, but the last choice.
const UNNAMED_IDENTITY: Weight = 1;
/// Written weights are shifted above [`UNNAMED_IDENTITY`].
const SHIFT: Weight = 1;

impl Accepted {
    /// Reads the `Accept-Encoding` of a request. Without one, a file is sent as it is.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
        let named: Vec<(&str, Weight)> = lists.flat_map(|list| list.split(',')).filter_map(element).collect();
        let weight = |encoding: Encoding| {
            let own = named.iter().find(|(name, _)| encoding.is_called(name));
            let any = || named.iter().find(|(name, _)| *name == "*");
            own.or_else(any).map(|(_, weight)| if *weight == 0 { 0 } else { weight + SHIFT })
        };
        Self {
            brotli: weight(Encoding::Brotli).unwrap_or(0),
            gzip: weight(Encoding::Gzip).unwrap_or(0),
            identity: weight(Encoding::Identity).unwrap_or(UNNAMED_IDENTITY),
        }
    }

    /// Chooses among the copies there are: the one of the highest weight, and of those the smallest.
    pub(super) fn choose(&self, available: impl Fn(Encoding) -> bool) -> Option<Encoding> {
        let candidates = Encoding::ALL.into_iter().rev();
        let candidates = candidates.filter(|encoding| self.weight(*encoding) > 0 && available(*encoding));
        candidates.max_by_key(|encoding| self.weight(*encoding))
    }

    fn weight(&self, encoding: Encoding) -> Weight {
        match encoding {
            Encoding::Brotli => self.brotli,
            Encoding::Gzip => self.gzip,
            Encoding::Identity => self.identity,
        }
    }
}

/// Reads one element of the list: `gzip`, `gzip;q=0.5`. One that is malformed counts as not there.
fn element(text: &str) -> Option<(&str, Weight)> {
    let (name, parameter) = match text.split_once(';') {
        Some((name, parameter)) => (name, Some(parameter.trim())),
        None => (text, None),
    };
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    let weight = match parameter {
        None => WHOLE,
        Some(parameter) => {
            let (key, value) = parameter.split_once('=')?;
            if !key.eq_ignore_ascii_case("q") {
                return None;
            }
            thousandths(value)?
        }
    };
    Some((name, weight))
}

/// Reads a quality value: from 0 to 1, with at most three digits after the point.
fn thousandths(value: &str) -> Option<Weight> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let fraction: Weight = format!("{fraction:0<3}").parse().ok()?;
    match whole {
        "0" => Some(fraction),
        "1" if fraction == 0 => Some(WHOLE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn chosen(headers: &[&'static str], available: &[Encoding]) -> Option<Encoding> {
        let mut map = HeaderMap::new();
        for header in headers {
            map.append(ACCEPT_ENCODING, HeaderValue::from_static(header));
        }
        Accepted::of(&map).choose(|encoding| available.contains(&encoding))
    }

    fn of_all(header: &'static str) -> Option<Encoding> {
        chosen(&[header], &Encoding::ALL)
    }

    use Encoding::{Brotli, Gzip, Identity};

    #[test]
    fn a_browser_gets_the_smallest_copy() {
        assert_eq!(of_all("gzip, deflate, br, zstd"), Some(Brotli));
        assert_eq!(of_all("gzip, deflate"), Some(Gzip));
        assert_eq!(of_all("x-gzip"), Some(Gzip));
        assert_eq!(of_all("BR"), Some(Brotli));
        assert_eq!(chosen(&["gzip", "br"], &Encoding::ALL), Some(Brotli), "two headers are one list");
    }

    #[test]
    fn weights_decide_before_size_does() {
        assert_eq!(of_all("br;q=0.5, gzip;q=0.9"), Some(Gzip));
        assert_eq!(of_all("br;q=0.5 , gzip ; Q=0.5"), Some(Brotli));
        assert_eq!(of_all("br;q=0, gzip;q=0.001"), Some(Gzip));
        assert_eq!(of_all("identity, br;q=0.9"), Some(Identity));
        assert_eq!(of_all("identity;q=0.5, gzip;q=1.000"), Some(Gzip));
        assert_eq!(of_all("br;q=0.999, gzip"), Some(Gzip));
    }

    #[test]
    fn a_star_stands_for_what_is_not_named() {
        assert_eq!(of_all("*"), Some(Brotli));
        assert_eq!(of_all("*, br;q=0"), Some(Gzip));
        assert_eq!(of_all("*;q=0.1, gzip"), Some(Gzip));
        assert_eq!(of_all("*;q=0, gzip"), Some(Gzip));
        assert_eq!(of_all("*;q=0, identity"), Some(Identity));
    }

    #[test]
    fn a_file_as_it_is_is_the_last_choice_unless_refused() {
        assert_eq!(chosen(&[], &Encoding::ALL), Some(Identity));
        assert_eq!(of_all(""), Some(Identity));
        assert_eq!(of_all("zstd"), Some(Identity));
        assert_eq!(chosen(&["br, gzip"], &[Identity]), Some(Identity));
        assert_eq!(chosen(&["gzip;q=0.001"], &[Gzip, Identity]), Some(Gzip));
        assert_eq!(of_all("identity;q=0"), None);
        assert_eq!(of_all("*;q=0"), None);
        assert_eq!(chosen(&["br, identity;q=0"], &[Identity]), None);
        assert_eq!(chosen(&["br, *;q=0.000"], &[Identity]), None);
    }

    #[test]
    fn what_cannot_be_read_counts_for_nothing() {
        for header in [
            "br;q=2",
            "br;q=1.001",
            "br;q=0.1234",
            "br;q=-1",
            "br;q",
            "br;q=",
            "br;q=.5",
            "br;level=1",
            ";q=1",
            ",,",
        ] {
            assert_eq!(of_all(header), Some(Identity), "{header}");
        }
        assert_eq!(of_all("br;q=nan, gzip"), Some(Gzip));
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_bytes(b"br\xff").unwrap());
        assert_eq!(Accepted::of(&headers).choose(|_| true), Some(Identity));
    }
}
