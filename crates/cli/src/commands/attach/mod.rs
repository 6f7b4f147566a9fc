//! `paseo attach`

mod conversation;
mod source;
mod surface;
mod words;

use std::io::IsTerminal;
use std::time::Duration;

use paseo_client::{Client, Events};
use paseo_core::limits::PAGE_ROWS;
use paseo_wire::conversation::AgentSessionsQuery;
use paseo_wire::error::Exit;
use paseo_wire::item::ItemQuery;
use paseo_wire::session::SessionView;
use paseo_wire::words::{Hold, Status};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use self::conversation::{Conversation, Next};
use self::source::Came;
use self::surface::Surface;
use super::logs;
use super::run::directory;
use crate::args::AttachArgs;
use crate::consent;
use crate::context::Context;
use crate::editor::Typed;
use crate::failure::Failure;
use crate::printer::{Mode, Style};
use crate::terminal::Keys;

/// How many of the newest items are shown first.
const PAST: usize = 30;
/// How long to wait for the agent's status on exit.
const PARTING: Duration = Duration::from_secs(2);

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The person left.
    Left,
    /// By a signal.
    Signal,
    /// All that was sent has an outcome.
    Done(Exit),
    /// The agent is gone.
    Deleted,
}

pub(crate) async fn run(context: &Context, args: AttachArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json).plain_if(args.plain);
    let client = context.client()?;
    let session = match (&args.handle, &args.agent) {
        (_, Some(slug)) => newest(client, slug).await?,
        (Some(handle), None) => client.session(handle).await?.session,
        (None, None) => return Err(Failure::usage("no agent given")),
    };
    let handle = session.handle.clone();
    context.explain_version();
    consent::warn(&printer, session.notice.as_deref());

    let typed = std::io::stdin().is_terminal();
    let prompted = typed && printer.is_screen() && printer.mode() != Mode::Json;
    let unusable = |error| Failure::new(Exit::AgentError, format!("cannot use the terminal: {error}"));
    // Kept until the very end: dropping it brings the terminal back.
    let keys = if prompted { Some(Keys::take().map_err(unusable)?) } else { None };
    let surface = if prompted { Surface::prompted(printer)? } else { Surface::plain(printer) };
    let input = if prompted { source::keys() } else { source::lines() };

    let mut conversation = Conversation::new(client.clone(), session, surface, typed);
    let ending = converse(&mut conversation, client, &args, input).await;
    let left = conversation.surface.leave();
    drop(keys);
    match ending? {
        Ending::Left => printer.note(&farewell(&now(client, conversation.session).await)),
        Ending::Signal => {
            printer.note(&farewell(&now(client, conversation.session).await));
            return Ok(Exit::Interrupted);
        }
        Ending::Done(exit) => return Ok(exit),
        Ending::Deleted => printer.note(&format!("{handle} was deleted")),
    }
    left.map(|()| Exit::Ok)
}

/// Returns a session as it is, or as it was known last: news of it may still be on their way.
async fn now(client: &Client, known: SessionView) -> SessionView {
    match tokio::time::timeout(PARTING, client.session(&known.id)).await {
        Ok(Ok(answer)) => answer.session,
        Ok(Err(_)) | Err(_) => known,
    }
}

/// Prints the status of the agent on exit.
fn farewell(session: &SessionView) -> String {
    let SessionView { handle, status, hold, queued, .. } = session;
    let back = format!("To attach again: paseo attach {handle}");
    match status {
        Status::Waiting => {
            format!("{handle} is waiting for permission: paseo permit ls. {back}")
        }
        Status::Starting | Status::Running if *hold == Hold::Stopped => {
            format!("{handle} is stopping. {back}")
        }
        Status::Starting | Status::Running => {
            format!("{handle} keeps working. {back}. To stop it: paseo stop {handle}")
        }
        // Between two turns an agent is idle for a moment.
        Status::Idle if *queued > 0 && *hold == Hold::None => {
            format!("{handle} keeps working. {back}. To stop it: paseo stop {handle}")
        }
        _ => format!("{handle} is {status}. {back}"),
    }
}

