//! Browsers: how they log in, and which have.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{HOST, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, StatusCode};
use paseo_core::actor::Actor;
use paseo_core::id::DeviceId;
use paseo_core::settings::Event;
use paseo_core::time::Timestamp;
use paseo_wire::device::{DeviceList, DeviceView, Login, LoginLink};
use paseo_wire::error::Code;
use paseo_wire::page::PageQuery;

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Path, one};
use crate::failure::Failure;
use crate::identity::{LOGIN_LIFETIME, Worth};
use crate::mint;

/// A browser stays logged in this long, in seconds.
const COOKIE_SECONDS: u64 = 400 * 24 * 60 * 60;

/// What an actor of a browser starts with.
const DEVICE: &str = "device:";

pub(crate) async fn link(State(app): State<App>) -> Answer<LoginLink> {
    let code = mint::secret().map_err(Failure::internal)?;
    app.logins.open(&code);
    // In the fragment the code is never sent to a server, a proxy or a log.
    let link = |origin: &str| format!("{origin}/login#code={code}");
    let expires = mint::now().as_millis() + i64::try_from(LOGIN_LIFETIME.as_millis()).unwrap_or(0);
    Ok(Json(LoginLink {
        url: link(&app.about.url),
        public_urls: app.about.public_urls.iter().map(|url| link(url.origin())).collect(),
        expires_at: Timestamp::from_millis(expires).into(),
    }))
}

pub(crate) async fn login(
    State(app): State<App>,
    headers: HeaderMap,
    Body(login): Body<Login>,
) -> Result<Response, Failure> {
    match app.logins.redeem(&login.code) {
        Worth::Good => {}
        Worth::Nothing => {
            return Err(Failure::new(
                Code::Unauthenticated,
                "this link was already used or has expired (links are valid for five minutes)",
            )
            .hint("run `paseo open` to get a new one"));
        }
        Worth::NotNow => {
            return Err(Failure::new(Code::TooManyAttempts, "too many wrong codes")
                .hint("run `paseo open` to get a new link, which works immediately"));
        }
    }
    let (device, secret) = (mint::device(), mint::secret().map_err(Failure::internal)?);
    let name = name(&headers);
    let sha256 = mint::hex(&mint::sha256(secret.as_bytes()));
    let context = &app.sessions.context;
    let event = Event::DeviceAdded { device, name, sha256 };
    context.settings.change(&context.journal, &actor(device), event).await?;
    // On this machine there is no TLS, and a browser would not send it back.
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let by_tls = app.about.public_urls.iter().any(|url| url.is_https_of(host));
    let secure = if by_tls { "; Secure" } else { "" };
    let cookie = format!(
        "{}={secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age={COOKIE_SECONDS}{secure}",
        app.about.cookie
    );
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response())
}

pub(crate) async fn logout(State(app): State<App>, Caller(by): Caller) -> Result<Response, Failure> {
    if let Some(device) = own(&by) {
        let context = &app.sessions.context;
        context.settings.change(&context.journal, &by, Event::DeviceRevoked { device }).await?;
    }
    let cookie = format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", app.about.cookie);
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response())
}

pub(crate) async fn list(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<PageQuery>,
) -> Answer<DeviceList> {
    listed(&app, &by).asked(&query).map(Json)
}

pub(crate) async fn revoke(
    State(app): State<App>,
    Caller(by): Caller,
    Path(device): Path<String>,
) -> Answer<DeviceList> {
    let context = &app.sessions.context;
    let device = one(&device, context.settings.get().devices.keys().copied(), "device", "paseo devices ls")?;
    context.settings.change(&context.journal, &by, Event::DeviceRevoked { device }).await?;
    Ok(Json(listed(&app, &by)))
}

/// Returns who a browser's cookie stands for.
pub(super) fn by_cookie(app: &App, headers: &HeaderMap) -> Option<Actor> {
    let mut secrets = headers
        .get_all(http::header::COOKIE)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|cookie| cookie.trim().strip_prefix(app.about.cookie.as_str())?.strip_prefix('='));
    let (secret, None) = (secrets.next()?, secrets.next()) else { return None };
    let hash = mint::hex(&mint::sha256(secret.as_bytes()));
    let settings = app.sessions.context.settings.get();
    settings.devices.iter().find(|(_, device)| device.sha256 == hash).map(|(id, _)| actor(*id))
}

/// Returns the device that a person is named after.
pub(super) fn named(human: &str) -> Option<DeviceId> {
    human.strip_prefix(DEVICE)?.parse().ok()
}

fn actor(device: DeviceId) -> Actor {
    Actor::Human(format!("{DEVICE}{device}"))
}

/// Says whether a request comes from a browser that logged in.
pub(super) fn is_browser(by: &Actor) -> bool {
    own(by).is_some()
}

/// Returns the browser that asks, if one does.
pub(super) fn own(by: &Actor) -> Option<DeviceId> {
    match by {
        Actor::Human(name) => named(name),
        _ => None,
    }
}

fn listed(app: &App, by: &Actor) -> DeviceList {
    let settings = app.sessions.context.settings.get();
    let view = |(id, device): (&DeviceId, &paseo_core::settings::Device)| DeviceView {
        id: (*id).into(),
        name: device.name.clone(),
        created_at: device.created_at.into(),
        current: own(by) == Some(*id),
        notifications: device.push.is_some(),
    };
    DeviceList { devices: settings.devices.iter().map(view).collect(), next: None }
}

/// Names a browser after what it says it is: `Firefox on Android`.
fn name(headers: &HeaderMap) -> String {
    let says = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = |known: &[(&str, &'static str)]| {
        known.iter().find(|(mark, _)| says.contains(mark)).map(|(_, name)| *name)
    };
    let browser = first(&[
        ("Edg", "Edge"),
        ("OPR", "Opera"),
        ("Firefox", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari", "Safari"),
    ]);
    let system = first(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ]);
    format!("{} on {}", browser.unwrap_or("a browser"), system.unwrap_or("an unknown system"))
}
