//! `paseo why`, `trace` and `cause`

use crate::pty::on_terminal;
use crate::screens::{assert_said, assert_told};
use crate::{assert_shown, home, inspect, json, start, start_hanging, wait_for_text};

#[test]
fn why_tells_what_is_waited_for_and_what_to_do() {
    let home = home();
    let handle = start(&home, "<<ask may I push>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    assert_shown!(home, home.paseo(&["why", &handle]).ok(), @r"
    agent         [id]
    status        waiting since [CLOCK] ([AGO])
    set by        the provider
    waiting for   an answer to its permission request
    requests      may I push
    turn          [UUID]
    cause         [UUID]
    last message  [UUID]
    next          paseo permit allow [id]
                  paseo permit deny [id]
    ");
    let failed = start(&home, "<<fail boom>>");
    assert_eq!(home.paseo(&["wait", &failed]).code, 1);
    assert_shown!(home, home.paseo(&["why", &failed]).ok(), @r#"
    agent         [id]
    status        error since [CLOCK] ([AGO])
    set by        the provider
    on hold       its last turn failed
    released by   the next message
    error         scripted_failure: boom
    last message  [UUID]
    next          paseo logs [id]
                  paseo send [id] "…"
    "#);
}

#[test]
fn why_lists_the_messages_that_wait() {
    let home = home();
    let handle = start_hanging(&home);
    let first = home.paseo(&["send", "-q", &handle, "one"]).ok().to_owned();
    let second = home.paseo(&["send", "-q", &handle, "two"]).ok().to_owned();
    let view = json(&home.paseo(&["why", "--json", &handle]));
    let queue = view["queue"].as_array().unwrap();
    let waiting: Vec<&str> = queue.iter().map(|one| one["delivery"].as_str().unwrap()).collect();
    assert_eq!((waiting, &view["unlisted"]), (vec![first.as_str(), &second], &0.into()));
    assert!(queue.iter().all(|one| one["why"] == "waiting for the current turn to end"), "{queue:?}");
    home.paseo(&["stop", &handle]).ok();
    let view = json(&home.paseo(&["why", "--json", &handle]));
    assert_eq!(view["hold"], "stopped");
    assert_said!(home, view["released_by"].as_str().unwrap(), @"a message from a person");
    let why = view["queue"][0]["why"].as_str().unwrap();
    assert_eq!(view["queue"].as_array().unwrap().len(), 2, "{view}");
    assert_said!(home, why, @"held until a person acts: the agent was stopped");
}

#[test]
fn what_waits_is_listed() {
    let home = home();
    let handle = start_hanging(&home);
    let empty = home.paseo(&["queue", &handle]);
    assert_eq!(
        (empty.ok(), empty.stderr.as_str()),
        ("", format!("No messages are waiting for {handle}.\n").as_str())
    );
    let one = home.paseo(&["send", "-q", &handle, "first\nof two lines"]).ok().to_owned();
    let two = home.paseo(&["send", "-q", &handle, &"x".repeat(9000)]).ok().to_owned();
    assert_eq!(home.paseo(&["queue", "-q", &handle]).ok(), format!("{one}\n{two}"));
    let queue = json(&home.paseo(&["queue", "--json", &handle]));
    assert_eq!(
        (&queue["handle"], &queue["messages"][0]["stage"]),
        (&handle.clone().into(), &"queued".into())
    );
    assert_eq!(queue["messages"][0]["text"], "first\nof two lines");
    assert_eq!(queue["messages"][1]["text"], "x".repeat(500));
    assert_eq!(queue["messages"][1]["full_length"], 9000);
    home.paseo(&["stop", &handle]).ok();
    home.paseo(&["wait", &handle]).ok();
    let shown = home.paseo(&["queue", &handle]);
    assert_shown!(home, shown.ok().replace(&"x".repeat(500), "[500 x]"), @r"
    [UUID]  from you  [AGO]
      held: the agent was stopped
      first
      of two lines
    [UUID]  from you  [AGO]
      held: the agent was stopped
      [500 x]…
    ");
    assert_eq!(home.paseo(&["queue", "zzzz"]).code, 3);
}

#[test]
fn a_message_is_traced_from_its_receipt_to_its_end() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let delivery = home.paseo(&["send", "-q", &handle, "<<usage 30 4>><<say done>>"]).ok().to_owned();
    home.paseo(&["wait", &handle]).ok();
    let trace = home.paseo(&["trace", &delivery]);
    let steps: Vec<&str> = trace
        .ok()
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.contains('_')))
        .collect();
    assert_eq!(steps, ["message_accepted", "turn_started", "turn_confirmed", "turn_ended"], "{trace:?}");
    assert!(
        trace.stdout.starts_with(&format!("Message to {handle}: answered  delivery {delivery}")),
        "{trace:?}"
    );
    assert!(home.paseo(&["inspect", &handle]).ok().contains(&delivery), "a person finds it");

    let cause = json(&home.paseo(&["trace", &delivery, "--json"]))["cause"].as_str().unwrap().to_owned();
    assert!(trace.stderr.contains(&format!("paseo cause {cause}")), "{}", trace.stderr);
    let shown = home.paseo(&["cause", &cause]);
    assert_said!(home, shown.ok());
    assert!(shown.stdout.contains(&handle) && shown.stdout.contains("completed"), "{shown:?}");
    assert_eq!(home.paseo(&["trace", "nonsense"]).code, 3);
    assert_eq!(home.paseo(&["cause", "nonsense"]).code, 3);
}

