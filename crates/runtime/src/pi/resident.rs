//! Pi in a terminal: how it is started there, when it listens, and where our extension writes down what happens.
//!
//! Pi's own file of a conversation would not do: nothing is in it before the model has answered, and it does not say
//! when a turn is over.

use std::path::PathBuf;

use super::our_home;
use super::record::Record;
use super::spawn::{self, Ground};
use crate::provider::{Launch, StartError};
use crate::terminal::resident::{self, Boarding, Screen, Seen};
use crate::terminal::screen;

/// What stands before what is chosen from a list.
const POINTER: char = '→';

/// One conversation in a terminal.
#[derive(Debug)]
pub(super) struct Resident {
    file: PathBuf,
    record: Record,
}

impl Resident {
    pub(super) fn new(launch: &Launch) -> Result<Self, StartError> {
        let file = PathBuf::from(our_home(launch)?).join("pi").join(format!("{}.jsonl", launch.session));
        Ok(Self { file, record: Record::new() })
    }

    /// Says how it is started.
    pub(super) fn boarding(&self, launch: &Launch, ground: Ground<'_>) -> Result<Boarding, StartError> {
        let ground = Ground { record: Some(&self.file), ..ground };
        spawn::program(launch, &ground).map(Boarding::from)
    }
}

impl resident::Resident for Resident {
    fn readiness(&self, screen: &str) -> Screen {
        let lines = screen::lines(screen);
        let mut borders = lines.iter().enumerate().rev().filter(|(_, line)| screen::is_border(line));
        let (Some((end, _)), Some((begin, _))) = (borders.next(), borders.next()) else {
            return Screen::NotYet;
        };
        let between = &lines[begin + 1..end];
        if between.iter().any(|line| line.trim_start().starts_with(POINTER)) {
            return Screen::Asks(screen::words(between));
        }
        // Below stands where it works: until then the screen is not whole.
        let below = lines[end + 1..].iter().any(|line| !line.trim().is_empty());
        if below && !between.is_empty() { Screen::Ready } else { Screen::NotYet }
    }

    fn in_line(&self, screen: &str) -> Option<String> {
        let lines = screen::lines(screen);
        let mut borders = lines.iter().enumerate().rev().filter(|(_, line)| screen::is_border(line));
        let ((end, _), (begin, _)) = (borders.next()?, borders.next()?);
        screen::typed(&lines[begin + 1..end], &[])
    }

    fn session_file(&self) -> Option<PathBuf> {
        self.file.is_file().then(|| self.file.clone())
    }

    fn line(&mut self, line: &str) -> Vec<Seen> {
        self.record.line(line)
    }
}
