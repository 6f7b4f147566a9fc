//! What was measured, as a table.

use std::fmt::Write as _;

/// One line of the table.
pub(crate) struct Row {
    pub(crate) name: String,
    /// What was measured.
    pub(crate) measured: String,
    /// What it is compared with: something measured in the same run, or a fixed bar.
    pub(crate) against: String,
    pub(crate) verdict: Verdict,
}

/// How a row came out.
pub(crate) enum Verdict {
    Judged {
        ratio: f64,
        limit: Limit,
    },
    /// It was not measured.
    Skipped,
    /// It could not be measured.
    Broken,
}

/// The bar for a ratio.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
    Below(f64),
}

impl Row {
    /// Makes a row that compares two measurements of the same run.
    pub(crate) fn ratio(
        name: &str,
        measured: impl Into<String>,
        against: impl Into<String>,
        ratio: f64,
        limit: Limit,
    ) -> Self {
        let verdict = Verdict::Judged { ratio, limit };
        Self { name: name.to_owned(), measured: measured.into(), against: against.into(), verdict }
    }

    /// Makes a row with a fixed bar that must not be exceeded.
    pub(crate) fn bar(name: &str, measured: f64, bar: f64, unit: &str) -> Self {
        Self::ratio(
            name,
            format!("{measured:.1} {unit}"),
            format!("{bar} {unit}"),
            measured / bar,
            Limit::AtMost(1.0),
        )
    }

    /// Makes a row that was not measured.
    pub(crate) fn skipped(name: &str, why: &str) -> Self {
        let verdict = Verdict::Skipped;
        Self { name: name.to_owned(), measured: why.to_owned(), against: "-".to_owned(), verdict }
    }

    /// Makes a row for a measurement that failed.
    pub(crate) fn broken(name: &str, why: &str) -> Self {
        let verdict = Verdict::Broken;
        Self { name: name.to_owned(), measured: why.to_owned(), against: "-".to_owned(), verdict }
    }

    /// Says whether the row misses its bar.
    pub(crate) fn failed(&self) -> bool {
        match self.verdict {
            Verdict::Judged { ratio, limit } => !limit.holds(ratio),
            Verdict::Skipped => false,
            Verdict::Broken => true,
        }
    }

    fn cells(&self) -> [String; 6] {
        let (ratio, limit, result) = match &self.verdict {
            Verdict::Judged { ratio, limit } => {
                let result = if self.failed() { "FAIL" } else { "pass" };
                (format!("{ratio:.2}"), limit.to_string(), result)
            }
            Verdict::Skipped => ("-".to_owned(), "-".to_owned(), "skipped"),
            Verdict::Broken => ("-".to_owned(), "-".to_owned(), "FAIL"),
        };
        [self.name.clone(), self.measured.clone(), self.against.clone(), ratio, limit, result.to_owned()]
    }
}

impl Limit {
    fn holds(self, ratio: f64) -> bool {
        match self {
            Self::AtMost(limit) => ratio <= limit,
            Self::AtLeast(limit) => ratio >= limit,
            Self::Below(limit) => ratio < limit,
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtMost(limit) => write!(f, "≤ {limit}"),
            Self::AtLeast(limit) => write!(f, "≥ {limit}"),
            Self::Below(limit) => write!(f, "< {limit}"),
        }
    }
}

const HEADINGS: [&str; 6] = ["row", "measured", "against", "ratio", "limit", "result"];

/// Lays the rows out as a Markdown table that is also readable as it is.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    let widths: Vec<usize> = (0..HEADINGS.len())
        .map(|column| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, cells) in lines.iter().enumerate() {
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if number == 0 {
            widths.iter().for_each(|width| {
                let _ = write!(text, "|{}", "-".repeat(width + 2));
            });
            text.push_str("|\n");
        }
    }
    text
}

