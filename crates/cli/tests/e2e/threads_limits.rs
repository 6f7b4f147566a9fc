//! What participants of threads may not do, and what is not lost when people and daemons come and go.

use std::io::Write;
use std::os::unix::net::UnixStream;

use paseo_client::Client;
use paseo_wire::error::Code;
use paseo_wire::thread::PostMessage;
use serde_json::json;

use crate::screens::assert_said;
use crate::threads::{Room, text};

/// Returns a client that speaks as a participant.
async fn token(room: &Room, seat: &str) -> Client {
    let secret = room.paseo(&["token", "plan", "--as", seat, "-q"]);
    let address = room.watched.client.status().await.unwrap().url.trim_start_matches("http://").to_owned();
    Client::tcp(&*address, Some(secret))
}

#[tokio::test]
async fn whoever_is_invited_by_a_token_may_only_look() {
    let room = Room::new(&[]);
    let eve = token(&room, "eve").await;
    let profile = json!({ "client": "scripted", "model": "default" });
    let invite = json!({ "invite": { "participant_id": "mole", "profile": profile } });
    eve.control_thread(&room.thread, invite).await.unwrap();
    let asked = room.say("mole", "<<sh touch made>><<say looked>>").await;
    room.reply(&asked).await;
    assert!(!room.home().work().join("made").exists());
    let session = room.state().await["participants"]["invited"][0]["session"].as_str().unwrap().to_owned();
    let mole = room.watched.client.session(&session).await.unwrap().session;
    assert_eq!(mole.permissions.as_str(), "read-only");
    assert!(room.watched.client.tools_of(&session).await.unwrap().tools.is_empty());
}

#[tokio::test]
async fn whoever_may_not_speak_changes_nothing_either() {
    let room = Room::new(&["ada", "eve"]);
    let ada = token(&room, "ada").await;
    let uninvite = || json!({ "uninvite": { "participant_id": "eve" } });
    room.paseo(&["mute", "plan", "ada"]);
    let refused = ada.control_thread(&room.thread, uninvite()).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::ParticipantMuted));
    room.paseo(&["unmute", "plan", "ada"]);
    room.paseo(&["pause", "plan"]);
    let refused = ada.control_thread(&room.thread, uninvite()).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::ThreadPaused));
    room.paseo(&["resume", "plan"]);
    ada.control_thread(&room.thread, uninvite()).await.unwrap();
    // Tags are data, and say nothing about who speaks.
    let tags = vec!["coordinator".to_owned()];
    let message = PostMessage { text: "hi".into(), tags, ..PostMessage::default() };
    let posted = ada.post(&room.thread, &message, None).await.unwrap().event;
    assert_eq!((posted.from.as_str(), posted.meta.via), ("ada", None));
    let message =
        PostMessage { text: "hi".into(), to: Some("us\u{200b}er".into()), ..PostMessage::default() };
    assert_eq!(ada.post(&room.thread, &message, None).await.unwrap_err().code(), Some(Code::InvalidRequest));
}

#[tokio::test]
async fn what_is_said_while_somebody_works_is_told_the_next_time() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<sh while ! test -e gate; do sleep 0.02; done>><<say one>>").await;
    room.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
    room.say("all", "by the way").await;
    std::fs::write(room.home().work().join("gate"), "").unwrap();
    room.reply(&asked).await;
    let again = room.say("ada", "<<say two>>").await;
    // It quotes what agents and the daemon tell it.
    let answer = room.reply(&again).await;
    assert!(text(&answer).contains("> by the way") && text(&answer).ends_with("two"), "{answer:#?}");
}

#[tokio::test]
async fn who_leaves_and_comes_back_in_the_middle_still_answers() {
    for back in [true, false] {
        let room = Room::new(&["ada"]);
        let asked = room.say("ada", "<<sh while ! test -e gate; do sleep 0.02; done>><<say done>>").await;
        room.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
        room.paseo(&["uninvite", "plan", "ada"]);
        if back {
            room.paseo(&["invite", "plan", "scripted", "--id", "ada"]);
        }
        std::fs::write(room.home().work().join("gate"), "").unwrap();
        let answer = room.reply(&asked).await;
        assert_eq!((answer.from.as_str(), text(&answer)), ("ada", "done"), "{back}");
    }
}

#[tokio::test]
async fn agents_work_where_the_thread_is_now() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<sh pwd>><<say one>>").await;
    room.reply(&asked).await;
    let elsewhere = room.home().work().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    room.paseo(&["cwd", "plan", elsewhere.to_str().unwrap()]);
    let asked = room.say("ada", "<<sh touch here>><<say two>>").await;
    room.reply(&asked).await;
    // It begins anew, and is told what was said before.
    let session = room.state().await["participants"]["invited"][0]["session"].as_str().unwrap().to_owned();
    let heard = room.watched.items(&session).await.into_iter().find_map(|item| item.text).unwrap_or_default();
    assert!(heard.contains("> <<sh pwd>>"), "{heard}");
    assert!(elsewhere.join("here").exists());
}

#[tokio::test]
async fn a_participant_that_asks_a_person_says_so_in_the_thread() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<ask may I?>><<say yes>>").await;
    let told = room.reply(&asked).await;
    assert_eq!(told.from, "bridge-coordinator");
    assert_said!(room.home(), text(&told), @"ada is waiting for permission. Run `paseo permit ls` to see the request.");
    let there = room.watched.client.presence(&room.thread).await.unwrap().participants;
    let ada = there.iter().find(|known| known.id == "ada").unwrap();
    assert_eq!(ada.state.as_str(), "waiting");
    let session = room.state().await["participants"]["invited"][0]["session"].as_str().unwrap().to_owned();
    room.home().paseo(&["permit", "allow", "--yes", &session]).ok();
    assert_eq!(room.until(|event| event.from == "ada").await.meta.reply_to, Some(asked.id));
}

#[tokio::test]
async fn a_client_that_hangs_up_takes_nothing_back() {
    let room = Room::new(&["ada"]);
    let socket = room.home().path().join("daemon.sock");
    for number in 0..20 {
        let body = json!({ "to": "ada", "text": format!("<<say {number}>>") }).to_string();
        let path = format!("/api/threads/{}/messages", room.thread);
        let mut stream = UnixStream::connect(&socket).unwrap();
        let head = "Host: localhost\r\nContent-Type: application/json";
        write!(stream, "POST {path} HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .unwrap();
    }
    // Whatever was stored is answered.
    let asked = room.say("ada", "<<say the end>>").await;
    room.reply(&asked).await;
    for said in room
        .all()
        .await
        .iter()
        .filter(|event| event.from == "user" && event.body.kind().as_str() == "message")
    {
        assert_eq!(room.reply(said).await.from, "ada");
    }
}

#[tokio::test]
async fn an_unknown_mention_is_answered_by_the_coordinator() {
    let room = Room::new(&["ada"]);
    let asked = room.say("all", "@nobody look").await;
    assert_said!(room.home(), text(&room.reply(&asked).await), @"@nobody is not a participant. Participants: ada.");
    room.paseo(&["auto", "plan"]);
    let asked = room.say("all", "@all look").await;
    assert_said!(room.home(), text(&room.reply(&asked).await), @"@all wakes no participants: leave out the mention to wake all participants. Participants: ada.");
}
