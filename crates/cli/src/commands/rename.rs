//! `paseo rename`

use paseo_core::name;
use paseo_wire::error::Exit;
use paseo_wire::session::PatchSession;

use crate::args::RenameArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

pub(crate) async fn run(context: &Context, args: RenameArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    // An empty name takes the name away.
    let typed = args.name.trim();
    if !typed.is_empty() && !name::fits(typed) {
        return Err(Failure::usage(name::optional_limit("a name")).hint("pass an empty name to remove it"));
    }
    let patch = PatchSession { name: Some(args.name), ..PatchSession::default() };
    let session = context.client()?.patch_session(&args.handle, &patch).await?.session;
    match (printer.mode(), &session.name) {
        (Mode::Json, _) => printer.json(&session)?,
        (Mode::Quiet, _) => {}
        (Mode::Normal, Some(name)) => printer.line(&format!("Renamed {} to {name}", session.handle))?,
        (Mode::Normal, None) => printer.line(&format!("Removed the name of {}", session.handle))?,
    }
    Ok(Exit::Ok)
}
