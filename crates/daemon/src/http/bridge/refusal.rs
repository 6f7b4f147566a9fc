//! Failures in the shape of the bridge protocol.

use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::StatusCode;
use paseo_core::thread::Thread;
use paseo_wire::bridge::{BridgeError, BridgeRefusal};
use paseo_wire::id::{ParticipantId, ThreadId};

use crate::failure::{Cause, Failure};
use crate::http::reply::{retry_after, why};
use crate::threads::Speaker;

/// A request that could not be done, as clients of the protocol are told.
pub(crate) struct Refusal {
    told: BridgeRefusal,
    retry_after: Option<u32>,
    cause: Cause,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let cause = why(&failure);
        let Failure { code, message, hint, candidates: _, mistakes: _, retry_after, cause: _ } = failure;
        let told = BridgeRefusal { code, message, hint, thread: None, participant: None };
        Self { told, retry_after, cause }
    }
}

impl Refusal {
    /// Adds where it was, and to whom.
    pub(super) fn of(thread: &Thread, speaker: &Speaker) -> impl Fn(Failure) -> Self {
        let (thread, participant) = (ThreadId::from(thread.id), ParticipantId::from(speaker.id.as_str()));
        move |failure| {
            let mut refusal = Self::from(failure);
            refusal.told.thread = Some(thread.clone());
            refusal.told.participant = Some(participant.clone());
            refusal
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.told.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let later = retry_after(self.retry_after);
        (status, later, Extension(self.cause), Json(BridgeError { error: self.told })).into_response()
    }
}
