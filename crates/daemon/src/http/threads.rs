//! Threads: make, read, speak, control, be there.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::fold::{self, ThreadHead};
use paseo_core::id::{PostId, ThreadId};
use paseo_core::limits::{MESSAGE_BYTES, PAGE_ROWS};
use paseo_core::settings::Event as Setting;
use paseo_core::thread::{self, COORDINATOR, Presence, Shown, Thread};
use paseo_wire::error::Code;
use paseo_wire::settings::CreatedToken;
use paseo_wire::thread::{
    CreateSeatToken, CreateThread, PatchThread, PostMessage, PostedMessage, PresenceList, PresenceView,
    SayPresence, ThreadAnswer, ThreadControl, ThreadEvent, ThreadEventPage, ThreadEventQuery, ThreadPage,
    ThreadQuery, ThreadView,
};

use super::App;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path};
use super::sessions::directory;
use crate::failure::Failure;
use crate::mint;
use crate::threads::{Speaker, Words, speaks_as, view};

/// Longest word for what somebody is doing, and longest details.
const PRESENCE_CHARS: usize = 200;
/// Most tags of a message, and the longest.
const TAGS: usize = 8;
const TAG_CHARS: usize = 40;
/// Events among which something that was just posted is.
const NEWEST: usize = 8;

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<ThreadQuery>) -> Answer<ThreadPage> {
    let seq = app.sessions.context.journal.head();
    let limit = query.limit.unwrap_or(100).clamp(1, PAGE_ROWS);
    let after = query.after.as_deref().map(|after| format!("thread/{after}"));
    let heads = app.threads.list(after.as_deref(), limit).await?;
    let next = heads
        .last()
        .filter(|_| heads.len() == limit)
        .map(|last| last.stream.trim_start_matches("thread/").to_owned());
    let mut threads = Vec::with_capacity(heads.len());
    for row in &heads {
        match fold::read(&row.stream, &row.head.state).map_err(Failure::internal)? {
            ThreadHead::Thread(thread) => threads.push(view::thread(&thread)),
            ThreadHead::Deleted => {}
        }
    }
    Ok(Json(ThreadPage { seq, threads, next }))
}

pub(crate) async fn create(
    State(app): State<App>,
    Caller(by): Caller,
    key: Key,
    Body(request): Body<CreateThread>,
) -> Answer<ThreadAnswer> {
    let key = key.bind(&by, "POST /api/threads", &request);
    let place = request.directory.as_deref().map(directory).transpose()?;
    let speaker = Speaker { actor: by, id: thread::USER.to_owned(), cause: None };
    let made = app.threads.create(&speaker, &request.name, place, key).await?;
    Ok(answer(&app, &made))
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<ThreadAnswer> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    Ok(answer(&app, &thread))
}

pub(crate) async fn change(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<PatchThread>,
) -> Answer<ThreadAnswer> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    let place = request.directory.as_deref().map(directory).transpose()?;
    if let Some(place) = place {
        app.threads.relocate(&speaker, thread.id, &place).await?;
    }
    if let Some(name) = &request.name {
        app.threads.rename(&speaker, thread.id, name).await?;
    }
    Ok(answer(&app, &app.threads.get(thread.id).await?))
}

pub(crate) async fn events(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<ThreadEventQuery>,
) -> Answer<ThreadEventPage> {
    let seq = app.sessions.context.journal.head();
    let (thread, _) = entered(&app, &by, &typed).await?;
    let limit = query.limit.unwrap_or(100).clamp(1, PAGE_ROWS);
    let after = match (query.after, query.before) {
        (Some(_), Some(_)) => {
            return Err(Failure::new(Code::InvalidRequest, "`after` and `before` contradict each other")
                .hint("use one of them"));
        }
        (Some(after), None) => after,
        (None, before) => before.unwrap_or(thread.version + 1).saturating_sub(1 + limit as u64),
    };
    let until = query.before.unwrap_or(u64::MAX);
    let records = app.threads.events(thread.id, after, limit).await?;
    let read = records.len();
    let mut events = Vec::with_capacity(read);
    for (record, version) in records.iter().zip(after + 1..) {
        if version >= until {
            break;
        }
        events.extend(view::event(&app.sessions.context.journal, &thread.id.to_string(), record).await?);
    }
    let next = (read == limit && query.before.is_none()).then(|| after + read as u64);
    let earlier = (after > 0).then(|| after + 1);
    Ok(Json(ThreadEventPage { seq, thread: thread.id.to_string(), events, next, earlier }))
}

