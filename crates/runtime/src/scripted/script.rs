//! The little language of the scripted provider. Pure: text in, steps out.

use std::fmt;
use std::time::Duration;

use paseo_core::permission::form::{Choice, Question};
use serde_json::Value;

use crate::slash::SlashCommand;

/// The largest text that still fits into one protocol line.
const SPEW_LIMIT: usize = 60 * 1024 * 1024;
const BIG_LINE_LIMIT: usize = 1024 * 1024 * 1024;
const VERBS: &str = "say, stream, think, tool, sh, ask, asks, choose, secret, form, link, plan, offer, wait, fail, limit, hang, crash, spew, usage, garbage, big-line";

/// One thing to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Say(String),
    Stream {
        delay: Duration,
        text: String,
    },
    Think(String),
    Tool {
        name: String,
        input: Value,
    },
    Shell(String),
    Ask(String),
    /// Several questions at once.
    Asks(Vec<String>),
    /// Questions with options.
    Choose(Vec<Question>),
    /// Fields to fill in, by the schema that an MCP server would send.
    Form(Value),
    /// An address to visit.
    Link(String),
    /// A plan that a person approves.
    Plan(String),
    /// The commands that messages can begin with.
    Offer(Vec<SlashCommand>),
    Wait(Duration),
    Fail(String),
    /// A limit is reached, for so long.
    Limit(Duration),
    Hang,
    Crash(Crash),
    Spew(usize),
    Usage {
        input: u64,
        output: u64,
    },
    Garbage,
    BigLine(usize),
}

/// How the process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crash {
    Exit(u8),
    Kill,
}

/// A directive that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed {
    directive: String,
    reason: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { directive, reason } = self;
        write!(f, "`{directive}`: {reason}. A directive is `<<verb argument>>`; verbs: {VERBS}")
    }
}

/// Returns the steps that a text asks for; none when it holds no directive.
pub(super) fn parse(text: &str) -> Result<Vec<Step>, Malformed> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("<<") {
        let (before, directive) = rest.split_at(start);
        if before.ends_with('\\') {
            rest = directive.trim_start_matches('<');
            continue;
        }
        let (body, after) = close(directive)?;
        steps.push(step(&body)?);
        rest = after;
    }
    Ok(steps)
}

/// A script file: what to do in each turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StartFile {
    sections: Vec<Vec<Step>>,
}

impl StartFile {
    /// Parses sections separated by lines of `---`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut texts = vec![String::new()];
        for line in text.lines() {
            if line.trim_end() == "---" {
                texts.push(String::new());
            } else if let Some(section) = texts.last_mut() {
                section.push_str(line);
                section.push('\n');
            }
        }
        let sections = texts.iter().zip(1..).map(|(text, number)| match parse(text) {
            Ok(steps) if steps.is_empty() => Err(format!("section {number} has no directive")),
            Ok(steps) => Ok(steps),
            Err(malformed) => Err(format!("section {number}: {malformed}")),
        });
        Ok(Self { sections: sections.collect::<Result<_, _>>()? })
    }

    /// Returns the steps of a turn, counted from 1; the last section repeats.
    pub(super) fn section(&self, turn: u64) -> &[Step] {
        let index = usize::try_from(turn.saturating_sub(1)).unwrap_or(usize::MAX);
        self.sections.get(index).or(self.sections.last()).map_or(&[], Vec::as_slice)
    }
}

/// Splits `<<body>>rest`. In the body `\>` stands for `>`.
fn close(text: &str) -> Result<(String, &str), Malformed> {
    let inner = text.strip_prefix("<<").unwrap_or(text);
    let mut body = String::new();
    let mut characters = inner.char_indices().peekable();
    while let Some((index, character)) = characters.next() {
        match (character, characters.peek()) {
            ('>', Some((_, '>'))) => return Ok((body, &inner[index + 2..])),
            ('\\', Some((_, '>'))) => {
                characters.next();
                body.push('>');
            }
            _ => body.push(character),
        }
    }
    let directive = text.chars().take(80).collect();
    Err(Malformed { directive, reason: "missing `>>`".to_owned() })
}

fn step(body: &str) -> Result<Step, Malformed> {
    let body = body.trim();
    let (verb, argument) = split_word(body);
    read(verb, argument).map_err(|reason| {
        let directive = format!("<<{}>>", body.chars().take(80).collect::<String>());
        Malformed { directive, reason }
    })
}

