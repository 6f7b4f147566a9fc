//! `--help` of every command.

use super::Screens;

/// Returns the commands that a help lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().take_while(|line| *line != "Options:");
    let names =
        lines.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '[', '<'])));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_says_what_it_does() {
    let mut screens = Screens::new();
    screens.show(&["--help"]);
    let commands = listed(screens.home.paseo(&["--help"]).ok());
    assert!(commands.len() > 40, "{commands:?}");
    screens.compare("help");
    for command in commands {
        let mut screens = Screens::new();
        screens.show(&[&command, "--help"]);
        for below in listed(screens.home.paseo(&[&command, "--help"]).ok()) {
            screens.show(&[&command, &below, "--help"]);
        }
        screens.compare(&format!("help_{command}"));
    }
}
