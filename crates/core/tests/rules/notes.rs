//! What people note about a session: pins and attributes.

use std::collections::BTreeMap;

use paseo_core::limits::{ATTRIBUTE_BYTES, ATTRIBUTES};
use paseo_core::session::{self, BadAttributes};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bed::{Bed, now};

fn set(pairs: &[(&str, Value)]) -> BTreeMap<String, Value> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

#[test]
fn a_pin_has_a_rank_and_is_moved_by_another() {
    let mut bed = Bed::new();
    session::pin(&mut bed.draft, None);
    assert!(bed.draft.events.is_empty(), "it was not pinned");
    let first = session::pin_rank([], now());
    assert_eq!(first, now());
    session::pin(&mut bed.draft, Some(first));
    let second = session::pin_rank([first], now());
    assert!(second > first, "in the same moment, too");
    session::pin(&mut bed.draft, Some(second));
    assert_eq!((bed.session().pinned_at, bed.draft.events.len()), (Some(second), 2));
    session::pin(&mut bed.draft, None);
    assert_eq!(bed.session().pinned_at, None);
    bed.assert_replays();
}

#[test]
fn attributes_are_set_changed_and_taken_away() {
    let mut bed = Bed::new();
    session::attribute(&mut bed.draft, set(&[("panel", json!({"open": true})), ("n", json!(1))])).unwrap();
    session::attribute(&mut bed.draft, set(&[("n", json!(1)), ("gone", Value::Null)])).unwrap();
    assert_eq!(bed.draft.events.len(), 1, "nothing changed");
    session::attribute(&mut bed.draft, set(&[("n", Value::Null), ("panel", json!("shut"))])).unwrap();
    assert_eq!(bed.session().attributes, set(&[("panel", json!("shut"))]));
    bed.assert_replays();
}

#[test]
fn attributes_are_bounded_in_number_and_size() {
    let mut bed = Bed::new();
    let many: BTreeMap<String, Value> = (0..ATTRIBUTES).map(|n| (format!("k{n}"), json!(n))).collect();
    session::attribute(&mut bed.draft, many).unwrap();
    let one_more = session::attribute(&mut bed.draft, set(&[("more", json!(1))]));
    assert_eq!(one_more, Err(BadAttributes::Many(ATTRIBUTES + 1)));
    session::attribute(&mut bed.draft, set(&[("more", json!(1)), ("k0", Value::Null)])).unwrap();
    let long = session::attribute(&mut bed.draft, set(&[("k1", json!("x".repeat(ATTRIBUTE_BYTES)))]));
    assert_eq!(long, Err(BadAttributes::Long("k1".to_owned())));
    let unnamed = session::attribute(&mut bed.draft, set(&[("", json!(1))]));
    assert_eq!(unnamed, Err(BadAttributes::Unnamed));
    assert_eq!(bed.session().attributes.len(), ATTRIBUTES);
}

proptest! {
    /// However they come and go, there are never too many, and none is null.
    #[test]
    fn attributes_stay_within_their_bounds(
        changes in prop::collection::vec(prop::collection::btree_map("[a-z]{0,2}", any::<Option<i8>>(), 0..40), 0..8)
    ) {
        let mut bed = Bed::new();
        for change in changes {
            let set = change.into_iter().map(|(name, value)| (name, json!(value))).collect();
            let before = bed.session().attributes.clone();
            if session::attribute(&mut bed.draft, set).is_err() {
                prop_assert_eq!(&before, &bed.session().attributes);
            }
        }
        let attributes = &bed.session().attributes;
        prop_assert!(attributes.len() <= ATTRIBUTES && !attributes.contains_key(""));
        prop_assert!(attributes.values().all(|value| !value.is_null()));
    }
}
