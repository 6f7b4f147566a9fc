//! `paseo ask` and `paseo tell`

use paseo_wire::conversation::{MessageAgent, MessagedAgent};
use paseo_wire::error::Exit;
use serde_json::Value;

use super::run::directory;
use super::send::{detail, told};
use crate::args::{AgentWords, AskArgs, TellArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::Form;
use crate::printer::{Mode, Printer};
use crate::{attachments, consent, outcome, output_schema, prompt};

pub(crate) async fn ask(context: &Context, args: AskArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output).plain_if(args.plain);
    let schema = output_schema::read(args.output_schema.as_deref())?;
    let form = Form::of(schema.as_ref());
    let receipt = send(context, &printer, &args.words, Some(schema)).await?.receipt;
    printer.aside(&told(&receipt));
    let waited = outcome::wait(context, &printer, &receipt, form, args.timeout).await?;
    outcome::report(&printer, &receipt, &waited)
}

pub(crate) async fn tell(context: &Context, args: TellArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let sent = send(context, &printer, &args.words, None).await?;
    match printer.mode() {
        Mode::Json => printer.json(&sent)?,
        Mode::Quiet => printer.line(&sent.receipt.delivery)?,
        Mode::Normal => printer.line(&told(&sent.receipt))?,
    }
    Ok(Exit::Ok)
}

/// Sends a message to the session that is meant. `awaited` when the answer is waited for, with what it has to satisfy.
async fn send(
    context: &Context,
    printer: &Printer,
    words: &AgentWords,
    awaited: Option<Option<Value>>,
) -> Result<MessagedAgent, Failure> {
    prompt::only(("agent definition", words.agent.as_ref()), &words.message, &words.extra)?;
    let text = prompt::typed(&words.message, "message")?;
    let files = attachments::read(&words.attachments)?;
    let mut message = MessageAgent {
        project: directory(None)?,
        text,
        session: words.session.clone(),
        wait: awaited.is_some(),
        attachments: Vec::new(),
        output_schema: awaited.clone().flatten(),
        default_provider: context.provider().await?,
    };
    if awaited.is_some() {
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
