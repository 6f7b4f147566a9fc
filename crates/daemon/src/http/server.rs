//! The listeners: a Unix socket for this machine's user, TCP for browsers and tokens.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use paseo_core::actor::Actor;
use paseo_core::ancestry::Refusal;
use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tower::{Service, ServiceExt};

use super::connections::{Connection, Connections, Kind};
use super::gate::sealed;
use super::reserve::{Loan, Reserve};
use super::routes::is_streamed;
use super::transport::{Pieces, Socket, Timely};
use crate::failure::Failure;
use crate::identity::{Peer, identify};
use crate::sessions::Context;
use crate::stop::Stop;

/// How long a client may take to send its headers, and to begin the next request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Most headers, and most bytes of them.
const HEADERS: usize = 64;
const HEADER_BYTES: usize = 32 * 1024;
/// Clients that are told at the same time why they are refused, and how long each may take to listen.
const REFUSALS: usize = 64;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
/// How long open requests may take to end when the daemon stops.
const GRACE: Duration = Duration::from_secs(2);
/// How long to wait when no connection can be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// What the daemon listens on.
pub(crate) struct Listeners {
    pub(crate) unix: UnixListener,
    pub(crate) tcp: TcpListener,
}

/// Serves until `stop` turns true, then lets open requests end.
pub(crate) async fn serve(
    listeners: Listeners,
    router: Router,
    connections: Connections,
    context: Arc<Context>,
    stop: Stop,
) {
    let (open, mut all_ended) = mpsc::channel(1);
    let reserve = Reserve::new();
    let host =
        Host { router, connections, reserve, stop, refusals: Arc::new(Semaphore::new(REFUSALS)), open };
    // What the next connection needs when there are no other file descriptors.
    let mut loan = None;
    loop {
        let failed = tokio::select! {
            accepted = listeners.unix.accept() => match accepted {
                Ok((stream, _)) => {
                    let (host, context) = (host.clone(), Arc::clone(&context));
                    let mut loan = loan.take();
                    tokio::spawn(async move {
                        let mut actor = local(&stream, &context);
                        // Identifying a caller means reading files. The connection itself may have taken the last
                        // descriptor.
                        if actor.is_err() && loan.is_none() && Reserve::is_needed() {
                            loan = host.reserve.lend();
                            actor = local(&stream, &context);
                        }
                        let kind = actor.as_ref().map_or(Kind::Stranger, |actor| Kind::of(actor, false));
                        host.receive(stream, Peer::Local(actor), kind, loan).await;
                    });
                    continue;
                }
                Err(error) => error,
            },
            accepted = listeners.tcp.accept() => match accepted {
                Ok((stream, _)) => {
                    // Small frames shall not wait for each other.
                    let _ = stream.set_nodelay(true);
                    let host = host.clone();
                    let loan = loan.take();
                    tokio::spawn(async move {
                        host.receive(stream, Peer::Network, Kind::Stranger, loan).await;
                    });
                    continue;
                }
                Err(error) => error,
            },
            () = host.stop.requested() => break,
        };
        loan = host.make_room(&failed);
        if loan.is_none() {
            tokio::time::sleep(PAUSE).await;
        }
    }
    drop((listeners, host));
    let _ = tokio::time::timeout(GRACE, all_ended.recv()).await;
}

/// Held by what outlives the connection that it came over: a WebSocket. The listeners wait for it, too.
#[derive(Clone)]
pub(super) struct Lasting {
    _open: mpsc::Sender<Infallible>,
}

/// What every connection is served with. Cheap to clone.
#[derive(Clone)]
struct Host {
    router: Router,
    connections: Connections,
    reserve: Reserve,
    stop: Stop,
    refusals: Arc<Semaphore>,
    /// Dropped with the last connection.
    open: mpsc::Sender<Infallible>,
}

impl Host {
    /// Serves a connection, or says why not.
    async fn receive<S>(&self, stream: S, peer: Peer, kind: Kind, loan: Option<Loan>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match self.connections.admit(kind, loan.is_some()) {
            Ok(connection) => self.connection(stream, peer, Arc::new(connection)).await,
            Err(failure) => self.refuse(stream, failure).await,
        }
        drop(loan);
        self.reserve.refill();
    }

