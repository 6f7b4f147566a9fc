//! Promotion: a person makes an agent that another one started an independent agent.
//!
//! It leaves its parent, and those below it go with it. What it may use and pass on stays as it was given to it. The
//! former parent is told once, and hears nothing more of its work.

use super::{Class, Draft, Event, On, Session, Watch, label};
use crate::actor::Actor;
use crate::id::{CauseId, SessionId, WatchId};
use crate::label::{Label, Malformed, UI};

/// Why an agent is not promoted. Nothing happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unpromotable {
    #[error("only people can promote an agent")]
    PeopleOnly,
    #[error("the agent is closed")]
    Closed,
    #[error("the agent is already independent: it has no parent")]
    NoChild,
    #[error("{0}")]
    Labels(#[from] Malformed),
}

/// How the former parent is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Farewell {
    /// The watches behind calls in which the parent waits for the agent right now: those calls tell it.
    pub waited: Vec<WatchId>,
    /// Else this one does.
    pub watch: WatchId,
    /// What the news descends from when nothing else is known.
    pub cause: CauseId,
}

/// Promotes a session, and returns its former parent.
pub fn promote(draft: &mut Draft, by: &Actor, farewell: &Farewell) -> Result<SessionId, Unpromotable> {
    if !by.is_human() {
        return Err(Unpromotable::PeopleOnly);
    }
    if !draft.session.is_open() {
        return Err(Unpromotable::Closed);
    }
    let parent = draft.session.profile.parent.ok_or(Unpromotable::NoChild)?;
    let ui = Label { key: UI.to_owned(), value: "true".to_owned() };
    label(draft, vec![ui], Vec::new())?;
    // What is on its way already is still told.
    let open = |watch: &&Watch| watch.watcher == parent && watch.notice.is_none();
    let open: Vec<Watch> = draft.session.watches.iter().filter(open).cloned().collect();
    let (kept, ended): (Vec<&Watch>, Vec<&Watch>) =
        open.iter().partition(|watch| farewell.waited.contains(&watch.id));
    let mut told: Vec<WatchId> = match farewell.waited.as_slice() {
        [] => vec![farewell.watch],
        waited => waited.to_vec(),
    };
    told.retain(|id| !kept.iter().any(|watch| watch.id == *id));
    let watches = kept.iter().map(|watch| watch.id).collect();
    draft.push(Event::Promoted { from: parent, watches });
    ended.iter().for_each(|watch| draft.push(Event::WatchEnded { watch: watch.id }));
    for id in told {
        let watch = news(&draft.session, id, parent, &open, farewell);
        draft.push(Event::WatchArmed(watch));
    }
    Ok(parent)
}

/// Makes a watch that tells the former parent. One that expects an answer is woken; any other reads it with its next
/// turn.
fn news(session: &Session, id: WatchId, parent: SessionId, open: &[Watch], farewell: &Farewell) -> Watch {
    let task = open.iter().find(|watch| watch.class == Class::Completion);
    let of_turn = session.turn.as_ref().map(|turn| (turn.cause, turn.hop));
    let of_queue = session.queue.first().map(|pending| (pending.cause, pending.hop));
    let (cause, hop) = match (task, of_turn.or(session.history.cause).or(of_queue)) {
        (Some(task), _) => (task.cause, task.hop),
        (None, Some((cause, hop))) => (cause, hop + 1),
        (None, None) => (farewell.cause, 1),
    };
    let expects = task.is_some() || !farewell.waited.is_empty();
    let class = if expects { Class::Completion } else { Class::Passive };
    let on = On::Promotion;
    Watch { id, watcher: parent, on, cause, hop, class, due: None, request: None, notice: None }
}

impl Session {
    pub(super) fn promoted(&mut self, watches: &[WatchId]) {
        self.profile.parent = None;
        for watch in self.watches.iter_mut().filter(|watch| watches.contains(&watch.id)) {
            (watch.on, watch.class, watch.due) = (On::Promotion, Class::Completion, None);
        }
    }
}
