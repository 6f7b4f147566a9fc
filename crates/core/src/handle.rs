//! Handles: short names of sessions, derived and never stored.

use std::collections::BTreeMap;
use std::ops::Bound;

use uuid::Uuid;

use crate::id::SessionId;
use crate::limits::HANDLE_CHARS;

/// What a typed handle means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    One(SessionId),
    None,
    Ambiguous(Vec<SessionId>),
}

/// Returns the shortest prefix of an id, at least four characters, that no other open session shares.
pub fn shortest<T>(id: SessionId, open: &BTreeMap<SessionId, T>) -> String {
    // A list asks this of a thousand sessions, so nothing but the answer is allocated.
    let (mut text, mut neighbour) = (Uuid::encode_buffer(), Uuid::encode_buffer());
    let text: &str = id.uuid().hyphenated().encode_lower(&mut text);
    let before = open.range(..id).next_back().map(|(other, _)| *other);
    let after = open.range((Bound::Excluded(id), Bound::Unbounded)).next().map(|(other, _)| *other);
    let mut shared_with =
        |other: SessionId| common_prefix(text, other.uuid().hyphenated().encode_lower(&mut neighbour));
    let shared = [before, after].into_iter().flatten().map(&mut shared_with).max();
    let mut length = HANDLE_CHARS.max(shared.map_or(0, |shared| shared + 1)).min(text.len());
    if text[..length].ends_with('-') {
        length += 1;
    }
    text[..length].to_owned()
}

/// Finds the open session that a typed handle names.
pub fn resolve<T>(typed: &str, open: &BTreeMap<SessionId, T>) -> Resolution {
    let Some(prefix) = Prefix::parse(typed) else { return Resolution::None };
    let matches: Vec<SessionId> = open
        .range(prefix.lowest..)
        .map(|(id, _)| *id)
        .take_while(|id| id.to_string().starts_with(&prefix.text))
        .collect();
    match matches.as_slice() {
        [] => Resolution::None,
        [one] => Resolution::One(*one),
        _ => Resolution::Ambiguous(matches),
    }
}

/// Returns the ids that a typed one can mean: itself, or those that begin with it.
pub fn meant<I: Copy + ToString>(typed: &str, ids: impl IntoIterator<Item = I>) -> Vec<I> {
    let typed = typed.trim().to_ascii_lowercase();
    if typed.len() < HANDLE_CHARS {
        return Vec::new();
    }
    ids.into_iter().filter(|id| id.to_string().starts_with(&typed)).collect()
}

/// A typed handle that could name something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// In lower case.
    pub text: String,
    lowest: SessionId,
}

impl Prefix {
    /// Reads what was typed; `None` when it can name no session.
    pub fn parse(typed: &str) -> Option<Self> {
        const LOWEST: &str = "00000000-0000-0000-0000-000000000000";
        let text = typed.trim().to_ascii_lowercase();
        let plausible = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'));
        if !plausible || text.len() < HANDLE_CHARS || text.len() > LOWEST.len() {
            return None;
        }
        // Fails when a dash stands where none belongs.
        let lowest = Uuid::try_parse(&format!("{text}{}", &LOWEST[text.len()..])).ok()?;
        Some(Self { text, lowest: SessionId::from_uuid(lowest) })
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn open(ids: &[&str]) -> BTreeMap<SessionId, ()> {
        ids.iter().map(|id| (id.parse().unwrap(), ())).collect()
    }

    #[test]
    fn an_id_is_meant_by_its_beginning() {
        let ids = [A, B, C].map(|id| id.parse::<SessionId>().unwrap());
        assert_eq!(meant(A, ids), [ids[0]]);
        assert_eq!(meant("3F2A1", ids), [ids[1]]);
        assert_eq!(meant("3f2a", ids), [ids[0], ids[1]]);
        for nothing in ["", "91c", "x", "91cc0001"] {
            assert_eq!(meant(nothing, ids), [], "{nothing}");
        }
    }

    const A: &str = "3f2a0000-0000-4000-8000-000000000000";
    const B: &str = "3f2a1000-0000-4000-8000-000000000000";
    const C: &str = "91cc0000-0000-4000-8000-000000000000";

    #[test]
    fn a_handle_grows_on_a_collision_and_shrinks_after() {
        let id: SessionId = A.parse().unwrap();
        assert_eq!(shortest(id, &open(&[A, C])), "3f2a");
        assert_eq!(shortest(id, &open(&[A, B, C])), "3f2a0");
        assert_eq!(shortest(id, &open(&[C])), "3f2a");
    }

    #[test]
    fn a_handle_never_ends_on_a_dash() {
        let twin = "3f2a0000-1000-4000-8000-000000000000";
        assert_eq!(shortest(A.parse().unwrap(), &open(&[A, twin])), "3f2a0000-0");
    }

    #[test]
    fn resolution_is_plain() {
        let open = open(&[A, B, C]);
        let (a, b, c) = (A.parse().unwrap(), B.parse().unwrap(), C.parse().unwrap());
        assert_eq!(resolve("91cc", &open), Resolution::One(c));
        assert_eq!(resolve(" 91CC ", &open), Resolution::One(c));
        assert_eq!(resolve(C, &open), Resolution::One(c));
        assert_eq!(resolve("3f2a", &open), Resolution::Ambiguous(vec![a, b]));
        assert_eq!(resolve("3f2a1", &open), Resolution::One(b));
        for typed in [
            "",
            "91c",
            "ffff",
            "91cz",
            "91c%",
            "____",
            "91cc*",
            "9-1cc",
            "91cc0000-",
            "91cc00000",
            &"9".repeat(40),
        ] {
            let expected = if typed == "91cc0000-" { Resolution::One(c) } else { Resolution::None };
            assert_eq!(resolve(typed, &open), expected, "{typed}");
        }
    }

    proptest! {
        #[test]
        fn every_handle_names_its_session(seeds in prop::collection::vec(prop::array::uniform16(0u8..4), 1..40)) {
            let open: BTreeMap<SessionId, ()> = seeds.into_iter().map(|bytes| (SessionId::from_random(bytes), ())).collect();
            for id in open.keys() {
                let handle = shortest(*id, &open);
                prop_assert_eq!(resolve(&handle, &open), Resolution::One(*id));
                prop_assert!(handle.len() >= HANDLE_CHARS);
            }
        }
    }
}