pub(crate) async fn post(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    key: Key,
    Body(request): Body<PostMessage>,
) -> Answer<PostedMessage> {
    let key = key.bind(&by, "POST /api/threads/{thread}/messages", &(&typed, &request));
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    let words = Words {
        to: request.to.unwrap_or_default(),
        text: request.text,
        reply_to: request.reply_to.as_deref().map(post_id).transpose()?,
        tags: request.tags,
    };
    let event = say(&app, &thread, &speaker, &words, key).await?;
    Ok(Json(PostedMessage { seq: app.sessions.context.journal.head(), event }))
}

/// Says something, and returns it as it is stored.
pub(super) async fn say(
    app: &App,
    thread: &Thread,
    speaker: &Speaker,
    words: &Words,
    key: Option<crate::sessions::RequestKey>,
) -> Result<ThreadEvent, Failure> {
    if words.text.len() > MESSAGE_BYTES {
        return Err(Failure::new(
            Code::TooLarge,
            format!("a message has at most {} KB", MESSAGE_BYTES / 1024),
        ));
    }
    let plain = |tag: &String| {
        !tag.is_empty()
            && tag.chars().count() <= TAG_CHARS
            && !tag.chars().any(|c| c.is_control() || c.is_whitespace())
    };
    if words.tags.len() > TAGS || !words.tags.iter().all(plain) {
        return Err(Failure::new(
            Code::InvalidRequest,
            format!("a message has at most {TAGS} tags of at most {TAG_CHARS} plain characters"),
        ));
    }
    let post = app.threads.post(speaker, thread.id, words, key).await?;
    stored(app, thread.id, post).await
}

pub(crate) async fn control(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(ThreadControl(content)): Body<ThreadControl>,
) -> Answer<ThreadAnswer> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    app.threads.control(&speaker, thread.id, &content).await?;
    Ok(answer(&app, &app.threads.get(thread.id).await?))
}

pub(crate) async fn presence(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<PresenceList> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    Ok(Json(attending(&app, &thread)))
}

pub(crate) async fn say_presence(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<SayPresence>,
) -> Answer<PresenceList> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    be_there(&app, &thread, &speaker.id, &request.state, request.details)?;
    Ok(Json(attending(&app, &thread)))
}

/// Takes in what somebody says that they are doing.
pub(super) fn be_there(
    app: &App,
    thread: &Thread,
    who: &str,
    state: &str,
    details: Option<String>,
) -> Result<(), Failure> {
    let plain = |text: &str| text.chars().count() <= PRESENCE_CHARS && !text.chars().any(char::is_control);
    if state.trim().is_empty() || !plain(state) || !details.as_deref().is_none_or(plain) {
        return Err(Failure::new(
            Code::InvalidRequest,
            format!(
                "`state` is a word like listening, thinking, typing or idle, of at most {PRESENCE_CHARS} characters"
            ),
        ));
    }
    app.threads.attendance.says(thread.id, who, state, details);
    Ok(())
}

/// Returns who is there: those who said so, and those who were invited.
pub(super) fn attending(app: &App, thread: &Thread) -> PresenceList {
    let (mut said, now) = (app.threads.attendance.said(thread.id), mint::now());
    let view = |id: &str, presence: Option<&Presence>, shown: Shown| PresenceView {
        id: id.to_owned(),
        state: shown.state,
        updated_at: presence.map(|presence| presence.updated_at.into()),
        stale: shown.stale,
        details: shown.details,
    };
    let mut participants: Vec<PresenceView> = thread
        .invited
        .iter()
        .map(|(id, seat)| {
            let said = said.remove(id);
            view(id, said.as_ref(), thread::seen(seat, said.as_ref(), now))
        })
        .collect();
    participants.extend(said.iter().map(|(id, said)| view(id, Some(said), thread::shown(Some(said), now))));
    // The coordinator is there as long as the daemon is.
    let coordinator = Presence::says(None, "listening", None, now);
    participants.push(view(COORDINATOR, Some(&coordinator), thread::shown(Some(&coordinator), now)));
    participants.sort_by(|one, other| one.id.cmp(&other.id));
    PresenceList { thread: thread.id.to_string(), ttl_seconds: thread::TTL, participants }
}

