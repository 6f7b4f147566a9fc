//! Threads: what is said of them, and what is refused, with the real binary.

use std::io::{Read, Write};
use std::net::TcpStream;

use paseo_core::limits::{MESSAGE_BYTES, THREAD_POSTS_PER_MINUTE};
use paseo_testkit::home::Output;
use paseo_wire::error::Code;
use paseo_wire::stream::Frame;
use paseo_wire::thread::{PostMessage, ThreadEvent, ThreadEventQuery};
use serde_json::{Value, json};

use crate::cast::Cast;
use crate::screens::{assert_said, assert_told, squeezed};
use crate::watch::{Watched, next};

/// A home with a thread called `plan`.
struct Plan {
    watched: Watched,
    thread: String,
}

impl Plan {
    fn new() -> Self {
        Self::of(Watched::new())
    }

    fn of(watched: Watched) -> Self {
        let thread = watched.home.paseo(&["thread", "new", "plan", "-q"]).ok().to_owned();
        Self { watched, thread }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let all: Vec<&str> = ["thread"].iter().chain(arguments).copied().collect();
        self.watched.home.paseo(&all)
    }

    fn ok(&self, arguments: &[&str]) -> String {
        self.run(arguments).ok().to_owned()
    }

    /// Returns what a command that must fail says.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_ne!(output.code, 0, "{output:#?}");
        output.stderr
    }

    async fn say(&self, to: &str, text: &str) -> ThreadEvent {
        let message = PostMessage { text: text.into(), to: Some(to.into()), ..PostMessage::default() };
        self.watched.client.post(&self.thread, &message, None).await.unwrap().event
    }

    async fn answered(&self, asked: &ThreadEvent) {
        let mut events = self.watched.client.events(0, &[format!("thread:{}", self.thread)]);
        loop {
            if let Frame::Thread(frame) = next(&mut events).await
                && frame.event.is_some_and(|event| event.meta.reply_to.as_ref() == Some(&asked.id))
            {
                return;
            }
        }
    }

    fn profile(&self, id: &str) -> Value {
        let state: Value = serde_json::from_str(&self.ok(&["state", "plan"])).unwrap();
        let seats = state["participants"]["invited"].as_array().unwrap();
        seats.iter().find(|seat| seat["id"] == id).unwrap()["profile"].clone()
    }

    async fn address(&self) -> String {
        let status = self.watched.client.status().await.unwrap();
        status.url.trim_start_matches("http://").to_owned()
    }

    async fn events(&self, query: ThreadEventQuery) -> (Vec<ThreadEvent>, Option<u64>, Option<u64>) {
        let page = self.watched.client.thread_events(&self.thread, &query).await.unwrap();
        (page.events, page.next, page.earlier)
    }
}

#[test]
fn who_is_invited_again_keeps_its_model() {
    let plan = Plan::new();
    plan.ok(&["invite", "plan", "scripted", "--id", "ada", "--model", "large"]);
    plan.ok(&["invite", "plan", "scripted", "--id", "ada", "--nickname", "Countess", "--role", "dev"]);
    let expected =
        json!({ "client": "scripted", "model": "large", "nickname": "Countess", "roles": ["dev"] });
    assert_eq!(plan.profile("ada"), expected);
    plan.ok(&["invite", "plan", "scripted", "--id", "ada", "--model", "small"]);
    assert_eq!(plan.profile("ada")["model"], "small");
    // A model is its client's: another one has its own.
    plan.ok(&["invite", "plan", "claude", "--id", "ada"]);
    assert_eq!(plan.profile("ada")["model"], "default");
    let told = plan.ok(&["tail", "plan"]);
    assert_said!(plan.watched.home, &told);
}

