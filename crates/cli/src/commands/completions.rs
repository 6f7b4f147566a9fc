//! `paseo completions`

use clap::CommandFactory;
use clap_complete::generate;
use paseo_wire::error::Exit;

use crate::args::{Cli, CompletionsArgs};
use crate::context::Context;
use crate::failure::Failure;

pub(crate) fn run(context: &Context, args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "paseo", &mut script);
    context.printer.bytes(&script)?;
    Ok(Exit::Ok)
}
