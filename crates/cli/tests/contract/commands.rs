//! Commands of the agent itself: the web app completes them, and a message that begins with one runs it.

use std::fs;
use std::path::Path;

use paseo_client::Client;
use paseo_wire::command::{CommandQuery, CommandView};

use crate::bench::{Bench, CLAUDE, OPENCODE, PI};

const GREETING: &str = "---\ndescription: Greet somebody\n---\n<<say hello from a command>>\n";

/// Returns what the daemon lists for the agent's directory.
fn listed(bench: &Bench, handle: &str) -> Vec<CommandView> {
    let agent = bench.inspect(handle);
    let text = |field: &str| agent[field].as_str().unwrap().to_owned();
    let asked = CommandQuery {
        directory: text("directory"),
        provider: Some(text("provider")),
        ..CommandQuery::default()
    };
    let client = Client::unix(bench.home.path().join("daemon.sock"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(client.commands(&asked)).unwrap().commands
}

/// Writes a command where the harness looks for them, runs a turn, and sends the command.
fn a_command_is_listed_and_runs(bench: &Bench, file: &Path, described: bool) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, GREETING).unwrap();
    let (handle, _) = bench.run(&[], "<<say hi>>");
    let commands = listed(bench, &handle);
    let greet = commands.iter().find(|command| command.name == "greet");
    let greet = greet.unwrap_or_else(|| panic!("{commands:#?}"));
    assert_eq!(greet.description.is_some(), described, "{greet:?}");
    let answer = bench.answer(&handle, "/greet");
    assert!(answer.starts_with("hello from a command ["), "{answer}");
}

#[test]
fn claude_names_its_commands() {
    let Some(bench) = Bench::real(CLAUDE) else { return };
    a_command_is_listed_and_runs(&bench, &bench.file(".claude/commands/greet.md"), false);
}

#[test]
fn opencode_describes_its_commands() {
    let Some(bench) = Bench::real(OPENCODE) else { return };
    a_command_is_listed_and_runs(&bench, &bench.file(".opencode/command/greet.md"), true);
}

#[test]
fn pi_describes_its_commands() {
    let Some(bench) = Bench::real(PI) else { return };
    // Those of a project need trust, which only its own terminal asks for.
    a_command_is_listed_and_runs(&bench, &bench.config().join("prompts/greet.md"), true);
}
