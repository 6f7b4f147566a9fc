//! A command line that cannot be read, as programs are told.

use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::args::command;
use crate::failure::Failure;

/// Returns what is wrong with a command line. Programs get the message and the hint apart.
pub(crate) fn misread(error: &clap::Error, typed: impl Iterator<Item = OsString>) -> Failure {
    let help = format!("run `{} --help`", meant(typed));
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Failure::usage("missing command or arguments").hint(help);
    }
    let text = error.to_string();
    let message = text.trim().trim_start_matches("error: ");
    let message = message.split("\n\nFor more information").next().unwrap_or(message);
    Failure::usage(message).hint(help)
}

/// Returns the command that a command line begins with, as far as it is known.
fn meant(typed: impl Iterator<Item = OsString>) -> String {
    let root = command();
    let (mut at, mut names) = (&root, vec![root.get_name()]);
    for word in typed.take_while(|word| word != "--") {
        if let Some(below) = at.find_subcommand(&word) {
            names.push(below.get_name());
            at = below;
        }
    }
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(typed: &str) -> (String, String) {
        let words = || typed.split(' ').map(OsString::from);
        let error = command().try_get_matches_from(words()).unwrap_err();
        let Failure { message, hint, .. } = misread(&error, words().skip(1));
        (
            message.lines().next().unwrap().to_owned() + if message.contains("--help") { " …" } else { "" },
            hint.unwrap(),
        )
    }

    #[test]
    fn the_hint_names_the_help_of_the_command_that_was_typed() {
        for (typed, message, hint) in [
            (
                "paseo ls --json --quiet",
                "the argument '--json' cannot be used with '--quiet'",
                "run `paseo ls --help`",
            ),
            ("paseo nothing --json", "unrecognized subcommand 'nothing'", "run `paseo --help`"),
            (
                "paseo --home x thread new --json --odd",
                "unexpected argument '--odd' found",
                "run `paseo thread new --help`",
            ),
            (
                "paseo send --json -- ls",
                "the following required arguments were not provided:",
                "run `paseo send --help`",
            ),
            ("paseo thread", "missing command or arguments", "run `paseo thread --help`"),
        ] {
            assert_eq!(told(typed), (message.to_owned(), hint.to_owned()), "{typed}");
        }
    }
}
