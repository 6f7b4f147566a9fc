//! What people do to a session beside talking to it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Abandoned, Check, Draft, Ending, Event, HeldReason, Hold, Outcome, Pending, Refusal, ShellEnd, Source,
    Stage, Status, TakeOverEnd, answer, shell, take_over, turn,
};
use crate::content::ContentRef;
use crate::id::CauseId;
use crate::label::{Label, Labels, Malformed};
use crate::limits::{ATTRIBUTE_BYTES, ATTRIBUTES, HELD_DELIVERIES, LABELS};
use crate::time::Timestamp;

/// Holds the session because a person stops it: nothing starts until a person writes.
///
/// The running turn, if any, ends when the harness says so. Returns whether there was anything to stop.
pub fn hold_for_stop(draft: &mut Draft) -> bool {
    let waiting: Vec<_> = draft
        .session
        .queue
        .iter()
        .filter(|pending| pending.held.is_none())
        .map(|pending| pending.id)
        .collect();
    if draft.session.turn.is_none() && draft.session.check.is_none() && waiting.is_empty() {
        return false;
    }
    // A correction under way ends with its turn.
    if draft.session.turn.is_none() {
        answer::abandon(draft, Abandoned::Stopped);
    }
    if draft.session.hold != Hold::Stopped {
        draft.push(Event::Held { hold: Hold::Stopped });
    }
    for deliveries in waiting.chunks(HELD_DELIVERIES) {
        draft.push(Event::DeliveriesHeld { deliveries: deliveries.to_vec(), reason: HeldReason::Stopped });
    }
    true
}

/// Holds what descends from a request that a person stopped. Nothing of it starts until a person writes.
pub fn hold_cause(draft: &mut Draft, cause: CauseId) {
    let descends = |pending: &&Pending| pending.cause == cause && pending.held.is_none();
    let waiting: Vec<_> = draft.session.queue.iter().filter(descends).map(|pending| pending.id).collect();
    for deliveries in waiting.chunks(HELD_DELIVERIES) {
        draft.push(Event::DeliveriesHeld {
            deliveries: deliveries.to_vec(),
            reason: HeldReason::CauseStopped,
        });
    }
    answer::review(draft);
    let is_checked = |check: &Check| check.cause == cause && check.stage == Stage::Checking;
    if draft.session.check.as_deref().is_some_and(is_checked) {
        answer::abandon(draft, Abandoned::CauseStopped);
    }
}

/// Closes a session. A running turn ends with it; waiting messages stay for the day it is reopened.
pub fn close(draft: &mut Draft, source: Source) {
    if draft.session.is_open() {
        answer::abandon(draft, Abandoned::Closed);
        turn::end(draft, Ending::of(Outcome::Interrupted, Source::Person));
        take_over::end_take_over(draft, None, TakeOverEnd::Gone);
        for by in draft.session.history.shells.clone() {
            shell::close_shell(draft, &by, ShellEnd::Gone);
        }
        draft.push(Event::Closed { source });
    }
}

/// Reopens a closed session.
pub fn reopen(draft: &mut Draft) {
    if draft.session.condition.status == Status::Closed {
        draft.push(Event::Reopened {});
    }
}

/// Clears the transcript. The texts of waiting messages are to be kept.
pub fn clear(draft: &mut Draft) -> Result<(), Refusal> {
    if draft.session.turn.is_some() {
        return Err(Refusal::Busy);
    }
    answer::abandon(draft, Abandoned::Cleared);
    draft.push(Event::Cleared {});
    Ok(())
}

/// Gives a name, or takes it away.
pub fn rename(draft: &mut Draft, name: Option<String>) {
    if draft.session.naming.name != name {
        draft.push(Event::Renamed { name });
    }
}

/// Sets the agent's title, once per task.
pub fn title(draft: &mut Draft, title: String) -> Result<(), Refusal> {
    if draft.session.naming.titled {
        return Err(Refusal::TitledAlready);
    }
    draft.push(Event::Titled { title });
    Ok(())
}

