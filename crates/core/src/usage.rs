//! What agents have used: totals by day, project or model.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::item::Usage;
use crate::session::{Session, Spent};

/// What totals are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    Day,
    Project,
    Model,
}

/// What one session has used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    pub project: String,
    pub provider: String,
    pub spent: Vec<Spent>,
}

impl Ledger {
    /// Returns what a session has used; `None` when that is nothing.
    pub fn of(session: &Session) -> Option<Self> {
        let (profile, spent) = (&session.profile, &session.history.spent);
        let ledger = || Self {
            project: profile.project.clone(),
            provider: profile.provider.clone(),
            spent: spent.clone(),
        };
        (!spent.is_empty()).then(ledger)
    }
}

/// What a total is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Day(i64),
    Project(String),
    /// Without a model: the provider's default.
    Model {
        provider: String,
        model: Option<String>,
    },
}

/// Totals of some days.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub total: Usage,
    /// Days in order, without those on which nothing was used; projects and models with the most expensive first.
    pub rows: Vec<(Key, Usage)>,
}

/// Adds up what was used on some days.
pub fn report<'a>(
    ledgers: impl IntoIterator<Item = &'a Ledger>,
    days: &RangeInclusive<i64>,
    by: By,
) -> Report {
    let mut total = Usage::default();
    let mut sums: BTreeMap<Key, Usage> = BTreeMap::new();
    for ledger in ledgers {
        for spent in ledger.spent.iter().filter(|spent| days.contains(&spent.day)) {
            let key = match by {
                By::Day => Key::Day(spent.day),
                By::Project => Key::Project(ledger.project.clone()),
                By::Model => Key::Model { provider: ledger.provider.clone(), model: spent.model.clone() },
            };
            total = total.plus(spent.usage);
            let sum = sums.entry(key).or_default();
            *sum = sum.plus(spent.usage);
        }
    }
    let mut rows: Vec<(Key, Usage)> = sums.into_iter().collect();
    if by != By::Day {
        let weight = |usage: &Usage| {
            (usage.cost_micros.unwrap_or(0), usage.input_tokens.saturating_add(usage.output_tokens))
        };
        rows.sort_by_key(|(_, usage)| std::cmp::Reverse(weight(usage)));
    }
    Report { total, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(input_tokens: u64, cost_micros: Option<u64>) -> Usage {
        Usage { input_tokens, cost_micros, ..Usage::default() }
    }

    fn spent(day: i64, model: Option<&str>, usage: Usage) -> Spent {
        Spent { day, model: model.map(str::to_owned), usage }
    }

    fn ledgers() -> [Ledger; 2] {
        let (project, provider) = ("/a".to_owned(), "claude".to_owned());
        let first = vec![spent(9, None, used(1, None)), spent(10, Some("opus"), used(10, Some(7)))];
        let second = vec![spent(10, None, used(100, None)), spent(12, Some("opus"), used(1000, Some(2)))];
        [
            Ledger { project, provider: provider.clone(), spent: first },
            Ledger { project: "/b".to_owned(), provider, spent: second },
        ]
    }

    #[test]
    fn totals_are_those_of_the_days_that_are_asked_for() {
        let days = report(&ledgers(), &(9..=10), By::Day);
        assert_eq!(days.total, used(111, Some(7)));
        assert_eq!(days.rows, [(Key::Day(9), used(1, None)), (Key::Day(10), used(110, Some(7)))]);
        assert_eq!(report(&ledgers(), &(11..=11), By::Day), Report::default());
    }

    #[test]
    fn what_costs_most_comes_first() {
        let project = |name: &str| Key::Project(name.to_owned());
        let projects = report(&ledgers(), &(0..=99), By::Project);
        assert_eq!(projects.rows, [(project("/a"), used(11, Some(7))), (project("/b"), used(1100, Some(2)))]);
        let model =
            |name: Option<&str>| Key::Model { provider: "claude".to_owned(), model: name.map(str::to_owned) };
        let models = report(&ledgers(), &(0..=99), By::Model);
        assert_eq!(models.rows, [(model(Some("opus")), used(1010, Some(9))), (model(None), used(101, None))]);
        assert_eq!(models.total, projects.total);
    }
}
