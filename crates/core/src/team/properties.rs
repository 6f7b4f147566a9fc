//! What holds whatever agents try.

use proptest::prelude::*;

use super::tests::{ANN, BEN, Bed};
use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever agents try, in whatever order and however long they take: a task has one holder, epochs only rise,
    /// no task is ended with an outdated epoch, and no two members work on the same files.
    #[test]
    fn leases_keep_their_promises(
        tries in prop::collection::vec((0u8..9, 0u32..6, 0usize..3, 0u64..4, 0i64..200_000), 0..120)
    ) {
        let mut bed = Bed::new();
        bed.task(&[], &["src"]).unwrap();
        bed.task(&[], &["src/io"]).unwrap();
        bed.task(&["task-0001"], &["doc"]).unwrap();
        bed.task(&[], &["."]).unwrap();
        bed.task(&["task-0002"], &[]).unwrap();
        let agents = [ANN, BEN, By::Agent("lea")];
        for (what, number, who, epoch, wait) in tries {
            bed.now += wait;
            let (id, by, now) = (TaskId(number.max(1)), agents[who], bed.now());
            let before = bed.team.clone();
            let (team, none) = (&bed.team, Outcome::default());
            let events = match what {
                0 | 1 => claim(team, id, by, None, now),
                2 => renew(team, id, by, epoch, None, now),
                3 => complete(team, id, by, epoch, none, now),
                4 => fail(team, id, by, epoch, none, now),
                5 => release(team, id, by, epoch, now),
                6 => reassign(team, id, by, Some(agents[(who + 1) % 3]), None, now, |_| true),
                7 => retry(team, id, by),
                _ => Ok(due(team, team.held.clone(), now)),
            };
            let ends = matches!(what, 3..=5);
            if ends && events.is_ok() {
                let lease = before.tasks[&id].lease.as_ref().unwrap();
                prop_assert!(lease.is_live(now) && lease.holder == by.id() && lease.epoch == epoch);
                prop_assert_eq!(before.tasks[&id].epoch, epoch);
            }
            if what < 2 && events.is_ok() {
                let mut after = before.clone();
                events.as_ref().unwrap().iter().for_each(|event| after.apply(event, now));
                // One winner: at the same instant there is nothing left for another.
                let other = agents[(who + 1) % 3];
                let lost = matches!(claim(&after, id, other, None, now), Err(Refused::NotClaimable { .. }));
                prop_assert!(lost);
                prop_assert_eq!(after.tasks[&id].epoch, before.tasks[&id].epoch + 1);
            }
            let _ = bed.take(events);
            for (id, task) in &bed.team.tasks {
                prop_assert!(task.epoch >= before.tasks[id].epoch);
                prop_assert_eq!(task.lease.is_some(), task.stage == Stage::InProgress);
                prop_assert_eq!(task.lease.is_some(), bed.team.held.contains(id));
                prop_assert!(task.lease.as_ref().is_none_or(|lease| lease.epoch == task.epoch));
                prop_assert!(task.deps.iter().all(|dep| dep < id));
            }
            let leases: Vec<_> = bed.team.leases(now).collect();
            for (one, task, lease) in &leases {
                for (other, theirs, another) in leases.iter().filter(|(other, ..)| other > one) {
                    let shared = task.resources.iter().any(|own| theirs.resources.iter().any(|held| held.overlaps(own)));
                    prop_assert!(!shared || lease.holder == another.holder, "{one} and {other}");
                }
            }
        }
        bed.assert_replays();
    }

    /// A path is refused or normal, and what is normal stays as it is.
    #[test]
    fn normal_paths_stay_normal(path in "[./a-c\\\\ ]{0,12}|/home/u/p[./a-c]{0,8}") {
        let Ok(resource) = Resource::parse(&path, Some("/home/u/p")) else { return Ok(()) };
        prop_assert_eq!(&Resource::parse(resource.as_str(), Some("/home/u/p")).unwrap(), &resource);
        prop_assert!(!resource.as_str().split('/').any(|part| part == ".."));
        prop_assert!(Resource::parse(".", None).unwrap().covers(&resource) && resource.covers(&resource));
    }
}
