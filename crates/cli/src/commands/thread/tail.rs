//! `paseo thread tail`

use std::collections::HashMap;

use paseo_client::{Arrival, Client};
use paseo_core::limits::PAGE_ROWS;
use paseo_wire::error::Exit;
use paseo_wire::stream::Frame;
use paseo_wire::thread::{ThreadEvent, ThreadEventQuery};

use super::shown;
use crate::args::TailArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer};
use crate::settings::Settings;

pub(super) async fn run(context: &Context, args: TailArgs) -> Result<Exit, Failure> {
    let client = context.client()?;
    let thread = client.thread(&args.thread).await?.thread;
    let mut shown = Shown {
        settings: &context.settings,
        printer: context.printer.json_if(args.json),
        ids: args.ids,
        last: 0,
        authors: HashMap::new(),
    };
    let seq = match args.from {
        Some(from) => onward(client, &thread.id, from, &mut shown).await?,
        None => newest(client, &thread.id, args.lines, &mut shown).await?,
    };
    if !args.follow {
        return Ok(Exit::Ok);
    }
    context.explain_version();
    tokio::select! {
        ended = follow(context, &thread.id, seq, shown) => ended,
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => Ok(Exit::Interrupted),
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    }
}

/// Shows everything from an event on, and returns the point in the log to stream from.
async fn onward(client: &Client, thread: &str, from: String, shown: &mut Shown<'_>) -> Result<u64, Failure> {
    let limit = Some(PAGE_ROWS);
    let mut query = ThreadEventQuery { from: Some(from.into()), limit, ..ThreadEventQuery::default() };
    let mut seq = None;
    loop {
        let page = client.thread_events(thread, &query).await?;
        // What happens while the pages are read is in the next of them, or is streamed from the first one on.
        let first = *seq.get_or_insert(page.seq);
        for event in &page.events {
            shown.show(client, event).await?;
        }
        match page.next {
            Some(next) => query = ThreadEventQuery { after: Some(next), limit, ..Default::default() },
            None => return Ok(first),
        }
    }
}

/// Shows the newest events, and returns the point in the log to stream from.
async fn newest(client: &Client, thread: &str, count: usize, shown: &mut Shown<'_>) -> Result<u64, Failure> {
    let (mut pages, mut missing, mut seq, mut before) = (Vec::new(), count, None, None);
    loop {
        // Without any, the start of the stream is still told.
        let limit = Some(missing.clamp(1, PAGE_ROWS));
        let query = ThreadEventQuery { before, limit, ..ThreadEventQuery::default() };
        let page = client.thread_events(thread, &query).await?;
        let first = *seq.get_or_insert(page.seq);
        if count == 0 {
            shown.last = page.events.last().map_or(0, |event| event.version);
            return Ok(first);
        }
        missing = missing.saturating_sub(page.events.len());
        before = page.earlier;
        pages.push(page.events);
        if missing == 0 || before.is_none() {
            for event in pages.iter().rev().flatten() {
                shown.show(client, event).await?;
            }
            return Ok(first);
        }
    }
}

async fn follow(context: &Context, thread: &str, seq: u64, mut shown: Shown<'_>) -> Result<Exit, Failure> {
    let client = context.client()?;
    let mut events = client.events(seq, &[format!("thread:{thread}")]);
    loop {
        match events.arrival().await? {
            Arrival::Lost => shown.printer.lost(),
            Arrival::Frame(Frame::Thread(frame)) => {
                // Between the page and its seq an event may be in both.
                if let Some(event) = frame.event.filter(|event| event.version > shown.last) {
                    shown.show(client, &event).await?;
                }
                if frame.deleted {
                    shown.printer.note("the thread was deleted");
                    return Ok(Exit::Ok);
                }
            }
            Arrival::Frame(_) => {}
        }
    }
}

/// What was shown already.
struct Shown<'a> {
    settings: &'a Settings,
    printer: Printer,
    ids: bool,
    /// The version of the newest.
    last: u64,
    /// Who said what, by its id.
    authors: HashMap<String, String>,
}

impl Shown<'_> {
    async fn show(&mut self, client: &Client, event: &ThreadEvent) -> Result<(), Failure> {
        self.last = event.version;
        if self.printer.mode() == Mode::Json {
            return self.printer.json(event);
        }
        let answered = match &event.meta.reply_to {
            Some(id) => Some(self.author(client, &event.thread, id).await),
            None => None,
        };
        shown::event(&self.printer, event, answered.as_deref(), self.ids, self.settings)?;
        self.authors.insert(event.id.to_string(), event.from.to_string());
        Ok(())
    }

    /// Returns who said something, perhaps before the first event that is shown; its id if that is no longer known.
    async fn author(&mut self, client: &Client, thread: &str, id: &str) -> String {
        if let Some(author) = self.authors.get(id) {
            return author.clone();
        }
        let query = ThreadEventQuery { from: Some(id.into()), limit: Some(1), ..ThreadEventQuery::default() };
        let found = client.thread_events(thread, &query).await.ok();
        let author = found
            .and_then(|page| page.events.into_iter().next())
            .map_or(id.to_owned(), |event| event.from.into());
        self.authors.insert(id.to_owned(), author.clone());
        author
    }
}
