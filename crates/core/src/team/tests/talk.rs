//! Threads of a team, and what its agents are told.

use super::*;

#[test]
fn an_inbox_tells_what_others_did_and_what_was_said_to_one() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    let wanted =
        Thread { id: thread_id(1), title: "t".into(), participants: vec!["ben".into()], task: Some(id) };
    let started = start_thread(&bed.team, ANN, wanted).unwrap();
    assert_eq!(started.participants, ["ann", "ben"], "whoever starts it takes part");
    bed.take(Ok(vec![Event::ThreadStarted(Box::new(started))])).unwrap();
    let post = PostId::from_parts(at(0), [1; 10]);
    let text =
        ContentRef { id: crate::id::ContentId::from_parts(at(0), [0; 10]), len: 2, sha256: String::new() };
    bed.take(Ok(vec![Event::ThreadPosted { thread: thread_id(1), post, text, from: "ann".into() }])).unwrap();
    let epoch = bed.claim(id, ANN).unwrap();
    bed.complete(id, ANN, epoch).unwrap();
    let told = |agent: &str| {
        let events = bed.events.iter().flat_map(|(event, _)| inbox(&bed.team, event, agent));
        events.map(|notice| notice.to_string()).collect::<Vec<_>>()
    };
    let (made, done) = ("INBOX: task_created task-0001 by user", "INBOX: task_completed task-0001 by ann");
    let claimed = "INBOX: task_claimed task-0001 by ann";
    assert_eq!(told("ben"), [made, "INBOX: thread_message thread-0001 by ann", claimed, done]);
    assert_eq!(told("lea"), [made, claimed, done], "not in the thread");
    assert_eq!(told("ann"), [made], "nobody is told what they did");
    let trail: Vec<&str> =
        bed.events.iter().flat_map(|(event, _)| audit(&bed.team, event)).map(|notice| notice.kind).collect();
    assert_eq!(
        trail,
        [
            "team_created",
            "task_created",
            "thread_started",
            "thread_message",
            "task_claimed",
            "task_completed"
        ]
    );
}

#[test]
fn threads_belong_to_tasks_that_are_there() {
    let mut bed = Bed::new();
    let id = bed.task(&[], &[]).unwrap();
    let wanted = |task| Thread { id: thread_id(1), title: "t".into(), participants: Vec::new(), task };
    assert!(matches!(start_thread(&bed.team, ANN, wanted(Some(TaskId(9)))), Err(Refused::NoTask(..))));
    let started = start_thread(&bed.team, ANN, wanted(None)).unwrap();
    let alias = started.alias;
    bed.take(Ok(vec![Event::ThreadStarted(Box::new(started))])).unwrap();
    assert!(matches!(link(&bed.team, ANN, alias, TaskId(9)), Err(Refused::NoTask(..))));
    assert!(matches!(link(&bed.team, ANN, ThreadAlias(9), id), Err(Refused::NoThread(..))));
    let linked = link(&bed.team, ANN, alias, id);
    bed.take(linked).unwrap();
    assert_eq!(bed.team.threads[&alias].task, Some(id));
    assert_eq!(link(&bed.team, ANN, alias, id), Ok(Vec::new()));
    // An outcome refers only to what was said here.
    let epoch = bed.claim(id, ANN).unwrap();
    let message = |thread| Some(MessageRef { thread, post: PostId::from_parts(at(0), [1; 10]) });
    let elsewhere = Outcome { summary: None, message: message(ThreadAlias(9)) };
    let refused = complete(&bed.team, id, ANN, epoch, elsewhere, bed.now());
    assert!(matches!(refused, Err(Refused::NoThread(..))));
    let here = Outcome { summary: None, message: message(alias) };
    let completed = complete(&bed.team, id, ANN, epoch, here, bed.now());
    bed.take(completed).unwrap();
    bed.assert_replays();
}
