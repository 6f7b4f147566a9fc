//! `paseo read`

use paseo_wire::error::Exit;
use serde::Serialize;

use crate::args::ReadArgs;
use crate::context::Context;
use crate::failure::Failure;
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
}

pub(crate) async fn run(context: &Context, args: ReadArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output);
    let client = context.client()?;
    let session = client.session(&args.handle).await?.session;
    let answer = client.last_answer(&session.id, session.turn.as_deref()).await?;
    if printer.mode() == Mode::Json {
        printer.json(&AnswerView {
            session: &session.id,
            handle: &session.handle,
            status: &session.status,
            turn: answer.as_ref().map(|answer| answer.turn.as_str()),
            answer: answer.as_ref().map(|answer| answer.text.as_str()),
        })?;
    }
    let handle = &session.handle;
    let Some(answer) = answer else {
        let why = match session.status.as_str() {
            "starting" | "running" => "it is still at work",
            "waiting" => "it waits for a permission",
            _ => "it has not said anything",
        };
        return Err(Failure::new(Exit::AgentError, format!("{handle} has no answer yet: {why}"))
            .hint(format!("`paseo wait {handle}` waits for it, `paseo logs {handle}` shows what it did")));
    };
    if printer.mode() != Mode::Json {
        printer.text(&answer.text)?;
    }
    match session.status.as_str() {
        "starting" | "running" | "waiting" => {
            printer.aside(&format!("{handle} is at work again; this was said before"))
        }
        "error" | "interrupted" => {
            printer.aside(&format!("the last turn of {handle} ended with {}", session.status))
        }
        _ => {}
    }
    Ok(Exit::Ok)
}
