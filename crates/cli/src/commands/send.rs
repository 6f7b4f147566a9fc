//! `paseo send`

use paseo_wire::error::Exit;
use paseo_wire::message::{Receipt, SendMessage, Verb};
use paseo_wire::words::{Placement, PlacementReason};

use crate::args::SendArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Form;
use crate::printer::{Mode, Printer};
use crate::{attachments, consent, outcome, output_schema, prompt};

pub(crate) async fn run(context: &Context, args: SendArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output).plain_if(args.plain);
    let verb = match (args.steer, args.interrupt) {
        (true, _) => Verb::Steer,
        (_, true) => Verb::Interrupt,
        _ => Verb::Queue,
    };
    prompt::only(("agent", args.handle.as_ref()), &args.message, &args.extra)?;
    let text = prompt::typed(&args.message, "message")?;
    let output_schema = output_schema::read(args.output_schema.as_deref())?;
    let files = attachments::read(&args.attachments)?;
    if !files.is_empty() {
        // Nothing is uploaded for an agent that is not there.
        context.client()?.session(&args.handle).await?;
    }
    let attachments = attachments::upload(context, files).await?;
    let message = SendMessage { text, verb, wait: args.wait, attachments, output_schema };
    let receipt = context.client()?.send(&args.handle, &message, args.key.as_deref()).await?;
    context.explain_version();
    consent::explain(&printer, Some(&receipt));
    detail(&printer, &receipt);
    if args.wait {
        printer.aside(&told(&receipt));
        let form = Form::of(message.output_schema.as_ref());
        let waited = outcome::wait(context, &printer, &receipt, form, args.timeout).await?;
        return outcome::report(&printer, &receipt, &waited);
    }
    match printer.mode() {
        Mode::Json => printer.json(&receipt)?,
        Mode::Quiet => printer.line(&receipt.delivery)?,
        Mode::Normal => printer.line(&told(&receipt))?,
    }
    Ok(Exit::Ok)
}

/// Prints the ids that `paseo trace` and `paseo cause` take, with `--verbose`.
pub(super) fn detail(printer: &Printer, receipt: &Receipt) {
    printer.detail(&format!("delivery {}, cause {}", receipt.delivery, receipt.cause));
}

/// Returns the receipt in one readable line.
pub(super) fn told(receipt: &Receipt) -> String {
    let handle = &receipt.handle;
    match &receipt.placement {
        Placement::Queued if receipt.reason == Some(PlacementReason::Earlier) => {
            format!("Queued for {handle}, behind held messages")
        }
        Placement::Queued if receipt.reason == Some(PlacementReason::Limit) => {
            format!("Queued: {handle} will read it when its rate limit ends")
        }
        Placement::Started if receipt.reason == Some(PlacementReason::Terminal) => {
            format!("Queued: {handle} will read it when tmux responds again")
        }
        Placement::Started => format!("Sent to {handle}"),
        Placement::Queued => format!("Queued: {handle} is busy and will read it after the current turn"),
        Placement::Steering => format!(
            "Sent to {handle}, for its current turn if it still accepts messages, else for the next one"
        ),
        Placement::Interrupting => format!("Interrupting the turn of {handle}; it reads your message next"),
        Placement::Held => {
            let reason = receipt.reason.as_ref().map(|reason| outcome::held(reason.as_str()));
            format!("Held for {handle} until a person acts: {}", reason.unwrap_or_default())
        }
        Placement::Other(other) => format!("{other}: {handle}"),
    }
}
