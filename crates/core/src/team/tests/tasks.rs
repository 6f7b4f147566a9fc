//! How tasks end.

use super::*;

#[test]
fn a_task_goes_from_pending_to_completed_and_frees_what_waited() {
    let mut bed = Bed::new();
    let (first, second) = (bed.task(&[], &[]).unwrap(), bed.task(&["task-0001", "task-0001"], &[]).unwrap());
    assert_eq!((first.to_string(), second.to_string()), ("task-0001".into(), "task-0002".into()));
    assert_eq!(bed.team.tasks[&second].deps, [first], "named twice, it is one");
    assert_eq!(bed.status(first), Status::Pending);
    assert_eq!(bed.status(second).reason().unwrap(), "task-0001 is not completed");
    assert!(matches!(bed.claim(second, ANN), Err(Refused::NotClaimable { .. })));
    let epoch = bed.claim(first, ANN).unwrap();
    assert_eq!((epoch, bed.status(first)), (1, Status::InProgress));
    assert_eq!(bed.team.tasks[&first].lease.as_ref().unwrap().expires_at, at(LEASE_MS));
    bed.complete(first, ANN, epoch).unwrap();
    let Some((Event::Completed { unblocks, .. }, _)) = bed.events.last() else { panic!() };
    assert_eq!(unblocks, &[second]);
    assert_eq!((bed.status(first), bed.status(second)), (Status::Completed, Status::Pending));
    bed.assert_replays();
}

#[test]
fn unknown_and_own_dependencies_are_refused() {
    let mut bed = Bed::new();
    for dep in ["task-0002", "task-0001", "task-1", "../runtime", "", "task-00001", "task-0000"] {
        assert!(bed.task(&[dep], &[]).is_err(), "{dep}");
    }
    assert!(bed.task(&["task-0001"], &[]).unwrap_err().to_string().contains("itself"));
    bed.task(&[], &[]).unwrap();
    let unknown = bed.task(&["task-0003"], &[]).unwrap_err();
    assert!(matches!(unknown, Refused::NoDependency(TaskId(3), _)), "{unknown:?}");
    assert!(unknown.to_string().contains("dependency task-0003 not found"));
}

#[test]
fn no_two_members_of_a_new_team_have_the_same_id() {
    let member = |id: &str| Enrolled {
        id: id.to_owned(),
        member: Member { role: WORKER.to_owned(), model: None, session: None },
        by: None,
    };
    let found = |ids: &[&str]| {
        let agents = ids.iter().map(|id| member(id)).collect();
        found("red".parse().unwrap(), None, agents, Actor::Human("cli".into()))
    };
    assert!(found(&["ann", "bob"]).is_ok());
    assert_eq!(found(&["ann", "bob", "ann"]).unwrap_err(), Refused::SameId("ann".to_owned()));
}

#[test]
fn a_failed_dependency_is_seen_and_can_be_tried_again() {
    let mut bed = Bed::new();
    let (first, second) = (bed.task(&[], &[]).unwrap(), bed.task(&["task-0001"], &[]).unwrap());
    let epoch = bed.claim(first, ANN).unwrap();
    let failed = fail(&bed.team, first, ANN, epoch, Outcome::default(), bed.now());
    bed.take(failed).unwrap();
    let Status::Blocked(blockers) = bed.status(second) else { panic!() };
    assert_eq!(blockers, [Blocker { task: first, stuck: Some(Stage::Failed) }]);
    assert!(bed.claim(second, ANN).unwrap_err().to_string().contains("task-0001 failed; retry task-0001"));
    assert!(matches!(retry(&bed.team, first, BEN), Err(Refused::NotYours { .. })));
    let again = retry(&bed.team, first, By::Agent("lea"));
    bed.take(again).unwrap();
    assert_eq!(bed.status(first), Status::Pending);
    let epoch = bed.claim(first, BEN).unwrap();
    assert_eq!(epoch, 2, "epochs go on");
    bed.complete(first, BEN, epoch).unwrap();
    assert_eq!(bed.status(second), Status::Pending);
    bed.assert_replays();
}

#[test]
fn tasks_are_released_canceled_and_given_to_others() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &["src"]).unwrap();
    let epoch = bed.claim(id, ANN).unwrap();
    let released = release(&bed.team, id, ANN, epoch, bed.now());
    bed.take(released).unwrap();
    assert_eq!((bed.status(id), bed.team.tasks[&id].owner.clone()), (Status::Pending, None));
    bed.claim(id, BEN).unwrap();
    assert!(matches!(cancel(&bed.team, id, ANN), Err(Refused::NotYours { .. })));
    assert!(matches!(
        reassign(&bed.team, id, BEN, Some(ANN), None, at(0), |_| true),
        Err(Refused::NotYours { .. })
    ));
    let given = reassign(&bed.team, id, By::Person, Some(ANN), None, bed.now(), |_| true);
    bed.take(given).unwrap();
    let lease = bed.team.tasks[&id].lease.clone().unwrap();
    assert_eq!((lease.holder.as_str(), lease.epoch), ("ann", 3));
    assert!(matches!(bed.complete(id, BEN, 2), Err(Refused::HolderMismatch { .. })));
    let taken = reassign(&bed.team, id, By::Agent("lea"), None, None, bed.now(), |_| true);
    bed.take(taken).unwrap();
    assert_eq!(bed.status(id), Status::Pending);
    bed.claim(id, BEN).unwrap();
    let canceled = cancel(&bed.team, id, BEN);
    bed.take(canceled).unwrap();
    assert_eq!(bed.status(id), Status::Canceled);
    assert!(bed.team.held.is_empty());
    assert!(matches!(cancel(&bed.team, id, By::Person), Err(Refused::Over { .. })));
    let again = retry(&bed.team, id, By::Person);
    bed.take(again).unwrap();
    assert_eq!(bed.status(id), Status::Pending);
    bed.assert_replays();
}

#[test]
fn a_task_is_given_only_to_who_is_there() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    let nobody =
        reassign(&bed.team, id, By::Person, Some(By::Agent("nobody-here")), None, bed.now(), |_| true);
    let words = nobody.unwrap_err().to_string();
    assert_eq!(words, "`nobody-here` is not in this team; members: ann, ben, lea, user");
    assert!(reassign(&bed.team, id, By::Person, Some(By::Person), None, bed.now(), |_| true).is_ok());
    // Ben's session was closed.
    let given = |to: &str| {
        reassign(&bed.team, id, By::Person, Some(By::Agent(to)), None, bed.now(), |_| false).unwrap_err()
    };
    assert!(given("nobody-here").to_string().ends_with("members: ann, lea, user"));
    assert_eq!(given("ben").to_string(), "`ben` is closed and cannot take tasks");
}
