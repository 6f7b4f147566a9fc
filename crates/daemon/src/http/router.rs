//! The router: every route of the table behind the gate, and the answers to unknown paths and methods.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::ALLOW;
use paseo_wire::error::Code;

use super::gate::{admit, edge, gate};
use super::route::refusal;
use super::routes;
use super::{App, teamd};
use crate::directory::shown;
use crate::failure::Failure;

/// Builds the router from the table.
pub(crate) fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in routes::all() {
        let known = route.query.map(|query| query.parameters()).unwrap_or_default();
        let gated = (route.handler)()
            .route_layer(from_fn_with_state((app.clone(), route, Arc::from(known)), gate))
            .layer(DefaultBodyLimit::max(route.body_limit().bytes()));
        router = router.route(route.path, gated);
    }
    router
        .fallback(nothing)
        .layer(from_fn_with_state(app.clone(), method_not_allowed))
        .layer(from_fn_with_state(app.clone(), edge))
        .with_state(app)
}

/// Answers an unknown path in the error format of its API.
async fn nothing(State(app): State<App>, request: Request) -> Response {
    let path = request.uri().path();
    // As teamd does: without a token, an unknown path is 401 like any other.
    if path.starts_with(teamd::ROOT)
        && let Err(failure) = admit(&app, &request)
    {
        return refusal(path, failure);
    }
    let failure = Failure::new(Code::NotFound, format!("path `{}` not found", shown(path)))
        .hint("see /api/openapi.json");
    refusal(path, failure)
}

/// Gives axum's own 405 our error body and keeps its `Allow`.
async fn method_not_allowed(State(app): State<App>, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let of_teamd = uri.path().starts_with(teamd::ROOT);
    let admitted = if of_teamd { admit(&app, &request) } else { Ok(()) };
    let mut response = next.run(request).await;
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    if let Err(failure) = admitted {
        return refusal(uri.path(), failure);
    }
    let failure =
        Failure::new(Code::InvalidRequest, "method not allowed for this path").hint("see /api/openapi.json");
    let mut told = match of_teamd {
        true => teamd::Refusal::method_not_allowed(failure).into_response(),
        false => refusal(uri.path(), failure),
    };
    *told.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    if let Some(allowed) = response.headers_mut().remove(ALLOW) {
        told.headers_mut().insert(ALLOW, allowed);
    }
    told
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use axum::body::Body;
    use http_body_util::BodyExt;
    use paseo_core::actor::Actor;
    use serde_json::Value;

    use super::*;
    use crate::http::tests::House;
    use crate::identity::Peer;

    const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

    #[tokio::test]
    async fn a_method_that_no_route_declares_is_405_and_the_answer_says_which_are_allowed() {
        let house = House::new().await;
        let mut declared: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for route in routes::all() {
            let methods = declared.entry(route.path).or_default();
            methods.insert(route.method);
            if route.method == "GET" {
                methods.insert("HEAD");
            }
        }
        let mut tried = 0;
        for (path, methods) in &declared {
            for method in METHODS.iter().filter(|method| !methods.contains(*method)) {
                let context = format!("{method} {path}");
                let request = Request::builder().method(*method).uri(path.replace(['{', '}', '*'], ""));
                let peer = Peer::Local(Ok(Actor::Human("cli".into())));
                let response = house.ask(request.extension(peer).body(Body::empty()).unwrap()).await;
                assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{context}");
                let allowed = response.headers()[ALLOW].to_str().unwrap().to_owned();
                let allowed: BTreeSet<&str> = allowed.split(',').map(str::trim).collect();
                assert_eq!(allowed, *methods, "{context}");
                let body = response.into_body().collect().await.unwrap().to_bytes();
                let is_read = *method != "HEAD";
                assert_eq!(!body.is_empty(), is_read, "{context}");
                if is_read {
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    let error = body.get("error").unwrap_or(&body);
                    assert!(error["code"].is_string() && error["message"].is_string(), "{context}: {body}");
                }
                tried += 1;
            }
        }
        assert!(tried > 400, "{tried}");
    }
}
