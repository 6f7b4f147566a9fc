//! The key of this home, by which push services know who sends (RFC 8292).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use paseo_core::time::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

/// How long a signature counts, in seconds. Push services take at most a day.
const LIFETIME_SECONDS: i64 = 12 * 60 * 60;

/// A key pair.
#[derive(Debug)]
pub struct VapidKey(EcdsaKeyPair);

/// Why there is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    #[error("the file does not contain a key")]
    Malformed,
    #[error("cannot create a key")]
    Uncreated,
    #[error("cannot sign the notification")]
    Unsigned,
}

impl VapidKey {
    /// Makes a new key, and the text that it is read from.
    pub fn create() -> Result<(Self, String), BadKey> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
            .map_err(|_| BadKey::Uncreated)?;
        let text = URL_SAFE_NO_PAD.encode(document.as_ref());
        Ok((Self::read(&text)?, text))
    }

    /// Reads a key.
    pub fn read(text: &str) -> Result<Self, BadKey> {
        let document = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|_| BadKey::Malformed)?;
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &document, &SystemRandom::new())
            .map(Self)
            .map_err(|_| BadKey::Malformed)
    }

    /// Returns the public key, as browsers are told it.
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// Returns the value of the header by which a push service knows who sends.
    pub(super) fn authorization(
        &self,
        origin: &str,
        contact: &str,
        now: Timestamp,
    ) -> Result<String, BadKey> {
        let expires = now.as_millis() / 1_000 + LIFETIME_SECONDS;
        let header = serde_json::json!({"typ": "JWT", "alg": "ES256"}).to_string();
        let claims = serde_json::json!({"aud": origin, "exp": expires, "sub": contact}).to_string();
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).map_err(|_| BadKey::Unsigned)?;
        let signature = URL_SAFE_NO_PAD.encode(signature);
        Ok(format!("vapid t={signed}.{signature}, k={}", self.public()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_when_it_is_read_again() {
        let (key, text) = VapidKey::create().unwrap();
        assert_eq!(VapidKey::read(&format!("{text}\n")).unwrap().public(), key.public());
        assert_ne!(VapidKey::create().unwrap().0.public(), key.public());
        assert_eq!(URL_SAFE_NO_PAD.decode(key.public()).unwrap().len(), 65);
    }

    #[test]
    fn what_is_no_key_is_not_taken_for_one() {
        let (_, text) = VapidKey::create().unwrap();
        for broken in ["", "x", &text[..40], &text.replace('A', "B")] {
            assert_eq!(VapidKey::read(broken).unwrap_err(), BadKey::Malformed, "{broken}");
        }
    }
}
