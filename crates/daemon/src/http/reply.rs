//! Failures as HTTP answers.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use paseo_wire::error::ErrorBody;

use crate::failure::Failure;

/// What a handler returns.
pub(crate) type Answer<T> = Result<Json<T>, Failure>;

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(ErrorBody::from(self))).into_response()
    }
}
