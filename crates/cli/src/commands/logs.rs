//! `paseo logs`

use jiff::Timestamp;
use paseo_client::{Arrival, Client};
use paseo_core::limits::PAGE_ROWS;
use paseo_wire::error::Exit;
use paseo_wire::item::{ItemQuery, ItemView};
use paseo_wire::stream::Frame;
use serde_json::Value;

use crate::args::{LogsArgs, Since};
use crate::context::Context;
use crate::failure::Failure;
use crate::people::People;
use crate::printer::{Mode, Printer, Style};
use crate::transcript::{self, Clearing, Extent, Fate};

pub(crate) async fn run(context: &Context, args: LogsArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    let session = client.session(&args.handle).await?.session;
    let extent = if args.full { Extent::Whole } else { Extent::Folded };
    let superseded = args.superseded;
    let place = Place { client, printer: &printer, session: &session.id, extent, superseded };
    let start = match args.lines {
        Some(lines) => newest(&place, lines).await?,
        None => start(client, &session.id, args.since).await?,
    };
    let mut after = start.after;
    let mut clearing = Clearing::default();
    let seq = loop {
        let query = ItemQuery { after: Some(after), limit: Some(PAGE_ROWS), ..ItemQuery::default() };
        let page = client.items(&session.id, &query).await?;
        let (last, newer) = (page.items.last().map(|item| item.ordinal), page.newer);
        for item in page.items.into_iter().filter(|item| item.ts.as_millis() >= start.not_before) {
            match clearing.next(&item) {
                _ if !place.wants(&item) => {}
                Fate::Shown => place.show(item).await?,
                _ if printer.mode() == Mode::Json => printer.json(&item)?,
                Fate::Cleared => {
                    printer.styled(&[(Style::Dim, "cleared")]).and_then(|()| printer.line(""))?
                }
                Fate::Hidden => {}
            }
        }
        after = last.unwrap_or(after);
        if !newer || last.is_none() {
            break page.seq;
        }
    };
    if !args.follow {
        if after == 0 {
            printer.note(&format!("{} has no transcript yet", session.handle));
        }
        return Ok(Exit::Ok);
    }
    context.explain_version();
    tokio::select! {
        ended = follow(&place, seq, after) => ended,
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => Ok(Exit::Interrupted),
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    }
}

/// Where to begin.
pub(super) struct Start {
    /// Items above this ordinal.
    pub(super) after: u64,
    /// Of those, the ones from this moment on.
    pub(super) not_before: i64,
}

/// Finds the place to begin, page by page from the end.
pub(super) async fn start(client: &Client, session: &str, since: Option<Since>) -> Result<Start, Failure> {
    let not_before = match since {
        None => return Ok(Start { after: 0, not_before: i64::MIN }),
        Some(Since::Ordinal(ordinal)) => {
            return Ok(Start { after: ordinal.saturating_sub(1), not_before: i64::MIN });
        }
        Some(Since::Ago(ago)) => {
            let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
            Timestamp::now().as_millisecond().saturating_sub(ago)
        }
        Some(Since::Moment(moment)) => moment.as_millisecond(),
    };
    let mut before = None;
    loop {
        let query = ItemQuery { before, limit: Some(PAGE_ROWS), ..ItemQuery::default() };
        let page = client.items(session, &query).await?;
        let Some(first) = page.items.first() else { return Ok(Start { after: 0, not_before }) };
        if !page.older || first.ts.as_millis() < not_before {
            return Ok(Start { after: first.ordinal.saturating_sub(1), not_before });
        }
        before = Some(first.ordinal);
    }
}

/// Finds the place from which so many entries are left, page by page from the end. What is not shown is none.
async fn newest(place: &Place<'_>, lines: usize) -> Result<Start, Failure> {
    let Place { client, session, .. } = *place;
    let is_entry = |item: &&ItemView| {
        let shown = place.printer.mode() == Mode::Json || transcript::block(item, Extent::Folded).is_some();
        shown && place.wants(item)
    };
    let (mut before, mut left) = (None, lines);
    loop {
        let query = ItemQuery { before, limit: Some(PAGE_ROWS), ..ItemQuery::default() };
        let page = client.items(session, &query).await?;
        let from = |after: u64| Start { after, not_before: i64::MIN };
        let (Some(first), Some(last)) = (page.items.first(), page.items.last()) else { return Ok(from(0)) };
        if left == 0 {
            return Ok(from(last.ordinal));
        }
        let mut entries = page.items.iter().rev().filter(is_entry);
        if let Some(entry) = entries.nth(left - 1) {
            return Ok(from(entry.ordinal.saturating_sub(1)));
        }
        if !page.older {
            return Ok(from(0));
        }
        left -= page.items.iter().filter(is_entry).count();
        before = Some(first.ordinal);
    }
}

/// Whose transcript is shown, how much of it, and where.
struct Place<'a> {
    client: &'a Client,
    printer: &'a Printer,
    session: &'a str,
    extent: Extent,
    /// Attempts that broke off are shown as well.
    superseded: bool,
}

impl Place<'_> {
    /// Says whether an item is shown at all.
    fn wants(&self, item: &ItemView) -> bool {
        self.superseded || !item.superseded
    }

    /// Shows an item; where all is wanted, the text that its page left out is read first.
    async fn show(&self, mut item: ItemView) -> Result<(), Failure> {
        if self.extent == Extent::Whole && item.full_length.is_some() {
            let text = self.client.insist(|| self.client.full_text(self.session, &item)).await?;
            item.text = Some(text);
            item.full_length = None;
        }
        if self.printer.mode() != Mode::Json
            && let Some(Value::String(origin)) = item.fields.get_mut("origin")
        {
            let people = People::among(self.client, [origin.as_str()]);
            *origin = people.await.shown(origin);
        }
        show(self.printer, &item, self.extent)
    }
}

async fn follow(place: &Place<'_>, seq: u64, mut after: u64) -> Result<Exit, Failure> {
    let Place { client, printer, session, .. } = *place;
    let mut events = client.events(seq, &[format!("session:{session}")]);
    loop {
        let frame = match events.arrival().await? {
            Arrival::Frame(frame) => frame,
            Arrival::Lost => {
                printer.lost();
                continue;
            }
        };
        match frame {
            // Between the page and its seq an item may be in both.
            Frame::Item(frame) if frame.session == session && frame.item.ordinal > after => {
                after = frame.item.ordinal;
                if place.wants(&frame.item) {
                    place.show(frame.item).await?;
                }
            }
            Frame::Event(event) if event.session == session && event.kind == "session.deleted" => {
                printer.note("the agent was deleted");
                return Ok(Exit::Ok);
            }
            Frame::Event(_)
            | Frame::Item(_)
            | Frame::Live(_)
            | Frame::Thread(_)
            | Frame::Team(_)
            | Frame::Resume(_)
            | Frame::Cursor(_) => {}
        }
    }
}

/// Prints an item as a block, or as JSON.
pub(super) fn show(printer: &Printer, item: &ItemView, extent: Extent) -> Result<(), Failure> {
    if printer.mode() == Mode::Json {
        return printer.json(item);
    }
    let Some((head, text)) = transcript::block(item, extent) else { return Ok(()) };
    printer.styled(&[(head_style(item), &head)])?;
    if !text.is_empty() {
        printer.text(&text)?;
    }
    printer.line("")
}

/// Returns how the head of an item stands out.
pub(super) fn head_style(item: &ItemView) -> Style {
    match item.kind.as_str() {
        "error" => Style::Red,
        "permission" => Style::Yellow,
        "user_text" => Style::Bold,
        _ => Style::Dim,
    }
}
