//! The listeners: a Unix socket for this machine's user, TCP for browsers and tokens.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use paseo_core::actor::Actor;
use paseo_core::ancestry::Refusal;
use paseo_core::id::SessionId;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tower::{Service, ServiceExt};

use crate::identity::{Peer, identify};
use crate::sessions::Context;
use crate::stop::Stop;

/// Connections that are served at once, per listener.
const CONNECTIONS: usize = 4096;
/// Connections that one agent may have.
const GUEST_CONNECTIONS: usize = 64;
/// How long a client may take to send its headers.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Most headers, and most bytes of them.
const HEADERS: usize = 64;
const HEADER_BYTES: usize = 64 * 1024;
/// How long open requests may take to end when the daemon stops.
const GRACE: Duration = Duration::from_secs(2);

/// What the daemon listens on.
pub(crate) struct Listeners {
    pub(crate) unix: UnixListener,
    pub(crate) tcp: TcpListener,
}

/// Serves until `stop` turns true, then lets open requests end.
pub(crate) async fn serve(listeners: Listeners, router: Router, context: Arc<Context>, stop: Stop) {
    let (unix_places, tcp_places) =
        (Arc::new(Semaphore::new(CONNECTIONS)), Arc::new(Semaphore::new(CONNECTIONS)));
    let guests = Guests::default();
    loop {
        tokio::select! {
            accepted = listeners.unix.accept() => {
                let Ok((stream, _)) = accepted else { pause().await; continue };
                let Ok(place) = Arc::clone(&unix_places).try_acquire_owned() else { continue };
                let (router, context, stop, guests) = (router.clone(), Arc::clone(&context), stop.clone(), guests.clone());
                tokio::spawn(async move {
                    let actor = local(&stream, &context);
                    if let Some(guest) = guests.admit(actor.as_ref().ok()) {
                        connection(stream, router, Peer::Local(actor), stop).await;
                        drop(guest);
                    }
                    drop(place);
                });
            }
            accepted = listeners.tcp.accept() => {
                let Ok((stream, _)) = accepted else { pause().await; continue };
                let Ok(place) = Arc::clone(&tcp_places).try_acquire_owned() else { continue };
                // Small frames shall not wait for each other.
                let _ = stream.set_nodelay(true);
                let (router, stop) = (router.clone(), stop.clone());
                tokio::spawn(async move {
                    connection(stream, router, Peer::Network, stop).await;
                    drop(place);
                });
            }
            () = stop.requested() => break,
        }
    }
    drop(listeners);
    let all_ended = async {
        // All places back means that no connection is left.
        let _ = unix_places.acquire_many(CONNECTIONS as u32).await;
        let _ = tcp_places.acquire_many(CONNECTIONS as u32).await;
    };
    let _ = tokio::time::timeout(GRACE, all_ended).await;
}

/// Waits a moment when no connection can be accepted: most likely no file descriptor is left.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// How many connections each agent has, so that none keeps people out.
#[derive(Clone, Default)]
struct Guests(Arc<Mutex<HashMap<SessionId, usize>>>);

/// An agent's connection, counted for as long as it lives.
struct Guest(Option<(Guests, SessionId)>);

impl Guests {
    fn admit(&self, actor: Option<&Actor>) -> Option<Guest> {
        let Some(session) = actor.and_then(Actor::session) else { return Some(Guest(None)) };
        let mut guests = self.0.lock();
        let count = guests.entry(session).or_default();
        if *count >= GUEST_CONNECTIONS {
            return None;
        }
        *count += 1;
        drop(guests);
        Some(Guest(Some((self.clone(), session))))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some((guests, session)) = &self.0 {
            let mut guests = guests.0.lock();
            if let Some(count) = guests.get_mut(session) {
                *count -= 1;
                if *count == 0 {
                    guests.remove(session);
                }
            }
        }
    }
}

fn local(stream: &UnixStream, context: &Context) -> Result<Actor, Refusal> {
    let peer = stream.peer_cred().map_err(|_| Refusal::Gone)?;
    if peer.uid() != rustix::process::geteuid().as_raw() {
        return Err(Refusal::Gone);
    }
    let pid = peer.pid().and_then(|pid| pid.try_into().ok()).ok_or(Refusal::Gone)?;
    identify(pid, context)
}

async fn connection<S>(stream: S, router: Router, peer: Peer, stop: Stop)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = tower::service_fn(move |mut request: http::Request<Incoming>| {
        request.extensions_mut().insert(peer.clone());
        let mut router = router.clone();
        async move { router.as_service().ready().await?.call(request).await }
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(HEADERS)
        .max_buf_size(HEADER_BYTES)
        // What is sent is small: copying it into one buffer costs less than listing its pieces.
        .writev(false);
    let mut served =
        std::pin::pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)));
    // A client that goes away in the middle is no concern of ours.
    tokio::select! {
        biased;
        _ = served.as_mut() => {}
        () = stop.requested() => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
}
