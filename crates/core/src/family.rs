//! Families: agents that agents started, and those that they started in turn.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::SessionId;
use crate::limits::{DEPTH, DESCENDANTS};

/// Why an agent may not start another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    #[error(
        "limit reached: agents can be nested {DEPTH} levels deep, and this would be level {0}; do the work yourself, or return it to your parent agent"
    )]
    Deep(usize),
    #[error(
        "limit reached: {0} agents below the one a person started are working (limit {DESCENDANTS}); wait \
         until some have finished"
    )]
    Descendants(usize),
}

/// Decides whether a child may be started that would have so many ancestors, whose root has so many open descendants.
pub fn admit_child(ancestors: usize, open_descendants_of_root: usize) -> Result<(), TooMany> {
    if ancestors > DEPTH {
        return Err(TooMany::Deep(ancestors));
    }
    if open_descendants_of_root >= DESCENDANTS {
        return Err(TooMany::Descendants(open_descendants_of_root));
    }
    Ok(())
}

/// Returns the ancestors of a session, the nearest first; the last is its root.
pub fn ancestors(id: SessionId, parent: impl Fn(SessionId) -> Option<SessionId>) -> Vec<SessionId> {
    let mut seen = BTreeSet::from([id]);
    let mut found = Vec::new();
    let mut at = id;
    while let Some(above) = parent(at).filter(|above| seen.insert(*above)) {
        found.push(above);
        at = above;
    }
    found
}

/// Says whether the web app shows a session: it has `ui=true`, or it stands below one that has.
pub fn is_shown_in_ui(
    id: SessionId,
    parent: impl Fn(SessionId) -> Option<SessionId>,
    is_ui: impl Fn(SessionId) -> bool,
) -> bool {
    is_ui(id) || ancestors(id, parent).into_iter().any(is_ui)
}

/// Returns what descends from a session, without itself, every child before its parent.
///
/// `parents` has each open session that has a parent, with the parent. Closed ones are not in it and so are skipped;
/// what a person reopened below one of them stands on its own.
pub fn descendants_leaf_first(
    id: SessionId,
    parents: impl IntoIterator<Item = (SessionId, SessionId)>,
) -> Vec<SessionId> {
    let mut children: BTreeMap<SessionId, Vec<SessionId>> = BTreeMap::new();
    for (child, parent) in parents {
        children.entry(parent).or_default().push(child);
    }
    // Generation by generation, which turned round is leaf first. A visited agent is not visited again: records
    // that make an agent its own ancestor end there.
    let mut seen = BTreeSet::from([id]);
    let mut found = vec![id];
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        next += 1;
        let below = children.remove(parent).unwrap_or_default();
        found.extend(below.into_iter().filter(|child| seen.insert(*child)));
    }
    found.reverse();
    found.pop();
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(n: u8) -> SessionId {
        SessionId::from_random([n; 16])
    }

    fn below(root: u8, parents: &[(u8, u8)]) -> Vec<SessionId> {
        descendants_leaf_first(id(root), parents.iter().map(|(child, parent)| (id(*child), id(*parent))))
    }

    #[test]
    fn leaves_come_before_their_parents() {
        let found = below(1, &[(2, 1), (3, 2), (4, 2), (5, 1), (6, 9)]);
        assert_eq!(found, [4, 3, 5, 2].map(id));
    }

    #[test]
    fn the_unknown_has_nobody_below() {
        assert!(below(7, &[(2, 1)]).is_empty());
        assert!(below(1, &[]).is_empty());
    }

    #[test]
    fn a_circle_ends() {
        assert_eq!(below(1, &[(1, 3), (2, 1), (3, 2), (3, 3)]), [3, 2].map(id));
        assert_eq!(below(1, &[(1, 1)]), []);
    }

    #[test]
    fn ancestors_are_found_nearest_first_and_once() {
        let parent = |of: SessionId| {
            [(4, 3), (3, 2), (2, 1)]
                .map(|(a, b)| (id(a), id(b)))
                .into_iter()
                .find(|(child, _)| *child == of)
                .map(|(_, parent)| parent)
        };
        assert_eq!(ancestors(id(4), parent), [3, 2, 1].map(id));
        assert_eq!(ancestors(id(1), parent), []);
        assert_eq!(ancestors(id(1), |of| Some(if of == id(1) { id(2) } else { id(1) })), [id(2)]);
    }

    #[test]
    fn the_web_app_shows_whole_families() {
        // 1 has the label; 5 was started by one in the background, and 6 by one that is closed.
        let parents = [(3, 2), (2, 1), (5, 4), (6, 7)];
        let parent =
            |of: SessionId| parents.iter().find(|(child, _)| id(*child) == of).map(|(_, parent)| id(*parent));
        let shown: Vec<u8> = (1..=6).filter(|n| is_shown_in_ui(id(*n), parent, |of| of == id(1))).collect();
        assert_eq!(shown, [1, 2, 3]);
        let labelled_child = is_shown_in_ui(id(5), parent, |of| of == id(5));
        assert!(labelled_child && !is_shown_in_ui(id(4), parent, |of| of == id(5)), "not what is above");
    }

    #[test]
    fn families_stay_small() {
        assert_eq!(admit_child(DEPTH, DESCENDANTS - 1), Ok(()));
        assert_eq!(admit_child(DEPTH + 1, 0), Err(TooMany::Deep(DEPTH + 1)));
        assert_eq!(admit_child(1, DESCENDANTS), Err(TooMany::Descendants(DESCENDANTS)));
        assert!(admit_child(5, 0).unwrap_err().to_string().contains("level 5"));
        assert!(admit_child(1, 16).unwrap_err().to_string().contains("16 agents below"));
    }

    proptest! {
        #[test]
        fn everyone_below_is_found_once_and_before_the_parent(
            pairs in proptest::collection::btree_map(0u8..12, 0u8..12, 0..12),
            root in 0u8..12,
        ) {
            let found = below(root, &pairs.iter().map(|(child, parent)| (*child, *parent)).collect::<Vec<_>>());
            let descends = |from: u8| {
                let above = ancestors(id(from), |of| {
                    (0..12).find(|n| id(*n) == of).and_then(|n| pairs.get(&n)).map(|parent| id(*parent))
                });
                from != root && above.contains(&id(root))
            };
            for session in 0..12 {
                let places = found.iter().filter(|other| **other == id(session)).count();
                prop_assert_eq!(places, usize::from(descends(session)));
            }
            for (child, parent) in &pairs {
                let place = |n: &u8| found.iter().position(|other| *other == id(*n));
                if let (Some(child), Some(parent)) = (place(child), place(parent)) {
                    prop_assert!(child < parent);
                }
            }
        }
    }
}
