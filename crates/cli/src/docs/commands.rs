//! `docs/cli.md`

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

use crate::args::Cli;

/// Returns the reference of all commands.
pub(super) fn page() -> String {
    let mut root = Cli::command();
    root.build();
    let mut page = String::from(
        "# Command line\n\n\
         Look up every command and flag here. The page is generated from the program, and `paseo COMMAND --help` prints the\n\
         same. See also [environment variables](cli-environment.md), [exit codes](exit-codes.md) and the\n\
         [JSON that commands print](schemas/README.md).\n\n\
         ```sh run\n\
         paseo run --help\n\
         paseo run --provider scripted 'Hello! <<say hello>>'\n\
         paseo ls --json\n\
         ```\n\n\
         | command | |\n|---|---|\n",
    );
    let commands = leaves(&root);
    for command in &commands {
        let name = name(command);
        let anchor = name.replace(' ', "-");
        page.push_str(&format!("| [`{name}`](#{anchor}) | {} |\n", text(command.get_about())));
    }
    page.push_str("\n## Flags of every command\n\n");
    page.push_str(&table(root.get_arguments().filter(|argument| is_shown(argument))));
    for command in commands {
        page.push_str(&section(command));
    }
    page
}

/// Returns the commands that do something, in the order of the help.
pub(super) fn leaves(command: &Command) -> Vec<&Command> {
    let below: Vec<&Command> = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set() && below.get_name() != "help")
        .collect();
    // Some do something by themselves, too.
    let own = below.is_empty() || command.is_args_conflicts_with_subcommands_set();
    own.then_some(command).into_iter().chain(below.into_iter().flat_map(leaves)).collect()
}

/// Returns what a person types for a command.
pub(super) fn name(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn section(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let about = command.get_long_about().or(command.get_about());
    let mut text = format!("\n## {}\n\n{}\n\n```text\n{usage}\n```\n", name(command), paragraphs(about));
    let aliases: Vec<String> =
        command.get_visible_aliases().map(|alias| format!("`paseo {alias}`")).collect();
    if !aliases.is_empty() {
        text.push_str(&format!("\nAlso {}.\n", aliases.join(", ")));
    }
    let shown =
        |argument: &&Arg| is_shown(argument) && !argument.is_global_set() && argument.get_id() != "help";
    if command.get_arguments().any(|argument| shown(&argument)) {
        text.push('\n');
        text.push_str(&table(command.get_arguments().filter(shown)));
    }
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let examples: Vec<&str> = examples
            .lines()
            .filter(|line| *line != "Examples:")
            .map(|line| line.strip_prefix("  ").unwrap_or(line))
            .collect();
        text.push_str(&format!("\n```text\n{}\n```\n", examples.join("\n")));
    }
    text
}

fn table<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let mut rows = String::from("| | |\n|---|---|\n");
    for argument in arguments {
        let values = argument.get_possible_values();
        let mut help = text(argument.get_help());
        if !values.is_empty() && argument.get_action().takes_values() {
            let values: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
            help.push_str(&format!(" ({})", values.join(", ")));
        }
        let defaults = argument.get_default_values();
        let shows = argument.get_action().takes_values() && !argument.is_hide_default_value_set();
        if let Some(default) = defaults.first().filter(|_| shows) {
            help.push_str(&format!(" [default: {}]", default.display()));
        }
        rows.push_str(&format!("| `{}` | {} |\n", form(argument), help.trim()));
    }
    rows
}

/// Returns how an argument is typed.
fn form(argument: &Arg) -> String {
    let names = argument.get_value_names().filter(|_| argument.get_action().takes_values());
    let value = names.unwrap_or_default().iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" ");
    if argument.is_positional() {
        return value.replace('|', "\\|");
    }
    let flags = [
        argument.get_short().map(|short| format!("-{short}")),
        argument.get_long().map(|long| format!("--{long}")),
    ];
    let flags: Vec<String> = flags.into_iter().flatten().collect();
    format!("{} {value}", flags.join(", ")).trim_end().to_owned()
}

fn is_shown(argument: &Arg) -> bool {
    !argument.is_hide_set() && argument.get_id() != "version"
}

fn text(styled: Option<&StyledStr>) -> String {
    styled.map(ToString::to_string).unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

fn paragraphs(styled: Option<&StyledStr>) -> String {
    styled.map(ToString::to_string).unwrap_or_default().trim().to_owned()
}

#[test]
fn every_command_is_described() {
    let mut root = Cli::command();
    root.build();
    for command in leaves(&root) {
        assert!(command.get_about().is_some(), "{} says nothing about itself", name(command));
        for argument in command.get_arguments().filter(|argument| is_shown(argument)) {
            assert!(argument.get_help().is_some(), "{}: {} says nothing", name(command), form(argument));
        }
    }
}
