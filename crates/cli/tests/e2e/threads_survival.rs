//! What a thread does not lose and does not do twice: over crashes, and when much is kept at once.

use paseo_core::limits::{MESSAGE_BYTES, THREAD_HELD};
use paseo_wire::change::SessionChange;
use paseo_wire::stream::Frame;
use paseo_wire::thread::ThreadEvent;

use crate::screens::assert_said;
use crate::threads::{Room, text};
use crate::watch::next;

const GATE: &str = "<<sh while ! test -e gate; do sleep 0.02; done>>";

impl Room {
    /// Returns all that answers a message.
    async fn replies(&self, to: &ThreadEvent) -> Vec<ThreadEvent> {
        let all = self.all().await.into_iter();
        all.filter(|event| event.meta.reply_to.as_ref() == Some(&to.id)).collect()
    }

    /// Returns how many agents there are of a name.
    async fn agents(&self, name: &str) -> usize {
        let all = self.watched.client.sessions(&Default::default()).await.unwrap().sessions;
        all.iter().filter(|session| session.name.as_deref() == Some(name)).count()
    }

    fn open_gate(&self) {
        std::fs::write(self.home().work().join("gate"), "").unwrap();
    }
}

#[tokio::test]
async fn who_is_woken_while_the_daemon_dies_is_woken_once() {
    let room = Room::new(&[]);
    // Making its session, telling it, noting that it was told: each is stored on its own, and each can be the last.
    for step in 0..12 {
        let seat = format!("ada-{step}");
        room.paseo(&["invite", "plan", "scripted", "--id", &seat]);
        let head = room.watched.client.status().await.unwrap().seq;
        let topics = ["sessions".to_owned(), format!("thread:{}", room.thread)];
        let mut events = room.watched.client.events(head, &topics);
        let asked = room.say(&seat, "<<say one>>").await;
        let mut stored = 0;
        while stored < step {
            stored += usize::from(matches!(next(&mut events).await, Frame::Event(_) | Frame::Thread(_)));
        }
        room.watched.crash();
        let answer = room.reply(&asked).await;
        // Something that was under way is told to be over, and is not done again.
        let cut_off =
            answer.from == "bridge-coordinator" && answer.meta.tags.join(",") == "coordinator,error";
        assert!(answer.from == seat || cut_off, "step {step}: {answer:#?}");
        // What comes after shows that nothing else comes.
        let again = room.say(&seat, "<<say two>>").await;
        assert!(text(&room.reply(&again).await).ends_with("two"), "step {step}");
        assert_eq!(room.replies(&asked).await.len(), 1, "step {step}: {:#?}", room.all().await);
        assert_eq!(room.agents(&seat).await, 1, "step {step}");
    }
}

#[tokio::test]
async fn what_the_coordinator_said_it_does_not_say_again_after_a_restart() {
    let room = Room::new(&["ada", "bob"]);
    room.say("ada", "<<hang>>").await;
    let state = room.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
    let session = state["participants"]["invited"][0]["session"].as_str().unwrap().to_owned();
    let asked = room.say("ada", "<<say never>>").await;
    let (mut events, mut accepted) = (room.watched.follow(&session, 0), 0);
    while accepted < 2 {
        let frame = next(&mut events).await;
        accepted += usize::from(
            matches!(frame, Frame::Event(event) if matches!(event.change, SessionChange::MessageAccepted { .. })),
        );
    }
    room.watched.client.stop(&session).await.unwrap();
    let told = |event: &ThreadEvent| event.meta.reply_to.as_ref() == Some(&asked.id);
    room.until(told).await;
    for _ in 0..2 {
        room.watched.crash();
        // What comes after shows that nothing else comes.
        let other = room.say("bob", "<<say here>>").await;
        room.reply(&other).await;
    }
    assert_eq!(room.all().await.into_iter().filter(told).count(), 1);
}

#[tokio::test]
async fn what_is_kept_outlives_the_daemon() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", &format!("{GATE}<<say done>>")).await;
    room.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
    room.paseo(&["mute", "plan", "ada"]);
    room.open_gate();
    room.when(|state| state["held"] == 1).await;
    room.watched.crash();
    assert_eq!(room.state().await["held"], 1);
    assert!(room.replies(&asked).await.is_empty());
    room.paseo(&["unmute", "plan", "ada"]);
    let late = room.reply(&asked).await;
    assert_eq!(
        (late.from.as_str(), text(&late), late.meta.tags.join(",")),
        ("ada", "done", "coordinator,held".into())
    );
    room.watched.crash();
    assert_eq!((room.replies(&asked).await.len(), room.state().await["held"].clone()), (1, 0.into()));
}

#[tokio::test]
async fn more_than_is_kept_is_said_to_be_in_the_transcript_only() {
    let room = Room::new(&["ada"]);
    let mut asked = vec![room.say("ada", &format!("{GATE}<<say 0>>")).await];
    for number in 1..THREAD_HELD + 3 {
        asked.push(room.say("ada", &format!("<<say {number}>>")).await);
    }
    room.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
    room.paseo(&["pause", "plan"]);
    room.open_gate();
    let left = |event: &&ThreadEvent| {
        event.from == "bridge-coordinator" && event.meta.tags.join(",") == "coordinator,error"
    };
    room.until(|event| left(&event) && event.meta.reply_to.as_ref() == asked.last().map(|last| &last.id))
        .await;
    room.when(|state| state["held"] == THREAD_HELD).await;
    room.paseo(&["resume", "plan"]);
    room.when(|state| state["held"] == 0).await;
    let all = room.all().await;
    assert_eq!(all.iter().filter(left).count(), 3);
    let last = room.replies(asked.last().unwrap()).await.remove(0);
    assert_said!(room.home(), text(&last), @"ada answered while muted or paused, and no more replies can be held: the reply is only in its transcript.");
    // Each is answered once, by what was kept or by saying that it was not.
    for asked in &asked {
        let replies = room.replies(asked).await;
        let [reply] = replies.as_slice() else { panic!("{replies:#?}") };
        let expected = if reply.from == "ada" { "coordinator,held" } else { "coordinator,error" };
        assert_eq!(reply.meta.tags.join(","), expected);
    }
}

#[tokio::test]
async fn a_reply_that_is_too_long_is_cut_in_the_middle() {
    let room = Room::new(&["ada"]);
    let long = "x".repeat(MESSAGE_BYTES / 2 + 1024);
    let asked = room.say("ada", &format!("<<say begin {long}>>")).await;
    assert!(text(&room.reply(&asked).await).len() < MESSAGE_BYTES);
    let path = room.home().work().join("long");
    std::fs::write(&path, format!("<<say begin {long}>><<say {long} end>>")).unwrap();
    room.paseo(&["invite", "plan", "scripted", "--id", "eve", "--model", path.to_str().unwrap()]);
    let asked = room.say("eve", "go").await;
    let answer = room.reply(&asked).await;
    assert!(
        text(&answer).starts_with("begin xxx") && text(&answer).ends_with("xxx end"),
        "{}",
        text(&answer).len()
    );
    assert!((MESSAGE_BYTES / 2..=MESSAGE_BYTES).contains(&text(&answer).len()), "{}", text(&answer).len());
    // It can be read page by page, and be answered.
    let again = room.say("ada", "<<say further>>").await;
    assert!(text(&room.reply(&again).await).ends_with("further"));
}
