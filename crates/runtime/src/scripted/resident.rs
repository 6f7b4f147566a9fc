//! The scripted agent in a terminal, as its driver knows it.

use std::path::PathBuf;

use super::front::{Entry, QUESTION, SIGN};
use crate::own_agent::Report;
use crate::provider::Output;
use crate::terminal::resident::{self, Screen, Seen};

/// One conversation in a terminal.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) record: PathBuf,
}

impl resident::Resident for Resident {
    fn readiness(&self, screen: &str) -> Screen {
        match screen.lines().rfind(|line| !line.trim().is_empty()) {
            Some(line) if line.starts_with(SIGN) => Screen::Ready,
            Some(line) if line.starts_with(QUESTION) => Screen::Asks(line[QUESTION.len()..].to_owned()),
            _ => Screen::NotYet,
        }
    }

    fn in_line(&self, screen: &str) -> Option<String> {
        let line = screen.lines().rfind(|line| !line.trim().is_empty())?;
        let typed = line.strip_prefix(SIGN)?.trim();
        (!typed.is_empty()).then(|| typed.to_owned())
    }

    fn has_commands(&self) -> bool {
        false
    }

    fn session_file(&self) -> Option<PathBuf> {
        self.record.is_file().then(|| self.record.clone())
    }

    fn line(&mut self, line: &str) -> Vec<Seen> {
        let seen = match serde_json::from_str(line) {
            Ok(Entry::Said(text)) => Some(Seen::Said(text)),
            Ok(Entry::Report(Report(output))) => match output {
                Output::Reference(reference) => Some(Seen::Reference(reference)),
                Output::Item { id, step, parent, draft } => Some(Seen::Item { id, step, parent, draft }),
                Output::TurnEnded { end, .. } => Some(Seen::Ended(end)),
                _ => None,
            },
            Err(_) => None,
        };
        seen.into_iter().collect()
    }
}
