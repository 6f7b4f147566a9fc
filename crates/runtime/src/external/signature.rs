//! How the two sides of an external agent know each other: a secret for each session, and what is made from it.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use paseo_core::id::SessionId;
use sha2::Sha256;

/// How far the clocks of the two sides may be apart, in seconds.
pub const WINDOW_SECONDS: i64 = 300;

/// Holds the seconds since the Unix epoch at which something was signed.
pub const TIMESTAMP_HEADER: &str = "X-Paseo-Timestamp";
/// Holds the signature: `v1=` and hexadecimal digits.
pub const SIGNATURE_HEADER: &str = "X-Paseo-Signature";

const VERSION: &str = "v1=";

/// Returns the secret of a session.
pub fn secret(master: &[u8], session: SessionId) -> String {
    hex(&mac(master, &[b"session ", session.to_string().as_bytes()]))
}

/// Returns the token with which answers are sent by those who sign nothing.
pub fn callback_token(secret: &str) -> String {
    hex(&mac(secret.as_bytes(), &[b"callback"]))
}

/// Signs a body.
pub fn sign(secret: &str, timestamp: i64, body: &[u8]) -> String {
    let signed = mac(secret.as_bytes(), &[timestamp.to_string().as_bytes(), b".", body]);
    format!("{VERSION}{}", hex(&signed))
}

/// Says whether a body was signed with the secret, not too long ago. `now` is in seconds, too.
pub fn is_signed(secret: &str, timestamp: &str, body: &[u8], signature: &str, now: i64) -> bool {
    let Ok(at) = timestamp.parse::<i64>() else { return false };
    let fresh = now.checked_sub(at).is_some_and(|age| age.abs() <= WINDOW_SECONDS);
    fresh && is_same(&sign(secret, at, body), signature)
}

/// Says whether it is the token of the session.
pub fn is_callback_token(secret: &str, token: &str) -> bool {
    is_same(&callback_token(secret), token)
}

/// Compares secrets. How long that takes tells nothing about them.
fn is_same(expected: &str, given: &str) -> bool {
    let differing =
        expected.bytes().zip(given.bytes()).fold(0, |differing, (one, other)| differing | (one ^ other));
    expected.len() == given.len() && differing == 0
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    // A key of any length is one.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn session(number: u8) -> SessionId {
        SessionId::from_random([number; 16])
    }

    #[test]
    fn a_signature_is_what_others_compute() {
        // RFC 4231, test case 2.
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(&mac(b"Jefe", &[b"what do ya want ", b"for nothing?"])), known);
        assert_eq!(sign("s", 7, b"{}"), format!("v1={}", hex(&mac(b"s", &[b"7.{}"]))));
    }

    #[test]
    fn each_session_has_a_secret_of_its_own() {
        let (one, two) = (secret(b"master", session(1)), secret(b"master", session(2)));
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
        assert_ne!(one, secret(b"another", session(1)));
        assert_eq!(one, secret(b"master", session(1)));
        assert!(is_callback_token(&one, &callback_token(&one)));
        for wrong in ["", &one, &callback_token(&two), &callback_token(&one)[1..]] {
            assert!(!is_callback_token(&one, wrong), "{wrong}");
        }
    }

    #[test]
    fn a_signature_lasts_five_minutes() {
        let signature = sign("s", 1_000, b"x");
        for (now, good) in [(1_000, true), (700, true), (1_300, true), (1_301, false), (699, false)] {
            assert_eq!(is_signed("s", "1000", b"x", &signature, now), good, "{now}");
        }
        for timestamp in ["", "x", "1000.0", "9223372036854775808", "-9223372036854775808"] {
            assert!(!is_signed("s", timestamp, b"x", &signature, 1_000), "{timestamp}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_changed_the_signature_is_wrong(body: Vec<u8>, other: Vec<u8>, at in 0i64..2_000_000_000) {
            let signature = sign("s", at, &body);
            prop_assert!(is_signed("s", &at.to_string(), &body, &signature, at));
            prop_assert_eq!(is_signed("s", &at.to_string(), &other, &signature, at), body == other);
            prop_assert!(!is_signed("t", &at.to_string(), &body, &signature, at));
            prop_assert!(!is_signed("s", &(at + 1).to_string(), &body, &signature, at));
            prop_assert!(!is_signed("s", &at.to_string(), &body, signature.strip_prefix("v1=").unwrap_or_default(), at));
        }
    }
}
