//! Threads: whom a message would wake, what people have read, which replies are held.

use paseo_client::Client;
use paseo_wire::error::Code;
use paseo_wire::stream::Frame;
use paseo_wire::thread::{ParticipantIdQuery, PostMessage, SeenMessages, ThreadQuery, WakePreview};
use paseo_wire::words::{NotWokenReason, SilencedReason};

use crate::screens::assert_said;
use crate::threads::{Room, text};
use crate::watch::next;

impl Room {
    fn message(to: &str, words: &str) -> PostMessage {
        PostMessage { text: words.into(), to: Some(to.into()), ..PostMessage::default() }
    }

    async fn preview(&self, to: &str, words: &str) -> WakePreview {
        self.watched.client.wakes(&self.thread, &Self::message(to, words)).await.unwrap()
    }

    /// Returns a client that speaks as a participant.
    async fn outsider(&self, id: &str) -> Client {
        let secret = self.paseo(&["token", "plan", "--as", id, "-q"]);
        let url = self.watched.client.status().await.unwrap().url;
        Client::tcp(url.trim_start_matches("http://"), Some(secret))
    }
}

fn reasons(preview: &WakePreview) -> Vec<(&str, NotWokenReason)> {
    preview.not_woken.iter().map(|asleep| (asleep.participant.as_str(), asleep.reason.clone())).collect()
}

#[tokio::test]
async fn a_dry_run_says_what_posting_does_and_posts_nothing() {
    let room = Room::new(&["ada", "ben", "eve"]);
    room.paseo(&["mute", "plan", "ben"]);
    let _outside = room.outsider("eve").await;
    let before = room.watched.client.thread(&room.thread).await.unwrap().thread;
    for (to, words) in [
        ("all", "<<say hi>>"),
        ("all", "@ada <<say hi>>"),
        ("all", "@ada @ben @eve <<say hi>>"),
        ("all", "@nobody <<say hi>>"),
        ("ada", "<<say hi>>"),
        ("ben", "<<say hi>>"),
        ("user", "<<say hi>>"),
        ("nobody", "<<say hi>>"),
    ] {
        let told = room.preview(to, words).await;
        let posted = room.say(to, words).await;
        assert_eq!(told.wakes, posted.meta.wakes, "{to}: {words}");
        assert_eq!(told.to, posted.to, "{to}: {words}");
        let remarks: Vec<String> = room
            .all()
            .await
            .iter()
            .filter(|event| {
                event.from == "bridge-coordinator" && event.meta.reply_to == Some(posted.id.clone())
            })
            .map(|event| text(event).to_owned())
            .collect();
        assert_eq!(told.remarks, remarks, "{to}: {words}");
        assert_eq!(told.wakes.len() + told.not_woken.len(), 3, "everyone is accounted for: {told:?}");
    }
    let told = room.preview("all", "@ada @ben @eve hi").await;
    assert_eq!(reasons(&told), [("ben", NotWokenReason::Muted), ("eve", NotWokenReason::Outside)]);
    assert_eq!(before.messages, 0, "a dry run posts nothing");
    assert_eq!(before.version, 5);

    room.paseo(&["pause", "plan"]);
    let told = room.preview("all", "@ada hi").await;
    assert!(told.wakes.is_empty());
    assert!(reasons(&told).iter().all(|(_, reason)| *reason == NotWokenReason::Paused), "{told:?}");
}

#[tokio::test]
async fn a_dry_run_is_refused_as_posting_is() {
    let room = Room::new(&["ada"]);
    let ada = room.outsider("ada").await;
    let message = PostMessage { text: "hi".into(), ..PostMessage::default() };
    assert!(ada.wakes(&room.thread, &message).await.unwrap().wakes.is_empty());
    room.paseo(&["mute", "plan", "ada"]);
    let refused = ada.wakes(&room.thread, &message).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::ParticipantMuted));
    let elsewhere = room.home().paseo(&["thread", "new", "other", "-q"]).ok().to_owned();
    assert_eq!(ada.wakes(&elsewhere, &message).await.unwrap_err().code(), Some(Code::Forbidden));
    let person = &room.watched.client;
    let empty = PostMessage { text: " ".into(), ..PostMessage::default() };
    assert_eq!(person.wakes(&room.thread, &empty).await.unwrap_err().code(), Some(Code::InvalidRequest));
    let reply = PostMessage { reply_to: Some("nothing".into()), ..message.clone() };
    assert_eq!(person.wakes(&room.thread, &reply).await.unwrap_err().code(), Some(Code::InvalidRequest));
}

