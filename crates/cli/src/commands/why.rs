//! `paseo why`

use paseo_wire::error::Exit;
use paseo_wire::message::QueuedMessage;
use paseo_wire::permission::PermissionRequest;
use paseo_wire::session::{RetryView, SessionView};
use paseo_wire::time::Moment;
use paseo_wire::words::{HeldReason, Hold, Stage, Status, StatusSource};
use paseo_wire::worker::TerminalView;
use serde::Serialize;

use super::worker;
use crate::args::WhyArgs;
use crate::asks;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use crate::people::People;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, limit, relative, status_style};
use crate::signs::{Signs, attempt};

/// What `--json` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct WhyView {
    session: String,
    handle: String,
    status: Status,
    since: Moment,
    /// How the status is known.
    source: StatusSource,
    hold: Hold,
    /// What ends the hold.
    released_by: Option<String>,
    /// What has to happen before it goes on.
    waits_for: Option<String>,
    /// What exactly it waits to be allowed or told, oldest first.
    asks: Vec<PermissionRequest>,
    /// When a limit that was reached ends.
    parked_until: Option<Moment>,
    /// The attempt that is made because one broke off.
    retry: Option<RetryView>,
    /// When the harness last said anything in the turn under way.
    heard_at: Option<Moment>,
    turn: Option<String>,
    /// How it stands with the terminal of a worker.
    terminal: Option<String>,
    /// The request that the running turn descends from.
    cause: Option<String>,
    /// The newest message that it took up.
    last_delivery: Option<String>,
    /// Messages that wait, oldest first.
    queue: Vec<QueuedView>,
    /// Messages that wait and are not listed.
    unlisted: usize,
    error: Option<ErrorView>,
    /// What to do, as commands.
    next: Vec<String>,
    /// It has no process here.
    #[serde(skip)]
    elsewhere: bool,
}

/// A message that waits.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct QueuedView {
    delivery: String,
    /// Who sent it.
    origin: String,
    since: Moment,
    /// Queued or held.
    stage: Stage,
    why: String,
}

/// What went wrong last.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ErrorView {
    code: Option<String>,
    text: Option<String>,
    at: Moment,
}

/// What was found out beside the session itself.
#[derive(Debug, Default)]
struct Found {
    asks: Vec<PermissionRequest>,
    last_delivery: Option<String>,
    waiting: Vec<QueuedMessage>,
    error: Option<ErrorView>,
    /// Why the status of its terminal is unknown, and what to do about it.
    trouble: Option<String>,
    /// There is an answer to read.
    answered: bool,
}

pub(crate) async fn run(context: &Context, args: WhyArgs) -> Result<Exit, Failure> {
    let printer = context.printer.json_if(args.json);
    let client = context.client()?;
    let session = client.session(&args.handle).await?.session;
    let mut found = Found::default();
    if session.asks > 0 {
        found.asks = client.open_asks(Some(&session.id)).await?;
    }
    let message = client.last_message(&session.id).await?;
    found.last_delivery = message.and_then(|message| message.delivery().map(ToString::to_string));
    // A turn that was interrupted left no error: what there is was said of an older one.
    if session.status == Status::Error {
        found.error = client.last_error(&session.id).await?.map(|item| ErrorView {
            code: item.code().map(str::to_owned),
            at: item.ts,
            text: item.text,
        });
    }
    if session.queued + session.held > 0 {
        found.waiting = client.queue(&session.id).await?.messages;
    }
    if session.terminal.as_ref().is_some_and(|terminal| terminal.exit.is_none()) {
        // One that is closed is no worker any more.
        found.trouble = client.worker(&session.handle).await.ok().and_then(|shown| shown.worker.trouble);
    }
    if matches!(session.status, Status::Idle | Status::Closed) {
        // A caller that may not read the answer is not told to.
        found.answered = client.last_turn(&session.id).await.is_ok_and(|turn| turn.text.is_some());
    }
    let view = explain(session, found);
    if printer.mode() == Mode::Json {
        printer.json(&view)?;
    } else {
        let people = People::among(client, view.queue.iter().map(|one| one.origin.as_str())).await;
        show(&printer, &view, &people)?;
    }
    Ok(Exit::Ok)
}

