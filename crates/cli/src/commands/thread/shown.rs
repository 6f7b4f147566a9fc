//! Threads as people read them.

use std::collections::BTreeSet;

use paseo_client::Client;
use paseo_core::skill::word;
use paseo_core::team::in_order;
use paseo_core::thread::{COORDINATOR, USER};
use paseo_wire::id::ThreadId;
use paseo_wire::thread::{Participant, PresenceList, ThreadEvent, ThreadView};
use paseo_wire::words::{PresenceState, Status, ThreadEventKind};
use paseo_wire::worker::WorkerView;
use serde_json::Value;

use crate::failure::Failure;
use crate::printer::{Column, Printer, Style, Table, clock, relative};
use crate::short::short;

/// Returns a list of threads.
pub(super) fn table(threads: Vec<ThreadView>) -> Table<6> {
    let ids: Vec<ThreadId> = threads.iter().map(|thread| thread.id.clone()).collect();
    let of_teams = threads.iter().any(|thread| thread.team.is_some());
    let mut table = Table::new([
        Column::flexible("NAME"),
        // It is what the thread is called by.
        Column::fixed(if of_teams { "TEAM" } else { "" }).optional(),
        Column::flexible("PARTICIPANTS").optional(),
        Column::fixed("MESSAGES").optional(),
        Column::fixed("UPDATED").optional(),
        Column::key("ID"),
    ])
    .strict();
    for thread in threads {
        let name =
            if thread.state.paused { format!("{} (paused)", thread.name) } else { thread.name.clone() };
        table.row([
            (Style::Bold, name),
            (Style::Plain, called(&thread).unwrap_or_default()),
            (Style::Plain, participants(&thread)),
            (Style::Plain, thread.messages.to_string()),
            (Style::Dim, relative(thread.updated_at)),
            (Style::Dim, short(&thread.id, &ids)),
        ]);
    }
    table
}

/// Returns what a team calls one of its threads, with the team.
fn called(thread: &ThreadView) -> Option<String> {
    Some(format!("{}/{}", thread.team.as_ref()?, thread.alias.as_ref()?))
}

/// Returns who takes part in a thread: who is invited, and who of its team does.
pub(super) fn participants(thread: &ThreadView) -> String {
    let invited = thread.state.participants.invited.iter().map(|seat| &seat.id);
    let all: BTreeSet<&str> = invited.chain(&thread.members).map(String::as_str).collect();
    if all.is_empty() { "-".to_owned() } else { in_order(all).join(", ") }
}

/// Shows one thread.
pub(super) async fn thread(
    client: &Client,
    printer: &Printer,
    thread: &ThreadView,
    presence: &PresenceList,
    workers: &[WorkerView],
) -> Result<(), Failure> {
    printer.styled(&[(Style::Bold, &thread.name), (Style::Dim, &format!("  {}", thread.id))])?;
    let state = &thread.state;
    let directory = thread.directory.as_deref().unwrap_or("none; set it with `paseo thread cwd`");
    printer.line(&format!("directory   {directory}"))?;
    if let Some(called) = called(thread) {
        printer.line(&format!("team        {called}"))?;
        printer.line(&format!("members     {}", participants(thread)))?;
    }
    let on = |on: bool| if on { "on" } else { "off" };
    printer.line(&format!("paused      {}", on(state.paused)))?;
    printer
        .line(&format!("discuss     {}", on(state.discussion.on && state.discussion.allow_agent_mentions)))?;
    printer.line(&format!("auto        {}", on(state.invited_auto.on)))?;
    if state.held > 0 {
        let kept = match state.held {
            1 => "1 reply, until its author is unmuted".to_owned(),
            several => format!("{several} replies, until their authors are unmuted"),
        };
        printer.line(&format!("held        {kept}"))?;
    }
    printer.line("")?;
    let guests = guests(thread, presence);
    if state.participants.invited.is_empty() {
        if thread.team.is_none() {
            printer.note(&lonely(client, &thread.name).await);
        }
        if guests.is_empty() {
            return Ok(());
        }
    }
    let mut table = Table::new([
        Column::flexible("PARTICIPANT"),
        Column::fixed("STATE"),
        Column::fixed("AGENT").optional(),
        Column::flexible("CLIENT").optional(),
        Column::flexible("MODEL").optional(),
        Column::flexible("ROLES").optional(),
    ])
    .strict();
    for seat in &state.participants.invited {
        let Participant { id, profile, .. } = seat;
        let doing = doing(thread, presence, id, seat.status.as_ref());
        let name = match &profile.nickname {
            Some(nickname) => format!("{id} ({nickname})"),
            None => id.clone(),
        };
        table.row([
            (Style::Bold, name),
            (Style::Plain, doing),
            (Style::Plain, seat.handle.clone().unwrap_or_default()),
            (Style::Plain, profile.client.clone().unwrap_or_default()),
            (Style::Dim, profile.model.clone().unwrap_or_default()),
            (Style::Dim, profile.roles.clone().unwrap_or_default().join(", ")),
        ]);
    }
    for id in guests {
        let doing = match workers.iter().find(|worker| worker.name == id) {
            Some(worker) => format!("worker, {}", worker.status),
            None => format!("{}, not invited", doing(thread, presence, id, None)),
        };
        let none = || (Style::Dim, String::new());
        table.row([(Style::Bold, id.to_owned()), (Style::Plain, doing), none(), none(), none(), none()]);
    }
    printer.table(&table)
}

