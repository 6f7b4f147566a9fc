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

#[cfg(test)]
mod tests {
    use paseo_core::id::{ItemId, TurnId};
    use paseo_core::item::{Draft, Kind};
    use paseo_core::time::Timestamp;

    use super::*;
    use crate::provider::TurnEnd;
    use crate::terminal::said_tests;

    #[tokio::test]
    async fn a_task_that_is_answered_before_anybody_looks_is_no_persons() {
        let id = ItemId::from_parts(Timestamp::from_millis(1), [1; 10]);
        let draft = Draft::text(Kind::AssistantText, "ready");
        let turn = TurnId::from_parts(Timestamp::from_millis(1), [9; 10]);
        let lines = [
            Entry::Said(said_tests::TASK.replace('\n', "")),
            Entry::Report(Report(Output::Item { id, step: 1, parent: None, draft })),
            Entry::Report(Report(Output::TurnEnded { turn, end: TurnEnd::Completed })),
        ];
        let lines = lines.map(|line| serde_json::to_string(&line).unwrap());
        let resident = Box::new(Resident { record: PathBuf::from("/nowhere") });
        said_tests::answered_before_the_driver_looks(resident, &lines).await;
    }
}
