//! `paseo permit`

use paseo_client::Client;
use paseo_wire::error::Exit;
use paseo_wire::session::{AnswerPermission, SessionQuery, SessionView};
use serde::Serialize;

use super::ls::{all, shown_name};
use crate::args::{Output, PermitArgs, PermitCommand};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Style, Table};

/// One line of `permit ls --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct AskView<'a> {
    session: &'a str,
    handle: &'a str,
    hash: &'a str,
    text: Option<&'a str>,
}

pub(crate) async fn run(context: &Context, command: PermitCommand) -> Result<Exit, Failure> {
    match command {
        PermitCommand::Ls { output } => list(context, output).await,
        PermitCommand::Allow(args) => answer(context, args, true).await,
        PermitCommand::Deny(args) => answer(context, args, false).await,
    }
}

async fn list(context: &Context, output: Output) -> Result<Exit, Failure> {
    let printer = context.printer.with(output);
    let client = context.client()?;
    let query = SessionQuery { any_labels: true, ..SessionQuery::default() };
    let page = all(client, query).await?;
    let mut table = Table::new([Column::fixed("HANDLE"), Column::flexible("NAME"), Column::fixed("ASKS")]);
    let mut count = 0;
    for session in &page.sessions {
        let Some(hash) = &session.ask else { continue };
        count += 1;
        let text = client.ask_text(&session.id, hash).await?;
        match printer.mode() {
            Mode::Json => {
                let (session, handle) = (session.id.as_str(), session.handle.as_str());
                printer.json(&AskView { session, handle, hash, text: text.as_deref() })?;
            }
            Mode::Quiet => printer.line(&session.handle)?,
            Mode::Normal => table.row([
                (Style::Bold, session.handle.clone()),
                (Style::Plain, shown_name(session).to_owned()),
                (Style::Yellow, text.unwrap_or_default()),
            ]),
        }
    }
    match (printer.mode(), count) {
        (Mode::Normal, 0) => printer.note("No agent asks for permission."),
        (Mode::Normal, _) => printer.table(&table)?,
        (Mode::Json | Mode::Quiet, _) => {}
    }
    Ok(Exit::Ok)
}

async fn answer(context: &Context, args: PermitArgs, allow: bool) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    let session = client.session(&args.handle).await?.session;
    let (hash, text) = ask(client, &session).await?;
    let wanted = AnswerPermission { allow, message: args.message };
    let answer = client.answer_permission(&session.id, hash, &wanted).await?;
    match printer.mode() {
        Mode::Json => printer.json(&answer)?,
        Mode::Quiet => printer.line(&answer.handle)?,
        Mode::Normal => {
            let deed = if allow { "allowed" } else { "denied" };
            printer.line(&format!("{deed} {}: {}", answer.handle, text.unwrap_or_default()))?;
        }
    }
    Ok(Exit::Ok)
}

/// Returns what a session asks: the hash makes sure that nothing else is answered.
async fn ask<'a>(client: &Client, session: &'a SessionView) -> Result<(&'a str, Option<String>), Failure> {
    let Some(hash) = &session.ask else {
        let message = format!("{} does not ask for permission: it is {}", session.handle, session.status);
        return Err(Failure::new(Exit::Refused, message).hint("`paseo permit ls` shows who does"));
    };
    Ok((hash, client.ask_text(&session.id, hash).await?))
}
