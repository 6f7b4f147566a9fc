//! `paseo demo`: a tour with scripted agents, in a repository and a home of its own.

mod scripts;
mod stage;
mod tour;

use paseo_wire::error::Exit;

use self::stage::Stage;
use crate::args::DemoArgs;
use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, args: DemoArgs) -> Result<Exit, Failure> {
    if context.settings.inside.is_some() {
        return Err(Failure::new(Exit::Refused, "agents can't run the demo")
            .hint("run `paseo demo` in your own terminal"));
    }
    let stage = Stage::build(context.printer, args.fast).await?;
    let toured = tokio::select! {
        toured = tour::give(&stage) => toured.map(|()| Exit::Ok),
        pressed = tokio::signal::ctrl_c() => match pressed {
            Ok(()) => Ok(Exit::Interrupted),
            Err(error) => Err(Failure::new(Exit::AgentError, format!("cannot wait for ctrl-C: {error}"))),
        },
    };
    // Whatever happened: no daemon and no file is left, unless they are wanted.
    stage.clear(args.keep).await?;
    toured
}
