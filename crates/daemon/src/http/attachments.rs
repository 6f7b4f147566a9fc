//! Attached files: uploaded before the message that has them, read back beside the transcript.

use axum::Json;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use paseo_core::attachment::{Kind, Unusable};
use paseo_core::id::FileId;
use paseo_core::limits::ATTACHMENT_BYTES;
use paseo_core::session;
use paseo_core::tool::SEND_TO_TAB;
use paseo_wire::attachment::{UploadQuery, UploadedAttachment};
use paseo_wire::error::Code;

use super::App;
use super::gate::{self, Access};
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use super::sessions::resolve;
use crate::directory::shown;
use crate::failure::Failure;

/// Who may upload: those who may send messages.
pub(super) const UPLOAD: Access = Access::Tool(SEND_TO_TAB);

pub(crate) async fn upload(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<UploadQuery>,
    request: Request,
) -> Answer<UploadedAttachment> {
    let (parts, body) = request.into_parts();
    if body.size_hint().lower() > ATTACHMENT_BYTES {
        return Err(Unusable::TooLarge.into());
    }
    let asked = http::Request::from_parts(parts, ());
    let permitted = || gate::check(&app, UPLOAD, &asked).map(drop);
    let attachments = &app.sessions.context.attachments;
    let uploaded = attachments.receive(&by, &query.name, body.into_data_stream(), permitted).await?;
    Ok(Json(uploaded))
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, attachment)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let id = resolve(&app, &by, &typed).await?;
    let attachments = &app.sessions.context.attachments;
    let found = attachments.of(&session::stream(id), &attachment).await?;
    let (row, meta) = found.ok_or_else(|| {
        let message = format!("attachment `{}` not found, or it was cleared", shown(&attachment));
        Failure::new(Code::NotFound, message)
    })?;
    let body = Body::from_stream(attachments.stream(FileId::from_uuid(row.id)));
    let kind = match meta.kind {
        Kind::Text => "text/plain; charset=utf-8",
        other => other.media_type(),
    };
    let mut response = ([(CONTENT_TYPE, kind)], body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, HeaderValue::from(row.len));
    headers.insert(CONTENT_DISPOSITION, disposition(meta.kind, &meta.name));
    // Should a browser ever show it as a page, that page can do nothing.
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    Ok(response)
}

/// Images are shown, everything else is saved: a browser might run it.
fn disposition(kind: Kind, name: &str) -> HeaderValue {
    let how = if kind.is_image() { "inline" } else { "attachment" };
    let encoded: String = name
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect();
    HeaderValue::from_str(&format!("{how}; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_images_are_shown_and_names_cannot_break_out() {
        assert_eq!(disposition(Kind::Png, "a b.png"), "inline; filename*=UTF-8''a%20b.png");
        assert_eq!(disposition(Kind::Pdf, "x.pdf"), "attachment; filename*=UTF-8''x.pdf");
        let sly = disposition(Kind::Text, "a\"; filename=\"evil.html");
        assert_eq!(sly, "attachment; filename*=UTF-8''a%22%3B%20filename%3D%22evil.html");
        assert_eq!(disposition(Kind::Text, "Größe"), "attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe");
    }
}
