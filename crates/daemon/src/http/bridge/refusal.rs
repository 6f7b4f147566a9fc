//! Failures in the shape of the bridge protocol.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use paseo_core::thread::Thread;
use paseo_wire::bridge::{BridgeError, BridgeRefusal};

use crate::failure::Failure;
use crate::threads::Speaker;

/// A request that could not be done, as clients of the protocol are told.
pub(crate) struct Refusal(BridgeRefusal);

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let Failure { code, message, hint, candidates: _ } = failure;
        Self(BridgeRefusal { code, message, hint, thread: None, participant: None })
    }
}

impl Refusal {
    /// Adds where it was, and to whom.
    pub(super) fn of(thread: &Thread, speaker: &Speaker) -> impl Fn(Failure) -> Self {
        let (thread, participant) = (thread.id.to_string(), speaker.id.clone());
        move |failure| {
            let told = Self::from(failure).0;
            Self(BridgeRefusal {
                thread: Some(thread.clone()),
                participant: Some(participant.clone()),
                ..told
            })
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(BridgeError { error: self.0 })).into_response()
    }
}
