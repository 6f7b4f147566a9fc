use proptest::prelude::*;
use serde_json::Value;

use super::tests::{ANN, BEN, Bed};
use super::*;
use crate::permission::{Power, Request, Shape};
use crate::session::TeamSeat;

fn request(power: Power, shape: Shape) -> Request {
    Request { call: "c".into(), tool: "t".into(), input: Value::Null, power, shape, form: None }
}

fn file(path: &str) -> Shape {
    Shape::File { path: path.into() }
}

fn site() -> Site {
    Site { project: "/home/u/p".into(), worktree: None }
}

fn in_worktree() -> Site {
    let own = Worktree { root: "/w/a".into(), repository: "/home/u/p".into(), alone: true };
    Site { worktree: Some(own), ..site() }
}

fn files(paths: &[&str]) -> Wish {
    Wish::Files(paths.iter().map(|path| (*path).to_owned()).collect())
}

/// A team in which ann holds `src` and `doc/a.md`, and ben holds `lib`.
fn bed() -> Bed {
    let mut bed = Bed::new();
    for (resources, by) in [(&["src", "doc/a.md"][..], ANN), (&["lib"], BEN)] {
        let task = bed.task(&[], resources).unwrap();
        bed.claim(task, by).unwrap();
    }
    bed
}

#[test]
fn reading_is_free_and_what_is_not_known_counts_as_a_shell() {
    for power in [Power::Read, Power::Net] {
        assert_eq!(Wish::of(&request(power, file("/home/u/p/x"))), None);
    }
    assert_eq!(Wish::of(&request(Power::Write, file("/a"))), Some(files(&["/a"])));
    let several = file(r#"["/a","/b"]"#);
    assert_eq!(Wish::of(&request(Power::Write, several)), Some(files(&["/a", "/b"])));
    let unknown = [
        Shape::Tool { name: "mcp__theirs__x".into() },
        Shape::Unnamed { words: "something".into() },
        Shape::Question { text: "?".into() },
    ];
    for shape in unknown {
        assert_eq!(Wish::of(&request(Power::Write, shape.clone())), Some(Wish::Shell));
        assert_eq!(Wish::of(&request(Power::Shell, shape)), Some(Wish::Shell));
    }
    assert_eq!(Wish::of(&request(Power::Shell, file("/home/u/p/src/a"))), Some(Wish::Shell));
}

#[test]
fn all_files_of_a_change_must_be_covered() {
    let bed = bed();
    let may = |paths: &[&str]| guard(&bed.team, "ann", &files(paths), &site(), bed.now());
    assert_eq!(may(&["/home/u/p/src/a.rs", "/home/u/p/doc/a.md"]), Ok(()));
    let refused = may(&["/home/u/p/src/a.rs", "/home/u/p/lib/b.rs"]).unwrap_err();
    assert!(matches!(&refused.reason, Reason::Held { holder, .. } if holder == "ben"));
    let words = refused.to_string();
    for expected in ["/home/u/p/lib/b.rs", "ben owns task-0002", "team_tasks_claim"] {
        assert!(words.contains(expected), "{words}");
    }
    let outside = [
        "/home/u/p/doc/b.md",
        "/home/u/p/srcs",
        "/home/u/pp/src/a",
        "/etc/passwd",
        "/home/u/p/src/../x",
        "/",
    ];
    for path in outside {
        assert!(may(&[path]).is_err(), "{path}");
    }
    assert!(may(&[]).is_err());
}

#[test]
fn a_command_needs_all_or_a_worktree_and_any_lease() {
    let mut bed = bed();
    let may = |bed: &Bed, agent: &str, site: &Site| guard(&bed.team, agent, &Wish::Shell, site, bed.now());
    assert_eq!(may(&bed, "ann", &site()).unwrap_err().reason, Reason::NotAll);
    assert_eq!(may(&bed, "ann", &in_worktree()), Ok(()));
    let run = may_run(&bed.team, "ann", &in_worktree(), bed.now());
    assert!(run.allow && run.reason == Reason::Apart { task: TaskId(1) }, "{run:?}");
    assert_eq!(may(&bed, "lea", &in_worktree()).unwrap_err().reason, Reason::NoTask);
    for (task, by) in [(1, ANN), (2, BEN)] {
        let events = release(&bed.team, TaskId(task), by, 1, bed.now());
        bed.take(events).unwrap();
    }
    let all = bed.task(&[], &["."]).unwrap();
    bed.claim(all, ANN).unwrap();
    assert_eq!(may(&bed, "ann", &site()), Ok(()));
    assert!(matches!(may(&bed, "ben", &site()).unwrap_err().reason, Reason::Held { .. }));
    assert!(may(&bed, "ben", &in_worktree()).is_err());
}

#[test]
fn in_a_worktree_with_others_a_command_needs_all() {
    let bed = bed();
    let shared = Site {
        worktree: in_worktree().worktree.map(|worktree| Worktree { alone: false, ..worktree }),
        ..site()
    };
    let refused = guard(&bed.team, "ann", &Wish::Shell, &shared, bed.now()).unwrap_err();
    assert_eq!(refused.reason, Reason::NotAll);
    let may = |path: &str| guard(&bed.team, "ann", &files(&[path]), &shared, bed.now()).is_ok();
    assert!(may("/w/a/src/x") && !may("/w/a/lib/x"));
}

#[test]
fn a_worktree_is_ones_own_as_long_as_nobody_with_another_place_works_there() {
    let seat = |team: &str, agent: &str, leads| TeamSeat {
        team: team.parse().unwrap(),
        agent: agent.to_owned(),
        leads,
    };
    let (ann, lead) = (seat("red", "ann", false), seat("red", "ann", true));
    assert!(is_alone(Some(&ann), Some(&ann), []));
    assert!(is_alone(Some(&ann), Some(&lead), [&ann, &lead]), "whom one starts has the same place");
    assert!(!is_alone(Some(&ann), None, [&ann]), "it is somebody else's");
    assert!(!is_alone(None, None, []));
    for other in [seat("red", "ben", false), seat("blue", "ann", false)] {
        assert!(!is_alone(Some(&ann), Some(&other), [&ann]), "{other:?}");
        assert!(!is_alone(Some(&ann), Some(&ann), [&ann, &other]), "{other:?}");
    }
}

#[test]
fn a_path_of_its_own_worktree_is_that_path_of_the_project() {
    let bed = bed();
    let may = |path: &str, site: &Site| guard(&bed.team, "ann", &files(&[path]), site, bed.now()).is_ok();
    assert!(may("/w/a/src/x", &in_worktree()) && !may("/w/a/lib/x", &in_worktree()));
    assert!(may("/home/u/p/src/x", &in_worktree()));
    for path in ["/w/ab/src/x", "/w/src/x", "/w/a"] {
        assert!(!may(path, &in_worktree()), "{path}");
    }
    assert!(!may("/w/a/src/x", &site()));
    // A team may have a part of the repository for its project.
    let part = Site { project: "/home/u/p/src".into(), ..in_worktree() };
    assert!(!may("/w/a/src/x", &part) && may("/w/a/src/src/x", &part));
}

#[test]
fn a_lease_that_ran_out_allows_nothing() {
    let mut bed = bed();
    bed.now = LEASE_MS;
    for (wish, site) in [(files(&["/home/u/p/src/a"]), site()), (Wish::Shell, in_worktree())] {
        assert!(guard(&bed.team, "ann", &wish, &site, bed.now()).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// For all paths and leases: an agent writes only below what a live lease of its own names,
    /// and never below what another's does.
    #[test]
    fn nobody_writes_where_another_has_a_lease(
        resources in prop::collection::vec("[ab]{1,2}(/[ab]{1,2}){0,2}", 1..4),
        paths in prop::collection::vec("(/home/u/p|/w/a|/etc|)(/([ab]{1,2}|\\.\\.|\\.)){0,4}", 1..4),
        holders in prop::collection::vec(0usize..3, 4),
        worktree: bool,
        waited in 0i64..2,
    ) {
        let mut bed = Bed::new();
        for (resource, holder) in resources.iter().zip(&holders) {
            let task = bed.task(&[], &[resource]).unwrap();
            if let Some(by) = [ANN, BEN].get(*holder) {
                // Overlapping ones are refused.
                let _ = bed.claim(task, *by);
            }
        }
        bed.now += waited * LEASE_MS;
        let site = if worktree { in_worktree() } else { site() };
        let allowed = guard(&bed.team, "ann", &Wish::Files(paths.clone()), &site, bed.now()).is_ok();
        let held = |agent: &str, path: &str| {
            let inner = path.strip_prefix("/home/u/p").or(path.strip_prefix("/w/a").filter(|_| worktree));
            let plain = inner.filter(|inner| !inner.split('/').any(|part| part == ".."));
            let Some(inner) = plain else { return false };
            let parts: Vec<&str> = inner.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
            bed.team.leases(bed.now()).filter(|(_, _, lease)| lease.holder == agent).any(|(_, task, _)| {
                task.resources.iter().any(|resource| {
                    let root: Vec<&str> = resource.as_str().split('/').collect();
                    parts.starts_with(&root)
                })
            })
        };
        prop_assert_eq!(allowed, paths.iter().all(|path| held("ann", path)));
        prop_assert!(!allowed || !paths.iter().any(|path| held("ben", path)));
        prop_assert!(!allowed || waited == 0);
    }
}

#[test]
fn whoever_asks_for_something_unnamed_is_told_so_in_the_same_words() {
    let bed = bed();
    let refused = guard(&bed.team, "ann", &Wish::Shell, &site(), bed.now()).unwrap_err();
    let unnamed = request(Power::Shell, Shape::Unnamed { words: "a patch, somewhere".into() });
    let words = refused.clone().of(&unnamed).to_string();
    assert!(
        words.starts_with("Not done: you may not do `a patch, somewhere`, which counts as a command."),
        "{words}"
    );
    let command = request(Power::Shell, Shape::Command { command: "ls".into() });
    assert_eq!(refused.clone().of(&command), refused);
}
