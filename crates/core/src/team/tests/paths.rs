//! Which files a task needs, what things are called, and who may write where.

use super::*;

#[test]
fn overlapping_resources_say_who_and_which() {
    let mut bed = Bed::new();
    let (one, other) = (bed.task(&[], &["src"]).unwrap(), bed.task(&[], &["/home/u/p/src/io/"]).unwrap());
    bed.claim(one, ANN).unwrap();
    let refused = bed.claim(other, BEN).unwrap_err().to_string();
    assert!(refused.contains("ann owns task-0001") && refused.contains("`src`"), "{refused}");
    // One's own may overlap, and beside it there is room.
    bed.claim(other, ANN).unwrap();
    let beside = bed.task(&[], &["srcs", "lib"]).unwrap();
    bed.claim(beside, BEN).unwrap();
    let all = bed.task(&[], &["."]).unwrap();
    assert!(matches!(bed.claim(all, BEN), Err(Refused::Overlap { .. })));
}

#[test]
fn resources_are_parts_of_the_project() {
    let parse = |path: &str| Resource::parse(path, Some("/home/u/p")).map(|resource| resource.to_string());
    for (path, expected) in [
        ("src/", "src"),
        ("./src//io", "src/io"),
        (".", "."),
        ("./", "."),
        ("/home/u/p", "."),
        ("/home/u/p/a b/c", "a b/c"),
    ] {
        assert_eq!(parse(path).unwrap(), expected, "{path}");
    }
    for path in ["", "  ", "..", "a/../b", "/home/u/p/../q", "/home/u/pp/x", "/etc", "/", "a\0b", "a\nb"] {
        assert!(parse(path).is_err(), "{path}");
    }
    assert_eq!(Resource::parse("/src/a", None).unwrap().as_str(), "src/a");
    assert!(Resource::parse("/", None).is_err());
}

#[test]
fn a_resource_is_no_pattern_unless_something_is_called_so() {
    let plain = |path: &str| Resource::parse(path, None).unwrap().check_plain(|path| path == "app/[id]");
    for path in ["src", "a/b.rs", ".", "app/[id]", "app/[id]/page.tsx"] {
        assert_eq!(plain(path), Ok(()), "{path}");
    }
    for path in ["src/*", "*", "**/a.rs", "a?.rs", "app/[x]/page.tsx", "app/[id]/*"] {
        let words = plain(path).unwrap_err().to_string();
        assert!(words.contains(path) && words.contains("name the directory"), "{words}");
    }
}

#[test]
fn a_team_is_suggested_that_can_be_made() {
    let suggested = |taken: &[&str]| suggested(taken.iter().copied());
    assert_eq!(suggested(&[]), "red");
    assert_eq!(suggested(&["Red", "green"]), "blue");
    assert_eq!(suggested(&["red", "blue", "green", "team-1"]), "team-2");
}

#[test]
fn ids_are_plain() {
    for id in ["", "..", ".hidden", "a/b", "user", "a b", "ü", &"x".repeat(65)] {
        assert!(id.parse::<TeamId>().is_err() && check_agent(id).is_err(), "{id}");
    }
    assert!("team_1.x-y".parse::<TeamId>().is_ok());
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    assert!(matches!(bed.claim(id, By::Agent("")), Err(Refused::Name(_))));
    for ttl in [-1, 0, MAX_LEASE_MS + 1, i64::MAX, i64::MIN] {
        assert!(matches!(claim(&bed.team, id, ANN, Some(ttl), at(0)), Err(Refused::Ttl(_))), "{ttl}");
        bed.claim(id, ANN).unwrap();
        assert!(matches!(renew(&bed.team, id, ANN, 1, Some(ttl), at(0)), Err(Refused::Ttl(_))), "{ttl}");
        bed = Bed::new();
        bed.task(&[], &[]).unwrap();
    }
    assert_eq!(Refused::Ttl(0).to_string(), "a lease lasts at least 1 ms, not 0s");
    let days = Refused::Ttl(100 * MAX_LEASE_MS);
    assert_eq!(days.to_string(), "a lease lasts at most one day (24h), not 100d");
}

#[test]
fn writing_needs_a_lease_that_covers_the_path() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &["src", "doc/a.md"]).unwrap();
    let may = |bed: &Bed, agent: &str, path: &str| {
        let permit = can_write(&bed.team, agent, path, bed.now());
        assert!(!permit.reason.advice().is_empty());
        (permit.allow, permit.reason.word())
    };
    assert_eq!(may(&bed, "ann", "src/a"), (false, "no_active_lease_for_path"));
    bed.claim(id, ANN).unwrap();
    for path in ["src/a", "src", "./src//b/c", "/home/u/p/src/a", "doc/a.md"] {
        assert_eq!(may(&bed, "ann", path), (true, "lease_active_for_resource"), "{path}");
    }
    for (path, word) in [
        ("doc/a.mdx", "no_active_lease_for_path"),
        ("srcs/a", "no_active_lease_for_path"),
        (".", "no_active_lease_for_path"),
        ("src/../x", "path_traversal_denied"),
        ("", "invalid_path"),
        ("/etc/passwd", "outside_project"),
    ] {
        assert_eq!(may(&bed, "ann", path), (false, word), "{path}");
    }
    let permit = can_write(&bed.team, "ben", "src/a", bed.now());
    assert!(permit.reason.advice().contains("ann owns task-0001"));
    bed.now = LEASE_MS;
    assert_eq!(may(&bed, "ann", "src/a"), (false, "no_active_lease_for_path"), "noted or not");
    // A lease on everything is what a shell needs.
    let all = bed.task(&[], &["."]).unwrap();
    bed.claim(all, BEN).unwrap();
    assert_eq!(may(&bed, "ben", "."), (true, "lease_active_for_resource"));
}