/// Puts together what follows from what is known.
fn explain(session: SessionView, found: Found) -> WhyView {
    let unlisted = (session.queued + session.held).saturating_sub(found.waiting.len());
    let queue = found
        .waiting
        .into_iter()
        .map(|one| QueuedView {
            why: why_queued(&session, &one),
            delivery: one.delivery.into(),
            origin: one.origin.into(),
            since: one.since,
            stage: one.stage,
        })
        .collect();
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let signs = Signs { retry: session.retry, heard_at: session.heard_at, now_ms };
    WhyView {
        elsewhere: is_elsewhere(&session),
        terminal: session.terminal.as_ref().map(|terminal| in_terminal(terminal, found.trouble.as_deref())),
        released_by: released_by(&session),
        waits_for: waits_for(&session),
        next: next(&session, found.trouble.is_none(), found.answered),
        error: found.error.or_else(|| {
            let at = session.status_since;
            session.status_code.clone().map(|code| ErrorView { code: Some(code), text: None, at })
        }),
        session: session.id.into(),
        handle: session.handle,
        status: session.status,
        since: session.status_since,
        source: session.status_source,
        hold: session.hold,
        asks: found.asks,
        parked_until: session.parked_until,
        retry: signs.retry(),
        heard_at: session.heard_at,
        turn: session.turn.map(Into::into),
        cause: session.cause.map(Into::into),
        last_delivery: found.last_delivery,
        queue,
        unlisted,
    }
}

/// Says how it stands with the terminal of a worker.
fn in_terminal(terminal: &TerminalView, trouble: Option<&str>) -> String {
    let name = &terminal.name;
    if let Some(trouble) = trouble {
        return format!("{name}: status unknown: {trouble}");
    }
    match (&terminal.exit, terminal.person) {
        (Some(exit), _) => format!("{name}: {}", worker::told_end(exit)),
        (None, true) => format!("{name}: working on text typed in its terminal"),
        (None, false) => format!("{name}: paseo worker attach {name}"),
    }
}

fn released_by(session: &SessionView) -> Option<String> {
    let words = match session.hold {
        Hold::None => return None,
        Hold::Error => "the next message",
        Hold::Budget => "a message from a person, which resets the budget",
        _ => "a message from a person",
    };
    Some(words.to_owned())
}

/// Says whether it is external: nothing runs here.
pub(super) fn is_elsewhere(session: &SessionView) -> bool {
    session.provider == "external"
}

fn waits_for(session: &SessionView) -> Option<String> {
    let words = match session.status {
        Status::Waiting if session.terminal.is_some() => {
            "an answer to its permission request, in its terminal"
        }
        Status::Waiting => "an answer to its permission request",
        Status::Starting => match &session.status_reason {
            Some(reason) => reason.strip_prefix("waits for ").unwrap_or(reason),
            None if is_elsewhere(session) => "its server to accept the message",
            None => "its process to start",
        },
        Status::Running => match session.waits_for.as_deref() {
            Some(others @ [_, ..]) => return Some(format!("the answer of {}", others.join(", "))),
            _ if is_elsewhere(session) => "its server to post the answer",
            _ => "the model or a tool",
        },
        Status::Closed => "a person to reopen it",
        _ if session.parked_until.is_some() => {
            "the rate limit to end; a message from a person retries at once"
        }
        _ if session.hold != Hold::None && session.held + session.queued > 0 => "a message from a person",
        _ => return None,
    };
    Some(words.to_owned())
}

fn why_queued(session: &SessionView, one: &QueuedMessage) -> String {
    match (&one.stage, &one.reason) {
        (Stage::Held, reason) => {
            format!(
                "held until a person acts: {}",
                outcome::held(reason.as_ref().map_or("held", HeldReason::as_str))
            )
        }
        _ if session.turn.is_some() => "waiting for the current turn to end".to_owned(),
        _ if session.parked_until.is_some() => "waiting for the rate limit to end".to_owned(),
        _ if session.status == Status::Closed => format!("waiting: {}", outcome::held("closed")),
        _ if session.hold != Hold::None => format!("waiting: {}", outcome::held(session.hold.as_str())),
        _ => "about to be read".to_owned(),
    }
}