    async fn connection<S>(&self, stream: S, peer: Peer, connection: Arc<Connection>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (router, of) = (self.router.clone(), Arc::clone(&connection));
        let open = Lasting { _open: self.open.clone() };
        let service = tower::service_fn(move |request: http::Request<Incoming>| {
            let is_file = is_streamed(request.uri().path());
            let mut request = request.map(|body| Timely::new(body, is_file));
            request.extensions_mut().insert(peer.clone());
            request.extensions_mut().insert(Arc::clone(&of));
            request.extensions_mut().insert(open.clone());
            let (mut router, of) = (router.clone(), Arc::clone(&of));
            async move {
                let response = router.as_service().ready().await?.call(request).await?;
                Ok::<_, Infallible>(response.map(|body| Pieces::new(body, of)))
            }
        });
        let socket = TokioIo::new(Socket::new(stream, Arc::clone(&connection)));
        let served = builder().serve_connection(socket, TowerToHyperService::new(service));
        let mut served = std::pin::pin!(served.with_upgrades());
        // A client that goes away in the middle is no concern of ours.
        tokio::select! {
            biased;
            () = connection.state.closing() => {}
            _ = served.as_mut() => {}
            () = self.stop.requested() => {
                served.as_mut().graceful_shutdown();
                let _ = served.await;
            }
        }
    }

    /// Answers one request with a refusal, whatever it is.
    async fn refuse<S>(&self, stream: S, failure: Failure)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Ok(_permit) = self.refusals.try_acquire() else { return };
        let service = tower::service_fn(move |_: http::Request<Incoming>| {
            let response = sealed(failure.clone().into_response());
            async move { Ok::<_, Infallible>(response) }
        });
        let mut builder = builder();
        builder.keep_alive(false);
        let served = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let _ = tokio::time::timeout(REFUSAL_TIMEOUT, served).await;
    }

    /// Makes room for a connection that could not be accepted. `None` when there is nothing to be done but wait.
    fn make_room(&self, error: &io::Error) -> Option<Loan> {
        let out_of_files = [Errno::MFILE, Errno::NFILE].map(|errno| Some(errno.raw_os_error()));
        if !out_of_files.contains(&error.raw_os_error()) {
            return None;
        }
        self.connections.displace_stranger();
        self.reserve.lend()
    }
}

fn builder() -> hyper::server::conn::http1::Builder {
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(HEADERS)
        .max_header_size(HEADER_BYTES)
        .max_buf_size(HEADER_BYTES)
        // What is sent is small: copying it into one buffer costs less than listing its pieces.
        .writev(false);
    builder
}

