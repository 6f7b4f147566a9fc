//! Who comes and goes in the middle of something.

use paseo_core::id::{SessionId, TokenId};
use paseo_core::session::Source;
use paseo_core::settings::Event as Setting;
use paseo_core::thread;
use paseo_store::Which;
use paseo_wire::error::Code;

use super::*;
use crate::sessions::Command;

fn uninvite() -> serde_json::Value {
    json!({ "uninvite": { "participant_id": "ada" } })
}

/// Waits until something is so, with everything that is stored.
async fn until<F: Future<Output = bool>>(house: &House, is_so: impl Fn() -> F) {
    let mut head = house.app.sessions.context.journal.log.watch();
    let waited = async {
        loop {
            head.borrow_and_update();
            if is_so().await {
                return;
            }
            head.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waited).await.expect("it becomes so");
}

/// Says whether a session is open, as it is stored.
async fn is_open(house: &House, session: SessionId) -> bool {
    house.app.sessions.context.journal.session(session).await.unwrap().unwrap().0.is_open()
}

/// Makes the session of `ada` for a message. What it is told is lost on the way: the thread is told that, at once.
async fn made(threads: &Threads, id: ThreadId, due: &Due) -> SessionId {
    let before = threads.get(id).await.unwrap();
    let trigger = threads.trigger(&before, due.at).await.unwrap();
    threads.seat(&before, due, &before.invited["ada"], &trigger).await.unwrap()
}

/// Seats `ada`, who has nothing more to do.
async fn seated(house: &House, id: ThreadId) -> SessionId {
    let threads = &house.app.threads;
    let due = said(threads, id).await;
    let session = made(threads, id, &due).await;
    threads.woken(id, &due, session, mint::delivery()).await.unwrap();
    until(house, || async { answers(threads, id, &due).await == 1 }).await;
    session
}

async fn token(house: &House, id: ThreadId) -> TokenId {
    let context = &house.app.sessions.context;
    let (token, actor) = (mint::token(), Actor::Seat(format!("{id}/eve")));
    let (name, sha256) = ("eve".into(), "0".into());
    let created = Setting::TokenCreated { token, name, actor, sha256, directory: None };
    context.settings.change(&context.journal, &Actor::Daemon, created).await.unwrap();
    token
}

fn has(house: &House, token: TokenId) -> bool {
    house.app.sessions.context.settings.get().tokens.contains_key(&token)
}

#[tokio::test]
async fn who_is_uninvited_while_being_woken_still_answers() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let due = said(threads, id).await;
    // It is just being told: the thread does not know yet.
    let alone = threads.waking.alone(id, "ada").await;
    let session = made(threads, id, &due).await;
    let (person, uninvite, leaving) = (person(), uninvite(), threads.clone());
    let mut leaving = tokio::spawn(async move { leaving.control(&person, id, &uninvite).await });
    let early = tokio::time::timeout(Duration::from_millis(200), &mut leaving).await;
    assert!(early.is_err(), "it goes when that is noted");
    threads.woken(id, &due, session, mint::delivery()).await.unwrap();
    drop(alone);
    leaving.await.unwrap().unwrap();
    until(&house, || async { answers(threads, id, &due).await == 1 }).await;
    until(&house, || async { !is_open(&house, session).await }).await;
    let (closed, _) = house.app.sessions.context.journal.session(session).await.unwrap().unwrap();
    assert_eq!(closed.condition.source, Source::Daemon, "no person closed it");
}

#[tokio::test]
async fn nobody_works_for_a_thread_that_is_deleted_while_they_are_woken() {
    let house = House::new().await;
    let threads = &house.app.threads;
    // Made before the thread was deleted, and after.
    for late in [false, true] {
        let id = thread(threads, "plan").await;
        let due = said(threads, id).await;
        let before = threads.get(id).await.unwrap();
        let trigger = threads.trigger(&before, due.at).await.unwrap();
        let seat = || threads.seat(&before, &due, &before.invited["ada"], &trigger);
        if late {
            threads.delete(&person(), id, true).await.unwrap();
            seat().await.unwrap();
        } else {
            seat().await.unwrap();
            threads.delete(&person(), id, true).await.unwrap();
        }
        assert_eq!(sessions(&house), usize::from(late));
        threads.wake(id, due).await;
        assert_eq!(sessions(&house), 0);
    }
}

#[tokio::test]
async fn what_a_deleted_thread_left_behind_is_cleared_away_after_the_end() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let session = seated(&house, id).await;
    let eve = token(&house, id).await;
    // The daemon dies as soon as that is stored.
    let delete = |_: &Thread, change: &mut Change| {
        change.events.push(Event::Deleted {});
        change.erase();
        Ok(())
    };
    threads.rooms.change(&person().actor, &id, None, delete, |()| String::new()).await.map(drop).unwrap();
    assert!(is_open(&house, session).await && has(&house, eve));
    threads.boot().await.unwrap();
    assert!(!is_open(&house, session).await && !has(&house, eve));
    let log = &house.app.sessions.context.journal.log;
    assert!(log.heads("thread/", Which::Live, None, 500).await.unwrap().is_empty(), "nothing is left to do");
    // What a person opens again is theirs.
    let by = person().actor;
    house.app.sessions.ask(session, |reply| Command::Reopen(by, reply)).await.unwrap();
    threads.boot().await.unwrap();
    assert!(is_open(&house, session).await);
}

