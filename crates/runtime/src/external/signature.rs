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

/// Signs what is posted.
pub fn sign(secret: &str, timestamp: i64, body: &[u8]) -> String {
    let signed = mac(secret.as_bytes(), &[timestamp.to_string().as_bytes(), b".", body]);
    format!("{VERSION}{}", hex(&signed))
}

/// What an answer says beside its text, each empty where there is none. All of it is signed: whoever sees an answer
/// must not be able to send it again as one to another turn, or under another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    pub turn: &'a str,
    pub key: &'a str,
    pub body: &'a [u8],
}

/// Signs an answer. Each part has a line, and none but the last can hold the end of one.
pub fn sign_answer(secret: &str, timestamp: i64, answer: Answer<'_>) -> String {
    let (timestamp, Answer { turn, key, body }) = (timestamp.to_string(), answer);
    let head = [timestamp.as_bytes(), b"\n", turn.as_bytes(), b"\n", key.as_bytes(), b"\n", body];
    format!("{VERSION}{}", hex(&mac(secret.as_bytes(), &head)))
}

/// Says whether a body was signed with the secret, not too long ago. `now` is in seconds, too.
pub fn is_signed(secret: &str, timestamp: &str, body: &[u8], signature: &str, now: i64) -> bool {
    fresh(timestamp, now).is_some_and(|at| is_same(&sign(secret, at, body), signature))
}

/// Says the same of an answer.
pub fn is_signed_answer(
    secret: &str,
    timestamp: &str,
    answer: Answer<'_>,
    signature: &str,
    now: i64,
) -> bool {
    let one_line = !answer.turn.contains('\n') && !answer.key.contains('\n');
    let same = |at| is_same(&sign_answer(secret, at, answer), signature);
    one_line && fresh(timestamp, now).is_some_and(same)
}

fn fresh(timestamp: &str, now: i64) -> Option<i64> {
    let at = timestamp.parse::<i64>().ok()?;
    now.checked_sub(at).is_some_and(|age| age.abs() <= WINDOW_SECONDS).then_some(at)
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
        let answer = Answer { turn: "t", key: "", body: b"x" };
        assert_eq!(sign_answer("s", 7, answer), format!("v1={}", hex(&mac(b"s", &[b"7\nt\n\nx"]))));
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

        #[test]
        fn no_answer_passes_for_another(
            turn in "[a-z.\n]{0,4}", key in "[a-z.\n]{0,4}", body in "[a-z.\n]{0,4}",
            other in ("[a-z.\n]{0,4}", "[a-z.\n]{0,4}", "[a-z.\n]{0,4}"), at in 0i64..2_000_000_000,
        ) {
            let said = Answer { turn: &turn, key: &key, body: body.as_bytes() };
            let (signature, timestamp) = (sign_answer("s", at, said), at.to_string());
            let plain = !turn.contains('\n') && !key.contains('\n');
            prop_assert_eq!(is_signed_answer("s", &timestamp, said, &signature, at), plain);
            let changed = Answer { turn: &other.0, key: &other.1, body: other.2.as_bytes() };
            prop_assert_eq!(
                is_signed_answer("s", &timestamp, changed, &signature, at),
                plain && changed == said
            );
            prop_assert!(!is_signed("s", &timestamp, body.as_bytes(), &signature, at), "it is no message of ours");
        }
    }
}
