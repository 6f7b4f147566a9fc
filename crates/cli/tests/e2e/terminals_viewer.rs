//! A viewer of a worker's terminal: what a page does, without a page.

use futures_util::{SinkExt, StreamExt};
use paseo_testkit::home::TestHome;
use paseo_wire::terminal::{BYTES, ClientFrame, Holder, PROTOCOL, ServerFrame, State};
use paseo_wire::words::TerminalRole;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue, Request};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::json;
use crate::watch::PATIENCE;
use crate::web::log_in;

/// Whoever opens sockets: a browser by its cookie, or a program by its token.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) address: String,
    pub(crate) credential: (&'static str, String),
}

impl Visitor {
    pub(crate) fn browser(home: &TestHome) -> Self {
        let answer = log_in(home);
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        Self { address: address(home), credential: ("cookie", cookie.split(';').next().unwrap().to_owned()) }
    }

    pub(crate) fn token(home: &TestHome, secret: &str) -> Self {
        Self { address: address(home), credential: ("authorization", format!("Bearer {secret}")) }
    }

    /// Returns a request for a socket, as a page of the app sends it.
    pub(crate) fn request(&self, worker: &str) -> Request<()> {
        self.request_at(&format!("/api/workers/{worker}/terminal"))
    }

    /// Returns a request for the person's own shell beside an agent.
    pub(crate) fn shell_request(&self, agent: &str) -> Request<()> {
        self.request_at(&format!("/api/sessions/{agent}/shell"))
    }

    fn request_at(&self, path: &str) -> Request<()> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().unwrap();
        let headers = request.headers_mut();
        let (name, value) = &self.credential;
        headers.insert(HeaderName::from_static(name), value.parse().unwrap());
        headers.insert("origin", format!("http://{}", self.address).parse().unwrap());
        headers.insert("sec-websocket-protocol", HeaderValue::from_static(PROTOCOL));
        request
    }

    pub(crate) async fn watch(&self, worker: &str) -> Viewer {
        open(self.request(worker)).await.unwrap_or_else(|status| panic!("refused with {status}"))
    }

    /// Opens the person's own shell beside an agent.
    pub(crate) async fn shell(&self, agent: &str) -> Viewer {
        open(self.shell_request(agent)).await.unwrap_or_else(|status| panic!("refused with {status}"))
    }
}

/// Opens a socket, or returns the HTTP status of the refusal.
pub(crate) async fn open(request: Request<()>) -> Result<Viewer, u16> {
    match connect_async(request).await {
        Ok((socket, response)) => {
            assert_eq!(response.headers()["sec-websocket-protocol"], PROTOCOL);
            Ok(Viewer::of(socket))
        }
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn address(home: &TestHome) -> String {
    let status = json(&home.paseo(&["status", "--json"]));
    status["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned()
}

/// A viewer, with what it was told last.
pub(crate) struct Viewer {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) epoch: u32,
    pub(crate) size: (u16, u16),
    pub(crate) role: TerminalRole,
    pub(crate) holder: Option<Holder>,
    pub(crate) state: Option<State>,
    pub(crate) refused: Option<String>,
    pub(crate) stalled: bool,
    /// Code and message of the end.
    pub(crate) end: Option<(u16, String)>,
    pub(crate) closed: Option<u16>,
    /// What came since the screen began.
    pub(crate) shown: Vec<u8>,
    /// It acknowledges what it draws.
    pub(crate) attentive: bool,
}

impl Viewer {
    fn of(socket: WebSocketStream<MaybeTlsStream<TcpStream>>) -> Self {
        Self {
            socket,
            epoch: 0,
            size: (0, 0),
            role: TerminalRole::View,
            holder: None,
            state: None,
            refused: None,
            stalled: false,
            end: None,
            closed: None,
            shown: Vec::new(),
            attentive: true,
        }
    }

    /// Reads until something is so.
    pub(crate) async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let reading = async {
            while !is_so(self) {
                assert!(self.step().await, "{what} never came; ended: {:?}", self.end);
            }
        };
        if timeout(PATIENCE, reading).await.is_err() {
            panic!("{what} never came; seen last: {}", self.text());
        }
    }

    /// Reads until the screen shows a text.
    pub(crate) async fn until_shown(&mut self, text: &str) {
        self.until(text, |viewer| viewer.text().contains(text)).await;
    }

    /// Reads until the socket is closed. Returns the code and the message of the last frame.
    pub(crate) async fn until_ended(&mut self) -> (u16, String) {
        let reading = async { while self.step().await {} };
        timeout(PATIENCE, reading).await.expect("the socket is closed");
        self.end.clone().expect("the last frame says why")
    }

    /// Takes in the next frame. False when there is none.
    pub(crate) async fn step(&mut self) -> bool {
        let Some(Ok(message)) = self.socket.next().await else { return false };
        match message {
            Message::Binary(bytes) => {
                assert_eq!(bytes.first(), Some(&BYTES));
                self.shown.extend_from_slice(&bytes[1..]);
                if self.attentive {
                    self.tell(&ClientFrame::Ack { epoch: self.epoch, n: self.shown.len() as u64 }).await;
                }
            }
            Message::Text(text) => match serde_json::from_str::<ServerFrame>(&text).unwrap() {
                ServerFrame::Screen { epoch, cols, rows, role, holder } => {
                    assert!(epoch > self.epoch);
                    (self.epoch, self.size, self.role, self.holder) = (epoch, (cols, rows), role, holder);
                    self.shown.clear();
                }
                ServerFrame::State(state) => {
                    self.state = Some(state);
                    self.stalled = false;
                }
                ServerFrame::Holder { holder } => self.holder = holder,
                ServerFrame::Refused { message, .. } => self.refused = Some(message),
                ServerFrame::Stalled { .. } => self.stalled = true,
                ServerFrame::End { code, message } => self.end = Some((code, message)),
            },
            Message::Close(frame) => self.closed = frame.map(|frame| frame.code.into()),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
        true
    }

    /// Returns what came since the screen began, without control sequences.
    pub(crate) fn text(&self) -> String {
        let all = String::from_utf8_lossy(&self.shown);
        let sequence =
            regex::Regex::new("\u{1b}(\\[[0-?]*[ -/]*[@-~]|[()][A-Z0-9]|[@-Z=>\\\\^_78])").unwrap();
        sequence.replace_all(&all, "").into_owned()
    }

    pub(crate) async fn tell(&mut self, frame: &ClientFrame) {
        let text = serde_json::to_string(frame).unwrap();
        // It may be closed already.
        let _ = self.socket.send(Message::text(text)).await;
    }

    pub(crate) async fn send(&mut self, message: Message) {
        let _ = self.socket.send(message).await;
    }

    /// Types.
    pub(crate) async fn keys(&mut self, keys: &str) {
        let frame = [&[BYTES][..], keys.as_bytes()].concat();
        self.send(Message::binary(frame)).await;
    }

    /// Takes over, and waits until it has the keyboard.
    pub(crate) async fn take(&mut self, fit: Option<(u16, u16)>, force: bool) {
        let (cols, rows) = fit.unwrap_or_default();
        self.tell(&ClientFrame::Take { fit: fit.is_some(), cols, rows, force }).await;
        self.until("the keyboard", |viewer| viewer.role == TerminalRole::Hold).await;
    }

    pub(crate) async fn release(&mut self) {
        self.tell(&ClientFrame::Release {}).await;
        self.until("the end of the take-over", |viewer| viewer.role == TerminalRole::View).await;
    }

    /// Goes away without a word.
    pub(crate) fn vanish(self) {
        drop(self.socket);
    }
}