/// Finds the newest session of a definition.
async fn newest(client: &Client, slug: &str) -> Result<SessionView, Failure> {
    let asked = AgentSessionsQuery { project: directory(None)?, limit: Some(1), after: None };
    let newest = client.agent_sessions(slug, &asked).await?.sessions.into_iter().next();
    let newest = newest.ok_or_else(|| {
        Failure::new(Exit::NotFound, format!("no agent with the definition `{slug}` in this directory"))
            .hint(format!("start one with `paseo switch {slug}`"))
    })?;
    Ok(client.session(&newest.id).await?.session)
}

/// Shows what happens and does what is typed, until there is a reason to leave.
async fn converse(
    conversation: &mut Conversation,
    client: &Client,
    args: &AttachArgs,
    mut input: mpsc::Receiver<Came>,
) -> Result<Ending, Failure> {
    let listen = |kind| {
        signal(kind)
            .map_err(|error| Failure::new(Exit::AgentError, format!("cannot wait for signals: {error}")))
    };
    let mut interrupted = listen(SignalKind::interrupt())?;
    let mut terminated = listen(SignalKind::terminate())?;
    let mut hung_up = listen(SignalKind::hangup())?;
    let mut resized = listen(SignalKind::window_change())?;
    let mut events = past(conversation, client, args).await?;
    if matches!(conversation.surface, Surface::Prompted(_)) {
        conversation.surface.aside(Style::Dim, "Type a message, or /help for commands. Ctrl-D detaches.")?;
    }
    loop {
        let next = tokio::select! {
            biased;
            _ = interrupted.recv() => return Ok(Ending::Signal),
            _ = terminated.recv() => return Ok(Ending::Signal),
            _ = hung_up.recv() => return Ok(Ending::Signal),
            _ = resized.recv() => {
                conversation.surface.redraw()?;
                Next::Listen
            }
            frame = events.next() => conversation.frame(&frame?).await?,
            came = input.recv(), if conversation.listens() => take(conversation, came).await?,
            // What is followed only answers here; what is shown comes by the stream above.
            outcome = conversation.outcome() => conversation.note(outcome?)?,
        };
        match next {
            Next::Listen => {}
            Next::Leave => return Ok(Ending::Left),
            Next::Gone => return Ok(Ending::Deleted),
        }
        if let Some(exit) = conversation.is_over(&events) {
            return Ok(Ending::Done(exit));
        }
    }
}

/// Takes what came from stdin.
async fn take(conversation: &mut Conversation, came: Option<Came>) -> Result<Next, Failure> {
    match came.unwrap_or(Came::End) {
        Came::End => return conversation.end_of_input(),
        Came::Line(line) => return conversation.line(&line).await,
        Came::Unusable(why) => conversation.surface.failure(&Failure::usage(why))?,
        Came::Keys(bytes) => {
            let typed = match &mut conversation.surface {
                Surface::Prompted(prompted) => prompted.editor.feed(&bytes),
                Surface::Plain(_) => Vec::new(),
            };
            conversation.surface.redraw()?;
            for typed in typed {
                let next = match typed {
                    Typed::Line(line) => conversation.line(&line).await?,
                    Typed::End => Next::Leave,
                };
                if !matches!(next, Next::Listen) {
                    return Ok(next);
                }
            }
        }
    }
    Ok(Next::Listen)
}

/// Shows the past and returns the present.
async fn past(
    conversation: &mut Conversation,
    client: &Client,
    args: &AttachArgs,
) -> Result<Events, Failure> {
    let session = conversation.session.id.clone();
    let start = match args.since {
        Some(_) => Some(logs::start(client, &session, args.since).await?),
        None => None,
    };
    let mut query = match &start {
        Some(start) => ItemQuery { after: Some(start.after), limit: Some(PAGE_ROWS), ..ItemQuery::default() },
        None => ItemQuery { limit: Some(PAST), ..ItemQuery::default() },
    };
    loop {
        let page = client.items(&session, &query).await?;
        if start.is_none() && page.earlier.is_some() {
            let earlier = format!("earlier entries: paseo logs {}", conversation.session.handle);
            conversation.surface.aside(Style::Dim, &earlier)?;
        }
        for item in &page.items {
            let wanted = start.as_ref().is_none_or(|start| item.ts.as_millis() >= start.not_before);
            conversation.item(item, wanted).await?;
        }
        match page.items.last() {
            Some(last) if page.next.is_some() => {
                query = ItemQuery { after: Some(last.ordinal), before: None, ..query }
            }
            _ => return Ok(client.events(page.seq, &[format!("session:{session}")])),
        }
    }
}