/// Returns commands that help. `reachable`: its terminal. `answered`: its last turn left an answer to read.
fn next(session: &SessionView, reachable: bool, answered: bool) -> Vec<String> {
    let handle = &session.handle;
    if let Some(TerminalView { name, .. }) = &session.terminal {
        let attach = reachable.then(|| format!("paseo worker attach {name}"));
        match session.status {
            Status::Waiting => return attach.into_iter().collect(),
            Status::Starting | Status::Running => {
                let others = [format!("paseo wait {handle}"), format!("paseo stop {handle}")];
                return attach.into_iter().chain(others).collect();
            }
            _ => {}
        }
    }
    let commands: &[&str] = match session.status {
        Status::Waiting if session.asks > 1 => return vec!["paseo permit ls".to_owned()],
        Status::Waiting => &["permit allow", "permit deny"],
        Status::Starting | Status::Running => &["attach", "wait", "stop"],
        Status::Error | Status::Interrupted => &["logs", "send"],
        Status::Closed if answered => &["reopen", "read"],
        Status::Closed => &["reopen"],
        _ if session.hold != Hold::None || !answered => &["send"],
        _ => &["read", "send"],
    };
    let words = |command: &str| if command == "send" { " \"…\"" } else { "" };
    commands.iter().map(|command| format!("paseo {command} {handle}{}", words(command))).collect()
}

/// Returns why it is on hold, in words.
pub(super) fn on_hold(hold: &str) -> String {
    match hold {
        "stopped" => "it was stopped".to_owned(),
        "error" => "its last turn failed".to_owned(),
        other => outcome::held(other),
    }
}

/// Returns who reported a status, in words.
fn known_from(source: &str, elsewhere: bool) -> &str {
    match source {
        "protocol" if elsewhere => "its server",
        "process_exit" if elsewhere => "its server, which is unreachable",
        "protocol" => "the provider",
        "process_exit" => "its process, which exited",
        "hook" => "a hook of the provider",
        "screen" => "its screen",
        "person" => "a person",
        "daemon" => "the daemon",
        "restart" => "the daemon, which restarted",
        other => other,
    }
}

/// How wide what stands before the values is.
const BESIDE: usize = "last message  ".len();