pub(crate) async fn create_token(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<CreateSeatToken>,
) -> Answer<CreatedToken> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let participant = request.participant;
    thread::check_name(&participant)
        .map_err(|refused| Failure::new(Code::InvalidRequest, refused.to_string()))?;
    let (token, secret) = (mint::token(), mint::secret().map_err(Failure::internal)?);
    let actor = Actor::Seat(format!("{}/{participant}", thread.id));
    let name = format!("{participant} in {}", thread.name);
    let sha256 = mint::hex(&mint::sha256(secret.as_bytes()));
    let event = Setting::TokenCreated { token, name: name.clone(), actor: actor.clone(), sha256 };
    let context = &app.sessions.context;
    context.settings.change(&context.journal, &by, event).await?;
    Ok(Json(CreatedToken { id: token.to_string(), name, actor: actor.to_string(), secret }))
}

/// Finds a thread by its id or its name, and as whom the caller is in it.
pub(super) async fn entered(app: &App, by: &Actor, typed: &str) -> Result<(Thread, Speaker), Failure> {
    let found = find(app, typed).await;
    // Whoever has no seat is not told whether there is such a thread.
    let seat = found.as_ref().ok().and_then(|thread| speaks_as(thread, by));
    let (thread, id) = match (found, seat) {
        (Ok(thread), Some(id)) => (thread, id),
        (Err(failure), _) if by.is_human() => return Err(failure),
        _ => {
            return Err(Failure::new(Code::Forbidden, "you have no seat in such a thread")
                .hint("ask a person to invite you"));
        }
    };
    let cause = match by.session() {
        Some(session) => app.sessions.context.turn_cause(session),
        None => None,
    };
    Ok((thread, Speaker { actor: by.clone(), id, cause }))
}

async fn find(app: &App, typed: &str) -> Result<Thread, Failure> {
    if let Ok(id) = typed.parse::<ThreadId>() {
        return app.threads.get(id).await;
    }
    let found = app.threads.named(typed).await?;
    match found.as_slice() {
        [one] => app.threads.get(*one).await,
        [] => {
            Err(Failure::new(Code::NotFound, "there is no such thread").hint("`paseo thread ls` lists them"))
        }
        several => Err(Failure::new(Code::Ambiguous, format!("{} threads are called that", several.len()))
            .hint("name it by its id: `paseo thread ls` shows them")),
    }
}

pub(super) fn post_id(text: &str) -> Result<PostId, Failure> {
    text.parse().map_err(|_| {
        Failure::new(Code::InvalidRequest, "`reply_to` is not the id of a message")
            .hint("ids are in the events")
    })
}

pub(super) async fn stored(app: &App, thread: ThreadId, post: PostId) -> Result<ThreadEvent, Failure> {
    // What was just posted is among the newest; a repeat may be of long ago.
    let (mut before, mut rows) = (app.threads.version(thread).await?, NEWEST);
    loop {
        let after = before.saturating_sub(rows as u64);
        for record in &app.threads.events(thread, after, rows).await? {
            let event = view::event(&app.sessions.context.journal, &thread.to_string(), record).await?;
            if let Some(event) = event.filter(|event| event.id == post.to_string()) {
                return Ok(event);
            }
        }
        if after == 0 {
            return Err(Failure::internal("what was said is not in the thread"));
        }
        (before, rows) = (after, PAGE_ROWS);
    }
}

fn answer(app: &App, thread: &Thread) -> Json<ThreadAnswer> {
    let thread: ThreadView = view::thread(thread);
    Json(ThreadAnswer { seq: app.sessions.context.journal.head(), thread })
}
