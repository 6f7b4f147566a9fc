//! What makes no sense is refused with words, before anything happens.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::screens::assert_told;
use crate::{assert_shown, home, start};

#[test]
fn prompts_that_cannot_be_sent() {
    let home = home();
    let refused = |arguments: &[&OsStr], stdin: &[u8], words: &str| {
        let output = home.paseo_with(arguments, stdin);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output:?}");
        assert!(output.stderr.contains(words), "{}", output.stderr);
    };
    let word = OsStr::new;
    let invalid = OsStr::from_bytes(b"ab\xff");
    refused(&[word("run"), word("")], b"", "the prompt is empty");
    refused(&[word("run"), word(" \n")], b"", "the prompt is empty");
    refused(&[word("run"), invalid], b"", "not valid UTF-8");
    refused(&[word("run"), word("-")], b"", "the prompt from stdin is empty");
    refused(&[word("run"), word("-")], b"a\xc3", "the prompt from stdin is not valid UTF-8 (byte 2)");
    refused(&[word("run"), word("-")], &vec![b'x'; 256 * 1024 + 1], "at most 256 KB");
    refused(&[word("send"), word("3f2a"), invalid], b"", "not valid UTF-8");
    refused(&[word("run"), word("--prompt-file"), word("nowhere.md")], b"", "nowhere.md");
    refused(&[word("run"), word("--prompt-file"), word("x"), word("y")], b"", "cannot be used with");
    refused(&[word("run")], b"", "required");
    refused(
        &[word("run"), word("--cwd"), word("nowhere"), word("x")],
        b"",
        "cannot use `nowhere` as the directory",
    );
    refused(&[word("run"), word("--timeout"), word("5"), word("x")], b"", "30s");
    std::fs::write(home.work().join("file"), "").unwrap();
    refused(&[word("run"), word("--cwd"), word("file"), word("x")], b"", "not a directory");
    assert_eq!(home.daemon_pid(), None, "nothing was started for it");
}

#[test]
fn the_largest_prompt_is_taken() {
    let home = home();
    let output = home.paseo_with(&["run", "-d", "-"], &vec![b'x'; 256 * 1024]);
    output.ok();
}

#[test]
fn an_unknown_provider_is_named() {
    let home = home();
    let output = home.paseo(&["run", "--provider", "nonsense", "x"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert_told!(home, output);
    assert_eq!(home.paseo(&["ls", "-q", "-a", "-g"]).ok(), "");
}

#[test]
fn a_name_is_no_handle_but_shows_whose_it_is() {
    let home = home();
    let named = home.paseo(&["run", "-d", "--title", "the docs", "x"]).ok().to_owned();
    let others: Vec<String> = (0..9).map(|_| start(&home, "x")).collect();
    let all: Vec<&str> = ["wait", &named].into_iter().chain(others.iter().map(String::as_str)).collect();
    home.paseo(&all).ok();
    let output = home.paseo(&["send", "the docs", "x"]);
    assert_eq!((output.code, output.stdout.as_str()), (3, ""));
    let listed: Vec<&str> = output.stderr.lines().skip(2).collect();
    assert_eq!(listed.len(), 8, "{}", output.stderr);
    assert_eq!(listed[0].trim(), format!("{named}  idle  the docs"), "first, although it is the oldest");
}

#[test]
fn an_unknown_handle_lists_what_is_open() {
    let home = home();
    let handle = home.paseo(&["run", "-d", "--title", "the one", "x"]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    let commands: [&[&str]; 8] = [
        &["send", "zzzz", "x"],
        &["read", "zzzz"],
        &["logs", "zzzz"],
        &["inspect", "zzzz"],
        &["wait", "zzzz"],
        &["stop", "zzzz"],
        &["rm", "zzzz"],
        &["rename", "zzzz", "x"],
    ];
    for arguments in commands {
        let output = home.paseo(arguments);
        assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{output:?}");
        assert!(output.stderr.contains("zzzz") && output.stderr.contains("the one"), "{}", output.stderr);
    }
    assert_shown!(home, home.paseo(&["inspect", "zzzz"]).stderr, @r"
    error: no agent matches `zzzz`
     hint: choose one of the open agents
           [id]  idle  the one
    ");
}

#[test]
fn a_handle_is_no_path() {
    let home = home();
    start(&home, "x");
    for handle in ["../status", "..", "?force=true", "%2e%2e", "a/b", "", "*", "x y", "é"] {
        let output = home.paseo(&["inspect", handle]);
        assert_eq!(output.code, 3, "{handle}: {output:?}");
    }
}

#[test]
fn an_unknown_key_in_the_configuration_is_named_with_its_line() {
    let home = home();
    std::fs::create_dir(home.path()).unwrap();
    std::fs::write(home.path().join("config.toml"), "log = 'info'\nlistn = '127.0.0.1:1'\n").unwrap();
    let output = home.paseo(&["ls"]);
    assert_eq!(output.code, 2);
    assert_shown!(home, output.stderr, @r"
    error: [DIR]/home/config.toml:2: unknown key `listn`
     hint: did you mean `listen`?
    ");
}

#[test]
fn help_is_short_and_has_examples() {
    let home = home();
    let help = home.paseo(&["--help"]);
    assert!(help.ok().contains("Examples:"));
    for command in ["run", "ls", "send", "logs", "label"] {
        let help = home.paseo(&[command, "--help"]);
        assert!(help.ok().contains("Examples:"), "{command}");
        assert!(help.stdout.lines().all(|line| line.chars().count() <= 100), "{command}");
    }
    assert!(!help.stdout.contains("shim"));
    assert_eq!(home.paseo::<&str>(&[]).code, 2);
    assert_eq!(home.paseo(&["--version"]).ok(), concat!("paseo ", env!("CARGO_PKG_VERSION")));
}
