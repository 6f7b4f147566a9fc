//! The language that tests tell a model what to do in. Pure: text in, steps out.
//!
//! A directive is `<<verb argument>>`, anywhere in a prompt; the text around directives is ignored. Inside one,
//! `\>` stands for `>`. Where a directive takes several words, `"…"` holds one with spaces.
//!
//! | directive | what the model does |
//! |---|---|
//! | `<<say TEXT>>` | answers |
//! | `<<exactly TEXT>>` | answers with this and nothing else: without what other answers end with |
//! | `<<think TEXT>>` | thinks aloud |
//! | `<<big N>>` | answers with N bytes; `k` and `m` multiply |
//! | `<<bash COMMAND>>` | runs a command |
//! | `<<background COMMAND>>` | runs a command in the background (claude) |
//! | `<<write PATH TEXT>>` | writes a file |
//! | `<<edit PATH OLD NEW>>` | replaces text in a file; claude wants it read before |
//! | `<<read PATH>>` | reads a file |
//! | `<<tool NAME {json}>>` | calls any tool; the last part of its name is enough: `whoami` for `mcp__proj__whoami` |
//! | `<<slow MS>>` | pauses that long before each delta from here on |
//! | `<<status CODE [times=N] [retry-after=S] [reset=S] [MESSAGE]>>` | fails with an HTTP status, always or N times; `reset` makes a 429 a used-up plan that is whole again in S seconds |
//! | `<<break [times=N]>>` | cuts the stream |
//! | `<<torn [times=N] TEXT>>` | cuts the stream in the middle of a text; a later attempt does not say it |
//! | `<<torncall [times=N] [TEXT]>>` | says a text, then cuts the stream in the middle of a tool call; a later attempt does neither |
//! | `<<hang>>` | says no more |

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

const VERBS: &str = "say, exactly, think, big, bash, background, write, edit, read, tool, slow, status, break, torn, torncall, \
                     hang";

/// One thing to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Say(String),
    /// Says something that nothing is added to.
    Exactly(String),
    Think(String),
    Big(usize),
    Call(Call),
    Slow(Duration),
    Status(Status),
    /// Cuts the stream: always, or so many times.
    Break(Option<u32>),
    /// Cuts the stream in the middle of something that is said only in this attempt.
    Torn(Torn),
    Hang,
}

/// An attempt that breaks off in the middle of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// How often; `None` is for ever.
    pub times: Option<u32>,
    pub text: String,
    /// The text is whole, and a tool call after it is not.
    pub in_call: bool,
}

/// A tool to call, in no harness's words.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Bash(String),
    Background(String),
    Write { path: String, text: String },
    Edit { path: String, old: String, new: String },
    Read { path: String },
    Tool { name: String, input: Value },
}

/// An answer that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub code: u16,
    /// How often, before it succeeds; `None` is for ever.
    pub times: Option<u32>,
    pub retry_after: Option<u64>,
    /// In how many seconds a used-up plan is whole again.
    pub reset: Option<u64>,
    pub message: Option<String>,
}

/// A directive that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`<<{}>>` is no directive; verbs: {VERBS}", self.0)
    }
}

/// Returns the steps that a text asks for; none when it holds no directive.
pub fn parse(text: &str) -> Result<Vec<Step>, Malformed> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("<<") {
        let (body, after) = close(&rest[start + 2..]);
        steps.push(step(&body).ok_or(Malformed(body))?);
        rest = after;
    }
    Ok(steps)
}

/// Returns the steps between the tool calls: what the model does in each answer, with the call that ends it.
///
/// There is always one more than there are calls. `<<slow>>` holds from where it stands, so later rounds repeat it.
pub fn rounds(steps: Vec<Step>) -> Vec<Vec<Step>> {
    let mut rounds = vec![Vec::new()];
    let mut slow = None;
    for step in steps {
        if let Step::Slow(pause) = &step {
            slow = Some(*pause);
        }
        let ends = matches!(step, Step::Call(_));
        if let Some(round) = rounds.last_mut() {
            round.push(step);
        }
        if ends {
            rounds.push(slow.map(Step::Slow).into_iter().collect());
        }
    }
    rounds
}

