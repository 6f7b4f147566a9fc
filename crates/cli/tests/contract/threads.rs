//! Agents of three makes and a person in one thread: the real claude, codex and pi, each with a model of its own.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use paseo_testkit::home::TestHome;
use paseo_testkit::model::ModelServer;
use paseo_testkit::real::{Program, Real};
use serde_json::Value;

use crate::bench::{CLAUDE, CODEX, PI};
use crate::together::define_in;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A thread called `plan`, and those who sit in it. Fields end in the order they stand in.
struct Table {
    home: TestHome,
    seats: Vec<Seat>,
}

/// A harness that is installed, and the model that it talks to.
struct Seat {
    harness: Real,
    model: ModelServer,
}

impl Table {
    /// `None` when one of them is not installed.
    fn set(programs: &[Program]) -> Option<Self> {
        let seats: Option<Vec<Seat>> = programs
            .iter()
            .map(|program| {
                let model = ModelServer::start();
                Some(Seat { harness: program.with(&model)?, model })
            })
            .collect();
        let (mut home, seats) = (TestHome::new(env!("CARGO_BIN_EXE_paseo")), seats?);
        seats.iter().for_each(|seat| seat.harness.install(&mut home));
        Some(Self { home, seats })
    }

    fn thread(&self, arguments: &[&str]) -> String {
        self.home.paseo(&[&["thread"], arguments].concat()).ok().to_owned()
    }

    /// Says something as the person, and returns it as it is stored.
    fn say(&self, words: &str) -> Value {
        serde_json::from_str(&self.thread(&["post", "plan", words, "--json"])).unwrap()
    }

    fn state(&self) -> Value {
        serde_json::from_str(&self.thread(&["state", "plan"])).unwrap()
    }

    fn all(&self) -> Vec<Value> {
        let told = self.thread(&["tail", "plan", "-n", "500", "--json"]);
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Waits for something that happens in the thread, from the beginning on.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut tail = self.home.spawn(&["thread", "tail", "-f", "plan", "-n", "500", "--json"]);
        let lines = BufReader::new(tail.stdout.take().unwrap()).lines();
        let (told, events) = mpsc::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| told.send(line)));
        let end = Instant::now() + PATIENCE;
        let next = || events.recv_timeout(end.saturating_duration_since(Instant::now())).ok();
        let mut events = std::iter::from_fn(next).map(|line| serde_json::from_str::<Value>(&line).unwrap());
        // What goes wrong is told in the thread, and ends the waiting.
        let found = events.find(|event| wanted(event) || tags(event).contains("error"));
        tail.kill().ok();
        tail.wait().ok();
        found.filter(|event| wanted(event)).unwrap_or_else(|| panic!("it never came: {:#?}", self.all()))
    }

    /// Waits for what somebody answers.
    fn reply(&self, from: &str, to: &Value) -> Value {
        self.until(|event| event["from"] == from && event["meta"]["reply_to"] == to["id"])
    }

    /// Waits for what no event tells of.
    fn when(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < end, "{what}: {:#?}", self.all());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.work().join(name)
    }

    /// Says whether the model of a seat was told something.
    fn was_told(&self, seat: usize, words: &str) -> bool {
        self.seats[seat].model.requests().iter().any(|request| request.body.to_string().contains(words))
    }
}

fn words(event: &Value) -> &str {
    event["content"].as_str().unwrap_or_default()
}

fn tags(event: &Value) -> String {
    let tags = event["meta"]["tags"].as_array().into_iter().flatten().filter_map(Value::as_str);
    tags.collect::<Vec<_>>().join(",")
}

/// Checks that something is an answer that the coordinator brought.
fn assert_brought(answer: &Value, expected: &str) {
    assert_eq!((&answer["to"], &answer["meta"]["via"]), (&"all".into(), &"bridge-coordinator".into()));
    assert_eq!(tags(answer), expected, "{answer:#}");
}

