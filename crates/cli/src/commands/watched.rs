//! `--watch`: a list that is shown again whenever something changes.

use std::time::Duration;

use paseo_client::{Client, Error, Events};
use paseo_wire::error::Exit;
use paseo_wire::stream::Frame;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, timeout_at};

use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer, Redraw};

/// Changes that come faster are shown together.
const PAUSE: Duration = Duration::from_millis(100);
/// How often "5s ago" is made true again.
const AGE: Duration = Duration::from_secs(1);

/// A list that changes.
pub(super) trait Watched {
    type Page;

    /// Returns what of the stream tells of changes.
    fn topic(&self) -> String;

    /// Reads it as it is.
    async fn read(&self, client: &Client) -> Result<Self::Page, Error>;

    /// Returns the point in the log that it stands for.
    fn seq(page: &Self::Page) -> u64;

    /// Says whether there is nothing new to see.
    fn is_same(before: &Self::Page, page: &Self::Page) -> bool;

    /// Prints it for programs.
    fn print(&self, printer: &Printer, page: &Self::Page) -> Result<(), Failure>;

    /// Returns it as people read it.
    fn shown(&self, printer: &Printer, page: &Self::Page) -> String;

    /// Says why nothing will change any more, once that is so.
    fn over(&self, _page: &Self::Page) -> Option<String> {
        None
    }
}

/// Shows a list again whenever something changes.
pub(super) async fn run(
    context: &Context,
    client: &Client,
    printer: &Printer,
    list: &impl Watched,
) -> Result<Exit, Failure> {
    tokio::select! {
        ended = watch(context, client, printer, list) => ended,
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => {
                // The terminal shows the key on the line that the prompt would come on.
                if printer.is_screen() {
                    printer.end_line();
                }
                Ok(Exit::Interrupted)
            }
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    }
}

async fn watch<W: Watched>(
    context: &Context,
    client: &Client,
    printer: &Printer,
    list: &W,
) -> Result<Exit, Failure> {
    let mut redraw = printer.is_screen().then(|| Redraw::new(*printer));
    let unheard =
        |error| Failure::new(Exit::AgentError, format!("cannot watch the terminal's size: {error}"));
    let mut resized = signal(SignalKind::window_change()).map_err(unheard)?;
    let mut events: Option<Events> = None;
    let mut before: Option<W::Page> = None;
    loop {
        let page = client.insist(|| list.read(client)).await?;
        context.explain_version();
        let next = Instant::now() + PAUSE;
        let events = events.get_or_insert_with(|| client.events(W::seq(&page), &[list.topic()]));
        let same = before.as_ref().is_some_and(|before| W::is_same(before, &page));
        match (&mut redraw, printer.mode()) {
            (_, Mode::Json) if !same => list.print(printer, &page)?,
            (_, Mode::Json) => {}
            (Some(redraw), _) => redraw.show(&list.shown(&printer.measured(), &page))?,
            (None, _) if !same => printer.block(&(list.shown(printer, &page) + "\n"))?,
            (None, _) => {}
        }
        if let Some(why) = list.over(&page) {
            printer.note(&why);
            return Ok(Exit::Ok);
        }
        loop {
            let change = tokio::select! {
                change = changed(events, Instant::now() + AGE) => change?,
                _ = resized.recv() => false,
            };
            if change {
                break;
            }
            if let Some(redraw) = &mut redraw {
                redraw.show(&list.shown(&printer.measured(), &page))?;
            }
        }
        while changed(events, next).await? {}
        before = Some(page);
    }
}

/// Waits for a change. False when none came in time.
async fn changed(events: &mut Events, deadline: Instant) -> Result<bool, Failure> {
    loop {
        match timeout_at(deadline, events.next()).await {
            Ok(frame) => {
                if let Frame::Event(_) | Frame::Team(_) = frame? {
                    return Ok(true);
                }
            }
            Err(_) => return Ok(false),
        }
    }
}
