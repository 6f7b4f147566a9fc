//! Lists and the inbox do not read the log, however many agents there are.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use paseo_core::actor::Actor;
use paseo_core::id::TurnId;
use paseo_core::item::{Draft, Kind, Place, ToolCallExtra, ToolClass};
use paseo_core::label::Labels;
use paseo_core::session::{Created, Event, Outcome, Source};
use paseo_store::{
    Appended, BoxFuture, ContentRow, FilePiece, FileRow, Head, HeadRow, Hit, Indexing, Log, NewFile, Record,
    Result, Search, Side, Unclaimed, Version, Which,
};
use serde_json::Value;
use tokio::sync::watch;
use uuid::Uuid;

use super::*;
use crate::http::tests::{HOST, House};
use crate::identity::Peer;
use crate::journal::Entries;
use crate::mint;
use crate::rules::Rules;

/// A log that counts how often it is read.
struct Counted {
    log: Arc<dyn Log>,
    reads: Arc<AtomicUsize>,
}

impl Counted {
    fn read_once(&self) -> &dyn Log {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.log.as_ref()
    }
}

impl Log for Counted {
    fn append(&self, batch: Batch) -> BoxFuture<'_, Result<Appended>> {
        self.log.append(batch)
    }

    fn receipt<'a>(
        &'a self,
        scope: &'a str,
        key: &'a str,
        body: [u8; 32],
    ) -> BoxFuture<'a, Result<Option<String>>> {
        self.read_once().receipt(scope, key, body)
    }

    fn read(&self, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Record>>> {
        self.read_once().read(after, limit)
    }

    fn read_stream<'a>(
        &'a self,
        stream: &'a str,
        after: Version,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Record>>> {
        self.read_once().read_stream(stream, after, limit)
    }

    fn items<'a>(&'a self, stream: &'a str, after: u64, limit: usize) -> BoxFuture<'a, Result<Vec<ItemRow>>> {
        self.read_once().items(stream, after, limit)
    }

    fn items_of<'a>(
        &'a self,
        stream: &'a str,
        kind: &'a str,
        side: Side,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ItemRow>>> {
        self.read_once().items_of(stream, kind, side, limit)
    }

    fn items_before<'a>(
        &'a self,
        stream: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ItemRow>>> {
        self.read_once().items_before(stream, before, limit)
    }

    fn content(&self, id: Uuid) -> BoxFuture<'_, Result<Option<ContentRow>>> {
        self.read_once().content(id)
    }

    fn text(&self, id: Uuid) -> BoxFuture<'_, Result<Option<String>>> {
        self.read_once().text(id)
    }

    fn add_piece(&self, file: Uuid, bytes: Vec<u8>) -> BoxFuture<'_, Result<()>> {
        self.log.add_piece(file, bytes)
    }

    fn add_file(&self, file: NewFile) -> BoxFuture<'_, Result<()>> {
        self.log.add_file(file)
    }

    fn drop_pieces(&self, file: Uuid) -> BoxFuture<'_, Result<()>> {
        self.log.drop_pieces(file)
    }

    fn forget_files(&self, begun: i64, unclaimed: i64) -> BoxFuture<'_, Result<u64>> {
        self.log.forget_files(begun, unclaimed)
    }

    fn file(&self, id: Uuid) -> BoxFuture<'_, Result<Option<FileRow>>> {
        self.read_once().file(id)
    }

    fn file_piece(&self, id: Uuid, cursor: u64) -> BoxFuture<'_, Result<Option<FilePiece>>> {
        self.read_once().file_piece(id, cursor)
    }

    fn unclaimed_files<'a>(&'a self, actors: &'a str) -> BoxFuture<'a, Result<Unclaimed>> {
        self.read_once().unclaimed_files(actors)
    }

    fn head<'a>(&'a self, stream: &'a str) -> BoxFuture<'a, Result<Option<Head>>> {
        self.read_once().head(stream)
    }

    fn heads<'a>(
        &'a self,
        prefix: &'a str,
        which: Which,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeadRow>>> {
        self.read_once().heads(prefix, which, after, limit)
    }

    fn names<'a>(&'a self, prefix: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<String>>> {
        self.read_once().names(prefix, limit)
    }

    fn indexed(&self, version: u32) -> BoxFuture<'_, Result<Seq>> {
        self.read_once().indexed(version)
    }

    fn index(&self, indexing: Indexing) -> BoxFuture<'_, Result<bool>> {
        self.log.index(indexing)
    }

    fn search(&self, search: Search) -> BoxFuture<'_, Result<Vec<Hit>>> {
        self.read_once().search(search)
    }

    fn watch(&self) -> watch::Receiver<Seq> {
        self.log.watch()
    }

    fn close(&self) -> BoxFuture<'_, Result<()>> {
        self.log.close()
    }
}

/// A daemon whose log counts its reads.
struct Desk {
    house: House,
    token: String,
    reads: Arc<AtomicUsize>,
}