#[test]
fn a_person_and_agents_of_three_makes_hold_one_conversation() {
    let Some(table) = Table::set(&[CLAUDE, CODEX, PI]) else { return };
    define_in(
        &table.home,
        &[
            ("writer", "provider = \"claude\"\nsystemPrompt = \"You are the one who writes.\""),
            ("critic", "provider = \"codex\"\nsystemPrompt = \"You are the one who doubts.\""),
        ],
    );
    table.thread(&["new", "plan"]);
    table.thread(&["invite", "plan", "writer", "--id", "ada", "--nickname", "Countess"]);
    table.thread(&["invite", "plan", "critic", "--id", "bob", "--role", "reviewer"]);
    table.thread(&["invite", "plan", "pi", "--id", "cyn"]);

    // Only those who are mentioned are woken, by a role or by an id.
    let asked = table.say("@reviewer, @cyn: <<say here>>");
    assert_eq!(asked["meta"]["wakes"], serde_json::json!(["bob", "cyn"]));
    for seat in ["bob", "cyn"] {
        let answer = table.reply(seat, &asked);
        assert_brought(&answer, "coordinator");
        assert!(words(&answer).starts_with("here [turns=1 "), "{answer:#}");
    }
    assert!(table.seats[0].model.requests().is_empty(), "nobody called the one who writes");
    assert!(table.was_told(1, "You are the one who doubts."), "an invited agent has its definition's prompt");
    for seat in [1, 2] {
        assert!(table.was_told(seat, "You are a participant in a thread"), "the primer is in the prompt");
    }

    // One agent wakes another, once people let them.
    table.thread(&["discuss", "plan"]);
    let asked = table.say("@cyn <<say @bob is it true?>>");
    let answer = table.reply("cyn", &asked);
    assert_eq!(answer["meta"]["wakes"], serde_json::json!(["bob"]), "{answer:#}");
    assert_brought(&table.reply("bob", &answer), "coordinator");
    assert!(table.was_told(1, "cyn to all; you are bob"), "it is told who speaks");
    table.thread(&["discuss", "plan", "--off"]);

    // What comes from somebody who was muted meanwhile is kept.
    let command = "touch running; until test -e gate; do sleep 0.02; done";
    let asked = table.say(&format!("@bob <<bash {command}>><<say done>>"));
    table.when("it never began", || table.file("running").exists());
    table.thread(&["mute", "plan", "bob"]);
    std::fs::write(table.file("gate"), "").unwrap();
    table.when("nothing is kept", || table.state()["held"] == 1);
    let to_this = |event: &Value| event["from"] == "bob" && event["meta"]["reply_to"] == asked["id"];
    assert!(!table.all().iter().any(to_this));
    table.thread(&["unmute", "plan", "bob"]);
    let late = table.until(to_this);
    assert_brought(&late, "coordinator,held");
    assert!(words(&late).contains("done [turns="), "{late:#}");

    // Whoever is asked acts in the thread's directory with its own tools, knows what was said, and says what it did.
    let asked = table.say("@countess: <<write notes.txt decided>><<say I wrote notes.txt>>");
    assert_eq!(asked["meta"]["wakes"], serde_json::json!(["ada"]));
    let answer = table.reply("ada", &asked);
    assert_brought(&answer, "coordinator");
    assert!(words(&answer).contains("I wrote notes.txt [turns="), "{answer:#}");
    assert_eq!(std::fs::read_to_string(table.file("notes.txt")).unwrap().trim_end(), "decided");
    assert!(table.was_told(0, "You are the one who writes."));
    assert!(table.was_told(0, "bob:\\n> here [turns=1 "), "it is told what was said before it came");

    // Whoever goes is called no more, and what it said stays.
    table.thread(&["uninvite", "plan", "ada"]);
    assert_eq!(table.say("@ada still there?")["meta"].get("wakes"), None);
    let said = table.all().into_iter().find(|event| event["id"] == answer["id"]).unwrap();
    assert_eq!(said, answer);
    let seats = table.state()["participants"]["invited"].as_array().unwrap().len();
    assert_eq!(seats, 2);
}
