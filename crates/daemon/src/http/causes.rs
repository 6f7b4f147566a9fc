//! What descends from a human request: shown as a tree with its messages, and stopped at once.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::cause::{self, Cause};
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, DeliveryId, SessionId};
use paseo_core::item::Usage;
use paseo_core::limits::{SPAWNS_PER_CAUSE, WAKES_PER_CAUSE};
use paseo_core::lineage::{Branch, Lineage, Worked};
use paseo_core::session::{self, Receipt, Session};
use paseo_core::snippet::snippet;
use paseo_core::team::{self, TeamId};
use paseo_core::time::Timestamp;
use paseo_store::{Body, Record, Text};
use paseo_wire::error::Code;
use paseo_wire::page::PageQuery;
use paseo_wire::trace::{CauseAgent, CauseMessage, CauseMessages, CauseTask, CauseTurn, CauseView};
use paseo_wire::words::TracedStatus;

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use super::sessions::resolve;
use super::trace::{Told, decode, told};
use crate::directory::shown as as_typed;
use crate::failure::Failure;
use crate::journal::Entries;
use crate::mint;
use crate::sessions::{Command, gone_is_fine};
use crate::view;

/// Events that are read at once, and for one answer in total.
const PAGE: usize = 500;
const EVENTS: usize = 50_000;

pub(crate) async fn show(
    State(app): State<App>,
    Caller(by): Caller,
    Path(cause): Path<String>,
) -> Answer<CauseView> {
    let (id, state) = known(&app, &by, &cause).await?;
    shown(&app, id, state).await.map(Json)
}

pub(crate) async fn messages(
    State(app): State<App>,
    Caller(by): Caller,
    Path(cause): Path<String>,
    Asked(query): Asked<PageQuery>,
) -> Answer<CauseMessages> {
    let (id, state) = known(&app, &by, &cause).await?;
    let Story { lineage, sessions, .. } = story(&app, id, &state).await?;
    let directory = &app.sessions.context.directory;
    let rows = lineage.messages.iter().map(|(delivery, sent)| {
        let state = sessions.get(&sent.to).and_then(Option::as_ref);
        let settled = sent.settled.map(|(receipt, _)| receipt);
        // What the state still knows is newer than what can be read from the events of other messages.
        let receipt = state.and_then(|state| state.receipt(*delivery)).or(settled);
        let (stage, reason, _) = view::receipt(receipt.unwrap_or(Receipt::Queued));
        CauseMessage {
            delivery: (*delivery).into(),
            from: (&sent.origin).into(),
            from_handle: sent.origin.session().map(|session| directory.handle(session)),
            session: sent.to.into(),
            handle: directory.handle(sent.to),
            hop: sent.hop,
            sent_at: sent.at.into(),
            stage,
            reason,
            turn: sent.turn.map(Into::into),
            settled_at: sent.settled.map(|(_, at)| at.into()),
            text: None,
        }
    });
    let messages = CauseMessages { cause: id.into(), messages: rows.collect(), next: None };
    let mut page = messages.asked(&query)?;
    for message in &mut page.messages {
        let sent = message.delivery.parse().ok().and_then(|id| lineage.messages.get(&id));
        if let Some(sent) = sent {
            message.text = beginning(&app, &sent.text).await?;
        }
    }
    Ok(Json(page))
}

