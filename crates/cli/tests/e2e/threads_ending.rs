//! What comes to an end in threads: the thread itself, sessions of those who left, streams of those whose token was
//! revoked.

use std::io::Read;
use std::time::Duration;

use paseo_client::Client;
use paseo_testkit::home::finish;
use paseo_wire::error::Code;
use paseo_wire::thread::PostMessage;

use crate::screens::{assert_said, assert_told};
use crate::threads::{Room, text};
use crate::watch::next;

#[test]
fn several_threads_are_deleted_at_once_and_the_newest_is_listed_first() {
    let room = Room::new(&[]);
    room.paseo(&["new", "second"]);
    room.paseo(&["new", "third"]);
    room.paseo(&["post", "plan", "I am the newest now"]);
    let names = |list: String| {
        let rows = list.lines().skip(1).map(|row| row.split_whitespace().next().unwrap().to_owned());
        rows.collect::<Vec<_>>()
    };
    assert_eq!(names(room.paseo(&["ls"])), ["plan", "third", "second"]);
    let deleted = room.home().paseo(&["thread", "rm", "second", "nobody", "third"]);
    assert_eq!(deleted.code, 3, "{deleted:?}");
    assert_said!(room.home(), &deleted.stdout, @"
    Deleted thread second
    Deleted thread third
    ");
    assert_told!(room.home(), deleted, @"
    exit 3
    error: thread `nobody` not found
     hint: run `paseo thread ls`
    ");
    assert_eq!(names(room.paseo(&["ls"])), ["plan"]);
}

const GATE: &str = "<<sh while ! test -e gate; do sleep 0.02; done>>";

impl Room {
    /// Returns a client that speaks as a participant.
    async fn guest(&self, seat: &str) -> Client {
        let secret = self.paseo(&["token", "plan", "--as", seat, "-q"]);
        let url = self.watched.client.status().await.unwrap().url;
        Client::tcp(url.trim_start_matches("http://"), Some(secret))
    }

    /// Returns the session behind the only seat, once there is one.
    async fn only_session(&self) -> String {
        let state = self.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
        state["participants"]["invited"][0]["session"].as_str().unwrap().to_owned()
    }

    async fn is_open(&self, session: &str) -> bool {
        self.watched.client.session(session).await.unwrap().session.status.as_str() != "closed"
    }

    /// Says whether a word is in any file of the log.
    fn is_on_disk(&self, word: &str) -> bool {
        let files = std::fs::read_dir(self.home().path()).unwrap().map(|entry| entry.unwrap().path());
        let mut log = files.filter(|path| path.to_string_lossy().contains("paseo.sqlite3"));
        log.any(|path| std::fs::read(path).unwrap().windows(word.len()).any(|bytes| bytes == word.as_bytes()))
    }

    /// Waits until a session is closed.
    async fn until_closed(&self, session: &str) {
        let mut events = self.watched.follow(session, 0);
        while self.is_open(session).await {
            next(&mut events).await;
        }
    }
}

#[tokio::test]
async fn a_deleted_thread_is_gone_with_all_that_was_said() {
    let room = Room::new(&["ada"]);
    room.say("all", "a boulder").await;
    let asked = room.say("ada", "<<say a pebble>>").await;
    room.reply(&asked).await;
    let session = room.only_session().await;
    // Of this no agent was ever told: it is in no transcript.
    room.say("all", "a cathedral").await;
    let eve = room.guest("eve").await;
    let found = |words: &str| room.home().paseo(&["search", words, "--in", "threads"]).stdout;
    assert!(found("boulder").contains("boulder") && found("pebble").contains("pebble"));
    assert!(found("cathedral").contains("cathedral") && room.is_on_disk("cathedral"));
    let mut followed = room.home().spawn(&["thread", "tail", "-f", "plan", "--json"]);
    let mut first = [0; 1];
    followed.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();

    assert_eq!(room.paseo(&["rm", "plan"]), "Deleted thread plan");
    let followed = finish(followed);
    assert_told!(room.home(), followed, @r"
    exit 0
    the thread was deleted
    ");
    assert!(!room.is_open(&session).await, "nobody works for what is not there");
    assert!(!room.is_on_disk("cathedral"), "it is not only hidden");
    assert_eq!(eve.thread(&room.thread).await.unwrap_err().code(), Some(Code::Unauthenticated));
    for crash in [false, true] {
        if crash {
            room.watched.crash();
        }
        for typed in ["plan", &room.thread] {
            let refused = room.watched.client.thread(typed).await.unwrap_err();
            assert_eq!(refused.code(), Some(Code::NotFound));
            let message = PostMessage { text: "hi".into(), ..PostMessage::default() };
            let refused = room.watched.client.post(typed, &message, None).await.unwrap_err();
            assert_eq!(refused.code(), Some(Code::NotFound), "it is not made anew by speaking in it");
            assert_eq!(
                room.watched.client.delete_thread(typed, true).await.unwrap_err().code(),
                Some(Code::NotFound)
            );
        }
        assert_eq!(room.paseo(&["ls", "-q"]), "");
        assert_eq!((found("boulder"), found("pebble"), found("plan")), Default::default());
    }
    assert_eq!(room.home().paseo(&["token", "ls", "-q"]).ok(), "");
    // The transcripts of its agents are theirs, and its name is free.
    assert!(room.watched.items(&session).await.iter().any(|item| item.text.as_deref() == Some("a pebble")));
    assert_ne!(room.paseo(&["new", "plan", "-q"]), room.thread);
}

#[tokio::test]
async fn a_thread_for_which_somebody_works_is_deleted_only_by_force() {
    let room = Room::new(&["ada"]);
    room.say("ada", &format!("{GATE}<<say done>>")).await;
    let session = room.only_session().await;
    let refused = room.home().paseo(&["thread", "rm", "plan"]);
    assert_eq!(refused.code, Code::Conflict.exit() as i32, "{refused:#?}");
    assert_told!(room.home(), refused, @r"
    exit 6
    error: thread has running agents; pass --force to stop them
     hint: to wait for them instead, run `paseo wait aaa1`
    ");
    assert!(room.is_open(&session).await);
    room.paseo(&["rm", "plan", "--force"]);
    assert!(!room.is_open(&session).await);
    assert_eq!(room.home().left_beside_the_daemon(), [""; 0], "its agent is not at work any more");
    let log = std::fs::read_to_string(room.home().path().join("log/daemon.log")).unwrap();
    assert!(!log.contains("ERROR"), "{log}");
}

#[tokio::test]
async fn the_session_of_who_left_is_closed_when_it_is_idle_and_opened_for_who_comes_back() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<say one>>").await;
    room.reply(&asked).await;
    let session = room.only_session().await;
    room.paseo(&["uninvite", "plan", "ada"]);
    assert!(!room.is_open(&session).await);
    assert!(room.all().await.iter().any(|event| event.from == "ada" && text(event) == "one"));
    // It goes on where it was, whoever wakes it.
    room.paseo(&["invite", "plan", "scripted", "--id", "ada"]);
    assert!(room.is_open(&session).await);
    let asked = room.say("ada", "<<say two>>").await;
    room.reply(&asked).await;
    assert_eq!(room.only_session().await, session);
    // Whoever is in the middle of something finishes it first.
    let asked = room.say("ada", &format!("{GATE}<<say three>>")).await;
    room.when(|state| state["participants"]["invited"][0]["working"] == true).await;
    room.paseo(&["uninvite", "plan", "ada"]);
    assert!(room.is_open(&session).await);
    std::fs::write(room.home().work().join("gate"), "").unwrap();
    assert!(text(&room.reply(&asked).await).ends_with("three"));
    room.until_closed(&session).await;
}

#[tokio::test]
async fn the_session_of_who_left_is_closed_when_what_else_it_does_is_done() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<say one>>").await;
    room.reply(&asked).await;
    let session = room.only_session().await;
    room.home().paseo(&["send", &session, GATE]).ok();
    room.paseo(&["uninvite", "plan", "ada"]);
    assert!(room.is_open(&session).await, "it does something for a person");
    std::fs::write(room.home().work().join("gate"), "").unwrap();
    room.until_closed(&session).await;
}

#[tokio::test]
async fn another_agent_on_a_seat_loses_nobody_s_answer() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", &format!("{GATE}<<say done>>")).await;
    let session = room.only_session().await;
    for model in ["m1", "m2"] {
        room.paseo(&["invite", "plan", "scripted", "--id", "ada", "--model", model]);
    }
    std::fs::write(room.home().work().join("gate"), "").unwrap();
    assert!(text(&room.reply(&asked).await).ends_with("done"));
    room.until_closed(&session).await;
}

#[tokio::test]
async fn what_waits_in_a_closed_session_is_reported() {
    let room = Room::new(&["ada"]);
    let first = room.say("ada", GATE).await;
    let session = room.only_session().await;
    let second = room.say("ada", "<<say two>>").await;
    // It is told of both before it is closed.
    let (mut events, client) = (room.watched.follow(&session, 0), &room.watched.client);
    while client.session(&session).await.unwrap().session.queued == 0 {
        next(&mut events).await;
    }
    room.home().paseo(&["close", &session]).ok();
    let told = room.reply(&first).await;
    let words = format!("ada was stopped before it answered \"{GATE}\", by a person; send it again");
    assert!(text(&told).contains(&words), "{told:#?}");
    let told = room.reply(&second).await;
    assert_said!(room.home(), text(&told), @"ada is not working on this: its agent is closed. Send it a message to continue.");
    assert_eq!(told.meta.tags, ["coordinator", "error"]);
    let shown = client.presence(&room.thread).await.unwrap();
    let ada = shown.participants.iter().find(|shown| shown.id == "ada").unwrap();
    assert_eq!(ada.state.as_str(), "idle", "nobody thinks about it");
}

#[tokio::test]
async fn the_streams_of_a_revoked_token_end() {
    let room = Room::new(&[]);
    let eve = room.guest("eve").await;
    let mut events = eve.events(0, &[format!("thread:{}", room.thread)]);
    next(&mut events).await;
    let url = room.watched.client.status().await.unwrap().url;
    let address = url.trim_start_matches("http://").to_owned();
    let mallory = room.paseo(&["token", "plan", "--as", "mallory", "-q"]);
    let mut bridge = following(&address, &format!("/threads/{}/events/stream", room.thread), &mallory);
    let mut native = following(&address, &format!("/api/stream?topics=thread:{}", room.thread), &mallory);
    for token in room.home().paseo(&["token", "ls", "-q"]).ok().lines() {
        room.home().paseo(&["token", "revoke", token]).ok();
    }
    // Nothing is said after that, and both end at once; a stream that came back would be refused.
    for stream in [&mut bridge, &mut native] {
        stream.read_to_end(&mut Vec::new()).expect("it ends");
    }
    let ended = async { while events.next().await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(10), ended).await.expect("it ends");
}

/// Opens a stream, and returns it once it listens.
fn following(address: &str, path: &str, secret: &str) -> std::net::TcpStream {
    use std::io::Write;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let head = format!("host: {address}\r\nauthorization: Bearer {secret}");
    write!(stream, "GET {path} HTTP/1.0\r\n{head}\r\n\r\n").unwrap();
    let (mut seen, mut byte) = (Vec::new(), [0; 1]);
    while !seen.ends_with(b": paseo\n\n") {
        stream.read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
    }
    stream
}
