//! `paseo pin`

use paseo_wire::error::Exit;
use paseo_wire::session::PatchSession;

use super::worse;
use crate::args::PinArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

pub(crate) async fn run(context: &Context, args: PinArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let patch = PatchSession { pinned: Some(!args.off), ..PatchSession::default() };
    let client = context.client()?;
    let mut exit = Exit::Ok;
    // The newest pin is listed first, and so shall be the first that was named.
    let mut answers = Vec::with_capacity(args.handles.len());
    for handle in args.handles.iter().rev() {
        let pinned = match args.off && printer.mode() == Mode::Normal {
            true => client.session(handle).await.is_ok_and(|answer| answer.session.pinned_at.is_some()),
            false => true,
        };
        answers.push((client.patch_session(handle, &patch).await, pinned));
    }
    for (answer, pinned) in answers.into_iter().rev() {
        match answer {
            Ok(answer) if !pinned => printer.line(&format!("{} was not pinned", answer.session.handle))?,
            Ok(answer) => match printer.mode() {
                Mode::Json => printer.json(&answer.session)?,
                Mode::Quiet => printer.line(&answer.session.handle)?,
                Mode::Normal => {
                    let deed = if args.off { "Unpinned" } else { "Pinned" };
                    printer.line(&format!("{deed} {}", answer.session.handle))?;
                }
            },
            Err(error) => {
                let failure = Failure::from(error);
                exit = worse(exit, failure.exit);
                printer.failure(&failure);
            }
        }
    }
    Ok(exit)
}
