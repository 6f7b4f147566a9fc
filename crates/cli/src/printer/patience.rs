//! A sign of life while nothing else is to be seen.

use std::pin::pin;
use std::time::Duration;

use super::{Mode, Printer, Style, paint, truncate};

/// Nothing is shown for what takes less.
const QUIET: Duration = Duration::from_millis(300);
const TURN: Duration = Duration::from_millis(100);
const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Waits for something; after a while of nothing, shows a person at a terminal that it is being waited for.
pub(crate) async fn patiently<F: Future>(printer: &Printer, words: &str, future: F) -> F::Output {
    let mut future = pin!(future);
    if !printer.err.terminal || printer.mode == Mode::Quiet {
        return future.await;
    }
    if let Ok(output) = tokio::time::timeout(QUIET, &mut future).await {
        return output;
    }
    let _shown = Shown(printer);
    // A sign that goes on below cannot be taken away.
    let words = truncate(words, printer.err.width.unwrap_or(80).saturating_sub(3));
    for sign in SIGNS.iter().cycle() {
        printer
            .tell(&format!("\r{}\x1b[K", paint(printer.err.color, Style::Dim, &format!("{sign} {words}"))));
        if let Ok(output) = tokio::time::timeout(TURN, &mut future).await {
            return output;
        }
    }
    future.await
}

/// Takes the sign away, also when the wait was given up.
struct Shown<'a>(&'a Printer);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.tell("\r\x1b[K");
    }
}
