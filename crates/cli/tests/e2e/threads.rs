//! Threads: people and agents in one conversation, with the real binary.

use std::time::Duration;

use paseo_testkit::home::TestHome;
use paseo_wire::stream::Frame;
use paseo_wire::thread::{PostMessage, ThreadEvent, ThreadEventQuery, ThreadView};
use paseo_wire::words::{ItemKind, PostedVia};
use serde_json::{Value, json};

use crate::cast::{Cast, tool};
use crate::screens::{assert_said, assert_told};
use crate::watch::{Watched, next, outcome};

/// A thread called `plan`, with somebody who follows it.
pub(crate) struct Room {
    pub(crate) watched: Watched,
    pub(crate) thread: String,
}

impl Room {
    pub(crate) fn new(seats: &[&str]) -> Self {
        let watched = Watched::new();
        let made = watched.home.paseo(&["thread", "new", "plan", "--json"]);
        let made: ThreadView = serde_json::from_str(made.ok()).unwrap();
        let room = Self { watched, thread: made.id.into() };
        for seat in seats {
            room.paseo(&["invite", "plan", "scripted", "--id", seat]);
        }
        room
    }

    pub(crate) fn home(&self) -> &TestHome {
        &self.watched.home
    }

    pub(crate) fn paseo(&self, arguments: &[&str]) -> String {
        let all: Vec<&str> = ["thread"].iter().chain(arguments).copied().collect();
        self.home().paseo(&all).ok().to_owned()
    }

    fn refused(&self, arguments: &[&str]) -> (i32, String) {
        let all: Vec<&str> = ["thread"].iter().chain(arguments).copied().collect();
        let output = self.home().paseo(&all);
        (output.code, output.stderr)
    }

    pub(crate) async fn say(&self, to: &str, text: &str) -> ThreadEvent {
        let message = PostMessage { text: text.into(), to: Some(to.into()), ..PostMessage::default() };
        self.watched.client.post(&self.thread, &message, None).await.unwrap().event
    }

    pub(crate) async fn all(&self) -> Vec<ThreadEvent> {
        let query = ThreadEventQuery { after: Some(0), limit: Some(500), ..ThreadEventQuery::default() };
        self.watched.client.thread_events(&self.thread, &query).await.unwrap().events
    }

    /// Waits for something that happens in the thread, from the beginning on.
    pub(crate) async fn until(&self, wanted: impl Fn(&ThreadEvent) -> bool) -> ThreadEvent {
        let mut events = self.watched.client.events(0, &[format!("thread:{}", self.thread)]);
        let found = async {
            loop {
                if let Frame::Thread(frame) = next(&mut events).await
                    && let Some(event) = frame.event.filter(|event| wanted(event))
                {
                    return event;
                }
            }
        };
        match tokio::time::timeout(Duration::from_secs(30), found).await {
            Ok(event) => event,
            Err(_) => panic!("it never came: {:#?}", self.all().await),
        }
    }

    /// Waits for the answer to a message.
    pub(crate) async fn reply(&self, to: &ThreadEvent) -> ThreadEvent {
        self.until(|event| event.meta.reply_to.as_ref() == Some(&to.id)).await
    }

    /// Waits until the state of the thread is as wanted, and returns it.
    pub(crate) async fn when(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut events = self.watched.client.events(0, &[format!("thread:{}", self.thread)]);
        loop {
            let state = self.state().await;
            if wanted(&state) {
                return state;
            }
            next(&mut events).await;
        }
    }

    pub(crate) async fn state(&self) -> Value {
        serde_json::from_str(&self.paseo(&["state", "plan"])).unwrap()
    }
}

pub(crate) fn text(event: &ThreadEvent) -> &str {
    event.text()
}

