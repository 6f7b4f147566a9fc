//! Refusals in the protocol's shape.

use axum::response::{IntoResponse, Response};
use paseo_wire::error::Code;
use paseo_wire::teamd::{TeamdError, TeamdRefusal};
use paseo_wire::words::TeamdCode;
use serde_json::json;

use super::told;
use crate::failure::Failure;

/// A refusal in the protocol's shape: `{error: {code, message}}`. The message includes the hint, as clients of the
/// protocol show nothing else; only that of what was not found is for people who use the command line.
pub(crate) struct Refusal {
    status: u16,
    code: TeamdCode,
    pub(super) message: String,
    hint: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: u16, code: TeamdCode, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), hint: None }
    }

    /// Returns the body that clients are told.
    pub(in crate::http) fn body(&self) -> TeamdError {
        let Self { status: _, code, message, hint } = self;
        let error = TeamdRefusal { code: code.clone(), message: message.clone(), hint: hint.clone() };
        TeamdError { error }
    }

    /// Says that a path takes other methods.
    pub(in crate::http) fn method_not_allowed(failure: Failure) -> Self {
        Self { code: TeamdCode::MethodNotAllowed, ..Self::from(failure) }
    }

    /// Says that what is missing is a mistake in the request, as the protocol has it.
    pub(super) fn mistaken(mut self) -> Self {
        if self.status == 404 {
            self.status = 400;
        }
        self
    }

    /// Gives the codes that say nothing of what it was about the ones that do.
    pub(super) fn about(mut self, missing: TeamdCode, invalid: TeamdCode) -> Self {
        match self.code {
            TeamdCode::NotFound => self.code = missing,
            TeamdCode::InvalidRequest => self.code = invalid,
            _ => {}
        }
        self
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let code = match failure.code {
            Code::Unauthenticated => TeamdCode::Unauthorized,
            Code::NotFound => TeamdCode::NotFound,
            Code::InvalidRequest => TeamdCode::InvalidRequest,
            Code::TooLarge => TeamdCode::TooLarge,
            Code::TaskNotClaimable => TeamdCode::TaskNotClaimable,
            Code::TaskNotInProgress => TeamdCode::TaskNotInProgress,
            Code::LeaseExpired => TeamdCode::LeaseExpired,
            Code::LeaseHolderMismatch => TeamdCode::LeaseHolderMismatch,
            Code::EpochMismatch => TeamdCode::EpochMismatch,
            Code::ResourceHeld => TeamdCode::ResourceHeld,
            Code::IdentityMismatch => TeamdCode::IdentityMismatch,
            Code::KeyReused => TeamdCode::IdempotencyKeyReused,
            Code::Forbidden | Code::ForeignOrigin | Code::ForeignHost => TeamdCode::Forbidden,
            Code::Internal => TeamdCode::InternalError,
            Code::StorageUnavailable | Code::ShuttingDown | Code::Overloaded => TeamdCode::Unavailable,
            _ => TeamdCode::Conflict,
        };
        let hint = match failure.code {
            Code::Unauthenticated => Some("run `paseo team env TEAM --agent NAME` to print one".to_owned()),
            _ => failure.hint,
        };
        let message = match &hint {
            Some(hint) if failure.code != Code::NotFound => format!("{} ({hint})", failure.message),
            _ => failure.message,
        };
        Self { status: failure.code.http_status(), code, message, hint }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        told(self.status, json!(self.body()))
    }
}
