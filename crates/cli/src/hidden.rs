//! What only Paseo itself starts: the shim above a harness, agents of its own, and the hook of guarded ones.

use std::process::ExitCode;

use paseo_runtime::scripted::agent;
use paseo_runtime::{openai, schema, shim};
use paseo_wire::error::Exit;

use crate::leave;

/// Runs the hidden command that was asked for, if one was.
pub(crate) fn dispatch() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    let parsed = if command == "shim" {
        shim::Arguments::read(arguments).map(shim::run)
    } else if command == "scripted-agent" {
        agent::Arguments::read(arguments).map(agent::run)
    } else if command == "chat-agent" {
        Some(openai::agent::run())
    } else if command == schema::COMMAND {
        Some(schema::run())
    } else if command == "leave" {
        Some(leave::run())
    } else {
        return None;
    };
    Some(parsed.unwrap_or(ExitCode::from(Exit::Usage as u8)))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn words(text: &str) -> impl Iterator<Item = OsString> {
        text.split_whitespace().map(OsString::from).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn the_shim_passes_everything_after_the_dashes_on() {
        let arguments = shim::Arguments::read(words("-- claude --print -- x")).unwrap();
        assert_eq!(arguments.program, "claude");
        assert_eq!(arguments.arguments, ["--print", "--", "x"]);
        assert!(shim::Arguments::read(words("--")).is_none());
    }

    #[test]
    fn the_scripted_agent_takes_its_words_in_any_order() {
        let arguments = agent::Arguments::read(words("--script a --turns 3")).unwrap();
        assert_eq!((arguments.script, arguments.turns), (Some("a".into()), 3));
        assert!(agent::Arguments::read(words("--script a")).is_none());
        assert!(agent::Arguments::read(words("--turns x")).is_none());
    }
}