#[test]
fn a_cause_is_stopped_with_all_that_descends_from_it() {
    let home = home();
    let handle = start_hanging(&home);
    let cause = inspect(&home, &handle)["cause"].as_str().unwrap().to_owned();
    let running = json(&home.paseo(&["cause", &cause, "--json"]));
    assert_eq!(
        (&running["stopped"], &running["turns"][0]["outcome"]),
        (&false.into(), &serde_json::Value::Null)
    );
    let stopped = json(&home.paseo(&["cause", &cause, "--stop", "--json"]));
    assert_eq!(stopped["stopped"], true);
    home.paseo(&["wait", &handle]);
    assert_ne!(inspect(&home, &handle)["status"], "running");
    assert_said!(home, home.paseo(&["cause", &cause]).ok());
}

#[test]
fn a_narrow_terminal_shows_all_of_what_waits() {
    let home = home();
    let handle = start_hanging(&home);
    let words = "a message that is longer than a line of the terminal is wide and ends with the point";
    home.paseo(&["send", &handle, words]).ok();
    let shown = on_terminal(&home, 80, &["queue", &handle]);
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    assert!(lines.join(" ").ends_with(words), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn a_trace_of_an_agent_is_that_of_its_newest_message() {
    let home = home();
    let handle = start_hanging(&home);
    let first = inspect(&home, &handle)["id"].as_str().unwrap().to_owned();
    let traced = |which: &str| json(&home.paseo(&["trace", "--json", which]))["delivery"].clone();
    let taken = traced(&handle);
    assert_eq!(traced(&first), taken, "an id is a handle too");
    let waiting = home.paseo(&["send", "-q", &handle, "later"]).ok().to_owned();
    assert_eq!(traced(&handle), waiting.as_str());
    let unknown = home.paseo(&["trace", "zzzz"]);
    assert_eq!(unknown.code, 3);
    assert_told!(home, unknown);
}

#[test]
fn an_interrupted_agent_is_not_blamed_for_an_older_failure() {
    let home = home();
    let handle = start(&home, "<<fail first failure>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 1);
    home.paseo(&["send", &handle, "<<say started>><<hang>>"]).ok();
    wait_for_text(&home, &handle, "started");
    assert!(home.kill_daemon());
    let why = json(&home.paseo(&["why", "--json", &handle]));
    assert_eq!((&why["status"], &why["error"]), (&"interrupted".into(), &serde_json::Value::Null));
    assert!(!home.paseo(&["why", &handle]).ok().contains("first failure"));
}
