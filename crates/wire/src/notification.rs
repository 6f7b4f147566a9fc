//! Notifications on the wire: what a browser subscribes with, and what it is sent.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::words::PushButton;

/// The kinds of notifications that a device gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationSwitches {
    /// Permission requests, and prompts in a terminal.
    pub permission: bool,
    pub question: bool,
    pub failure: bool,
    /// Rate limits and held messages.
    pub hold: bool,
    /// Finished turns of agents with `notify_when_finished`.
    pub finished: bool,
}

/// The answer to `GET /api/notifications`: how the browser that asks gets notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Notifications {
    /// The public key of this home, for `applicationServerKey`.
    pub public_key: String,
    /// The address that this browser subscribed with. Missing when it gets no notifications.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// What it gets, or would get.
    pub switches: NotificationSwitches,
    /// The result of the newest notification since the daemon started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<NotificationResult>,
}

/// The body of `PUT /api/notifications`: the browser's subscription, as `PushSubscription.toJSON()` has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Subscribe {
    /// Where the push service of the browser takes messages. Needs https, except on this machine.
    #[schema(max_length = 2048)]
    pub endpoint: String,
    pub keys: SubscriptionKeys,
    /// Notification kinds. Default: unchanged, or all except `hold`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<NotificationSwitches>,
}

/// The keys of a subscription, in base64url.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionKeys {
    /// The browser's public key.
    pub p256dh: String,
    /// The secret that the browser shares with the daemon.
    pub auth: String,
}

/// The body of `PATCH /api/notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchNotifications {
    pub switches: NotificationSwitches,
}

/// The result of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotificationResult {
    /// The push service took it. Whether the device shows it, only the device knows.
    pub delivered: bool,
    /// Why the push service did not take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub at: crate::time::Moment,
}

/// What a browser is sent, encrypted: a Declarative Web Push message, which Safari shows without a service worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PushPayload {
    /// Says that the message is declarative. Always 8030.
    pub web_push: u16,
    pub notification: PushNotification,
}

impl PushPayload {
    /// The number of the RFC that names the format.
    pub const MAGIC: u16 = 8030;
}

/// A notification as a browser shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PushNotification {
    pub title: String,
    /// What a click opens.
    pub navigate: String,
    /// One that is shown with the same tag is replaced.
    pub tag: String,
    /// How many things need a person, for the icon of the app.
    pub app_badge: usize,
    /// What can be opened instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<PushAction>,
}

/// A button of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PushAction {
    pub action: PushButton,
    pub title: String,
    /// What it opens.
    pub navigate: String,
}
