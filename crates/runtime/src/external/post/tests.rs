//! Posting, to a server of the test's own on 127.0.0.1.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use paseo_core::address::{Allowed, Target};
use paseo_core::id::TurnId;
use paseo_core::time::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::judged::{Resolver, system};
use crate::provider::Remote;

fn letter() -> Letter {
    let turn = TurnId::from_parts(Timestamp::from_millis(7), [3; 10]);
    Letter { turn, key: turn.to_string(), body: br#"{"a":1}"#.to_vec() }
}

fn mailbox(url: &str, resolver: Resolver) -> Mailbox {
    let target = Target::parse(url).unwrap();
    let judged = Judged { target, allowed: Allowed::default(), resolver, timeout: Remote::TIMEOUT };
    Mailbox { judged, secret: "secret".to_owned() }
}

/// A server that answers each request with these bytes, and what it was asked last.
async fn server(answer: impl Into<Vec<u8>>) -> (SocketAddr, tokio::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = tokio::sync::mpsc::channel(8);
    let answer = answer.into();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = vec![0; 8_192];
            let mut length = 0;
            while !String::from_utf8_lossy(&asked[..length]).ends_with(r#"{"a":1}"#) {
                length += stream.read(&mut asked[length..]).await.unwrap();
            }
            sender.send(String::from_utf8_lossy(&asked[..length]).into_owned()).await.unwrap();
            stream.write_all(&answer).await.ok();
        }
    });
    (address, receiver)
}

fn nobody() -> Resolver {
    Arc::new(|name| Box::pin(async move { panic!("{name} was looked up") }))
}

#[tokio::test]
async fn a_letter_is_signed_and_says_which_turn_it_is() {
    let (address, mut asked) = server(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").await;
    let mailbox = mailbox(&format!("http://{address}/in?x=1"), nobody());
    let posted = mailbox.post(&letter()).await;
    assert_eq!(posted, Posted::Answered { status: 202, words: String::new(), retry_after: None });
    let asked = asked.recv().await.unwrap();
    let header = |name: &str| {
        let line = asked.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name} in {asked}")).split_once(": ").unwrap().1.to_owned()
    };
    assert!(asked.starts_with("POST /in?x=1 HTTP/1.1"), "{asked}");
    assert_eq!(
        (header("host"), header("content-type")),
        (address.to_string(), "application/json".to_owned())
    );
    assert_eq!(header("idempotency-key"), letter().turn.to_string());
    let (timestamp, now) = (header("x-paseo-timestamp"), fresh::now().as_millis() / 1_000);
    assert!(signature::is_signed("secret", &timestamp, br#"{"a":1}"#, &header("x-paseo-signature"), now));
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_connected_to_as_it_was_judged() {
    let (address, mut asked) = server(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    // This name exists nowhere: looking it up again would fail.
    let mailbox = mailbox("http://agent.invalid/in", system());
    let posted = mailbox.judged.send(&[address], |request| mailbox.signed(request, &letter())).await;
    assert!(matches!(posted, Posted::Answered { status: 204, .. }), "{posted:?}");
    assert!(asked.recv().await.unwrap().contains("\r\nhost: agent.invalid\r\n"));
}

#[tokio::test]
async fn a_name_that_turns_to_this_machine_is_refused_each_time_anew() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let rebinding: Resolver = Arc::new(move |_| {
        let first = counter.fetch_add(1, Ordering::SeqCst) == 0;
        let address: IpAddr = if first { "93.184.216.34" } else { "127.0.0.1" }.parse().unwrap();
        Box::pin(async move { Ok(vec![address]) })
    });
    let mailbox = mailbox("http://agent.invalid:9/in", rebinding);
    assert!(mailbox.judged.addresses().await.is_ok());
    let refused = mailbox.post(&letter()).await;
    assert!(
        matches!(&refused, Posted::Forbidden(why) if why.contains("resolves to this machine (127.0.0.1)")),
        "{refused:?}"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 2, "each attempt looks once");
}

#[tokio::test]
async fn redirects_are_told_and_not_followed() {
    let (other, mut never) = server(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let elsewhere =
        format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{other}/\r\ncontent-length: 0\r\n\r\n");
    let (address, _asked) = server(elsewhere).await;
    let posted = mailbox(&format!("http://{address}/"), nobody()).post(&letter()).await;
    assert!(matches!(posted, Posted::Answered { status: 307, .. }), "{posted:?}");
    assert!(never.try_recv().is_err());
}

#[tokio::test]
async fn what_a_server_says_is_shown_in_part() {
    let (address, _asked) = server(
        b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\ncontent-length: 22\r\n\r\n\nslow\x1b[31m down\nsecret ",
    )
    .await;
    let posted = mailbox(&format!("http://{address}/"), nobody()).post(&letter()).await;
    let words = "429 Too Many Requests (slow[31m down)".to_owned();
    assert_eq!(posted, Posted::Answered { status: 429, words, retry_after: Some(Duration::from_secs(7)) });
    let (address, _asked) = server(b"not http at all\r\n\r\n").await;
    let posted = mailbox(&format!("http://{address}/"), nobody()).post(&letter()).await;
    assert!(matches!(posted, Posted::Unreachable(_)), "{posted:?}");
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let posted = mailbox(&format!("http://{address}/"), nobody()).post(&letter()).await;
    assert!(matches!(&posted, Posted::Unreachable(why) if why.contains("refused")), "{posted:?}");
    let fails: Resolver = Arc::new(|_| Box::pin(async { Err(io::Error::other("no such host")) }));
    let posted = mailbox("http://agent.invalid/", fails).post(&letter()).await;
    assert!(matches!(&posted, Posted::Unreachable(why) if why.contains("cannot resolve")), "{posted:?}");
}
