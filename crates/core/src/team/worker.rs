//! Workers: when they come and go, and what they are called: a chosen prefix, and a number. Terminals
//! have the same names.

use std::collections::BTreeSet;

use super::{Event, Team};
use crate::id::SessionId;
use crate::limits::WORKER_PREFIX_CHARS;

/// Notes who started a worker: `user`, an agent or `daemon`. Nothing of one that does not belong to the team.
pub fn worker_started(team: &Team, session: SessionId, by: &str) -> Option<Event> {
    let agent = team.agent_of(session).filter(|_| team.closed_at.is_none())?;
    Some(Event::WorkerStarted { agent: agent.to_owned(), session, by: by.to_owned() })
}

/// Notes who ended a worker. Nothing when that is noted already.
pub fn worker_ended(team: &Team, session: SessionId, by: &str) -> Option<Event> {
    let there = team.closed_at.is_none() && !team.ended.contains(&session);
    let agent = team.agent_of(session).filter(|_| there)?;
    Some(Event::WorkerEnded { agent: agent.to_owned(), session, by: by.to_owned() })
}

/// A name cannot begin like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid worker name prefix `{0}`: use at most {WORKER_PREFIX_CHARS} of a-z, 0-9 and \
     `-`, starting and ending with a letter or digit"
)]
pub struct BadPrefix(pub String);

/// Checks the beginning of a worker's name.
pub fn check_prefix(text: &str) -> Result<&str, BadPrefix> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let good = text.len() <= WORKER_PREFIX_CHARS
        && text.starts_with(plain)
        && text.ends_with(plain)
        && text.chars().all(|c| plain(c) || c == '-');
    if good {
        return Ok(text);
    }
    Err(BadPrefix(text.chars().take(WORKER_PREFIX_CHARS).flat_map(char::escape_debug).collect()))
}

/// Returns the default prefix of the names of a team's workers.
pub fn prefix_of(team: &str) -> String {
    let plain = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let text: String = team.chars().map(plain).take(WORKER_PREFIX_CHARS).collect();
    let text = text.trim_matches('-');
    if text.is_empty() { "worker".to_owned() } else { text.to_owned() }
}

/// Returns the next name with a prefix, after all that were ever given: a name is never given to a second worker.
pub fn next_name<'a>(prefix: &str, given: impl IntoIterator<Item = &'a str>) -> String {
    let given: BTreeSet<&str> = given.into_iter().collect();
    let number = |name: &str| name.strip_prefix(prefix)?.strip_prefix('-')?.parse::<u32>().ok();
    let mut next = given.iter().filter_map(|name| number(name)).max().map_or(1, |last| u64::from(last) + 1);
    loop {
        let name = format!("{prefix}-{next}");
        if !given.contains(name.as_str()) {
            return name;
        }
        next += 1;
    }
}

/// Puts names in the order that people expect: `red-2` comes before `red-10`.
pub fn in_order<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| place(name));
    names
}

/// Returns what names are put in order by.
pub fn place(name: &str) -> (String, u64) {
    let (beginning, number) = name.rsplit_once('-').unwrap_or((name, ""));
    match number.parse() {
        Ok(number) => (beginning.to_owned(), number),
        Err(_) => (name.to_owned(), 0),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_tmux_or_a_shell_could_read_otherwise_is_no_name() {
        for bad in ["", "-a", "a-", "A", "a.b", "a:b", "=a", "a b", "a;b", "#{x}", "../a", "ä", "a\n", "$(x)"]
        {
            assert!(check_prefix(bad).is_err(), "{bad:?}");
        }
        assert!(check_prefix(&"a".repeat(WORKER_PREFIX_CHARS + 1)).is_err());
        assert_eq!(check_prefix("red-team2"), Ok("red-team2"));
    }

    #[test]
    fn no_number_is_given_twice() {
        let given = ["red-1", "red-4", "red-x", "red-9-7", "reder-8", "red"];
        assert_eq!(next_name("red", given), "red-5");
        assert_eq!(next_name("blue", given), "blue-1");
        let last = format!("red-{}", u32::MAX);
        let beyond = next_name("red", [last.as_str()]);
        assert_eq!(beyond, "red-4294967296");
        assert_eq!(next_name("red", [last.as_str(), &beyond]), "red-4294967297");
    }

    #[test]
    fn names_are_ordered_by_their_numbers() {
        let names = ["red-10", "ann", "red-2", "blue-1", "red-x", "red-1", "red"];
        assert_eq!(in_order(names), ["ann", "blue-1", "red", "red-1", "red-2", "red-10", "red-x"]);
    }

    proptest! {
        #[test]
        fn every_team_has_a_beginning_for_names(team in "[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}") {
            prop_assert!(check_prefix(&prefix_of(&team)).is_ok());
        }
    }
}
