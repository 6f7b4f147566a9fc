//! `paseo send`

use paseo_wire::error::Exit;
use paseo_wire::message::{Receipt, SendMessage, Verb};

use crate::args::SendArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Mode;
use crate::{attachments, consent, outcome, prompt};

pub(crate) async fn run(context: &Context, args: SendArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output).plain_if(args.plain);
    let verb = match (args.steer, args.interrupt) {
        (true, _) => Verb::Steer,
        (_, true) => Verb::Interrupt,
        _ => Verb::Queue,
    };
    let text = prompt::typed(&args.message, "message")?;
    let files = attachments::read(&args.attachments)?;
    if !files.is_empty() {
        // Nothing is uploaded for an agent that is not there.
        context.client()?.session(&args.handle).await?;
    }
    let attachments = attachments::upload(context, files).await?;
    let message = SendMessage { text, verb, wait: args.wait, attachments };
    let receipt = context.client()?.send(&args.handle, &message, args.key.as_deref()).await?;
    context.explain_version();
    consent::explain(&printer, Some(&receipt));
    if args.wait {
        printer.aside(&told(&receipt));
        let waited = outcome::wait(context, &printer, &receipt, args.timeout).await?;
        return outcome::report(&printer, &receipt, &waited);
    }
    match printer.mode() {
        Mode::Json => printer.json(&receipt)?,
        Mode::Quiet => printer.line(&receipt.delivery)?,
        Mode::Normal => printer.line(&told(&receipt))?,
    }
    Ok(Exit::Ok)
}

/// Returns the receipt in one readable line, with the ids that `paseo trace` and `paseo cause` take.
pub(super) fn told(receipt: &Receipt) -> String {
    let Receipt { delivery, cause, .. } = receipt;
    format!("{} (delivery {delivery}, cause {cause})", placed(receipt))
}

/// Returns where the message is, in words.
pub(super) fn placed(receipt: &Receipt) -> String {
    let handle = &receipt.handle;
    match receipt.placement.as_str() {
        "queued" if receipt.reason.as_deref() == Some("earlier") => {
            format!("queued: {handle} first takes up what was kept for it, then this")
        }
        "queued" if receipt.reason.as_deref() == Some("limit") => {
            format!("queued: {handle} takes it up when its limit is over")
        }
        "started" if receipt.reason.as_deref() == Some("terminal") => {
            format!("{handle} takes it up when tmux answers again, which it does not now")
        }
        "started" => format!("{handle} takes it up now"),
        "queued" => format!("queued: {handle} takes it up after its running turn"),
        "steering" => format!("steering: it goes into the running turn of {handle}"),
        "interrupting" => format!("interrupting {handle}: it is next"),
        "held" => {
            let reason = receipt.reason.as_deref().map(outcome::held);
            format!("held: {handle} takes it up when a person acts ({})", reason.unwrap_or_default())
        }
        other => format!("{other}: {handle}"),
    }
}
