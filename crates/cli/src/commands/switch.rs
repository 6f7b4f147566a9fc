//! `paseo switch`: going to an agent, and back.

use std::ffi::OsStr;
use std::io::IsTerminal;

use paseo_client::Client;
use paseo_wire::conversation::{GoBack, SwitchAgent};
use paseo_wire::error::Exit;
use paseo_wire::session::{SessionQuery, SessionView};
use serde::Serialize;

use super::ls::all;
use super::run::directory;
use super::send::told;
use super::{attach, ls};
use crate::args::{AttachArgs, SwitchArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Mode, Printer, patiently};
use crate::prompt;

pub(crate) async fn run(context: &Context, args: SwitchArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let words: Vec<&OsStr> = args.words.iter().map(AsRef::as_ref).collect();
    match (args.back, words.as_slice()) {
        (true, []) => back(context, &printer, &args, None).await,
        (true, [text]) => back(context, &printer, &args, Some(prompt::typed(text, "message")?)).await,
        (true, _) => Err(Failure::usage("--back takes only what to ask the agent for").hint(QUOTES)),
        (false, [agent]) => go(context, &printer, &args, agent, None).await,
        (false, [agent, text]) => {
            go(context, &printer, &args, agent, Some(prompt::typed(text, "message")?)).await
        }
        (false, _) => Err(Failure::usage("no agent is named").hint("paseo switch AGENT [MESSAGE]")),
    }
}

const QUOTES: &str = "put the whole message in quotes";

async fn go(
    context: &Context,
    printer: &Printer,
    args: &SwitchArgs,
    agent: &OsStr,
    text: Option<String>,
) -> Result<Exit, Failure> {
    let wanted = SwitchAgent { project: directory(None)?, from: args.from.clone(), text, ui: args.ui };
    let went = context.client()?.switch_agent(&agent.to_string_lossy(), &wanted).await?;
    context.explain_version();
    let session = &went.session;
    if went.created {
        printer.aside(&format!("{} is a new session of {}", session.handle, session.agent));
    }
    if let Some(receipt) = &went.receipt {
        printer.aside(&told(receipt));
    }
    if went.from.is_some() {
        printer.aside("`paseo switch --back` takes what you decide back to where you came from");
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
    let doing = format!("{} sums up", leaving.handle);
    let went = patiently(printer, &doing, client.go_back(&leaving.id, &GoBack { text })).await?;
    context.explain_version();
    printer.aside(&format!("told {}: {}", went.session.handle, went.summary));
    arrive(context, printer, &went.session, &went).await
}

/// Finds the agent that this person went to last.
async fn entered_last(client: &Client) -> Result<SessionView, Failure> {
    let me = client.whoami().await?.actor;
    let open = all(client, SessionQuery { any_labels: true, ..SessionQuery::default() }).await?.sessions;
    let entered = open.into_iter().filter_map(|session| {
        let at = session.entered.as_ref().filter(|entered| entered.by == me)?.at;
        Some((at, session))
    });
    let last = entered.max_by_key(|(at, _)| *at).map(|(_, session)| session);
    last.ok_or_else(|| {
        Failure::new(Exit::Refused, "there is nowhere to go back to: you went to no agent from another one")
            .hint("`paseo switch AGENT` goes to one; --from HANDLE says which one you leave")
    })
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
            let name = ls::shown_name(session);
            printer.aside(format!("you are in {} {name}", session.handle).trim_end());
            let args = AttachArgs { handle: Some(session.id.clone()), agent: None, since: None, json: false };
            return attach::run(context, args).await;
        }
        Mode::Normal | Mode::Quiet => printer.line(&session.handle)?,
    }
    Ok(Exit::Ok)
}
