//! `paseo attach` with a pipe: each line a message, at the end the answers.

use std::io::{BufRead, BufReader, Write};

use paseo_testkit::home::finish;
use rustix::process::{Pid, Signal, kill_process};

use crate::screens::{assert_said, assert_told};
use crate::{assert_shown, home, inspect, start, start_hanging};

#[test]
fn every_line_is_a_message_and_the_answers_are_waited_for() {
    let home = home();
    let handle = start(&home, "<<say the past>>");
    home.paseo(&["wait", &handle]).ok();
    let output = home.paseo_with(&["attach", &handle], b"<<say one>>\n\n<<sh echo hi>><<say two>>");
    assert_shown!(home, output.ok(), @r"
    #1 [CLOCK] you
    <<say the past>>

    #2 [CLOCK] agent
    the past

    #3 [CLOCK] you
    <<say one>>

    #4 [CLOCK] agent
    one

    #5 [CLOCK] you
    <<sh echo hi>><<say two>>

    #6 [CLOCK] Run echo hi
    hi

    #8 [CLOCK] agent
    two
    ");
    let receipts = output.stderr.lines().filter(|line| line.contains(&handle));
    assert_eq!(receipts.count(), 2, "{}", output.stderr);
}

#[test]
fn the_last_outcome_is_the_exit_code() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let attach = |lines: &[u8]| home.paseo_with(&["attach", &handle], lines);
    let failed = attach(b"<<say fine>>\n<<fail boom>>\n");
    assert_eq!(failed.code, 1, "{failed:?}");
    let error = failed.stderr.lines().find(|line| line.contains("boom")).unwrap();
    assert_said!(home, error, @"error: aaa1 failed (scripted_failure): boom");
    assert_eq!(attach(b"<<say fine again>>\n").code, 0);
    let asked = attach(b"<<ask may I>>\n");
    assert_eq!(asked.code, 4, "{asked:?}");
    assert_eq!(home.paseo(&["permit", "allow", "--yes", &handle]).code, 0);
    home.paseo(&["wait", &handle]).ok();
    assert_eq!(attach(b"").code, 0, "nothing to wait for");
    assert_eq!(home.paseo(&["attach", "zzzz"]).code, 3);
}

#[test]
fn a_script_can_answer_what_is_asked_later() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let lines = b"<<ask one>><<ask two>><<say went on>>\n/allow\n/deny not today\n";
    let output = home.paseo_with(&["attach", &handle], lines);
    let shown = output.ok();
    assert_said!(home, shown, @r"
    #1 12:00:00 you
    x

    #2 12:00:00 agent
    You said: x

    #3 12:00:00 you
    <<ask one>><<ask two>><<say went on>>

    #4 12:00:00 asks: one

    #5 12:00:00 allowed by you: one

    #6 12:00:00 asks: two

    #7 12:00:00 denied by you: two

    #8 12:00:00 note: Denied: two (not today)

    #9 12:00:00 agent
    went on
    ");
    let early = home.paseo_with(&["attach", &handle], b"<<say nothing asked>>\n/allow\n");
    assert_told!(home, early, @r"
    exit 0
    Sent to aaa1
    error: aaa1 has no permission request; its status is idle
    ");
    assert!(early.stdout.contains("nothing asked"), "{early:?}");
}

#[test]
fn commands_interrupt_and_stop() {
    let home = home();
    let handle = start_hanging(&home);
    let output = home.paseo_with(&["attach", &handle], b"! <<say instead>>\n");
    assert!(output.ok().contains("instead"), "{output:?}");
    let stopped = home.paseo_with(&["attach", &handle], b"<<hang>>\n/stop\n");
    assert_eq!(stopped.code, 1, "{stopped:?}");
    assert_told!(home, stopped, @r"
    exit 1
    Sent to aaa1
    stopped; send a message to continue
    error: aaa1 was interrupted
     hint: to continue, run `paseo send aaa1 …`
    ");
    let wrong = home.paseo_with(&["attach", &handle], b"/etc/hosts\n");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert_told!(home, wrong, @r"
    exit 2
    error: unknown command `/etc/hosts`
     hint: type /help for a list; start with // to send a message that starts with a slash
    ");
    let help = home.paseo_with(&["attach", &handle], b"/help\n/quit\n<<fail never sent>>\n");
    assert_told!(home, help, @r"
    exit 0
    words           send a message, read after the current turn
    ! words         interrupt the current turn with a message
    /stop           stop the current turn; queued messages are held
    /allow [HASH]   allow the request; HASH is needed only if several are open
    /deny [words]   deny a permission request, with an optional reason
    /quit, ctrl-D   detach; the agent keeps working
    //words         send a message that starts with a slash
    aaa1 is idle. To attach again: paseo attach aaa1
    ");
}

#[test]
fn the_past_is_a_page_or_what_is_asked_for() {
    let home = home();
    let many: String = (0..40).map(|n| format!("<<say number {n}>>")).collect();
    let handle = start(&home, &many);
    home.paseo(&["wait", &handle]).ok();
    let attach = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["attach", &handle].iter().chain(arguments).copied().collect();
        home.paseo_with(&arguments, b"")
    };
    let page = attach(&[]);
    assert!(page.ok().contains("number 39") && !page.stdout.contains("number 5\n"), "{page:?}");
    assert!(page.stderr.contains(&format!("paseo logs {handle}")), "{}", page.stderr);
    assert_eq!(attach(&["--since", "1h", "--json"]).ok().lines().count(), 41);
    let since = attach(&["--since", "40", "--json"]);
    let ordinals: Vec<serde_json::Value> =
        since.ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&ordinals[0]["ordinal"], ordinals.len()), (&40.into(), 2));
}

#[test]
fn control_c_leaves_and_says_how_to_stop() {
    let home = home();
    let handle = start_hanging(&home);
    let mut child = home.spawn(&["attach", &handle]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("started") {
        assert_ne!(stdout.read_line(&mut said).unwrap(), 0, "{said}");
    }
    // Its end would be a reason to leave, too.
    let stdin = child.stdin.take();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = finish(child);
    drop(stdin);
    assert_eq!(output.code, 130, "{output:?}");
    assert!(output.stderr.contains(&format!("paseo stop {handle}")), "{}", output.stderr);
    assert_eq!(inspect(&home, &handle)["status"], "running");
}

#[test]
fn it_survives_a_crash_of_the_daemon() {
    let home = home();
    let handle = start(&home, "<<say one>>");
    let mut child = home.spawn(&["attach", "--json", &handle]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut until = |text: &str| {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "{text}");
        }
    };
    until("\"one\"");
    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"<<say two>>\n").unwrap();
    drop(stdin);
    until("\"two\"");
    assert_eq!(finish(child).code, 0);
}
