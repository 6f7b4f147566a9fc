//! How far participants of threads reach: whom they wake, as whom they speak, which of the tools of threads they have.

use paseo_client::Client;
use paseo_wire::error::Code;
use paseo_wire::thread::{PostMessage, ThreadEventQuery};
use serde_json::{Value, json};

use crate::cast::{Cast, tool};
use crate::screens::assert_said;
use crate::threads::{Room, text};

impl Room {
    /// Makes a thread called `plan` in a home that is there.
    async fn of(cast: Cast) -> Self {
        cast.0.home.paseo(&["thread", "new", "plan"]).ok();
        let thread = cast.0.client.thread("plan").await.unwrap().thread.id;
        Self { watched: cast.0, thread: thread.into() }
    }

    async fn session(&self, seat: &str) -> String {
        let state = self.state().await;
        let seats = state["participants"]["invited"].as_array().unwrap();
        let seat = seats.iter().find(|known| known["id"] == seat).unwrap();
        seat["session"].as_str().unwrap().to_owned()
    }

    /// Returns a client that is the agent behind a seat, for as long as it hangs.
    pub(crate) async fn as_agent(&self, seat: &str) -> Client {
        self.say(seat, "<<sh echo $PASEO_TOKEN \\>token; mv token token-of>><<hang>>").await;
        let path = self.home().work().join("token-of");
        let read = async {
            loop {
                match std::fs::read_to_string(&path) {
                    Ok(token) => return token.trim().to_owned(),
                    Err(_) => tokio::task::yield_now().await,
                }
            }
        };
        let token = tokio::time::timeout(std::time::Duration::from_secs(30), read).await.expect("a token");
        std::fs::remove_file(&path).unwrap();
        let url = self.watched.client.status().await.unwrap().url;
        Client::tcp(url.trim_start_matches("http://"), Some(token))
    }
}

#[tokio::test]
async fn nobody_wakes_whoever_may_do_more_than_it_may_pass_on() {
    let cast = Cast::new(&[]);
    cast.define("scribe", "tools = ['read', 'threads_*']");
    let scribe = cast.idle("scribe").await;
    let room = Room::of(cast).await;
    room.paseo(&["discuss", "plan"]);
    room.paseo(&["invite", "plan", "scripted", "--id", "ada"]);
    room.paseo(&["invite", "plan", "scripted", "--id", "eve"]);
    // Whoever was brought by an agent has what that one may pass on: it reads.
    let invite = json!({ "thread": "plan", "client": "scripted", "id": "mole" });
    room.watched.send(&scribe.id, &tool("threads_invite", &invite)).await;
    room.watched.settled(&scribe.id).await;
    // One of the others was never woken before, and one was.
    let asked = room.say("eve", "<<say here>>").await;
    room.reply(&asked).await;
    for words in ["<<say @ada @eve do it>>", "<<say @eve do it>>"] {
        let asked = room.say("mole", words).await;
        let answer = room.reply(&asked).await;
        assert_eq!((answer.from.as_str(), answer.meta.wakes.len()), ("mole", 0), "{answer:#?}");
    }
    let told = |name: &str| format!("{name} was not woken: it has permissions that mole cannot pass on.");
    room.until(|event| text(event) == told("ada")).await;
    room.until(|event| text(event) == told("eve")).await;
    // By its tool it is not otherwise, and neither by naming one of them.
    for (to, message) in [("all", "@ada do it"), ("ada", "do it"), ("eve", "do it")] {
        let post = tool("threads_post", &json!({ "to": to, "message": message }));
        let asked = room.say("mole", &format!("{post}<<say posted>>")).await;
        room.reply(&asked).await;
        let posted = room.all().await.into_iter().rfind(|event| text(event) == message).unwrap();
        assert_eq!((posted.from.as_str(), posted.meta.wakes.len()), ("mole", 0), "{posted:#?}");
    }
    // A person's own agents wake each other.
    let asked = room.say("eve", "<<say @ada do it>>").await;
    assert_eq!(room.reply(&asked).await.meta.wakes, ["ada"]);
}

#[tokio::test]
async fn who_is_muted_says_nothing_as_a_guest_either() {
    let room = Room::new(&["ada"]);
    let asked = room.say("ada", "<<say here>>").await;
    room.reply(&asked).await;
    let session = room.session("ada").await;
    room.paseo(&["mute", "plan", "ada"]);
    room.paseo(&["uninvite", "plan", "ada"]);
    // Its session was closed when it left; a person may go on with it.
    room.watched.client.reopen(&session).await.unwrap();
    let cast = Cast(room.watched);
    let post = json!({ "thread": "plan", "message": "still me" });
    let refused = cast.call(&session, "threads_post", &post).await;
    assert_said!(cast.0.home, refused.error());
    let invite = json!({ "thread": "plan", "client": "scripted", "id": "mole" });
    let refused = cast.call(&session, "threads_invite", &invite).await;
    assert_said!(cast.0.home, refused.error());
    let room = Room { watched: cast.0, thread: room.thread };
    assert!(!room.all().await.iter().any(|event| text(event) == "still me"));
    // Unmuted it speaks as whom it was.
    room.paseo(&["unmute", "plan", "ada"]);
    let cast = Cast(room.watched);
    cast.call(&session, "threads_post", &post).await.ok();
    let room = Room { watched: cast.0, thread: room.thread };
    assert_eq!(room.until(|event| text(event) == "still me").await.from, "ada");
}

/// What an agent may do by the routes of threads: look, speak, invite, follow.
async fn reach(agent: &Client, thread: &str) -> [bool; 4] {
    let query = ThreadEventQuery::default();
    let looks = [
        agent.thread(thread).await.err(),
        agent.thread_events(thread, &query).await.err(),
        agent.presence(thread).await.err(),
    ];
    let message = PostMessage { text: "hi".into(), ..PostMessage::default() };
    let speaks = [agent.post(thread, &message, None).await.err()];
    let profile = json!({ "client": "scripted", "model": "default" });
    let invite: Value = json!({ "invite": { "participant_id": "bob", "profile": profile } });
    let invites = [agent.control_thread(thread, invite).await.err()];
    let follows = agent.events(0, &[format!("thread:{thread}")]).next().await.is_ok();
    let all = |errors: &[Option<paseo_client::Error>]| {
        for error in errors.iter().flatten() {
            assert_eq!(error.code(), Some(Code::Forbidden), "{error}");
        }
        let refused = errors.iter().flatten().count();
        assert!(refused == 0 || refused == errors.len(), "{errors:?}");
        refused == 0
    };
    [all(&looks), all(&speaks), all(&invites), follows]
}

#[tokio::test]
async fn the_routes_give_an_agent_no_more_of_threads_than_its_tools() {
    let cast = Cast::new(&[]);
    cast.define("reader", "tools = ['bash', 'threads_read']");
    cast.define("speaker", "tools = ['bash', 'threads_post']");
    cast.define("host", "tools = ['bash', 'threads_invite', 'threads_read']");
    cast.define("nobody", "tools = ['bash']\ndisallowedTools = ['threads_*']");
    let room = Room::of(cast).await;
    for (client, expected) in [
        ("reader", [true, false, false, true]),
        ("speaker", [false, true, false, false]),
        ("host", [true, false, true, true]),
        ("nobody", [false, false, false, false]),
    ] {
        room.paseo(&["invite", "plan", client]);
        let agent = room.as_agent(client).await;
        assert_eq!(reach(&agent, &room.thread).await, expected, "{client}: look, speak, invite, follow");
        room.watched.client.stop(&room.session(client).await).await.unwrap();
    }
}
