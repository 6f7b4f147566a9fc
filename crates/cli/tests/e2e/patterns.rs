//! How people talk to the agents of definitions: they ask, they tell, they go there and come back.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use paseo_testkit::home::{Output, TestHome, finish};
use serde_json::Value;

use crate::followers::{define, sessions};
use crate::pty::Terminal;
use crate::screens::assert_told;
use crate::{Transcript, home, inspect, json, start, wait_for_text};

/// A home with an agent that keeps notes.
fn noted() -> TestHome {
    let home = home();
    define(&home, "notes", "name = 'Notes'\n");
    home
}

/// Goes to an agent; returns its handle.
fn switch(home: &TestHome, arguments: &[&str]) -> String {
    let arguments: Vec<&str> = ["switch"].iter().chain(arguments).copied().collect();
    home.paseo(&arguments).ok().to_owned()
}

fn came_from(home: &TestHome, handle: &str) -> Value {
    inspect(home, handle)["entered"]["from"].clone()
}

fn id(home: &TestHome, handle: &str) -> Value {
    inspect(home, handle)["id"].clone()
}

#[test]
fn asking_uses_the_newest_session_and_starts_one_when_there_is_none() {
    let home = noted();
    let none = home.paseo(&["ask", "notes", "--session", "latest", "x"]);
    assert_eq!((none.code, none.stdout.as_str()), (3, ""), "{none:?}");
    assert_told!(home, none);

    let first = home.paseo(&["ask", "notes", "<<say one>>"]);
    assert_eq!(first.ok(), "one");
    assert!(first.stderr.contains("(notes)"), "{}", first.stderr);
    let second = home.paseo(&["ask", "notes", "<<say two>>"]);
    assert_eq!(second.ok(), "two");
    assert_told!(home, second, @r"
    exit 0
    Sent to aaa1
    ");
    let [only] = sessions(&home, "notes").try_into().unwrap();

    let fresh = json(&home.paseo(&["tell", "notes", "--session", "create", "--json", "<<say three>>"]));
    assert_eq!(fresh["created"], true);
    let newest = fresh["session"]["handle"].as_str().unwrap();
    assert_eq!(sessions(&home, "notes").len(), 2);
    let told = json(&home.paseo(&["tell", "notes", "--json", "x"]));
    assert_eq!((&told["session"]["handle"], &told["created"]), (&newest.into(), &false.into()));
    // A change of the name makes a session the newest.
    home.paseo(&["wait", newest]).ok();
    home.paseo(&["rename", &only, "old"]).ok();
    assert_eq!(json(&home.paseo(&["tell", "notes", "--json", "x"]))["session"]["handle"], only);
    let named = json(&home.paseo(&["tell", "notes", "--session", newest, "--json", "x"]));
    assert_eq!(named["session"]["handle"], newest);
}

#[test]
fn an_answer_has_the_exit_codes_of_run() {
    let home = noted();
    let code = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["ask", "notes"].iter().chain(arguments).copied().collect();
        let Output { code, stdout, .. } = home.paseo(&arguments);
        (code, stdout)
    };
    assert_eq!(code(&["<<fail boom>>"]), (1, String::new()));
    assert_eq!(code(&["--timeout", "1s", "<<hang>>"]), (5, String::new()));
    assert_eq!(home.paseo(&["ask", "notes", ""]).code, 2);
    let other = start(&home, "x");
    let not_its_own = home.paseo(&["ask", "notes", "--session", &other, "x"]);
    assert_eq!(not_its_own.code, 2);
    assert_told!(home, not_its_own);
    let ending = json(&home.paseo(&["ask", "notes", "--session", "create", "--json", "<<say hi>>"]));
    assert_eq!((&ending["outcome"], &ending["answer"]), (&"completed".into(), &"hi".into()));
}

