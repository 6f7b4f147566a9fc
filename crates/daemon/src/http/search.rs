//! Searching everything that was said.

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::id::{SessionId, ThreadId};
use paseo_core::search::{self, Class};
use paseo_core::snippet::{Keep, piece};
use paseo_core::thread::{self, Thread};
use paseo_core::time::Timestamp;
use paseo_core::{session, snippet};
use paseo_store::{Hit, Order, Piece, Search, Term, Who};
use paseo_wire::error::Code;
use paseo_wire::search::{ExcerptPiece, FoundAgent, FoundThread, SearchHit, SearchPage, SearchQuery};
use paseo_wire::words::{SearchIn, SearchKind};

use super::App;
use super::reply::Answer;
use super::request::{Asked, Caller};
use super::sessions::resolve;
use crate::failure::Failure;
use crate::threads::post_of;

/// Default number of hits.
const LIMIT: usize = 20;
/// How far into what fits best one can read: all before it is sorted for each page.
const FARTHEST: usize = 10_000;
/// How long to wait for what was acknowledged before the question came.
const PATIENCE: Duration = Duration::from_secs(2);
/// How much of an excerpt is shown around a hit, and of a hit itself, in characters.
const AROUND: usize = 120;
const HIT: usize = 80;
/// What the cursor of a list of the best starts with.
const BEST: &str = "best:";
/// Words for any person.
const PEOPLE: [&str; 4] = ["me", "user", "human", "people"];

pub(crate) async fn search(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<SearchQuery>,
) -> Answer<SearchPage> {
    let limit = query.limit.unwrap_or(LIMIT);
    if search::read(&query.q) == Err(search::Refusal::Empty) && !query.q.is_ascii() {
        // Which characters beyond ASCII are letters depends on the version of Unicode, so signs find nothing.
        return Ok(Json(SearchPage { hits: Vec::new(), next: None, behind: 0 }));
    }
    let question = Search { limit: limit + 1, ..read(&app, &by, &query).await? };
    let journal = &app.sessions.context.journal;
    let behind = app.feeder.caught_up(journal.head(), PATIENCE).await;
    let order = question.order;
    let mut found = journal.log.search(question).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = match (found.last(), order) {
        (Some(last), Order::Newest { .. }) if more => Some(last.row.to_string()),
        (Some(_), Order::Best { skip }) if more && skip + limit <= FARTHEST => {
            Some(format!("{BEST}{}", skip + limit))
        }
        _ => None,
    };
    let mut places = Places { app: &app, known: HashMap::new() };
    let mut hits = Vec::with_capacity(found.len());
    for hit in found {
        // What is deleted while it is being found is left out.
        if let Some(place) = places.of(&hit.stream).await? {
            let event = event_of(&app, &hit, &place).await?;
            hits.push(shown(hit, place, event));
        }
    }
    Ok(Json(SearchPage { hits, next, behind }))
}

/// Returns what is asked for, in the words of the store.
async fn read(app: &App, by: &Actor, query: &SearchQuery) -> Result<Search, Failure> {
    let invalid = |message: String| Failure::new(Code::InvalidRequest, message);
    let terms = search::read(&query.q).map_err(|refusal| {
        let code = match refusal {
            search::Refusal::Empty => Code::InvalidRequest,
            search::Refusal::TooLong(_) | search::Refusal::TooMany(_) => Code::TooLarge,
        };
        Failure::new(code, refusal.to_string()).hint("give one or more words, a \"phrase\", or a prefix*")
    })?;
    if query.agent.is_some() && query.thread.is_some() {
        return Err(Failure::new(Code::Conflict, "`agent` and `thread` exclude each other")
            .hint("search one agent or one thread, not both"));
    }
    let (mut stream, mut within) = (None, None);
    if let Some(typed) = &query.agent {
        stream = Some(session::stream(resolve(app, by, typed).await?));
    }
    if let Some(typed) = &query.thread {
        within = Some(app.threads.find(typed).await?);
        stream = within.as_ref().map(|thread: &Thread| thread::stream(thread.id));
    }
    let prefix = match query.within {
        None => None,
        Some(SearchIn::Agents) => Some("session/".to_owned()),
        Some(SearchIn::Threads) => Some("thread/".to_owned()),
        Some(SearchIn::Other(_)) => return Err(invalid("`in` must be `agents` or `threads`".to_owned())),
    };
    let order = match (query.after.as_deref(), query.best) {
        (None, true) => Order::Best { skip: 0 },
        (None, false) => Order::Newest { before: None },
        (Some(after), _) => cursor(after).ok_or_else(|| Failure::no_cursor(after))?,
    };
    Ok(Search {
        terms: terms.into_iter().map(|term| Term { words: term.words, prefix: term.prefix }).collect(),
        stream,
        prefix,
        classes: classes(&query.kind)?,
        who: match &query.from {
            Some(from) => who(app, by, from, within.as_ref()).await,
            None => Vec::new(),
        },
        since: query.since.map(|moment| moment.as_millis()),
        until: query.until.map(|moment| moment.as_millis()),
        place: query.directory.as_deref().map(place).transpose()?,
        order,
        limit: 0,
    })
}

/// Reads where a page goes on, which also says in which order.
fn cursor(text: &str) -> Option<Order> {
    match text.strip_prefix(BEST) {
        Some(skip) => skip.parse().ok().filter(|skip| *skip <= FARTHEST).map(|skip| Order::Best { skip }),
        None => text.parse().ok().map(|before| Order::Newest { before: Some(before) }),
    }
}

