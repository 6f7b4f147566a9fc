//! `paseo thread tail`

use paseo_client::Arrival;
use paseo_core::limits::PAGE_ROWS;
use paseo_wire::error::Exit;
use paseo_wire::stream::Frame;
use paseo_wire::thread::{ThreadEvent, ThreadEventQuery};

use super::shown;
use crate::args::TailArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer};

pub(super) async fn run(context: &Context, args: TailArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    let thread = client.thread(&args.thread).await?.thread;
    let limit = if args.from.is_some() { PAGE_ROWS } else { args.lines.clamp(1, PAGE_ROWS) };
    let mut query = ThreadEventQuery { from: args.from, limit: Some(limit), ..ThreadEventQuery::default() };
    let (mut last, mut seq) = (0, None);
    loop {
        let whole = query.from.is_some() || query.after.is_some();
        let page = client.thread_events(&thread.id, &query).await?;
        // What happens while the pages are read is in the next of them, or is streamed from the first one on.
        seq = seq.or(Some(page.seq));
        for event in &page.events {
            last = event.version;
            show(&printer, event, args.ids)?;
        }
        match page.next.filter(|_| whole) {
            Some(next) => {
                query = ThreadEventQuery { after: Some(next), limit: Some(limit), ..Default::default() }
            }
            None => break,
        }
    }
    let seq = seq.unwrap_or_default();
    if !args.follow {
        return Ok(Exit::Ok);
    }
    context.explain_version();
    tokio::select! {
        ended = follow(context, &printer, &thread.id, seq, last, args.ids) => ended,
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => Ok(Exit::Interrupted),
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    }
}

async fn follow(
    context: &Context,
    printer: &Printer,
    thread: &str,
    seq: u64,
    mut last: u64,
    ids: bool,
) -> Result<Exit, Failure> {
    let mut events = context.client()?.events(seq, &[format!("thread:{thread}")]);
    loop {
        match events.arrival().await? {
            Arrival::Lost => printer.lost(),
            Arrival::Frame(Frame::Thread(frame)) => {
                // Between the page and its seq an event may be in both.
                if let Some(event) = frame.event.filter(|event| event.version > last) {
                    last = event.version;
                    show(printer, &event, ids)?;
                }
            }
            Arrival::Frame(_) => {}
        }
    }
}

fn show(printer: &Printer, event: &ThreadEvent, ids: bool) -> Result<(), Failure> {
    if printer.mode() == Mode::Json { printer.json(event) } else { shown::event(printer, event, ids) }
}