/// Lays out the file of results.
pub(crate) fn page(machine: &str, table: &str) -> String {
    format!("{INTRODUCTION}\n## Machine\n\n{machine}\n## Results\n\n{table}\n{NOTES}")
}

const INTRODUCTION: &str = "\
# Measured

Written by `make bench`. Each ratio is what was *measured* divided by what it is held *against*, which is either a
yardstick from the same run or a fixed bar. Numbers of different machines do not compare; ratios do.
";

const NOTES: &str = "\
## What is measured

- **ls**: from the start of the process to its end, output to `/dev/null`, median of 31 runs that alternate with `node`.
  Peak memory is `VmHWM` as last seen before the end, the highest of 5 runs.
- **idle**: `VmRSS` after a minute without requests. Context switches are those of all threads, voluntary or not; the
  worse of a daemon without sessions and one with 10,000. The index of words counts as done: a log from before there was
  one is taken in once, in the background.
- **boot**: from the start of the process to its report that it answers, median of 9; the file is in the page cache.
  All 10,000 sessions are open and idle; of 1,000,000 events, 20 in 100 are control events, the others items with text.
- **appends**: each writer appends one event after the other to a session of its own and waits for each to be
  acknowledged, with an idempotency key, the version it expects, and the head folded by the real rules. The *bare log*
  keeps none of these promises: one SQLite table without an index, rows as long as ours (seq, stream, version, id, ts,
  actor, kind, v, data), the same pragmas (WAL, `synchronous=FULL`), one thread that drains the same kind of channel
  into one transaction of single-row inserts, and the same kind of acknowledgement to each writer. Both logs are
  measured in turns; the ratio is the median of the ratios of all turns.
- **reading**: requests over one connection to the Unix socket, median; the two sessions are read in turns.
- **streaming**: 300 events a second for 5 seconds to 1,000 connections, nine rounds of each kind in turns, whose order
  turns round each time; a ratio is the median of the ratios of all turns. Latency is from sending the request that
  causes the event to the arrival of the frame, so the daemon's includes the request, the fsync and reading the event
  back. *Bare fan-out* is a process that reads frames of the same bytes from a socket and writes them to 1,000
  connections, those that are behind several at once; it stores nothing. Server and readers share the machine; one
  thread reads for all connections, of either server. What a stalled reader adds is what the daemon grew by in a round
  with it, less what it grew by in the same turn's round without it.
- **stalled readers**: 1,000 connections follow one session and read nothing, while its agent says 100 texts of 1 MB, each
  as live frames of 4 KB and as a stored item; one more reader keeps up, and sees the end. What the daemon grew by is
  `VmHWM` less `VmRSS` before they came, and `VmRSS` a minute after they left less the same.
- **slow clients**: 3,000 TCP connections without a credential: a third have sent half a header, a third half a body, a third
  do not read what they asked for. Each sends another byte every few seconds, and comes back when it was dropped. Medians
  of 51, each over a connection of its own, before they came and while they are there; `ls` is the whole command, the
  tools are the list of an agent's tools over MCP, with its own token. Memory is `VmRSS` less what it was before them.
- **sending**: from the arrival of the receipt, which says that the message is stored, to seeing `turn.handed` on an
  open stream; on a connection that is kept, to a scripted agent that runs already; 20 turns of 10 messages. On the way are a
  process, which gets the message and confirms it, and the fsync of that confirmation. What comes before, from sending
  the request to its receipt, is told beside it. The yardstick is the median of write and `fdatasync` of 4 KB at the end
  of a growing file on the same file system, before and after each turn; the ratio is the median of the ratios of all turns.
- **agents: added time to first token**: from sending a message to the first piece of the answer, to the real claude and
  codex with a scripted model behind them, which answers at once; median of 20 turns of a process that runs already.
  The yardstick is the same turn by the harness's own protocol, written to and read from its pipes by the bench: what is
  added is the difference. Both take turns, each in a conversation of its own that grows alike.
