//! State in the words of the wire.

pub(crate) mod change;

use std::collections::BTreeMap;

use paseo_core::actor::{Actor, TERMINAL};
use paseo_core::definition::Problem;
use paseo_core::id::ItemId;
use paseo_core::item::{Entry, Usage};
use paseo_core::session::{Class, Entered, Pending, Receipt, Retry, Session, Worktree};
use paseo_core::time::Timestamp;
use paseo_store::{ContentRow, ItemRow, Text};
use paseo_wire::agent::AgentProblem;
use paseo_wire::item::{ItemView, UsageView};
use paseo_wire::session::{EnteredView, RetryView, SessionLine, SessionView, WorktreeView};
use paseo_wire::words::{HeldReason, Stage};
use paseo_wire::worker::{ExitView, TerminalView};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::worktrees;

/// Shows a session.
pub(crate) fn session(session: &Session, handle: String) -> SessionView {
    let condition = &session.condition;
    let profile = &session.profile;
    let held = session.queue.iter().filter(|pending| pending.held.is_some()).count();
    // A passive line waits for nothing: it comes along with whatever is next.
    let passive = |pending: &&Pending| pending.held.is_none() && pending.class == Class::Passive;
    let passive = session.queue.iter().filter(passive).count();
    SessionView {
        id: session.id.into(),
        handle,
        name: session.naming.name.clone(),
        agent: profile.slug().to_owned(),
        title: session.naming.title.clone(),
        status: condition.status.into(),
        status_source: condition.source.into(),
        status_since: condition.since.into(),
        status_code: condition.code.clone(),
        status_reason: None,
        hold: session.hold.into(),
        parked_until: session.parked().map(Into::into),
        retry: retry(session),
        heard_at: None,
        provider: profile.provider.clone(),
        model: profile.model.clone(),
        effort: profile.effort.clone(),
        permissions: profile.permissions.into(),
        labels: labels(session),
        pinned_at: session.pinned_at.map(Into::into),
        attributes: session.attributes.clone(),
        project: profile.project.clone(),
        directory: profile.directory.clone(),
        worktree: worktrees::present(profile).map(worktree),
        parent: profile.parent.map(Into::into),
        terminal: terminal(session),
        team: profile.team.as_ref().map(|seat| (&seat.team).into()),
        member: profile.team.as_ref().map(|seat| seat.agent.clone()),
        entered: session.entered.as_deref().map(entered),
        created_by: profile.created_by.to_string(),
        created_at: profile.created_at.into(),
        updated_at: session.updated_at.into(),
        queued: session.queue.len() - held - passive,
        held,
        turn: session.turn.as_ref().map(|turn| turn.id.into()),
        cause: session.turn.as_ref().map(|turn| turn.cause.into()),
        ask: session.turn.as_ref().and_then(|turn| turn.asks.first()).map(|ask| ask.hash.clone()),
        asks: session.turn.as_ref().map_or(0, |turn| turn.asks.len()),
        turns: session.history.turns,
        usage: usage(session.history.usage),
        last_snippet: None,
        todo: None,
        children: None,
        guard: None,
        last_cause: None,
        waits_for: None,
        check: None,
        notice: None,
    }
}

/// Shows a session in one line: as much of [`session`] as a table needs.
pub(crate) fn line(session: &Session, handle: String, status_reason: Option<String>) -> SessionLine {
    let profile = &session.profile;
    SessionLine {
        handle,
        status: session.condition.status.into(),
        status_reason,
        parked_until: session.parked().map(Into::into),
        retry: retry(session),
        heard_at: None,
        name: session.naming.name.clone(),
        title: session.naming.title.clone(),
        agent: profile.slug().to_owned(),
        provider: profile.provider.clone(),
        labels: labels(session),
        pinned_at: session.pinned_at.map(Into::into),
        terminal: terminal(session),
        member: profile.team.as_ref().map(|seat| seat.agent.clone()),
        project: profile.project.clone(),
        updated_at: session.updated_at.into(),
    }
}

fn retry(session: &Session) -> Option<RetryView> {
    let Retry { attempt, of, since } = session.turn.as_ref()?.retry?;
    Some(RetryView { attempt, of, since: since.into() })
}

/// Shows the terminal of a worker.
fn terminal(session: &Session) -> Option<TerminalView> {
    let name = session.profile.terminal.clone()?;
    Some(TerminalView { name, exit: exit(session), person: is_driven_by_person(session) })
}

/// Shows how the program of a worker ended.
pub(crate) fn exit(session: &Session) -> Option<ExitView> {
    session.history.exit.map(|exit| ExitView { code: exit.code, signal: exit.signal, at: exit.at.into() })
}

/// Says whether a person typed what a worker works on into its terminal.
pub(crate) fn is_driven_by_person(session: &Session) -> bool {
    let said = session.turn.as_ref().and_then(|turn| turn.deliveries.last());
    said.is_some_and(|said| said.origin == Actor::Human(TERMINAL.to_owned()))
}

