//! Threads in the words of the wire.

use paseo_core::codec;
use paseo_core::thread::{Address, Event, Profile, Seat, Thread};
use paseo_core::time::Timestamp;
use paseo_store::{Body, Record};
use paseo_wire::thread::{
    DiscussionView, Participant, Participants, ProfileView, ThreadEvent, ThreadMeta, ThreadState, ThreadView,
    Toggle,
};
use paseo_wire::words::ThreadEventKind;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::journal::Journal;

/// Returns a thread as the API shows it.
pub(crate) fn thread(thread: &Thread) -> ThreadView {
    ThreadView {
        id: thread.id.into(),
        name: thread.name.clone(),
        directory: thread.directory.clone(),
        team: thread.team.as_ref().map(Into::into),
        alias: None,
        members: Vec::new(),
        created_by: thread.created_by.to_string(),
        created_at: thread.created_at.into(),
        updated_at: thread.updated_at.into(),
        messages: thread.messages,
        version: thread.version,
        state: state(thread),
    }
}

/// Returns who is in a thread, and who may do what.
pub(crate) fn state(thread: &Thread) -> ThreadState {
    let discussion = thread.discussion;
    ThreadState {
        paused: thread.paused,
        muted: thread.muted.iter().cloned().collect(),
        discussion: DiscussionView {
            on: discussion.on,
            allow_agent_mentions: discussion.allow_agent_mentions,
        },
        invited_auto: Toggle { on: thread.invited_auto },
        participants: Participants { invited: thread.invited.iter().map(participant).collect() },
        guests: thread.guests.iter().cloned().collect(),
        held: thread.held.len(),
    }
}

fn participant((id, seat): (&String, &Seat)) -> Participant {
    let Profile { client, provider, model, roles, nickname } = seat.profile.clone();
    Participant {
        id: id.clone(),
        profile: ProfileView { client, provider, model, roles, nickname },
        invited_by: seat.invited_by.clone(),
        invited_at: seat.invited_at.into(),
        session: seat.session.map(Into::into),
        // Only asked for where people look.
        handle: None,
        status: None,
        working: seat.is_working(),
    }
}

/// Returns an event as the API shows it; `None` for what is nobody's business.
pub(crate) async fn event(
    journal: &Journal,
    thread: &str,
    record: &Record,
) -> Result<Option<ThreadEvent>, Failure> {
    let (Some(data), Body::Control { version }) = (&record.data, &record.body) else { return Ok(None) };
    let decoded = codec::decode::<Event>(&record.kind, record.v, data).map_err(Failure::internal)?;
    let all = Address::All.word();
    let (id, kind, from, to, content, meta) = match decoded {
        Some(Event::Created { post, name, directory, by, .. }) => {
            let from = if by.is_human() { paseo_core::thread::USER.to_owned() } else { by.to_string() };
            (
                post,
                ThreadEventKind::Created,
                from,
                all.to_owned(),
                json!({ "name": name, "directory": directory }),
                no_meta(),
            )
        }
        Some(Event::Renamed { post, from, name }) => {
            (post, ThreadEventKind::Renamed, from, all.to_owned(), json!({ "name": name }), no_meta())
        }
        Some(Event::Moved { post, from, directory }) => {
            (post, ThreadEventKind::Moved, from, all.to_owned(), json!({ "directory": directory }), no_meta())
        }
        Some(Event::Controlled { post, from, control, .. }) => {
            (post, ThreadEventKind::Control, from, all.to_owned(), control.content(), no_meta())
        }
        Some(Event::Posted(posted)) => {
            let words = journal.log.text(posted.text.id.uuid()).await?.unwrap_or_default();
            let meta = ThreadMeta {
                reply_to: posted.reply_to.map(Into::into),
                tags: posted.tags,
                via: posted.via,
                wakes: posted.wakes,
            };
            (posted.post, ThreadEventKind::Message, posted.from, posted.to, Value::String(words), meta)
        }
        Some(
            Event::Woken { .. }
            | Event::Settled { .. }
            | Event::Held(_)
            | Event::Dismissed { .. }
            | Event::Deleted {}
            | Event::Ended {},
        )
        | None => return Ok(None),
    };
    Ok(Some(ThreadEvent {
        id: id.into(),
        ts: Timestamp::from_millis(record.ts).into(),
        thread: thread.into(),
        kind,
        from,
        to,
        content,
        meta,
        version: *version,
    }))
}

fn no_meta() -> ThreadMeta {
    ThreadMeta::default()
}
