//! Who has a task, and until when.

use super::*;

#[test]
fn the_four_refusals_come_in_their_order() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    assert!(matches!(bed.complete(id, ANN, 0), Err(Refused::NotInProgress { .. })));
    let epoch = bed.claim(id, ANN).unwrap();
    assert!(matches!(bed.complete(id, BEN, epoch + 7), Err(Refused::HolderMismatch { .. })));
    assert!(matches!(bed.complete(id, ANN, epoch + 7), Err(Refused::EpochMismatch { now: 1, .. })));
    bed.now = LEASE_MS;
    // Expired comes before the holder and the epoch, whether or not it was noted already.
    for _ in 0..2 {
        for (by, epoch) in [(ANN, epoch), (BEN, epoch), (ANN, 9)] {
            let now = bed.now();
            assert!(matches!(bed.complete(id, by, epoch), Err(Refused::Expired { .. })));
            assert!(matches!(renew(&bed.team, id, by, epoch, None, now), Err(Refused::Expired { .. })));
            assert!(matches!(release(&bed.team, id, by, epoch, now), Err(Refused::Expired { .. })));
            let failed = fail(&bed.team, id, by, epoch, Outcome::default(), now);
            assert!(matches!(failed, Err(Refused::Expired { .. })));
        }
        bed.expire();
    }
    assert_eq!(bed.status(id), Status::Pending, "it is nobody's, and shown so");
    // Claimed again: the old epoch is good for nothing.
    assert_eq!(bed.claim(id, ANN).unwrap(), 2);
    assert!(matches!(bed.complete(id, ANN, epoch), Err(Refused::EpochMismatch { .. })));
    bed.complete(id, ANN, 2).unwrap();
    assert!(matches!(bed.complete(id, ANN, 2), Err(Refused::NotInProgress { status: "completed", .. })));
    bed.assert_replays();
}

#[test]
fn a_lease_that_ran_out_unnoticed_ends_when_another_claims() {
    let mut bed = Bed::new();
    let (one, other) = (bed.task(&[], &["src"]).unwrap(), bed.task(&[], &["src/io"]).unwrap());
    bed.claim(one, ANN).unwrap();
    assert!(matches!(bed.claim(other, BEN), Err(Refused::Overlap { .. })));
    bed.now = LEASE_MS;
    assert_eq!(bed.claim(other, BEN).unwrap(), 1);
    let kinds: Vec<bool> =
        bed.events.iter().map(|(event, _)| matches!(event, Event::Expired { .. })).collect();
    assert_eq!(kinds.iter().filter(|expired| **expired).count(), 1);
    assert_eq!(bed.status(one), Status::Pending);
    assert!(matches!(bed.claim(one, ANN), Err(Refused::Overlap { .. })));
    bed.assert_replays();
}

#[test]
fn the_lease_of_one_at_work_is_extended_before_it_ends() {
    let mut bed = Bed::new();
    let (one, other) = (bed.task(&[], &[]).unwrap(), bed.task(&[], &[]).unwrap());
    bed.claim(one, ANN).unwrap();
    bed.claim(other, BEN).unwrap();
    // The daemon cannot see whether Ann is working: only the end of her lease counts.
    assert_eq!(attention(&bed.team, one, at(0)).unwrap().at, at(LEASE_MS));
    let early = attention(&bed.team, other, at(0)).unwrap().at;
    assert_eq!(early, at(LEASE_MS - 30_000));
    let both = [one, other];
    assert_eq!(extend(&bed.team, both, |_| true, at(0)), [], "there is time");
    assert_eq!(extend(&bed.team, both, |_| false, early), []);
    let extended = extend(&bed.team, both, |agent| agent == "ben", early);
    assert!(matches!(&extended[..], [Event::Renewed { by_itself: true, epoch: 1, .. }]));
    bed.now = LEASE_MS - 30_000;
    bed.take(Ok(extended)).unwrap();
    bed.now = LEASE_MS;
    assert_eq!(extend(&bed.team, both, |_| true, bed.now()), [], "what ran out is not brought back");
    assert_eq!(bed.expire(), 1);
    assert_eq!((bed.status(one), bed.status(other)), (Status::Pending, Status::InProgress));
    assert_eq!(attention(&bed.team, one, bed.now()), None);
    // Not at work when it was looked at: it may be at the next look. The last one is at the end.
    let end = bed.team.tasks[&other].lease.as_ref().unwrap().expires_at;
    let (mut now, mut looks) = (bed.now(), Vec::new());
    while now < end {
        now = attention(&bed.team, other, now).unwrap().at;
        looks.push(end.as_millis() - now.as_millis());
    }
    assert_eq!(looks, [30_000, 15_000, 7_500, 3_750, 1_875, 937, 468, 234, 117, 58, 0]);
}

