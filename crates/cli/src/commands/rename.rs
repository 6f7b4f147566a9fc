//! `paseo rename`

use paseo_core::limits::NAME_CHARS;
use paseo_wire::error::Exit;
use paseo_wire::session::PatchSession;

use crate::args::RenameArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

pub(crate) async fn run(context: &Context, args: RenameArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    if args.name.chars().count() > NAME_CHARS {
        return Err(Failure::usage(format!("name too long: at most {NAME_CHARS} characters")));
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