fn show(printer: &Printer, view: &WhyView, people: &People) -> Result<(), Failure> {
    let mut table = Table::new([Column::fixed(""), Column::fixed("")]);
    let mut row = |key: &str, style: Style, value: String| {
        if value.is_empty() {
            return;
        }
        for (index, line) in printer.wrapped(&value, BESIDE).into_iter().enumerate() {
            table.row([(Style::Dim, if index == 0 { key } else { " " }.to_owned()), (style, line)]);
        }
    };
    let since = format!("{} since {} ({})", view.status, clock(view.since), relative(view.since));
    row("agent", Style::Bold, view.handle.clone());
    row("status", status_style(view.status.as_str()), since);
    row("set by", Style::Plain, known_from(view.source.as_str(), view.elsewhere).to_owned());
    if let Some(released_by) = &view.released_by {
        row("on hold", Style::Yellow, on_hold(view.hold.as_str()));
        // What ends the limit, in the row below, also ends the hold.
        if view.parked_until.is_none() {
            row("released by", Style::Plain, released_by.clone());
        }
    }
    row("limit", Style::Yellow, view.parked_until.map(limit).unwrap_or_default());
    if let Some(retry) = view.retry {
        let since = format!("{} since {} ({})", attempt(retry), clock(retry.since), relative(retry.since));
        row("retries", Style::Yellow, since);
    }
    if let Some(heard) = view.heard_at {
        row("last heard", Style::Plain, format!("{} ({})", clock(heard), relative(heard)));
    }
    row("waiting for", Style::Plain, view.waits_for.clone().unwrap_or_default());
    for (index, ask) in view.asks.iter().enumerate() {
        let key = if index == 0 { "requests" } else { " " };
        // One is answered by the agent's name.
        let hash = match view.asks.len() {
            1 => String::new(),
            _ => format!(" ({})", asks::short(&ask.hash)),
        };
        row(key, Style::Yellow, format!("{}{hash}", asks::what(ask)));
    }
    if let Some(error) = &view.error {
        let parts = [error.code.as_deref(), error.text.as_deref()];
        let words: Vec<&str> = parts.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        // A hint is a line of its own: a command in it can be pasted.
        for (index, line) in words.join(": ").lines().enumerate() {
            row(if index == 0 { "error" } else { " " }, Style::Red, line.trim().to_owned());
        }
    }
    row("terminal", Style::Plain, view.terminal.clone().unwrap_or_default());
    row("turn", Style::Plain, view.turn.clone().unwrap_or_default());
    row("cause", Style::Plain, view.cause.clone().unwrap_or_default());
    row("last message", Style::Plain, view.last_delivery.clone().unwrap_or_default());
    for (index, one) in view.queue.iter().enumerate() {
        let key = if index == 0 { "queue" } else { " " };
        let from = format!(
            "{} from {} ({}): {}",
            one.delivery,
            people.shown(&one.origin),
            relative(one.since),
            one.why
        );
        row(key, Style::Plain, from);
    }
    if view.unlisted > 0 {
        row("queue", Style::Plain, format!("{} messages are waiting", view.unlisted));
    }
    for (index, command) in view.next.iter().enumerate() {
        row(if index == 0 { "next" } else { " " }, Style::Bold, command.clone());
    }
    printer.table(&table)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn session(status: &str, hold: &str) -> SessionView {
        serde_json::from_value(json!({
            "id": "i", "handle": "3f2a", "name": null, "title": null, "status": status,
            "status_source": "protocol", "status_since": "2026-01-31T12:00:00.000Z", "status_code": null,
            "hold": hold, "provider": "scripted", "model": null, "labels": {}, "project": "/p",
            "directory": "/p", "parent": null, "created_by": "human:cli",
            "created_at": "2026-01-31T12:00:00.000Z", "updated_at": "2026-01-31T12:00:00.000Z",
            "queued": 1, "held": 0, "turn": null, "cause": null, "ask": null, "asks": 0, "permissions": "full", "turns": 1,
            "usage": {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "cost_micros": null},
        }))
        .unwrap()
    }

    fn waiting(stage: &str, reason: Option<&str>) -> QueuedMessage {
        serde_json::from_value(json!({
            "delivery": "d", "origin": "human:cli", "cause": "c", "since": "2026-01-31T12:00:00.000Z",
            "stage": stage, "reason": reason, "text": "x", "full_length": 1, "position": 1, "editable": true,
            "movable": true, "releasable": false,
        }))
        .unwrap()
    }

    #[test]
    fn each_status_says_what_to_do() {
        for (status, command) in [
            ("idle", "paseo send 3f2a \"…\""),
            ("starting", "paseo attach 3f2a"),
            ("running", "paseo attach 3f2a"),
            ("waiting", "paseo permit allow 3f2a"),
            ("error", "paseo logs 3f2a"),
            ("interrupted", "paseo logs 3f2a"),
            ("closed", "paseo reopen 3f2a"),
        ] {
            assert_eq!(explain(session(status, "none"), Found::default()).next[0], command);
        }
    }

    #[test]
    fn an_answer_is_read_when_there_is_one() {
        let next =
            |status, answered| explain(session(status, "none"), Found { answered, ..Found::default() }).next;
        assert_eq!(next("idle", true), ["paseo read 3f2a", "paseo send 3f2a \"…\""]);
        assert_eq!(next("closed", true), ["paseo reopen 3f2a", "paseo read 3f2a"]);
        assert_eq!(next("closed", false), ["paseo reopen 3f2a"]);
    }

    #[test]
    fn a_worker_is_attached_to_in_its_terminal() {
        for status in ["starting", "running", "waiting"] {
            let terminal = Some(TerminalView {
                name: "red-1".to_owned(),
                exit: None,
                person: false,
                taken_over_by: None,
            });
            let worker = SessionView { terminal, ..session(status, "none") };
            assert_eq!(explain(worker, Found::default()).next[0], "paseo worker attach red-1", "{status}");
        }
    }

    #[test]
    fn nobody_speaks_of_processes_of_agents_elsewhere() {
        let words = |status: &str| {
            let view = explain(
                SessionView { provider: "external".into(), ..session(status, "none") },
                Found::default(),
            );
            format!("{:?} {}", view.waits_for, known_from(view.source.as_str(), view.elsewhere))
        };
        for status in ["starting", "running", "idle", "error", "interrupted"] {
            let words = words(status);
            assert!(!words.contains("process") && !words.contains("harness"), "{words}");
        }
        assert!(words("running").contains("its server to post the answer"));
    }

    #[test]
    fn each_message_says_why_it_waits() {
        let why = |hold, one| {
            let found = Found { waiting: vec![one], ..Found::default() };
            explain(session("idle", hold), found).queue.remove(0).why
        };
        assert_eq!(why("stopped", waiting("queued", None)), "waiting: the agent was stopped");
        assert!(why("none", waiting("held", Some("budget"))).contains("without a human message"));
        assert_eq!(why("none", waiting("queued", None)), "about to be read");
        let mut running = session("running", "none");
        running.turn = Some("t".into());
        assert_eq!(why_queued(&running, &waiting("queued", None)), "waiting for the current turn to end");
    }

    #[test]
    fn what_cannot_be_listed_is_counted() {
        let view = explain(session("idle", "stopped"), Found::default());
        assert_eq!((view.unlisted, view.released_by.as_deref()), (1, Some("a message from a person")));
    }
}