#[test]
fn what_one_had_who_is_gone_is_free_at_once() {
    let mut bed = Bed::new();
    let (first, second) = (bed.task(&[], &["src"]).unwrap(), bed.task(&[], &["docs"]).unwrap());
    bed.claim(first, BEN).unwrap();
    bed.claim(second, ANN).unwrap();
    let released = abandoned(&bed.team, |agent| agent == "ben");
    let told = audit(&bed.team, &released[0]).remove(0);
    assert_eq!(
        (told.kind, told.actor.as_str(), told.to.as_deref()),
        ("task_released", "daemon", Some("ben"))
    );
    assert!(told.reason.is_some());
    bed.take(Ok(released)).unwrap();
    assert_eq!((bed.status(first), bed.status(second)), (Status::Pending, Status::InProgress));
    assert!(matches!(bed.complete(first, BEN, 1), Err(Refused::NotInProgress { .. })));
    assert_eq!(bed.claim(first, ANN).unwrap(), 2);
    bed.assert_replays();
}

#[test]
fn a_refusal_calls_its_reader_you() {
    let mut bed = Bed::new();
    let (one, other) = (bed.task(&[], &["src"]).unwrap(), bed.task(&[], &["src/io"]).unwrap());
    bed.claim(one, By::Person).unwrap();
    let assigned = |by| reassign(&bed.team, other, by, Some(BEN), None, bed.now(), |_| true).unwrap_err();
    assert_eq!(
        assigned(By::Person).to_string(),
        "task-0002 cannot be assigned now: you own task-0001, whose resource `src` overlaps `src/io`"
    );
    let claimed = claim(&bed.team, other, ANN, None, bed.now()).unwrap_err();
    assert_eq!(
        claimed.to_string(),
        "task-0002 cannot be claimed now: user owns task-0001, whose resource `src` overlaps `src/io`"
    );
    bed.now = LEASE_MS;
    let expired = bed.complete(one, By::Person, 1).unwrap_err();
    assert_eq!(expired.to_string(), "your lease on task-0001 (epoch 1) has expired");
    let expired = bed.complete(one, ANN, 1).unwrap_err();
    assert_eq!(expired.to_string(), "user's lease on task-0001 (epoch 1) has expired");
}

#[test]
fn a_task_that_no_member_holds_says_what_it_waits_for() {
    let mut bed = Bed::new();
    let first = bed.task(&[], &[]).unwrap();
    bed.task(&[], &[]).unwrap();
    let one = bed.task(&["task-0001"], &[]).unwrap();
    let two = bed.task(&["task-0001", "task-0002"], &[]).unwrap();
    let told = |bed: &mut Bed, id| bed.complete(id, ANN, 1).unwrap_err().to_string();
    assert_eq!(told(&mut bed, first), "task-0001 is not owned by any member");
    assert_eq!(
        told(&mut bed, one),
        "task-0003 is not owned by any member; it is blocked until task-0001 is completed"
    );
    assert_eq!(
        told(&mut bed, two),
        "task-0004 is not owned by any member; it is blocked until task-0001, task-0002 are completed"
    );
}

#[test]
fn whoever_has_a_task_is_told_by_which_lease() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    bed.claim(id, ANN).unwrap();
    let again = bed.claim(id, ANN).unwrap_err();
    assert_eq!(again.to_string(), "you already own task-0001 (epoch 1)");
    let wrong = bed.complete(id, ANN, 99).unwrap_err();
    assert_eq!(wrong.to_string(), "you own task-0001 at epoch 1, not 99");
}

#[test]
fn a_short_lease_expires_and_is_extended_by_a_second_at_least() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    let claimed = claim(&bed.team, id, ANN, Some(25), at(0));
    bed.take(claimed).unwrap();
    assert_eq!((due(&bed.team, [id], at(24)), due(&bed.team, [id], at(25)).len()), (Vec::new(), 1));
    // Its holder at work keeps it without an event every few milliseconds.
    let extended = extend(&bed.team, [id], |_| true, at(20));
    assert!(
        matches!(&extended[..], [Event::Renewed { ttl_ms: 1000, expires_at, .. }] if *expires_at == at(1020)),
        "{extended:?}"
    );
}