fn read(verb: &str, argument: &str) -> Result<Step, String> {
    let text = || match argument {
        "" => Err(format!("`{verb}` needs a text after it, as in `<<{verb} …>>`")),
        text => Ok(text.to_owned()),
    };
    let nothing = |step| match argument {
        "" => Ok(step),
        _ => Err(format!("{verb} takes no argument")),
    };
    match verb {
        "say" => text().map(Step::Say),
        "stream" => stream(argument),
        "think" => text().map(Step::Think),
        "tool" => tool(argument),
        "sh" => text().map(Step::Shell),
        "ask" => text().map(Step::Ask),
        "choose" => text()?.split("||").map(question).collect::<Result<_, _>>().map(Step::Choose),
        "secret" => text().map(|text| {
            Step::Choose(vec![Question { text, open: true, secret: true, ..Question::default() }])
        }),
        "form" => serde_json::from_str(argument)
            .map(Step::Form)
            .map_err(|error| format!("the schema is not JSON: {error}")),
        "link" => text().map(Step::Link),
        "plan" => text().map(Step::Plan),
        "offer" => text().map(|text| Step::Offer(text.split('|').map(command).collect())),
        "asks" => text().map(|text| Step::Asks(text.split('|').map(|one| one.trim().to_owned()).collect())),
        "wait" => milliseconds(argument).map(Step::Wait),
        "fail" => text().map(Step::Fail),
        "limit" => milliseconds(argument).map(Step::Limit),
        "hang" => nothing(Step::Hang),
        "crash" => crash(argument).map(Step::Crash),
        "spew" => bytes(argument, SPEW_LIMIT).map(Step::Spew),
        "usage" => usage(argument),
        "garbage" => nothing(Step::Garbage),
        "big-line" => bytes(argument, BIG_LINE_LIMIT).map(Step::BigLine),
        _ => Err("unknown verb".to_owned()),
    }
}

fn stream(argument: &str) -> Result<Step, String> {
    let (first, rest) = split_word(argument);
    let digits = first.strip_suffix("ms").filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let (delay, text) = match digits {
        Some(digits) if !digits.is_empty() => (milliseconds(digits)?, rest),
        _ => (Duration::ZERO, argument),
    };
    if text.is_empty() {
        return Err("`stream` needs a text after it, as in `<<stream …>>`".to_owned());
    }
    Ok(Step::Stream { delay, text: text.to_owned() })
}

fn tool(argument: &str) -> Result<Step, String> {
    let (name, input) = split_word(argument);
    if name.is_empty() {
        return Err("tool needs a name".to_owned());
    }
    let input = if input.is_empty() { "{}" } else { input };
    let input = serde_json::from_str(input).map_err(|error| format!("the input is not JSON: {error}"))?;
    Ok(Step::Tool { name: name.to_owned(), input })
}

fn crash(argument: &str) -> Result<Crash, String> {
    match argument {
        "" => Ok(Crash::Exit(70)),
        "KILL" => Ok(Crash::Kill),
        code => code
            .parse()
            .map(Crash::Exit)
            .map_err(|_| format!("`{code}` is neither KILL nor a code up to 255")),
    }
}

fn usage(argument: &str) -> Result<Step, String> {
    let (input, output) = split_word(argument);
    let tokens = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number of tokens"));
    Ok(Step::Usage { input: tokens(input)?, output: tokens(output)? })
}

/// Reads `Which color? | blue: as the sky | red`. An option may end with ` ~ ` and a preview. Several options answer a question with a `*` behind it.
fn question(text: &str) -> Result<Question, String> {
    let mut parts = text.split('|').map(str::trim);
    let asked = parts.next().unwrap_or_default();
    let option = |part: &str| {
        let (part, preview) = part.split_once(" ~ ").unwrap_or((part, ""));
        let (label, description) = part.split_once(": ").unwrap_or((part, ""));
        let preview = preview.replace("\\n", "\n");
        Choice { label: label.to_owned(), description: description.to_owned(), preview }
    };
    let options: Vec<Choice> = parts.filter(|part| !part.is_empty()).map(option).collect();
    if asked.is_empty() || options.is_empty() {
        return Err("expected a question and its options, for example `Which color? | blue | red`".to_owned());
    }
    let (text, multiple) = asked.strip_suffix('*').map_or((asked, false), |asked| (asked.trim_end(), true));
    Ok(Question { text: text.to_owned(), options, multiple, open: true, ..Question::default() })
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .map(Duration::from_millis)
        .map_err(|_| format!("`{text}` is not a number of milliseconds, for example 500"))
}

fn bytes(text: &str, limit: usize) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'm']) {
        Some(digits) if text.ends_with('k') => (digits, 1024),
        Some(digits) => (digits, 1024 * 1024),
        None => (text, 1),
    };
    let count: usize = digits.parse().map_err(|_| format!("`{text}` is not a number of bytes"))?;
    count
        .checked_mul(unit)
        .filter(|bytes| *bytes <= limit)
        .ok_or_else(|| format!("`{text}` is more than {}m", limit / (1024 * 1024)))
}

fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;

/// Reads a command: `name: description`.
fn command(text: &str) -> SlashCommand {
    let (name, description) = text.split_once(':').map_or((text, None), |(name, about)| (name, Some(about)));
    let description = description.map(|about| about.trim().to_owned());
    SlashCommand { name: name.trim().to_owned(), description, hint: None }
}
