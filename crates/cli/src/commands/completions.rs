//! `paseo completions`

use clap_complete::generate;
use paseo_wire::error::Exit;

use crate::args::{CompletionsArgs, command};
use crate::context::Context;
use crate::failure::Failure;

pub(crate) fn run(context: &Context, args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut command(), "paseo", &mut script);
    context.printer.bytes(&script)?;
    Ok(Exit::Ok)
}
