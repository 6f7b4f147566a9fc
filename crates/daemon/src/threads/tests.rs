//! What a daemon that died left half done, to the letter: here the steps are taken one by one.

mod leaving;
mod speaking;

use std::sync::Arc;
use std::time::Duration;

use paseo_core::actor::Actor;
use paseo_core::id::ThreadId;
use paseo_core::thread::{Due, Event, Held, Silence, Thread, USER};
use paseo_store::{Fold, Folded, Record};
use serde_json::json;

use super::room::Change;
use super::{Speaker, Threads, Words};
use crate::http::tests::House;
use crate::mint;
use crate::rules::Rules;

fn person() -> Speaker {
    Speaker { actor: Actor::Human("cli".into()), id: USER.to_owned(), cause: None }
}

/// Makes a thread with `ada` in it.
async fn thread(threads: &Threads, name: &str) -> ThreadId {
    let made = threads.create(&person(), name, Some("/".into()), None).await.unwrap();
    let profile = json!({ "client": "scripted", "model": "default" });
    let invite = json!({ "invite": { "participant_id": "ada", "profile": profile } });
    threads.control(&person(), made.id, &invite).await.unwrap();
    made.id
}

/// Stores a message to `ada`, and dies before anybody is woken.
async fn said(threads: &Threads, id: ThreadId) -> Due {
    let words = Words { to: "ada".into(), text: "hi".into(), reply_to: None, tags: Vec::new() };
    let cause = mint::cause();
    let draft =
        |thread: &Thread, change: &mut Change| threads.draft(thread, change, &person(), &words, &[], cause);
    threads.rooms.change(&person().actor, &id, None, draft, |_| String::new()).await.map(drop).unwrap();
    threads.get(id).await.unwrap().due[0].clone()
}

/// Waits until everybody was told. Nobody answers: there is no program to run.
async fn told(house: &House, id: ThreadId) -> Thread {
    let mut head = house.app.sessions.context.journal.log.watch();
    let waited = async {
        loop {
            head.borrow_and_update();
            let thread = house.app.threads.get(id).await.unwrap();
            if thread.due.is_empty() {
                return thread;
            }
            head.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waited).await.expect("everybody is told")
}

/// How often something that somebody said answers a message.
async fn answers(threads: &Threads, id: ThreadId, due: &Due) -> usize {
    let events = threads.events(id, 0, 500).await.unwrap();
    let posted = events.iter().filter_map(super::coordinator::posted);
    posted.filter(|posted| posted.reply_to == Some(due.post)).count()
}

fn sessions(house: &House) -> usize {
    house.app.sessions.context.directory.all().len()
}

#[tokio::test]
async fn a_session_that_was_made_before_the_end_is_the_one_that_is_woken() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let due = said(threads, id).await;
    let before = threads.get(id).await.unwrap();
    let trigger = threads.trigger(&before, due.at).await.unwrap();
    let made = threads.seat(&before, &due, &before.invited["ada"], &trigger).await.unwrap();
    assert_eq!(threads.get(id).await.unwrap().invited["ada"].session, None, "nobody noted it");
    threads.boot().await.unwrap();
    let after = told(&house, id).await;
    assert_eq!(after.invited["ada"].session, Some(made));
    assert_eq!(sessions(&house), 1);
}

#[tokio::test]
async fn what_a_participant_was_told_before_the_end_it_is_not_told_again() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let due = said(threads, id).await;
    let (session, delivery) = threads.hand_over(id, &due).await.unwrap().unwrap();
    assert!(threads.get(id).await.unwrap().due.contains(&due), "nobody noted it");
    threads.boot().await.unwrap();
    told(&house, id).await;
    let (known, _) = house.app.sessions.context.journal.session(session).await.unwrap().unwrap();
    let waiting = known.queue.iter().map(|waiting| waiting.id);
    let taken = known.turn.iter().flat_map(|turn| &turn.deliveries).map(|taken| taken.id);
    let over = known.recent.iter().map(|settled| settled.id);
    assert_eq!(waiting.chain(taken).chain(over).collect::<Vec<_>>(), [delivery]);
    assert_eq!(sessions(&house), 1);
}

#[tokio::test]
async fn what_was_to_be_released_before_the_end_is_released_after() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let due = said(threads, id).await;
    // It answered while the thread was paused; the thread goes on, and the daemon does not.
    let held = |_: &Thread, change: &mut Change| {
        let (seat, reply_to, text) = ("ada".to_owned(), due.post, change.text("done"));
        let (why, cause) = (Silence::Paused, mint::cause());
        change.events.push(Event::Settled { post: due.post, seat: seat.clone() });
        change.events.push(Event::Held(Held { seat, reply_to, text, why, cause, hop: 1, tags: Vec::new() }));
        Ok(())
    };
    threads.rooms.change(&Actor::Daemon, &id, None, held, |()| String::new()).await.map(drop).unwrap();
    for _ in 0..2 {
        threads.boot().await.unwrap();
        assert!(told(&house, id).await.held.is_empty());
        assert_eq!(answers(threads, id, &due).await, 1);
    }
}

/// Folds as the daemon does, but for one thread that comes to nothing that could be read.
struct Torn;

impl Fold for Torn {
    fn fold(&self, stream: &str, prior: Option<&[u8]>, events: &[Record]) -> Result<Folded, String> {
        let torn = |record: &Record| record.data.as_deref().is_some_and(|data| data.contains("\"torn\""));
        match events.iter().any(torn) {
            true => Ok(Folded { state: b"{".to_vec(), live: true, epoch: 0 }),
            false => Rules.fold(stream, prior, events),
        }
    }
}

#[tokio::test]
async fn a_thread_that_cannot_be_read_stops_no_other_one() {
    let house = House::folding(Arc::new(Torn)).await;
    let threads = &house.app.threads;
    // It is looked at first.
    assert!(threads.create(&person(), "torn", Some("/".into()), None).await.is_err());
    let id = thread(threads, "whole").await;
    said(threads, id).await;
    threads.boot().await.unwrap();
    assert!(told(&house, id).await.invited["ada"].session.is_some());
}
