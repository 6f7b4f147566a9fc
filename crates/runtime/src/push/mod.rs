//! Web Push: one message to one browser, encrypted for it and signed with the key of this home.

mod encryption;
mod vapid;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use paseo_core::address::{Allowed, Target};
use paseo_core::backoff::Schedule;
use paseo_core::limits::{PUSH_ATTEMPTS, PUSH_BYTES, PUSH_SECONDS};
use paseo_core::notification::{BadEndpoint, Subscription, check_endpoint};
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use sha2::{Digest, Sha256};

pub use self::encryption::{BadKeys, Receiver};
pub use self::vapid::{BadKey, VapidKey};
use crate::fresh;
use crate::judged::{self, Judged, Posted, Resolver};

/// How long one attempt may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// When a message is posted again that the push service did not take.
pub const SCHEDULE: Schedule =
    Schedule { attempts: PUSH_ATTEMPTS, first: Duration::from_secs(2), longest: Duration::from_secs(60) };

/// Sends messages to browsers. Cheap to clone.
#[derive(Clone)]
pub struct Pusher {
    allowed: Allowed,
    /// Whom a push service can turn to: an address that begins with `https:` or `mailto:`.
    contact: String,
    resolver: Resolver,
    schedule: Schedule,
}

/// A message for a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub body: Vec<u8>,
    /// A push service keeps only the newest message about the same thing. It does not learn what that is.
    pub about: String,
    /// Wakes a device that saves power.
    pub urgent: bool,
}

/// What came of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The push service took it.
    Delivered,
    /// The push service does not know the browser any more.
    Gone,
    /// It was not taken, for this reason.
    Failed(String),
}

impl Pusher {
    /// Makes one that talks to those it may talk to.
    pub fn new(allowed: Allowed, contact: String) -> Self {
        Self { allowed, contact, resolver: judged::system(), schedule: SCHEDULE }
    }

    /// Checks a new subscription, as far as that can be done without looking a name up.
    pub fn check(&self, subscription: &Subscription) -> Result<(), BadSubscription> {
        let target = check_endpoint(&subscription.endpoint)?;
        target
            .written()
            .map_or(Ok(()), |written| target.judge(&written, &self.allowed))
            .map_err(BadEndpoint::from)?;
        Receiver::read(subscription)?;
        Ok(())
    }

    /// Sends a message, again and again but not for ever.
    pub async fn deliver(&self, key: &VapidKey, to: &Subscription, message: &Message) -> Outcome {
        let mut made = 0;
        loop {
            let posted = match self.post(key, to, message).await {
                Ok(posted) => posted,
                Err(why) => return Outcome::Failed(why),
            };
            made += 1;
            let (why, asked) = match judge(posted) {
                Verdict::Over(outcome) => return outcome,
                Verdict::Again { why, asked } => (why, asked),
            };
            let Some(wait) = fresh::jitter().ok().and_then(|jitter| self.schedule.wait(made, jitter, asked))
            else {
                return Outcome::Failed(format!("{why} (after {made} attempts)"));
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends a message once.
    pub async fn try_once(&self, key: &VapidKey, to: &Subscription, message: &Message) -> Outcome {
        match self.post(key, to, message).await.map(judge) {
            Ok(Verdict::Over(outcome)) => outcome,
            Ok(Verdict::Again { why, .. }) | Err(why) => Outcome::Failed(why),
        }
    }

    async fn post(&self, key: &VapidKey, to: &Subscription, message: &Message) -> Result<Posted, String> {
        if message.body.len() > PUSH_BYTES {
            return Err(format!("the message is longer than {PUSH_BYTES} bytes"));
        }
        let target = check_endpoint(&to.endpoint).map_err(|error| error.to_string())?;
        let receiver = Receiver::read(to).map_err(|error| error.to_string())?;
        let body = receiver.encrypt(&message.body).map_err(|error| error.to_string())?;
        let authorization = self.authorization(key, &target)?;
        let judged = Judged {
            target,
            allowed: self.allowed.clone(),
            resolver: self.resolver.clone(),
            timeout: TIMEOUT,
        };
        let host = judged.target.host.to_string();
        let posted = judged
            .post(|request| {
                request
                    .header(CONTENT_TYPE, "application/octet-stream")
                    .header(CONTENT_ENCODING, "aes128gcm")
                    .header(AUTHORIZATION, authorization)
                    .header("TTL", PUSH_SECONDS.to_string())
                    .header("Urgency", if message.urgent { "high" } else { "normal" })
                    .header("Topic", topic(&message.about))
                    .body(body)
            })
            .await;
        match &posted {
            Posted::Answered { status, words, .. } => {
                tracing::info!(host, status, words, "posted a notification");
            }
            Posted::Unreachable(why) | Posted::Forbidden(why) => {
                tracing::info!(host, why, "could not post a notification");
            }
        }
        Ok(posted)
    }

    fn authorization(&self, key: &VapidKey, target: &Target) -> Result<String, String> {
        key.authorization(&target.origin(), &self.contact, fresh::now()).map_err(|error| error.to_string())
    }
}

/// Why a subscription is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSubscription {
    #[error(transparent)]
    Endpoint(#[from] BadEndpoint),
    #[error(transparent)]
    Keys(#[from] BadKeys),
}

/// What an attempt comes to.
enum Verdict {
    Over(Outcome),
    Again { why: String, asked: Option<Duration> },
}

fn judge(posted: Posted) -> Verdict {
    match posted {
        Posted::Answered { status: 200..=299, .. } => Verdict::Over(Outcome::Delivered),
        Posted::Answered { status: 404 | 410, .. } => Verdict::Over(Outcome::Gone),
        Posted::Answered { status: 408 | 425 | 429 | 500..=599, words, retry_after } => {
            Verdict::Again { why: format!("the push service responded with {words}"), asked: retry_after }
        }
        Posted::Answered { words, .. } => {
            Verdict::Over(Outcome::Failed(format!("the push service responded with {words}")))
        }
        Posted::Unreachable(why) => Verdict::Again { why, asked: None },
        Posted::Forbidden(why) => Verdict::Over(Outcome::Failed(why)),
    }
}

/// Returns 32 characters that stand for what a message is about.
fn topic(about: &str) -> String {
    let digest = Sha256::digest(about.as_bytes());
    URL_SAFE_NO_PAD.encode(&digest[..24])
}

#[cfg(test)]
mod tests;
