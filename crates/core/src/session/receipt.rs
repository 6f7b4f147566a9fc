//! Receipts: the outcome of a message.

use serde::{Deserialize, Serialize};

use super::{Checked, HeldReason, Pending, Session};
use crate::id::{DeliveryId, TurnId};

/// The stage that a message has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receipt {
    Queued,
    Held(HeldReason),
    /// On its way to the harness, for the n-th time.
    Handing(u8),
    Handed,
    Answered,
    Failed,
    Interrupted,
    Cancelled,
}

impl Receipt {
    /// Says whether nothing more will happen.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Answered | Self::Failed | Self::Interrupted | Self::Cancelled)
    }
}

/// A message that nothing more will happen to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    pub id: DeliveryId,
    pub receipt: Receipt,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// How the check of its answer ended, when it has a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Box<Checked>>,
}

impl Session {
    /// Returns the outcome of a message, if the state still knows it.
    pub fn receipt(&self, delivery: DeliveryId) -> Option<Receipt> {
        if self.check.as_ref().is_some_and(|check| check.delivery == delivery) {
            // The agent has it; whether its answer will do is not known.
            return Some(Receipt::Handed);
        }
        let by_id = |pending: &&Pending| pending.id == delivery;
        if let Some(pending) = self.queue.iter().find(by_id) {
            return Some(pending.held.map_or(Receipt::Queued, Receipt::Held));
        }
        if let Some(turn) = &self.turn {
            if let Some(pending) = turn.steering.iter().find(by_id) {
                return Some(Receipt::Handing(pending.attempts));
            }
            if let Some(pending) = turn.deliveries.iter().find(by_id) {
                return Some(if turn.handed { Receipt::Handed } else { Receipt::Handing(pending.attempts) });
            }
        }
        self.recent.iter().rev().find(|settled| settled.id == delivery).map(|settled| settled.receipt)
    }
}
