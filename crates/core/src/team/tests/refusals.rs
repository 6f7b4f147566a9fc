//! What a team remembers of refused writes.

use super::*;
use crate::id::ContentId;
use crate::limits::{REFUSALS_KEPT, REFUSALS_PER_MINUTE};

fn wish(agent: &str, sha: &str) -> WriteRefused {
    WriteRefused {
        agent: agent.to_owned(),
        session: SessionId::from_random([1; 16]),
        what: ContentRef { id: ContentId::from_parts(at(0), [7; 10]), len: 2, sha256: sha.to_owned() },
        reason: "no_active_lease_for_path".to_owned(),
        why: "ben owns no task".to_owned(),
    }
}

impl Bed {
    fn refuse(&mut self, refused: WriteRefused) -> bool {
        let event = write_refused(&self.team, refused, self.now());
        let noted = event.is_some();
        self.take(Ok(event.into_iter().collect())).unwrap();
        noted
    }
}

#[test]
fn the_same_is_noted_once_a_minute() {
    let mut bed = Bed::new();
    assert!(bed.refuse(wish("ben", "a")));
    bed.now = 59_000;
    assert!(!bed.refuse(wish("ben", "a")));
    assert!(bed.refuse(wish("ben", "b")), "something else");
    assert!(bed.refuse(wish("ann", "a")), "somebody else");
    bed.now = 60_000;
    assert!(bed.refuse(wish("ben", "a")));
    assert_eq!(bed.team.refusals["ben"].len(), 3);
    bed.assert_replays();
}

#[test]
fn however_often_a_member_tries_only_so_much_is_noted_and_kept() {
    let mut bed = Bed::new();
    let noted = |bed: &mut Bed| (0..50).filter(|at| bed.refuse(wish("ben", &at.to_string()))).count();
    assert_eq!(noted(&mut bed), REFUSALS_PER_MINUTE);
    bed.now = 60_000;
    assert_eq!(noted(&mut bed), REFUSALS_PER_MINUTE);
    assert_eq!(bed.team.refusals["ben"].len(), REFUSALS_KEPT);
    assert_eq!(bed.team.refusals["ben"].last().unwrap().at, bed.now());
}

#[test]
fn only_members_of_an_open_team_are_noted() {
    let mut bed = Bed::new();
    assert!(!bed.refuse(wish("nobody", "a")));
    assert!(bed.refuse(wish("ben", "a")));
    let left = leave(&bed.team, "ben", By::Person);
    bed.take(left).unwrap();
    assert!(bed.team.refusals.is_empty(), "they go with the member");
    let closed = close(&bed.team, By::Person);
    bed.take(closed).unwrap();
    assert!(!bed.refuse(wish("ann", "a")));
}

#[test]
fn a_refusal_is_in_the_audit_trail_and_in_no_inbox() {
    let bed = Bed::new();
    let event = Event::WriteRefused(Box::new(wish("ben", "a")));
    let told = audit(&bed.team, &event);
    assert_eq!(
        (told[0].kind, told[0].actor.as_str(), told[0].to.as_deref()),
        ("write_refused", "daemon", Some("ben"))
    );
    assert!(inbox(&bed.team, &event, "ben").is_empty() && inbox(&bed.team, &event, "ann").is_empty());
}
