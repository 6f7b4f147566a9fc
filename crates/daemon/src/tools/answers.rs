//! What an agent answered, read from its transcript.

use std::collections::{HashMap, VecDeque};

use paseo_core::cut;
use paseo_core::id::{SessionId, TurnId};
use paseo_core::item::{self, Entry, Kind};
use paseo_core::session;
use paseo_store::Text;
use tokio::sync::Semaphore;

use crate::failure::Failure;
use crate::sessions::Sessions;

/// Items that are looked at, at once.
const PAGE: usize = 100;

/// How many transcripts are read at once. A text of 32 MB is in memory as a whole before it is cut, and agents may ask
/// for as many transcripts as they have connections.
static READERS: Semaphore = Semaphore::const_new(2);

/// Which words of a turn are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What it answered, see [`item::answer`].
    Answer,
    /// The first so many characters of its answer, and one more if there are more.
    AnswerHead(usize),
    /// Everything that was said.
    Said,
    /// The first so many characters of that, and one more if there are more.
    SaidHead(usize),
}

impl Extent {
    fn limit(self) -> usize {
        match self {
            Self::Answer | Self::Said => usize::MAX,
            Self::AnswerHead(limit) | Self::SaidHead(limit) => limit.saturating_add(1),
        }
    }

    fn is_answer(self) -> bool {
        matches!(self, Self::Answer | Self::AnswerHead(_))
    }
}

/// What happened in a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Items, oldest first, with the texts of those that say something.
    items: Vec<(Entry, String)>,
}

impl Account {
    /// Returns what was answered.
    pub(crate) fn answer(&self) -> Option<String> {
        item::answer(self.items.iter().map(|(entry, text)| (entry, text.as_str())))
    }

    /// Returns everything that was said, in order.
    pub(crate) fn said(&self) -> Option<String> {
        item::said(self.items.iter().map(|(entry, text)| (entry, text.as_str())))
    }

    /// Returns what was thought, as far as it was shown.
    pub(crate) fn thinking(&self) -> Option<String> {
        let is_thought = |(entry, text): &&(Entry, String)| entry.kind == Kind::Thinking && !text.is_empty();
        let thoughts = self.items.iter().filter(is_thought);
        let thoughts: Vec<&str> = thoughts.map(|(_, text)| text.as_str()).collect();
        (!thoughts.is_empty()).then(|| thoughts.join("\n\n"))
    }

    /// Returns the tools that were called, with how long each took in milliseconds.
    pub(crate) fn calls(&self) -> Vec<(String, u64)> {
        let durations: HashMap<&str, u64> = self
            .items
            .iter()
            .filter_map(|(entry, _)| match &entry.kind {
                Kind::ToolResult { call, duration_ms, .. } => Some((call.as_str(), *duration_ms)),
                _ => None,
            })
            .collect();
        let calls = self.items.iter().filter_map(|(entry, _)| match &entry.kind {
            Kind::ToolCall { call, name, .. } => {
                Some((name.clone(), durations.get(call.as_str()).copied().unwrap_or(0)))
            }
            _ => None,
        });
        calls.collect()
    }

    /// Returns what went wrong, in words.
    pub(crate) fn error(&self) -> Option<&str> {
        let errors = self.items.iter().rev().filter(|(entry, _)| matches!(entry.kind, Kind::Error { .. }));
        errors.map(|(_, text)| text.as_str()).find(|text| !text.is_empty())
    }
}

/// Returns the newest turn in which something was said, other than the running one.
pub(crate) async fn last_turn(
    sessions: &Sessions,
    session: SessionId,
    running: Option<TurnId>,
    extent: Extent,
) -> Result<Option<(TurnId, Account)>, Failure> {
    find(sessions, session, extent, |turn, account| match account.said() {
        Some(_) if Some(turn) != running => Search::Found,
        _ => Search::On,
    })
    .await
}

/// Returns what happened in the newest turn, without its words.
pub(crate) async fn newest(sessions: &Sessions, session: SessionId) -> Result<Option<Account>, Failure> {
    let found = find(sessions, session, Extent::AnswerHead(0), |_, _| Search::Found);
    Ok(found.await?.map(|(_, account)| account))
}

