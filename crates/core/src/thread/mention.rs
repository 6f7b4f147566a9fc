//! Whom a message is for: what stands in `to`, and who is mentioned in it.

use std::collections::BTreeSet;

use super::Thread;
use super::seat::{COORDINATOR, USER, folded, is_name};

/// Words that stand for everybody, and wake nobody.
const EVERYBODY: [&str; 3] = ["all", "everyone", "here"];

/// Whom `to` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    All,
    User,
    Seat(String),
    /// Nobody who is invited.
    Unknown(String),
    /// It could be any of these.
    Ambiguous(String, Vec<String>),
}

impl Address {
    /// Returns it in the words of the protocol.
    pub fn word(&self) -> &str {
        match self {
            Self::All => "all",
            Self::User => USER,
            Self::Seat(name) | Self::Unknown(name) | Self::Ambiguous(name, _) => name,
        }
    }
}

/// Who is mentioned in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Participants, each once.
    pub seats: BTreeSet<String>,
    /// Words for everybody.
    pub everybody: Vec<String>,
    /// Names that could be several.
    pub ambiguous: Vec<(String, Vec<String>)>,
    /// Names that nobody has.
    pub unknown: Vec<String>,
    /// Something was mentioned, whether anybody is called that or not.
    pub any: bool,
}

/// Finds out whom `to` names: an id, a nickname, or a handle (`by_handle` says whose seat that is), with or without `@`.
pub fn address(thread: &Thread, to: &str, by_handle: impl Fn(&str) -> Vec<String>) -> Address {
    let name = to.trim();
    let name = name.strip_prefix('@').unwrap_or(name);
    match name.to_lowercase().as_str() {
        "" => return Address::All,
        word if EVERYBODY.contains(&word) => return Address::All,
        USER => return Address::User,
        _ => {}
    }
    let mut found = named(thread, name);
    if found.is_empty() {
        found = by_handle(name);
    }
    match found.as_slice() {
        [] => Address::Unknown(name.to_owned()),
        [one] => Address::Seat(one.clone()),
        _ => Address::Ambiguous(name.to_owned(), found),
    }
}

/// Finds out who is mentioned in a text: words that begin with `@`, whatever stands behind them.
pub fn read(thread: &Thread, text: &str) -> Reading {
    let mut reading = Reading::default();
    for word in text.split_whitespace() {
        let Some(word) = word.strip_prefix('@') else { continue };
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
        if name.is_empty() {
            continue;
        }
        reading.any = true;
        if EVERYBODY.contains(&name.to_lowercase().as_str()) {
            reading.everybody.push(name.to_owned());
            continue;
        }
        // The coordinator and the human are no participants that could be woken.
        if [USER, COORDINATOR].iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            continue;
        }
        match named(thread, name).as_slice() {
            [one] => drop(reading.seats.insert(one.clone())),
            [] => match described(thread, name) {
                none if none.is_empty() && is_name(name) => reading.unknown.push(name.to_owned()),
                several => reading.seats.extend(several),
            },
            several => reading.ambiguous.push((name.to_owned(), several.to_vec())),
        }
    }
    reading
}

/// Returns who has this id, else who is called this.
fn named(thread: &Thread, name: &str) -> Vec<String> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    if let Some(id) = thread.invited.keys().find(|id| same(id)) {
        return vec![id.clone()];
    }
    let called = thread.invited.iter().filter(|(_, seat)| seat.profile.nickname.as_deref().is_some_and(same));
    called.map(|(id, _)| id.clone()).collect()
}

/// Returns all who have this role, or are this client or model.
pub(super) fn described(thread: &Thread, name: &str) -> Vec<String> {
    let name = folded(name);
    let is = |word: &str| folded(word) == name;
    let fits = thread.invited.iter().filter(|(_, seat)| {
        let profile = &seat.profile;
        profile.roles().any(is)
            || [&profile.client, &profile.model].into_iter().flatten().any(|word| is(word))
    });
    fits.map(|(id, _)| id.clone()).collect()
}
