//! `paseo switch`: going to an agent, and back.

use std::ffi::OsStr;
use std::io::IsTerminal;

use paseo_client::Client;
use paseo_wire::conversation::{GoBack, SwitchAgent};
use paseo_wire::error::Exit;
use paseo_wire::session::SessionView;
use paseo_wire::words::Placement;
use serde::Serialize;

use super::run::directory;
use super::send::told;
use super::{attach, ls};
use crate::args::{AttachArgs, SwitchArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer, patiently};
use crate::{consent, prompt};

pub(crate) async fn run(context: &Context, args: SwitchArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let words: Vec<&OsStr> = args.words.iter().map(AsRef::as_ref).collect();
    match (args.back, words.as_slice()) {
        (true, []) => back(context, &printer, &args, None).await,
        (true, [text]) => back(context, &printer, &args, Some(prompt::typed(text, "message")?)).await,
        (true, _) => {
            Err(Failure::usage("--back takes one message: what to ask the current agent").hint(QUOTES))
        }
        (false, [agent]) => go(context, &printer, &args, agent, None).await,
        (false, [agent, text, extra @ ..]) => {
            prompt::only(("agent definition", agent), text, extra)?;
            go(context, &printer, &args, agent, Some(prompt::typed(text, "message")?)).await
        }
        (false, []) => Err(Failure::usage("no agent given: name an agent definition, or pass --back")
            .hint("run `paseo agents ls` to list the definitions")),
    }
}

const QUOTES: &str = "quote the whole message";

async fn go(
    context: &Context,
    printer: &Printer,
    args: &SwitchArgs,
    agent: &OsStr,
    text: Option<String>,
) -> Result<Exit, Failure> {
    let wanted = SwitchAgent {
        project: directory(None)?,
        from: args.from.clone(),
        text,
        ui: args.ui,
        new: args.new,
        default_provider: context.provider().await?,
    };
    let went = context.client()?.switch_agent(&agent.to_string_lossy(), &wanted).await?;
    context.explain_version();
    consent::warn(printer, went.session.notice.as_deref());
    let session = &went.session;
    if went.created {
        printer.aside(&format!("Started {} ({})", session.handle, session.agent));
    }
    if let Some(receipt) = &went.receipt {
        printer.aside(&told(receipt));
    }
    if let Some(from) = &went.from {
        let from = match context.client()?.session(from).await {
            Ok(answer) => named(&answer.session),
            // A person who came from an agent that is gone is told when switching back.
            Err(_) => "the previous agent".to_owned(),
        };
        printer.aside(&format!("To return to {from} with a summary: paseo switch --back"));
    }
    arrive(context, printer, session, &went).await
}

async fn back(
    context: &Context,
    printer: &Printer,
    args: &SwitchArgs,
    text: Option<String>,
) -> Result<Exit, Failure> {
    let client = context.client()?;
    let leaving = match &args.from {
        Some(handle) => client.session(handle).await?.session,
        None => entered_last(client).await?,
    };
    let doing = format!("{} is writing the summary", leaving.handle);
    let went = patiently(printer, &doing, client.go_back(&leaving.id, &GoBack { text })).await?;
    context.explain_version();
    if went.receipt.placement == Placement::Held {
        // A summary is an agent's words: only a person's own let a stopped agent go on.
        let (handle, summary) = (&went.session.handle, &went.summary);
        printer.aside(&format!(
            "{handle} is on hold and will read the summary with your next message: {summary}"
        ));
    } else {
        printer.aside(&format!("Sent to {}: {}", went.session.handle, went.summary));
    }
    arrive(context, printer, &went.session, &went).await
}

/// Finds the agent of this project that this person is in, if they came to it from another one.
async fn entered_last(client: &Client) -> Result<SessionView, Failure> {
    let here = client.whereabouts(&directory(None)?).await?;
    let why = match (here.session, here.from) {
        (Some(session), Some(_)) => return Ok(session),
        (Some(session), None) => {
            format!("you used {} last, and did not come to it with `paseo switch`", named(&session))
        }
        (None, _) => "you have not switched agents in this directory".to_owned(),
    };
    Err(Failure::new(Exit::Refused, format!("cannot switch back: {why}"))
        .hint("to switch back from another agent, run `paseo switch --back --from HANDLE`"))
}

/// Returns an agent's handle, with what it is called.
fn named(session: &SessionView) -> String {
    format!("{} {}", session.handle, ls::shown_name(session.name.as_deref(), session.title.as_deref()))
        .trim_end()
        .to_owned()
}

/// Attaches a person to where they are now; a script gets the handle.
async fn arrive(
    context: &Context,
    printer: &Printer,
    session: &SessionView,
    view: &impl Serialize,
) -> Result<Exit, Failure> {
    match printer.mode() {
        Mode::Json => printer.json(view)?,
        Mode::Normal if std::io::stdin().is_terminal() && printer.is_screen() => {
            printer.aside(&format!("Switched to {}", named(session)));
            let args = AttachArgs {
                handle: Some(session.id.to_string()),
                agent: None,
                since: None,
                plain: false,
                json: false,
            };
            return attach::run(context, args).await;
        }
        Mode::Normal | Mode::Quiet => printer.line(&session.handle)?,
    }
    Ok(Exit::Ok)
}
