//! Refusals in the protocol's shape.

use axum::response::{IntoResponse, Response};
use paseo_wire::error::Code;
use paseo_wire::teamd::{TeamdError, TeamdRefusal};
use serde_json::json;

use super::told;
use crate::failure::Failure;

/// A refusal in the protocol's shape: `{error: {code, message}}`.
pub(crate) struct Refusal {
    status: u16,
    code: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    /// Returns the body that clients are told.
    pub(in crate::http) fn body(&self) -> TeamdError {
        TeamdError { error: TeamdRefusal { code: self.code.to_owned(), message: self.message.clone() } }
    }

    /// Says that a path takes other methods.
    pub(in crate::http) fn method_not_allowed(failure: Failure) -> Self {
        Self { code: "METHOD_NOT_ALLOWED", ..Self::from(failure) }
    }

    /// Gives the codes that say nothing of what it was about the ones that do.
    pub(super) fn about(mut self, missing: &'static str, invalid: &'static str) -> Self {
        match self.code {
            "NOT_FOUND" => self.code = missing,
            "INVALID_REQUEST" => self.code = invalid,
            _ => {}
        }
        self
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let code = match failure.code {
            Code::Unauthenticated => "UNAUTHORIZED",
            Code::NotFound => "NOT_FOUND",
            Code::InvalidRequest => "INVALID_REQUEST",
            Code::TooLarge => "TOO_LARGE",
            Code::TaskNotClaimable => "TASK_NOT_CLAIMABLE",
            Code::TaskNotInProgress => "TASK_NOT_IN_PROGRESS",
            Code::LeaseExpired => "LEASE_EXPIRED",
            Code::LeaseHolderMismatch => "LEASE_HOLDER_MISMATCH",
            Code::EpochMismatch => "EPOCH_MISMATCH",
            Code::ResourceHeld => "RESOURCE_HELD",
            Code::IdentityMismatch => "IDENTITY_MISMATCH",
            Code::KeyReused => "IDEMPOTENCY_KEY_REUSED",
            Code::Forbidden | Code::ForeignOrigin | Code::ForeignHost => "FORBIDDEN",
            Code::Internal => "INTERNAL_ERROR",
            Code::StorageUnavailable | Code::ShuttingDown | Code::Overloaded => "UNAVAILABLE",
            _ => "CONFLICT",
        };
        let message = match failure.hint {
            _ if failure.code == Code::Unauthenticated => {
                format!("{} (run `paseo team env TEAM --agent NAME` to print one)", failure.message)
            }
            Some(hint) => format!("{} ({hint})", failure.message),
            None => failure.message,
        };
        Self { status: failure.code.http_status(), code, message }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        told(self.status, json!(self.body()))
    }
}
