//! An answer in one thread while three agents work in another.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::threads::{made, say};
use crate::Options;
use crate::daemon::{self, Daemon};
use crate::http::{Connection, EventReader};
use crate::report::{Limit, Row};
use crate::statistics::{median, milliseconds};

/// Both kinds take turns, so that what grows grows for both.
const TURNS: usize = 5;
/// Answers of a turn, spread over its seconds.
const ANSWERS: usize = 25;
const PACE: Duration = Duration::from_millis(60);
/// Those who are busy say so many words a second each, and each sentence is an item. More would measure how two
/// processors are shared with programs that write, which no daemon can change.
const WORDS: Duration = Duration::from_millis(25);
const SENTENCE: usize = 20;
const SENTENCES: usize = 8;
const BUSY: [&str; 3] = ["a", "b", "c"];

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let daemon = Daemon::start(daemon::roomy(&options.binary));
    let mut connection = Connection::open(&daemon.socket);
    let (busy, quick) = (made(&mut connection, &daemon, "busy"), made(&mut connection, &daemon, "quick"));
    for (thread, seat) in BUSY.map(|seat| (&busy, seat)).into_iter().chain([(&quick, "d")]) {
        let profile = json!({ "client": "scripted", "model": "default" });
        let control = json!({ "invite": { "participant_id": seat, "profile": profile } });
        connection.request("POST", &format!("/api/threads/{thread}/controls"), &control.to_string());
    }
    let mut quick =
        Quick { events: EventReader::of(&daemon.socket, &format!("thread:{quick}")), thread: quick };
    let mut answers = EventReader::of(&daemon.socket, &format!("thread:{busy}"));
    // The first answer of each starts its process.
    quick.answer(&mut connection);
    for seat in BUSY {
        say(&mut connection, &busy, seat, "<<say ready>>");
        answers.wait_for(format!("\"from\":\"{seat}\"").as_bytes());
    }
    let sessions = sessions(&mut connection, &busy);
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        alone.extend(quick.answers(&mut connection));
        for (seat, session) in BUSY.iter().zip(&sessions) {
            let mut words = EventReader::open(&daemon.socket, session);
            say(&mut connection, &busy, seat, &script(turn));
            words.wait_for(format!("busy-{turn}-0 ").as_bytes());
        }
        beside.extend(quick.answers(&mut connection));
        assert_eq!(working(&mut connection, &busy), BUSY.len(), "they were busy all the time");
        for _ in BUSY {
            answers.wait_for(format!("busy-{turn}-0 ").as_bytes());
            answers.wait_for(format!("busy-{turn}-{} ", SENTENCES - 1).as_bytes());
        }
    }
    let (alone, beside) = (median(&alone), median(&beside));
    vec![Row::ratio(
        "threads: an answer while three are busy elsewhere",
        format!("{beside:.2} ms"),
        format!("alone {alone:.2} ms"),
        beside / alone,
        Limit::AtMost(1.25),
    )]
}

/// A thread in which one agent answers at once.
struct Quick {
    thread: String,
    events: EventReader,
}

impl Quick {
    /// Returns how long answers take, one after the other.
    fn answers(&mut self, connection: &mut Connection) -> Vec<f64> {
        let answer = |_| {
            thread::sleep(PACE);
            self.answer(connection)
        };
        (0..ANSWERS).map(answer).collect()
    }

    fn answer(&mut self, connection: &mut Connection) -> f64 {
        let start = Instant::now();
        say(connection, &self.thread, "d", "<<say here>>");
        self.events.wait_for(b"\"from\":\"d\"");
        milliseconds(start.elapsed())
    }
}

/// Returns what somebody is told who shall be busy: it speaks word by word, and looks into its thread now and then.
fn script(turn: usize) -> String {
    let sentence = |number: usize| {
        let words = format!("busy-{turn}-{number} ") + &"word ".repeat(SENTENCE);
        format!("<<stream {}ms {words}>><<tool threads_read {{\"limit\": 10}}>>", WORDS.as_millis())
    };
    (0..SENTENCES).map(sentence).collect()
}

fn state(connection: &mut Connection, thread: &str) -> Vec<Value> {
    let answer = connection.request("GET", &format!("/api/threads/{thread}"), "");
    let answer: Value = serde_json::from_slice(&answer).expect("a thread");
    answer["thread"]["state"]["participants"]["invited"].as_array().expect("participants").clone()
}

fn sessions(connection: &mut Connection, thread: &str) -> Vec<String> {
    let seats = state(connection, thread);
    seats.iter().map(|seat| seat["session"].as_str().expect("a session").to_owned()).collect()
}

fn working(connection: &mut Connection, thread: &str) -> usize {
    state(connection, thread).iter().filter(|seat| seat["working"] == true).count()
}
