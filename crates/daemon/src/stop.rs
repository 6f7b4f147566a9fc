//! The wish to stop, known to everyone.

use tokio::sync::watch;

/// Tells whether the daemon shall stop. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stop {
    /// Asks everyone to stop.
    pub(crate) fn request(&self) {
        self.0.send_replace(true);
    }

    /// Waits until somebody asked.
    pub(crate) async fn requested(&self) {
        // The sender lives as long as we do: this ends only when somebody asked.
        let _ = self.0.subscribe().wait_for(|stop| *stop).await;
    }
}
