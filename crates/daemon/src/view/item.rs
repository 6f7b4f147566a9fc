//! Items in the words of the wire.

use paseo_core::delegation::Delegation;
use paseo_core::id::ItemId;
use paseo_core::item::{
    CompactionExtra, Diff, Entry, Kind, PermissionExtra, Place, ToolCallExtra, ToolResultExtra, Usage,
};
use paseo_core::time::Timestamp;
use paseo_store::{ContentRow, ItemRow, Text};
use paseo_wire::item::{
    DelegationView, DiffView, ErrorFields, ItemBody, ItemView, NoFields, NoticeFields, PermissionFields,
    RawFields, ToolCallFields, ToolResultFields, UsageFields, UserTextFields,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::attachments;

/// What a stored item has beside the fields of its kind.
const SHOWN_ELSEWHERE: [&str; 5] = ["kind", "turn", "step", "parent", "superseded"];

/// Shows an item.
pub(crate) fn item(row: ItemRow) -> ItemView {
    let data = row.data.as_deref();
    let extra = row.content.as_ref().and_then(|content| content.extra.as_deref());
    let (place, body) = match read(data) {
        Some(Entry { place, kind }) => (place, body(kind, extra)),
        // Of a deleted session only the kind is left; a newer daemon may have stored what this one cannot read.
        None => {
            let mut fields: Map<String, Value> = read(data).unwrap_or_default();
            fields.retain(|name, _| !SHOWN_ELSEWHERE.contains(&name.as_str()));
            fields.extend(read::<Map<String, Value>>(extra).unwrap_or_default());
            (Place::default(), ItemBody::Other { kind: row.kind.as_str().into(), fields })
        }
    };
    let (mut text, mut full_length) = (None, None);
    if let Some(ContentRow { text: stored, len, .. }) = row.content {
        match stored {
            Text::Inline(whole) => text = Some(whole),
            Text::Large { head, tail } => {
                text = Some(format!("{head}\n[… {len} bytes in total …]\n{tail}"));
                full_length = Some(len);
            }
            Text::Erased => {}
        }
    }
    ItemView {
        id: ItemId::from_uuid(row.id).into(),
        ordinal: row.ordinal,
        seq: row.seq,
        ts: Timestamp::from_millis(row.ts).into(),
        turn: place.turn.map(Into::into),
        step: place.step,
        parent: place.parent.map(Into::into),
        superseded: place.superseded,
        body,
        text,
        full_length,
    }
}

/// Shows what an item is. The side information is gone once the transcript was cleared.
fn body(kind: Kind, extra: Option<&str>) -> ItemBody {
    match kind {
        Kind::UserText { origin, delivery } => ItemBody::UserText(UserTextFields {
            origin: origin.into(),
            delivery: delivery.into(),
            stage: None,
            attachments: attachments::listed(extra),
        }),
        Kind::AssistantText => ItemBody::AssistantText(NoFields {}),
        Kind::Thinking => ItemBody::Thinking(NoFields {}),
        Kind::ToolCall { call, name, class } => {
            let (title, locations) =
                read(extra).map(|ToolCallExtra { title, locations }| (title, locations)).unzip();
            let locations = locations.unwrap_or_default();
            ItemBody::ToolCall(ToolCallFields {
                call: call.into(),
                name,
                class: class.into(),
                title,
                locations,
            })
        }
        Kind::ToolResult { call, outcome, exit_code, duration_ms } => {
            let ToolResultExtra { diffs, delegation } = read(extra).unwrap_or_default();
            let diffs = diffs.into_iter().map(|Diff { path, patch }| DiffView { path, patch }).collect();
            let outcome = outcome.into();
            ItemBody::ToolResult(ToolResultFields {
                call: call.into(),
                outcome,
                exit_code,
                duration_ms,
                diffs,
                delegation: delegation.map(|Delegation { session, state }| DelegationView {
                    session: session.into(),
                    state: state.into(),
                }),
            })
        }
        Kind::Permission { hash, decision, by } => ItemBody::Permission(PermissionFields {
            hash: hash.into(),
            decision: decision.map(Into::into),
            by: by.map(Into::into),
            headline: read(extra).map(|PermissionExtra { headline, .. }| headline),
        }),
        Kind::Todo => ItemBody::Todo(NoFields {}),
        Kind::Usage(Usage { input_tokens, output_tokens, cached_tokens, cost_micros }) => {
            ItemBody::Usage(UsageFields { input_tokens, output_tokens, cached_tokens, cost_micros })
        }
        Kind::Notice { code } => {
            let kept: Option<CompactionExtra> = read(extra);
            ItemBody::Notice(NoticeFields {
                code,
                kept_turn: kept.and_then(|kept| kept.kept_turn).map(Into::into),
                kept_after: kept.map(|kept| kept.kept_after as u64),
            })
        }
        Kind::Error { code } => ItemBody::Error(ErrorFields { code }),
        Kind::Raw { provider } => ItemBody::Raw(RawFields { provider }),
    }
}

fn read<T: DeserializeOwned>(json: Option<&str>) -> Option<T> {
    serde_json::from_str(json?).ok()
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::item::{Decision, ToolClass, ToolOutcome};
    use paseo_wire::words::ItemKind;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::mint;

    /// One of each kind, with all that goes with it.
    fn all() -> Vec<(Kind, Value)> {
        let file = json!({ "id": "a", "name": "a.txt", "media_type": "text/plain", "size": 1 });
        let (call, hash) = ("c".to_owned(), "h".to_owned());
        let (outcome, by) = (ToolOutcome::Ok, Some(Actor::Daemon));
        let turn = mint::session().to_string();
        vec![
            (
                Kind::UserText { origin: Actor::Daemon, delivery: mint::delivery() },
                json!({ "attachments": [file] }),
            ),
            (Kind::AssistantText, json!({})),
            (Kind::Thinking, json!({})),
            (
                Kind::ToolCall { call: call.clone(), name: "shell".to_owned(), class: ToolClass::Other },
                json!({ "title": "Run", "locations": ["a"] }),
            ),
            (
                Kind::ToolResult { call, outcome, exit_code: Some(1), duration_ms: 3 },
                json!({
                    "diffs": [{ "path": "a", "patch": "+" }],
                    "delegation": { "session": turn, "state": "held" },
                }),
            ),
            (Kind::Permission { hash, decision: Some(Decision::Deny), by }, json!({ "headline": "runs" })),
            (Kind::Todo, json!({})),
            (Kind::Usage(Usage { cost_micros: Some(1), ..Usage::default() }), json!({})),
            (Kind::Usage(Usage::default()), json!({})),
            (Kind::Notice { code: "x".to_owned() }, json!({ "kept_turn": turn, "kept_after": 2 })),
            (Kind::Error { code: "x".to_owned() }, json!({})),
            (Kind::Raw { provider: "x".to_owned() }, json!({})),
        ]
    }

    fn row(kind: &str, data: Option<&Value>, extra: Option<&Value>) -> ItemRow {
        let content = ContentRow {
            id: Uuid::nil(),
            len: 1,
            sha256: [0; 32],
            text: Text::Inline("x".to_owned()),
            extra: extra.map(Value::to_string),
        };
        ItemRow {
            seq: 1,
            id: Uuid::nil(),
            ts: 0,
            ordinal: 1,
            kind: kind.to_owned(),
            v: 1,
            data: data.map(Value::to_string),
            content: Some(content),
        }
    }

    #[test]
    fn an_item_shows_all_that_is_stored_of_it_and_nothing_else() {
        let mut kinds = Vec::new();
        for (kind, extra) in all() {
            let stored = json!(Entry { place: Place::default(), kind });
            for extra in [Some(&extra), None] {
                let view = item(row(stored["kind"].as_str().unwrap(), Some(&stored), extra));
                let mut fields: Map<String, Value> = stored.as_object().unwrap().clone();
                fields.retain(|name, _| !SHOWN_ELSEWHERE.contains(&name.as_str()));
                fields.extend(extra.and_then(Value::as_object).cloned().unwrap_or_default());
                let shown = json!(view);
                assert_eq!((&shown["kind"], &shown["fields"]), (&stored["kind"], &Value::Object(fields)));
                assert_eq!(serde_json::from_value::<ItemView>(shown).unwrap(), view);
                kinds.push(view.kind().to_string());
            }
        }
        kinds.dedup();
        assert_eq!(kinds, ItemKind::WORDS);
    }

    #[test]
    fn an_item_that_cannot_be_read_shows_what_is_stored() {
        let shown = |row| {
            let shown = json!(item(row));
            (shown["kind"].clone(), shown["fields"].clone())
        };
        assert_eq!(shown(row("tool_call", None, None)), (json!("tool_call"), json!({})), "it was deleted");
        let stored = json!({ "kind": "dream", "step": 1, "depth": 3 });
        let newer = row("dream", Some(&stored), Some(&json!({ "title": "Fly" })));
        assert_eq!(shown(newer), (json!("dream"), json!({ "depth": 3, "title": "Fly" })));
    }
}
