//! The turns of an agent: what began each, where that is in the transcript, and how it ended.

use axum::Json;
use axum::extract::State;
use paseo_core::id::SessionId;
use paseo_core::limits::{PAGE_ROWS, TURN_ROWS};
use paseo_core::session;
use paseo_core::snippet::snippet;
use paseo_store::{Log, Side};
use paseo_wire::error::Code;
use paseo_wire::id::TurnId;
use paseo_wire::item::{ItemBody, ItemView, TurnPage, TurnQuery, TurnView};

use super::App;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use super::sessions::resolve;
use super::settled::{self, Settling};
use crate::failure::Failure;
use crate::view;

/// The kind of items that turns begin with.
const MESSAGE: &str = "user_text";

pub(crate) async fn page(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<TurnQuery>,
) -> Answer<TurnPage> {
    let id = resolve(&app, &by, &typed).await?;
    let limit = query.limit.unwrap_or(TURN_ROWS);
    let journal = &app.sessions.context.journal;
    let (stream, seq) = (session::stream(id), journal.head());
    let reading = Reading { log: &*journal.log, stream: &stream, limit };
    let (firsts, earlier, next) = match (query.after, query.before) {
        (Some(_), Some(_)) => {
            return Err(Failure::new(Code::Conflict, "`after` and `before` exclude each other")
                .hint("page in one direction at a time"));
        }
        (Some(after), None) => {
            let (firsts, more) = reading.after(after).await?;
            (firsts, after > 0, more)
        }
        (None, before) => {
            let (firsts, more) = reading.before(before).await?;
            (firsts, more, before.is_some())
        }
    };
    let earlier = firsts.first().map(|first| first.ordinal).filter(|_| earlier);
    let next = firsts.last().map(|last| last.ordinal).filter(|_| next);
    Ok(Json(TurnPage { seq, turns: ended(&app, id, firsts).await?, next, earlier }))
}

struct Reading<'a> {
    log: &'a dyn Log,
    stream: &'a str,
    limit: usize,
}

impl Reading<'_> {
    /// Returns the first messages of the turns above an ordinal, and whether there are more.
    async fn after(&self, ordinal: u64) -> Result<(Vec<ItemView>, bool), Failure> {
        // A turn that began there or before it is none of these, also if it got more messages later.
        let known = self.messages(Side::Before(Some(ordinal.saturating_add(1))), 1).await?.pop();
        let (mut firsts, mut after): (Vec<ItemView>, _) = (Vec::new(), ordinal);
        loop {
            let read = self.messages(Side::After(after), PAGE_ROWS).await?;
            let Some(last) = read.last() else { return Ok((firsts, false)) };
            after = last.ordinal;
            for message in read {
                let before = firsts.last().or(known.as_ref());
                if before.is_some_and(|before| before.turn == message.turn) {
                    continue;
                }
                if firsts.len() == self.limit {
                    return Ok((firsts, true));
                }
                firsts.push(message);
            }
        }
    }

    /// Returns the first messages of the newest turns below an ordinal, and whether there are more.
    async fn before(&self, mut ordinal: Option<u64>) -> Result<(Vec<ItemView>, bool), Failure> {
        let mut firsts: Vec<ItemView> = Vec::new();
        loop {
            let read = self.messages(Side::Before(ordinal), PAGE_ROWS).await?;
            let Some(first) = read.first() else {
                firsts.reverse();
                return Ok((firsts, false));
            };
            ordinal = Some(first.ordinal);
            for message in read.into_iter().rev() {
                let full = firsts.len() == self.limit;
                match firsts.last_mut() {
                    // An earlier message of the same turn.
                    Some(last) if last.turn == message.turn => *last = message,
                    _ if full => {
                        firsts.reverse();
                        return Ok((firsts, true));
                    }
                    _ => firsts.push(message),
                }
            }
        }
    }

    async fn messages(&self, side: Side, limit: usize) -> Result<Vec<ItemView>, Failure> {
        let rows = self.log.items_of(self.stream, MESSAGE, side, limit).await?;
        Ok(rows.into_iter().map(view::item).collect())
    }
}

/// Says of each turn how it ended.
async fn ended(app: &App, id: SessionId, firsts: Vec<ItemView>) -> Result<Vec<TurnView>, Failure> {
    let Some(from) = firsts.first().map(|first| first.seq) else { return Ok(Vec::new()) };
    let settling =
        settled::read(app, id, from, Settling::of(firsts.iter().filter_map(settled::message))).await?;
    let outcome = |turn: &TurnId| settling.outcomes.get(&turn.parse().ok()?).copied().map(Into::into);
    let shown = |first: ItemView| {
        let ItemBody::UserText(said) = first.body else { return None };
        let turn = first.turn?;
        Some(TurnView {
            outcome: outcome(&turn),
            turn,
            ordinal: first.ordinal,
            ts: first.ts,
            origin: said.origin,
            text: first.text.as_deref().map(snippet),
        })
    };
    Ok(firsts.into_iter().filter_map(shown).collect())
}