pub(crate) async fn stop(
    State(app): State<App>,
    Caller(by): Caller,
    Path(cause): Path<String>,
) -> Answer<CauseView> {
    let (id, _) = known(&app, &by, &cause).await?;
    let context = &app.sessions.context;
    loop {
        let (state, version) = context.journal.cause(id).await?;
        if state.stopped {
            break;
        }
        let batch =
            Entries::by(&by).stream(cause::stream(id), version, &[cause::Event::Stopped {}]).into_batch();
        match context.journal.log.append(batch).await {
            Ok(_) => break,
            Err(paseo_store::Error::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let descends = |session: &Session| session.turn.as_ref().is_some_and(|turn| turn.cause == id);
    for session in context.directory.all().into_iter().filter(|session| descends(session)) {
        let by = by.clone();
        gone_is_fine(app.sessions.ask(session.id, |reply| Command::Stop(by, reply)).await)?;
    }
    let waits = |session: &Session| session.queue.iter().any(|pending| pending.cause == id);
    for session in context.directory.all().into_iter().filter(|session| waits(session)) {
        let by = by.clone();
        gone_is_fine(app.sessions.ask(session.id, |reply| Command::HoldCause(by, id, reply)).await)?;
    }
    let (state, _) = context.journal.cause(id).await?;
    shown(&app, id, state).await.map(Json)
}

/// Finds the request that is meant: by its id, by a message that descends from it, or by an agent, whose running or last
/// turn does.
async fn known(app: &App, by: &Actor, typed: &str) -> Result<(CauseId, Cause), Failure> {
    let journal = &app.sessions.context.journal;
    if let Ok(id) = typed.parse::<CauseId>() {
        let (state, version) = journal.cause(id).await?;
        if version > 0 {
            return Ok((id, state));
        }
    }
    if let Ok(delivery) = typed.parse::<DeliveryId>()
        && let Some(told) = told(app, delivery).await?
    {
        let (Told::Agent(_, id) | Told::Thread(id)) = told;
        return Ok((id, journal.cause(id).await?.0));
    }
    let unknown = || {
        Failure::new(Code::NotFound, format!("no cause, message or agent matches `{}`", as_typed(typed)))
            .hint("use a cause id shown by `paseo inspect`, a delivery id, or an agent's handle")
    };
    let agent = match resolve(app, by, typed).await {
        Ok(agent) => agent,
        Err(failure) if failure.code == Code::Ambiguous => return Err(failure),
        Err(_) => return Err(unknown()),
    };
    let last = journal.session(agent).await?.and_then(|(session, _)| session.last_cause());
    let id = last.ok_or_else(|| {
        let handle = app.sessions.context.directory.handle(agent);
        Failure::new(Code::NotFound, format!("{handle} has not worked on anything yet"))
            .hint(format!("give it a task: `paseo send {handle} …`"))
    })?;
    Ok((id, journal.cause(id).await?.0))
}

/// What was read of a request.
struct Story {
    lineage: Lineage,
    /// Those that take part, as they are now; `None` for a deleted one.
    sessions: BTreeMap<SessionId, Option<Session>>,
    /// Everything was read.
    complete: bool,
}

/// Reads what descends from a request: the events of those that take part, from when it began.
async fn story(app: &App, id: CauseId, state: &Cause) -> Result<Story, Failure> {
    let context = &app.sessions.context;
    let mut budget = EVENTS;
    let mut own: Vec<cause::Event> = Vec::new();
    for record in read(app, &cause::stream(id), None, &mut budget).await? {
        own.extend(decode::<cause::Event>(&record)?);
    }
    let mut lineage = Lineage::of(id, &own);
    // Those that never came to it: what they were to do waits.
    for session in context.directory.all() {
        if session.queue.iter().any(|pending| pending.cause == id) {
            lineage.join(session.id);
        }
    }
    // Those that took something up in a turn that descends from another request.
    let traffic = app.traffic.last_hour(context).await?.counts;
    let first = SessionId::from_random([0; 16]);
    for (_, session) in
        traffic.received.range((id, first)..).map(|(key, _)| *key).take_while(|(of, _)| *of == id)
    {
        lineage.join(session);
    }
    let began = state.began();
    let (mut sessions, mut teams) = (BTreeMap::new(), BTreeSet::new());
    let members: Vec<SessionId> = lineage.members.iter().map(|member| member.session).collect();
    for member in members {
        // The events come first: what the state has settled since then is newer.
        for record in read(app, &session::stream(member), began, &mut budget).await? {
            if let Some(event) = decode(&record)? {
                lineage.take(member, Timestamp::from_millis(record.ts), &event);
            }
        }
        let now = context.journal.session(member).await?.map(|(session, _)| session);
        if let Some(seat) = now.as_ref().and_then(|session| session.profile.team.as_ref()) {
            teams.insert(seat.team.clone());
        }
        sessions.insert(member, now);
    }
    for team in &teams {
        for record in read(app, &team::stream(team), began, &mut budget).await? {
            let by = record.actor.parse::<Actor>().ok().and_then(|actor| actor.session());
            if let Some(by) = by.filter(|by| sessions.contains_key(by))
                && let Some(event) = decode(&record)?
            {
                lineage.take_task(team, by, Timestamp::from_millis(record.ts), &event);
            }
        }
    }
    Ok(Story { lineage, sessions, complete: budget > 0 })
}

async fn shown(app: &App, id: CauseId, state: Cause) -> Result<CauseView, Failure> {
    let context = &app.sessions.context;
    let seq = context.journal.head();
    let Story { lineage, sessions, complete } = story(app, id, &state).await?;
    let waits = |session: &Session| session.queue.iter().filter(|pending| pending.cause == id).count();
    let waiting_of = |session: SessionId| sessions.get(&session).and_then(Option::as_ref).map_or(0, waits);
    let agents: Vec<CauseAgent> = lineage
        .tree()
        .into_iter()
        .map(|Branch { depth, member }| {
            let now = sessions.get(&member.session).and_then(Option::as_ref);
            let own: Vec<&Worked> =
                lineage.turns.values().filter(|worked| worked.session == member.session).collect();
            let usage = own.iter().fold(Usage::default(), |sum, worked| sum.plus(worked.usage));
            CauseAgent {
                session: member.session.into(),
                handle: context.directory.handle(member.session),
                name: now.and_then(|session| session.naming.shown()).map(str::to_owned),
                status: now.map_or(TracedStatus::Deleted, |session| session.condition.status.into()),
                by: member.by.map(Into::into),
                depth,
                spawned: member.spawned,
                wakes: member.wakes,
                wakes_left: state.wakes_left_of(member.session),
                turns: own.len(),
                messages: lineage.messages.values().filter(|sent| sent.to == member.session).count(),
                waiting: waiting_of(member.session),
                started_at: own.first().map(|worked| worked.opened_at.into()),
                ended_at: ended(own.into_iter()).map(Into::into),
                usage: view::usage(usage),
            }
        })
        .collect();
    let total = lineage.turns.values().fold(Usage::default(), |total, worked| total.plus(worked.usage));
    let running = lineage.turns.values().filter(|worked| worked.ended.is_none()).count();
    let waiting = agents.iter().map(|agent| agent.waiting).sum();
    let request = match written(app, &state, &lineage).await? {
        Some(text) => beginning(app, &text).await?,
        None => None,
    };
    // What waits for a stopped request is not worked on.
    let ended_at = ended(lineage.turns.values()).filter(|_| waiting == 0 || state.stopped);
    let tasks = tasks(app, &lineage).await?;
    let (wakes, wakes_left, spawned) = (state.woken, state.wakes_left(), state.spawned);
    let Cause { opened, begun, stopped, .. } = state;
    // What began in a thread began there; whom it woke comes after.
    let asked = begun.as_ref().map(|begun| (&begun.by, begun.at));
    let asked = asked.or_else(|| opened.as_ref().map(|opened| (&opened.by, opened.at)));
    Ok(CauseView {
        seq,
        now: mint::now().into(),
        cause: id.into(),
        opened_by: asked.map(|(by, _)| by.into()),
        opened_at: asked.map(|(_, at)| at.into()),
        ended_at: ended_at.map(Into::into),
        request,
        session: opened.as_ref().map(|opened| opened.session.into()),
        delivery: opened.as_ref().map(|opened| opened.delivery.into()),
        thread: begun.as_ref().map(|begun| begun.thread.into()),
        post: begun.as_ref().map(|begun| begun.post.into()),
        wakes,
        wakes_allowed: WAKES_PER_CAUSE,
        wakes_left,
        spawned,
        spawns_allowed: SPAWNS_PER_CAUSE,
        stopped,
        usage: view::usage(total),
        messages: lineage.messages.len(),
        running,
        waiting,
        agents,
        turns: lineage
            .turns
            .iter()
            .map(|(turn, worked)| CauseTurn {
                session: worked.session.into(),
                handle: context.directory.handle(worked.session),
                turn: (*turn).into(),
                hop: worked.hop,
                woken: worked.woken,
                opened_at: worked.opened_at.into(),
                ended_at: worked.ended.map(|(at, _)| at.into()),
                outcome: worked.ended.map(|(_, outcome)| outcome.into()),
                usage: view::usage(worked.usage),
            })
            .collect(),
        tasks,
        complete,
    })
}

/// Returns what a person wrote: in the thread that it began in, else to the first agent. What those who were woken by a
/// thread are sent has the whole conversation in it.
async fn written(app: &App, state: &Cause, lineage: &Lineage) -> Result<Option<ContentRef>, Failure> {
    if let Some(begun) = &state.begun {
        return match app.threads.post_text(begun.thread, begun.post).await {
            Err(failure) if failure.code == Code::NotFound => Ok(None),
            found => found,
        };
    }
    let first = state.opened.as_ref().and_then(|opened| lineage.messages.get(&opened.delivery));
    Ok(first.map(|sent| sent.text.clone()))
}

/// Returns when the last of some turns ended, if all have.
fn ended<'a>(mut turns: impl Iterator<Item = &'a Worked>) -> Option<Timestamp> {
    turns.try_fold(None, |last: Option<Timestamp>, worked| {
        worked.ended.map(|(at, _)| Some(last.map_or(at, |last| last.max(at))))
    })?
}

/// Returns the tasks of a request as they are now.
async fn tasks(app: &App, lineage: &Lineage) -> Result<Vec<CauseTask>, Failure> {
    let mut found: BTreeMap<&TeamId, _> = BTreeMap::new();
    let mut shown = Vec::with_capacity(lineage.tasks.len());
    for ((id, task), touched) in &lineage.tasks {
        let team = match found.get(id) {
            Some(team) => team,
            None => found.entry(id).or_insert(app.teams.get(id).await?),
        };
        let Ok(now) = team.task(*task) else { continue };
        shown.push(CauseTask {
            team: id.into(),
            task: (*task).into(),
            title: now.title.clone(),
            status: team.status(now).word().into(),
            created_by: touched.created_by.map(Into::into),
            claimed_by: touched.claimed_by.map(Into::into),
            at: touched.at.into(),
        });
    }
    Ok(shown)
}

/// Returns how a text begins; `None` when it was erased.
async fn beginning(app: &App, text: &ContentRef) -> Result<Option<String>, Failure> {
    let stored = app.sessions.context.journal.log.content(text.id.uuid()).await?;
    Ok(match stored.map(|row| row.text) {
        Some(Text::Inline(text) | Text::Large { head: text, .. }) => Some(snippet(&text)),
        Some(Text::Erased) | None => None,
    })
}

/// Reads the control events of a stream from a moment on, as long as the budget of events lasts.
async fn read(
    app: &App,
    stream: &str,
    since: Option<Timestamp>,
    budget: &mut usize,
) -> Result<Vec<Record>, Failure> {
    let journal = &app.sessions.context.journal;
    let mut after = match since {
        Some(since) => journal.version_before(stream, since).await?,
        None => 0,
    };
    let mut all = Vec::new();
    while *budget > 0 {
        let page = journal.log.read_stream(stream, after, PAGE.min(*budget)).await?;
        let Some(Body::Control { version }) = page.last().map(|record| record.body.clone()) else { break };
        after = version;
        *budget -= page.len();
        all.extend(page);
    }
    Ok(all)
}
