//! `paseo run`

use std::io::{BufRead, BufReader};

use paseo_testkit::home::finish;
use rustix::process::{Pid, Signal, kill_process};

use crate::screens::{assert_said, assert_told};
use crate::{home, inspect, json};

#[test]
fn the_answer_alone_is_on_stdout() {
    let home = home();
    let output = home.paseo(&["run", "<<say looking>><<sh echo hi>><<say found it>>"]);
    assert_eq!(output.ok(), "found it");
    assert_told!(home, output);
    let plain = home.paseo(&["run", "hello"]);
    assert_eq!(plain.ok(), "You said: hello");
    assert!(!plain.stderr.contains("You said"), "no streamed text away from a terminal: {}", plain.stderr);
    assert_eq!(home.paseo(&["run", "-q", "hello"]).stderr, "");
}

#[test]
fn json_is_one_object() {
    let home = home();
    let ending = json(&home.paseo(&["run", "--json", "<<say hi>>"]));
    assert_eq!((&ending["outcome"], &ending["answer"]), (&"completed".into(), &"hi".into()));
    let failed = home.paseo(&["run", "--json", "<<say before>><<fail boom>>"]);
    assert_eq!(failed.code, 1);
    let ending: serde_json::Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!((&ending["outcome"], &ending["message"]), (&"failed".into(), &"boom".into()));
    assert_eq!(ending["answer"], "before");
    let error: serde_json::Value = serde_json::from_str(&failed.stderr).expect("nothing but JSON on stderr");
    assert!(error["error"]["message"].as_str().is_some_and(|words| words.contains("boom")), "{error}");
    let handle = ending["handle"].as_str().unwrap();
    let sent = home.paseo(&["send", "--json", "--wait", handle, "<<sh true>><<say hi>>"]);
    assert_eq!((sent.code, sent.stderr.as_str()), (0, ""));
    let created = json(&home.paseo(&["run", "-d", "--json", "x"]));
    assert_eq!(created["session"]["handle"], created["receipt"]["handle"]);
}

#[test]
fn outcomes_have_exit_codes() {
    let home = home();
    let failed = home.paseo(&["run", "<<fail boom>>"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""));
    assert_told!(home, failed);
    let crashed = home.paseo(&["run", "<<crash 3>>"]);
    assert_eq!(crashed.code, 1, "{crashed:?}");
    let asked = home.paseo(&["run", "<<ask may I>>"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (4, ""));
    assert_told!(home, asked);
}

#[test]
fn a_timeout_leaves_the_agent_at_work() {
    let home = home();
    let output = home.paseo(&["run", "--timeout", "1s", "<<hang>>"]);
    assert_eq!((output.code, output.stdout.as_str()), (5, ""));
    assert_told!(home, output);
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    assert_eq!(inspect(&home, &handle)["status"], "running");
}

#[test]
fn control_c_leaves_the_agent_at_work() {
    let home = home();
    let mut child = home.spawn(&["run", "<<sh echo up>><<hang>>"]);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("echo up") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stderr, &mut rest).unwrap();
    let output = finish(child);
    assert_eq!((output.code, output.stdout.as_str()), (130, ""));
    assert_said!(home, &rest, @"aaa1 keeps working; wait with `paseo wait aaa1`, or stop it with `paseo stop aaa1`");
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    assert_eq!(inspect(&home, &handle)["status"], "running");
}

#[test]
fn detached_prints_the_handle_alone() {
    let home = home();
    let output = home.paseo(&["run", "-d", "--title", "My task", "<<say later>>"]);
    let handle = output.ok();
    assert!(handle.len() >= 4 && handle.bytes().all(|byte| byte.is_ascii_hexdigit()), "{handle}");
    assert_eq!(output.stderr, "");
    home.paseo(&["wait", handle]).ok();
    assert_eq!(home.paseo(&["read", handle]).ok(), "later");
    assert_eq!(inspect(&home, handle)["name"], "My task");
}

#[test]
fn the_prompt_comes_from_stdin_or_a_file() {
    let home = home();
    assert_eq!(home.paseo_with(&["run", "-"], b"<<say from stdin>>").ok(), "from stdin");
    std::fs::write(home.work().join("task.md"), "<<say from a file>>\n").unwrap();
    assert_eq!(home.paseo(&["run", "--prompt-file", "task.md"]).ok(), "from a file");
}

#[test]
fn the_agent_works_where_it_is_told() {
    let home = home();
    let deep = home.work().join("deep");
    std::fs::create_dir(&deep).unwrap();
    let handle = home.paseo(&["run", "-d", "--cwd", "deep", "<<sh pwd>>"]).ok().to_owned();
    assert_eq!(inspect(&home, &handle)["directory"], deep.to_str().unwrap());
    home.paseo(&["wait", &handle]).ok();
    assert!(home.paseo(&["logs", &handle]).ok().contains(deep.to_str().unwrap()));
}

#[test]
fn a_long_answer_comes_whole() {
    let home = home();
    let output = home.paseo(&["run", "<<spew 1m>>"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.len() >= 1024 * 1024, "{}", output.stdout.len());
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    assert_eq!(home.paseo(&["read", &handle]).stdout, output.stdout);
}

#[test]
fn a_restart_of_the_daemon_ends_the_turn_with_words() {
    let home = home();
    let mut child = home.spawn(&["run", "<<sh echo up>><<hang>>"]);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("echo up") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    assert!(home.kill_daemon());
    let mut rest = String::new();
    while !rest.contains("retrying") {
        assert_ne!(stderr.read_line(&mut rest).unwrap(), 0, "{rest}");
    }
    home.paseo(&["up"]).ok();
    std::io::Read::read_to_string(&mut stderr, &mut rest).unwrap();
    assert_eq!(finish(child).code, 1);
    let told = &rest[rest.find("connection").unwrap()..];
    assert_said!(home, told, @r"
    connection lost, retrying
    error: aaa1 was interrupted
     hint: to continue, run `paseo send aaa1 …`
    ");
}

#[test]
fn a_dead_daemon_at_the_timeout_is_told() {
    let home = home();
    home.paseo(&["up"]).ok();
    let words = ["run", "--no-start", "-v", "--json", "--timeout", "2s", "<<sh echo up>><<hang>>"];
    let mut child = home.spawn(&words);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("echo up") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    assert!(home.kill_daemon());
    std::io::Read::read_to_string(&mut stderr, &mut said).unwrap();
    let output = finish(child);
    assert_eq!(output.code, 7, "{said}");
    // No daemon is left to list its agents.
    let handle = said.split_whitespace().nth(1).unwrap();
    let told: Vec<&str> = said.lines().skip_while(|line| !line.starts_with("connection")).collect();
    assert_said!(home, &told.join("\n").replace(handle, "HANDLE"), @r#"
    connection lost, retrying
    {"error":{"code":"unreachable","message":"timed out, and the daemon is unreachable: if it crashed, HANDLE was interrupted","hint":"start it with `paseo up`, then run `paseo why HANDLE`"}}
    "#);
    assert!(output.stdout.contains(r#""outcome":"unreachable""#), "{}", output.stdout);
}
