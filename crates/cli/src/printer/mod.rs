//! All output: data to stdout, everything else to stderr.

mod code;
mod grid;
mod growing;
mod ink;
mod live;
mod markdown;
mod patience;
mod redraw;
mod safe;
mod screen;
mod table;
mod time;
mod wrap;

use std::io::{self, IsTerminal, Write};

use paseo_wire::error::Exit;
use paseo_wire::session::Candidate;
use rustix::fd::AsFd;
use rustix::fs::FileType;
use serde::Serialize;

pub(crate) use growing::Look;
pub(crate) use ink::Row;
pub(crate) use live::Live;
pub(crate) use patience::patiently;
pub(crate) use redraw::Redraw;
pub(crate) use safe::{block, line, uncoloured};
pub(crate) use screen::Screen;
pub(crate) use table::{Column, Table, truncate};
pub(crate) use time::{clock, lasted, limit, relative};
pub(crate) use wrap::{hanging, wrapped};

use crate::args::Output;
use crate::environment;
use crate::failure::Failure;

/// Knows both streams and how much is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    out: Stream,
    err: Stream,
    mode: Mode,
    verbose: bool,
    /// Texts are shown as they are.
    plain: bool,
}

/// One stream as it was found.
#[derive(Debug, Clone, Copy)]
struct Stream {
    terminal: bool,
    color: bool,
    /// `None`: as wide as it takes.
    width: Option<usize>,
}

/// How much is printed, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Normal,
    Quiet,
    Json,
}

/// How a text stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Blue,
}

impl Stream {
    /// Returns JSON as it is printed here.
    fn json(self, text: String) -> String {
        if self.terminal { safe::json(&text) } else { text }
    }
}

impl Printer {
    /// Looks at both streams.
    pub(crate) fn new(verbose: bool) -> Self {
        let plain = environment::NO_COLOR.value().is_some() || is_dumb();
        let stream = |terminal: bool, width: Option<usize>| Stream {
            terminal,
            color: terminal && !plain,
            width: if terminal { width } else { None },
        };
        let (out, err) = (io::stdout(), io::stderr());
        Self {
            out: stream(out.is_terminal(), columns(&out)),
            err: stream(err.is_terminal(), columns(&err)),
            mode: Mode::Normal,
            verbose,
            plain: false,
        }
    }

    /// Returns the printer for terminals as wide as they are now: people resize them while something is shown.
    pub(crate) fn measured(self) -> Self {
        let now = |stream: Stream, width: Option<usize>| Stream { width: stream.width.and(width), ..stream };
        Self {
            out: now(self.out, columns(&io::stdout())),
            err: now(self.err, columns(&io::stderr())),
            ..self
        }
    }

    /// Returns the printer that a command's flags ask for.
    pub(crate) fn with(self, output: Output) -> Self {
        let mode = match output {
            Output { json: true, .. } => Mode::Json,
            Output { quiet: true, .. } => Mode::Quiet,
            Output { .. } => Mode::Normal,
        };
        Self { mode, ..self }
    }

    /// Returns the printer for JSON, when it is asked for.
    pub(crate) fn json_if(self, json: bool) -> Self {
        self.with(Output { json, quiet: false })
    }

    /// Returns the printer that shows texts as they are, when that is asked for.
    pub(crate) fn plain_if(self, plain: bool) -> Self {
        Self { plain, ..self }
    }

    /// Returns how what agents say looks.
    pub(crate) fn look(&self, dim: bool) -> Look {
        Look { rendered: !self.plain, dim }
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Says whether a person reads along on stderr.
    pub(crate) fn is_watched(&self) -> bool {
        self.err.terminal
    }

    /// Says whether stdout is a terminal that can be commanded.
    pub(crate) fn is_screen(&self) -> bool {
        self.out.terminal && !is_dumb()
    }

    /// Says whether stdout is a file, and not a terminal or the caller's program.
    pub(crate) fn is_kept() -> bool {
        let out = rustix::fs::fstat(io::stdout());
        out.is_ok_and(|out| FileType::from_raw_mode(out.st_mode) == FileType::RegularFile)
    }

    /// Prints text that an agent or a person wrote: as it is into a file or pipe, harmless on a terminal.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        let mut shown = if self.out.terminal { block(text) } else { text.to_owned() };
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
        self.write(&shown)
    }

    /// Prints what an agent said: rendered on a terminal, as it is elsewhere.
    pub(crate) fn answer(&self, text: &str) -> Result<(), Failure> {
        if !self.out.terminal || self.plain {
            return self.text(text);
        }
        // The last column is left alone: terminals differ in when they wrap.
        let width = self.out.width.unwrap_or(80).saturating_sub(1);
        self.rows(&growing::rendered(self.look(false), text, width))
    }

