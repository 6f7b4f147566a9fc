//! Who comes, leaves and comes back, and what is seen of them.

use super::*;

impl Bed {
    /// A participant is invited, perhaps by a session.
    fn invite_by(&mut self, session: Option<SessionId>, id: &str, model: &str) {
        let content =
            json!({"invite": {"participant_id": id, "profile": {"client": "codex", "model": model}}});
        let (post, control) =
            (self.next(), Box::new(control(&self.thread, &content, &Others::new()).unwrap()));
        self.push(Event::Controlled {
            post,
            from: "x".into(),
            control,
            by: session.map(Actor::Session),
            cause: None,
        });
    }

    /// Wakes a participant by a message, in a session.
    fn wake(&mut self, seat: &str, session: SessionId) -> Due {
        assert_eq!(self.wakes(seat, "hi"), [seat]);
        let due = self.thread.due.last().unwrap().clone();
        let delivery = DeliveryId::from_parts(now(), [1; 10]);
        self.push(Event::Woken { post: due.post, seat: seat.into(), session, delivery });
        due
    }
}

fn session(number: u8) -> SessionId {
    SessionId::from_random([number; 16])
}

#[test]
fn a_session_is_kept_for_who_comes_back_as_they_were() {
    let mut bed = Bed::new();
    bed.invite_by(None, "ada", "m");
    let due = bed.wake("ada", session(1));
    let work = bed.thread.invited["ada"].working_on[0];
    assert_eq!((work.post, work.at, due.at), (due.post, 3, 3), "what woke it is found by its version");
    bed.push(Event::Settled { post: due.post, seat: "ada".into() });
    let told = bed.thread.invited["ada"].told;
    let leave = |bed: &mut Bed| bed.control(json!({"uninvite": {"participant_id": "ada"}}));
    leave(&mut bed);
    bed.invite_by(None, "ada", "m");
    assert_eq!((bed.thread.invited["ada"].session, bed.thread.invited["ada"].told), (Some(session(1)), told));
    // An agent cannot bring back a participant that a person had invited.
    leave(&mut bed);
    bed.invite_by(Some(session(9)), "ada", "m");
    assert_eq!(bed.thread.invited["ada"].session, None);
    assert_eq!(bed.thread.invited["ada"].inviter, Some(Actor::Session(session(9))));
    // With another model it is another agent, with the limits of the agent that asked for it.
    bed.wake("ada", session(2));
    bed.invite_by(Some(session(8)), "ada", "m2");
    let seat = &bed.thread.invited["ada"];
    assert_eq!((seat.session, seat.working_on.len()), (None, 0));
    assert_eq!(seat.inviter, Some(Actor::Session(session(8))));
    bed.assert_replays();
}

#[test]
fn an_agent_that_works_is_thinking_however_long_it_takes() {
    let mut bed = Bed::new();
    bed.invite_by(None, "ada", "m");
    let state = |bed: &Bed, said: Option<&Presence>, now: i64| {
        let shown = seen(&bed.thread.invited["ada"], said, Timestamp::from_millis(now));
        (shown.state, shown.stale)
    };
    assert_eq!(state(&bed, None, 0), ("offline".into(), false));
    let due = bed.wake("ada", session(1));
    assert_eq!(state(&bed, None, 1 << 40), ("thinking".into(), false));
    bed.push(Event::Settled { post: due.post, seat: "ada".into() });
    assert_eq!(state(&bed, None, 1 << 40), ("listening".into(), false));
    // What it says itself counts as long as it is fresh.
    let said = Presence::says(None, "typing", None, Timestamp::from_millis(0));
    assert_eq!(state(&bed, Some(&said), TTL * 1000), ("typing".into(), false));
    assert_eq!(state(&bed, Some(&said), TTL * 1000 + 1), ("listening".into(), false));
}

#[test]
fn to_names_no_role() {
    let mut bed = Bed::new();
    bed.invite("ada", json!({"client": "codex", "model": "default", "roles": ["dev"]}));
    let (wakes, remarks) = bed.say(USER, "dev", "hello").unwrap();
    assert!(wakes.is_empty() && remarks[0].contains("`dev` is a role, client or model"), "{remarks:?}");
    assert!(
        remarks[0].contains("Write `@dev` in a message to all instead. Participants: ada"),
        "{remarks:?}"
    );
}

