//! Rights that are lost between the beginning of a request and its end.

use axum::body::Body;
use futures_util::{StreamExt, stream};
use http::{Request, StatusCode};
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;

use super::tests::{HOST, House};
use crate::identity::Peer;

/// Returns a request by a token whose body is complete only after something was done, and the answer to it.
async fn slowly(
    house: &House,
    path: &str,
    secret: &str,
    body: &str,
    meanwhile: impl Future<Output = ()>,
) -> StatusCode {
    let (first, rest) = body.split_at(body.len() / 2);
    let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
    let (first, rest) = (first.to_owned(), rest.to_owned());
    let chunks =
        stream::once(async move { Ok::<_, std::io::Error>(first) }).chain(stream::once(async move {
            receiver.await.unwrap();
            Ok(rest)
        }));
    let request = Request::post(path)
        .header("host", HOST)
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {secret}"))
        .extension(Peer::Network)
        .body(Body::from_stream(chunks))
        .unwrap();
    let answer = house.ask(request);
    let first_half_is_read = async {
        tokio::task::yield_now().await;
        meanwhile.await;
        sender.send(()).unwrap();
    };
    tokio::join!(answer, first_half_is_read).0.status()
}

#[tokio::test]
async fn who_lost_the_right_while_sending_a_body_has_lost_it() {
    let house = House::new().await;
    let secret = house.human_token().await;
    let nothing = slowly(&house, "/api/tokens", &secret, r#"{"name":"second"}"#, async {});
    assert_eq!(nothing.await, StatusCode::OK);
    let revoke = async {
        let token = *house.app.sessions.context.settings.get().tokens.keys().next().unwrap();
        let path = format!("/api/tokens/{token}");
        let mut request = Request::delete(path).body(Body::empty()).unwrap();
        request.extensions_mut().insert(Peer::Local(Ok(Actor::Human("cli".into()))));
        assert_eq!(house.ask(request).await.status(), StatusCode::OK);
    };
    let late = slowly(&house, "/api/tokens", &secret, r#"{"name":"back-again"}"#, revoke);
    assert_eq!(late.await, StatusCode::UNAUTHORIZED);
    let names: Vec<String> =
        house.app.sessions.context.settings.get().tokens.values().map(|token| token.name.clone()).collect();
    assert_eq!(names, ["second"]);
}

#[tokio::test]
async fn a_closed_agent_acts_no_more() {
    let house = House::new().await;
    let session: SessionId = house.session().await.session.id.parse().unwrap();
    let (actor, directory) = (Actor::Session(session), &house.app.sessions.context.directory);
    assert_eq!(directory.acting(&actor).unwrap().unwrap().id, session);
    house.app.sessions.close(session, &Actor::Human("cli".into())).await.unwrap();
    assert!(directory.acting(&actor).is_err(), "it is no person");
    assert!(directory.acting(&Actor::Human("cli".into())).unwrap().is_none());
}
