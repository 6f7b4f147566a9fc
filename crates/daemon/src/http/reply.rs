//! Failures as HTTP answers.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{HeaderName, RETRY_AFTER};
use paseo_wire::error::ErrorBody;

use crate::failure::Failure;

/// What a handler returns.
pub(crate) type Answer<T> = Result<Json<T>, Failure>;

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let later = retry_after(self.retry_after);
        (status, later, Json(ErrorBody::from(self))).into_response()
    }
}

/// Returns the header that says when to try again.
pub(crate) fn retry_after(seconds: Option<u64>) -> Option<[(HeaderName, String); 1]> {
    seconds.map(|seconds| [(RETRY_AFTER, seconds.to_string())])
}