/// Notes the new name of the worktree's branch.
pub fn branch(draft: &mut Draft, branch: &str) {
    if draft.session.profile.worktree.as_ref().is_some_and(|worktree| worktree.branch != branch) {
        draft.push(Event::Branched { branch: branch.to_owned() });
    }
}

/// Notes that the worktree was removed, and what git still knows its work by.
pub fn uproot(draft: &mut Draft, kept: Option<String>) {
    if draft.session.profile.worktree.is_some() {
        draft.push(Event::Uprooted { kept });
    }
}

/// Returns the rank of a new pin: the present, but after all that there are.
pub fn pin_rank(pins: impl IntoIterator<Item = Timestamp>, now: Timestamp) -> Timestamp {
    let after = |pin: Timestamp| Timestamp::from_millis(pin.as_millis().saturating_add(1));
    pins.into_iter().map(after).max().map_or(now, |after| after.max(now))
}

/// Keeps the session at hand, before all that were pinned earlier, or does not any more. Ranks of pins differ.
pub fn pin(draft: &mut Draft, rank: Option<Timestamp>) {
    let pinned = rank.is_some();
    if pinned || draft.session.pinned_at.is_some() {
        draft.push(Event::Pinned { pinned, rank });
    }
}

/// Replaces the list of what is to be done; `None` empties it.
pub fn todo(draft: &mut Draft, todo: Option<ContentRef>) {
    if draft.session.todo.as_deref() != todo.as_ref() {
        draft.push(Event::Planned { todo });
    }
}

/// Why attributes are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAttributes {
    #[error("too many attributes: {0} (limit {ATTRIBUTES} per agent)")]
    Many(usize),
    #[error("attribute `{0}` is longer than {ATTRIBUTE_BYTES} bytes")]
    Long(String),
    #[error("attribute name is empty")]
    Unnamed,
}

/// Sets attributes; null takes one away.
pub fn attribute(draft: &mut Draft, mut set: BTreeMap<String, Value>) -> Result<(), BadAttributes> {
    set.retain(|name, value| match draft.session.attributes.get(name) {
        Some(known) => known != value,
        None => !value.is_null(),
    });
    if set.contains_key("") {
        return Err(BadAttributes::Unnamed);
    }
    let long = |(name, value): &(&String, &Value)| name.len() + value.to_string().len() > ATTRIBUTE_BYTES;
    if let Some((name, _)) = set.iter().find(long) {
        return Err(BadAttributes::Long(name.chars().take(60).collect()));
    }
    let (taken, given): (Vec<_>, Vec<_>) = set.iter().partition(|(_, value)| value.is_null());
    let fresh = given.iter().filter(|(name, _)| !draft.session.attributes.contains_key(*name)).count();
    let count = draft.session.attributes.len() + fresh - taken.len();
    if count > ATTRIBUTES {
        return Err(BadAttributes::Many(count));
    }
    if !set.is_empty() {
        draft.push(Event::Attributed { set });
    }
    Ok(())
}

/// Sets and removes labels.
pub fn label(draft: &mut Draft, set: Vec<Label>, mut unset: Vec<String>) -> Result<(), Malformed> {
    // What is not there needs no event, which is bounded in size.
    unset.retain(|key| draft.session.labels.get(key).is_some());
    unset.sort();
    unset.dedup();
    let set = Labels::from_flags(set, false)?;
    let mut result = draft.session.labels.clone();
    unset.iter().for_each(|key| result.unset(key));
    set.iter().for_each(|(key, value)| result.set(Label { key: key.to_owned(), value: value.to_owned() }));
    if result.len() > LABELS {
        return Err(Malformed::Many(result.len()));
    }
    if result != draft.session.labels {
        draft.push(Event::Labelled { set, unset });
    }
    Ok(())
}
