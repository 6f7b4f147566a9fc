//! What an agent answered, read from its transcript.

use std::collections::HashMap;

use paseo_core::id::{SessionId, TurnId};
use paseo_core::item::{self, Entry, Kind};
use paseo_core::session;
use paseo_store::Text;

use crate::failure::Failure;
use crate::sessions::Sessions;

/// Items that are looked at, at once.
const PAGE: usize = 500;

/// What happened in a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Items, oldest first, with the texts of those that say something.
    items: Vec<(Kind, String)>,
}

impl Account {
    /// Returns what was answered.
    pub(crate) fn answer(&self) -> Option<String> {
        item::answer(self.items.iter().map(|(kind, text)| (kind, text.as_str())))
    }

    /// Returns everything that was said, in order.
    pub(crate) fn said(&self) -> Option<String> {
        item::said(self.items.iter().map(|(kind, text)| (kind, text.as_str())))
    }

    /// Returns what was thought, as far as it was shown.
    pub(crate) fn thinking(&self) -> Option<String> {
        let thoughts = self.items.iter().filter(|(kind, _)| *kind == Kind::Thinking);
        let thoughts: Vec<&str> = thoughts.map(|(_, text)| text.as_str()).collect();
        (!thoughts.is_empty()).then(|| thoughts.join("\n\n"))
    }

    /// Returns the tools that were called, with how long each took in milliseconds.
    pub(crate) fn calls(&self) -> Vec<(String, u64)> {
        let durations: HashMap<&str, u64> = self
            .items
            .iter()
            .filter_map(|(kind, _)| match kind {
                Kind::ToolResult { call, duration_ms, .. } => Some((call.as_str(), *duration_ms)),
                _ => None,
            })
            .collect();
        let calls = self.items.iter().filter_map(|(kind, _)| match kind {
            Kind::ToolCall { call, name, .. } => {
                Some((name.clone(), durations.get(call.as_str()).copied().unwrap_or(0)))
            }
            _ => None,
        });
        calls.collect()
    }

    /// Returns what went wrong, in words.
    pub(crate) fn error(&self) -> Option<&str> {
        let errors = self.items.iter().rev().filter(|(kind, _)| matches!(kind, Kind::Error { .. }));
        errors.map(|(_, text)| text.as_str()).find(|text| !text.is_empty())
    }
}

/// Returns the newest turn in which something was said, other than the running one.
pub(crate) async fn last_turn(
    sessions: &Sessions,
    session: SessionId,
    running: Option<TurnId>,
) -> Result<Option<(TurnId, Account)>, Failure> {
    find(sessions, session, |turn, account| match account.said() {
        Some(_) if Some(turn) != running => Search::Found,
        _ => Search::On,
    })
    .await
}

/// Returns what happened in the newest turn.
pub(crate) async fn newest(sessions: &Sessions, session: SessionId) -> Result<Option<Account>, Failure> {
    Ok(find(sessions, session, |_, _| Search::Found).await?.map(|(_, account)| account))
}

/// Returns what happened in a turn; empty when nothing was left of it.
pub(crate) async fn of_turn(
    sessions: &Sessions,
    session: SessionId,
    turn: TurnId,
) -> Result<Account, Failure> {
    let found = find(sessions, session, |other, _| match other.cmp(&turn) {
        std::cmp::Ordering::Equal => Search::Found,
        // Ids sort by time.
        std::cmp::Ordering::Less => Search::Over,
        std::cmp::Ordering::Greater => Search::On,
    });
    Ok(found.await?.map(|(_, account)| account).unwrap_or_default())
}

enum Search {
    Found,
    On,
    Over,
}

/// Reads turns, the newest first, until one is wanted.
async fn find(
    sessions: &Sessions,
    session: SessionId,
    wanted: impl Fn(TurnId, &Account) -> Search,
) -> Result<Option<(TurnId, Account)>, Failure> {
    let log = &sessions.context.journal.log;
    let stream = session::stream(session);
    let mut before = None;
    // Of one turn, newest first until it is complete.
    let mut current: Option<(TurnId, Account)> = None;
    let judge = |current: &mut Option<(TurnId, Account)>| {
        let (turn, mut account) = current.take()?;
        account.items.reverse();
        match wanted(turn, &account) {
            Search::Found => Some(Some((turn, account))),
            Search::Over => Some(None),
            Search::On => None,
        }
    };
    loop {
        let rows = log.items_before(&stream, before, PAGE).await?;
        before = rows.first().map(|row| row.ordinal);
        for row in rows.iter().rev() {
            let Some(entry) = row.data.as_deref().and_then(|data| serde_json::from_str::<Entry>(data).ok())
            else {
                continue;
            };
            let Some(turn) = entry.place.turn else { continue };
            if current.as_ref().is_some_and(|(known, _)| *known != turn)
                && let Some(end) = judge(&mut current)
            {
                return Ok(end);
            }
            let text = match row.content.as_ref().map(|content| (content.id, &content.text)) {
                Some((_, Text::Inline(text))) => text.clone(),
                Some((id, Text::Large { .. })) if entry.kind == Kind::AssistantText => {
                    log.text(id).await?.unwrap_or_default()
                }
                Some((_, Text::Large { head, .. })) => head.clone(),
                _ => String::new(),
            };
            current.get_or_insert_with(|| (turn, Account::default())).1.items.push((entry.kind, text));
        }
        if rows.len() < PAGE {
            return Ok(judge(&mut current).flatten());
        }
    }
}
