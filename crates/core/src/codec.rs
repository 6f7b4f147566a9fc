//! Events as they stand in the log: decode, upcast, apply. Unknown kinds are kept and ignored.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::tagged;

/// An event ready for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    pub kind: String,
    pub v: u16,
    pub data: String,
}

/// Turns the data of version `from` into that of the next.
#[derive(Debug, Clone, Copy)]
pub struct Upcast {
    pub kind: &'static str,
    pub from: u16,
    pub change: fn(Value) -> Value,
}

/// Every change of format since the first release. A kind's current version is one more than its upcasts.
pub const UPCASTS: &[Upcast] = &[];

/// Every kind of control event there is. A golden file stands for each version of each.
pub const KINDS: &[&str] = &[
    "answer.abandoned",
    "answer.checked",
    "cause.begun",
    "cause.opened",
    "cause.spawned",
    "cause.stopped",
    "cause.woken",
    "definition.accepted",
    "definition.forgotten",
    "definitions.adopted",
    "definitions.read",
    "delivery.accepted",
    "delivery.cancelled",
    "delivery.edited",
    "delivery.handed",
    "delivery.handing",
    "delivery.held",
    "delivery.moved",
    "delivery.released",
    "delivery.returned",
    "device.added",
    "device.revoked",
    "device.subscribed",
    "device.switched",
    "device.unsubscribed",
    "permission.asked",
    "permission.decided",
    "project.distrusted",
    "project.trusted",
    "provider.added",
    "provider.removed",
    "rule.added",
    "rule.removed",
    "session.archived",
    "session.attributed",
    "session.awaited",
    "session.boarded",
    "session.branched",
    "session.cleared",
    "session.closed",
    "session.configured",
    "session.created",
    "session.deleted",
    "session.entered",
    "session.exited",
    "session.held",
    "session.labelled",
    "session.looked",
    "session.pinned",
    "session.planned",
    "session.promoted",
    "session.prompted",
    "session.referenced",
    "session.released",
    "session.renamed",
    "session.reopened",
    "session.titled",
    "session.unparked",
    "session.uprooted",
    "setting.changed",
    "shell.closed",
    "shell.opened",
    "task.canceled",
    "task.claimed",
    "task.completed",
    "task.created",
    "task.edited",
    "task.expired",
    "task.failed",
    "task.reassigned",
    "task.released",
    "task.renewed",
    "task.retried",
    "team.closed",
    "team.created",
    "team.enrolled",
    "team.left",
    "team.thread_linked",
    "team.thread_posted",
    "team.thread_started",
    "team.worker_ended",
    "team.worker_started",
    "team.write_refused",
    "terminal.released",
    "terminal.taken",
    "thread.controlled",
    "thread.created",
    "thread.deleted",
    "thread.dismissed",
    "thread.ended",
    "thread.held",
    "thread.looked",
    "thread.moved",
    "thread.posted",
    "thread.renamed",
    "thread.settled",
    "thread.woken",
    "token.created",
    "token.revoked",
    "turn.ended",
    "turn.handed",
    "turn.opened",
    "turn.retried",
    "usage.added",
    "watch.armed",
    "watch.ended",
    "watch.gathered",
];

/// An event that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("{kind} v{v} was written by a newer Paseo (this one supports v{known}); upgrade Paseo")]
    Newer { kind: String, v: u16, known: u16 },
    #[error("{kind} v{v} is malformed: {reason}")]
    Malformed { kind: String, v: u16, reason: String },
}

/// Encodes an event of one of our event enums.
pub fn encode<E: Serialize>(event: &E) -> Encoded {
    #[derive(serde::Deserialize)]
    struct Tagged {
        kind: String,
        data: Box<RawValue>,
    }
    // Our event enums are plain data with string keys: serialising them cannot fail.
    let tagged = serde_json::to_string(event).and_then(|json| serde_json::from_str::<Tagged>(&json));
    let Ok(Tagged { kind, data }) = tagged else { unreachable!("an event is a tagged object") };
    let v = current(UPCASTS, &kind);
    Encoded { kind, v, data: data.get().to_owned() }
}

/// Decodes an event, upcasting it when it is old. `None`: the kind is unknown.
pub fn decode<E: DeserializeOwned>(kind: &str, v: u16, data: &str) -> Result<Option<E>, Error> {
    decode_with(UPCASTS, KINDS, kind, v, data)
}

fn decode_with<E: DeserializeOwned>(
    upcasts: &[Upcast],
    kinds: &[&str],
    kind: &str,
    v: u16,
    data: &str,
) -> Result<Option<E>, Error> {
    if !kinds.contains(&kind) {
        return Ok(None);
    }
    let known = current(upcasts, kind);
    if v > known {
        return Err(Error::Newer { kind: kind.to_owned(), v, known });
    }
    let malformed =
        |error: serde_json::Error| Error::Malformed { kind: kind.to_owned(), v, reason: error.to_string() };
    if v == known {
        return tagged::read(kind, data).map(Some).map_err(malformed);
    }
    let mut value: Value = serde_json::from_str(data).map_err(malformed)?;
    for from in v..known {
        if let Some(upcast) = upcasts.iter().find(|upcast| upcast.kind == kind && upcast.from == from) {
            value = (upcast.change)(value);
        }
    }
    tagged::read(kind, &value.to_string()).map(Some).map_err(malformed)
}

fn current(upcasts: &[Upcast], kind: &str) -> u16 {
    1 + upcasts.iter().filter(|upcast| upcast.kind == kind).count() as u16
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind", content = "data")]
    enum Sample {
        #[serde(rename = "sample.made")]
        Made { words: Vec<String>, loud: bool },
    }

    const SAMPLE_KINDS: &[&str] = &["sample.made"];
    const SAMPLE_UPCASTS: &[Upcast] = &[
        Upcast { kind: "sample.made", from: 1, change: |old| json!({ "words": [old["word"]] }) },
        Upcast {
            kind: "sample.made",
            from: 2,
            change: |mut old| {
                old["loud"] = json!(false);
                old
            },
        },
    ];

    #[test]
    fn old_events_are_upcast_step_by_step() {
        let expected = Sample::Made { words: vec!["hi".into()], loud: false };
        for (v, data) in
            [(1, r#"{"word":"hi"}"#), (2, r#"{"words":["hi"]}"#), (3, r#"{"words":["hi"],"loud":false}"#)]
        {
            let decoded: Sample =
                decode_with(SAMPLE_UPCASTS, SAMPLE_KINDS, "sample.made", v, data).unwrap().unwrap();
            assert_eq!(decoded, expected, "v{v}");
        }
    }

    #[test]
    fn newer_unknown_and_broken_events_are_told_apart() {
        let read = |kind, v, data| decode_with::<Sample>(SAMPLE_UPCASTS, SAMPLE_KINDS, kind, v, data);
        assert!(matches!(read("sample.made", 4, "{}"), Err(Error::Newer { known: 3, .. })));
        assert_eq!(read("sample.unheard-of", 1, "{}"), Ok(None));
        assert!(matches!(read("sample.made", 3, "{}"), Err(Error::Malformed { .. })));
        assert!(matches!(read("sample.made", 1, "not json"), Err(Error::Malformed { .. })));
    }
}
