//! `paseo read`

use paseo_wire::error::Exit;
use paseo_wire::words::Status;
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
    status: &'a Status,
    turn: Option<&'a str>,
    /// Everything that it said in that turn, in order.
    answer: Option<&'a str>,
    /// The answer is longer. Only agents get part of it.
    truncated: bool,
    /// Of the last turn, when it failed.
    code: Option<&'a str>,
    /// Of the last turn, when it failed.
    error: Option<&'a str>,
}

pub(crate) async fn run(context: &Context, args: ReadArgs) -> Result<Exit, Failure> {
    let printer = context.printer.with(args.output).plain_if(args.plain);
    let last = context.client()?.last_turn(&args.handle).await?;
    if printer.mode() == Mode::Json {
        printer.json(&AnswerView {
            session: &last.session,
            handle: &last.handle,
            status: &last.status,
            turn: last.turn.as_deref(),
            answer: last.text.as_deref(),
            truncated: last.truncated,
            code: last.code.as_deref(),
            error: last.error.as_deref(),
        })?;
    } else if let Some(text) = &last.text {
        printer.answer(text)?;
    }
    if last.truncated {
        printer.aside("the answer is cut off here");
    }
    let handle = &last.handle;
    if last.status == Status::Error {
        if last.text.is_some() {
            printer.aside("The text above was written before the failure.");
        }
        let code = last.code.as_deref().unwrap_or("failed");
        return Err(outcome::failed(handle, code, last.error.as_deref().unwrap_or_default()));
    }
    if last.text.is_none() {
        let why = match last.status {
            Status::Starting | Status::Running => "yet: it is still working",
            Status::Waiting => "yet: it is waiting for permission",
            Status::Interrupted => "yet: it was interrupted before it answered",
            _ => "to print: its last turn ended without text",
        };
        let next = match last.status {
            Status::Starting | Status::Running => format!("run `paseo wait {handle}`; "),
            Status::Waiting => "run `paseo permit ls`; ".to_owned(),
            Status::Interrupted => format!("run `paseo send {handle} \"…\"`; "),
            _ => String::new(),
        };
        return Err(Failure::new(Exit::AgentError, format!("{handle} has no answer {why}"))
            .hint(format!("{next}to see its transcript, run `paseo logs {handle}`")));
    }
    match last.status {
        Status::Starting | Status::Running | Status::Waiting => {
            printer.aside(&format!("{handle} is working again; this is its previous answer"))
        }
        Status::Interrupted => printer.aside(&format!("the last turn of {handle} was interrupted")),
        _ => {}
    }
    Ok(Exit::Ok)
}