#[tokio::test]
async fn an_agent_that_invites_again_keeps_the_model_and_answers_only_what_is_there() {
    let cast = Cast::new(&[]);
    cast.define("scribe", "tools = ['read', 'threads_*']");
    let scribe = cast.idle("scribe").await;
    cast.0.home.paseo(&["thread", "new", "plan"]).ok();
    // The models of this provider are scripts.
    std::fs::write(cast.0.home.work().join("large"), "<<say yes>>").unwrap();
    let invite = |more: Value| {
        let mut input = json!({ "thread": "plan", "client": "scripted", "id": "ada" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    for (more, model) in [
        (json!({}), "default"),
        (json!({ "model": "large" }), "large"),
        (json!({ "nickname": "Countess" }), "large"),
    ] {
        cast.call(&scribe.id, "threads_invite", &invite(more)).await.ok();
        let state = cast.0.client.thread("plan").await.unwrap().thread.state;
        assert_eq!(state.participants.invited[0].profile.model.as_deref(), Some(model));
    }
    let thread = cast.0.client.thread("plan").await.unwrap().thread.id;
    let post = json!({ "thread": "plan", "message": "yes", "reply_to": thread });
    let told = cast.call(&scribe.id, "threads_post", &post).await;
    assert_said!(cast.0.home, told.error());
}

#[tokio::test]
async fn pages_hold_what_people_see_and_end_somewhere() {
    let plan = Plan::new();
    plan.ok(&["invite", "plan", "scripted", "--id", "ada"]);
    for _ in 0..3 {
        let asked = plan.say("ada", "<<say yes>>").await;
        plan.answered(&asked).await;
    }
    let all = ThreadEventQuery { after: Some(0), limit: Some(500), ..Default::default() };
    let (all, _, _) = plan.events(all).await;
    assert_eq!(all.len(), 8);
    let newest = all[7].version;
    assert!(newest > 8, "nothing happened that nobody sees");
    // What nobody sees does not count, and page by page everything is read once.
    let (mut read, mut before) = (Vec::new(), None);
    loop {
        let query = ThreadEventQuery { before, limit: Some(3), ..Default::default() };
        let (events, next, earlier) = plan.events(query).await;
        assert!(next.is_none() && (events.len() == 3 || earlier.is_none()), "{events:#?}");
        read.splice(0..0, events);
        before = earlier;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(read, all);
    for far in [newest + 100, u64::MAX] {
        let query = ThreadEventQuery { after: Some(far), ..Default::default() };
        let (events, next, _) = plan.events(query).await;
        assert!(events.is_empty() && next.is_none());
        let query = ThreadEventQuery { before: Some(far), ..Default::default() };
        assert_eq!(plan.events(query).await.0.len(), 8);
    }
    let between = ThreadEventQuery {
        after: Some(all[1].version),
        before: Some(all[5].version),
        from: Some(all[3].id.clone()),
        ..Default::default()
    };
    let (events, next, _) = plan.events(between).await;
    assert_eq!((events.as_slice(), next), (&all[3..5], None));
    assert_eq!(plan.ok(&["tail", "plan", "-n", "0"]), "");
    let told = plan.ok(&["tail", "plan", "-n", "2"]);
    assert_said!(plan.watched.home, &told, @r"
    you to ada  12:00:00
    <<say yes>>

    ada  (answers you)  12:00:00
    yes
    ");
}

#[tokio::test]
async fn a_page_ends_after_so_many_bytes() {
    let plan = Plan::new();
    let long = "x".repeat(MESSAGE_BYTES);
    let count = 3 * 1024 * 1024 / MESSAGE_BYTES + 1;
    for _ in 0..count {
        plan.say("all", &long).await;
    }
    let onward = ThreadEventQuery { after: Some(0), limit: Some(500), ..Default::default() };
    let (events, next, _) = plan.events(onward).await;
    assert!(events.len() < count && next == events.last().map(|event| event.version), "{}", events.len());
    let back = ThreadEventQuery { limit: Some(500), ..Default::default() };
    let (events, _, earlier) = plan.events(back).await;
    assert!(events.len() < count && earlier == events.first().map(|event| event.version));
    // Whoever reads all of it gets all of it.
    let told = plan.ok(&["tail", "plan", "-n", "500", "--json"]);
    assert_eq!(told.lines().count(), count + 1);
    let first: ThreadEvent = serde_json::from_str(told.lines().next().unwrap()).unwrap();
    assert_eq!(plan.ok(&["tail", "plan", "--from", &first.id, "--json"]), told);
}

#[tokio::test]
async fn only_what_is_in_the_thread_is_answered() {
    let plan = Plan::new();
    let elsewhere = plan.ok(&["new", "other", "-q"]);
    let said = plan.ok(&["post", &elsewhere, "there", "-q"]);
    let told = plan.refused(&["post", "plan", "yes", "--reply-to", &said]);
    assert_said!(plan.watched.home, &told, @r"
    error: message `aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1` not found in this thread
     hint: run `paseo thread tail THREAD --ids` to see the ids
    ");
    plan.ok(&["post", &elsewhere, "yes", "--reply-to", &said]);
    let secret = plan.ok(&["token", "plan", "--as", "eve", "-q"]);
    let body = json!({ "type": "message", "content": "yes", "meta": { "reply_to": said } }).to_string();
    let path = format!("/threads/{}/events", plan.thread);
    let answer = posted(&plan.address().await, &path, &secret, &body);
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    assert_said!(plan.watched.home, answer.split("\r\n\r\n").last().unwrap(), @r#"{"error":{"code":"not_found","message":"message `aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1` not found in this thread","hint":"run `paseo thread tail THREAD --ids` to see the ids","thread":"aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2","participant":"eve"}}"#);
}

#[test]
fn tokens_are_not_made_for_names_that_others_would_be_taken_for() {
    let plan = Plan::new();
    plan.ok(&["invite", "plan", "scripted", "--id", "ada", "--nickname", "Countess"]);
    let names = ["Ada", "a-da", "countess", "Countess"];
    let told: Vec<String> = names.iter().map(|name| plan.refused(&["token", "plan", "--as", name])).collect();
    assert_said!(plan.watched.home, &told.join("\n"), @r"
    error: `Ada` is too similar to a name of participant `ada`; choose another
     hint: use a participant's id (run `paseo thread show`), or choose another name

    error: `a-da` is too similar to a name of participant `ada`; choose another
     hint: use a participant's id (run `paseo thread show`), or choose another name

    error: `countess` is too similar to a name of participant `ada`; choose another
     hint: use a participant's id (run `paseo thread show`), or choose another name

    error: `Countess` is taken by participant `ada`; choose another
     hint: use a participant's id (run `paseo thread show`), or choose another name
    ");
    let known = plan.run(&["token", "plan", "--as", "ada"]);
    assert_told!(plan.watched.home, known, @r"
    exit 0
    Created a token for ada. Its secret is shown only once:
    ");
    let made = plan.run(&["token", "plan", "--as", "eve"]);
    assert_told!(plan.watched.home, made, @r"
    exit 0
    eve is not a participant: it can post with this token, but messages do not wake it
    Created a token for eve. Its secret is shown only once:
    ");
}

#[tokio::test]
async fn what_is_found_in_a_thread_is_opened_where_it_stands() {
    let plan = Plan::new();
    plan.say("all", "a boulder").await;
    let said = plan.say("all", "a pebble").await;
    plan.say("all", "some sand").await;
    let told = plan.watched.home.paseo(&["search", "pebble"]).ok().to_owned();
    let command = format!("paseo thread tail {} --from {}", plan.thread, said.id);
    assert!(told.contains(&command), "{told}");
    let shown = plan.ok(&["tail", &plan.thread, "--from", &said.id]);
    assert!(shown.contains("a pebble") && shown.contains("some sand") && !shown.contains("boulder"));
    // The name of a thread was given when it was made.
    let named = plan.watched.home.paseo(&["search", "plan", "--in", "threads"]).ok().to_owned();
    assert_said!(plan.watched.home, &named, @r"
    thread plan  name  now
      plan
      paseo thread tail aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1 --from aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2
    ");
}

#[tokio::test]
async fn nicknames_guests_and_names_with_blanks() {
    let plan = Plan::new();
    plan.ok(&["invite", "plan", "scripted", "--id", "ada", "--nickname", "Countess", "--role", "dev"]);
    for name in ["countess", "@ada", "Countess"] {
        let told = plan.ok(&["mute", "plan", name]);
        assert_eq!(told.trim(), "Muted ada in plan");
        plan.ok(&["unmute", "plan", name]);
    }
    let secret = plan.ok(&["token", "plan", "--as", "eve", "-q"]);
    let eve = paseo_client::Client::tcp(&*plan.address().await, Some(secret));
    let message = PostMessage { text: "hi".into(), ..PostMessage::default() };
    eve.post(&plan.thread, &message, None).await.unwrap();
    // Who only spoke is listed, too.
    let shown = plan.ok(&["show", "plan"]);
    assert!(shown.lines().any(|line| line.starts_with("eve ")), "{shown}");
    plan.ok(&["mute", "plan", "@eve"]);
    let shown = plan.ok(&["show", "plan"]);
    let line = shown.lines().find(|line| line.starts_with("eve")).unwrap_or_else(|| panic!("{shown}"));
    assert_said!(plan.watched.home, &squeezed(line), @"eve offline, muted; not a participant");
    plan.ok(&["unmute", "plan", "eve"]);
    let asked = plan.say("dev", "hello").await;
    plan.answered(&asked).await;
    let told = plan.ok(&["tail", "plan", "-n", "1"]);
    assert_said!(plan.watched.home, &told, @r"
    paseo to you  (answers you)  12:00:00
    No participants woken: `dev` is a role, client or model, not a participant. Write `@dev` in a message to all instead. Participants: ada.
    ");
    plan.ok(&["uninvite", "plan", "countess"]);
    let told = plan.refused(&["uninvite", "plan", "@countess"]);
    assert_said!(plan.watched.home, &told, @r"
    error: `countess` is not a participant; participants: none
     hint: list the participants with `paseo thread show`
    ");
    // Names that a shell would take apart are quoted, and a name of two is not guessed at.
    let made = plan.run(&["new", "it's on"]);
    assert!(made.stderr.contains(r"paseo thread invite 'it'\''s on' scripted"), "{made:#?}");
    let other = plan.ok(&["new", "plan", "-q"]);
    let told = plan.refused(&["show", "plan"]);
    assert_said!(plan.watched.home, &told, @r"
    error: 2 threads are called `plan`: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1, aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2
     hint: use an id in place of the name, as in `paseo thread show aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1`
    ");
    assert!(told.contains(&plan.thread) && told.contains(&other), "{told}");
}

#[tokio::test]
async fn who_is_too_fast_is_told_when_to_try_again() {
    let plan = Plan::new();
    let secret = plan.ok(&["token", "plan", "--as", "eve", "-q"]);
    let address = plan.address().await;
    let eve = paseo_client::Client::tcp(&*address, Some(secret.clone()));
    let message = PostMessage { text: "hi".into(), ..PostMessage::default() };
    for _ in 0..THREAD_POSTS_PER_MINUTE {
        eve.post(&plan.thread, &message, None).await.unwrap();
    }
    let refused = eve.post(&plan.thread, &message, None).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::TooManyMessages));
    for (path, body) in [
        (format!("/api/threads/{}/messages", plan.thread), json!({ "text": "hi" })),
        (format!("/threads/{}/events", plan.thread), json!({ "content": "hi" })),
    ] {
        let answer = posted(&address, &path, &secret, &body.to_string()).to_lowercase();
        assert!(answer.starts_with("http/1.1 429"), "{answer}");
        let wait = answer.lines().find_map(|line| line.strip_prefix("retry-after: ")).expect("a header");
        assert!((1..=60).contains(&wait.trim().parse::<u64>().unwrap()), "{answer}");
    }
}

/// Posts with a token, and returns the whole answer.
fn posted(address: &str, path: &str, secret: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {secret}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
