//! `paseo set`

use paseo_wire::error::Exit;
use paseo_wire::session::{NextTurn, PatchSession, SessionView};
use paseo_wire::words::PermissionMode;

use crate::args::SetArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

pub(crate) async fn run(context: &Context, args: SetArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let patch = PatchSession {
        model: args.model,
        effort: args.effort,
        permissions: args.permissions.map(|word| PermissionMode::from(word.as_str())),
        ..PatchSession::default()
    };
    let session = context.client()?.patch_session(&args.handle, &patch).await?.session;
    match printer.mode() {
        Mode::Json => printer.json(&session)?,
        Mode::Quiet => printer.line(&session.handle)?,
        Mode::Normal => printer.line(&told(&session))?,
    }
    Ok(Exit::Ok)
}

/// Says what the agent runs with from now on, or from its next turn on.
fn told(session: &SessionView) -> String {
    let now = || NextTurn {
        model: session.model.clone(),
        effort: session.effort.clone(),
        permissions: session.permissions.clone(),
    };
    let NextTurn { model, effort, permissions } = session.next_turn.clone().unwrap_or_else(now);
    let model = model.unwrap_or_else(|| format!("{}'s default model", session.provider));
    let effort = effort.map(|effort| format!(", effort {effort}")).unwrap_or_default();
    let when = if session.next_turn.is_some() { " from the next turn" } else { "" };
    format!("{} uses {model}{effort}, permissions {permissions}{when}", session.handle)
}
