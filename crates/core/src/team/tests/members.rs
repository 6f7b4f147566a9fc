//! Who belongs to a team.

use super::*;

#[test]
fn a_roster_can_be_filled_later() {
    let mut bed = Bed::new();
    let member = Member { role: "worker".into(), model: None, session: None };
    let enrolled = enrol(&bed.team, "carl", member.clone(), By::Person);
    bed.take(enrolled).unwrap();
    assert!(bed.team.agents.contains_key("carl"));
    assert_eq!(enrol(&bed.team, "carl", member.clone(), By::Person), Ok(Vec::new()));
    assert!(enrol(&bed.team, "a/b", member.clone(), By::Person).is_err());
    let nobody = Member { role: String::new(), ..member };
    assert!(enrol(&bed.team, "dora", nobody, By::Person).is_err());
}

#[test]
fn a_session_joins_by_a_name_of_its_own() {
    let mut bed = Bed::new();
    let member = |number| Member {
        role: "worker".into(),
        model: None,
        session: Some(SessionId::from_random([number; 16])),
    };
    for name in ["claude-1", "claude-2"] {
        let (id, events) =
            join(&bed.team, None, "claude", member(2), By::Person, |_| true, |_| false).unwrap();
        assert_eq!(id, name);
        bed.take(Ok(events)).unwrap();
    }
    assert!(
        join(&bed.team, Some("ben"), "claude", member(3), By::Person, |_| true, |_| false).is_err(),
        "another is called that"
    );
    assert_eq!(
        join(&bed.team, Some("ben"), "claude", member(1), By::Person, |_| true, |_| false).unwrap().1,
        []
    );
    let (id, events) =
        join(&bed.team, Some("ben"), "claude", member(3), By::Person, |_| false, |_| false).unwrap();
    bed.take(Ok(events)).unwrap();
    assert_eq!(bed.team.agent_of(SessionId::from_random([3; 16])), Some(id.as_str()));
    assert_eq!(
        join(&bed.team, None, "ü x", member(4), By::Person, |_| true, |_| false).unwrap().0,
        "agent-1"
    );
}

#[test]
fn those_who_are_gone_take_no_place_and_whoever_took_one_in_is_known() {
    let mut bed = Bed::new();
    let member = |number: u8| {
        let session = Some(SessionId::from_random([number; 16]));
        Member { role: WORKER.to_owned(), model: None, session }
    };
    for number in 0..crate::limits::TEAM_AGENTS as u8 {
        let new = member(number + 9);
        let (_, events) = join(&bed.team, None, "red", new, By::Agent("lea"), |_| false, |_| false)
            .expect("the others are gone");
        assert_eq!(audit(&bed.team, &events[0])[0].actor, "lea");
        bed.take(Ok(events)).unwrap();
    }
    let new = member(200);
    assert!(matches!(
        join(&bed.team, None, "red", new, By::Person, |_| true, |_| false),
        Err(Refused::Full(_))
    ));
}

#[test]
fn nobody_takes_the_name_of_one_elsewhere_who_could_still_act() {
    let mut bed = Bed::new();
    let session = |number: u8| Some(SessionId::from_random([number; 16]));
    let new = Member { role: WORKER.to_owned(), model: None, session: session(3) };
    let joined = |bed: &Bed, id: &str, token: bool| {
        join(&bed.team, Some(id), "claude", new.clone(), By::Person, |_| false, |_| token)
            .map(|(_, events)| events)
    };
    // It was only enrolled: the place is free.
    assert_eq!(joined(&bed, "ann", false).unwrap().len(), 1);
    let engaged = joined(&bed, "ann", true).unwrap_err();
    assert_eq!(
        engaged.to_string(),
        "the id `ann` in team red is taken: it belongs to a member outside Paseo whose token is still valid"
    );
    let task = bed.task(&[], &["src"]).unwrap();
    let claimed = claim(&bed.team, task, ANN, None, bed.now());
    bed.take(claimed).unwrap();
    assert!(matches!(
        joined(&bed, "ann", false),
        Err(Refused::Engaged { why: "that still owns a task", .. })
    ));

    // A session that comes back under its own name has whatever it had, and one that was closed leaves nothing to the next.
    let given = reassign(&bed.team, task, By::Person, Some(BEN), None, bed.now(), |_| true);
    bed.take(given).unwrap();
    let back = Member { session: session(1), ..new.clone() };
    assert!(join(&bed.team, Some("ben"), "claude", back, By::Person, |_| false, |_| true).is_ok());
    assert!(joined(&bed, "ben", true).is_err());
    let next = joined(&bed, "ben", false).unwrap();
    assert!(matches!(next[..], [Event::Released { by_itself: true, .. }, Event::Enrolled(_)]), "{next:?}");
}
