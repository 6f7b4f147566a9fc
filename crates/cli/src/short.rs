//! Ids in lists: as much of each as tells it from the others.

/// Returns the shortest beginning of an id, at least eight characters, that none of the others shares.
pub(crate) fn short(id: &str, all: &[impl AsRef<str>]) -> String {
    const LEAST: usize = 8;
    let common = |other: &str| id.bytes().zip(other.bytes()).take_while(|(one, two)| one == two).count();
    let others = all.iter().map(AsRef::as_ref).filter(|other| *other != id);
    let shared = others.map(common).max().unwrap_or_default();
    let length = LEAST.max(shared + 1);
    let length = if id.get(..length).is_some_and(|short| short.ends_with('-')) { length + 1 } else { length };
    id.get(..length).unwrap_or(id).to_owned()
}

/// Returns ids in one line.
pub(crate) fn joined(ids: &[impl AsRef<str>], between: &str) -> String {
    ids.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_as_long_as_it_has_to_be() {
        let all = ["01a1e2b3-0000-7000", "01a1e2b3-1000-7000", "01a1e2b4-0000-7000"].map(str::to_owned);
        assert_eq!(all.clone().map(|id| short(&id, &all)), ["01a1e2b3-0", "01a1e2b3-1", "01a1e2b4"]);
        assert_eq!(short(&all[0], &[all[0].clone()]), "01a1e2b3");
        let beside = ["01a1e2b3-0".to_owned(), "01a1e2b3x0".to_owned()];
        assert_eq!(short(&beside[0], &beside), "01a1e2b3-0", "it never ends in a dash");
    }
}
