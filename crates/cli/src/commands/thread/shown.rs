//! Threads as people read them.

use std::collections::BTreeSet;

use paseo_client::Client;
use paseo_core::skill::word;
use paseo_core::team::in_order;
use paseo_core::thread::{COORDINATOR, USER};
use paseo_wire::id::ParticipantId;
use paseo_wire::id::ThreadId;
use paseo_wire::thread::{
    ControlContent, CreatedContent, InviteContent, Participant, PresenceList, PresenceView, ProfileView,
    ThreadBody, ThreadEvent, ThreadView, WakePreview,
};
use paseo_wire::words::{NotWokenReason, PresenceState, Status};
use paseo_wire::worker::WorkerView;

use crate::consent;
use crate::failure::Failure;
use crate::people::known_as;
use crate::printer::{Column, Mode, Printer, Style, Table, clock, relative};
use crate::settings::Settings;
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
    let invited = thread.state.participants.invited.iter().map(|seat| seat.id.as_str());
    let all: BTreeSet<&str> = invited.chain(thread.members.iter().map(|id| id.as_str())).collect();
    if all.is_empty() { "-".to_owned() } else { in_order(all).join(", ") }
}

/// What is known beside the state of a thread.
#[derive(Clone, Copy)]
pub(super) enum View<'a> {
    /// What its participants are doing, and the workers of its team.
    Present(&'a PresenceList, &'a [WorkerView]),
    /// Of when the state is.
    Past(&'a str),
}

impl View<'_> {
    fn is_past(self) -> bool {
        matches!(self, Self::Past(_))
    }
}

