//! Threads: make, read, speak, control, be there.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::fold::{self, ThreadHead};
use paseo_core::id::{PostId, ThreadId};
use paseo_core::settings::Event as Setting;
use paseo_core::thread::{self, Profile, Thread};
use paseo_wire::error::Code;
use paseo_wire::id as wire;
use paseo_wire::page::PageQuery;
use paseo_wire::past::PastQuery;
use paseo_wire::session::ForceQuery;
use paseo_wire::settings::CreatedToken;
use paseo_wire::thread::{
    CreateParticipantToken, CreateThread, HeldList, HeldReply, NotWoken, ParticipantIdQuery, PatchThread,
    PostMessage, PostedMessage, PresenceList, SayPresence, SeenMessages, SuggestedParticipantId,
    ThreadAnswer, ThreadControl, ThreadEvent, ThreadEventPage, ThreadEventQuery, ThreadPage, ThreadQuery,
    ThreadView, WakePreview,
};

use super::App;
use super::bridge::PAGE_BYTES;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Key, Path};
use super::sessions::directory;
use crate::directory::shown as as_typed;
use crate::failure::Failure;
use crate::mint;
use crate::past;
use crate::threads::{Speaker, Weighed, Words, view};

/// Longest presence state, and longest details: clients of the bridge send a whole profile.
const PRESENCE_CHARS: usize = 200;
const DETAILS_CHARS: usize = 1000;

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<ThreadQuery>) -> Answer<ThreadPage> {
    let seq = app.sessions.context.journal.head();
    let limit = query.limit.unwrap_or(100);
    let after = query.after.as_ref().map(cursor).transpose()?;
    let heads = app.threads.list(after.as_deref(), limit).await?;
    let next = heads
        .last()
        .filter(|_| heads.len() == limit)
        .map(|last| last.stream.trim_start_matches("thread/").to_owned());
    let mut threads = Vec::with_capacity(heads.len());
    for row in &heads {
        match fold::read(&row.stream, &row.head.state).map_err(Failure::internal)? {
            ThreadHead::Thread(thread) => threads.push(shown(&app, &thread).await?),
            ThreadHead::Deleted => {}
        }
    }
    Ok(Json(ThreadPage { seq, threads, next }))
}

/// Returns the stream after which a page of threads begins.
pub(super) fn cursor(after: &wire::ThreadId) -> Result<String, Failure> {
    let id: ThreadId = after.parse().map_err(|_| Failure::no_cursor(after))?;
    Ok(thread::stream(id))
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
    answer(&app, &made).await
}

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(PastQuery { at, version }): Asked<PastQuery>,
) -> Answer<ThreadAnswer> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let Some(point) = past::point(at, version)? else { return answer(&app, &thread).await };
    let past = past::read(&app.sessions.context.journal, &thread, &thread.id, point).await?;
    let mut view = shown(&app, &past).await?;
    // The status of a session is known only for the present.
    view.state.participants.invited.iter_mut().for_each(|seat| seat.status = None);
    let seq = app.sessions.context.journal.head();
    Ok(Json(ThreadAnswer { seq, thread: view, unchanged: false, notices: Vec::new() }))
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
    answer(&app, &app.threads.get(thread.id).await?).await
}

pub(crate) async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(ForceQuery { force }): Asked<ForceQuery>,
) -> Answer<ThreadAnswer> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    answer(&app, &app.threads.delete(&speaker, thread.id, force).await?).await
}

pub(crate) async fn events(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<ThreadEventQuery>,
) -> Answer<ThreadEventPage> {
    let seq = app.sessions.context.journal.head();
    let (thread, _) = entered(&app, &by, &typed).await?;
    let limit = query.limit.unwrap_or(100);
    let from = match &query.from {
        Some(from) => {
            let place = app.threads.place(thread.id, post_id(from)?).await?;
            let unknown = || {
                Failure::new(Code::NotFound, format!("message `{}` not found in this thread", as_typed(from)))
                    .hint("run `paseo thread tail THREAD --ids` to see the ids")
            };
            Some(place.ok_or_else(unknown)? - 1)
        }
        None => None,
    };
    // A cursor beyond the end reads nothing and continues with the next event.
    let start = query.after.map(|after| after.min(thread.version)).max(from);
    let last = query.before.map_or(thread.version, |before| before.saturating_sub(1).min(thread.version));
    let page = match start {
        Some(start) => onward(&app, &thread, start, last, limit).await?,
        None => newest(&app, &thread, last, limit).await?,
    };
    let Page { events, next, earlier } = page;
    Ok(Json(ThreadEventPage { seq, thread: thread.id.into(), events, next, earlier }))
}