#[test]
fn an_agent_that_does_not_exist_is_told_with_those_that_do() {
    let home = noted();
    for arguments in [
        &["ask", "nots", "x"][..],
        &["tell", "nots", "x"],
        &["switch", "nots"],
        &["attach", "--agent", "nots"],
        &["run", "--agent", "nots", "x"],
    ] {
        let output = home.paseo(arguments);
        assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{arguments:?}: {output:?}");
        assert_told!(home, output, @r"
        exit 3
        error: agent definition `nots` not found
         hint: choose one of: default, notes
        ");
    }
    assert_eq!(home.paseo(&["ls", "-q", "-a", "-g"]).ok(), "", "nothing was started");
}

#[test]
fn a_closed_session_is_opened_again_by_a_question() {
    let home = noted();
    home.paseo(&["ask", "notes", "<<say one>>"]).ok();
    let [only] = sessions(&home, "notes").try_into().unwrap();
    home.paseo(&["close", &only]).ok();
    assert_eq!(home.paseo(&["ask", "notes", "<<say still here>>"]).ok(), "still here");
    assert_eq!(inspect(&home, &only)["status"], "idle");
    assert_eq!(sessions(&home, "notes"), [only]);
}

#[test]
fn those_who_ask_at_once_meet_in_one_session() {
    let home = noted();
    home.paseo(&["up"]).ok();
    let asking: Vec<_> = (0..4).map(|_| home.spawn(&["tell", "notes", "--json", "hello"])).collect();
    let told: Vec<Value> = asking.into_iter().map(|child| json(&finish(child))).collect();
    assert_eq!(told.iter().filter(|told| told["created"] == true).count(), 1, "{told:?}");
    assert_eq!(sessions(&home, "notes").len(), 1);
}

#[test]
fn a_key_tells_once_whatever_it_came_to() {
    let home = noted();
    let tell = |text: &str| home.paseo(&["tell", "notes", "--json", "--key", "k1", text]);
    let (first, again) = (json(&tell("hello")), json(&tell("hello")));
    assert_eq!((&first["receipt"], &first["created"]), (&again["receipt"], &again["created"]));
    assert_eq!(tell("something else").code, 6);
    let tell = || json(&home.paseo(&["tell", "notes", "--json", "--key", "k2", "hello"]));
    assert_eq!(tell()["receipt"], tell()["receipt"]);
    let [only] = sessions(&home, "notes").try_into().unwrap();
    home.paseo(&["wait", &only]).ok();
    let said = home.paseo(&["logs", "--json", &only]);
    assert_eq!(said.ok().lines().filter(|line| line.contains("\"user_text\"")).count(), 2);
}

#[test]
fn switching_notes_where_a_person_came_from() {
    let home = noted();
    define(&home, "todo", "name = 'Todo'\n");
    let alone = switch(&home, &["notes"]);
    assert_eq!(came_from(&home, &alone), Value::Null, "there was nowhere to come from");
    assert_eq!(inspect(&home, &alone)["labels"], serde_json::json!({}), "it is not the web app's");
    home.paseo(&["rm", &alone]).ok();

    let general = start(&home, "<<say hi>>");
    home.paseo(&["wait", &general]).ok();
    let notes = switch(&home, &["notes", "<<say about X>>"]);
    wait_for_text(&home, &notes, "about X");
    assert_eq!(came_from(&home, &notes), id(&home, &general));
    // Whoever is there already came from where they came from.
    assert_eq!(switch(&home, &["notes"]), notes);
    assert_eq!(came_from(&home, &notes), id(&home, &general));
    let todo = switch(&home, &["todo"]);
    assert_eq!(came_from(&home, &todo), id(&home, &notes));
    let chosen = json(&home.paseo(&["switch", "todo", "--from", &general, "--json"]));
    assert_eq!((&chosen["from"], &chosen["created"]), (&id(&home, &general), &false.into()));
    let shown = switch(&home, &["todo", "--ui"]);
    assert_eq!(inspect(&home, &shown)["labels"]["ui"], "true");
    home.paseo(&["close", &notes]).ok();
    assert_eq!(switch(&home, &["notes"]), notes);
    assert_eq!(inspect(&home, &notes)["status"], "idle", "it is open again");
    // A new one, although there is one, with the same way back.
    let new =
        json(&home.paseo(&["switch", "notes", "<<say afresh>>", "--new", "--from", &general, "--json"]));
    assert_eq!((&new["from"], &new["created"]), (&id(&home, &general), &true.into()));
    assert_ne!(new["session"]["handle"], notes);
    assert_eq!(home.paseo(&["switch", "--back", "--new"]).code, 2);
}

#[test]
fn going_back_takes_a_summary_along_with_its_provenance() {
    let home = noted();
    let general = start(&home, "<<say hi>>");
    home.paseo(&["wait", &general]).ok();
    let notes = switch(&home, &["notes", "<<say about X>>"]);
    wait_for_text(&home, &notes, "about X");
    // What cannot be summed up loses nothing.
    let failed = home.paseo(&["switch", "--back", "<<fail boom>>"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (6, ""), "{failed:?}");
    assert_told!(home, failed);
    assert_eq!(came_from(&home, &notes), id(&home, &general));

    let back = json(&home.paseo(&["switch", "--back", "--json", "<<say we chose X>>"]));
    assert_eq!(
        (&back["session"]["handle"], &back["summary"]),
        (&general.clone().into(), &"we chose X".into())
    );
    assert_eq!(came_from(&home, &notes), Value::Null);
    let mut transcript = Transcript::follow(&home, &general);
    let told = transcript.until(|item| item["kind"] == "user_text" && item["text"] == "we chose X");
    assert_eq!(told["fields"]["origin"], format!("session:{}", id(&home, &notes).as_str().unwrap()));
    let heard = format!("Received: [message from tab {notes}]\n\nwe chose X");
    transcript.until(|item| item["kind"] == "assistant_text" && item["text"] == heard.as_str());
    home.paseo(&["wait", &general]).ok();
    // It descends from the request to sum up, one agent further.
    let cause = json(&home.paseo(&["cause", back["receipt"]["cause"].as_str().unwrap(), "--json"]));
    let turns: Vec<(&Value, &Value)> =
        cause["turns"].as_array().unwrap().iter().map(|turn| (&turn["session"], &turn["hop"])).collect();
    assert_eq!(turns, [(&id(&home, &notes), &0.into()), (&id(&home, &general), &1.into())], "{cause}");

    // The person is where they came from, and can leave from there.
    let again = home.paseo(&["switch", "--back"]);
    assert_eq!(again.code, 6, "{again:?}");
    assert_told!(home, again);
    assert_eq!(switch(&home, &["notes"]), notes);
    assert_eq!(came_from(&home, &notes), id(&home, &general));
}

#[test]
fn whoever_asks_or_tells_another_stays_where_they_are() {
    let home = noted();
    define(&home, "todo", "name = 'Todo'\n");
    let general = start(&home, "<<say hi>>");
    home.paseo(&["wait", &general]).ok();
    let notes = switch(&home, &["notes", "<<say about X>>"]);
    wait_for_text(&home, &notes, "about X");
    assert_eq!(home.paseo(&["ask", "todo", "<<say noted>>"]).ok(), "noted");
    assert_eq!(
        home.paseo(&["ask", "todo", "<<say again>>"]).ok(),
        "again",
        "in the session that is there, too"
    );
    home.paseo(&["tell", "todo", "<<say later>>"]).ok();
    let back = json(&home.paseo(&["switch", "--back", "--json", "<<say we chose X>>"]));
    assert_eq!((&back["session"]["handle"], &back["left"]), (&general.into(), &id(&home, &notes)));
}

#[test]
fn a_summary_for_a_stopped_agent_waits_there_and_that_is_said() {
    let home = noted();
    let general = start(&home, "<<hang>>");
    let notes = switch(&home, &["notes", "<<say about X>>"]);
    wait_for_text(&home, &notes, "about X");
    home.paseo(&["stop", &general]).ok();
    let back = home.paseo(&["switch", "--back", "<<say we chose X>>"]);
    assert_told!(home, back);
    assert!(home.paseo(&["queue", &general]).stdout.contains("we chose X"));
}

/// Runs a command elsewhere.
fn there(home: &TestHome, directory: &Path, arguments: &[&str]) -> Output {
    let mut command = home.command(arguments);
    finish(command.current_dir(directory).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

#[test]
fn whoever_goes_back_stays_in_the_project() {
    let home = noted();
    let other = home.work().join("other");
    fs::create_dir(&other).unwrap();
    define(&home, "journal", &format!("cwd = '{}'\n", home.path().parent().unwrap().display()));
    let general = start(&home, "<<say hi>>");
    home.paseo(&["rename", &general, "the plan"]).ok();
    home.paseo(&["wait", &general]).ok();
    let went = home.paseo(&["switch", "notes"]);
    assert_told!(home, went);

    // Elsewhere nobody has been anywhere yet.
    let nowhere = there(&home, &other, &["switch", "--back"]);
    assert_eq!((nowhere.code, nowhere.stdout.as_str()), (6, ""), "{nowhere:?}");
    assert_told!(home, nowhere);
    let alone = there(&home, &other, &["switch", "notes"]).ok().to_owned();
    assert_eq!(came_from(&home, &alone), Value::Null, "whoever is here did not come from there");

    // An agent with a place of its own is met everywhere, and leads back to where one came from.
    let journal = switch(&home, &["journal"]);
    assert_eq!(there(&home, &other, &["switch", "--back"]).code, 6);
    let notes = went.ok();
    assert_eq!(came_from(&home, &journal), id(&home, notes));
    assert_eq!(home.paseo(&["switch", "--back", "<<say j>>"]).ok(), notes);
    assert_eq!(home.paseo(&["switch", "--back", "<<say n>>"]).ok(), general);
}

#[test]
fn an_old_switch_is_not_gone_back_on() {
    let home = noted();
    define(&home, "todo", "name = 'Todo'\n");
    for agent in ["notes", "todo"] {
        let general = start(&home, "<<say hi>>");
        home.paseo(&["wait", &general]).ok();
        switch(&home, &[agent]);
    }
    home.paseo(&["switch", "--back", "<<say done>>"]).ok();
    let again = home.paseo(&["switch", "--back", "<<say done>>"]);
    assert_eq!(again.code, 6, "{again:?}");
    assert_told!(home, again, @r"
    exit 6
    error: cannot switch back: you used aaa1 last, and did not come to it with `paseo switch`
     hint: to switch back from another agent, run `paseo switch --back --from HANDLE`
    ");
}

#[test]
fn without_words_of_ones_own_the_summary_is_asked_for() {
    let home = noted();
    let general = start(&home, "<<say hi>>");
    home.paseo(&["wait", &general]).ok();
    let notes = switch(&home, &["notes"]);
    home.paseo(&["close", &general]).ok();
    let back = home.paseo(&["switch", "--back"]);
    assert_eq!(back.ok(), general);
    assert_told!(home, back);
    assert_ne!(inspect(&home, &general)["status"], "closed", "whoever goes there opens it again");
    let directly = home.paseo(&["switch", "--back", "--from", &notes]);
    assert_told!(home, directly);
}

#[test]
fn an_agent_that_asks_for_permission_is_not_waited_for() {
    let home = noted();
    let general = start(&home, "<<say hi>>");
    home.paseo(&["wait", &general]).ok();
    let notes = switch(&home, &["notes"]);
    let asks = home.paseo(&["switch", "--back", "<<ask may I>><<say done>>"]);
    assert_eq!((asks.code, asks.stdout.as_str()), (4, ""), "{asks:?}");
    assert_told!(home, asks);
    assert!(asks.stderr.contains(&format!("`paseo permit allow {notes}`")), "{}", asks.stderr);
    home.paseo(&["permit", "allow", "--yes", &notes]).ok();
    home.paseo(&["wait", &notes]).ok();
    assert_eq!(home.paseo(&["switch", "--back", "<<say done now>>"]).ok(), general);
}

#[test]
fn where_one_came_from_may_be_gone() {
    let home = noted();
    let general = start(&home, "<<say hi>>");
    home.paseo(&["wait", &general]).ok();
    let notes = switch(&home, &["notes"]);
    home.paseo(&["rm", &general]).ok();
    let gone = home.paseo(&["switch", "--back"]);
    assert_eq!(gone.code, 3, "{gone:?}");
    assert_told!(home, gone);
    assert_eq!(came_from(&home, &notes), Value::Null);
}

#[test]
fn a_person_at_a_terminal_is_attached() {
    let home = noted();
    let general = start(&home, "<<say hi>>");
    home.paseo(&["wait", &general]).ok();
    let mut terminal = Terminal::start(&home, 100, &["switch", "notes", "<<say welcome>>"]);
    terminal.until("welcome\r\n");
    terminal.type_in("<<say more>>\r");
    terminal.until("more\r\n");
    terminal.type_in("\x04");
    let (code, shown, restored) = terminal.finish();
    assert!(code == Some(0) && restored, "{shown:?}");
    let piped = home.paseo_with(&["attach", "--agent", "notes"], b"<<say by pipe>>\n");
    assert!(piped.ok().contains("welcome") && piped.ok().contains("by pipe"), "{piped:?}");
    assert_eq!(home.paseo(&["attach", "--agent", "default", &general]).code, 2);
}