/// Shows one thread.
pub(super) async fn thread(
    client: &Client,
    printer: &Printer,
    thread: &ThreadView,
    view: View<'_>,
) -> Result<(), Failure> {
    printer.styled(&[(Style::Bold, &thread.name), (Style::Dim, &format!("  {}", thread.id))])?;
    if let View::Past(as_of) = view {
        printer.line(&format!("as of       {as_of}"))?;
    }
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
    let guests = guests(thread, view);
    if state.participants.invited.is_empty() {
        if thread.team.is_none() && !view.is_past() {
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
        let doing = doing(thread, view, id, Some(seat));
        let name = match &profile.nickname {
            Some(nickname) => format!("{id} ({nickname})"),
            None => id.to_string(),
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
        let worker = match view {
            View::Present(_, workers) => workers.iter().find(|worker| worker.name == id),
            View::Past(_) => None,
        };
        let doing = match worker {
            Some(worker) => format!("worker, {}", worker.status),
            None => format!("{}; not a participant", doing(thread, view, id, None)),
        };
        let none = || (Style::Dim, String::new());
        table.row([(Style::Bold, id.to_owned()), (Style::Plain, doing), none(), none(), none(), none()]);
    }
    printer.table(&table)
}

/// Says how to invite the first participant of a thread.
pub(super) async fn lonely(client: &Client, name: &str) -> String {
    let known = client.providers().await.map(|list| list.providers).unwrap_or_default();
    let provider = known.iter().find(|provider| provider.default).map_or("claude", |found| &found.name);
    format!("No participants yet. Invite one: paseo thread invite {} {provider}", word(name))
}

/// Returns who is known here without being invited: who spoke, who says what they are doing, and who is muted.
fn guests<'a>(thread: &'a ThreadView, view: View<'a>) -> BTreeSet<&'a str> {
    let present: &[PresenceView] = match view {
        View::Present(presence, _) => &presence.participants,
        View::Past(_) => &[],
    };
    let there = present.iter().map(|known| known.id.as_str());
    let others = thread.state.guests.iter().chain(&thread.state.muted).map(|id| id.as_str());
    let known = there.chain(others);
    let invited = |id: &&str| thread.state.participants.invited.iter().any(|seat| seat.id == **id);
    known.filter(|id| ![USER, COORDINATOR].contains(id) && !invited(id)).collect()
}

fn doing(thread: &ThreadView, view: View<'_>, id: &str, seat: Option<&Participant>) -> String {
    let state = match view {
        View::Present(presence, _) => {
            let there = presence.participants.iter().find(|known| known.id == id);
            let status = seat.and_then(|seat| seat.status.as_ref());
            // A participant that waits for a person is not just idle.
            let halted = status
                .filter(|status| matches!(status, Status::Error | Status::Interrupted | Status::Waiting));
            let present = there.map_or(PresenceState::Offline.as_str(), |known| known.state.as_str());
            halted.map_or(present, Status::as_str)
        }
        // Presence is not stored; what a participant works on is.
        View::Past(_) if seat.is_some_and(|seat| seat.working) => "working",
        View::Past(_) => "-",
    };
    let muted = if thread.state.muted.iter().any(|muted| muted == id) { ", muted" } else { "" };
    format!("{state}{muted}")
}

/// Shows something that happened.
pub(super) fn event(
    printer: &Printer,
    event: &ThreadEvent,
    answers: Option<&str>,
    ids: bool,
    settings: &Settings,
) -> Result<(), Failure> {
    let shown = |id: &str| known_as(settings, id).to_owned();
    let to = if event.to == "all" { String::new() } else { format!(" to {}", shown(&event.to)) };
    // Who speaks is said by `from` and `via`; a tag that others gave is shown as it is.
    let coordinated = event.from == COORDINATOR || event.meta.via.is_some();
    let is_shown = |tag: &&str| !(coordinated && *tag == "coordinator");
    let tags: Vec<&str> = event.meta.tags.iter().map(String::as_str).filter(is_shown).collect();
    let tags = if tags.is_empty() { String::new() } else { format!("  [{}]", tags.join(", ")) };
    let style = match (event.body.kind().as_str(), event.meta.tags.iter().any(|tag| tag == "error")) {
        (_, true) => Style::Red,
        ("message", false) => Style::Bold,
        _ => Style::Dim,
    };
    let answers = answers.map(|whom| format!("  (answers {})", shown(whom))).unwrap_or_default();
    let head = format!("{}{to}", shown(&event.from));
    let id = if ids { format!("  {}", event.id) } else { String::new() };
    printer.styled(&[(style, &head), (Style::Dim, &format!("{answers}  {}{tags}{id}", clock(event.ts)))])?;
    match &event.body {
        ThreadBody::Message(text) => printer.prose(text)?,
        ThreadBody::Control(content) => printer.prose(&control(content))?,
        other => printer.prose(&happened(other))?,
    }
    printer.line("")
}

/// Returns in words what happened to the thread itself.
fn happened(body: &ThreadBody) -> String {
    match body {
        ThreadBody::Created(CreatedContent { name, directory: Some(directory) }) => {
            format!("created the thread {name} in {directory}")
        }
        ThreadBody::Created(CreatedContent { name, directory: None }) => format!("created the thread {name}"),
        ThreadBody::Renamed(renamed) => format!("renamed the thread to {}", renamed.name),
        ThreadBody::Moved(moved) => format!("set the working directory to {}", moved.directory),
        ThreadBody::Other { kind, content } => format!("{kind} {content}"),
        ThreadBody::Message(_) | ThreadBody::Control(_) => String::new(),
    }
}

/// Returns a control in words.
fn control(content: &ControlContent) -> String {
    let ControlContent {
        invite,
        uninvite,
        mute,
        unmute,
        pause,
        discussion,
        invited_auto,
        prod,
        done,
        ttl_seconds,
    } = content;
    let listed = |ids: &[ParticipantId]| ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
    // In the words of the commands.
    let switched = |what: &str, on: bool| format!("switches {what} {}", if on { "on" } else { "off" });
    let words = [
        discussion.map(|discussion| switched("discuss", discussion.on)),
        done.map(|done| (if done { "is done" } else { "failed" }).to_owned()),
        invite.as_ref().map(invited),
        invited_auto.map(|auto| switched("auto", auto.on)),
        mute.as_ref().map(|mute| format!("mutes {}", listed(&mute.targets))),
        pause.map(|pause| (if pause.on { "paused the thread" } else { "resumed the thread" }).to_owned()),
        (!prod.is_empty()).then(|| format!("asked {} to continue", prod.join(", "))),
        ttl_seconds.map(|seconds| format!("set ttl_seconds to {seconds}")),
        uninvite.as_ref().map(|uninvite| format!("uninvites {}", uninvite.participant_id)),
        unmute.as_ref().map(|unmute| format!("unmutes {}", listed(&unmute.targets))),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns an invitation in words.
fn invited(invite: &InviteContent) -> String {
    let ProfileView { client, model, roles, nickname, .. } = &invite.profile;
    let known = |field: &Option<String>| field.clone().unwrap_or_default();
    let mut about = vec![format!("{} {}", known(client), known(model))];
    about.extend(nickname.as_ref().map(|name| format!("called {name}")));
    about.extend(roles.iter().flatten().cloned());
    format!("invites {} ({})", invite.participant_id, about.join(", "))
}

/// Prints whom a message would wake, and why it would not wake the others.
pub(super) fn wakes(printer: &Printer, preview: &WakePreview) -> Result<(), Failure> {
    preview.remarks.iter().for_each(|remark| printer.note(remark));
    preview.notices.iter().for_each(|notice| consent::warn(printer, Some(notice)));
    match printer.mode() {
        Mode::Json => printer.json(preview),
        Mode::Quiet => preview.wakes.iter().try_for_each(|id| printer.line(id)),
        Mode::Normal => {
            let who = if preview.wakes.is_empty() { "no one".to_owned() } else { preview.wakes.join(", ") };
            printer.line(&format!("Would wake {who}"))?;
            for asleep in &preview.not_woken {
                printer.line(&format!("Would not wake {}: {}", asleep.participant, why(&asleep.reason)))?;
            }
            Ok(())
        }
    }
}

fn why(reason: &NotWokenReason) -> &str {
    match reason {
        NotWokenReason::NotAddressed => "the message does not address it",
        NotWokenReason::Muted => "it is muted",
        NotWokenReason::Paused => "the thread is paused",
        NotWokenReason::Outside => "run by another program, which reads the thread itself",
        NotWokenReason::Author => "it is the author",
        NotWokenReason::NotPermitted => "it has permissions that the author cannot pass on",
        NotWokenReason::Other(word) => word,
    }
}
