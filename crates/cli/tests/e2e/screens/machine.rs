//! The daemon and what it runs on.

use std::os::unix::fs::{DirBuilderExt, symlink};

use super::Screens;

/// Leaves nothing on the `PATH` but what is named: which agents a machine has is its own affair.
fn only(screens: &mut Screens, programs: &[&str]) {
    let directory = screens.home.work().with_file_name("bin");
    std::fs::create_dir(&directory).unwrap();
    for program in programs {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|directory| directory.join(program))
            .find(|path| path.exists());
        symlink(found.unwrap(), directory.join(program)).unwrap();
    }
    screens.home.set("PATH", directory);
}

#[test]
fn the_daemon() {
    let mut screens = Screens::new();
    only(&mut screens, &["sh", "git"]);
    screens.show(&["status"]);
    screens.home.paseo(&["up"]).ok();
    screens.settled(&["<<say hi>>"]);
    screens.show(&["status"]);
    screens.home.paseo(&["down"]).ok();
    screens.show(&["down"]);
    screens.compare("status");
}

#[test]
fn what_can_be_wrong() {
    let mut screens = Screens::new();
    only(&mut screens, &["sh"]);
    screens.show(&["doctor"]);
    screens.home.set("PASEO_LISTEN", "nowhere");
    screens.show(&["doctor"]);
    screens.compare("doctor");
}

#[test]
fn providers() {
    let mut screens = Screens::new();
    only(&mut screens, &["sh"]);
    screens.home.paseo(&["up"]).ok();
    screens.show(&["providers"]);
    screens.show_once(&["providers", "add", "helper", "--", "sh"]);
    screens.show_once(&["providers", "rm", "helper"]);
    screens.compare("providers");
}

#[test]
fn settings_and_tokens() {
    let mut screens = Screens::new();
    screens.home.paseo(&["up"]).ok();
    screens.show(&["settings"]);
    screens.show(&["settings", "get", "perm_summon"]);
    screens.show(&["settings", "set", "perm_summon", "on"]);
    screens.show(&["token", "ls"]);
    screens.home.paseo(&["token", "create", "--name", "ci"]).ok();
    screens.show(&["token", "ls"]);
    screens.show(&["devices", "ls"]);
    screens.compare("settings");
}

#[test]
fn definitions() {
    let mut screens = Screens::new();
    only(&mut screens, &["sh"]);
    let folder = screens.home.path().join("agents");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    let reviewer = "description = 'Reviews changes and says what is wrong with them, in order of weight'\n\
                    provider = 'scripted'\npermissions = 'read-only'\n";
    std::fs::write(folder.join("reviewer.toml"), reviewer).unwrap();
    screens.home.paseo(&["up"]).ok();
    screens.show(&["agents", "ls"]);
    screens.show(&["agents", "show", "reviewer"]);
    screens.show(&["agents", "show", "default"]);
    screens.show(&["agents", "check"]);
    std::fs::write(folder.join("bad.toml"), "name = 'bad'\nprompt = 'x'\n").unwrap();
    std::fs::write(folder.join("reviewer.toml"), reviewer.replace("read-only", "full")).unwrap();
    screens.show(&["agents", "check"]);
    screens.show(&["agents", "ls"]);
    screens.show(&["agents", "trust"]);
    screens.compare("agents");
}
