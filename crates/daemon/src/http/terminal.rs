//! Terminals of workers: watched and taken over by a WebSocket, and their history in pages. Shells of people beside agents.

mod link;
mod shell;
mod socket;

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use axum::{Extension, Json};
use http::HeaderValue;
use paseo_runtime::terminal::tmux::Lines;
use paseo_wire::error::Code;
use paseo_wire::terminal::{HistoryQuery, PROTOCOL, TerminalHistory};

use self::link::Watching;
use super::App;
use super::connections::Connection;
use super::pass::Pass;
use super::rejection::plain;
use super::reply::Answer;
use super::request::{Asked, Caller, Path};
use super::server::Lasting;
use super::sessions::resolve;
use crate::failure::Failure;
use crate::shells::check_on;
use crate::workers::{LINES, Workers, terminal_gone};

/// Most lines of one page.
const MOST_LINES: u64 = 5_000;

/// The longest message that a viewer may send: a paste, and what JSON makes of it.
const MESSAGE: usize = 64 * 1024;

pub(crate) async fn watch(
    State(app): State<App>,
    Caller(by): Caller,
    pass: Pass,
    connection: Option<Extension<Arc<Connection>>>,
    lasting: Option<Extension<Lasting>>,
    Path(typed): Path<String>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let found = Workers::of(&app.sessions)?.find(&by, &typed).await;
    // Without an upgrade nothing else would tell that there is no such worker.
    let upgrade = upgraded(upgrade, found.as_ref().err())?;
    // Pages cannot read the answer to an upgrade, so they are told over the socket what is wrong.
    Ok(upgrade.on_upgrade(move |socket| async move {
        Watching { app, by, pass, connection: connection.map(|Extension(connection)| connection) }
            .run(socket, found)
            .await;
        drop(lasting);
    }))
}

pub(crate) async fn open_shell(
    State(app): State<App>,
    Caller(by): Caller,
    pass: Pass,
    connection: Option<Extension<Arc<Connection>>>,
    lasting: Option<Extension<Lasting>>,
    Path(typed): Path<String>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let found = resolve(&app, &by, &typed).await;
    let found = check_on(&app.sessions.context).and(found);
    let upgrade = upgraded(upgrade, found.as_ref().err())?;
    let lasting = lasting.map(|Extension(lasting)| lasting);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let connection = connection.map(|Extension(connection)| connection);
        let watching = Watching { app, by, pass, connection };
        watching.run_shell(socket, found, lasting.clone()).await;
        drop(lasting);
    }))
}

/// Returns a WebSocket that speaks our protocol; what is wrong with what it is for comes first.
fn upgraded(
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    wrong: Option<&Failure>,
) -> Result<WebSocketUpgrade, Failure> {
    let upgrade = upgrade.map_err(|rejection| match wrong {
        Some(failure) => failure.clone(),
        None => no_socket(&plain(&rejection.body_text()).message),
    })?;
    if !upgrade.requested_protocols().any(|offered| offered == HeaderValue::from_static(PROTOCOL)) {
        return Err(no_socket("the client does not offer the subprotocol"));
    }
    Ok(upgrade.protocols([PROTOCOL]).max_message_size(MESSAGE).max_frame_size(MESSAGE).write_buffer_size(0))
}

fn no_socket(why: &str) -> Failure {
    Failure::new(Code::InvalidRequest, format!("this path is a WebSocket: {why}"))
        .hint(format!("connect with the subprotocol `{PROTOCOL}`"))
}

pub(crate) async fn history(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<HistoryQuery>,
) -> Answer<TerminalHistory> {
    let session = Workers::of(&app.sessions)?.find(&by, &typed).await?;
    let name = session.profile.terminal.clone().unwrap_or_default();
    let terminals = &app.sessions.context.terminals;
    let pane = terminals.pane(&name, session.id).await?.ok_or_else(|| terminal_gone(&name))?;
    let count = query.lines.map_or(LINES as u64, u64::from).clamp(1, MOST_LINES);
    let Lines { mut text, start, total } = terminals.lines(&pane, query.before, count).await?;
    // Below what a program has printed, the screen is empty.
    while query.before.is_none_or(|before| before >= total) && text.last().is_some_and(String::is_empty) {
        text.pop();
    }
    Ok(Json(TerminalHistory { name, text: text.join("\n"), total, earlier: (start > 0).then_some(start) }))
}