fn classes(kinds: &[SearchKind]) -> Result<Vec<String>, Failure> {
    let mut classes = Vec::new();
    for kind in kinds {
        if let SearchKind::Other(word) = kind {
            let message = format!("unknown kind `{}`", snippet::snippet(word));
            let hint = format!("use one of {}", SearchKind::WORDS.join(", "));
            return Err(Failure::new(Code::InvalidRequest, message).hint(hint));
        }
        classes.push(kind.to_string());
        // To people both are what an agent is called.
        if *kind == SearchKind::Name {
            classes.push(Class::Title.word().to_owned());
        }
    }
    Ok(classes)
}

/// Returns who may be meant: people, an agent, a participant of a thread.
async fn who(app: &App, by: &Actor, typed: &str, within: Option<&Thread>) -> Vec<Who> {
    let typed = typed.trim().trim_start_matches('@');
    if PEOPLE.iter().any(|word| typed.eq_ignore_ascii_case(word)) {
        return vec![Who::StartsWith("human:".to_owned()), Who::Is(thread::USER.to_owned())];
    }
    let mut who = vec![Who::Is(typed.to_owned())];
    if let Ok(id) = resolve(app, by, typed).await {
        who.push(Who::Is(Actor::Session(id).to_string()));
    }
    let seats = within.into_iter().flat_map(|thread| &thread.invited);
    let called = |nickname: &Option<String>| {
        nickname.as_ref().is_some_and(|name| name.to_lowercase() == typed.to_lowercase())
    };
    who.extend(seats.filter(|(_, seat)| called(&seat.profile.nickname)).map(|(id, _)| Who::Is(id.clone())));
    who
}

/// Returns a directory as agents know it. It need not be there any more.
fn place(typed: &str) -> Result<String, Failure> {
    let path = FilePath::new(typed);
    if !path.is_absolute() {
        return Err(Failure::new(Code::InvalidRequest, format!("`{typed}` is not an absolute path"))
            .hint("give the absolute path of a directory"));
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Ok(path.to_string_lossy().into_owned())
}

/// Where something was found.
#[derive(Clone)]
enum Place {
    Agent(FoundAgent),
    Thread(FoundThread),
}

/// The places of a page, each looked up once.
struct Places<'a> {
    app: &'a App,
    known: HashMap<String, Option<Place>>,
}

impl Places<'_> {
    async fn of(&mut self, stream: &str) -> Result<Option<Place>, Failure> {
        if let Some(known) = self.known.get(stream) {
            return Ok(known.clone());
        }
        let place = match (session::from_stream(stream), thread::from_stream(stream)) {
            (Some(id), _) => self.agent(id).await?.map(Place::Agent),
            (None, Some(id)) => self.thread(id).await?.map(Place::Thread),
            (None, None) => None,
        };
        self.known.insert(stream.to_owned(), place.clone());
        Ok(place)
    }

    async fn agent(&self, id: SessionId) -> Result<Option<FoundAgent>, Failure> {
        let context = &self.app.sessions.context;
        let Some(session) = context.directory.at(id, 0, &context.journal).await? else { return Ok(None) };
        let view = context.directory.view(&session);
        let name = view.name.or(view.title);
        Ok(Some(FoundAgent {
            id: view.id,
            handle: view.handle,
            name,
            status: view.status,
            project: view.project,
        }))
    }

    async fn thread(&self, id: ThreadId) -> Result<Option<FoundThread>, Failure> {
        let thread = self.app.sessions.context.journal.thread(id).await?;
        Ok(thread.map(|(thread, _)| FoundThread { id: id.into(), name: thread.name }))
    }
}

/// Returns the id of the event of a thread in which something was found.
async fn event_of(app: &App, hit: &Hit, place: &Place) -> Result<Option<String>, Failure> {
    let Place::Thread(_) = place else { return Ok(None) };
    let records = app.sessions.context.journal.log.read(hit.seq.saturating_sub(1), 1).await?;
    let record = records.first().filter(|record| record.seq == hit.seq);
    Ok(record.and_then(post_of).map(|post| post.to_string()))
}

fn shown(hit: Hit, place: Place, event: Option<String>) -> SearchHit {
    let (agent, thread) = match place {
        Place::Agent(agent) => (Some(agent), None),
        Place::Thread(thread) => (None, Some(thread)),
    };
    SearchHit {
        kind: hit.class.as_str().into(),
        who: hit.who.into(),
        at: Timestamp::from_millis(hit.ts).into(),
        agent,
        thread,
        ordinal: hit.ordinal,
        event: event.map(Into::into),
        excerpt: excerpt(&hit.excerpt),
    }
}

/// Returns an excerpt on one line. What is between two words may be long, however few words there are.
fn excerpt(pieces: &[Piece]) -> Vec<ExcerptPiece> {
    let shown = |(n, Piece { text, hit }): (usize, &Piece)| {
        let text = match (*hit, n) {
            (true, _) => piece(text, HIT, Keep::Start),
            (false, 0) => piece(text, AROUND, Keep::End),
            (false, _) => piece(text, AROUND, Keep::Start),
        };
        ExcerptPiece { text, hit: *hit }
    };
    pieces.iter().enumerate().map(shown).collect()
}
