//! `threads_*`: agents take part in conversations of several. Whoever sits in a thread means that one unless it names
//! another.

use paseo_core::actor::Actor;
use paseo_core::fold::{self, ThreadHead};
use paseo_core::limits::PAGE_ROWS;
use paseo_core::session::Session;
use paseo_core::thread::Thread;
use paseo_core::tool::{THREADS_INVITE, THREADS_LIST, THREADS_POST, THREADS_READ};
use paseo_wire::thread::{ThreadBody, ThreadEvent};
use serde_json::{Map, Value, json};

use super::arguments::{invalid, message, text};
use super::catalogue::object;
use crate::failure::Failure;
use crate::sessions::Sessions;
use crate::threads::{Speaker, Threads, Words, seen_as, view};

/// How many messages are read unless more are asked for, and at most.
const READ: usize = 20;
const READ_MOST: usize = 200;
/// Most bytes of messages in one answer; the newest count.
const READ_BYTES: usize = 64 * 1024;
/// Most threads in a list.
const LISTED: usize = 100;

/// What agents read about them.
pub(super) fn described(session: &Session, name: &str) -> (String, Value) {
    let seated = session.profile.seat.is_some();
    let thread = json!({ "type": "string", "description": match seated {
        true => "The thread's id or name (default: the one you participate in).",
        false => "The thread's id or name.",
    } });
    let required = |names: &[&'static str]| -> Vec<&'static str> {
        let own = if seated { None } else { Some("thread") };
        own.into_iter().chain(names.iter().copied()).collect()
    };
    let (about, properties, needed): (&str, Value, Vec<&str>) = match name {
        THREADS_LIST => (
            "List the threads you can take part in: your own, and those of your project.",
            json!({}),
            Vec::new(),
        ),
        THREADS_READ => (
            "Return the newest messages of a thread, oldest first, each with its id.",
            json!({
                "thread": thread,
                "limit": { "type": "integer", "description": "The number of messages (default 20, at most \
                                                              200)." },
                "before": { "type": "string", "description": "Only messages before the one with this id." },
            }),
            required(&[]),
        ),
        THREADS_POST => (
            "Post a message to a thread immediately. When you were woken by a thread, your final answer is \
             posted automatically; do not post it twice.",
            json!({
                "thread": thread,
                "message": { "type": "string", "description": "The message." },
                "to": { "type": "string", "description": "all (default), user, or a participant's id or \
                                                          nickname." },
                "reply_to": { "type": "string", "description": "The id of the message you reply to." },
            }),
            required(&["message"]),
        ),
        THREADS_INVITE => (
            "Invite an agent to a thread. It gets at most the permissions you can pass on, and is woken by \
             messages addressed to it.",
            json!({
                "thread": thread,
                "client": { "type": "string", "description": "A provider such as claude, codex or pi, or \
                                                              an agent id." },
                "model": { "type": "string", "description": "The model; `default` leaves the choice to the \
                                                             provider. Default: unchanged for a known \
                                                             participant, else `default`." },
                "id": { "type": "string", "description": "The participant id (default: derived from the \
                                                          client)." },
                "nickname": { "type": "string", "description": "An additional name." },
                "roles": { "type": "array", "items": { "type": "string" }, "description": "The participant's roles." },
            }),
            required(&["client"]),
        ),
        _ => (
            "List a thread's participants: ids, nicknames, roles and presence.",
            json!({ "thread": thread }),
            required(&[]),
        ),
    };
    (about.to_owned(), object(properties, &needed))
}

pub(super) async fn list(sessions: &Sessions, caller: &Session) -> Result<String, Failure> {
    let threads = Threads::of(sessions);
    let (mut lines, mut after): (Vec<String>, Option<String>) = (Vec::new(), None);
    loop {
        let heads = threads.list(after.as_deref(), PAGE_ROWS).await?;
        let Some(last) = heads.last() else { break };
        after = Some(last.stream.to_string());
        for row in &heads {
            let ThreadHead::Thread(thread) =
                fold::read(&row.stream, &row.head.state).map_err(Failure::internal)?
            else {
                continue;
            };
            if let Some(own) = seen_as(&thread, caller) {
                let seats: Vec<&str> = thread.invited.keys().map(String::as_str).collect();
                let paused = if thread.paused { ", paused" } else { "" };
                lines.push(format!(
                    "- {} ({}): messages: {}, you are {own}, invited: {}{paused}",
                    thread.name,
                    thread.id,
                    thread.messages,
                    if seats.is_empty() { "none".to_owned() } else { seats.join(", ") },
                ));
            }
        }
    }
    let older = lines.len().saturating_sub(LISTED);
    let shown = lines.split_off(older);
    Ok(match (shown.is_empty(), older) {
        (true, _) => "no threads that you can take part in".to_owned(),
        (false, 0) => shown.join("\n"),
        (false, older) => format!("{}\n({older} older threads left out)", shown.join("\n")),
    })
}

pub(super) async fn read(sessions: &Sessions, caller: &Session, input: &Value) -> Result<String, Failure> {
    let (threads, thread, _) = entered(sessions, caller, input).await?;
    let limit = match input.get("limit").filter(|limit| !limit.is_null()).map(Value::as_u64) {
        None => READ,
        Some(Some(limit)) if (1..=READ_MOST as u64).contains(&limit) => limit as usize,
        Some(_) => return Err(invalid(format!("`limit` must be a number from 1 to {READ_MOST}"))),
    };
    let not_here = || invalid("`before` is not the id of a message in this thread".to_owned());
    let mut end = match input.get("before").and_then(Value::as_str) {
        None => thread.version,
        Some(before) => {
            let post = before.parse().map_err(|_| not_here())?;
            threads.place(thread.id, post).await?.ok_or_else(not_here)? - 1
        }
    };
    let (mut found, mut bytes) = (Vec::new(), 0);
    while end > 0 && found.len() < limit && bytes < READ_BYTES {
        let start = end.saturating_sub(limit as u64);
        let records = threads.events(thread.id, start, (end - start) as usize).await?;
        for record in records.iter().rev() {
            let journal = &sessions.context.journal;
            let event = view::event(journal, &thread.id.to_string(), record).await?;
            if let Some(event) = event.filter(|event| matches!(event.body, ThreadBody::Message(_)))
                && found.len() < limit
                && bytes < READ_BYTES
            {
                let told = line(&event);
                bytes += told.len();
                found.push(told);
            }
        }
        end = start;
    }
    found.reverse();
    Ok(if found.is_empty() { "no messages yet".to_owned() } else { found.join("\n\n") })
}

pub(super) async fn post(sessions: &Sessions, caller: &Session, input: &Value) -> Result<String, Failure> {
    let (threads, thread, speaker) = entered(sessions, caller, input).await?;
    let reply_to = match input.get("reply_to").and_then(Value::as_str) {
        Some(typed) => Some(threads.said(thread.id, typed).await?.0),
        None => None,
    };
    let words = Words {
        to: input.get("to").and_then(Value::as_str).unwrap_or_default().to_owned(),
        text: message(input, "message")?.to_owned(),
        reply_to,
        tags: Vec::new(),
    };
    let posted = threads.post(&speaker, thread.id, &words, None).await?;
    Ok(format!("Posted as {} ({posted})", speaker.id))
}

pub(super) async fn invite(sessions: &Sessions, caller: &Session, input: &Value) -> Result<String, Failure> {
    let (threads, thread, speaker) = entered(sessions, caller, input).await?;
    let mut profile = Map::new();
    let client = text(input, "client")?;
    profile.insert("client".to_owned(), client.into());
    let known = input.get("id").and_then(Value::as_str).and_then(|id| thread.invited.get(id.trim()));
    // Who is here already keeps its model, unless that was another client's.
    if known.is_none_or(|seat| seat.profile.client.as_deref() != Some(client)) {
        profile.insert("model".to_owned(), "default".into());
    }
    for field in ["model", "nickname", "roles"] {
        if let Some(value) = input.get(field).filter(|value| !value.is_null()) {
            profile.insert(field.to_owned(), value.clone());
        }
    }
    let content = json!({ "invite": { "participant_id": input.get("id"), "profile": profile } });
    let known: Vec<String> = thread.invited.keys().cloned().collect();
    let (thread, _) = threads.control(&speaker, thread.id, &content).await?;
    let asked = input.get("id").and_then(Value::as_str);
    let new =
        thread.invited.keys().find(|id| asked.map_or(!known.contains(id), |asked| asked == id.as_str()));
    let withheld = match new {
        Some(new) => threads.withheld(&thread, new, caller.id).await,
        None => Vec::new(),
    };
    let withheld =
        if withheld.is_empty() { String::new() } else { format!("\nwithheld: {}", withheld.join(", ")) };
    Ok(format!("Invited {}; address it with `to`{withheld}", new.map_or("it", String::as_str)))
}

pub(super) async fn participants(
    sessions: &Sessions,
    caller: &Session,
    input: &Value,
) -> Result<String, Failure> {
    let (threads, thread, _) = entered(sessions, caller, input).await?;
    let lines = threads.attending(&thread).participants.into_iter().map(|present| {
        let profile = thread.invited.get(present.id.as_str()).map(|seat| &seat.profile);
        let mut about: Vec<String> = vec![present.state.to_string()];
        if let Some(profile) = profile {
            let model = profile.model.as_deref().unwrap_or_default();
            about.push(format!("{} {model}", profile.client.as_deref().unwrap_or_default()));
            about.extend(profile.nickname.as_ref().map(|name| format!("nickname {name}")));
            about.extend(
                profile.roles.as_ref().map(|roles| roles.join(" ")).filter(|roles| !roles.is_empty()),
            );
        }
        if thread.muted.contains(present.id.as_str()) {
            about.push("muted".to_owned());
        }
        format!("- {}: {}", present.id, about.join(", "))
    });
    Ok(lines.collect::<Vec<String>>().join("\n"))
}

/// Finds the thread that is meant: the one that is named, or the one that the caller sits in.
async fn entered(
    sessions: &Sessions,
    caller: &Session,
    input: &Value,
) -> Result<(Threads, Thread, Speaker), Failure> {
    let threads = Threads::of(sessions);
    let named = input.get("thread").and_then(Value::as_str).filter(|named| !named.trim().is_empty());
    let (thread, speaker) = match (named, &caller.profile.seat) {
        (Some(named), _) => threads.attend(caller, named).await?,
        (None, Some(seat)) => threads.enter(&Actor::Session(caller.id), &seat.thread.to_string()).await?,
        (None, None) => return Err(invalid("`thread` is missing: call threads_list to find one".to_owned())),
    };
    Ok((threads, thread, speaker))
}

fn line(event: &ThreadEvent) -> String {
    let to = if event.to == "all" { String::new() } else { format!(" to {}", event.to) };
    let reply = event.meta.reply_to.as_ref().map(|id| format!(", reply to {id}")).unwrap_or_default();
    let words = event.text();
    let quoted: Vec<String> = words.lines().map(|line| format!("> {line}")).collect();
    format!("{}{to} ({}{reply}):\n{}", event.from, event.id, quoted.join("\n"))
}
