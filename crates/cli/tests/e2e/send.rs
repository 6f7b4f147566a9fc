//! `paseo send`

use crate::screens::{assert_said, assert_told};
use crate::{Transcript, home, inspect, json, start, start_hanging, wait_for_text};

#[test]
fn an_idle_agent_takes_a_message_up() {
    let home = home();
    let handle = start(&home, "one");
    home.paseo(&["wait", &handle]).ok();
    let receipt = home.paseo(&["send", &handle, "<<say two>>"]);
    assert!(receipt.ok().starts_with(&format!("Sent to {handle}")), "{receipt:?}");
    wait_for_text(&home, &handle, "two");
    let answer = home.paseo(&["send", &handle, "--wait", "<<say three>>"]);
    assert_eq!(answer.ok(), "three");
    assert_told!(home, answer);
    assert_eq!(home.paseo_with(&["send", &handle, "-w", "-"], b"<<say from stdin>>").ok(), "from stdin");
}

#[test]
fn a_busy_agent_queues_and_an_interrupt_goes_first() {
    let home = home();
    let handle = start_hanging(&home);
    let queued = json(&home.paseo(&["send", "--json", &handle, "<<say second>>"]));
    assert_eq!(queued["placement"], "queued");
    assert_eq!(inspect(&home, &handle)["queued"], 1);
    let interrupting = json(&home.paseo(&["send", "--json", "--interrupt", &handle, "<<say first>>"]));
    assert_eq!(interrupting["placement"], "interrupting");
    let mut transcript = Transcript::follow(&home, &handle);
    transcript.until(|item| item["kind"] == "assistant_text" && item["text"] == "first");
    transcript.until(|item| item["kind"] == "assistant_text" && item["text"] == "second");
}

#[test]
fn waiting_is_for_the_answer_to_this_message() {
    let home = home();
    let handle = start(&home, "<<stream 5ms slow words come one by one>>");
    let answer = home.paseo(&["send", &handle, "--wait", "<<say mine>>"]);
    assert_eq!(answer.ok(), "mine");
    let late = home.paseo(&["send", &handle, "--wait", "--timeout", "1s", "<<hang>>"]);
    assert_eq!((late.code, late.stdout.as_str()), (5, ""));
}

#[test]
fn a_key_sends_once() {
    let home = home();
    let handle = start_hanging(&home);
    let first = home.paseo(&["send", "--json", "--key", "k1", &handle, "again"]);
    let second = home.paseo(&["send", "--json", "--key", "k1", &handle, "again"]);
    assert_eq!(first.ok(), second.ok());
    assert_eq!(inspect(&home, &handle)["queued"], 1);
    let other = home.paseo(&["send", "--key", "k1", &handle, "something else"]);
    assert_eq!(other.code, 6, "{other:?}");
    assert_told!(home, other);
}

#[test]
fn steering_goes_into_the_running_turn() {
    let home = home();
    let handle = start_hanging(&home);
    let turn = inspect(&home, &handle)["turn"].clone();
    let steered = home.paseo(&["send", "--json", "--steer", &handle, "this way"]);
    match steered.code {
        // What the scripted provider can do is its own business; both answers are in order.
        0 => {
            assert_eq!(json(&steered)["placement"], "steering");
            assert_eq!(inspect(&home, &handle)["turn"], turn);
        }
        code => assert_eq!(code, 6, "{steered:?}"),
    }
    let both = home.paseo(&["send", "--steer", "--interrupt", &handle, "x"]);
    assert_eq!(both.code, 2);
}

#[test]
fn a_message_behind_a_stopped_turn_is_reported_as_held() {
    let home = home();
    let handle = start_hanging(&home);
    let waiting = home.spawn(&["send", &handle, "--wait", "<<say never>>"]);
    while inspect(&home, &handle)["queued"] != 1 {}
    home.paseo(&["stop", &handle]).ok();
    let output = paseo_testkit::home::finish(waiting);
    assert_eq!((output.code, output.stdout.as_str()), (6, ""), "{output:?}");
    assert_told!(home, output);
}

#[test]
fn an_agent_that_cannot_be_started_says_why_and_takes_the_message_later() {
    let home = home();
    let gone = home.work().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let agent = home.paseo(&["run", "-d", "--cwd", gone.to_str().unwrap(), "<<crash>>"]).ok().to_owned();
    home.paseo(&["wait", &agent]);
    std::fs::remove_dir(&gone).unwrap();
    let told = home.paseo(&["send", &agent, "--wait", "<<say later>>"]);
    assert_eq!(told.code, 1, "{told:?}");
    assert_told!(home, told);
    // The kept message goes first and fails again: that failure is why the new one did not start.
    let told = home.paseo(&["send", &agent, "--wait", "<<say sooner>>"]);
    assert_eq!((told.code, told.stdout.as_str()), (1, ""), "{told:?}");
    assert_told!(home, told);
    std::fs::create_dir(&gone).unwrap();
    let told = home.paseo(&["send", &agent, "--wait", "<<say now>>"]);
    assert!(told.ok().ends_with("now"), "{told:?}");
    // No turn was running that it could have waited for.
    let first = format!("Queued for {agent}, behind held messages");
    assert!(told.stderr.contains(&first), "{told:?}");
    // Nothing had left for the agent: it is told of no repeat.
    assert_said!(home, home.paseo(&["logs", &agent]).ok());
}