/// Says how somebody is invited into a thread that has nobody.
pub(super) async fn lonely(client: &Client, name: &str) -> String {
    let known = client.providers().await.map(|list| list.providers).unwrap_or_default();
    let provider = known.iter().find(|provider| provider.default).map_or("claude", |found| &found.name);
    format!("No participants yet. Invite one: paseo thread invite {} {provider}", word(name))
}

/// Returns who is known here without being invited: who spoke, who says what they are doing, and who is muted.
fn guests<'a>(thread: &'a ThreadView, presence: &'a PresenceList) -> BTreeSet<&'a str> {
    let there = presence.participants.iter().map(|known| known.id.as_str());
    let others = thread.state.guests.iter().chain(&thread.state.muted).map(String::as_str);
    let known = there.chain(others);
    let invited = |id: &&str| thread.state.participants.invited.iter().any(|seat| seat.id == **id);
    known.filter(|id| ![USER, COORDINATOR].contains(id) && !invited(id)).collect()
}

fn doing(thread: &ThreadView, presence: &PresenceList, id: &str, status: Option<&Status>) -> String {
    let there = presence.participants.iter().find(|known| known.id == id);
    // Nobody is just idle who waits for a person.
    let halted =
        status.filter(|status| matches!(status, Status::Error | Status::Interrupted | Status::Waiting));
    let offline = PresenceState::Offline;
    let present = there.map_or(&offline, |known| &known.state).as_str();
    let state = halted.map_or(present, Status::as_str);
    let muted = if thread.state.muted.iter().any(|muted| muted == id) { ", muted" } else { "" };
    format!("{state}{muted}")
}

/// Shows something that happened.
pub(super) fn event(
    printer: &Printer,
    event: &ThreadEvent,
    answers: Option<&str>,
    ids: bool,
) -> Result<(), Failure> {
    let to = if event.to == "all" { String::new() } else { format!(" to {}", event.to) };
    // Who speaks is said by `from` and `via`; a tag that others gave is shown as it is.
    let coordinated = event.from == COORDINATOR || event.meta.via.is_some();
    let is_shown = |tag: &&str| !(coordinated && *tag == "coordinator");
    let tags: Vec<&str> = event.meta.tags.iter().map(String::as_str).filter(is_shown).collect();
    let tags = if tags.is_empty() { String::new() } else { format!("  [{}]", tags.join(", ")) };
    let style = match (event.kind.as_str(), event.meta.tags.iter().any(|tag| tag == "error")) {
        (_, true) => Style::Red,
        ("message", false) => Style::Bold,
        _ => Style::Dim,
    };
    let answers = answers.map(|whom| format!("  (answers {whom})")).unwrap_or_default();
    let head = format!("{}{to}", event.from);
    let id = if ids { format!("  {}", event.id) } else { String::new() };
    printer.styled(&[(style, &head), (Style::Dim, &format!("{answers}  {}{tags}{id}", clock(event.ts)))])?;
    match &event.content {
        Value::String(text) => printer.prose(text)?,
        content if event.kind == ThreadEventKind::Control => printer.prose(&control(content))?,
        content => printer.prose(&happened(event.kind.as_str(), content))?,
    }
    printer.line("")
}

/// Returns in words what happened to the thread itself.
fn happened(kind: &str, content: &Value) -> String {
    let field = |name: &str| content[name].as_str().unwrap_or_default();
    match kind {
        "thread.created" if content["directory"].is_string() => {
            format!("created the thread {} in {}", field("name"), field("directory"))
        }
        "thread.created" => format!("created the thread {}", field("name")),
        "thread.renamed" => format!("renamed the thread to {}", field("name")),
        "thread.moved" => format!("set the working directory to {}", field("directory")),
        other => format!("{other} {content}"),
    }
}

/// Returns a control in words.
fn control(content: &Value) -> String {
    let Some(fields) = content.as_object() else { return content.to_string() };
    let mut words = Vec::new();
    for (key, value) in fields {
        let on = value["on"].as_bool().unwrap_or(true);
        let targets = || {
            let list = value["targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
            list.collect::<Vec<_>>().join(", ")
        };
        words.push(match key.as_str() {
            "invite" => {
                let profile = &value["profile"];
                let field = |name: &str| profile[name].as_str().unwrap_or_default();
                let roles = profile["roles"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let mut about = vec![format!("{} {}", field("client"), field("model"))];
                about.extend(profile["nickname"].as_str().map(|name| format!("called {name}")));
                about.extend(roles.map(str::to_owned));
                let id = value["participant_id"].as_str().unwrap_or_default();
                format!("invites {id} ({})", about.join(", "))
            }
            "uninvite" => format!("uninvites {}", value["participant_id"].as_str().unwrap_or_default()),
            "mute" => format!("mutes {}", targets()),
            "unmute" => format!("unmutes {}", targets()),
            "pause" => (if on { "paused the thread" } else { "resumed the thread" }).to_owned(),
            "prod" => {
                let list = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                format!("asked {} to continue", list.collect::<Vec<_>>().join(", "))
            }
            "done" => (if value == &Value::Bool(true) { "is done" } else { "failed" }).to_owned(),
            "ttl_seconds" => format!("set ttl_seconds to {value}"),
            other => {
                // In the words of the commands.
                let what = match other {
                    "discussion" => "discuss",
                    "invited_auto" => "auto",
                    other => other,
                };
                format!("switches {what} {}", if on { "on" } else { "off" })
            }
        });
    }
    words.join("; ")
}
