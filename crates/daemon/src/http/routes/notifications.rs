//! Routes: notifications of the browser that asks.

use axum::routing::{delete, get, patch, post, put};

use crate::http::gate::Access;
use crate::http::notifications;
use crate::http::route::{Group, route};

const PATH: &str = "/api/notifications";

pub(super) static NOTIFICATIONS: Group = Group {
    tag: "notifications",
    about: "Web Push notifications of the browser that asks.",
    routes: &[
        route("getNotifications", "GET", PATH, Access::Human, || get(notifications::show))
            .says("Get the notification settings of the calling browser")
            .gives("Notifications"),
        route("createSubscription", "PUT", PATH, Access::Human, || put(notifications::subscribe))
            .says("Create or replace the push subscription of the calling browser")
            .takes("Subscribe")
            .gives("Notifications"),
        route("updateNotifications", "PATCH", PATH, Access::Human, || patch(notifications::switch))
            .says("Update which notifications the calling browser gets")
            .takes("SwitchNotifications")
            .gives("Notifications"),
        route("deleteSubscription", "DELETE", PATH, Access::Human, || delete(notifications::unsubscribe))
            .steady()
            .says("Delete the push subscription of the calling browser")
            .gives("Notifications"),
        route("sendTestNotification", "POST", "/api/notifications/test", Access::Human, || {
            post(notifications::test)
        })
        .limited()
        .says("Send a test notification to the calling browser")
        .gives("NotificationResult"),
    ],
};