#[tokio::test]
async fn a_new_thread_has_nobody_and_an_invited_agent_answers() {
    let room = Room::new(&[]);
    assert_eq!(room.state().await["participants"]["invited"], json!([]));
    let told = room.paseo(&["invite", "plan", "scripted", "--nickname", "Ada", "--role", "planner"]);
    assert_said!(room.watched.home, &told, @"Invited scripted to plan");
    let seat = &room.state().await["participants"]["invited"][0];
    assert_eq!((&seat["id"], &seat["profile"]["nickname"]), (&json!("scripted"), &json!("Ada")));
    for (to, words) in
        [("scripted", "<<say one>>"), ("@ada", "<<say one>>"), ("all", "@planner: <<say one>>")]
    {
        let asked = room.say(to, words).await;
        assert_eq!(asked.meta.wakes, ["scripted"], "{to}");
        let answer = room.reply(&asked).await;
        assert_eq!((answer.from.as_str(), answer.to.as_str(), text(&answer)), ("scripted", "all", "one"));
        assert_eq!(answer.meta.tags, ["coordinator"]);
        assert_eq!(answer.meta.via, Some(PostedVia::Coordinator));
    }
    // It is one session, behind the seat, with the primer in its prompt.
    let seat = room.state().await["participants"]["invited"][0].clone();
    let session = seat["session"].as_str().unwrap();
    let shown = room.watched.client.session(session).await.unwrap().session;
    assert_eq!((shown.turns, shown.labels.is_empty()), (3, true));
    let prompt = room.home().paseo(&["inspect", "--prompt", &session[..8]]);
    assert_said!(room.home(), prompt.ok());
}

#[tokio::test]
async fn only_who_is_invited_is_woken_and_the_coordinator_says_so() {
    let room = Room::new(&["ada"]);
    let asked = room.say("nobody", "<<say x>>").await;
    assert!(asked.meta.wakes.is_empty());
    let remark = room.reply(&asked).await;
    assert_eq!((remark.from.as_str(), remark.to.as_str()), ("bridge-coordinator", "user"));
    assert_said!(room.home(), text(&remark), @"No participants woken: `nobody` is not a participant. Participants: ada.");
    room.paseo(&["uninvite", "plan", "ada"]);
    assert!(room.say("ada", "<<say x>>").await.meta.wakes.is_empty());
    assert_eq!(
        room.all()
            .await
            .iter()
            .filter(|event| event.body.kind().as_str() == "message" && event.from == "user")
            .count(),
        2
    );
}

#[tokio::test]
async fn a_reply_that_comes_while_its_author_may_not_speak_is_kept() {
    for (silence, voice) in [
        (["mute", "plan", "ada"].as_slice(), ["unmute", "plan", "ada"].as_slice()),
        (&["pause", "plan"], &["resume", "plan"]),
    ] {
        let room = Room::new(&["ada"]);
        let gate = room.home().work().join("gate");
        let asked = room.say("ada", "<<sh while ! test -e gate; do sleep 0.02; done>><<say done>>").await;
        let woken = room.when(|state| state["participants"]["invited"][0]["session"].is_string()).await;
        let session = woken["participants"]["invited"][0]["session"].as_str().unwrap().to_owned();
        room.paseo(silence);
        std::fs::write(&gate, "").unwrap();
        room.watched.settled(&session).await;
        room.when(|state| state["held"] == 1).await;
        assert!(!room.all().await.iter().any(|event| event.from == "ada"));
        room.paseo(voice);
        let late = room.until(|event| event.from == "ada").await;
        assert_eq!((text(&late), late.meta.tags.join(",")), ("done", "coordinator,held".to_owned()));
        assert_eq!(late.meta.reply_to, Some(asked.id));
    }
}