/// Some of what happened in a thread, the oldest first.
struct Page {
    events: Vec<ThreadEvent>,
    next: Option<u64>,
    earlier: Option<u64>,
}

/// Reads on after a version, up to the last one.
async fn onward(app: &App, thread: &Thread, after: u64, last: u64, limit: usize) -> Result<Page, Failure> {
    let (id, journal) = (thread.id.to_string(), &app.sessions.context.journal);
    let (mut events, mut bytes, mut reached) = (Vec::new(), 0, after);
    for record in &app.threads.events(thread.id, after, limit).await? {
        if reached >= last {
            break;
        }
        reached += 1;
        let Some(event) = view::event(journal, &id, record).await? else { continue };
        bytes += weight(&event);
        events.push(event);
        if bytes >= PAGE_BYTES {
            break;
        }
    }
    let next = (reached < last).then_some(reached);
    Ok(Page { events, next, earlier: (after > 0).then(|| after + 1) })
}

/// Reads back from a version on, until there is enough that people see.
async fn newest(app: &App, thread: &Thread, last: u64, limit: usize) -> Result<Page, Failure> {
    let (id, journal) = (thread.id.to_string(), &app.sessions.context.journal);
    let (mut events, mut bytes, mut end) = (Vec::new(), 0, last);
    'enough: while end > 0 {
        let start = end.saturating_sub(limit as u64);
        let records = app.threads.events(thread.id, start, limit.min((end - start) as usize)).await?;
        for record in records.iter().rev() {
            let Some(event) = view::event(journal, &id, record).await? else { continue };
            bytes += weight(&event);
            events.push(event);
            if events.len() == limit || bytes >= PAGE_BYTES {
                break 'enough;
            }
        }
        end = start;
    }
    events.reverse();
    // The first event of a thread is that it was made, which everybody sees.
    let earlier = events.first().map(|first| first.version).filter(|first| *first > 1);
    Ok(Page { events, next: None, earlier })
}

fn weight(event: &ThreadEvent) -> usize {
    event.text().len()
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
    let words = words(&app, &thread, request).await?;
    let event = say(&app, &thread, &speaker, &words, key).await?;
    let unwoken = app.threads.unwoken(&thread, &speaker, &words);
    let notices = app.threads.notices(&thread, &event.meta.wakes);
    Ok(Json(PostedMessage { seq: app.sessions.context.journal.head(), event, unwoken, notices }))
}

/// Says whom a message would wake, and why it would not wake the others.
pub(crate) async fn wakes(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<PostMessage>,
) -> Answer<WakePreview> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    let words = words(&app, &thread, request).await?;
    let Weighed { posted, asleep, remarks } = app.threads.weigh(&speaker, thread.id, &words).await?;
    let notices = app.threads.notices(&thread, &posted.wakes);
    let not_woken =
        asleep.into_iter().map(|(id, why)| NotWoken { participant: id.into(), reason: why.into() }).collect();
    let wakes = posted.wakes.into_iter().map(Into::into).collect();
    Ok(Json(WakePreview { thread: thread.id.into(), to: posted.to, wakes, not_woken, remarks, notices }))
}

async fn words(app: &App, thread: &Thread, request: PostMessage) -> Result<Words, Failure> {
    let reply_to = match request.reply_to.as_deref() {
        Some(typed) => Some(app.threads.said(thread.id, typed).await?.0),
        None => None,
    };
    Ok(Words { to: request.to.unwrap_or_default(), text: request.text, reply_to, tags: request.tags })
}