fn local(stream: &UnixStream, context: &Context) -> Result<Actor, Refusal> {
    let peer = stream.peer_cred().map_err(|_| Refusal::Gone)?;
    if peer.uid() != rustix::process::geteuid().as_raw() {
        return Err(Refusal::Gone);
    }
    let pid = peer.pid().and_then(|pid| pid.try_into().ok()).ok_or(Refusal::Gone)?;
    identify(pid, context)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use paseo_core::id::SessionId;
    use paseo_core::item::{self, Entry, Place};
    use paseo_core::session;
    use paseo_store::{Batch, NewContent, NewItem};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::Instant;
    use uuid::Uuid;

    use super::*;
    use crate::http::tests::House;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!((HEADERS, HEADER_BYTES, HEADER_TIMEOUT.as_secs()), (64, 32_768, 10));
    }

    /// The other end of a connection, with a socket buffer of so many bytes.
    fn connect(house: &House, peer: Peer, buffer: usize) -> DuplexStream {
        let (ours, theirs) = duplex(buffer);
        let host = Host {
            router: crate::http::router(house.app.clone()),
            connections: house.app.connections.clone(),
            reserve: Reserve::new(),
            stop: house.app.stop.clone(),
            refusals: Arc::new(Semaphore::new(1)),
            open: mpsc::channel(1).0,
        };
        let kind = match &peer {
            Peer::Local(Ok(actor)) => Kind::of(actor, false),
            Peer::Local(Err(_)) | Peer::Network => Kind::Stranger,
        };
        tokio::spawn(async move { host.receive(ours, peer, kind, None).await });
        theirs
    }

    /// Sends a request and returns everything that comes back until the connection is closed.
    async fn answer(house: &House, request: &str) -> String {
        let mut client = connect(house, Peer::Network, 1024 * 1024);
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    }

    fn status(answer: &str) -> &str {
        answer.get(9..12).unwrap_or(answer)
    }

    #[tokio::test]
    async fn headers_are_few_and_short() {
        let house = House::new().await;
        let with = |name: &str, count: usize, length: usize| {
            let mut request =
                "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:6767\r\nconnection: close\r\n".to_owned();
            for number in 0..count {
                write!(request, "{name}-{number}: {}\r\n", "x".repeat(length)).unwrap();
            }
            request + "\r\n"
        };
        assert_eq!(status(&answer(&house, &with("x", 62, 10)).await), "200");
        assert_eq!(status(&answer(&house, &with("x", 63, 10)).await), "431");
        assert_eq!(status(&answer(&house, &with("x", 1, 32_000)).await), "200");
        assert_eq!(status(&answer(&house, &with("x", 1, 32_800)).await), "431");
        assert_eq!(status(&answer(&house, &with("x", 4, 30_000)).await), "431");
    }

    #[tokio::test]
    async fn a_target_may_not_name_another_host() {
        let house = House::new().await;
        for (host, expected) in [("127.0.0.1:6767", "200"), ("evil.example", "421")] {
            let request = format!(
                "GET http://{host}/healthz HTTP/1.1\r\nhost: 127.0.0.1:6767\r\nconnection: close\r\n\r\n"
            );
            assert_eq!(status(&answer(&house, &request).await), expected, "{host}");
        }
    }

    #[tokio::test]
    async fn a_client_without_a_credential_sends_little() {
        let house = House::new().await;
        for (length, expected) in [(16_000, "401"), (17_000, "413")] {
            let body = format!(r#"{{"code":"{}"}}"#, "x".repeat(length));
            let request = format!(
                "POST /api/login HTTP/1.1\r\nhost: 127.0.0.1:6767\r\ncontent-type: application/json\r\n\
                 connection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            let answer = answer(&house, &request).await;
            assert_eq!(status(&answer), expected, "{answer}");
            assert_eq!(answer.contains("larger than 16 KB"), expected == "413", "{answer}");
        }
    }

    #[tokio::test]
    async fn headers_and_bodies_that_do_not_arrive_are_not_waited_for() {
        let house = House::new().await;
        tokio::time::pause();
        let begin = Instant::now();
        let nothing = answer(&house, "GET /healthz HTTP/1.1\r\nhost: ").await;
        assert_eq!((nothing.as_str(), begin.elapsed().as_secs()), ("", 10));
        let begin = Instant::now();
        let request = "POST /api/login HTTP/1.1\r\nhost: 127.0.0.1:6767\r\ncontent-type: application/json\r\n\
                       content-length: 100\r\n\r\n{\"code\":";
        let late = answer(&house, request).await;
        assert!(status(&late) == "400" && late.contains("did not arrive within 30 seconds"), "{late}");
        assert!((30..=45).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
    }

    #[tokio::test]
    async fn an_answer_that_nobody_reads_is_given_up() {
        let house = House::new().await;
        let person = Peer::Local(Ok(Actor::Human("cli".into())));
        let mut client = connect(&house, person, 1024);
        client.write_all(b"GET /api/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        client.read_exact(&mut [0; 16]).await.unwrap();
        tokio::time::pause();
        let begin = Instant::now();
        tokio::time::sleep(Duration::from_secs(31)).await;
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.unwrap();
        assert!(rest.len() <= 1024, "{} bytes waited for it", rest.len());
        assert_eq!(begin.elapsed().as_secs(), 31);
    }

    #[tokio::test]
    async fn strangers_do_not_keep_each_other_out() {
        let house = House::new().await;
        let mut slow = Vec::new();
        for _ in 0..2_000 {
            let mut client = connect(&house, Peer::Network, 1024);
            client.write_all(b"GET /healthz HTTP/1.1\r\nhost: ").await.unwrap();
            slow.push(client);
            tokio::task::yield_now().await;
        }
        let request = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:6767\r\nconnection: close\r\n\r\n";
        assert_eq!(status(&answer(&house, request).await), "200");
        let mut closed = Vec::new();
        slow[0].read_to_end(&mut closed).await.unwrap();
    }

    /// Stores something that an agent said.
    async fn store(house: &House, session: SessionId, text: &str) {
        let place = Place { step: 1, ..Place::default() };
        let entry = Entry { place, kind: item::Kind::AssistantText };
        let (stream, content) = (session::stream(session), Uuid::now_v7());
        let said = NewContent { id: content, owner: stream.clone(), text: text.to_owned(), extra: None };
        let item = NewItem {
            stream,
            id: Uuid::now_v7(),
            kind: entry.kind.word().to_owned(),
            v: 1,
            data: serde_json::to_string(&entry).unwrap(),
            content: Some(content),
        };
        let (actor, contents, items) = (Actor::Daemon.to_string(), vec![said], vec![item]);
        let batch = Batch { actor, contents, items, ..Batch::default() };
        house.app.sessions.context.journal.log.append(batch).await.unwrap();
    }

    #[tokio::test]
    async fn a_reader_that_stalls_with_something_long_is_dropped_and_one_with_something_short_is_not() {
        let house = House::new().await;
        tokio::spawn(house.app.tail.clone().follow(house.app.stop.clone()));
        // On the wire each of these characters has six.
        for (length, is_dropped) in [(10_000, false), (20_000, true)] {
            let session = house.session().await.session.id.parse().unwrap();
            let after = house.app.sessions.context.journal.head();
            store(&house, session, &"\u{1}".repeat(length)).await;
            let mut reader = connect(&house, Peer::Local(Ok(Actor::Human("cli".into()))), 1024);
            let request = format!(
                "GET /api/stream?topics=session:{session}&after={after} HTTP/1.1\r\nhost: localhost\r\n\r\n"
            );
            reader.write_all(request.as_bytes()).await.unwrap();
            let before = house.app.connections.waiting();
            while house.app.connections.waiting() == before {
                tokio::task::yield_now().await;
            }
            tokio::time::pause();
            tokio::time::sleep(Duration::from_secs(3600)).await;
            tokio::time::resume();
            let (mut received, mut buffer) = (0, [0; 4096]);
            while received < length {
                let read = reader.read(&mut buffer).await.unwrap();
                if read == 0 {
                    break;
                }
                received += read;
            }
            assert_eq!(received < length, is_dropped, "{received} of {length}");
        }
    }

    /// Returns the numbers of the events that arrived whole.
    fn ids(received: &str) -> Vec<u64> {
        let whole = received.rfind("\n\n").map_or("", |end| &received[..end]);
        whole.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect()
    }

    #[tokio::test]
    async fn a_reader_that_is_dropped_resumes_from_the_last_id_that_it_received() {
        let house = House::new().await;
        tokio::spawn(house.app.tail.clone().follow(house.app.stop.clone()));
        for _ in 0..12 {
            house.session().await;
        }
        let all = house.app.sessions.context.journal.log.read(0, 500).await.unwrap();
        let all = all.iter().filter(|record| record.stream.starts_with("session/")).map(|record| record.seq);
        let all: Vec<u64> = all.collect();
        let head = *all.last().unwrap();
        let open = async |after: u64, buffer: usize| {
            let mut client = connect(&house, Peer::Local(Ok(Actor::Human("cli".into()))), buffer);
            let request = format!(
                "GET /api/stream?topics=sessions HTTP/1.1\r\nhost: localhost\r\nlast-event-id: {after}\r\n\r\n"
            );
            client.write_all(request.as_bytes()).await.unwrap();
            client
        };
        let mut stalled = open(0, 4096).await;
        stalled.read_exact(&mut [0; 16]).await.unwrap();
        // Until bytes wait for it, beside the frames that are kept for all readers.
        while house.app.connections.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let full = house.app.tail.buffers.count(vec![0; 64 * 1024 * 1024]);
        let request = "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:6767\r\nconnection: close\r\n\r\n";
        assert_eq!(status(&answer(&house, request).await), "200");
        drop(full);
        let mut received = String::new();
        stalled.read_to_string(&mut received).await.unwrap();
        let first = ids(&received);
        let last = first.last().copied().unwrap_or(0);
        assert!(last < head, "it got everything: {last} of {head}");

        let mut resumed = open(last, 1024 * 1024).await;
        let (mut received, mut buffer) = (String::new(), [0; 4096]);
        while ids(&received).last().is_none_or(|last| *last < head) {
            let read = resumed.read(&mut buffer).await.unwrap();
            received.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
        }
        let seen = [first, ids(&received)].concat();
        assert!(seen.is_sorted_by(|one, next| one < next), "{seen:?}");
        assert_eq!(seen, all);
    }
}
