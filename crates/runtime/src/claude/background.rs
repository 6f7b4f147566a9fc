//! What runs in the background: it outlives its turn, and dies with the process.

use std::collections::HashMap;

use paseo_core::id::TurnId;
use serde_json::Value;

use super::parse::System;
use crate::driver::Action;
use crate::provider::Output;

/// The commands and subagents in the background.
#[derive(Debug, Default)]
pub(super) struct Background {
    /// In which turn each began.
    began: HashMap<String, Option<TurnId>>,
    /// How many the daemon knows of.
    told: usize,
}

impl Background {
    /// Takes in that something began.
    pub(super) fn started(&mut self, system: &System, running: Option<TurnId>) {
        let in_background = system.fields.get("is_backgrounded").and_then(Value::as_bool) == Some(true);
        if let (true, Some(task)) = (in_background, system.text("task_id")) {
            self.began.insert(task.to_owned(), running);
        }
    }

    /// Takes in that something ended. Returns whether it ran in the background.
    pub(super) fn ended(&mut self, system: &System) -> bool {
        system.text("task_id").is_some_and(|task| self.began.remove(task).is_some())
    }

    /// Takes in the list of what runs; tells the daemon when there are more or fewer.
    pub(super) fn listed(&mut self, system: &System) -> Vec<Action> {
        let tasks = system.fields.get("tasks").and_then(Value::as_array).map_or(0, Vec::len);
        if std::mem::replace(&mut self.told, tasks) == tasks {
            return Vec::new();
        }
        vec![Action::Tell(Output::Background { tasks })]
    }

    /// Returns what began in a turn and still runs.
    pub(super) fn of(&self, turn: Option<TurnId>) -> impl Iterator<Item = &String> {
        self.began.iter().filter(move |(_, began)| **began == turn).map(|(task, _)| task)
    }
}
