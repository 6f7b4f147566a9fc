//! Encrypting a message for one browser (RFC 8291, RFC 8188): only that browser can read it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use paseo_core::notification::Subscription;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom, SystemRandom};

/// How long a public key is, not compressed.
const PUBLIC_BYTES: usize = 65;
/// How long the secret of a browser is.
const AUTH_BYTES: usize = 16;
const SALT_BYTES: usize = 16;
/// How long a record may be. Every message is one.
const RECORD_BYTES: u32 = 4_096;
/// Ends the last record.
const LAST: u8 = 2;
/// The length of a message says nothing: all are as long as a multiple of this.
const BLOCK_BYTES: usize = 256;

/// A browser that messages are encrypted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    public: [u8; PUBLIC_BYTES],
    auth: [u8; AUTH_BYTES],
}

/// Why the keys of a subscription are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKeys {
    #[error("`p256dh` is not a public key: expected 65 bytes of an uncompressed P-256 point in base64url")]
    Public,
    #[error("`auth` is not a secret: expected 16 bytes in base64url")]
    Auth,
    #[error("cannot encrypt the notification")]
    Encryption,
}

impl From<Unspecified> for BadKeys {
    fn from(_: Unspecified) -> Self {
        Self::Encryption
    }
}

impl Receiver {
    /// Reads the keys of a subscription.
    pub fn read(subscription: &Subscription) -> Result<Self, BadKeys> {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let public: Option<[u8; PUBLIC_BYTES]> =
            bytes(&subscription.p256dh).and_then(|bytes| bytes.try_into().ok());
        let public = public.ok_or(BadKeys::Public)?;
        let auth = bytes(&subscription.auth).and_then(|bytes| bytes.try_into().ok()).ok_or(BadKeys::Auth)?;
        let receiver = Self { public, auth };
        // A point that is not on the curve is found out now, and not when there is something to tell.
        receiver.agree(&SystemRandom::new()).map_err(|_| BadKeys::Public)?;
        Ok(receiver)
    }

    /// Encrypts a message under a key of its own.
    pub(super) fn encrypt(&self, message: &[u8]) -> Result<Vec<u8>, BadKeys> {
        let random = SystemRandom::new();
        let mut salt = [0; SALT_BYTES];
        random.fill(&mut salt)?;
        let agreed = self.agree(&random)?;
        let padding = BLOCK_BYTES - (message.len() + 1) % BLOCK_BYTES;
        self.seal(&agreed, salt, message, padding)
    }

    fn agree(&self, random: &SystemRandom) -> Result<Agreed, Unspecified> {
        let private = EphemeralPrivateKey::generate(&ECDH_P256, random)?;
        let public = private.compute_public_key()?;
        let public = public.as_ref().try_into().map_err(|_| Unspecified)?;
        let theirs = UnparsedPublicKey::new(&ECDH_P256, self.public);
        let secret = agree_ephemeral(private, &theirs, |secret| secret.try_into().map_err(|_| Unspecified))??;
        Ok(Agreed { public, secret })
    }

    /// Makes the body of a request. Pure: the same keys and salt make the same body.
    fn seal(
        &self,
        agreed: &Agreed,
        salt: [u8; SALT_BYTES],
        message: &[u8],
        padding: usize,
    ) -> Result<Vec<u8>, BadKeys> {
        let info = [b"WebPush: info\0".as_slice(), &self.public, &agreed.public];
        let combined = Salt::new(HKDF_SHA256, &self.auth).extract(&agreed.secret);
        let material: [u8; 32] = expand(&combined, &info)?;
        let keys = Salt::new(HKDF_SHA256, &salt).extract(&material);
        let key: [u8; 16] = expand(&keys, &[b"Content-Encoding: aes128gcm\0"])?;
        let nonce: [u8; 12] = expand(&keys, &[b"Content-Encoding: nonce\0"])?;

        let mut sealed = message.to_vec();
        sealed.push(LAST);
        sealed.resize(sealed.len() + padding, 0);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)?;

        let mut body = salt.to_vec();
        body.extend_from_slice(&RECORD_BYTES.to_be_bytes());
        body.push(PUBLIC_BYTES as u8);
        body.extend_from_slice(&agreed.public);
        body.append(&mut sealed);
        Ok(body)
    }
}

/// What only the two sides know of one message.
struct Agreed {
    /// Our public key.
    public: [u8; PUBLIC_BYTES],
    secret: [u8; 32],
}

/// How many bytes a key has.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(key: &Prk, info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut bytes = [0; N];
    key.expand(info, Length(N))?.fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<const N: usize>(text: &str) -> [u8; N] {
        URL_SAFE_NO_PAD.decode(text).unwrap().try_into().unwrap()
    }

    fn subscription(p256dh: &str, auth: &str) -> Subscription {
        Subscription {
            endpoint: "https://push.example/x".to_owned(),
            p256dh: p256dh.to_owned(),
            auth: auth.to_owned(),
            origin: "http://127.0.0.1:6767".to_owned(),
            switches: Default::default(),
        }
    }

    const PUBLIC: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    #[test]
    fn the_example_of_rfc_8291_comes_out() {
        let receiver = Receiver::read(&subscription(PUBLIC, AUTH)).unwrap();
        let agreed = Agreed {
            public: bytes(
                "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
            ),
            secret: bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"),
        };
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw");
        let body = receiver.seal(&agreed, salt, b"When I grow up, I want to be a watermelon", 0).unwrap();
        assert_eq!(
            URL_SAFE_NO_PAD.encode(body),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK\
             6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn keys_that_are_none_are_refused() {
        let read = |p256dh: &str, auth: &str| Receiver::read(&subscription(p256dh, auth)).map(drop);
        assert_eq!(read(&format!("{PUBLIC}="), &format!("{AUTH}==")), Ok(()), "some write the padding");
        assert_eq!(read("", AUTH), Err(BadKeys::Public));
        assert_eq!(read("not base64!", AUTH), Err(BadKeys::Public));
        assert_eq!(read(PUBLIC, "c2hvcnQ"), Err(BadKeys::Auth));
        let nowhere = URL_SAFE_NO_PAD.encode([4; PUBLIC_BYTES]);
        assert_eq!(read(&nowhere, AUTH), Err(BadKeys::Public), "it is not on the curve");
    }

    #[test]
    fn messages_of_about_the_same_length_look_alike() {
        let receiver = Receiver::read(&subscription(PUBLIC, AUTH)).unwrap();
        let length = |message: usize| receiver.encrypt(&vec![b'x'; message]).unwrap().len();
        assert_eq!(length(1), length(200));
        assert_ne!(length(1), length(600));
        assert!(length(paseo_core::limits::PUSH_BYTES) <= RECORD_BYTES as usize);
    }
}
