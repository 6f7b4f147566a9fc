//! What was said and not finished: by an attempt that broke off, or by a turn that was cut off.

use paseo_core::id::ItemId;
use paseo_core::item::{Draft, Kind, Place};
use paseo_core::session::Event;
use paseo_runtime::provider::{DeltaKind, Retry};

use super::actor::{Growing, SessionActor};
use super::writing::place;
use crate::failure::Failure;

/// What a turn leaves open when it is cut off.
pub(super) struct LeftOpen {
    pub(super) calls: Vec<String>,
    /// What was said and not finished.
    pub(super) texts: Vec<(ItemId, Draft)>,
}

impl SessionActor {
    /// Takes in that an attempt broke off. What it showed is stored as superseded, which tells readers to drop it.
    pub(super) async fn broke_off(&mut self, items: &[ItemId], retry: Option<Retry>) -> Result<(), Failure> {
        let shown = items.iter().filter_map(|id| Some((*id, unfinished(&self.growing.remove(id)?)?)));
        let shown: Vec<(ItemId, Draft)> = shown.collect();
        let retried = self.current.zip(retry);
        if shown.is_empty() && retried.is_none() {
            return Ok(());
        }
        let (session, place) = (self.id(), Place { superseded: true, ..place(self.current) });
        self.quietly(|change| {
            if let Some((turn, Retry { attempt, of })) = retried {
                change.draft.push(Event::TurnRetried { turn, attempt, of });
            }
            for (id, draft) in &shown {
                change.entries.item(session, *id, place.clone(), draft.clone());
            }
        })
        .await
    }

    /// Returns what the turn would leave open if it ended now.
    pub(super) fn left_open(&self) -> LeftOpen {
        let texts = self.growing.iter().filter_map(|(id, growing)| Some((*id, unfinished(growing)?)));
        LeftOpen { calls: self.calls.clone(), texts: texts.collect() }
    }
}

/// Returns the item that a growing text would be; `None` for output of tools, and where nothing was said.
fn unfinished(growing: &Growing) -> Option<Draft> {
    let kind = match growing.kind {
        DeltaKind::AssistantText => Kind::AssistantText,
        DeltaKind::Thinking => Kind::Thinking,
        DeltaKind::ToolOutput => return None,
    };
    (!growing.text.is_empty()).then(|| Draft::text(kind, growing.text.clone()))
}
