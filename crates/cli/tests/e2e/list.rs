//! `paseo ls`

use crate::screens::assert_told;
use crate::{assert_shown, home, json, start};

#[test]
fn it_shows_what_was_started_here_and_is_open() {
    let home = home();
    let here = start(&home, "<<say hi>>");
    let elsewhere = home.path().parent().unwrap().to_owned();
    let there = home.paseo(&["run", "-d", "--cwd", elsewhere.to_str().unwrap(), "x"]).ok().to_owned();
    let closed = start(&home, "x");
    let ui = home.paseo(&["run", "-d", "--ui", "x"]).ok().to_owned();
    home.paseo(&["wait", &here, &there, &closed, &ui]).ok();
    home.paseo(&["close", &closed]).ok();

    assert_eq!(home.paseo(&["ls", "-q"]).ok(), here);
    let lines = |arguments: &[&str]| home.paseo(arguments).ok().lines().count();
    assert_eq!(lines(&["ls", "-q", "-a"]), 2);
    assert_eq!(lines(&["ls", "-q", "-g"]), 2);
    assert_eq!(lines(&["ls", "-q", "-a", "-g"]), 3);
    assert_eq!(home.paseo(&["ls", "-q", "--ui"]).ok(), ui);

    let page = json(&home.paseo(&["ls", "--json"]));
    assert_eq!(page["sessions"][0]["handle"], here);
    assert!(page.get("next").is_some_and(|next| next.is_null()), "every page is read: {page}");
    assert_eq!(home.paseo(&["ls", "--json"]).stderr, "");
    assert_eq!(home.paseo(&["ls"]).stderr, "", "the hidden ones are told on a terminal only");
}

#[test]
fn a_directory_below_counts_and_one_beside_does_not() {
    let home = home();
    for name in ["a", "a/b", "ab"] {
        std::fs::create_dir(home.work().join(name)).unwrap();
        home.paseo(&["run", "-d", "-C", name, "x"]).ok();
    }
    let count = |directory: &str| {
        let mut command = home.command(&["ls", "-q"]);
        command.current_dir(home.work().join(directory));
        String::from_utf8(command.output().unwrap().stdout).unwrap().lines().count()
    };
    assert_eq!((count("."), count("a"), count("a/b"), count("ab")), (3, 2, 1, 1));
    std::os::unix::fs::symlink(home.work().join("a"), home.work().join("link")).unwrap();
    assert_eq!(count("link"), 2, "links are resolved");
}

#[test]
fn a_column_in_which_nothing_stands_is_left_out() {
    let home = home();
    let one = start(&home, "x");
    home.paseo(&["wait", &one]).ok();
    assert_shown!(home, home.paseo(&["ls"]).ok(), @r"
    HANDLE  STATUS  PROVIDER  UPDATED
    [id]    idle    scripted  [AGO]
    ");
}

#[test]
fn the_table_is_aligned() {
    let home = home();
    let one =
        home.paseo(&["run", "-d", "--title", "fix the tests", "--label", "env=ci", "x"]).ok().to_owned();
    home.paseo(&["wait", &one]).ok();
    let two = home.paseo(&["run", "-d", "<<fail x>>"]).ok().to_owned();
    assert_eq!(home.paseo(&["wait", &two]).code, 1);
    assert_shown!(home, home.paseo(&["ls"]).ok(), @r"
    HANDLE  STATUS  NAME           PROVIDER  LABELS  UPDATED
    [id]    error                  scripted          [AGO]
    [id]    idle    fix the tests  scripted  env=ci  [AGO]
    ");
}

#[test]
fn an_empty_list_says_what_to_do() {
    let home = home();
    let empty = home.paseo(&["ls"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (0, ""));
    assert_told!(home, empty);
    home.paseo(&["run", "-d", "--ui", "x"]).ok();
    assert_told!(home, home.paseo(&["ls"]));
    assert_eq!(home.paseo(&["ls", "-q"]).stderr, "");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = home();
    start(&home, "x");
    let mut child = home.spawn(&["ls"]);
    drop(child.stdout.take());
    let output = paseo_testkit::home::finish(child);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
}