/// Returns what happened in a turn; empty when nothing was left of it.
pub(crate) async fn of_turn(
    sessions: &Sessions,
    session: SessionId,
    turn: TurnId,
    extent: Extent,
) -> Result<Account, Failure> {
    let found = find(sessions, session, extent, |other, _| match other.cmp(&turn) {
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

/// The items of one turn while they are read, the newest first.
#[derive(Debug)]
struct Gathered {
    items: Vec<(Entry, String)>,
    extent: Extent,
    said: Kept,
    thought: Kept,
    /// The answer is complete: what was said before is not part of it.
    answered: bool,
}

/// Which items still have their text, the newest first, and how many characters those have together.
#[derive(Debug, Default)]
struct Kept {
    items: VecDeque<(usize, usize)>,
    characters: usize,
}

impl Gathered {
    fn new(extent: Extent) -> Self {
        let (said, thought) = (Kept::default(), Kept::default());
        Self { items: Vec::new(), extent, said, thought, answered: false }
    }

    /// Says whether the text of an item is needed.
    fn needs(&self, kind: &Kind) -> bool {
        match kind {
            Kind::AssistantText => !self.answered,
            Kind::Thinking | Kind::Error { .. } => true,
            _ => false,
        }
    }

    /// Takes the item before those that were taken.
    fn take(&mut self, entry: Entry, text: &str) {
        let limit = self.extent.limit();
        let kept = match &entry.kind {
            Kind::AssistantText => Some(&mut self.said),
            Kind::Thinking => Some(&mut self.thought),
            Kind::ToolCall { .. } | Kind::ToolResult { .. } => {
                self.answered |= self.extent.is_answer() && !self.said.items.is_empty();
                None
            }
            _ => None,
        };
        let Some(kept) = kept.filter(|_| !text.is_empty()) else {
            return self.items.push((entry, text.to_owned()));
        };
        let text = cut::head(text, limit).0.to_owned();
        let characters = text.chars().count();
        kept.items.push_back((self.items.len(), characters));
        kept.characters += characters;
        // Of a limited text the beginning counts: newer words go once there are enough before them.
        while let Some((newest, characters)) = kept.items.front().copied()
            && kept.characters - characters >= limit
        {
            kept.items.pop_front();
            kept.characters -= characters;
            if let Some((_, text)) = self.items.get_mut(newest) {
                *text = String::new();
            }
        }
        self.items.push((entry, text));
    }

    fn account(mut self) -> Account {
        self.items.reverse();
        Account { items: self.items }
    }
}

/// Reads turns, the newest first, until one is wanted.
async fn find(
    sessions: &Sessions,
    session: SessionId,
    extent: Extent,
    wanted: impl Fn(TurnId, &Account) -> Search,
) -> Result<Option<(TurnId, Account)>, Failure> {
    // It is never closed.
    let _reader = READERS.acquire().await;
    let log = &sessions.context.journal.log;
    let stream = session::stream(session);
    let mut before = None;
    // Of one turn, newest first until it is complete.
    let mut current: Option<(TurnId, Gathered)> = None;
    let judge = |current: &mut Option<(TurnId, Gathered)>| {
        let (turn, gathered) = current.take()?;
        let account = gathered.account();
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
            let gathered = &mut current.get_or_insert_with(|| (turn, Gathered::new(extent))).1;
            // What was said in an attempt that broke off was not said.
            if entry.place.superseded {
                continue;
            }
            let content = row.content.as_ref().filter(|_| gathered.needs(&entry.kind));
            match content.map(|content| (content.id, &content.text)) {
                Some((id, Text::Large { .. })) if entry.kind == Kind::AssistantText => {
                    let text = log.text(id).await?.unwrap_or_default();
                    gathered.take(entry, &text);
                }
                Some((_, Text::Inline(text) | Text::Large { head: text, .. })) => {
                    gathered.take(entry, text);
                }
                _ => gathered.take(entry, ""),
            }
        }
        if rows.len() < PAGE {
            return Ok(judge(&mut current).flatten());
        }
    }
}

#[cfg(test)]
mod tests {
    use paseo_core::item::{Place, ToolClass};

    use super::*;

    fn call() -> Kind {
        Kind::ToolCall { call: "c".to_owned(), name: "shell".to_owned(), class: ToolClass::Execute }
    }

    /// Gathers items that are given oldest first.
    fn account(extent: Extent, items: &[(Kind, &str)]) -> Account {
        let mut gathered = Gathered::new(extent);
        for (kind, text) in items.iter().rev() {
            let entry = Entry { place: Place::default(), kind: kind.clone() };
            gathered.take(entry, if gathered.needs(kind) { text } else { "" });
        }
        gathered.account()
    }

    #[test]
    fn what_is_kept_is_the_beginning() {
        let said = |text: &'static str| (Kind::AssistantText, text);
        let items = [said("one"), said("two"), said("three")];
        assert_eq!(account(Extent::Said, &items).said().unwrap(), "one\ntwo\nthree");
        // One character more than wanted says that there is more.
        assert_eq!(account(Extent::SaidHead(3), &items).said().unwrap(), "one\ntwo");
        assert_eq!(account(Extent::SaidHead(2), &items).said().unwrap(), "one");
        assert_eq!(account(Extent::SaidHead(1), &items).said().unwrap(), "on");
        assert_eq!(account(Extent::SaidHead(10), &items).said().unwrap(), "one\ntwo\nthree");
        let thoughts = [(Kind::Thinking, "abc"), (Kind::Thinking, "def")];
        assert_eq!(account(Extent::SaidHead(2), &thoughts).thinking().unwrap(), "abc");
    }

    #[test]
    fn an_answer_is_not_lost_for_what_was_said_before() {
        let items = [
            (Kind::AssistantText, "a long plan"),
            (call(), "{}"),
            (Kind::AssistantText, "done"),
            (Kind::AssistantText, "indeed"),
        ];
        assert_eq!(account(Extent::Answer, &items).answer().unwrap(), "done\nindeed");
        assert_eq!(account(Extent::AnswerHead(4), &items).answer().unwrap(), "done\nindee");
        assert_eq!(account(Extent::AnswerHead(2), &items).answer().unwrap(), "don");
        // One that ended on a call: the words before it.
        let ended = [(Kind::AssistantText, "looking"), (call(), "{}")];
        assert_eq!(account(Extent::AnswerHead(100), &ended).answer().unwrap(), "looking");
    }
}
