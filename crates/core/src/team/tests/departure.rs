//! Who leaves a team, and a team that is closed.

use super::*;

#[test]
fn whoever_leaves_gives_everything_back_and_is_told() {
    let mut bed = Bed::new();
    let (one, two) = (bed.task(&[], &["src"]).unwrap(), bed.task(&[], &["docs"]).unwrap());
    bed.claim(one, BEN).unwrap();
    bed.claim(two, ANN).unwrap();
    let events = leave(&bed.team, "ben", By::Person).unwrap();
    let told = |agent: &str| {
        let notices = events.iter().flat_map(|event| inbox(&bed.team, event, agent));
        notices.map(|notice| notice.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(told("ben"), ["INBOX: task_released task-0001 by daemon", "INBOX: agent_left ben by user"]);
    assert_eq!(told("ann"), ["INBOX: task_released task-0001 by daemon"]);
    let summaries = events.iter().flat_map(|event| inbox(&bed.team, event, "ben"));
    let summaries: Vec<String> = summaries.map(|notice| notice.summary()).collect();
    assert_eq!(summaries, ["Task task-0001 released by daemon", "Agent ben removed by user"]);
    bed.take(Ok(events)).unwrap();
    assert_eq!((bed.status(one), bed.status(two)), (Status::Pending, Status::InProgress));
    assert_eq!(bed.team.agent_of(SessionId::from_random([1; 16])), None);
    // Asked for again it is done already; who was never there cannot leave.
    assert_eq!(leave(&bed.team, "ben", By::Person), Ok(Vec::new()));
    let refused = leave(&bed.team, "nobody", By::Person).unwrap_err();
    assert_eq!(refused.to_string(), "`nobody` is not in this team; members: ann, lea");
    // No name is given to another by itself.
    assert!(bed.team.names().any(|name| name == "ben"));
    let member = Member { role: WORKER.into(), model: None, session: None };
    let (id, _) = join(&bed.team, None, "ben", member.clone(), By::Person, |_| true, |_| false).unwrap();
    assert_eq!(id, "ben-1");
    let refused = let_in(&bed.team, "ben", false, By::Person).unwrap_err();
    assert_eq!(refused, Refused::TakenOut { agent: "ben".into(), team: bed.team.id.clone() });
    assert!(let_in(&bed.team, "ben", true, By::Person).is_ok_and(|events| events.len() == 1));
    assert!(let_in(&bed.team, "dora", false, By::Person).is_ok_and(|events| events.len() == 1));
    assert_eq!(let_in(&bed.team, "ann", false, By::Person), Ok(Vec::new()));
    // Taken in again it belongs to it again.
    let again = enrol(&bed.team, "ben", member, By::Person);
    bed.take(again).unwrap();
    assert!(bed.team.agents.contains_key("ben") && bed.team.former.is_empty());
}

#[test]
fn leaders_take_others_out_and_workers_only_themselves() {
    let bed = Bed::new();
    assert_eq!(leave(&bed.team, "ann", BEN), Err(Refused::NotLeader));
    assert!(leave(&bed.team, "ann", By::Agent("lea")).is_ok());
    assert!(leave(&bed.team, "ann", ANN).is_ok());
}

#[test]
fn a_closed_team_is_history() {
    let mut bed = Bed::new();
    let (one, two) = (bed.task(&[], &[]).unwrap(), bed.task(&[], &[]).unwrap());
    let epoch = bed.claim(one, ANN).unwrap();
    assert_eq!(close(&bed.team, ANN), Err(Refused::NotLeader));
    let events = close(&bed.team, By::Agent("lea")).unwrap();
    assert!(matches!(&events[..], [Event::Released { .. }, Event::Closed { .. }]), "{events:?}");
    bed.take(Ok(events)).unwrap();
    assert!(bed.team.held.is_empty() && bed.team.tasks.len() == 2);
    assert_eq!(close(&bed.team, By::Person), Ok(Vec::new()), "once is enough");
    let closed = Err(Refused::Closed { team: bed.team.id.clone() });
    let (team, now) = (&bed.team, bed.now());
    assert_eq!(claim(team, two, ANN, None, now), closed);
    assert_eq!(leave(team, "ben", By::Person), closed);
    assert!(!team.is_member(SessionId::from_random([1; 16])), "it is nobody's any more");
    let permit = can_write(team, "ann", "src", now);
    assert_eq!((permit.allow, permit.reason.word()), (false, "team_closed"));
    assert!(!permit.reason.advice().contains("claim"), "{permit:?}");
    assert_eq!(cancel(team, two, By::Person), closed);
    assert_eq!(retry(team, two, By::Person), closed);
    assert_eq!(reassign(team, two, By::Person, Some(ANN), None, now, |_| true), closed);
    let member = Member { role: WORKER.into(), model: None, session: None };
    assert_eq!(enrol(team, "carl", member, By::Person), closed);
    assert!(matches!(
        complete(team, one, ANN, epoch, Outcome::default(), now),
        Err(Refused::NotInProgress { .. })
    ));
    let wanted = Plan { title: "late".into(), ..Plan::default() };
    assert_eq!(plan(team, By::Person, wanted).map(drop), closed.map(drop));
    bed.assert_replays();
}

#[test]
fn who_started_and_who_ended_a_worker_is_noted_once() {
    let mut bed = Bed::new();
    let session = SessionId::from_random([1; 16]);
    let name = bed.team.agent_of(session).unwrap().to_owned();
    assert_eq!(worker_ended(&bed.team, SessionId::from_random([9; 16]), "user"), None);
    let seen = |event: &Event| {
        assert!(inbox(&Bed::new().team, event, "ann").is_empty(), "nobody's work is changed by it");
        let notice = audit(&Bed::new().team, event).pop().unwrap();
        (notice.kind, notice.actor, notice.to)
    };
    let began = worker_started(&bed.team, session, "lea").unwrap();
    assert_eq!(seen(&began), ("worker_started", "lea".to_owned(), Some(name.clone())));
    bed.take(Ok(vec![began])).unwrap();
    let over = worker_ended(&bed.team, session, "user").unwrap();
    assert_eq!(seen(&over), ("worker_ended", "user".to_owned(), Some(name)));
    bed.take(Ok(vec![over])).unwrap();
    assert_eq!(worker_ended(&bed.team, session, "daemon"), None);
    let again = worker_started(&bed.team, session, "user").unwrap();
    bed.take(Ok(vec![again])).unwrap();
    assert!(worker_ended(&bed.team, session, "daemon").is_some());
    let closed = close(&bed.team, By::Person);
    bed.take(closed).unwrap();
    assert_eq!(
        (worker_started(&bed.team, session, "user"), worker_ended(&bed.team, session, "user")),
        (None, None)
    );
}
