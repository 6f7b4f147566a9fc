//! `paseo logs`

use jiff::Timestamp;
use paseo_client::{Arrival, Client};
use paseo_core::limits::PAGE_ROWS;
use paseo_wire::change::SessionChange;
use paseo_wire::error::Exit;
use paseo_wire::item::{ItemBody, ItemQuery, ItemView};
use paseo_wire::stream::{Frame, LiveFrame};
use paseo_wire::words::{ItemKind, LiveKind};

use crate::args::{LogsArgs, Since};
use crate::context::Context;
use crate::failure::Failure;
use crate::growth::Growth;
use crate::people::People;
use crate::printer::{Live, Look, Mode, Printer};
use crate::transcript::{self, Block, Body, Clearing, Extent, Fate, Transcript};

pub(crate) async fn run(context: &Context, args: LogsArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json).plain_if(args.plain);
    let client = context.client()?;
    let session = client.session(&args.handle).await?.session;
    let extent = match (args.full, args.stat) {
        (true, _) => Extent::Whole,
        (false, true) => Extent::Counted,
        (false, false) => Extent::Folded,
    };
    let mut place = Place {
        client,
        printer: &printer,
        session: &session.id,
        transcript: Transcript::new(extent),
        people: People::default(),
        superseded: args.superseded,
        begun: false,
        live: Live::on_stdout(printer),
        growth: Growth::default(),
    };
    let start = match args.lines {
        Some(lines) => newest(&place, lines).await?,
        None => start(client, &session.id, args.since).await?,
    };
    let mut after = start.after;
    let mut clearing = Clearing::default();
    let seq = loop {
        let query = ItemQuery { after: Some(after), limit: Some(PAGE_ROWS), ..ItemQuery::default() };
        let page = client.items(&session.id, &query).await?;
        let (last, newer) = (page.items.last().map(|item| item.ordinal), page.next.is_some());
        for item in page.items.into_iter().filter(|item| item.ts.as_millis() >= start.not_before) {
            match clearing.next(&item) {
                _ if !place.wants(&item) => {}
                Fate::Shown => place.show(item).await?,
                _ if printer.mode() == Mode::Json => printer.json(&item)?,
                Fate::Cleared => place.print(&cleared())?,
                Fate::Hidden => {}
            }
        }
        after = last.unwrap_or(after);
        if !newer || last.is_none() {
            break page.seq;
        }
    };
    if !args.follow {
        place.rest()?;
        if after == 0 {
            printer.note(&format!("{} has no transcript yet", session.handle));
        }
        return Ok(Exit::Ok);
    }
    context.explain_version();
    tokio::select! {
        ended = follow(&mut place, seq, after) => ended,
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
        if page.earlier.is_none() || first.ts.as_millis() < not_before {
            return Ok(Start { after: first.ordinal.saturating_sub(1), not_before });
        }
        before = Some(first.ordinal);
    }
}

