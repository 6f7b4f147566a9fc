//! One attempt to post a letter: signed, and to addresses that were judged.

use reqwest::RequestBuilder;
use reqwest::header::CONTENT_TYPE;

use super::courier::Letter;
use super::signature::{self, SIGNATURE_HEADER, TIMESTAMP_HEADER};
use crate::fresh;
use crate::judged::{Judged, Lost, Posted};

/// Where letters go.
#[derive(Clone)]
pub(super) struct Mailbox {
    pub(super) judged: Judged,
    pub(super) secret: String,
}

impl Mailbox {
    /// Refuses an address that nothing may be posted to. What cannot be looked up now may be found at the next attempt.
    pub(super) async fn check(&self) -> Result<(), paseo_core::address::Refused> {
        match self.judged.addresses().await {
            Err(Lost::Refused(refused)) => Err(refused),
            Ok(_) | Err(Lost::Unknown(_)) => Ok(()),
        }
    }

    /// Tries once.
    pub(super) async fn post(&self, letter: &Letter) -> Posted {
        self.judged.post(|request| self.signed(request, letter)).await
    }

    fn signed(&self, request: RequestBuilder, letter: &Letter) -> RequestBuilder {
        let at = fresh::now().as_millis() / 1_000;
        request
            .header(CONTENT_TYPE, "application/json")
            .header("Idempotency-Key", &letter.key)
            .header(TIMESTAMP_HEADER, at.to_string())
            .header(SIGNATURE_HEADER, signature::sign(&self.secret, at, &letter.body))
            .body(letter.body.clone())
    }
}

#[cfg(test)]
mod tests;
