//! Attached files on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::FileId;
use crate::time::Moment;
use crate::words::MediaType;

/// The query of `POST /api/attachments`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UploadQuery {
    /// Name of the file.
    pub name: String,
}

/// The answer to `POST /api/attachments`: pass the `id` in the `attachments` of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UploadedAttachment {
    #[serde(flatten)]
    pub attachment: AttachmentView,
    /// When the file is removed unless a message refers to it.
    pub expires_at: Moment,
}

/// A file that is attached to a message. Items of the kind `user_text` list theirs in `fields.attachments`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AttachmentView {
    pub id: FileId,
    pub name: String,
    /// By its bytes.
    pub media_type: MediaType,
    /// In bytes.
    pub size: u64,
    /// Of an image, in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
}
