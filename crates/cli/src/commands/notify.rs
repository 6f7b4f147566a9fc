//! `paseo notify`

use paseo_wire::error::Exit;
use paseo_wire::session::PatchSession;

use super::worse;
use crate::args::NotifyArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;

pub(crate) async fn run(context: &Context, args: NotifyArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let patch = PatchSession { notify_when_finished: Some(!args.off), ..PatchSession::default() };
    let client = context.client()?;
    let mut exit = Exit::Ok;
    for handle in &args.handles {
        match client.patch_session(handle, &patch).await {
            Ok(answer) => match printer.mode() {
                Mode::Json => printer.json(&answer.session)?,
                Mode::Quiet => printer.line(&answer.session.handle)?,
                Mode::Normal => {
                    let deed = if args.off { "No notification" } else { "Notification" };
                    printer.line(&format!("{deed} when {} finishes", answer.session.handle))?;
                }
            },
            Err(error) => {
                let failure = Failure::from(error);
                exit = worse(exit, failure.exit);
                printer.failure(&failure);
            }
        }
    }
    let is_told = printer.mode() == Mode::Normal && exit == Exit::Ok && !args.off;
    if is_told && !client.devices().await?.devices.iter().any(|device| device.notifications) {
        printer.note("No browser gets notifications yet. Turn them on: paseo open, Settings › Notifications");
    }
    Ok(exit)
}