#[tokio::test]
async fn muted_and_paused_participants_are_refused_with_the_protocols_codes() {
    let room = Room::new(&["ada"]);
    let secret = room.paseo(&["token", "plan", "--as", "ada", "-q"]);
    let address = room.watched.client.status().await.unwrap().url.trim_start_matches("http://").to_owned();
    let ada = paseo_client::Client::tcp(&*address, Some(secret));
    let message = PostMessage { text: "hi".into(), ..PostMessage::default() };
    assert_eq!(ada.post(&room.thread, &message, None).await.unwrap().event.from, "ada");
    room.paseo(&["mute", "plan", "ada"]);
    let refused = ada.post(&room.thread, &message, None).await.unwrap_err();
    assert_eq!(refused.code(), Some(paseo_wire::error::Code::ParticipantMuted));
    room.paseo(&["unmute", "plan", "ada"]);
    room.paseo(&["pause", "plan"]);
    let refused = ada.post(&room.thread, &message, None).await.unwrap_err();
    assert_eq!(refused.code(), Some(paseo_wire::error::Code::ThreadPaused));
    // What a person says is kept, and wakes nobody, then or later.
    assert!(room.say("ada", "<<say x>>").await.meta.wakes.is_empty());
    room.paseo(&["resume", "plan"]);
    // It may invite, and nothing that only people may.
    let invite =
        json!({"invite": {"participant_id": "eve", "profile": {"client": "scripted", "model": "default"}}});
    ada.control_thread(&room.thread, invite).await.unwrap();
    for control in [json!({"pause": {}}), json!({"mute": {"targets": ["eve"]}}), json!({"discussion": {}})] {
        let refused = ada.control_thread(&room.thread, control).await.unwrap_err();
        assert_eq!(refused.code(), Some(paseo_wire::error::Code::Forbidden));
    }
    // And nothing outside of its thread.
    let elsewhere = room.home().paseo(&["thread", "new", "other", "-q"]).ok().to_owned();
    assert_eq!(ada.thread(&elsewhere).await.unwrap_err().code(), Some(paseo_wire::error::Code::Forbidden));
    assert_eq!(ada.status().await.unwrap_err().code(), Some(paseo_wire::error::Code::Forbidden));
    assert_eq!(
        ada.sessions(&Default::default()).await.unwrap_err().code(),
        Some(paseo_wire::error::Code::Forbidden)
    );
    let mut stream = ada.events(0, &["sessions"]);
    assert!(stream.next().await.is_err());
}

#[tokio::test]
async fn agents_wake_each_other_only_in_a_discussion_and_within_their_budget() {
    let room = Room::new(&["ada", "eve"]);
    let asked = room.say("ada", "<<say @eve look>>").await;
    assert!(room.reply(&asked).await.meta.wakes.is_empty());
    room.paseo(&["discuss", "plan"]);
    let asked = room.say("ada", "<<say @eve look>>").await;
    let answer = room.reply(&asked).await;
    assert_eq!(answer.meta.wakes, ["eve"]);
    let heard = room.reply(&answer).await;
    assert_eq!(heard.from, "eve", "{heard:#?}");
    assert_said!(room.home(), text(&heard), @r"
    Received: [message from daemon]

    [thread plan: messages since your last turn]

    user to ada:
    > <<say @eve look>>

    ada:
    > @eve look

    user to ada:
    > <<say @eve look>>
    Received: [message from tab aaa1]

    [thread plan: ada to all; you are eve, and your answer will be posted]

    > @eve look
    ");
}

#[tokio::test]
async fn a_killed_daemon_loses_no_reply_and_wakes_nobody_twice() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<say one>>").await;
    room.watched.crash();
    room.until(|event| event.meta.reply_to.as_ref() == Some(&asked.id)).await;
    let again = room.say("ada", "<<say two>>").await;
    assert!(text(&room.reply(&again).await).ends_with("two"));
    let replies =
        room.all().await.iter().filter(|event| event.meta.reply_to.as_ref() == Some(&asked.id)).count();
    assert_eq!(replies, 1);
}

#[tokio::test]
async fn what_goes_wrong_is_posted() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<fail no luck>>").await;
    let told = room.reply(&asked).await;
    assert_eq!((told.from.as_str(), text(&told)), ("bridge-coordinator", "ada failed: no luck"));
    assert_eq!(told.meta.tags, ["coordinator", "error"]);
    let quiet = Room::new(&["ada"]);
    let asked = quiet.say("ada", "<<think hm>>").await;
    assert_eq!(text(&quiet.reply(&asked).await), "[no output]");
    let refused = room.home().paseo(&["thread", "invite", "plan", "no-such-client", "--id", "eve"]);
    assert_told!(room.home(), refused, @r"
    exit 2
    error: `no-such-client` is neither a provider nor an agent definition
     hint: providers: claude, codex, pi, openai, openai-compatible, external, scripted, opencode, gemini, claude-agent-acp, codex-acp, qwen, copilot, pi-acp; definitions: default
    ");
}

