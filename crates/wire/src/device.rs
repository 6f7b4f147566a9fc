//! Browsers on the wire: how they log in, and which have.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::DeviceId;
use crate::time::Moment;

/// The answer to `POST /api/login-links`: a link that works once, for five minutes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoginLink {
    /// For a browser on this machine.
    pub url: String,
    /// The same code under each public URL.
    pub public_urls: Vec<String>,
    pub expires_at: Moment,
}

/// The body of `POST /api/login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// From the fragment of the link.
    pub code: String,
}

/// A browser that is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeviceView {
    pub id: DeviceId,
    /// Name of the browser, from its user agent.
    pub name: String,
    pub created_at: Moment,
    /// The request came from this device.
    pub current: bool,
    /// It gets notifications.
    #[serde(default)]
    #[schema(required)]
    pub notifications: bool,
}

/// The answer to `GET /api/devices`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeviceList {
    pub devices: Vec<DeviceView>,
    /// Cursor of the next page: pass it as `after`. Null on the last page.
    #[serde(default)]
    #[schema(required)]
    pub next: Option<String>,
}