/// Cuts a text into what a model sends at once: words, or larger pieces when there are very many.
pub fn deltas(text: &str) -> Vec<&str> {
    const PIECE: usize = 16 * 1024;
    if text.len() > PIECE {
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = (PIECE.min(rest.len())..=rest.len()).find(|end| rest.is_char_boundary(*end));
            let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        return pieces;
    }
    text.split_inclusive(' ').collect()
}

/// Splits at the end of a directive whose beginning was read; without an end it takes everything.
fn close(text: &str) -> (String, &str) {
    let mut body = String::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(">>") {
            return (body, after);
        }
        if let Some(after) = rest.strip_prefix("\\>") {
            body.push('>');
            rest = after;
            continue;
        }
        body.push(character);
        rest = &rest[character.len_utf8()..];
    }
    (body, "")
}

fn step(body: &str) -> Option<Step> {
    let (verb, argument) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    let step = match verb {
        "say" => Step::Say(argument.to_owned()),
        "exactly" => Step::Exactly(argument.to_owned()),
        "think" => Step::Think(argument.to_owned()),
        "big" => Step::Big(size(argument)?),
        "slow" => Step::Slow(Duration::from_millis(argument.trim().trim_end_matches("ms").parse().ok()?)),
        "hang" if argument.trim().is_empty() => Step::Hang,
        "break" => {
            let (options, rest) = options(argument);
            if !rest.is_empty() {
                return None;
            }
            Step::Break(number(&options, "times")?.map(u32::try_from).transpose().ok()?)
        }
        "torn" | "torncall" => {
            let (options, text) = options(argument);
            let times = number(&options, "times")?.map(u32::try_from).transpose().ok()?;
            Step::Torn(Torn { times, text: text.to_owned(), in_call: verb == "torncall" })
        }
        "status" => Step::Status(status(argument)?),
        _ => Step::Call(call(verb, argument)?),
    };
    Some(step)
}

fn call(verb: &str, argument: &str) -> Option<Call> {
    if argument.is_empty() {
        return None;
    }
    let call = match verb {
        "bash" => Call::Bash(argument.to_owned()),
        "background" => Call::Background(argument.to_owned()),
        "read" => Call::Read { path: argument.trim().to_owned() },
        "write" => {
            let (path, text) = word(argument)?;
            Call::Write { path, text: text.to_owned() }
        }
        "edit" => {
            let (path, rest) = word(argument)?;
            let (old, rest) = word(rest)?;
            let (new, _) = word(rest)?;
            Call::Edit { path, old, new }
        }
        "tool" => {
            let (name, input) = word(argument)?;
            let input = match input.trim() {
                "" => json!({}),
                input => serde_json::from_str(input).ok()?,
            };
            Call::Tool { name, input }
        }
        _ => return None,
    };
    Some(call)
}

fn status(argument: &str) -> Option<Status> {
    let (code, rest) = word(argument)?;
    let (options, message) = options(rest);
    Some(Status {
        code: code.parse().ok().filter(|code| (400..600).contains(code))?,
        times: number(&options, "times")?.map(u32::try_from).transpose().ok()?,
        retry_after: number(&options, "retry-after")?,
        reset: number(&options, "reset")?,
        message: (!message.is_empty()).then(|| message.to_owned()),
    })
}

/// Returns the leading `name=value` words, and what follows them.
fn options(text: &str) -> (Vec<(&str, &str)>, &str) {
    let mut options = Vec::new();
    let mut rest = text.trim();
    loop {
        let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Some(option) = first.split_once('=') else { return (options, rest) };
        options.push(option);
        rest = after.trim_start();
    }
}

/// Returns the number of an option; `None` outside when it is no number.
#[allow(clippy::option_option)] // Absent and senseless are two things here.
fn number(options: &[(&str, &str)], wanted: &str) -> Option<Option<u64>> {
    match options.iter().find(|(name, _)| *name == wanted) {
        Some((_, value)) => value.parse().ok().map(Some),
        None => Some(None),
    }
}

