//! State in the words of the wire.

pub(crate) mod change;
mod item;

use std::collections::BTreeMap;

use paseo_core::actor::{Actor, TERMINAL};
use paseo_core::definition::Problem;
use paseo_core::item::Usage;
use paseo_core::preview::Preview;
use paseo_core::session::{Class, Entered, Options, Pending, Receipt, Retry, Session, Worktree};
use paseo_wire::agent::AgentProblem;
use paseo_wire::item::UsageView;
use paseo_wire::session::{EnteredView, NextTurn, RetryView, SessionLine, SessionView, WorktreeView};
use paseo_wire::words::{HeldReason, Stage};
use paseo_wire::worker::{ExitView, TerminalView};
use serde::Serialize;
use serde_json::Value;

pub(crate) use self::item::item;
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
        next_turn: next_turn(session),
        labels: labels(session),
        pinned_at: session.pinned_at.map(Into::into),
        notify_when_finished: session.attention.awaited,
        attributes: session.attributes.clone(),
        project: profile.project.clone(),
        directory: profile.directory.clone(),
        worktree: worktrees::present(profile).map(worktree),
        parent: profile.parent.map(Into::into),
        terminal: terminal(session),
        team: profile.team.as_ref().map(|seat| (&seat.team).into()),
        member: profile.team.as_ref().map(|seat| seat.agent.as_str().into()),
        entered: session.entered.as_deref().map(entered),
        created_by: (&profile.created_by).into(),
        created_at: profile.created_at.into(),
        updated_at: session.updated_at.into(),
        queued: session.queue.len() - held - passive,
        held,
        turn: session.turn.as_ref().map(|turn| turn.id.into()),
        cause: session.turn.as_ref().map(|turn| turn.cause.into()),
        ask: session.turn.as_ref().and_then(|turn| turn.asks.first()).map(|ask| ask.hash.as_str().into()),
        asks: session.turn.as_ref().map_or(0, |turn| turn.asks.len()),
        turns: session.history.turns,
        usage: usage(session.history.usage),
        last_snippet: None,
        step: None,
        todo_done: None,
        todo_total: None,
        icon: None,
        color: None,
        unread: session.attention.is_unread(),
        news: session.attention.news,
        archived: session.attention.is_archived(),
        todo: None,
        children: None,
        guard: None,
        last_cause: None,
        waits_for: None,
        check: None,
        notice: None,
    }
}

/// Returns what waits for the next turn.
fn next_turn(session: &Session) -> Option<NextTurn> {
    let Options { model, effort, permissions } = session.options.as_deref().cloned()?;
    let permissions = permissions.unwrap_or(session.profile.permissions).into();
    Some(NextTurn { model, effort, permissions })
}

/// Returns what a session does right now, while it works.
pub(crate) fn step(session: &Session, preview: &Preview) -> Option<String> {
    preview.step(session.turn.as_ref()?.id).map(str::to_owned)
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
        member: profile.team.as_ref().map(|seat| seat.agent.as_str().into()),
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
    let taken_over_by = session.history.keyboard.as_deref().map(Into::into);
    Some(TerminalView { name, exit: exit(session), person: is_driven_by_person(session), taken_over_by })
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
    EnteredView { from: entered.from.into(), by: (&entered.by).into(), at: entered.at.into() }
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

/// Shows the outcome of a message: the stage, why it is held, how often it is being handed.
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