/// What is still to be answered, by whom.
fn works(bed: &Bed) -> Vec<(SessionId, PostId)> {
    bed.thread.works().map(|(_, session, work)| (session, work.post)).collect()
}

#[test]
fn what_a_former_agent_works_on_is_kept_however_often_another_takes_its_seat() {
    let mut bed = Bed::new();
    let mut expected = Vec::new();
    for (number, model) in (1..).zip(["m1", "m2", "m3"]) {
        bed.invite_by(None, "ada", model);
        expected.push((session(number), bed.wake("ada", session(number)).post));
    }
    let mut kept = works(&bed);
    kept.sort();
    assert_eq!(kept, expected, "nobody's answer is lost");
    assert!(bed.thread.leaving().is_empty(), "who works is not sent away");
    for (_, post) in expected {
        bed.push(Event::Settled { post, seat: "ada".into() });
    }
    let mut leaving = bed.thread.leaving();
    leaving.sort();
    assert_eq!(leaving, [("ada".into(), session(1)), ("ada".into(), session(2))]);
    assert!(!bed.thread.is_busy() && bed.thread.is_live());
    for (seat, session) in leaving {
        bed.push(Event::Dismissed { seat, session, closed: true });
    }
    assert!(bed.thread.leaving().is_empty() && !bed.thread.is_live());
    // Who was there before comes back as it was.
    bed.invite_by(None, "ada", "m2");
    assert_eq!(bed.thread.invited["ada"].session, Some(session(2)));
    assert_eq!(bed.thread.leaving(), [("ada".into(), session(3))]);
    bed.assert_replays();
}

#[test]
fn a_session_that_is_replaced_finishes_what_it_was_told() {
    let mut bed = Bed::new();
    bed.invite_by(None, "ada", "m");
    let one = bed.wake("ada", session(1));
    let two = bed.wake("ada", session(2));
    assert_eq!(works(&bed), [(session(2), two.post), (session(1), one.post)]);
    assert!(bed.thread.leaving().is_empty());
    bed.push(Event::Settled { post: one.post, seat: "ada".into() });
    assert_eq!(bed.thread.leaving(), [("ada".into(), session(1))]);
    bed.push(Event::Dismissed { seat: "ada".into(), session: session(1), closed: true });
    assert!(bed.thread.leaving().is_empty() && bed.thread.invited["ada"].session == Some(session(2)));
    bed.assert_replays();
}

#[test]
fn the_session_of_who_leaves_is_seen_to_once() {
    let mut bed = Bed::new();
    bed.invite_by(None, "ada", "m");
    let due = bed.wake("ada", session(1));
    bed.control(json!({"uninvite": {"participant_id": "ada"}}));
    assert!(bed.thread.leaving().is_empty());
    bed.push(Event::Settled { post: due.post, seat: "ada".into() });
    assert_eq!(bed.thread.leaving(), [("ada".into(), session(1))]);
    bed.push(Event::Dismissed { seat: "ada".into(), session: session(1), closed: false });
    assert!(bed.thread.leaving().is_empty() && !bed.thread.left["ada"].closed);
    bed.invite_by(None, "ada", "m");
    let seat = &bed.thread.invited["ada"];
    assert_eq!((seat.session, seat.dismissed), (Some(session(1)), false));
    bed.assert_replays();
}

#[test]
fn nobody_s_session_is_forgotten_however_many_left() {
    let mut bed = Bed::new();
    let count = crate::limits::THREAD_GUESTS + 2;
    for number in 0..count {
        bed.number = 0;
        let id = format!("x{number}");
        bed.invite_by(None, &id, "m");
        let [high, low] = u16::try_from(number).unwrap().to_be_bytes();
        let due =
            bed.wake(&id, SessionId::from_random([high, low, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
        bed.push(Event::Settled { post: due.post, seat: id.clone() });
        bed.control(json!({"uninvite": {"participant_id": id}}));
    }
    assert_eq!(bed.thread.leaving().len(), count);
}