#[tokio::test]
async fn a_delete_that_is_refused_closes_nothing() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let session = seated(&house, id).await;
    let eve = token(&house, id).await;
    said(threads, id).await;
    assert!(threads.delete(&person(), id, false).await.is_err());
    assert!(is_open(&house, session).await && has(&house, eve));
    threads.delete(&person(), id, true).await.unwrap();
    assert!(!is_open(&house, session).await && !has(&house, eve));
}

#[tokio::test]
async fn whoever_left_before_the_end_is_seen_off_after() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let session = seated(&house, id).await;
    // It left, and the daemon dies before its session is closed.
    let leave = |thread: &Thread, change: &mut Change| {
        let control = Box::new(thread::control(thread, &uninvite(), &thread::Others::new()).unwrap());
        let (post, from) = (mint::post(), USER.to_owned());
        change.events.push(Event::Controlled { post, from, control, by: None, cause: None });
        Ok(())
    };
    threads.rooms.change(&person().actor, &id, None, leave, |()| String::new()).await.map(drop).unwrap();
    assert!(is_open(&house, session).await);
    threads.boot().await.unwrap();
    assert!(!is_open(&house, session).await);
}

#[tokio::test]
async fn what_a_person_closed_only_a_person_opens() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let session = seated(&house, id).await;
    let by = person().actor;
    house.app.sessions.close(session, &by).await.unwrap();
    let renamed =
        |name: &str| json!({ "invite": { "participant_id": "ada", "profile": { "nickname": name } } });
    let eve = Speaker { actor: Actor::Seat(format!("{id}/eve")), id: "eve".into(), cause: None };
    threads.control(&eve, id, &renamed("Countess")).await.unwrap();
    assert!(!is_open(&house, session).await);
    threads.control(&person(), id, &renamed("Duchess")).await.unwrap();
    assert!(is_open(&house, session).await);
}

#[tokio::test]
async fn a_session_that_was_left_for_another_place_is_closed() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let former = seated(&house, id).await;
    threads.relocate(&person(), id, "/tmp").await.unwrap();
    let due = said(threads, id).await;
    threads.wake(id, due).await;
    until(&house, || async { !is_open(&house, former).await }).await;
    let thread = threads.get(id).await.unwrap();
    assert!(thread.former.is_empty() && thread.invited["ada"].session != Some(former));
}

#[tokio::test]
async fn an_agent_switches_nothing_beside_what_it_notes() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let eve = Speaker { actor: Actor::Seat(format!("{id}/eve")), id: "eve".into(), cause: None };
    let content = json!({ "mute": { "targets": ["ada"] }, "done": true });
    let refused = threads.control(&eve, id, &content).await.unwrap_err();
    assert_eq!(refused.code, Code::Forbidden);
    assert!(threads.control(&eve, id, &json!({ "done": true })).await.is_ok());
    // Who comes and goes it may say, and only that counts.
    let content = json!({ "mute": { "targets": ["ada"] }, "uninvite": { "participant_id": "ada" } });
    let (left, _) = threads.control(&eve, id, &content).await.unwrap();
    assert!(left.invited.is_empty() && left.muted.is_empty());
}

#[tokio::test]
async fn a_session_that_its_thread_never_heard_of_is_closed_at_the_next_boot() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let known = seated(&house, thread(threads, "another").await).await;
    // It was told something, and the daemon died before the thread knew. By now nobody wants it any more.
    let due = said(threads, id).await;
    let stray = made(threads, id, &due).await;
    threads.control(&person(), id, &uninvite()).await.unwrap();
    assert!(is_open(&house, stray).await);
    threads.boot().await.unwrap();
    until(&house, || async { !is_open(&house, stray).await }).await;
    assert!(is_open(&house, known).await, "who is invited stays");
}

#[tokio::test]
async fn who_could_never_be_woken_is_not_invited() {
    let house = House::new().await;
    let threads = &house.app.threads;
    let id = thread(threads, "plan").await;
    let check = async |client: &str| {
        let profile = json!({ "client": client, "model": "default" });
        let content = json!({ "invite": { "participant_id": "eve", "profile": profile } });
        threads.check_client(&threads.get(id).await.unwrap(), &content)
    };
    let refused = check("nosuch").await.unwrap_err();
    assert_eq!(refused.code, Code::ProviderUnavailable);
    assert!(refused.message.contains("`nosuch`") && refused.hint.unwrap().contains("scripted"));
    assert!(check("scripted").await.is_ok() && check(paseo_core::definition::DEFAULT).await.is_ok());
}
