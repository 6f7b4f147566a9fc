//! Live frames: pieces of items that are still growing. Never stored; a reader that lags skips some.

use std::sync::Arc;

use bytes::Bytes;
use paseo_core::id::SessionId;
use paseo_store::Seq;
use paseo_wire::stream::{Frame, LiveFrame};
use tokio::sync::broadcast;

use crate::bell::Bell;
use crate::tail;

/// How many frames a reader may lag before it skips.
const CAPACITY: usize = 1024;

/// A live frame, encoded once for all readers.
#[derive(Debug, Clone)]
pub(crate) struct LiveBytes {
    pub(crate) session: SessionId,
    /// What was stored before: readers see that first.
    pub(crate) after: Seq,
    pub(crate) bytes: Bytes,
}

/// Where live frames are published.
#[derive(Clone)]
pub(crate) struct Live {
    sender: broadcast::Sender<Arc<LiveBytes>>,
    bell: Bell,
}

impl Live {
    pub(crate) fn new(bell: Bell) -> Self {
        Self { sender: broadcast::Sender::new(CAPACITY), bell }
    }

    /// Listens from now on; the bell tells when there is something.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<LiveBytes>> {
        self.sender.subscribe()
    }

    /// Publishes a frame; costs nothing when nobody listens.
    pub(crate) fn publish(&self, session: SessionId, after: Seq, frame: impl FnOnce() -> LiveFrame) {
        if self.sender.receiver_count() > 0 {
            let bytes = tail::sse(None, Frame::LIVE, &frame());
            // Nobody left in the meantime: nothing to do.
            let _ = self.sender.send(Arc::new(LiveBytes { session, after, bytes }));
            self.bell.live();
        }
    }
}