    /// Prints what people wrote: with lines that end between words on a terminal, as it is elsewhere.
    pub(crate) fn prose(&self, text: &str) -> Result<(), Failure> {
        match self.out.width {
            Some(width) if self.out.terminal => {
                let look = Look { rendered: false, dim: false };
                self.rows(&growing::rendered(look, text, width.saturating_sub(1)))
            }
            _ => self.text(text),
        }
    }

    /// Prints one line in a style; on a terminal it ends between words and goes on below.
    pub(crate) fn head(&self, style: Style, text: &str) -> Result<(), Failure> {
        let row = Row::of(style, line(text));
        match self.out.width {
            Some(width) => self.rows(&row.wrapped(width.saturating_sub(1), &Row::default())),
            None => self.rows(&[row]),
        }
    }

    /// Prints rows: harmless on a terminal, as they are elsewhere.
    pub(crate) fn rows(&self, rows: &[Row]) -> Result<(), Failure> {
        let shown = |row: &Row| if self.out.terminal { row.painted(self.out.color) } else { row.plain() };
        self.write(&rows.iter().map(|row| shown(row) + "\n").collect::<String>())
    }

    /// Prints one line; what would break it is escaped. On a terminal it ends between words and goes on below.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        self.styled(&[(Style::Plain, text)])
    }

    /// Prints a line made of styled parts; each part is made harmless. On a terminal it ends between words and goes on
    /// below.
    pub(crate) fn styled(&self, parts: &[(Style, &str)]) -> Result<(), Failure> {
        let mut row = Row::default();
        parts.iter().for_each(|(style, text)| row.push((*style).into(), &line(text)));
        match self.out.width {
            Some(width) => self.rows(&row.folded(width)),
            None => self.rows(&[row]),
        }
    }

    /// Returns a text as lines that end between words and leave room on the terminal for so many columns.
    pub(crate) fn wrapped(&self, text: &str, beside: usize) -> Vec<String> {
        match self.out.width {
            Some(width) => wrapped(text, width.saturating_sub(beside)),
            None => vec![text.to_owned()],
        }
    }

    /// Prints a table that fits the terminal.
    pub(crate) fn table<const N: usize>(&self, table: &Table<N>) -> Result<(), Failure> {
        self.write(&table.render(self.out.width, self.out.color))
    }

    /// Returns a table as it would be printed.
    pub(crate) fn rendered<const N: usize>(&self, table: &Table<N>) -> String {
        table.render(self.out.width, self.out.color)
    }

    /// Returns one line in a style, as it would be printed.
    pub(crate) fn painted(&self, style: Style, text: &str) -> String {
        paint(self.out.color, style, &line(text)) + "\n"
    }

    /// Prints lines that were rendered before.
    pub(crate) fn block(&self, rendered: &str) -> Result<(), Failure> {
        self.write(rendered)
    }

    /// Prints one JSON object on one line, harmless on a terminal.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value)
            .map_err(|error| Failure::new(Exit::AgentError, format!("cannot write JSON: {error}")))?;
        self.write(&(self.out.json(text) + "\n"))
    }

    /// Passes bytes through to stdout.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        if self.out.terminal {
            return self.write(&block(&String::from_utf8_lossy(bytes)));
        }
        let mut out = io::stdout().lock();
        Ok(out.write_all(bytes).and_then(|()| out.flush())?)
    }

    /// Tells something on stderr, unless quiet.
    pub(crate) fn note(&self, text: &str) {
        if self.mode != Mode::Quiet {
            self.tell(&(self.fitting(&line(text)) + "\n"));
        }
    }

    /// Tells a line of code on stderr, unless quiet: it is never broken.
    pub(crate) fn quote(&self, text: &str) {
        if self.mode != Mode::Quiet {
            self.tell(&(line(text) + "\n"));
        }
    }

    /// Warns on stderr, even when quiet: what was asked for is done, and something is wrong.
    pub(crate) fn warn(&self, text: &str, hint: Option<&str>) {
        let beside = |text: &str| self.beside("warning: ".len(), &line(text));
        let mut told = format!("{} {}\n", paint(self.err.color, Style::Yellow, "warning:"), beside(text));
        if let Some(hint) = hint {
            told.push_str(&format!("{} {}\n", paint(self.err.color, Style::Dim, "   hint:"), beside(hint)));
        }
        self.tell(&told);
    }

    /// Says whether progress is wanted on stderr: a program that reads JSON finds nothing there but a failure, unless
    /// it wants more.
    pub(crate) fn tells_progress(&self) -> bool {
        match self.mode {
            Mode::Normal => true,
            Mode::Json => self.err.terminal || self.verbose,
            Mode::Quiet => false,
        }
    }

    /// Tells something on stderr in a low voice, unless quiet.
    pub(crate) fn aside(&self, text: &str) {
        if self.tells_progress() {
            self.tell(&(paint(self.err.color, Style::Dim, &self.beside(0, &line(text))) + "\n"));
        }
    }

    /// Tells something on stderr in a low voice while [`patiently`] may be showing a sign.
    pub(crate) fn interject(&self, text: &str) {
        if self.err.terminal && self.tells_progress() {
            self.tell("\r\x1b[K");
        }
        self.aside(text);
    }

    /// Tells that the daemon went away and is waited for.
    pub(crate) fn lost(&self) {
        if self.mode != Mode::Quiet {
            self.tell(&(paint(self.err.color, Style::Dim, "connection lost, retrying") + "\n"));
        }
    }

    /// Tells something on stderr when more is wanted.
    pub(crate) fn detail(&self, text: &str) {
        if self.verbose {
            self.tell(&(self.beside(0, &line(text)) + "\n"));
        }
    }

    /// Says whether a person reads both streams on one screen.
    pub(crate) fn is_one_screen(&self) -> bool {
        self.out.terminal && self.err.terminal
    }

    /// Ends a line on stderr.
    pub(crate) fn end_line(&self) {
        self.tell("\n");
    }

    /// Tells why a command failed.
    pub(crate) fn failure(&self, failure: &Failure) {
        if failure.message.is_empty() {
            return;
        }
        if self.mode == Mode::Json
            && let Ok(text) = serde_json::to_string(&failure.view())
        {
            return self.tell(&(self.err.json(text) + "\n"));
        }
        let message = block(&failure.message);
        let mut lines = message.trim_end().lines();
        let first = self.beside("error: ".len(), lines.next().unwrap_or_default());
        let mut text = format!("{} {first}\n", paint(self.err.color, Style::Red, "error:"));
        lines.for_each(|line| text.push_str(&(self.fitting(&format!("  {line}")) + "\n")));
        if let Some(hint) = &failure.hint {
            let hint = self.beside(" hint: ".len(), &line(hint));
            text.push_str(&format!("{} {hint}\n", paint(self.err.color, Style::Dim, " hint:")));
        }
        text.push_str(&self.candidates(&failure.candidates));
        self.tell(&text);
    }

    /// Tells what is wrong with a command line. What fits is in the parser's own colours.
    pub(crate) fn misread(&self, error: &clap::Error) {
        let plain = error.render().to_string();
        let fitting: Vec<String> = plain.lines().map(|line| self.fitting(line)).collect();
        match fitting.iter().zip(plain.lines()).all(|(fitting, line)| fitting == line) {
            true => drop(error.print()),
            false => self.tell(&(fitting.join("\n") + "\n")),
        }
    }

    /// Returns a text that goes on below itself, after so many columns, where the terminal of stderr ends.
    fn beside(&self, columns: usize, text: &str) -> String {
        match self.err.width {
            Some(width) => {
                wrapped(text, width.saturating_sub(columns)).join(&format!("\n{}", " ".repeat(columns)))
            }
            None => text.to_owned(),
        }
    }

    /// Returns a line as lines that fit the terminal of stderr and keep its indentation.
    fn fitting(&self, line: &str) -> String {
        match self.err.width {
            Some(width) => wrap::indented(line, width).join("\n"),
            None => line.to_owned(),
        }
    }

    /// Lists what could have been meant, under the failure.
    fn candidates(&self, candidates: &[Candidate]) -> String {
        let mut table = Table::new([Column::fixed(""), Column::fixed(""), Column::flexible("")]);
        for candidate in candidates {
            table.row([
                (Style::Bold, candidate.handle.clone()),
                (status_style(candidate.status.as_str()), candidate.status.to_string()),
                (Style::Plain, candidate.name.clone().unwrap_or_default()),
            ]);
        }
        let table = table.render(self.err.width.map(|width| width.saturating_sub(7)), self.err.color);
        table.lines().map(|row| format!("       {row}\n")).collect()
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
    }

    /// What cannot be told on stderr cannot be complained about either.
    fn tell(&self, text: &str) {
        io::stderr().lock().write_all(text.as_bytes()).ok();
    }
}

/// Returns how a status stands out.
pub(crate) fn status_style(status: &str) -> Style {
    match status {
        "running" | "starting" => Style::Green,
        "waiting" => Style::Yellow,
        "error" | "interrupted" => Style::Red,
        "closed" => Style::Dim,
        _ => Style::Plain,
    }
}

fn paint(color: bool, style: Style, text: &str) -> String {
    let code = match style {
        Style::Plain => return text.to_owned(),
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Red => "31",
        Style::Green => "32",
        Style::Yellow => "33",
        Style::Blue => "34",
    };
    if color && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

fn is_dumb() -> bool {
    environment::TERM.value().is_some_and(|terminal| terminal == "dumb")
}

/// Returns the terminal's columns and rows.
pub(crate) fn size() -> (usize, usize) {
    let of = |stream: &dyn AsFd| rustix::termios::tcgetwinsize(stream.as_fd()).ok();
    let size = of(&io::stdout()).or_else(|| of(&io::stderr()));
    let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    size.map_or((80, 24), |size| (usize::from(size.ws_col), usize::from(size.ws_row)))
}

fn columns(stream: &impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}