impl Desk {
    async fn new() -> Self {
        let reads = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&reads);
        let counted = |log| -> Arc<dyn Log> { Arc::new(Counted { log, reads: counter }) };
        let house = House::with_log(Arc::new(Rules), counted).await;
        let token = house.human_token().await;
        Self { house, token, reads }
    }

    /// Returns an answer, and how often the log was read for it.
    async fn get(&self, path: &str) -> (Value, usize) {
        let before = self.reads.load(Ordering::SeqCst);
        let request = Request::get(path)
            .header("host", HOST)
            .header("authorization", format!("Bearer {}", self.token))
            .extension(Peer::Network)
            .body(Body::empty())
            .unwrap();
        let bytes = self.house.ask(request).await.into_body().collect().await.unwrap().to_bytes();
        let answer = serde_json::from_slice(&bytes).unwrap();
        (answer, self.reads.load(Ordering::SeqCst) - before)
    }

    /// Stores agents that have said something and called a tool, as a daemon that is gone left them.
    async fn left_behind(&self, count: usize) {
        let context = &self.house.app.sessions.context;
        for number in 0..count {
            let id = mint::session();
            let by = Actor::Human("cli".into());
            let created = Created::plain(id, by.clone(), "scripted", "/");
            let (turn, cause) = (mint::turn(), mint::cause());
            let events = [
                Event::Created(Box::new(created.clone())),
                Event::TurnOpened { turn, cause, hop: 0, deliveries: Vec::new() },
                Event::TurnHanded { turn },
            ];
            let mut entries = Entries::by(&by).session(id, 0, &events);
            said(&mut entries, id, turn, &format!("answer {number}"));
            called(&mut entries, id, turn, "Run make");
            context.journal.log.append(entries.into_batch()).await.unwrap();
            let (session, version) = context.journal.session(id).await.unwrap().unwrap();
            context.directory.put(session, version);
        }
    }
}

fn said(entries: &mut Entries, id: SessionId, turn: TurnId, words: &str) {
    let place = Place { turn: Some(turn), ..Place::default() };
    entries.item(id, mint::item(), place, Draft::text(Kind::AssistantText, words));
}

fn called(entries: &mut Entries, id: SessionId, turn: TurnId, title: &str) {
    let place = Place { turn: Some(turn), ..Place::default() };
    let kind = Kind::ToolCall { call: "a".into(), name: "shell".into(), class: ToolClass::Execute };
    let extra = ToolCallExtra { title: title.into(), locations: Vec::new() };
    let extra = serde_json::to_string(&extra).ok();
    entries.item(id, mint::item(), place, Draft { kind, text: Some("{}".into()), extra });
}

#[tokio::test]
async fn five_hundred_agents_are_listed_without_a_read() {
    let desk = Desk::new().await;
    for _ in 0..10 {
        desk.house.labelled(Labels::default()).await;
    }
    let (few, reads) = desk.get("/api/sessions").await;
    assert_eq!((few["sessions"].as_array().unwrap().len(), reads), (10, 0));
    desk.left_behind(490).await;
    let (first, reads) = desk.get("/api/sessions").await;
    let sessions = first["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 500);
    assert_eq!(sessions.iter().filter(|session| session["step"] == "Run make").count(), 490);
    assert!(reads >= 490, "what was there before is read once: {reads}");
    for path in ["/api/sessions", "/api/inbox"] {
        let (answer, reads) = desk.get(path).await;
        assert_eq!(reads, 0, "{path}");
        assert!(answer.to_string().contains("Run make"), "{path}");
    }
    let (inbox, _) = desk.get("/api/inbox").await;
    assert_eq!(
        (inbox["counts"]["working"].as_u64(), inbox["working"].as_array().unwrap().len()),
        (Some(490), 100)
    );
}

#[tokio::test]
async fn what_is_stored_while_a_preview_is_read_is_not_lost() {
    let desk = Desk::new().await;
    desk.left_behind(1).await;
    let context = &desk.house.app.sessions.context;
    let session = context.directory.all().remove(0);
    let turn = session.turn.as_ref().unwrap().id;
    let store = async |words: &str| {
        let mut entries = Entries::by(&Actor::Daemon);
        said(&mut entries, session.id, turn, words);
        let batch = entries.into_batch();
        let next = context.previews.after(session.id, &batch);
        let Appended::New { seq, .. } = context.journal.log.append(batch).await.unwrap() else { panic!() };
        (seq, next)
    };
    // Decided before the preview was read, taken in after it.
    let (seq, next) = store("second").await;
    assert_eq!(context.preview(&session).await.said.as_deref(), Some("second"));
    context.previews.put(session.id, seq, next);
    assert!(context.previews.has_taken_in(session.id, seq));
    assert_eq!(context.preview(&session).await.said.as_deref(), Some("second"));
    assert_eq!(context.preview(&session).await.step(turn), Some("Run make"));
    // Known: nothing is read.
    let before = desk.reads.load(Ordering::SeqCst);
    let (seq, next) = store("third").await;
    context.previews.put(session.id, seq, next);
    assert_eq!(context.preview(&session).await.said.as_deref(), Some("third"));
    assert_eq!(desk.reads.load(Ordering::SeqCst), before);
}

#[tokio::test]
async fn a_closed_session_has_no_preview_in_memory() {
    let desk = Desk::new().await;
    desk.left_behind(1).await;
    let context = &desk.house.app.sessions.context;
    let session = context.directory.all().remove(0);
    let turn = session.turn.as_ref().unwrap().id;
    assert_eq!(context.preview(&session).await.said.as_deref(), Some("answer 0"));
    let mut closed = (*session).clone();
    let (outcome, source) = (Outcome::Interrupted, Source::Restart);
    closed.apply(&Event::TurnEnded { turn, outcome, source, code: None, until: None }, mint::now());
    closed.apply(&Event::Closed { source: Source::Person }, mint::now());
    context.previews.forget(session.id);
    context.directory.put(closed.clone(), u64::MAX);
    assert_eq!(*context.preview(&closed).await, Preview::default());
    assert!(context.previews.known.lock().is_empty());
    assert_eq!(read(&context.journal, &closed).await.unwrap().said.as_deref(), Some("answer 0"));
}