fn labels(session: &Session) -> BTreeMap<String, String> {
    session.labels.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn entered(entered: &Entered) -> EnteredView {
    EnteredView { from: entered.from.into(), by: entered.by.to_string(), at: entered.at.into() }
}

/// Shows a worktree.
pub(crate) fn worktree(worktree: &Worktree) -> WorktreeView {
    WorktreeView {
        repository: worktree.repository.clone(),
        path: worktree.path.clone(),
        branch: worktree.branch.clone(),
        base: worktree.base.clone(),
    }
}

/// Shows an item.
pub(crate) fn item(row: ItemRow) -> ItemView {
    let mut fields: Map<String, Value> =
        row.data.as_deref().and_then(|data| serde_json::from_str(data).ok()).unwrap_or_default();
    let entry: Option<Entry> = row.data.as_deref().and_then(|data| serde_json::from_str(data).ok());
    for shown_elsewhere in ["kind", "turn", "step", "parent", "superseded"] {
        fields.remove(shown_elsewhere);
    }
    let (mut text, mut full_length) = (None, None);
    if let Some(ContentRow { text: stored, extra, len, .. }) = row.content {
        if let Some(Ok(Value::Object(extra))) = extra.map(|extra| serde_json::from_str(&extra)) {
            fields.extend(extra);
        }
        match stored {
            Text::Inline(whole) => text = Some(whole),
            Text::Large { head, tail } => {
                text = Some(format!("{head}\n[… {len} bytes in total …]\n{tail}"));
                full_length = Some(len);
            }
            Text::Erased => {}
        }
    }
    let place = entry.map(|entry| entry.place);
    ItemView {
        id: ItemId::from_uuid(row.id).into(),
        ordinal: row.ordinal,
        seq: row.seq,
        ts: Timestamp::from_millis(row.ts).into(),
        turn: place.as_ref().and_then(|place| place.turn).map(Into::into),
        step: place.as_ref().map_or(0, |place| place.step),
        superseded: place.as_ref().is_some_and(|place| place.superseded),
        parent: place.and_then(|place| place.parent),
        kind: row.kind.as_str().into(),
        fields,
        text,
        full_length,
    }
}

/// Shows what became of a message: the stage, why it is held, how often it is being handed.
pub(crate) fn receipt(receipt: Receipt) -> (Stage, Option<HeldReason>, Option<u8>) {
    match receipt {
        Receipt::Queued => (Stage::Queued, None, None),
        Receipt::Held(reason) => (Stage::Held, Some(reason.into()), None),
        Receipt::Handing(attempt) => (Stage::Handing, None, Some(attempt)),
        Receipt::Handed => (Stage::Handed, None, None),
        Receipt::Answered => (Stage::Answered, None, None),
        Receipt::Failed => (Stage::Failed, None, None),
        Receipt::Interrupted => (Stage::Interrupted, None, None),
        Receipt::Cancelled => (Stage::Cancelled, None, None),
    }
}

/// Returns the word that stands for a unit variant in the log.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Shows tokens and money.
pub(crate) fn usage(usage: Usage) -> UsageView {
    UsageView {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cached_tokens: usage.cached_tokens,
        cost_micros: usage.cost_micros,
    }
}

/// Returns a problem in the words of the wire.
pub(crate) fn problem(problem: &Problem) -> AgentProblem {
    AgentProblem {
        file: problem.file.clone(),
        line: problem.line,
        message: problem.message.clone(),
        slug: problem.slug.clone(),
        severity: problem.severity.into(),
    }
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::item::{Decision, Kind, ToolClass, ToolOutcome, Usage};
    use paseo_wire::item::ItemBody;
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
        let usage = Usage { cost_micros: Some(1), ..Usage::default() };
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
                json!({ "diffs": [{ "path": "a", "patch": "+" }] }),
            ),
            (Kind::Permission { hash, decision: Some(Decision::Deny), by }, json!({ "headline": "runs" })),
            (Kind::Todo, json!({})),
            (Kind::Usage(usage), json!({})),
            (Kind::Notice { code: "x".to_owned() }, json!({ "kept_turn": turn, "kept_after": 2 })),
            (Kind::Error { code: "x".to_owned() }, json!({})),
            (Kind::Raw { provider: "x".to_owned() }, json!({})),
        ]
    }

    fn shown(kind: Kind, extra: Option<&Value>) -> ItemView {
        let word = kind.word().to_owned();
        let entry = Entry { place: paseo_core::item::Place::default(), kind };
        let content = ContentRow {
            id: Uuid::nil(),
            len: 1,
            sha256: [0; 32],
            text: Text::Inline("x".to_owned()),
            extra: extra.map(Value::to_string),
        };
        item(ItemRow {
            seq: 1,
            id: Uuid::nil(),
            ts: 0,
            ordinal: 1,
            kind: word,
            v: 1,
            data: Some(serde_json::to_string(&entry).unwrap()),
            content: Some(content),
        })
    }

    #[test]
    fn items_have_the_fields_of_their_kind_and_no_others() {
        let mut kinds = Vec::new();
        for (kind, extra) in all() {
            for extra in [Some(&extra), None] {
                let view = shown(kind.clone(), extra);
                let body = json!({ "kind": view.kind, "fields": view.fields });
                let read: ItemBody = serde_json::from_value(body.clone()).unwrap_or_else(|error| {
                    panic!("the schema does not know this: {error}: {body}");
                });
                // Nothing is lost on the way, but for what is left out when it is empty.
                let written = serde_json::to_value(&read).unwrap();
                for (name, value) in body["fields"].as_object().unwrap() {
                    assert_eq!(&written["fields"][name], value, "{body}");
                }
                kinds.push(view.kind.to_string());
            }
        }
        kinds.dedup();
        assert_eq!(kinds, ItemKind::WORDS);
    }

    #[test]
    fn the_schema_of_an_item_names_all_that_it_has() {
        use utoipa::PartialSchema;
        let schema = serde_json::to_value(ItemView::schema()).unwrap();
        let place = &schema["allOf"][0]["properties"];
        let view = ItemView { superseded: true, ..shown(Kind::Todo, None) };
        for name in serde_json::to_value(view).unwrap().as_object().unwrap().keys() {
            assert!(place.get(name).is_some() || ["kind", "fields"].contains(&name.as_str()), "{name}");
        }
    }
}
