//! `paseo ls --watch`

use std::time::Duration;

use paseo_client::{Client, Events};
use paseo_wire::error::Exit;
use paseo_wire::session::{SessionPage, SessionQuery};
use paseo_wire::stream::Frame;
use tokio::time::{Instant, timeout_at};

use super::{all, hidden, table, view};
use crate::args::ListArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer, Redraw, Style};

/// Changes that come faster are shown together.
const PAUSE: Duration = Duration::from_millis(100);
/// How often "5s ago" is made true again.
const AGE: Duration = Duration::from_secs(1);

/// Shows the list again whenever something changes.
pub(super) async fn run(
    context: &Context,
    client: &Client,
    printer: &Printer,
    query: &SessionQuery,
    args: &ListArgs,
) -> Result<Exit, Failure> {
    tokio::select! {
        ended = watch(context, client, printer, query, args) => ended,
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => Ok(Exit::Interrupted),
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    }
}

async fn watch(
    context: &Context,
    client: &Client,
    printer: &Printer,
    query: &SessionQuery,
    args: &ListArgs,
) -> Result<Exit, Failure> {
    let mut redraw = printer.is_screen().then(|| Redraw::new(*printer));
    let mut events: Option<Events> = None;
    let mut before: Option<SessionPage> = None;
    loop {
        let page = client.insist(|| all(client, query.clone())).await?;
        context.explain_version();
        let next = Instant::now() + PAUSE;
        let events = events.get_or_insert_with(|| client.events(page.seq, &["sessions"]));
        let same = before
            .as_ref()
            .is_some_and(|before| (&before.sessions, before.hidden) == (&page.sessions, page.hidden));
        match (&mut redraw, printer.mode()) {
            (_, Mode::Json) if !same => printer.json(&view(&page))?,
            (_, Mode::Json) => {}
            (Some(redraw), _) => redraw.show(&shown(printer, &page, args))?,
            (None, _) if !same => printer.block(&(shown(printer, &page, args) + "\n"))?,
            (None, _) => {}
        }
        while !changed(events, Instant::now() + AGE).await? {
            if let Some(redraw) = &mut redraw {
                redraw.show(&shown(printer, &page, args))?;
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
                if let Frame::Event(_) = frame? {
                    return Ok(true);
                }
            }
            Err(_) => return Ok(false),
        }
    }
}

fn shown(printer: &Printer, page: &SessionPage, args: &ListArgs) -> String {
    if printer.mode() == Mode::Quiet {
        return page.sessions.iter().map(|session| format!("{}\n", session.handle)).collect();
    }
    let mut text = if page.sessions.is_empty() {
        "No agents to show.\n".to_owned()
    } else {
        let lines = page.sessions.iter().cloned().map(Into::into).collect();
        printer.rendered(&table(lines, args.global))
    };
    if let Some(hidden) = hidden(page.hidden, args).filter(|_| printer.is_screen()) {
        text.push_str(&printer.painted(Style::Dim, &hidden));
    }
    text
}