/// Says something, and returns it as it is stored.
pub(super) async fn say(
    app: &App,
    thread: &Thread,
    speaker: &Speaker,
    words: &Words,
    key: Option<crate::sessions::RequestKey>,
) -> Result<ThreadEvent, Failure> {
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
    if by.is_human() {
        app.threads.check_client(&thread, &content)?;
        // What is so already is nothing that happened. (In the bridge protocol every control is an event.)
        let others = app.threads.others(thread.id);
        if thread::control(&thread, &content, &others).is_ok_and(|control| control.is_so(&thread)) {
            let Json(answer) = answer(&app, &thread).await?;
            return Ok(Json(ThreadAnswer { unchanged: true, ..answer }));
        }
    }
    app.threads.control(&speaker, thread.id, &content).await?;
    answer(&app, &app.threads.get(thread.id).await?).await
}

pub(crate) async fn looked(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(SeenMessages { messages }): Body<SeenMessages>,
) -> Answer<ThreadAnswer> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let is_new = app.threads.looked(&by, thread.id, messages).await?;
    let Json(answer) = answer(&app, &app.threads.get(thread.id).await?).await?;
    Ok(Json(ThreadAnswer { unchanged: !is_new, ..answer }))
}

pub(crate) async fn held(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<PageQuery>,
) -> Answer<HeldList> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let mut replies = Vec::with_capacity(thread.held.len());
    for held in &thread.held {
        let text = app.sessions.context.journal.log.text(held.text.id.uuid()).await?.unwrap_or_default();
        let (participant, reply_to) = (held.seat.as_str().into(), held.reply_to.into());
        replies.push(HeldReply { participant, reply_to, reason: held.why.into(), text });
    }
    HeldList { thread: thread.id.into(), replies, next: None }.asked(&query).map(Json)
}

/// Suggests an id for a new participant.
pub(crate) async fn participant_id(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(ParticipantIdQuery { client }): Asked<ParticipantIdQuery>,
) -> Answer<SuggestedParticipantId> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let profile = Profile { client, ..Profile::default() };
    let id = thread::free_id(&thread, &profile, &app.threads.others(thread.id));
    Ok(Json(SuggestedParticipantId { id: id.into() }))
}

pub(crate) async fn presence(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<PageQuery>,
) -> Answer<PresenceList> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    app.threads.attending(&thread).asked(&query).map(Json)
}

pub(crate) async fn say_presence(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<SayPresence>,
) -> Answer<PresenceList> {
    let (thread, speaker) = entered(&app, &by, &typed).await?;
    be_there(&app, &thread, &speaker.id, request.state.as_str(), request.details)?;
    Ok(Json(app.threads.attending(&thread)))
}

/// Stores the presence that a participant reports.
pub(super) fn be_there(
    app: &App,
    thread: &Thread,
    who: &str,
    state: &str,
    details: Option<String>,
) -> Result<(), Failure> {
    let plain = |text: &str, most: usize| text.chars().count() <= most && thread::is_visible(text);
    let in_order = details.as_deref().is_none_or(|details| plain(details, DETAILS_CHARS));
    if state.trim().is_empty() || !plain(state, PRESENCE_CHARS) || !in_order {
        return Err(Failure::new(
            Code::InvalidRequest,
            format!(
                "`state` must be a word such as listening, thinking, typing or idle, of at most \
                 {PRESENCE_CHARS} visible characters, and `details` at most {DETAILS_CHARS}"
            ),
        ));
    }
    app.threads.attendance.says(thread.id, who, state, details);
    Ok(())
}

pub(crate) async fn create_token(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Body(request): Body<CreateParticipantToken>,
) -> Answer<CreatedToken> {
    let (thread, _) = entered(&app, &by, &typed).await?;
    let place = request.directory.as_deref().map(directory).transpose()?;
    let (participant, place) = (request.participant.as_str(), place.or_else(|| thread.directory.clone()));
    thread::check_speaker(&thread, participant, &app.threads.others(thread.id)).map_err(|refused| {
        let code = match refused {
            thread::Refused::Malformed(..) => Code::InvalidRequest,
            _ => Code::Conflict,
        };
        Failure::new(code, refused.to_string())
            .hint("use a participant's id (run `paseo thread show`), or choose another name")
    })?;
    let (token, secret) = (mint::token(), mint::secret().map_err(Failure::internal)?);
    let actor = Actor::Seat(format!("{}/{participant}", thread.id));
    let name = format!("{participant} in {}", thread.name);
    let sha256 = mint::hex(&mint::sha256(secret.as_bytes()));
    let directory = place.clone();
    let event = Setting::TokenCreated { token, name: name.clone(), actor: actor.clone(), sha256, directory };
    let context = &app.sessions.context;
    context.settings.change(&context.journal, &by, event).await?;
    Ok(Json(CreatedToken { id: token.into(), name, actor: actor.into(), directory: place, secret }))
}