- **agents: daemon memory per live session**: `VmRSS` of the daemon with 8 more scripted sessions, each with a process and
  an answered message, less `VmRSS` before, divided by 8. One session came before, which is not counted. What the
  session's shim has, a process of its own, is told beside it.
- **agents: 50 streaming**: 50 scripted sessions that say 20 words a second each, one item each second, with a reader of
  the stream for each session, over 10 seconds. The daemon's time of a processor is `utime` and `stime`. Afterwards every
  transcript is read: an item that is missing, twice or not in its place counts as wrong.
- **talking**: 200 scripted sessions, each with a process; 100 of them write to the 100 others, 200 messages a second in
  all. From the event that a message was accepted to the event that its agent has it, as one reader of the stream sees
  both.
- **threads**: the state of a thread with 10 events and of one with 1,000,000, read in turns over one connection, median.
  16 writers post over connections of their own for a minute, 20 messages a second each at most; 100 readers follow the
  thread, and what each of them saw is compared, place by place, with what is stored; what a writer was told is stored
  must be there, in the order in which it was said.
- **threads: an answer while three are busy elsewhere**: from sending a message to a scripted agent that runs already to
  seeing its answer in the thread, one every 60 ms; median of 125, in five turns with nothing else going on and five
  between them with three agents at work in another thread. Each of those says 40 words a second, an item and a call of
  a tool every half second, and works from before the first of these answers until after the last. They need next to no
  time of a processor themselves: agents that did would show how the machine shares its processors, not whether the
  daemon delays its clients.
- **teams**: 10,000 tasks leased for an hour, in ten teams; beside them 100 whose leases end within four seconds.
  From the time that a lease was to end at to the time of the event that says so, the latest of the 100.
- **history**: all that the page of a team or a thread reads to show one moment of the past, one request after the other over
  one connection: the state, of a team also its tasks, and the entry of the history that led to it. The slowest of 50
  moments, spread evenly over the events.
- **workers**: from the request for a scripted worker to the event that its harness has the task, median of 9: tmux, the
  start of the harness itself, the look whether it listens, typing, and the proof that it took what was typed. A capture is a
  request for the last 1,000 lines of a terminal with more, median of 101.
- **page**: what the daemon sends over TCP to a browser that takes gzip; a file of 1 KB or more that is not compressed
  breaks the row. The first page is the inbox with a request and finished agents, and all scripts that a browser loads
  until none has come for four seconds. The whole app is every script and every style sheet of it.
- **web**: headless Chromium with a window of 1280 × 800, on the machine of the daemon. Long transcripts have 100,000 items:
  of ten, one is a message, one a thought, six are calls and their results, two are answers, one of them in Markdown with
  code and a table. A time begins with the event of the click or the key, by its own time stamp, and ends after the frame
  that shows what is wanted. *Open* goes from the list of agents to the end of the transcript, in view, or to the inbox
  with its 50 cards and its finished agents, for the 2nd to 12th time. *Load* begins with the navigation, and its bar is
  no promise of the design but what keeps it from growing. *Jump* goes from pressing Enter in *Find in this conversation*
  to the answer in view, ten times, far from what was read.
- **web: from a request's event to its card**: from the time in the log to the frame with the card, the slowest of 20
  requests in an inbox with 50 others, and 20 in one with none or one. *Layout shift* is the sum of the browser's own `layout-shift` values until
  half a second after the card; the worst of five requests at each of seven places: an inbox without and with a request, on
  a desktop and on a phone, the list of agents, and the agent that asks, on a desktop and on a phone; and of the 20 above.
- **web: following**: an agent says 50 things a second, one in ten a thought, the others Markdown; the page shows the end of
  its transcript, and shows it still when the agent has ended. The heap is what is in use after garbage was collected. The
  time is that of a processor, for all threads of the browser's processes that draw pages, as the browser counts it
  (`cpuTime` of `SystemInfo.getProcessInfo`).
";