/// Finds the place from which so many entries are left, page by page from the end. What is not shown is none.
async fn newest(place: &Place<'_>, lines: usize) -> Result<Start, Failure> {
    let (client, session) = (place.client, place.session);
    let is_entry = |item: &&ItemView| {
        let shown = place.printer.mode() == Mode::Json || transcript::is_entry(item);
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
        if page.earlier.is_none() {
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
    transcript: Transcript,
    people: People,
    /// Attempts that broke off are shown as well.
    superseded: bool,
    /// Something was printed.
    begun: bool,
    live: Live,
    growth: Growth,
}

impl Place<'_> {
    /// Says whether an item is shown at all.
    fn wants(&self, item: &ItemView) -> bool {
        self.superseded || !item.superseded
    }

    /// Shows an item; where all is wanted, the text that its page left out is read first.
    async fn show(&mut self, mut item: ItemView) -> Result<(), Failure> {
        if self.transcript.extent() == Extent::Whole && item.full_length.is_some() {
            let text = self.client.insist(|| self.client.full_text(self.session, &item)).await?;
            item.text = Some(text);
            item.full_length = None;
        }
        if self.printer.mode() == Mode::Json {
            return self.printer.json(&item);
        }
        if self.has_grown(&item) {
            return Ok(());
        }
        meet(&mut self.people, self.client, &item).await;
        for block in self.transcript.take(&item, &self.people) {
            self.print(&block)?;
        }
        Ok(())
    }

    /// Shows calls that have no result.
    fn rest(&mut self) -> Result<(), Failure> {
        let rest = if self.printer.mode() == Mode::Json { Vec::new() } else { self.transcript.rest() };
        rest.iter().try_for_each(|block| self.print(block))
    }

    /// Prints a block, apart from the one before.
    fn print(&mut self, block: &Block) -> Result<(), Failure> {
        self.live.settle();
        if std::mem::replace(&mut self.begun, true) && block.stamp.is_some() {
            self.printer.line("")?;
        }
        show(self.printer, block)
    }

    /// Shows more of a text that the agent is saying.
    fn grow(&mut self, frame: &LiveFrame) -> Result<(), Failure> {
        let look = match frame.kind {
            LiveKind::AssistantText => self.printer.look(false),
            LiveKind::Thinking => Look::THOUGHT,
            _ => return Ok(()),
        };
        if self.printer.mode() == Mode::Json || !self.printer.is_screen() {
            return Ok(());
        }
        let Some((new, begins)) = self.growth.piece(frame) else { return Ok(()) };
        if begins {
            let head = if look == Look::THOUGHT { "agent, thinking" } else { "agent" };
            self.print(&Block::head(head))?;
        }
        self.live.grow(look, new);
        Ok(())
    }

    /// Ends a text that was shown while it grew. False when it was not.
    fn has_grown(&mut self, item: &ItemView) -> bool {
        let Some(rest) = self.growth.rest(item) else { return false };
        if !rest.is_empty() {
            let look =
                if item.kind() == ItemKind::Thinking { Look::THOUGHT } else { self.printer.look(false) };
            self.live.grow(look, rest);
        }
        self.live.settle();
        true
    }
}

/// Learns the names of those who act in an item.
pub(super) async fn meet(people: &mut People, client: &Client, item: &ItemView) {
    let actor = match &item.body {
        ItemBody::UserText(said) => Some(&said.origin),
        ItemBody::Permission(asked) => asked.by.as_ref(),
        _ => None,
    };
    if let Some(actor) = actor {
        people.meet(client, actor).await;
    }
}

fn cleared() -> Block {
    Block::head("cleared")
}

async fn follow(place: &mut Place<'_>, seq: u64, mut after: u64) -> Result<Exit, Failure> {
    let (client, printer, session) = (place.client, place.printer, place.session);
    let mut events = client.events(seq, &[format!("session:{session}")]);
    loop {
        let frame = match events.arrival().await? {
            Arrival::Frame(frame) => frame,
            Arrival::Lost => {
                place.live.settle();
                printer.lost();
                continue;
            }
        };
        match frame {
            // Between the page and its seq an item may be in both.
            Frame::Item(frame) if frame.session == session && frame.item.ordinal > after => {
                after = frame.item.ordinal;
                match place.wants(&frame.item) {
                    true => place.show(frame.item).await?,
                    false if place.has_grown(&frame.item) => {
                        place.print(&Block::head(transcript::BROKE_OFF))?
                    }
                    false => {}
                }
            }
            Frame::Live(live) if live.session == session => place.grow(&live)?,
            Frame::Event(event)
                if event.session == session && matches!(event.change, SessionChange::Deleted {}) =>
            {
                printer.note("the agent was deleted");
                return Ok(Exit::Ok);
            }
            Frame::Event(_)
            | Frame::Item(_)
            | Frame::Live(_)
            | Frame::Thread(_)
            | Frame::Team(_)
            | Frame::Cause(_)
            | Frame::Resume(_)
            | Frame::Cursor(_) => {}
        }
    }
}

/// Prints a block.
pub(super) fn show(printer: &Printer, block: &Block) -> Result<(), Failure> {
    let head = block.line();
    if !head.is_empty() {
        printer.head(block.style, &head)?;
    }
    match &block.body {
        Body::Nothing => Ok(()),
        Body::Text(text) => printer.prose(text),
        Body::Answer(text) => printer.answer(text),
        Body::Rows(rows) => printer.rows(rows),
    }
}
