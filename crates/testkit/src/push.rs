//! A push service on 127.0.0.1, and a browser that can read what comes there.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::signature::{self, ECDSA_P256_SHA256_FIXED};
use serde_json::Value;
use tokio::sync::oneshot;

/// How long [`PushService::wait_for`] waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running push service. It takes everything, unless it is told to answer otherwise. Dropping it ends it.
#[derive(Debug)]
pub struct PushService {
    address: SocketAddr,
    book: Arc<Book>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A message as it came.
#[derive(Debug, Clone)]
pub struct Pushed {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

#[derive(Debug, Default)]
struct Book {
    pushed: Mutex<Vec<Pushed>>,
    arrived: Condvar,
    answers: Mutex<VecDeque<Answer>>,
}

/// What the service says to a message.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
}

impl Answer {
    /// Says only this.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new() }
    }
}

impl PushService {
    /// Starts a service on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on the loopback");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let address = listener.local_addr().expect("an address");
        let book = Arc::new(Book::default());
        let (stop, stopped) = oneshot::channel();
        let router = Router::new().fallback(take).with_state(Arc::clone(&book));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    served = async { axum::serve(listener, router).await } => served.expect("the service serves"),
                    _ = stopped => {}
                }
            });
        });
        Self { address, book, stop: Some(stop), thread: Some(thread) }
    }

    /// Returns an address for a browser.
    pub fn endpoint(&self, browser: &str) -> String {
        format!("http://{}/push/{browser}", self.address)
    }

    /// Answers the next messages with these, in order.
    pub fn answer(&self, answers: impl IntoIterator<Item = Answer>) {
        self.book.answers.lock().expect("the answers").extend(answers);
    }

    /// Returns all messages so far, in order.
    pub fn pushed(&self) -> Vec<Pushed> {
        self.book.pushed.lock().expect("the messages").clone()
    }

    /// Waits until there are so many messages, and returns them all. Fails the test when they do not come.
    pub fn wait_for(&self, count: usize) -> Vec<Pushed> {
        let pushed = self.book.pushed.lock().expect("the messages");
        let waited = self.book.arrived.wait_timeout_while(pushed, PATIENCE, |all| all.len() < count);
        let (pushed, late) = waited.expect("the messages");
        assert!(!late.timed_out(), "{} of {count} messages came within {PATIENCE:?}", pushed.len());
        pushed.clone()
    }
}

impl Drop for PushService {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so.
            thread.join().ok();
        }
    }
}

async fn take(
    State(book): State<Arc<Book>>,
    _: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let pushed = Pushed { path: uri.path().to_owned(), headers, body: body.to_vec() };
    book.pushed.lock().expect("the messages").push(pushed);
    let answer = book.answers.lock().expect("the answers").pop_front();
    book.arrived.notify_all();
    let answer = answer.unwrap_or_else(|| Answer::status(201));
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(Body::empty()).expect("an answer")
}

impl Pushed {
    /// Returns a header.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers));
        value.to_str().expect("a header in ASCII")
    }

    /// Returns the claims of the sender, once their signature fits the public key.
    pub fn claims(&self, public_key: &str) -> Value {
        let header = self.header("authorization");
        let (token, key) = header.strip_prefix("vapid t=").expect(header).split_once(", k=").expect(header);
        assert_eq!(key, public_key);
        let (signed, signature) = token.rsplit_once('.').expect(token);
        let key = URL_SAFE_NO_PAD.decode(key).expect("a key");
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("a signature");
        signature::UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key)
            .verify(signed.as_bytes(), &signature)
            .expect("the signature fits the key");
        let (_, claims) = signed.split_once('.').expect(signed);
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("claims")).expect("claims in JSON")
    }
}

/// A browser with keys of its own.
#[derive(Debug, Clone, Copy)]
pub struct Browser {
    /// The private key.
    seed: [u8; 32],
    auth: [u8; 16],
}

impl Browser {
    /// Makes one of several browsers.
    pub fn number(number: u8) -> Self {
        Self { seed: [number.max(1); 32], auth: [number; 16] }
    }

    /// Returns its public key, in base64url.
    pub fn p256dh(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.public())
    }

    /// Returns its secret, in base64url.
    pub fn auth(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.auth)
    }

    fn private(&self) -> EphemeralPrivateKey {
        // A browser keeps its key, for which ring has no other way.
        #[allow(deprecated)]
        let random = ring::test::rand::FixedSliceRandom { bytes: &self.seed };
        EphemeralPrivateKey::generate(&ECDH_P256, &random).expect("a key")
    }

    fn public(&self) -> Vec<u8> {
        self.private().compute_public_key().expect("a key").as_ref().to_vec()
    }

    /// Reads a message as RFC 8291 says; fails the test when it is for another browser.
    pub fn decrypt(&self, pushed: &Pushed) -> Vec<u8> {
        assert_eq!(pushed.header("content-encoding"), "aes128gcm");
        let (salt, rest) = pushed.body.split_at(16);
        let (size, rest) = rest.split_at(4);
        assert_eq!(size, 4096u32.to_be_bytes());
        let (theirs, sealed) = rest[1..].split_at(usize::from(rest[0]));
        let peer = UnparsedPublicKey::new(&ECDH_P256, theirs);
        let secret = agree_ephemeral(self.private(), &peer, <[u8]>::to_vec).expect("a secret");
        let combined = Salt::new(HKDF_SHA256, &self.auth).extract(&secret);
        let material = expand(&combined, &[b"WebPush: info\0", &self.public(), theirs], 32);
        let keys = Salt::new(HKDF_SHA256, salt).extract(&material);
        let key = expand(&keys, &[b"Content-Encoding: aes128gcm\0"], 16);
        let nonce = expand(&keys, &[b"Content-Encoding: nonce\0"], 12);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).expect("a key"));
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::try_assume_unique_for_key(&nonce).expect("a nonce");
        let opened = key.open_in_place(nonce, Aad::empty(), &mut sealed).expect("it is for this browser");
        let end = opened.iter().rposition(|byte| *byte != 0).expect("a delimiter");
        assert_eq!(opened[end], 2, "it is the last record");
        opened[..end].to_vec()
    }

    /// Reads a message that is JSON.
    pub fn read(&self, pushed: &Pushed) -> Value {
        serde_json::from_slice(&self.decrypt(pushed)).expect("JSON")
    }
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand(key: &Prk, info: &[&[u8]], length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    key.expand(info, Length(length)).expect("a length").fill(&mut bytes).expect("a length");
    bytes
}
