//! Threads in the words of the wire.

use paseo_core::codec;
use paseo_core::snippet;
use paseo_core::thread::{Address, Control, Discussion, Event, Invite, Profile, Seat, Thread};
use paseo_core::time::Timestamp;
use paseo_store::{Body, Record};
use paseo_wire::id::ParticipantId;
use paseo_wire::thread::{
    ControlContent, CreatedContent, DiscussionView, InviteContent, LastMessage, MovedContent, MuteContent,
    Participant, Participants, ProfileView, RenamedContent, ThreadBody, ThreadEvent, ThreadMeta, ThreadState,
    ThreadView, Toggle, UninviteContent, UnmuteContent,
};
use paseo_wire::words::MuteMode;

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
        created_by: (&thread.created_by).into(),
        created_at: thread.created_at.into(),
        updated_at: thread.updated_at.into(),
        messages: thread.messages,
        unread: thread.unread(),
        // Only read where people look.
        last: None,
        version: thread.version,
        state: state(thread),
    }
}

/// Returns the newest message of a thread as lists show it.
pub(crate) async fn last(journal: &Journal, thread: &Thread) -> Result<Option<LastMessage>, Failure> {
    let Some(last) = &thread.last else { return Ok(None) };
    let words = journal.log.text(last.text.id.uuid()).await?.unwrap_or_default();
    let (id, ts, from) = (last.post.into(), last.at.into(), last.from.as_str().into());
    Ok(Some(LastMessage { id, ts, from, text: snippet::words(&words) }))
}

/// Returns who is in a thread, and who may do what.
pub(crate) fn state(thread: &Thread) -> ThreadState {
    let discussion = thread.discussion;
    ThreadState {
        paused: thread.paused,
        muted: thread.muted.iter().map(|id| id.as_str().into()).collect(),
        discussion: DiscussionView {
            on: discussion.on,
            allow_agent_mentions: discussion.allow_agent_mentions,
        },
        invited_auto: Toggle { on: thread.invited_auto },
        participants: Participants { invited: thread.invited.iter().map(participant).collect() },
        guests: thread.guests.iter().map(|id| id.as_str().into()).collect(),
        held: thread.held.len(),
    }
}

fn participant((id, seat): (&String, &Seat)) -> Participant {
    Participant {
        id: id.as_str().into(),
        profile: shown_profile(seat.profile.clone()),
        invited_by: seat.invited_by.as_str().into(),
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
    let (id, from, to, body, meta) = match decoded {
        Some(Event::Created { post, name, directory, by, .. }) => {
            let from = if by.is_human() { paseo_core::thread::USER.to_owned() } else { by.to_string() };
            let body = ThreadBody::Created(CreatedContent { name, directory });
            (post, from, all.to_owned(), body, no_meta())
        }
        Some(Event::Renamed { post, from, name }) => {
            (post, from, all.to_owned(), ThreadBody::Renamed(RenamedContent { name }), no_meta())
        }
        Some(Event::Moved { post, from, directory }) => {
            (post, from, all.to_owned(), ThreadBody::Moved(MovedContent { directory }), no_meta())
        }
        Some(Event::Controlled { post, from, control, .. }) => {
            (post, from, all.to_owned(), ThreadBody::Control(Box::new(controlled(*control))), no_meta())
        }
        Some(Event::Posted(posted)) => {
            let words = journal.log.text(posted.text.id.uuid()).await?.unwrap_or_default();
            let meta = ThreadMeta {
                reply_to: posted.reply_to.map(Into::into),
                tags: posted.tags,
                via: posted.via.as_deref().map(Into::into),
                wakes: posted.wakes.into_iter().map(Into::into).collect(),
            };
            (posted.post, posted.from, posted.to, ThreadBody::Message(words), meta)
        }
        Some(
            Event::Woken { .. }
            | Event::Settled { .. }
            | Event::Held(_)
            | Event::Looked { .. }
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
        from: from.into(),
        to: to.into(),
        body,
        meta,
        version: *version,
    }))
}

