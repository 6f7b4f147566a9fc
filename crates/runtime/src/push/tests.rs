//! Sending, to a push service of the test's own on 127.0.0.1.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use paseo_core::notification::Switches;
use paseo_testkit::push::{Answer, Browser, PushService};

use super::*;

const PAYLOAD: &[u8] = br#"{"web_push":8030}"#;

fn pusher() -> Pusher {
    // Tests do not wait.
    let schedule = Schedule { first: Duration::from_millis(1), ..SCHEDULE };
    let resolver: Resolver =
        Arc::new(|name| Box::pin(async move { Err(io::Error::other(format!("{name} was looked up"))) }));
    let contact = "https://paseo.example".to_owned();
    Pusher { schedule, resolver, ..Pusher::new(Allowed { own_port: 6767, ..Allowed::default() }, contact) }
}

fn subscription(endpoint: String, browser: Browser) -> Subscription {
    Subscription {
        endpoint,
        p256dh: browser.p256dh(),
        auth: browser.auth(),
        origin: "http://127.0.0.1:6767".to_owned(),
        switches: Switches::default(),
    }
}

fn message() -> Message {
    Message { body: PAYLOAD.to_vec(), about: "df73".to_owned(), urgent: true }
}

async fn deliver(to: &Subscription) -> Outcome {
    let (key, _) = VapidKey::create().unwrap();
    pusher().deliver(&key, to, &message()).await
}

#[tokio::test]
async fn only_the_browser_reads_a_message_and_the_service_knows_who_sends() {
    let (service, browser) = (PushService::start(), Browser::number(1));
    let (key, _) = VapidKey::create().unwrap();
    let to = subscription(service.endpoint("a"), browser);
    assert_eq!(pusher().deliver(&key, &to, &message()).await, Outcome::Delivered);
    assert_eq!(pusher().deliver(&key, &to, &message()).await, Outcome::Delivered);
    let pushed = service.wait_for(2);
    assert_eq!(browser.decrypt(&pushed[0]), PAYLOAD);
    assert_eq!(browser.decrypt(&pushed[1]), PAYLOAD);
    assert_ne!(pushed[0].body, pushed[1].body, "each has a salt and a key of its own");
    assert_eq!(
        (pushed[0].header("ttl"), pushed[0].header("urgency"), pushed[0].header("topic").len()),
        ("86400", "high", 32)
    );
    assert_ne!(pushed[0].header("topic"), "df73");
    let claims = pushed[0].claims(&key.public());
    let origin = service.endpoint("").trim_end_matches("/push/").to_owned();
    assert_eq!((&claims["aud"], &claims["sub"]), (&origin.into(), &"https://paseo.example".into()));
    let left = claims["exp"].as_i64().unwrap() - fresh::now().as_millis() / 1_000;
    assert!((1..=24 * 3_600).contains(&left), "{left}");
}

#[tokio::test]
async fn a_browser_that_is_gone_is_told_apart_from_a_service_that_is_down() {
    let (service, browser) = (PushService::start(), Browser::number(1));
    let to = subscription(service.endpoint("a"), browser);
    for status in [404, 410] {
        service.answer([Answer::status(status)]);
        assert_eq!(deliver(&to).await, Outcome::Gone, "{status}");
    }
    service.answer([Answer::status(403)]);
    assert_eq!(
        deliver(&to).await,
        Outcome::Failed("the push service responded with 403 Forbidden".to_owned())
    );
    assert_eq!(service.pushed().len(), 3, "none of them was tried again");
}

#[tokio::test]
async fn a_service_that_is_down_is_tried_again_but_not_for_ever() {
    let (service, browser) = (PushService::start(), Browser::number(1));
    let to = subscription(service.endpoint("a"), browser);
    service.answer([Answer::status(500), Answer::status(429)]);
    assert_eq!(deliver(&to).await, Outcome::Delivered);
    assert_eq!(service.pushed().len(), 3);
    service.answer([Answer::status(503), Answer::status(503), Answer::status(503), Answer::status(503)]);
    let failed = deliver(&to).await;
    assert!(matches!(&failed, Outcome::Failed(why) if why.ends_with("(after 4 attempts)")), "{failed:?}");
    assert_eq!(service.pushed().len(), 7);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (service, other) = (PushService::start(), PushService::start());
    service.answer([Answer { status: 307, headers: vec![("location", other.endpoint("a"))] }]);
    let failed = deliver(&subscription(service.endpoint("a"), Browser::number(1))).await;
    assert!(matches!(&failed, Outcome::Failed(why) if why.contains("307")), "{failed:?}");
    assert!(other.pushed().is_empty());
}

#[tokio::test]
async fn nothing_is_sent_to_private_addresses_to_metadata_or_to_the_daemon() {
    let pusher = pusher();
    for (endpoint, why) in [
        ("https://10.0.0.5/x", "private"),
        ("https://169.254.169.254/latest", "metadata"),
        ("http://127.0.0.1:6767/x", "the daemon itself"),
        ("http://push.example/x", "must start with https://"),
    ] {
        let to = subscription(endpoint.to_owned(), Browser::number(1));
        let refused = pusher.check(&to).unwrap_err().to_string();
        assert!(refused.contains(why), "{endpoint}: {refused}");
        let failed = deliver(&to).await;
        assert!(matches!(&failed, Outcome::Failed(told) if told.contains(why)), "{endpoint}: {failed:?}");
    }
    // A name is judged by what it resolves to, each time again.
    let inside: Resolver = Arc::new(|_| {
        let address: IpAddr = "192.168.0.7".parse().unwrap();
        Box::pin(async move { Ok(vec![address]) })
    });
    let pusher = Pusher { resolver: inside, ..pusher };
    let to = subscription("https://push.example/x".to_owned(), Browser::number(1));
    assert_eq!(pusher.check(&to), Ok(()));
    let (key, _) = VapidKey::create().unwrap();
    let failed = pusher.try_once(&key, &to, &message()).await;
    assert!(matches!(&failed, Outcome::Failed(why) if why.contains("private")), "{failed:?}");
}

#[tokio::test]
async fn a_message_that_is_too_long_does_not_leave() {
    let service = PushService::start();
    let (key, _) = VapidKey::create().unwrap();
    let to = subscription(service.endpoint("a"), Browser::number(1));
    let long = Message { body: vec![b'x'; PUSH_BYTES + 1], ..message() };
    assert!(matches!(pusher().deliver(&key, &to, &long).await, Outcome::Failed(_)));
    assert!(service.pushed().is_empty());
}
