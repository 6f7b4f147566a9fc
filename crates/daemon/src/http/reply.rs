//! Failures as HTTP answers.

use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::StatusCode;
use http::header::{HeaderName, RETRY_AFTER};
use paseo_wire::error::ErrorBody;

use crate::failure::{Cause, Failure};

/// What a handler returns.
pub(crate) type Answer<T> = Result<Json<T>, Failure>;

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (later, cause) = (retry_after(self.retry_after), why(&self));
        (status, later, Extension(cause), Json(ErrorBody::from(self))).into_response()
    }
}

/// Returns what the log file is told of a failure.
pub(crate) fn why(failure: &Failure) -> Cause {
    failure.cause.clone().unwrap_or_else(|| Cause(failure.message.as_str().into()))
}

/// Returns the header that says when to try again.
pub(crate) fn retry_after(seconds: Option<u32>) -> Option<[(HeaderName, String); 1]> {
    seconds.map(|seconds| [(RETRY_AFTER, seconds.to_string())])
}
