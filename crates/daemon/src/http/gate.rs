//! Who may use a route. Every request passes here, over the Unix socket and over TCP.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use paseo_core::actor::Actor;
use paseo_wire::error::Code;
use paseo_wire::{VERSION, VERSION_HEADER};

use super::request::{Caller, check_query};
use super::routes::Route;
use super::{App, devices};
use crate::failure::Failure;
use crate::identity::{Edge, Peer};
use crate::{mint, tools};

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anyone.
    Public,
    /// Whoever has a credential.
    Anyone,
    /// People.
    Human,
    /// People, and sessions that were granted this tool.
    Tool(&'static str),
    /// The session that the path names, and nobody else; the handler compares.
    Itself,
    /// Sessions, and nobody else: they act as themselves.
    Agent,
    /// People, and those who have a seat in the thread that the path names; the handler compares. Sessions need this
    /// tool.
    Seated(Option<&'static str>),
    /// Whoever knows the secret of the session that the path names, by no other way; the handler checks.
    Callback,
    /// People; whoever is not logged in is sent to the login page.
    Page,
}

/// Checks that the request is for us, before anything else is looked at.
pub(crate) async fn edge(State(app): State<App>, request: Request, next: Next) -> Response {
    let checked = match request.extensions().get::<Peer>() {
        Some(Peer::Local(_)) => Ok(()),
        Some(Peer::Network) | None => app.about.edge.check(request.headers()),
    };
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    response.headers_mut().insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
    response
}

/// Finds out who asks and whether they may.
pub(crate) async fn gate(
    State((app, route)): State<(App, &'static Route)>,
    mut request: Request,
    next: Next,
) -> Response {
    let access = route.access;
    let peer = request.extensions().get::<Peer>().cloned();
    let actor = match peer {
        // A credential narrows who a local caller is; it never widens it.
        Some(Peer::Local(actor)) => Ok(actor),
        Some(Peer::Network) | None if access == Access::Public => Ok(None),
        Some(Peer::Network) | None if access == Access::Callback => {
            Edge::check_site(request.headers()).map(|()| None)
        }
        Some(Peer::Network) | None => credential(&app, &request),
    };
    match actor.and_then(|actor| permit(&app, access, actor)) {
        Ok(Some(actor)) => {
            request.extensions_mut().insert(Caller(actor));
        }
        Ok(None) => {}
        Err(_) if access == Access::Page => return Redirect::to("/login").into_response(),
        Err(failure) => return route.refuses(failure),
    }
    // Pages may be linked to with whatever others add; the API ignores nothing.
    if route.path.starts_with("/api/")
        && let Err(failure) = check_query(request.uri(), route.query)
    {
        return failure.into_response();
    }
    next.run(request).await
}

/// The one check of who may use a route.
fn permit(app: &App, access: Access, actor: Option<Actor>) -> Result<Option<Actor>, Failure> {
    if matches!(access, Access::Public | Access::Callback) {
        return Ok(actor);
    }
    let actor = actor.ok_or_else(|| {
        Failure::new(Code::Unauthenticated, "no valid credential")
            .hint("use the `paseo` command, or a token made with `paseo token create`")
    })?;
    if let Actor::Seat(_) | Actor::Agent(_) = &actor
        && !matches!(access, Access::Seated(_))
    {
        return Err(Failure::new(
            Code::Forbidden,
            "this token is good for a seat in a thread, and for nothing else",
        ));
    }
    let Actor::Session(id) = &actor else {
        return match access {
            Access::Itself => Err(Failure::new(Code::Forbidden, "only the agent itself may do this")),
            Access::Agent => {
                Err(Failure::new(Code::Forbidden, "tools are called by agents, and you are none")
                    .hint("`paseo inspect HANDLE` shows which tools an agent has"))
            }
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
            Err(Failure::new(Code::Forbidden, "only a person may do this, and you are calling as an agent")
                .hint(format!(
                    "this process belongs to the agent {}",
                    app.sessions.context.directory.handle(*id)
                )))
        }
        Access::Tool(tool) | Access::Seated(Some(tool)) => {
            let context = &app.sessions.context;
            let session = context.directory.get(*id).ok_or_else(|| {
                Failure::new(Code::Forbidden, "this process belongs to an agent that is not open")
            })?;
            context.grants(&session).check(tool).map_err(|refused| {
                let (sessions, id, text) = (app.sessions.clone(), *id, refused.to_string());
                // Recorded like a refusal by any other way.
                tokio::spawn(async move { tools::note(&sessions, id, "tool_refused", text).await });
                Failure::new(Code::Forbidden, refused.to_string()).hint(
                    "`paseo agents show` says what its definition lets through, and which settings are off",
                )
            })?;
            Ok(Some(actor))
        }
    }
}

/// Returns who a request over the network comes from: a token or a browser's cookie says.
fn credential(app: &App, request: &Request) -> Result<Option<Actor>, Failure> {
    let headers = request.headers();
    Edge::check_site(headers)?;
    if headers.contains_key(AUTHORIZATION) {
        return Ok(bearer(app, headers));
    }
    let Some(actor) = devices::by_cookie(app, headers) else { return Ok(None) };
    Edge::check_cookie(request.method(), headers)?;
    Ok(Some(actor))
}

fn bearer(app: &App, headers: &HeaderMap) -> Option<Actor> {
    let secret = headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
    let context = &app.sessions.context;
    if let Some(session) = context.credentials.by_secret(secret) {
        return Some(Actor::Session(session));
    }
    // Hashes are compared: how long that takes tells nothing about the secret.
    let hash = mint::hex(&mint::sha256(secret.as_bytes()));
    let settings = context.settings.get();
    settings.tokens.values().find(|token| token.sha256 == hash).map(|token| token.actor.clone())
}