/// Returns a control in the words of the protocol.
fn controlled(control: Control) -> ControlContent {
    let Control { invite, uninvite, mute, unmute, pause, discussion, invited_auto, prod, done, ttl_seconds } =
        control;
    let ids = |ids: Vec<String>| ids.into_iter().map(Into::into).collect::<Vec<ParticipantId>>();
    ControlContent {
        invite: invite.map(|Invite { participant_id, profile }| InviteContent {
            participant_id: participant_id.into(),
            profile: shown_profile(profile),
        }),
        uninvite: uninvite.map(|id| UninviteContent { participant_id: id.into() }),
        mute: (!mute.is_empty()).then(|| MuteContent { targets: ids(mute), mode: MuteMode::Hard }),
        unmute: (!unmute.is_empty()).then(|| UnmuteContent { targets: ids(unmute) }),
        pause: pause.map(|on| Toggle { on }),
        discussion: discussion
            .map(|Discussion { on, allow_agent_mentions }| DiscussionView { on, allow_agent_mentions }),
        invited_auto: invited_auto.map(|on| Toggle { on }),
        prod,
        done,
        ttl_seconds,
    }
}

fn shown_profile(profile: Profile) -> ProfileView {
    let Profile { client, provider, model, roles, nickname } = profile;
    ProfileView { client, provider, model, roles, nickname }
}

fn no_meta() -> ThreadMeta {
    ThreadMeta::default()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use serde_json::Value;
    use uuid::Uuid;

    use super::*;
    use crate::http::tests::House;

    /// What readers are told of each stored event of a thread: the fields of the event, then those of its content.
    const TOLD: &[(&str, &str)] = &[
        (
            "thread.controlled",
            "control: discussion.allow_agent_mentions discussion.on invite.participant_id invite.profile invited_auto.on \
             mute.mode mute.targets pause.on uninvite.participant_id unmute.targets",
        ),
        ("thread.created", "thread.created: directory name"),
        ("thread.moved", "thread.moved: directory"),
        ("thread.posted", "message: text"),
        ("thread.renamed", "thread.renamed: name"),
    ];
    const ENVELOPE: [&str; 9] = ["content", "from", "id", "meta", "thread", "to", "ts", "type", "version"];
    const META: [&str; 4] = ["reply_to", "tags", "via", "wakes"];

    fn fields(content: &Value) -> BTreeSet<String> {
        let Some(object) = content.as_object() else { return BTreeSet::from(["text".to_owned()]) };
        let below = |(name, value): (&String, &Value)| match value.as_object() {
            Some(inner) => inner.keys().map(|key| format!("{name}.{key}")).collect(),
            None => vec![name.clone()],
        };
        object.iter().flat_map(below).collect()
    }

    #[tokio::test]
    async fn readers_of_a_thread_are_told_these_fields_and_no_others() {
        let house = House::new().await;
        let journal = &house.app.sessions.context.journal;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/golden");
        let mut told: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let (kind, rest) = name.split_once(".v").unwrap();
            if !kind.starts_with("thread.") {
                continue;
            }
            let data = fs::read_to_string(&file).unwrap();
            let record = Record {
                seq: 1,
                stream: "thread/x".into(),
                id: Uuid::nil(),
                ts: 0,
                actor: "human:cli".to_owned(),
                kind: kind.to_owned(),
                v: rest.split('.').next().unwrap().parse().unwrap(),
                data: Some(data),
                body: Body::Control { version: 1 },
            };
            let Some(event) = event(journal, "x", &record).await.unwrap() else { continue };
            let event = serde_json::to_value(event).unwrap();
            let known: Vec<&str> = {
                let mut known: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
                known.sort_unstable();
                known
            };
            assert_eq!(known, ENVELOPE, "{kind}");
            let meta = event["meta"].as_object().unwrap();
            assert!(meta.keys().all(|key| META.contains(&key.as_str())), "{kind}: {meta:?}");
            let word = event["type"].as_str().unwrap().to_owned();
            told.entry(kind.to_owned())
                .or_insert((word, BTreeSet::new()))
                .1
                .extend(fields(&event["content"]));
        }
        let told: Vec<(String, String)> = told
            .into_iter()
            .map(|(kind, (word, fields))| {
                (kind, format!("{word}: {}", fields.into_iter().collect::<Vec<_>>().join(" ")))
            })
            .collect();
        let expected: Vec<(String, String)> =
            TOLD.iter().map(|(kind, fields)| ((*kind).to_owned(), (*fields).to_owned())).collect();
        assert_eq!(told, expected);
    }
}
