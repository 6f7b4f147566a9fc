//! Who sits in a thread: ids, nicknames, profiles.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Thread;
use crate::actor::Actor;
use crate::id::ThreadId;
use crate::limits::THREAD_SEATS;

/// How the human is called.
pub const USER: &str = "user";
/// How the coordinator is called: the part of the daemon that wakes participants.
pub const COORDINATOR: &str = "bridge-coordinator";
/// Names that stand for something else.
pub const RESERVED: [&str; 6] = [USER, COORDINATOR, "all", "everyone", "here", "daemon"];
/// Names that no participant may resemble, numbered or not.
const IMITATED: [&str; 8] = [USER, COORDINATOR, "human", "you", "coordinator", "paseo", "daemon", "system"];
/// Longest id or nickname, in characters.
pub(super) const ID_CHARS: usize = 64;
/// Longest client or model, in characters. A model may be a path.
const WORD_CHARS: usize = 1024;
/// Most roles of a participant.
const ROLES: usize = 16;

/// What is known of a participant. In an invitation, what is missing stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    /// A provider, or the slug of a definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What runs it when `client` is a definition that names no provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
}

impl Profile {
    /// Returns this with what another says, field by field.
    pub fn merged(&self, newer: &Self) -> Self {
        Self {
            client: newer.client.clone().or_else(|| self.client.clone()),
            provider: newer.provider.clone().or_else(|| self.provider.clone()),
            model: newer.model.clone().or_else(|| self.model.clone()),
            roles: newer.roles.clone().or_else(|| self.roles.clone()),
            nickname: newer.nickname.clone().or_else(|| self.nickname.clone()),
        }
    }

    /// Says whether two are the same agent, whatever they are called.
    pub(super) fn runs_like(&self, other: &Self) -> bool {
        self.client == other.client && self.provider == other.provider && self.model == other.model
    }

    pub(super) fn roles(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().flatten().map(String::as_str)
    }
}