#[tokio::test]
async fn the_command_line_says_whom_a_message_would_wake() {
    let room = Room::new(&["ada", "ben"]);
    room.paseo(&["mute", "plan", "ben"]);
    let home = room.home();
    assert_said!(home, &room.paseo(&["post", "plan", "@ada @ben hi", "--dry-run"]), @r"
    Would wake ada
    Would not wake ben: it is muted
    ");
    assert_said!(home, &room.paseo(&["post", "plan", "hi", "--dry-run"]), @r"
    Would wake no one
    Would not wake ada: the message does not address it
    Would not wake ben: the message does not address it
    ");
    assert_eq!(room.paseo(&["post", "plan", "@ada hi", "--dry-run", "-q"]), "ada");
    let told: WakePreview =
        serde_json::from_str(&room.paseo(&["post", "plan", "@ada hi", "--dry-run", "--json"])).unwrap();
    assert_eq!(told.wakes, ["ada"]);
    let nobody = home.paseo(&["thread", "post", "plan", "--to", "bob", "hi", "--dry-run"]);
    assert_said!(home, &nobody.stderr, @"No participants woken: `bob` is not a participant. Participants: ada, ben.");
    assert_eq!(room.watched.client.thread("plan").await.unwrap().thread.messages, 0);
}

#[tokio::test]
async fn held_replies_are_listed_until_they_are_released() {
    let room = Room::new(&["ada"]);
    let client = &room.watched.client;
    let asked = room.say("ada", "<<sh while ! test -e gate; do sleep 0.02; done>><<say done>>").await;
    room.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
    assert!(client.held_replies(&room.thread).await.unwrap().replies.is_empty());
    room.paseo(&["mute", "plan", "ada"]);
    std::fs::write(room.home().work().join("gate"), "").unwrap();
    room.when(|state| state["held"] == 1).await;
    let held = client.held_replies(&room.thread).await.unwrap().replies;
    assert_eq!(held.len(), 1);
    assert_eq!((held[0].participant.as_str(), held[0].text.as_str()), ("ada", "done"));
    assert_eq!((&held[0].reply_to, &held[0].reason), (&asked.id, &SilencedReason::Muted));
    room.paseo(&["unmute", "plan", "ada"]);
    room.until(|event| event.from == "ada").await;
    assert!(client.held_replies(&room.thread).await.unwrap().replies.is_empty());
    // What others have not said yet is for people.
    let ada = room.outsider("ada").await;
    assert_eq!(ada.held_replies(&room.thread).await.unwrap_err().code(), Some(Code::Forbidden));
}

#[tokio::test]
async fn a_thread_is_unread_until_a_person_looks_and_a_restart_forgets_nothing() {
    let room = Room::new(&["ada"]);
    let client = &room.watched.client;
    let asked = room.say("ada", "<<say one\n\ntwo>>").await;
    room.reply(&asked).await;
    let thread = client.thread(&room.thread).await.unwrap().thread;
    assert_eq!((thread.messages, thread.unread), (2, 1));
    let last = thread.last.unwrap();
    assert_eq!((last.from.as_str(), last.text.as_str()), ("ada", "one two"));
    let too_many = client.looked_at_thread(&room.thread, &SeenMessages { messages: Some(9) }).await;
    assert_eq!(too_many.unwrap_err().code(), Some(Code::InvalidRequest));
    let looked = client.looked_at_thread(&room.thread, &SeenMessages { messages: Some(2) }).await.unwrap();
    assert_eq!((looked.thread.unread, looked.unchanged), (0, false));
    assert_eq!(looked.thread.updated_at, thread.updated_at, "a look is no news");
    assert!(client.looked_at_thread(&room.thread, &SeenMessages::default()).await.unwrap().unchanged);
    room.home().paseo(&["restart"]).ok();
    let listed = client.threads(&ThreadQuery::default()).await.unwrap().threads;
    assert_eq!((listed[0].unread, listed[0].last.as_ref().unwrap().text.as_str()), (0, "one two"));
}

#[tokio::test]
async fn people_follow_all_threads_at_once_and_others_do_not() {
    let room = Room::new(&["ada"]);
    let mut events = room.watched.client.events(0, &["threads".to_owned()]);
    let said = room.say("user", "hello").await;
    loop {
        if let Frame::Thread(frame) = next(&mut events).await
            && frame.event.is_some_and(|event| event.id == said.id)
        {
            break;
        }
    }
    let ada = room.outsider("ada").await;
    let refused = ada.events(0, &["threads".to_owned()]).next().await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::Forbidden));
}

#[tokio::test]
async fn a_free_id_is_suggested_after_the_client() {
    let room = Room::new(&["scripted"]);
    let client = &room.watched.client;
    let suggest = async |client: &Client, name: Option<&str>| {
        let asked = ParticipantIdQuery { client: name.map(str::to_owned) };
        client.suggest_participant_id(&room.thread, &asked).await.map(|suggested| suggested.id.to_string())
    };
    assert_eq!(suggest(client, Some("claude")).await.unwrap(), "claude");
    assert_eq!(suggest(client, Some("scripted")).await.unwrap(), "scripted-2");
    assert_eq!(suggest(client, None).await.unwrap(), "agent");
    let outside = room.outsider("eve").await;
    assert_eq!(suggest(&outside, None).await.unwrap_err().code(), Some(Code::Forbidden));
}
