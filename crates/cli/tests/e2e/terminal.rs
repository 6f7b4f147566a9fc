//! What only a person at a terminal sees.

use crate::pty::on_terminal;
use crate::screens::assert_said;
use crate::{home, start};

#[test]
fn a_list_tells_what_it_hides() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["run", "-d", "--ui", "x"]).ok();
    let shown = on_terminal(&home, 80, &["ls"]);
    assert!(shown.contains(&handle), "{shown}");
    assert_said!(home, shown.lines().last().unwrap(), @"hidden: 1 in the web app (--ui)");
    let shown = on_terminal(&home, 80, &["ls", "--json"]);
    serde_json::from_str::<serde_json::Value>(&shown).unwrap_or_else(|error| panic!("{error}: {shown}"));
}

#[test]
fn json_on_a_terminal_steers_it_no_more_than_anything_else() {
    let home = home();
    let handle = start(&home, "<<say red \u{9b}31m \u{202e}turned\u{7f}>>");
    home.paseo(&["wait", &handle]).ok();
    let piped = home.paseo(&["logs", "--json", &handle]).ok().to_owned();
    assert!(piped.contains("\u{9b}31m") && piped.contains('\u{202e}'), "{piped}");
    let shown = on_terminal(&home, 80, &["logs", "--json", &handle]);
    assert!(shown.contains("\\u009b31m \\u202eturned\\u007f"), "{shown}");
    assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{7f}']), "{shown}");
    let meant = |text: &str| -> Vec<serde_json::Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(meant(&shown), meant(&piped));
    // So is what goes wrong, which quotes what was typed.
    let shown = on_terminal(&home, 80, &["run", "--json", "--agent", "a\u{9b}31m\u{202e}", "x"]);
    assert!(shown.contains("\\u009b31m") && !shown.contains(['\u{9b}', '\u{202e}']), "{shown}");
    assert!(meant(&shown)[0]["error"]["message"].as_str().unwrap().contains('\u{9b}'), "{shown}");
}

#[test]
fn a_list_fits_the_terminal() {
    let home = home();
    let long = "a name that is much longer than the terminal is wide, whatever is done";
    home.paseo(&["run", "-d", "--title", long, "--label", "team=infrastructure-and-more", "x"]).ok();
    let shown = on_terminal(&home, 60, &["ls"]);
    assert!(shown.contains('…'), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
    assert!(home.paseo(&["ls"]).ok().contains(long), "a pipe has no width");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let mut home = home();
    start(&home, "x");
    assert!(!on_terminal(&home, 80, &["ls"]).contains('\x1b'));
    home.unset("NO_COLOR");
    assert!(on_terminal(&home, 80, &["ls"]).contains("\x1b[1m"));
    assert!(!home.paseo(&["ls"]).ok().contains('\x1b'));
}

#[test]
fn an_agent_cannot_command_the_terminal() {
    let home = home();
    let prompt = "<<say \x1b[2Jowned\x07 \u{202e}txt>>";
    assert_eq!(home.paseo(&["run", prompt]).ok(), "\x1b[2Jowned\x07 \u{202e}txt", "a pipe gets it as it is");
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    for command in ["read", "logs"] {
        let shown = on_terminal(&home, 80, &[command, &handle]);
        assert!(
            !shown.contains('\x1b') && !shown.contains('\x07') && !shown.contains('\u{202e}'),
            "{shown:?}"
        );
        assert!(shown.contains("\\u{1b}[2Jowned"), "{shown:?}");
    }
}

#[test]
fn an_answer_is_shown_once() {
    let home = home();
    let shown = on_terminal(&home, 80, &["run", "<<stream 1ms one two three>>"]);
    // On one screen, what was read while it came is not said again.
    assert_eq!(shown.matches("one two three").count(), 1, "{shown}");
}

#[test]
fn up_shows_a_person_the_way_into_the_web_app() {
    let mut home = home();
    home.set("TZ", "UTC");
    let shown = on_terminal(&home, 120, &["up"]);
    assert!(shown.contains("/login#code="), "{shown}");
    let hint = shown.lines().find(|line| line.contains("browser")).unwrap();
    assert_said!(home, hint, @"The link logs in one browser, once, until 12:00:00 UTC");
}

#[test]
fn a_sign_of_life_comes_late_and_goes_away() {
    let home = home();
    let shown = on_terminal(&home, 80, &["run", "<<wait 700>><<say done>>"]);
    let (sign, _) = shown.split_once("\r\x1b[K").unwrap_or_else(|| panic!("{shown:?}"));
    let sign = sign.rsplit(['\r', '\n']).next().unwrap().trim_end_matches("\x1b[K");
    assert_said!(home, sign.split_once(' ').unwrap().1, @"aaa1 is working");
    assert!(shown.ends_with("done\n"), "{shown:?}");
    let quick = on_terminal(&home, 80, &["ls"]);
    assert!(!quick.contains('\r'), "{quick:?}");
    let piped = home.paseo(&["run", "<<wait 400>><<say done>>"]);
    assert!(!piped.stderr.contains('\r'), "{}", piped.stderr);
}
