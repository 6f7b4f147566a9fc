//! What was said and not finished: by an attempt that broke off, or by a turn that was cut off.

use paseo_core::id::ItemId;
use paseo_core::item::{Draft, Kind, Place};
use paseo_core::session::Event;
use paseo_runtime::provider::Retry;

use super::actor::SessionActor;
use super::writing::place;
use crate::failure::Failure;
use crate::live::{Growing, Growth};

/// What a turn leaves open when it is cut off.
pub(super) struct LeftOpen {
    pub(super) calls: Vec<OpenCall>,
    /// What was said and not finished.
    pub(super) texts: Vec<(ItemId, Draft)>,
}

/// A call that was not answered.
pub(super) struct OpenCall {
    pub(super) call: String,
    /// What it printed, and the item that its result would have been.
    pub(super) output: Option<(ItemId, String)>,
}

impl SessionActor {
    /// Takes in that an attempt broke off. What it showed is stored as superseded, which tells readers to drop it.
    pub(super) async fn broke_off(&mut self, items: &[ItemId], retry: Option<Retry>) -> Result<(), Failure> {
        let session = self.id();
        let taken = items.iter().filter_map(|id| Some((*id, self.context.live.take(session, *id)?)));
        let shown = taken.filter_map(|(id, growing)| Some((id, unfinished(&growing)?)));
        let shown: Vec<(ItemId, Draft)> = shown.collect();
        let retried = self.current.zip(retry);
        if shown.is_empty() && retried.is_none() {
            return Ok(());
        }
        let place = Place { superseded: true, ..place(self.current) };
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
        let growing = self.context.live.growing(self.id());
        let texts = growing.iter().filter_map(|(id, growing)| Some((*id, unfinished(growing)?)));
        let calls = self.calls.iter().map(|call| {
            let printed =
                growing.iter().find(|(_, growing)| growing.what == Growth::ToolOutput(call.clone()));
            let output = printed.map(|(id, growing)| (*id, growing.text.text()));
            OpenCall { call: call.clone(), output }
        });
        LeftOpen { calls: calls.collect(), texts: texts.collect() }
    }
}

/// Returns the item that a growing text would be; `None` for output of tools, and where nothing was said.
fn unfinished(growing: &Growing) -> Option<Draft> {
    let kind = match growing.what {
        Growth::AssistantText => Kind::AssistantText,
        Growth::Thinking => Kind::Thinking,
        Growth::ToolOutput(_) => return None,
    };
    (growing.text.length() > 0).then(|| Draft::text(kind, growing.text.text()))
}
