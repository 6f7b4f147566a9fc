//! `paseo --help`: the commands grouped by what people do. clap lists subcommands in one group, so the template is ours.

use std::fmt::Write;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use super::Cli;
use crate::printer;

/// Every command, in exactly one group. The first group is what a person needs on the first day.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    ("Start here", &["run", "ls", "send", "attach", "logs", "open"]),
    ("Talk", &["ask", "tell", "switch", "permit", "stop", "wait"]),
    ("Look", &["inbox", "read", "search", "files", "inspect", "why", "queue", "trace", "cause", "map"]),
    (
        "Organise",
        &[
            "rename", "set", "label", "pin", "notify", "archive", "promote", "close", "reopen", "clear",
            "rm", "worktree", "projects", "usage",
        ],
    ),
    ("Collaborate", &["agents", "thread", "team", "task", "worker", "can-write", "tool"]),
    (
        "Administer",
        &[
            "up",
            "down",
            "restart",
            "status",
            "daemon",
            "doctor",
            "providers",
            "settings",
            "devices",
            "token",
            "demo",
            "completions",
            "man",
            "help",
        ],
    ),
];

/// As wide as clap makes the rest of the help.
const WIDEST: usize = 100;

/// Returns the definition of the command line, with the grouped help, and with examples that can be pasted.
pub(crate) fn command() -> Command {
    let width = printer::size().0.min(WIDEST);
    let mut command = Cli::command().mut_subcommands(|below| with_examples(below, width));
    command.build();
    let command = with_plain_help(command);
    let template = template(&command, width);
    command.help_template(template)
}

/// What `help` does, in place of the parser's own sentence about it. The command must be built: only then `help` is there.
pub(crate) fn with_plain_help(command: Command) -> Command {
    command.mut_subcommands(|below| match below.get_name() {
        "help" => below.about("Print help for a command"),
        _ => with_plain_help(below),
    })
}

/// Lays out what stands under the help of a command, and of those below it. clap would break commands.
fn with_examples(command: Command, width: usize) -> Command {
    let command = command.mut_subcommands(|below| with_examples(below, width));
    let Some(text) = command.get_after_help().map(ToString::to_string) else { return command };
    // In a template, braces mean something else.
    if text.contains('{') {
        return command;
    }
    let text = laid_out(&text, width);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{{all-args}}\n\n{text}"
    ))
}

/// Returns a text that fits the terminal, but for examples: they stand on a line each, with what they do below them.
fn laid_out(text: &str, width: usize) -> String {
    let mut is_example = false;
    let lines = text.lines().map(|line| {
        is_example = line.starts_with("Examples:") || (is_example && line.starts_with(' '));
        if line.chars().count() <= width {
            return line.to_owned();
        }
        match line.trim_start().split_once("   ") {
            _ if !is_example => printer::hanging(line, width).join("\n"),
            Some((example, does)) => {
                let does = printer::wrapped(does.trim_start(), width.saturating_sub(6)).join("\n      ");
                format!("  {example}\n      {does}")
            }
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<String>>().join("\n")
}

fn template(command: &Command, width: usize) -> StyledStr {
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let column = names.map(|name| name.len()).max().unwrap_or_default() + 4;
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (title, names) in GROUPS {
        let _ = write!(text, "\n{header}{title}:{header:#}\n");
        for name in *names {
            let found = command.find_subcommand(name);
            let about = found.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default();
            let lines = printer::wrapped(&about, width.saturating_sub(column).max(20));
            let _ = write!(text, "  {literal}{name}{literal:#}{}", " ".repeat(column - 2 - name.len()));
            let _ = writeln!(text, "{}", lines.join(&format!("\n{}", " ".repeat(column))));
        }
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}\n\n{}", laid_out(&after, width));
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let mut root = Cli::command();
        root.build();
        let shown = root.get_subcommands().filter(|command| !command.is_hide_set());
        let mut commands: Vec<&str> = shown.map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        commands.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, commands);
    }

    #[test]
    fn the_first_group_has_the_six_of_the_first_day() {
        assert_eq!(GROUPS[0].1.len(), 6);
    }

    #[test]
    fn one_line_says_what_a_command_does() {
        let mut root = Cli::command();
        root.build();
        let mut rest = vec![&root];
        while let Some(command) = rest.pop() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(about.chars().count() <= 72, "{}: {about}", command.get_name());
            assert!(!about.ends_with('.'), "{}: {about}", command.get_name());
            rest.extend(command.get_subcommands());
        }
    }

    #[test]
    fn help_fits_the_terminal() {
        for width in [40, 80, 100] {
            let mut command = Cli::command();
            command.build();
            let template = template(&command, width).to_string();
            let groups = template.split("{usage}").nth(1).unwrap();
            // Examples are pasted, and never broken.
            let groups = groups.split("Examples:").next().unwrap();
            let widest = groups.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} of {width} columns: {template}");
        }
    }

    #[test]
    fn examples_are_never_broken() {
        let text = "Exit codes:\n  0  it went well, all of it\n\nExamples:\n  paseo ls   list the agents of a place\n  \
                    paseo run --timeout 5m --quiet";
        let shown = "Exit codes:\n  0  it went well,\n     all of it\n\nExamples:\n  paseo ls\n      list the\n      agents of \
                     a\n      place\n  paseo run --timeout 5m --quiet";
        assert_eq!(laid_out(text, 19), shown);
    }
}
