//! Transcripts: pages of items, and the whole text of one.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use paseo_core::cut;
use paseo_core::limits::{ANSWER_CHARS, PAGE_ROWS};
use paseo_core::session::{self, Status};
use paseo_wire::error::Code;
use paseo_wire::item::{ItemPage, ItemQuery, LastTurn};

use super::App;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use super::sessions::resolve;
use super::settled;
use crate::failure::Failure;
use crate::tools::answers::{self, Extent};
use crate::view;

pub(crate) async fn page(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<ItemQuery>,
) -> Answer<ItemPage> {
    let id = resolve(&app, &by, &typed).await?;
    let (stream, journal) = (session::stream(id), &app.sessions.context.journal);
    let limit = query.limit.unwrap_or(PAGE_ROWS);
    let seq = journal.head();
    let mut rows = match query.after {
        Some(after) => {
            let mut rows = journal.log.items(&stream, after, limit + 1).await?;
            rows.retain(|row| query.before.is_none_or(|before| row.ordinal < before));
            rows
        }
        None => journal.log.items_before(&stream, query.before, limit + 1).await?,
    };
    let more = rows.len() > limit;
    let (older, newer) = if query.after.is_some() {
        rows.truncate(limit);
        (rows.first().is_some_and(|row| row.ordinal > 1), more)
    } else {
        if more {
            rows.remove(0);
        }
        (more, query.before.is_some())
    };
    let (first, last) = (rows.first().map(|row| row.ordinal), rows.last().map(|row| row.ordinal));
    let earlier = first.filter(|_| older);
    // Before the first one there is nothing, and something after it.
    let next = last.or(query.before.map(|before| before.saturating_sub(1))).filter(|_| newer);
    let mut items: Vec<_> = rows.into_iter().map(view::item).collect();
    settled::settle(&app, id, &mut items).await?;
    Ok(Json(ItemPage { seq, items, next, earlier }))
}

/// Shows what an agent said in its last turn, and nothing before it: all that other agents may read of a transcript.
pub(crate) async fn last_turn(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
) -> Answer<LastTurn> {
    let id = resolve(&app, &by, &typed).await?;
    let context = &app.sessions.context;
    let (session, _) = context
        .journal
        .session(id)
        .await?
        .ok_or_else(|| Failure::new(Code::NotFound, "the agent was deleted"))?;
    let running = session.turn.as_ref().map(|turn| turn.id);
    // People get all of it.
    let (extent, limit) = match by.is_human() {
        true => (Extent::Said, usize::MAX),
        false => (Extent::SaidHead(ANSWER_CHARS), ANSWER_CHARS),
    };
    let found = answers::last_turn(&app.sessions, id, running, extent).await?;
    let (turn, said) = found.map(|(turn, account)| (turn, account.said())).unzip();
    let failed = session.condition.status == Status::Error;
    let newest = match failed {
        true => answers::newest(&app.sessions, id).await?,
        false => None,
    };
    let error = newest.and_then(|account| account.error().map(str::to_owned));
    let shown = |text: String| {
        let (head, is_cut) = cut::head(&text, limit);
        (head.to_owned(), is_cut)
    };
    let (text, is_cut) = said.flatten().map(shown).unzip();
    Ok(Json(LastTurn {
        session: id.into(),
        handle: context.directory.handle(id),
        status: session.condition.status.into(),
        turn: turn.map(Into::into),
        text,
        truncated: is_cut.unwrap_or(false),
        code: session.condition.code.clone().filter(|_| failed),
        error: error.map(|error| shown(error).0),
    }))
}

pub(crate) async fn text(
    State(app): State<App>,
    Caller(by): Caller,
    Path((typed, ordinal)): Path<(String, u64)>,
) -> Result<Response, Failure> {
    let id = resolve(&app, &by, &typed).await?;
    let unknown =
        || Failure::new(Code::NotFound, format!("item {ordinal} not found, or its text was cleared"));
    let log = &app.sessions.context.journal.log;
    let rows = log.items(&session::stream(id), ordinal.saturating_sub(1), 1).await?;
    let content = rows
        .into_iter()
        .find(|row| row.ordinal == ordinal)
        .and_then(|row| row.content)
        .ok_or_else(unknown)?;
    let text = log.text(content.id).await?.ok_or_else(unknown)?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8"), (X_CONTENT_TYPE_OPTIONS, "nosniff")], text)
        .into_response())
}
