//! Following the log: an event stream that survives broken connections and restarts of the daemon.

use std::collections::VecDeque;
use std::io;

use http::Method;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use paseo_wire::error::ErrorBody;
use paseo_wire::stream::{Frame, ResumeFrame};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::client::Ask;
use crate::patience::Outage;
use crate::sse::{Parser, Raw};
use crate::uri::query;
use crate::{Client, Error};

/// A reader of the event stream. Yields each stored frame once and in order, whatever happens to the
/// connection.
#[derive(Debug)]
pub struct Events {
    client: Client,
    topics: String,
    /// Everything up to here has arrived.
    arrived: u64,
    /// Everything up to here was returned; several frames may arrive at once.
    cursor: u64,
    connection: Option<Connection>,
    /// What has arrived and was not returned, each with its place in the log.
    ready: VecDeque<(u64, Frame)>,
    outage: Outage,
    /// Why nothing comes any more, once all that has arrived was returned.
    ended: Option<Box<ErrorBody>>,
}

/// What comes by a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Arrival {
    Frame(Frame),
    /// The connection is lost and tried again. Comes once for each outage.
    Lost,
}

#[derive(Debug)]
struct Connection {
    body: Incoming,
    parser: Parser,
}

#[derive(Serialize)]
struct StreamQuery<'a> {
    after: u64,
    topics: &'a str,
}

impl Client {
    /// Follows some topics (`sessions`, `session:<id>`) from a point in the log. Connects when first read.
    pub fn events<T: AsRef<str>>(&self, after: u64, topics: &[T]) -> Events {
        let topics: Vec<&str> = topics.iter().map(AsRef::as_ref).collect();
        Events {
            client: self.clone(),
            topics: topics.join(","),
            arrived: after,
            cursor: after,
            connection: None,
            ready: VecDeque::new(),
            outage: Outage::default(),
            ended: None,
        }
    }
}

impl Events {
    /// Returns the next frame; live frames come at most once but may be lost. May be cancelled.
    ///
    /// Fails when the daemon refuses, also what it allowed before, or stays away for longer than the client's patience.
    pub async fn next(&mut self) -> Result<Frame, Error> {
        loop {
            if let Arrival::Frame(frame) = self.arrival().await? {
                return Ok(frame);
            }
        }
    }

    /// Returns what comes next, as [`Events::next`] does, and tells when the connection is lost.
    pub async fn arrival(&mut self) -> Result<Arrival, Error> {
        loop {
            if let Some((seq, frame)) = self.ready.pop_front() {
                self.cursor = seq;
                return Ok(Arrival::Frame(frame));
            }
            if let Some(why) = self.ended.take() {
                self.connection = None;
                self.outage.note(Error::Api(why), self.client.patience())?;
            }
            if let Err(error) = self.advance().await {
                self.connection = None;
                let told = self.outage.lasts();
                self.outage.note(error, self.client.patience())?;
                if !told {
                    return Ok(Arrival::Lost);
                }
            }
        }
    }

    /// Returns the point in the log up to which everything was returned.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Connects or reads on, and puts what came in line.
    async fn advance(&mut self) -> Result<(), Error> {
        let Some(connection) = &mut self.connection else {
            self.outage.pause().await;
            let body = self.connect().await?;
            self.connection = Some(Connection { body, parser: Parser::default() });
            return Ok(());
        };
        let chunk = match connection.body.frame().await {
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) => return Err(self.client.broken(io::Error::other(error))),
            None => return Err(self.client.broken(io::ErrorKind::UnexpectedEof)),
        };
        self.outage = Outage::default();
        let mut events = Vec::new();
        if let Some(bytes) = chunk.data_ref() {
            connection
                .parser
                .feed(bytes, &mut events)
                .map_err(|malformed| Error::Protocol(malformed.to_string()))?;
        }
        for raw in events {
            if !self.take(raw)? {
                // Too slow: what comes is read again from where we are.
                self.connection = None;
                break;
            }
        }
        Ok(())
    }

    async fn connect(&self) -> Result<Incoming, Error> {
        let asked = StreamQuery { after: self.arrived, topics: &self.topics };
        let ask = Ask::new(Method::GET, &format!("/api/stream{}", query(&asked)))
            .header("accept", "text/event-stream")
            .header("last-event-id", &self.arrived.to_string());
        Ok(self.client.open(&ask).await?.into_body())
    }

    /// Puts an event in line, unless it was there before. False when the daemon asks to connect again.
    fn take(&mut self, raw: Raw) -> Result<bool, Error> {
        if let Some(id) = &raw.id {
            let seq: u64 =
                id.parse().map_err(|_| Error::Protocol(format!("`{id}` is not a position in the log")))?;
            if seq <= self.arrived {
                return Ok(true);
            }
            self.arrived = seq;
        }
        let frame = match raw.event.as_str() {
            _ if raw.data.is_empty() => Frame::Cursor(self.arrived),
            Frame::EVENT => Frame::Event(Box::new(parse(&raw.data)?)),
            Frame::ITEM => Frame::Item(Box::new(parse(&raw.data)?)),
            Frame::LIVE => Frame::Live(parse(&raw.data)?),
            Frame::THREAD => Frame::Thread(Box::new(parse(&raw.data)?)),
            Frame::TEAM => Frame::Team(Box::new(parse(&raw.data)?)),
            Frame::CAUSE => Frame::Cause(parse(&raw.data)?),
            Frame::RESUME => {
                parse::<ResumeFrame>(&raw.data)?;
                return Ok(false);
            }
            Frame::ENDED => {
                self.ended = Some(parse(&raw.data)?);
                return Ok(true);
            }
            // A newer daemon may have more to say.
            _ => Frame::Cursor(self.arrived),
        };
        self.ready.push_back((self.arrived, frame));
        Ok(true)
    }
}

fn parse<T: DeserializeOwned>(data: &str) -> Result<T, Error> {
    serde_json::from_str(data).map_err(|error| Error::Protocol(format!("invalid stream frame: {error}")))
}
