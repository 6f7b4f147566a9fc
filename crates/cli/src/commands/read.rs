//! `paseo read`

use paseo_wire::error::Exit;
use serde::Serialize;

use crate::args::ReadArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use crate::printer::Mode;

/// What `--json` prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct AnswerView<'a> {
    session: &'a str,
    handle: &'a str,
    status: &'a str,
    turn: Option<&'a str>,
    answer: Option<&'a str>,
    /// Of the last turn, when it failed.
    code: Option<&'a str>,
    /// Of the last turn, when it failed.
    error: Option<&'a str>,
}

pub(crate) async fn run(context: &Context, args: ReadArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    let session = client.session(&args.handle).await?.session;
    let answer = client.last_answer(&session.id, session.turn.as_deref()).await?;
    let error = match session.status.as_str() {
        "error" => client.last_error(&session.id).await?,
        _ => None,
    };
    let error = match &error {
        Some(item) => Some(client.full_text(&session.id, item).await?),
        None => None,
    };
    if printer.mode() == Mode::Json {
        printer.json(&AnswerView {
            session: &session.id,
            handle: &session.handle,
            status: &session.status,
            turn: answer.as_ref().map(|answer| answer.turn.as_str()),
            answer: answer.as_ref().map(|answer| answer.text.as_str()),
            code: session.status_code.as_deref().filter(|_| session.status == "error"),
            error: error.as_deref(),
        })?;
    } else if let Some(answer) = &answer {
        printer.text(&answer.text)?;
    }
    let handle = &session.handle;
    if session.status == "error" {
        if answer.is_some() {
            printer.aside("this was said before it failed");
        }
        let code = session.status_code.as_deref().unwrap_or("failed");
        return Err(outcome::failed(handle, code, error.as_deref().unwrap_or_default()));
    }
    if answer.is_none() {
        let why = match session.status.as_str() {
            "starting" | "running" => "it is still at work",
            "waiting" => "it waits for a permission",
            "interrupted" => "it was interrupted before it said anything",
            _ => "it has not said anything",
        };
        let next = match session.status.as_str() {
            "starting" | "running" => format!("`paseo wait {handle}` waits for it, "),
            "waiting" => "`paseo permit ls` shows what it asks, ".to_owned(),
            "interrupted" => format!("`paseo send {handle} \"…\"` makes it go on, "),
            _ => String::new(),
        };
        return Err(Failure::new(Exit::AgentError, format!("{handle} has no answer yet: {why}"))
            .hint(format!("{next}`paseo logs {handle}` shows what it did")));
    }
    match session.status.as_str() {
        "starting" | "running" | "waiting" => {
            printer.aside(&format!("{handle} is at work again; this was said before"))
        }
        "interrupted" => printer.aside(&format!("the last turn of {handle} was interrupted")),
        _ => {}
    }
    Ok(Exit::Ok)
}
