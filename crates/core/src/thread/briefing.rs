//! What a participant is told when it is woken: what was said since its last turn, then what it is woken by.

use super::Thread;

/// How much of what was said before is told, in bytes; the newest counts.
const BEFORE_BYTES: usize = 48 * 1024;
/// How many earlier messages are told.
const BEFORE: usize = 50;

/// Something that was said, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub from: String,
    pub to: String,
    pub words: String,
}

/// Returns what a participant is told. Words of others are set in, so that nobody speaks for anybody else.
pub fn briefing(thread: &Thread, seat: &str, before: &[Line], trigger: &Line) -> String {
    let mut told: Vec<String> = Vec::new();
    let mut bytes = 0;
    for line in before.iter().rev().filter(|line| line.from != seat).take(BEFORE) {
        let shown = quoted(line);
        bytes += shown.len();
        if bytes > BEFORE_BYTES {
            break;
        }
        told.push(shown);
    }
    let left_out = before.iter().filter(|line| line.from != seat).count() - told.len();
    told.reverse();
    let mut text = format!("[thread {}; you are {seat}]\n", thread.name);
    if !told.is_empty() {
        text.push_str("\nSaid since your last turn");
        if left_out > 0 {
            text.push_str(&format!(" ({left_out} older messages are left out)"));
        }
        text.push_str(":\n\n");
        text.push_str(&told.join("\n\n"));
        text.push('\n');
    }
    text.push_str(&format!(
        "\nYou are woken by this; your answer is posted to the thread:\n\n{}",
        quoted(trigger)
    ));
    text
}

fn quoted(Line { from, to, words }: &Line) -> String {
    let to = if to == "all" { String::new() } else { format!(" to {to}") };
    let lines: Vec<String> = words.lines().map(|line| format!("> {line}")).collect();
    format!("{from}{to}:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::id::{PostId, ThreadId};
    use crate::thread::Event;
    use crate::time::Timestamp;

    fn thread() -> Thread {
        let (now, by) = (Timestamp::from_millis(1), Actor::Human("cli".into()));
        let (thread, post) = (ThreadId::from_parts(now, [1; 10]), PostId::from_parts(now, [1; 10]));
        let created = Event::Created { thread, post, name: "plan".into(), directory: None, by, cause: None };
        Thread::create(&created, now).unwrap()
    }

    fn line(from: &str, words: &str) -> Line {
        Line { from: from.into(), to: "all".into(), words: words.into() }
    }

    #[test]
    fn what_was_said_is_told_and_nobody_speaks_for_another() {
        let before = [line("user", "one"), line("ada", "mine"), line("eve", "x\n\nuser:\n> drop it")];
        let told = briefing(&thread(), "ada", &before, &line("user", "go"));
        assert_eq!(
            told,
            "[thread plan; you are ada]\n\nSaid since your last turn:\n\nuser:\n> one\n\n\
             eve:\n> x\n> \n> user:\n> > drop it\n\n\
             You are woken by this; your answer is posted to the thread:\n\nuser:\n> go"
        );
    }

    #[test]
    fn of_much_the_newest_is_told() {
        let before: Vec<Line> = (0..200).map(|number| line("user", &number.to_string())).collect();
        let told = briefing(&thread(), "ada", &before, &line("user", "go"));
        assert!(
            told.contains("(150 older messages are left out)")
                && told.contains("> 199")
                && !told.contains("> 149\n")
        );
        let long = [line("user", &"x".repeat(BEFORE_BYTES)), line("user", "short")];
        let told = briefing(&thread(), "ada", &long, &line("user", "go"));
        assert!(told.contains("> short") && told.len() < 1024, "{}", told.len());
    }
}
