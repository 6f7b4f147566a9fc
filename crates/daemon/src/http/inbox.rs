//! The inbox. What stands in it, and where, is decided in `core::inbox`.

use axum::Json;
use axum::extract::State;
use paseo_core::inbox::{self, Entry, Need, Place, Section, What};
use paseo_core::item::PermissionExtra;
use paseo_core::limits::INBOX_ROWS;
use paseo_core::session::{Ask, Session};
use paseo_core::snippet::snippet;
use paseo_store::Text;
use paseo_wire::inbox::{
    Inbox, InboxAgent, InboxCounts, InboxFinished, InboxPageQuery, InboxRequest, InboxWorking,
};

use super::App;
use super::reply::Answer;
use super::request::Asked;
use crate::failure::Failure;
use crate::view;

/// How much of a hash people type.
const HASH_CHARS: usize = 8;

pub(crate) async fn show(State(app): State<App>, Asked(query): Asked<InboxPageQuery>) -> Answer<Inbox> {
    let context = &app.sessions.context;
    let cursor = |text: &str| text.parse::<Place>().map_err(|_| Failure::no_cursor(text));
    let after = query.after.as_deref().map(cursor).transpose()?;
    let limit = query.limit.unwrap_or(INBOX_ROWS);
    // A page reads it because of an event: what that event changed has to be in it.
    context.directory.caught_up(&context.journal).await;
    let seq = context.directory.point(&context.journal);
    let open = context.directory.all();
    let mut entries: Vec<Entry<'_>> = open.iter().flat_map(|session| inbox::entries(session)).collect();
    let count = |wanted| entries.iter().filter(|entry| entry.place.section() == wanted).count();
    let counts = InboxCounts {
        needs_you: count(Section::NeedsYou),
        finished: count(Section::Finished),
        working: count(Section::Working),
    };
    if let Some(after) = &after {
        entries.retain(|entry| entry.place > *after);
    }
    entries.sort_by(|one, other| one.place.cmp(&other.place));
    let more = entries.len() > limit;
    entries.truncate(limit);
    let next = entries.last().filter(|_| more).map(|last| last.place.to_string());
    let (needs_you, finished, working) = (Vec::new(), Vec::new(), Vec::new());
    let mut page = Inbox { seq, counts, needs_you, finished, working, next };
    for entry in &entries {
        push(&app, &mut page, entry).await?;
    }
    Ok(Json(page))
}

async fn push(app: &App, page: &mut Inbox, entry: &Entry<'_>) -> Result<(), Failure> {
    let context = &app.sessions.context;
    let (session, since) = (entry.session, entry.since.into());
    let agent = agent(app, session).await;
    match entry.what {
        What::Request(need, ask) => {
            let summary = asked(app, ask).await?;
            page.needs_you.push(InboxRequest {
                kind: need.into(),
                since,
                summary,
                hint: hint(need, session, &agent.handle, Some(ask)),
                request: Some(ask.hash.as_str().into()),
                destructive: ask.destructive,
                code: None,
                until: None,
                held: 0,
                cause: None,
                terminal: session.profile.terminal.clone(),
                agent,
            });
        }
        What::Trouble(need) => {
            let error = context.preview(session).await.error.as_deref().map(str::to_owned);
            page.needs_you.push(InboxRequest {
                kind: need.into(),
                since,
                // What went wrong before is not why messages are held.
                summary: error.filter(|_| need != Need::Hold),
                hint: hint(need, session, &agent.handle, None),
                request: None,
                destructive: false,
                code: session.condition.code.clone(),
                until: session.parked().map(Into::into),
                held: held(session),
                cause: session
                    .queue
                    .iter()
                    .find(|pending| pending.held.is_some())
                    .map(|pending| pending.cause.into()),
                terminal: None,
                agent,
            });
        }
        What::Finished => {
            let last_snippet = context.preview(session).await.said.as_deref().map(str::to_owned);
            page.finished.push(InboxFinished { agent, since, last_snippet });
        }
        What::Working => {
            let preview = context.preview(session).await;
            let progress = preview.progress;
            page.working.push(InboxWorking {
                agent,
                since,
                step: view::step(session, &preview),
                todo_done: progress.map(|progress| progress.done),
                todo_total: progress.map(|progress| progress.total),
                usage: view::usage(session.history.usage),
            });
        }
    }
    Ok(())
}

async fn agent(app: &App, session: &Session) -> InboxAgent {
    let context = &app.sessions.context;
    let (icon, color) = context.definitions.looks(session);
    InboxAgent {
        session: session.id.into(),
        handle: context.directory.handle(session.id),
        name: session.naming.shown().map(str::to_owned),
        agent: session.profile.slug().to_owned(),
        icon,
        color: color.map(Into::into),
        project: session.profile.project.clone(),
        parent: session.profile.parent.map(Into::into),
        team: session.profile.team.as_ref().map(|seat| (&seat.team).into()),
        status: session.condition.status.into(),
        news: session.attention.news,
    }
}

/// Returns what is asked, on one line.
async fn asked(app: &App, ask: &Ask) -> Result<Option<String>, Failure> {
    let stored = app.sessions.context.journal.log.content(ask.text.id.uuid()).await?;
    Ok(stored.and_then(|row| {
        let extra = row.extra.and_then(|extra| serde_json::from_str::<PermissionExtra>(&extra).ok());
        match (extra, row.text) {
            (Some(extra), _) => Some(snippet(&extra.headline)),
            (None, Text::Inline(text) | Text::Large { head: text, .. }) => Some(snippet(&text)),
            (None, Text::Erased) => None,
        }
    }))
}

fn held(session: &Session) -> usize {
    session.queue.iter().filter(|pending| pending.held.is_some()).count()
}

/// Says what a person can do.
fn hint(need: Need, session: &Session, handle: &str, ask: Option<&Ask>) -> String {
    let hash: String = ask.iter().flat_map(|ask| ask.hash.chars()).take(HASH_CHARS).collect();
    match (need, &session.profile.terminal) {
        (Need::Terminal, Some(name)) => format!("answer in its terminal: `paseo worker attach {name}`"),
        (Need::Permission | Need::Terminal, _) => {
            format!("decide with `paseo permit allow {hash}` or `paseo permit deny {hash}`")
        }
        (Need::Question, _) => format!(
            "answer with `paseo permit allow {hash} -m \"…\"`; for a form or a plan, see `paseo permit ls`"
        ),
        (Need::Failure, _) => format!("send a message to continue: `paseo send {handle} \"…\"`"),
        (Need::RateLimit, _) => {
            format!("continues when the limit ends; to try now, run `paseo send {handle} \"…\"`")
        }
        (Need::Hold, _) => {
            format!("read them with `paseo queue {handle}`; `paseo send {handle} \"…\"` releases them")
        }
    }
}