/// Returns the first word, which may be quoted, and what follows it after one space.
fn word(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (word, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => match text.find(char::is_whitespace) {
            Some(end) => text.split_at(end),
            None => (text, ""),
        },
    };
    let rest = rest.strip_prefix(char::is_whitespace).unwrap_or(rest);
    (!word.is_empty() || text.starts_with('"')).then(|| (word.to_owned(), rest))
}

fn size(text: &str) -> Option<usize> {
    let text = text.trim();
    let (digits, factor) = match (text.strip_suffix('k'), text.strip_suffix('m')) {
        (Some(digits), _) => (digits, 1024),
        (_, Some(digits)) => (digits, 1024 * 1024),
        (None, None) => (text, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Step {
        let mut steps = parse(text).unwrap();
        assert_eq!(steps.len(), 1, "{steps:?}");
        steps.remove(0)
    }

    #[test]
    fn the_text_around_directives_is_ignored() {
        let steps = parse("please <<say a>> and <<say b>>.").unwrap();
        assert_eq!(steps, [Step::Say("a".into()), Step::Say("b".into())]);
        assert_eq!(parse("no script, 1 << 2").map(|steps| steps.len()).ok(), None);
        assert_eq!(parse("no script").unwrap(), []);
    }

    #[test]
    fn a_single_angle_bracket_is_part_of_a_command_and_two_can_be_escaped() {
        assert_eq!(one("<<bash echo hi > f>>"), Step::Call(Call::Bash("echo hi > f".into())));
        assert_eq!(one(r"<<bash echo hi \>\> f>>"), Step::Call(Call::Bash("echo hi >> f".into())));
    }

    #[test]
    fn files_are_written_and_edited_by_words() {
        let write = Call::Write { path: "a b".into(), text: "two words\n".into() };
        assert_eq!(one("<<write \"a b\" two words\n>>"), Step::Call(write));
        let edit = Call::Edit { path: "f".into(), old: "o ne".into(), new: "two".into() };
        assert_eq!(one("<<edit f \"o ne\" two>>"), Step::Call(edit));
        assert!(parse("<<edit f old>>").is_err());
    }

    #[test]
    fn a_tool_has_json_input_or_none() {
        let call = |input| Step::Call(Call::Tool { name: "whoami".into(), input });
        assert_eq!(one("<<tool whoami>>"), call(json!({})));
        assert_eq!(one(r#"<<tool whoami {"a": 1}>>"#), call(json!({"a": 1})));
        assert!(parse("<<tool whoami {oops>>").is_err());
    }

    #[test]
    fn a_status_says_how_often_and_what_with() {
        let Step::Status(status) = one("<<status 429 times=2 retry-after=3 reset=60 slow down>>") else {
            panic!("a status");
        };
        assert_eq!(
            (status.code, status.times, status.retry_after, status.reset),
            (429, Some(2), Some(3), Some(60))
        );
        assert_eq!(status.message.as_deref(), Some("slow down"));
        assert!(matches!(one("<<status 500>>"), Step::Status(Status { times: None, message: None, .. })));
        assert!(parse("<<status 200>>").is_err());
        assert!(parse("<<status 500 times=x>>").is_err());
        assert_eq!(one("<<break times=1>>"), Step::Break(Some(1)));
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(one("<<big 2k>>"), Step::Big(2048));
        assert_eq!(one("<<big 1m>>"), Step::Big(1024 * 1024));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let error = parse("<<dance>>").unwrap_err().to_string();
        assert!(error.starts_with("`<<dance>>` is no directive"), "{error}");
    }

    #[test]
    fn a_round_ends_with_its_call_and_slowness_goes_on() {
        let rounds = rounds(parse("<<slow 5>><<say a>><<bash x>><<say b>>").unwrap());
        let slow = Step::Slow(Duration::from_millis(5));
        let call = Step::Call(Call::Bash("x".into()));
        assert_eq!(
            rounds,
            [vec![slow.clone(), Step::Say("a".into()), call], vec![slow, Step::Say("b".into())]]
        );
    }

    #[test]
    fn deltas_make_up_the_text_again() {
        let long = "ä".repeat(40_000);
        for text in ["one two  three", "", &long] {
            assert_eq!(deltas(text).concat(), text);
        }
        assert_eq!(deltas("one two"), ["one ", "two"]);
        assert!(deltas(&long).len() < 10);
    }
}