#[tokio::test]
async fn a_slow_participant_delays_nobody() {
    let room = Room::new(&["ada", "eve"]);
    let slow = room.say("ada", "<<hang>>").await;
    let quick = room.say("eve", "<<say here>>").await;
    assert!(text(&room.reply(&quick).await).ends_with("\nhere"));
    assert!(!room.all().await.iter().any(|event| event.meta.reply_to.as_ref() == Some(&slow.id)));
    let session = room.state().await["participants"]["invited"][0]["session"].as_str().unwrap().to_owned();
    room.watched.client.stop(&session).await.unwrap();
    assert_said!(room.home(), text(&room.reply(&slow).await), @r#"ada was stopped before it answered "<<hang>>", by a person; send it again if it is still needed"#);
}

#[tokio::test]
async fn odd_names_and_controls_are_refused_in_words() {
    let room = Room::new(&["ada"]);
    for (arguments, expected) in [
        (&["invite", "plan", "scripted", "--id", "user"][..], "`user` is reserved"),
        (
            &["invite", "plan", "scripted", "--id", "A-da"],
            "`A-da` is too similar to a name of participant `ada`",
        ),
        (&["invite", "plan", "scripted", "--id", "x", "--nickname", "ad\u{200b}a"], "invalid nickname"),
        (&["mute", "plan", "nobody"], "`nobody` is not a participant; participants: ada"),
        (&["uninvite", "plan", "nobody"], "is not a participant"),
        (&["post", "nowhere", "hi"], "thread `nowhere` not found"),
        (&["post", "plan", " "], "the message is empty"),
        (&["post", "plan", "hi", "--reply-to", "x"], "not a message id"),
        (&["new", ""], "a thread name"),
    ] {
        let (code, told) = room.refused(arguments);
        assert!(code != 0 && told.contains(expected), "{arguments:?}: {code} {told}");
    }
}

/// Has somebody who sits in the thread call a tool, and returns what came of it.
async fn called(room: &Room, seat: &str, name: &str, input: &Value) -> (String, String) {
    let asked = room.say(seat, &format!("{}<<say done>>", tool(name, input))).await;
    room.reply(&asked).await;
    let state = room.state().await;
    let seats = state["participants"]["invited"].as_array().unwrap();
    let session = seats.iter().find(|known| known["id"] == seat).unwrap()["session"].as_str().unwrap();
    let items = room.watched.items(session).await;
    let last = items.into_iter().rfind(|item| item.kind() == ItemKind::ToolResult).unwrap();
    (outcome(&last).to_string(), last.text.unwrap_or_default())
}

#[tokio::test]
async fn who_sits_in_a_thread_has_tools_to_take_part() {
    let room = Room::new(&["ada"]);
    room.say("all", "we begin").await;
    let (_, listed) = called(&room, "ada", "threads_list", &json!({})).await;
    assert_said!(room.home(), &listed);
    let (_, read) = called(&room, "ada", "threads_read", &json!({ "limit": 4 })).await;
    assert_said!(room.home(), &read, @r#"
    user (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1):
    > we begin

    user to ada (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2):
    > <<tool threads_list {}>><<say done>>

    ada (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa3, reply to aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2):
    > done

    user to ada (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa4):
    > <<tool threads_read {"limit":4}>><<say done>>
    "#);
    let (_, there) = called(&room, "ada", "threads_participants", &json!({})).await;
    assert_eq!(there, "- ada: thinking, scripted default\n- bridge-coordinator: listening");
    let said = json!({ "message": "halfway", "to": "user" });
    let (outcome, told) = called(&room, "ada", "threads_post", &said).await;
    assert_eq!(outcome, "ok", "{told}");
    assert_said!(room.home(), &told);
    let halfway = room.until(|event| text(event) == "halfway").await;
    assert_eq!((halfway.from.as_str(), halfway.to.as_str(), halfway.meta.tags.len()), ("ada", "user", 0));
    let invite = json!({ "client": "scripted", "nickname": "Bob", "roles": ["critic"] });
    let (_, told) = called(&room, "ada", "threads_invite", &invite).await;
    assert_eq!(told, "Invited scripted; address it with `to`");
    let asked = room.say("@bob", "<<say me>>").await;
    assert!(text(&room.reply(&asked).await).ends_with("me"));
    let mut refusals = String::new();
    for (name, input) in [
        ("threads_post", json!({ "message": " " })),
        ("threads_post", json!({ "message": "x", "reply_to": "y" })),
        ("threads_read", json!({ "limit": 0 })),
        ("threads_read", json!({ "before": "x" })),
        ("threads_read", json!({ "thread": "nowhere" })),
        ("threads_invite", json!({ "client": "scripted", "id": "user" })),
    ] {
        let (outcome, told) = called(&room, "ada", name, &input).await;
        assert_eq!(outcome, "error", "{name} {input}: {told}");
        refusals.push_str(&format!("{name} {input}\n  {told}\n"));
    }
    assert_said!(room.home(), &refusals);
    room.paseo(&["mute", "plan", "ada"]);
    room.paseo(&["unmute", "plan", "ada"]);
}

#[tokio::test]
async fn agents_take_part_in_threads_of_their_project_and_invite_nobody_who_may_do_more() {
    let cast = Cast::new(&[]);
    cast.define("scribe", "tools = ['read', 'threads_*']");
    cast.define("writer", "tools = ['read', 'edit', 'bash']");
    let home = &cast.0.home;
    home.paseo(&["thread", "new", "plan"]).ok();
    let elsewhere = home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    home.paseo(&["thread", "new", "other", "--cwd", elsewhere.to_str().unwrap()]).ok();
    // The agent as it is has nothing of this.
    let plain = cast.idle("default").await;
    assert_eq!(cast.call(&plain.id, "threads_list", &json!({})).await.outcome, "denied");
    let scribe = cast.idle("scribe").await;
    let guest = &scribe.id[..8];
    let listed = cast.call(&scribe.id, "threads_list", &json!({})).await;
    assert_said!(cast.0.home, listed.ok(), @"- plan (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1): messages: 0, you are aaaaaaa2, invited: none");
    let post = |thread: &str| json!({ "thread": thread, "message": "noted" });
    assert!(cast.call(&scribe.id, "threads_post", &post("plan")).await.ok().contains(guest));
    let refused = cast.call(&scribe.id, "threads_post", &post("other")).await;
    assert_said!(cast.0.home, refused.error());
    let invite = |client: &str| json!({ "thread": "plan", "client": client, "id": client });
    let invited = cast.call(&scribe.id, "threads_invite", &invite("writer")).await;
    assert!(invited.ok().contains("native_write, native_shell, native_net"), "{}", invited.text);
    // Whoever it may invite does no more than it, even for a person.
    cast.call(&scribe.id, "threads_invite", &invite("scripted")).await.ok();
    let thread = cast.0.client.thread("plan").await.unwrap().thread.id;
    let words = PostMessage {
        text: "<<sh touch made>>".into(),
        to: Some("scripted".into()),
        ..PostMessage::default()
    };
    let asked = cast.0.client.post(&thread, &words, None).await.unwrap().event;
    let room = Room { watched: cast.0, thread: thread.into() };
    room.reply(&asked).await;
    assert!(!room.home().work().join("made").exists());
}

#[tokio::test]
async fn what_was_said_is_found_by_its_id_however_long_ago() {
    let room = Room::new(&[]);
    let mut ids = Vec::new();
    for number in 0..40 {
        ids.push(room.say("all", &format!("number {number}")).await.id);
    }
    for wanted in [0, 7, 39] {
        let told = room.paseo(&["tail", "plan", "--from", &ids[wanted], "--ids"]);
        assert!(told.starts_with("you  ") && told.lines().next().unwrap().ends_with(&*ids[wanted]), "{told}");
        assert!(
            told.contains(&format!("\nnumber {wanted}")) && told.trim_end().ends_with("number 39"),
            "{told}"
        );
        assert_eq!(told.matches("number").count(), 40 - wanted);
    }
    let (code, told) = room.refused(&["tail", "plan", "--from", &room.thread]);
    assert_ne!(code, 0, "{told}");
    assert_said!(room.home(), &told, @r"
    error: message `aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1` not found in this thread
     hint: run `paseo thread tail THREAD --ids` to see the ids
    ");
    let reply = room.paseo(&["post", "plan", "yes", "--reply-to", &ids[3], "--tag", "decision", "--json"]);
    let reply: ThreadEvent = serde_json::from_str(&reply).unwrap();
    assert_eq!((reply.meta.reply_to.as_ref(), reply.meta.tags.join(",")), (Some(&ids[3]), "decision".into()));
}