/// Why a participant cannot be invited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the participant's profile is missing `{0}`")]
    Missing(&'static str),
    #[error("invalid {1} `{0}` for a participant: use at most {ID_CHARS} letters, digits, `-`, `_` and `.`")]
    Malformed(String, &'static str),
    #[error("`{0}` is reserved")]
    Reserved(String),
    #[error("`{0}` is taken by participant `{1}`; choose another")]
    Taken(String, String),
    #[error("`{0}` is too similar to a name of participant `{1}`; choose another")]
    Similar(String, String),
    #[error("the `{0}` of a participant must have at most {WORD_CHARS} printable characters")]
    Word(&'static str),
    #[error("a participant can have at most {ROLES} roles")]
    Roles,
    #[error("limit reached: {THREAD_SEATS} participants are already invited")]
    Full,
}

/// Who speaks in a thread, or may, without being invited: holders of its tokens, and those who are present.
pub type Others = BTreeSet<String>;

/// Checks an invitation, and returns the whole profile that the participant has then.
pub fn invite(thread: &Thread, id: &str, profile: &Profile, others: &Others) -> Result<Profile, Refused> {
    named(id, "id")?;
    let known = thread.invited.get(id);
    if known.is_none() && thread.invited.len() >= THREAD_SEATS {
        return Err(Refused::Full);
    }
    let whole = known.map_or_else(|| profile.clone(), |seat| seat.profile.merged(profile));
    for (field, value) in [("client", &whole.client), ("model", &whole.model)] {
        if value.as_ref().is_none_or(|value| value.trim().is_empty()) {
            return Err(Refused::Missing(field));
        }
    }
    for (field, value) in [("client", &whole.client), ("provider", &whole.provider), ("model", &whole.model)]
    {
        let plain = |text: &String| {
            text.chars().count() <= WORD_CHARS && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        };
        if !value.as_ref().is_none_or(plain) {
            return Err(Refused::Word(field));
        }
    }
    let roles: Vec<&str> = whole.roles().collect();
    if roles.len() > ROLES {
        return Err(Refused::Roles);
    }
    roles.iter().try_for_each(|role| named(role, "role"))?;
    whole.nickname.iter().try_for_each(|nickname| named(nickname, "nickname"))?;
    // Present participants keep their names.
    let nickname = whole.nickname.as_deref();
    let kept = known.is_some_and(|seat| seat.profile.nickname.as_deref() == nickname);
    for name in known.map_or(Some(id), |_| None).into_iter().chain(nickname.filter(|_| !kept)) {
        distinct(thread, id, name, others)?;
    }
    Ok(whole)
}

/// Checks that a name cannot be confused with another participant's, a person's or the daemon's.
fn distinct(thread: &Thread, id: &str, name: &str, others: &Others) -> Result<(), Refused> {
    if imitates(name) {
        return Err(Refused::Reserved(name.to_owned()));
    }
    let invited = thread.invited.iter().filter(|(other, _)| *other != id);
    let mut taken = invited.filter(|(other, seat)| {
        let nickname = seat.profile.nickname.as_deref();
        is_like(other, name) || nickname.is_some_and(|nickname| is_like(nickname, name))
    });
    let mut about = thread.guests.iter().chain(others).filter(|other| *other != id && is_like(other, name));
    let taken = taken.next().map(|(other, _)| other).or_else(|| about.next());
    taken.map_or(Ok(()), |other| {
        let nickname = thread.invited.get(other).and_then(|seat| seat.profile.nickname.as_deref());
        let same = other == name || nickname == Some(name);
        let refused = if same { Refused::Taken } else { Refused::Similar };
        Err(refused(name.to_owned(), other.clone()))
    })
}

/// Says whether this is what others are called: people, or everybody at once.
pub fn is_reserved(name: &str) -> bool {
    matches!(named(name, "id"), Err(Refused::Reserved(_)))
}

/// Says whether a participant can have this name.
pub fn is_name(name: &str) -> bool {
    named(name, "id").is_ok()
}

/// Checks that a name cannot be confused with that of another participant of the thread; it may be an existing one.
pub fn check_speaker(thread: &Thread, id: &str, others: &Others) -> Result<(), Refused> {
    named(id, "id")?;
    let known = thread.invited.contains_key(id) || thread.guests.contains(id) || others.contains(id);
    if known { Ok(()) } else { distinct(thread, id, id, others) }
}

/// Returns an id for a participant that has none: after its client, numbered when that is taken.
pub fn free_id(thread: &Thread, profile: &Profile, others: &Others) -> String {
    let client = profile.client.as_deref().unwrap_or_default();
    let plain: String = client.chars().filter(|c| is_plain(*c)).take(ID_CHARS - 4).collect();
    let is_free = |id: &String| distinct(thread, "", id, others).is_ok();
    let base = Some(plain).filter(|plain| named(plain, "id").is_ok() && !imitates(plain));
    let base = base.unwrap_or_else(|| "agent".to_owned());
    let mut numbered = (2..).map(|number: u32| format!("{base}-{number}"));
    if is_free(&base) { base.clone() } else { numbered.find(is_free).unwrap_or(base) }
}

/// Checks that a name can be typed and told from all others.
fn named(name: &str, what: &'static str) -> Result<(), Refused> {
    let malformed =
        || Refused::Malformed(name.chars().take(ID_CHARS).flat_map(char::escape_debug).collect(), what);
    let plain = !name.is_empty() && name.chars().count() <= ID_CHARS && name.chars().all(is_plain);
    // A name of punctuation alone, or that starts with one, is lost in a sentence.
    if !plain || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) || name.ends_with('.') {
        return Err(malformed());
    }
    if RESERVED.iter().any(|reserved| folded(reserved) == folded(name)) {
        return Err(Refused::Reserved(name.to_owned()));
    }
    Ok(())
}

/// Says whether this name could be taken for a person's or the daemon's.
fn imitates(name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    IMITATED.iter().any(|reserved| is_like(reserved, name) || is_like(reserved, bare))
}

/// Plain letters only: nothing invisible, nothing that looks like something else.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// A name as others would take it for: case, and signs between words, do not tell two apart.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).flat_map(char::to_lowercase).collect()
}

/// Says whether two names look the same at a glance, in whatever letters they are written.
pub(super) fn is_like(one: &str, other: &str) -> bool {
    let shape = |name: &str| -> String {
        let alike = |c| match c {
            '0' => 'o',
            '1' | 'i' => 'l',
            '3' => 'e',
            '5' => 's',
            other => other,
        };
        folded(name).chars().map(alike).collect()
    };
    shape(one) == shape(other)
}

/// Says whether an actor is an outside participant that speaks in this thread by a token.
pub fn speaks_in(actor: &Actor, thread: ThreadId) -> bool {
    matches!(actor, Actor::Seat(seat) if seat.split_once('/').is_some_and(|(of, _)| of == thread.to_string()))
}

/// A caller claims another identity than that of its credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this token belongs to `{own}` in this thread; you cannot post as `{claimed}`")]
pub struct Mismatch {
    pub own: String,
    /// As it can be shown: nothing in it is invisible.
    pub claimed: String,
}

/// Checks the identity that a caller claims. To the letter: a name that only looks the same is another one.
pub fn speaks_for(claimed: Option<&str>, own: &str) -> Result<(), Mismatch> {
    match claimed {
        None => Ok(()),
        Some(claimed) if claimed == own => Ok(()),
        Some(claimed) => {
            let shown = claimed.chars().take(ID_CHARS).map(|c| match c.is_ascii() {
                true => c.escape_debug().to_string(),
                false => c.escape_unicode().to_string(),
            });
            Err(Mismatch { own: own.to_owned(), claimed: shown.collect() })
        }
    }
}
