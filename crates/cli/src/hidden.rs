//! What only Paseo itself starts: the shim above a harness, and agents of its own.

use std::ffi::OsString;
use std::process::ExitCode;

use paseo_runtime::scripted::agent;
use paseo_runtime::{openai, shim};
use paseo_wire::error::Exit;

/// Runs the hidden command that was asked for, if one was.
pub(crate) fn dispatch() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    let parsed = if command == "shim" {
        shim_arguments(arguments).map(shim::run)
    } else if command == "scripted-agent" {
        agent_arguments(arguments).map(agent::run)
    } else if command == "chat-agent" {
        Some(openai::agent::run())
    } else {
        return None;
    };
    Some(parsed.unwrap_or(ExitCode::from(Exit::Usage as u8)))
}

/// Reads `shim -- program arguments…`.
fn shim_arguments(words: impl Iterator<Item = OsString>) -> Option<shim::Arguments> {
    let mut words = words.skip_while(|word| word == "--");
    Some(shim::Arguments { program: words.next()?, arguments: words.collect() })
}

/// Reads `scripted-agent --session id --turns count [--script file]`.
fn agent_arguments(mut words: impl Iterator<Item = OsString>) -> Option<agent::Arguments> {
    let (mut session, mut turns, mut script) = (None, None, None);
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.to_str()? {
            "--session" => session = Some(value.to_str()?.parse().ok()?),
            "--turns" => turns = Some(value.to_str()?.parse().ok()?),
            "--script" => script = Some(value.into()),
            _ => return None,
        }
    }
    Some(agent::Arguments { session: session?, turns: turns?, script })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> impl Iterator<Item = OsString> {
        text.split_whitespace().map(OsString::from).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn the_shim_passes_everything_after_the_dashes_on() {
        let arguments = shim_arguments(words("-- claude --print -- x")).unwrap();
        assert_eq!(arguments.program, "claude");
        assert_eq!(arguments.arguments, ["--print", "--", "x"]);
        assert!(shim_arguments(words("--")).is_none());
    }

    #[test]
    fn the_scripted_agent_takes_its_words_in_any_order() {
        let session = "3f2a0000-0000-4000-8000-000000000000";
        let arguments = agent_arguments(words(&format!("--turns 3 --session {session}"))).unwrap();
        assert_eq!((arguments.session.to_string().as_str(), arguments.turns), (session, 3));
        assert!(agent_arguments(words("--turns 3")).is_none());
        assert!(agent_arguments(words(&format!("--session {session} --turns x"))).is_none());
    }
}
