//! `paseo ask` and `paseo tell`

use paseo_wire::conversation::{MessageAgent, MessagedAgent};
use paseo_wire::error::Exit;

use super::run::directory;
use super::send::{detail, told};
use crate::args::{AgentWords, AskArgs, TellArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer};
use crate::{attachments, consent, outcome, prompt};

pub(crate) async fn ask(context: &Context, args: AskArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output).plain_if(args.plain);
    let receipt = send(context, &printer, &args.words, true).await?.receipt;
    printer.aside(&told(&receipt));
    let waited = outcome::wait(context, &printer, &receipt, args.timeout).await?;
    outcome::report(&printer, &receipt, &waited)
}

pub(crate) async fn tell(context: &Context, args: TellArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let sent = send(context, &printer, &args.words, false).await?;
    match printer.mode() {
        Mode::Json => printer.json(&sent)?,
        Mode::Quiet => printer.line(&sent.receipt.delivery)?,
        Mode::Normal => printer.line(&told(&sent.receipt))?,
    }
    Ok(Exit::Ok)
}

/// Sends a message to the session that is meant.
async fn send(
    context: &Context,
    printer: &Printer,
    words: &AgentWords,
    wait: bool,
) -> Result<MessagedAgent, Failure> {
    let text = prompt::typed(&words.message, "message")?;
    let files = attachments::read(&words.attachments)?;
    let mut message = MessageAgent {
        project: directory(None)?,
        text,
        session: words.session.clone(),
        wait,
        attachments: Vec::new(),
        default_provider: context.provider().await?,
    };
    if wait {
        consent::review(context, printer, &words.agent, &message.project).await?;
    }
    message.attachments = attachments::upload(context, files).await?;
    let sent = context.client()?.message_agent(&words.agent, &message, words.key.as_deref()).await?;
    context.explain_version();
    consent::explain(printer, Some(&sent.receipt));
    detail(printer, &sent.receipt);
    if sent.created {
        printer.aside(&format!("Started {} ({})", sent.session.handle, sent.session.agent));
    }
    Ok(sent)
}