/// Finds a thread by its id or its name, and as whom the caller is in it.
pub(super) async fn entered(app: &App, by: &Actor, typed: &str) -> Result<(Thread, Speaker), Failure> {
    app.threads.enter(by, typed).await
}

fn post_id(text: &str) -> Result<PostId, Failure> {
    text.parse().map_err(|_| {
        Failure::new(Code::InvalidRequest, format!("`{text}` is not a message id"))
            .hint("run `paseo thread tail THREAD --ids` to see the ids")
    })
}

pub(super) async fn stored(app: &App, thread: ThreadId, post: PostId) -> Result<ThreadEvent, Failure> {
    let place = app.threads.place(thread, post).await?;
    let records = match place {
        Some(place) => app.threads.events(thread, place - 1, 1).await?,
        None => Vec::new(),
    };
    let event = match records.first() {
        Some(record) => view::event(&app.sessions.context.journal, &thread.to_string(), record).await?,
        None => None,
    };
    match event {
        Some(event) => Ok(event),
        // The thread was deleted as soon as it was said, perhaps.
        None => match app.threads.get(thread).await {
            Err(failure) => Err(failure),
            Ok(_) => Err(Failure::internal("a posted message is missing from the thread")),
        },
    }
}

async fn answer(app: &App, thread: &Thread) -> Answer<ThreadAnswer> {
    let invited: Vec<String> = thread.invited.keys().cloned().collect();
    let notices = app.threads.notices(thread, &invited);
    let thread = shown(app, thread).await?;
    let seq = app.sessions.context.journal.head();
    Ok(Json(ThreadAnswer { seq, thread, unchanged: false, notices }))
}

/// Returns a thread as the API shows it, with how its participants are, and with what its team knows of it.
async fn shown(app: &App, thread: &Thread) -> Result<ThreadView, Failure> {
    let mut view = view::thread(thread);
    view.last = view::last(&app.sessions.context.journal, thread).await?;
    let directory = &app.sessions.context.directory;
    for (shown, seat) in view.state.participants.invited.iter_mut().zip(thread.invited.values()) {
        if let Some(session) = seat.session.and_then(|session| directory.get(session)) {
            shown.handle = Some(directory.handle(session.id));
            shown.status = Some(session.condition.status.into());
        }
    }
    if let Some(team) = &thread.team {
        let team = app.teams.get(team).await?;
        if let Some((alias, known)) = team.thread(thread.id) {
            view.alias = Some(alias.into());
            view.members = known.participants.iter().map(|id| id.as_str().into()).collect();
        }
    }
    Ok(view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::tests::House;

    #[test]
    fn these_numbers_are_promised() {
        assert_eq!(DETAILS_CHARS, 1_000);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_said_while_a_thread_is_deleted_is_stored_or_said_to_nobody() {
        let house = House::new().await;
        let (app, person) = (&house.app, Actor::Human("cli".into()));
        let speaker = Speaker { actor: person, id: thread::USER.to_owned(), cause: None };
        for _ in 0..30 {
            let made = app.threads.create(&speaker, "plan", None, None).await.unwrap();
            let words = Words { to: "all".into(), text: "hi".into(), reply_to: None, tags: Vec::new() };
            let said = say(app, &made, &speaker, &words, None);
            let (said, deleted) = tokio::join!(said, app.threads.delete(&speaker, made.id, true));
            deleted.unwrap();
            let refused = said.err().map(|failure| failure.code);
            assert!(refused.as_ref().is_none_or(|code| *code == Code::NotFound), "{refused:?}");
        }
    }
}
