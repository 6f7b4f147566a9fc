//! Notifications of the browser that asks. No other caller has any.

use axum::Json;
use axum::extract::State;
use http::HeaderMap;
use http::header::ORIGIN;
use paseo_core::actor::Actor;
use paseo_core::id::DeviceId;
use paseo_core::limits::PUSH_DEVICES;
use paseo_core::notification::{Subscription, Switches};
use paseo_core::settings::{Device, Event};
use paseo_wire::error::Code;
use paseo_wire::notification::{
    NotificationResult, NotificationSwitches, Notifications, Subscribe, SwitchNotifications,
};

use super::reply::Answer;
use super::request::{Body, Caller};
use super::{App, devices};
use crate::failure::Failure;

pub(crate) async fn show(State(app): State<App>, Caller(by): Caller) -> Answer<Notifications> {
    view(&app, browser(&by)?)
}

pub(crate) async fn subscribe(
    State(app): State<App>,
    Caller(by): Caller,
    headers: HeaderMap,
    Body(request): Body<Subscribe>,
) -> Answer<Notifications> {
    let (device, context) = (browser(&by)?, &app.sessions.context);
    let settings = context.settings.get();
    let present = push(&settings.devices, device);
    let others = settings.devices.iter().filter(|(id, other)| **id != device && other.push.is_some()).count();
    if others >= PUSH_DEVICES {
        let message = format!("limit reached: {PUSH_DEVICES} browsers get notifications");
        return Err(Failure::new(Code::Conflict, message).hint("log out a browser that you no longer use"));
    }
    let switches = request.switches.map(from_wire);
    let subscription = Subscription {
        endpoint: request.endpoint,
        p256dh: request.keys.p256dh,
        auth: request.keys.auth,
        origin: origin(&app, &headers),
        switches: switches.or(present.map(|push| push.switches)).unwrap_or_default(),
    };
    app.notifications.pusher.check(&subscription).map_err(|bad| {
        Failure::new(Code::InvalidRequest, bad.to_string())
            .hint("pass what `PushSubscription.toJSON()` returns in the browser")
    })?;
    if present != Some(&subscription) {
        let event = Event::DeviceSubscribed { device, subscription };
        context.settings.change(&context.journal, &by, event).await?;
    }
    view(&app, device)
}

pub(crate) async fn switch(
    State(app): State<App>,
    Caller(by): Caller,
    Body(request): Body<SwitchNotifications>,
) -> Answer<Notifications> {
    let (device, context) = (browser(&by)?, &app.sessions.context);
    let (settings, switches) = (context.settings.get(), from_wire(request.switches));
    let Some(present) = push(&settings.devices, device) else {
        return Err(Failure::new(Code::Conflict, "notifications are off for this browser")
            .hint("turn them on in Settings › Notifications"));
    };
    if present.switches != switches {
        let event = Event::DeviceSwitched { device, switches };
        context.settings.change(&context.journal, &by, event).await?;
    }
    view(&app, device)
}

pub(crate) async fn unsubscribe(State(app): State<App>, Caller(by): Caller) -> Answer<Notifications> {
    let (device, context) = (browser(&by)?, &app.sessions.context);
    if push(&context.settings.get().devices, device).is_some() {
        let event = Event::DeviceUnsubscribed { device };
        context.settings.change(&context.journal, &by, event).await?;
    }
    view(&app, device)
}

pub(crate) async fn test(State(app): State<App>, Caller(by): Caller) -> Answer<NotificationResult> {
    let device = browser(&by)?;
    Ok(Json(app.notifications.test(&app.sessions.context, device).await?))
}

/// Returns the browser that asks.
fn browser(by: &Actor) -> Result<DeviceId, Failure> {
    devices::own(by).ok_or_else(|| {
        Failure::new(Code::Forbidden, "only a browser that is logged in gets notifications")
            .hint("run `paseo open`, then turn them on in Settings › Notifications")
    })
}

fn push(devices: &std::collections::BTreeMap<DeviceId, Device>, device: DeviceId) -> Option<&Subscription> {
    devices.get(&device)?.push.as_ref()
}

/// Returns the address under which the browser knows this daemon. The edge has checked it.
fn origin(app: &App, headers: &HeaderMap) -> String {
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    origin.unwrap_or(&app.about.url).to_owned()
}

fn view(app: &App, device: DeviceId) -> Answer<Notifications> {
    let settings = app.sessions.context.settings.get();
    let push = push(&settings.devices, device);
    Ok(Json(Notifications {
        public_key: app.notifications.public_key()?,
        endpoint: push.map(|push| push.endpoint.clone()),
        switches: to_wire(push.map(|push| push.switches).unwrap_or_default()),
        last: app.notifications.last(device),
    }))
}

fn from_wire(switches: NotificationSwitches) -> Switches {
    let NotificationSwitches { permission, question, failure, hold, finished } = switches;
    Switches { permission, question, failure, hold, finished }
}

fn to_wire(switches: Switches) -> NotificationSwitches {
    let Switches { permission, question, failure, hold, finished } = switches;
    NotificationSwitches { permission, question, failure, hold, finished }
}
