//! What wakes the readers of the stream: one bell for stored events, live frames and the end.
//!
//! A thousand readers hear of every event, so each waits for one thing and not for several.

use paseo_store::Seq;
use tokio::sync::watch;

/// What there is to know for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    /// Stored events up to this can be read.
    pub(crate) reached: Seq,
    /// How many live frames there were.
    pub(crate) live: u64,
    /// The daemon stops.
    pub(crate) over: bool,
}

/// Rings for all readers. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Bell(watch::Sender<News>);

impl Bell {
    /// Makes a bell for a log that has reached a point.
    pub(crate) fn new(reached: Seq) -> Self {
        Self(watch::Sender::new(News { reached, live: 0, over: false }))
    }

    /// Listens from now on.
    pub(crate) fn listen(&self) -> watch::Receiver<News> {
        self.0.subscribe()
    }

    /// Tells of stored events.
    pub(crate) fn reached(&self, reached: Seq) {
        self.0.send_if_modified(|news| std::mem::replace(&mut news.reached, reached) != reached);
    }

    /// Tells of a live frame.
    pub(crate) fn live(&self) {
        self.0.send_modify(|news| news.live += 1);
    }

    /// Tells that there will be nothing more.
    pub(crate) fn over(&self) {
        self.0.send_modify(|news| news.over = true);
    }
}
