//! Whom a message is for: what stands in `to`, and who is mentioned in it.

use std::collections::BTreeSet;

use super::Thread;
use super::seat::{COORDINATOR, ID_CHARS, USER, folded};

/// Words that stand for all participants, and wake none.
const EVERYBODY: [&str; 3] = ["all", "everyone", "here"];

/// Whom `to` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    All,
    User,
    Seat(String),
    /// Not an invited participant.
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
    /// Names that no participant has.
    pub unknown: Vec<String>,
    /// Something was mentioned, whether a participant has that name or not.
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

/// Finds out who is mentioned in a text: words that begin with `@`, whatever stands before and behind them.
pub fn read(thread: &Thread, text: &str) -> Reading {
    let mut reading = Reading::default();
    for word in text.split_whitespace() {
        let Some(word) = word.trim_start_matches(opens).strip_prefix('@') else { continue };
        // A model may be called what no participant can be.
        let whole = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
        let model = described(thread, whole);
        if !whole.is_empty() && !model.is_empty() && named(thread, whole).is_empty() {
            reading.any = true;
            reading.seats.extend(model);
            continue;
        }
        reading.take(thread, name_at(word));
        for (at, _) in word.match_indices('@') {
            // Within a word, as in an e-mail address, it means something else.
            if !word[..at].ends_with(joins) {
                reading.take(thread, name_at(&word[at + 1..]));
            }
        }
    }
    reading
}

impl Reading {
    /// Takes in a name that stands behind an `@`.
    fn take(&mut self, thread: &Thread, name: &str) {
        // Signs at its end belong to the sentence, unless a participant has such a name.
        let bare = name.trim_end_matches(|c: char| !c.is_alphanumeric());
        let name = if named(thread, name).is_empty() { bare } else { name };
        if name.is_empty() {
            return;
        }
        self.any = true;
        if EVERYBODY.contains(&name.to_lowercase().as_str()) {
            self.everybody.push(name.to_owned());
            return;
        }
        // The coordinator and the human are no participants that could be woken.
        if [USER, COORDINATOR].iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return;
        }
        match named(thread, name).as_slice() {
            [one] => drop(self.seats.insert(one.clone())),
            [] => match described(thread, name) {
                none if none.is_empty() => self.unknown.push(name.chars().take(ID_CHARS).collect()),
                several => self.seats.extend(several),
            },
            several => self.ambiguous.push((name.to_owned(), several.to_vec())),
        }
    }
}

/// What may stand before a mention: brackets, quotation marks, emphasis. Paths and code are not names.
fn opens(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '@' | '/' | '\\' | '.' | '`')
}

/// What belongs to the name that it stands in.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Returns the name that a text begins with.
fn name_at(text: &str) -> &str {
    text.split(|c| !joins(c)).next().unwrap_or_default()
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
