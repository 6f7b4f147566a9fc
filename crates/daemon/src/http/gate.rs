//! Who may use a route. Every request passes here, over the Unix socket and over TCP.

use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONNECTION, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue, Method};
use http_body_util::LengthLimitError;
use paseo_core::actor::Actor;
use paseo_core::ancestry::Refusal;
use paseo_core::definition::DEFAULT;
use paseo_core::id::TokenId;
use paseo_core::settings::{Settings, Token};
use paseo_wire::error::Code;
use paseo_wire::{VERSION, VERSION_HEADER};

use super::connections::{Connection, Kind};
use super::request::{Caller, check_query};
use super::route::{Parameter, Route, refusal};
use super::transport::Late;
use super::{App, devices};
use crate::failure::{Cause, Failure};
use crate::identity::{Edge, Peer};
use crate::{mint, tools};

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anyone.
    Public,
    /// Every caller with a credential.
    Anyone,
    /// People.
    Human,
    /// People, and sessions that were granted this tool.
    Tool(&'static str),
    /// Only the session that the path names; the handler compares.
    Itself,
    /// Only sessions: they act as themselves.
    Agent,
    /// People, and those who have a seat in the thread that the path names; the handler compares. Sessions need this
    /// tool.
    Seated(Option<&'static str>),
    /// People, agents of teams, and sessions that were granted this tool; the handler looks whose team it is.
    Member(&'static str),
    /// Only callers with the secret of the session that the path names; the handler checks.
    Callback,
    /// People; a browser that is not logged in is sent to the login page.
    Page,
}

/// Checks that the request is for us, before anything else is looked at.
pub(crate) async fn edge(State(app): State<App>, request: Request, next: Next) -> Response {
    let (asked, path) = (Asked::of(&request), request.uri().path().to_owned());
    let checked = match request.extensions().get::<Peer>() {
        Some(Peer::Local(_)) => Ok(()),
        Some(Peer::Network) | None => app.about.edge.check(request.uri(), request.headers()),
    };
    let response = match checked {
        Ok(()) => next.run(request).await,
        Err(failure) => refusal(&path, failure),
    };
    if response.status().is_server_error() {
        asked.failed(&response);
    }
    sealed(response)
}

/// Adds the headers that every answer has.
pub(super) fn sealed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
    // The parts of the web app say themselves how long they may be kept. Nothing else is for any cache.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// What a request was for, as the log file is told when it fails.
struct Asked {
    method: Method,
    route: Option<MatchedPath>,
}

impl Asked {
    fn of(request: &Request) -> Self {
        Self { method: request.method().clone(), route: request.extensions().get().cloned() }
    }

    fn failed(&self, response: &Response) {
        let route = self.route.as_ref().map_or("none", MatchedPath::as_str);
        let error = response.extensions().get::<Cause>().map_or("not told", |cause| &cause.0);
        let status = response.status().as_u16();
        tracing::error!(method = %self.method, route, status, error, "a request failed");
    }
}

/// Finds out who asks and whether they may.
pub(crate) async fn gate(
    State((app, route, known)): State<(App, &'static Route, Arc<[Parameter]>)>,
    mut request: Request,
    next: Next,
) -> Response {
    let access = route.access;
    if route.socket.is_some() {
        request.extensions_mut().insert(Upgrading);
    }
    // A caller may lose its rights while it sends a slow body: a token is revoked, an agent closed, a setting
    // switched off. What counts is whether they have it when all of it is there. A handler that reads the body itself
    // asks again.
    let read_here = access != Access::Callback && !route.streamed;
    if check(&app, access, &request).is_ok_and(|actor| actor.is_some()) && read_here {
        request = match with_whole_body(request, route).await {
            Ok(request) => request,
            Err(failure) => return route.refuses(failure),
        };
    }
    match check(&app, access, &request) {
        Ok(Some(actor)) => {
            let is_network = !matches!(request.extensions().get(), Some(Peer::Local(_)));
            if route.socket.is_some()
                && is_network
                && let Err(failure) = app.about.edge.check_socket(request.headers())
            {
                return route.refuses(failure);
            }
            // What a harness asks for itself: its tools, and leave to do something.
            let kind = Kind::of(&actor, access == Access::Itself);
            let connection = request.extensions().get::<Arc<Connection>>();
            if let Some(Err(failure)) = connection.map(|connection| connection.belongs_to(kind)) {
                return closing(route.refuses(failure));
            }
            request.extensions_mut().insert(Caller(actor));
        }
        Ok(None) => {}
        Err(_) if access == Access::Page => return to_login(request.uri().path()),
        Err(failure) => return route.refuses(failure),
    }
    request.extensions_mut().insert(route.body_limit());
    if let Some(query) = route.query {
        request.extensions_mut().insert(query);
    }
    // Pages may be linked to with whatever others add; the API ignores nothing.
    if route.path.starts_with("/api/")
        && let Err(failure) = check_query(request.uri(), &known)
    {
        return failure.into_response();
    }
    next.run(request).await
}

/// Marks a request that becomes a WebSocket. Browsers do not say from which site they send it, so its Origin has to be
/// ours instead: the gate checks it before the request goes on.
#[derive(Debug, Clone, Copy)]
struct Upgrading;

/// Returns who asks, if that has to be known and they may use the route.
pub(super) fn check<B>(
    app: &App,
    access: Access,
    request: &http::Request<B>,
) -> Result<Option<Actor>, Failure> {
    let is_local = matches!(request.extensions().get(), Some(Peer::Local(_)));
    let actor = match access {
        Access::Public if !is_local => None,
        Access::Callback if !is_local => Edge::check_site(request.headers()).map(|()| None)?,
        Access::Public => asking(app, request).ok().flatten(),
        _ => asking(app, request)?,
    };
    permit(app, access, actor)
}

/// Reads the body of a request.
async fn with_whole_body(request: Request, route: &Route) -> Result<Request, Failure> {
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let limit = route.body_limit();
    let (parts, body) = request.into_parts();
    match axum::body::to_bytes(body, limit.bytes()).await {
        Ok(bytes) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Err(error) if is_too_long(&error) => Err(limit.exceeded()),
        Err(error) => {
            tracing::debug!(%error, "a body broke off");
            let mut chain =
                std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
            let late = chain.find_map(|error| error.downcast_ref::<Late>()).map(ToString::to_string);
            let message = late.unwrap_or_else(|| "the body is incomplete".to_owned());
            Err(Failure::new(Code::InvalidRequest, message).hint("send the request again"))
        }
    }
}

fn is_too_long(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<LengthLimitError>())
}

/// Makes an answer the last one on its connection.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Refuses a caller without a valid credential, whatever the path.
pub(super) fn admit(app: &App, request: &Request) -> Result<(), Failure> {
    asking(app, request)?.map(drop).ok_or_else(stranger)
}

/// Returns who asks.
fn asking<B>(app: &App, request: &http::Request<B>) -> Result<Option<Actor>, Failure> {
    match request.extensions().get::<Peer>() {
        // A credential narrows who a local caller is; it never widens it.
        Some(Peer::Local(Ok(actor))) => Ok(Some(actor.clone())),
        Some(Peer::Local(Err(refusal))) => Err(unidentified(*refusal)),
        Some(Peer::Network) | None => credential(app, request),
    }
}

fn stranger() -> Failure {
    Failure::new(Code::Unauthenticated, "missing or invalid credential")
        .hint("use the `paseo` command, or create a token with `paseo token create`")
}

/// Says why a local caller is unknown.
fn unidentified(refusal: Refusal) -> Failure {
    let (code, hint) = match refusal {
        Refusal::Gone => return stranger(),
        Refusal::Malformed
        | Refusal::Contradiction { .. }
        | Refusal::Disagreement { .. }
        | Refusal::NotOpen { .. } => {
            (Code::IdentityMismatch, "leave PASEO_SESSION unchanged; outside an agent, unset it")
        }
        Refusal::Unreadable | Refusal::Orphan | Refusal::Window => {
            (Code::Unauthenticated, "run the `paseo` command in your own terminal")
        }
    };
    Failure::new(code, refusal.to_string()).hint(hint)
}

/// Sends a browser to the login page. One that is logged in comes there, too, as it sends no cookie where another site
/// leads; the page finds out, and goes on to what was wanted.
fn to_login(wanted: &str) -> Response {
    // Views have no other letters, and whatever else a path holds stays out of a header.
    let is_view =
        wanted.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_'));
    Redirect::to(&if is_view { format!("/login#to={wanted}") } else { "/login".to_owned() }).into_response()
}

/// The one check of who may use a route.
fn permit(app: &App, access: Access, actor: Option<Actor>) -> Result<Option<Actor>, Failure> {
    if matches!(access, Access::Public | Access::Callback) {
        return Ok(actor);
    }
    let actor = actor.ok_or_else(stranger)?;
    match (&actor, access) {
        (Actor::Seat(_), Access::Seated(_)) | (Actor::Agent(_), Access::Seated(_) | Access::Member(_)) => {}
        (Actor::Seat(_), _) => {
            let good_for = "this token works only for the thread that it was made for";
            return Err(Failure::new(Code::Forbidden, good_for));
        }
        (Actor::Agent(_), _) => {
            let good_for = "this token works only for the routes of its team, under /v1";
            return Err(Failure::new(Code::Forbidden, good_for));
        }
        (Actor::Human(_) | Actor::Session(_) | Actor::Daemon, _) => {}
    }
    let Actor::Session(id) = &actor else {
        return match access {
            Access::Itself => Err(Failure::new(Code::Forbidden, "only the agent itself can do this")
                .hint("to use a tool as an agent, run `paseo tool` in its shell")),
            Access::Agent => Err(Failure::new(Code::Forbidden, "only agents can call tools")
                .hint("run `paseo inspect HANDLE` to see an agent's tools")),
            _ => Ok(Some(actor)),
        };
    };
    match access {
        Access::Public
        | Access::Callback
        | Access::Anyone
        | Access::Itself
        | Access::Agent
        | Access::Seated(None) => Ok(Some(actor)),
        Access::Human | Access::Page => {
            Err(Failure::new(Code::Forbidden, "only people can do this, and you are calling as an agent")
                .hint(format!(
                    "ask a person; this process belongs to agent {}",
                    app.sessions.context.directory.handle(*id)
                )))
        }
        Access::Tool(tool) | Access::Member(tool) | Access::Seated(Some(tool)) => {
            granted(app, &actor, tool)?;
            Ok(Some(actor))
        }
    }
}

/// Checks that a session was granted a tool. Other callers need none.
pub(super) fn granted(app: &App, actor: &Actor, tool: &str) -> Result<(), Failure> {
    let context = &app.sessions.context;
    let Some(session) = context.directory.acting(actor)? else { return Ok(()) };
    context.grants(&session).check_process(tool).map_err(|refused| {
        let (sessions, id, text) = (app.sessions.clone(), session.id, refused.to_string());
        // Recorded like a refusal by any other way.
        tokio::spawn(async move { tools::note(&sessions, id, "tool_refused", text).await });
        let slug = session.profile.definition.as_deref().unwrap_or(DEFAULT);
        Failure::new(Code::Forbidden, refused.to_string()).hint(format!(
            "run `paseo agents show {slug}` to see what the definition allows and which settings are off"
        ))
    })
}

/// Returns who a request over the network comes from: a token or a browser's cookie says.
fn credential<B>(app: &App, request: &http::Request<B>) -> Result<Option<Actor>, Failure> {
    let headers = request.headers();
    Edge::check_site(headers)?;
    if headers.contains_key(AUTHORIZATION) {
        return Ok(bearer(app, headers));
    }
    let Some(actor) = devices::by_cookie(app, headers) else { return Ok(None) };
    if request.extensions().get::<Upgrading>().is_none() {
        Edge::check_cookie(request.method(), headers)?;
    }
    Ok(Some(actor))
}

fn bearer(app: &App, headers: &HeaderMap) -> Option<Actor> {
    let secret = secret(headers)?;
    let context = &app.sessions.context;
    if let Some(session) = context.credentials.by_secret(secret) {
        return Some(Actor::Session(session));
    }
    token(&context.settings.get(), headers).map(|(_, token)| token.actor.clone())
}

/// Returns the secret that a request comes with.
pub(super) fn secret(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then_some(secret)
}

/// Returns the token that a request comes with.
pub(super) fn token<'a>(settings: &'a Settings, headers: &HeaderMap) -> Option<(TokenId, &'a Token)> {
    let secret = secret(headers)?;
    // Hashes are compared: how long that takes tells nothing about the secret.
    let hash = mint::hex(&mint::sha256(secret.as_bytes()));
    settings.tokens.iter().find(|(_, token)| token.sha256 == hash).map(|(id, token)| (*id, token))
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Arc;

    use axum::Router;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use parking_lot::Mutex;
    use tower::ServiceExt;

    use paseo_core::ancestry;

    use super::*;
    use crate::http::bridge::Refusal;
    use crate::http::tests::House;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_request_that_fails_leaves_its_route_and_its_cause_in_the_log() {
        let house = House::new().await;
        let router: Router = Router::new()
            .route("/torn/{page}", get(|| async { Failure::internal("the page is torn") }))
            .route("/bridge", get(|| async { Refusal::from(Failure::internal("the bridge is out")) }))
            .route("/full", get(|| async { Failure::new(Code::StorageUnavailable, "the disk is full") }))
            .route("/missing", get(|| async { Failure::new(Code::NotFound, "nobody is here") }))
            .layer(from_fn_with_state(house.app.clone(), edge));
        let written = Written::default();
        let writer = written.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        let _subscribed = tracing::subscriber::set_default(subscriber);
        let told = async |path: &str| {
            let request = Request::get(path)
                .extension(Peer::Local(Err(ancestry::Refusal::Orphan)))
                .body(Body::empty())
                .unwrap();
            router.clone().oneshot(request).await.unwrap();
            let lines = String::from_utf8(std::mem::take(&mut *written.0.lock())).unwrap();
            lines.lines().find(|line| line.contains("a request failed")).map(str::to_owned)
        };

        let torn = told("/torn/7").await.unwrap();
        assert!(
            torn.contains(r#"method=GET route="/torn/{page}" status=500 error="the page is torn""#),
            "{torn}"
        );
        let bridge = told("/bridge").await.unwrap();
        assert!(bridge.contains(r#"route="/bridge" status=500 error="the bridge is out""#), "{bridge}");
        let full = told("/full").await.unwrap();
        assert!(full.contains(r#"status=503 error="the disk is full""#), "{full}");
        assert_eq!(told("/missing").await, None);
    }
}
