//! A coordinator of somebody else's: a program that polls a thread, runs participants of its own, and posts what they
//! answer, as the protocol's own coordinator does. It knows nothing of Paseo but an address and a token.

use serde_json::{Value, json};

use super::{Bridge, Client, tags, words};
use crate::screens::assert_said;

/// The program. It dies of every answer that is no success.
struct Coordinator {
    client: Client,
    agent: &'static str,
    last_ts: String,
}

impl Coordinator {
    /// Starts at the end of its thread.
    fn start(bridge: &Bridge, agent: &'static str) -> Self {
        let mut coordinator = Self { client: bridge.seat(agent), agent, last_ts: String::new() };
        coordinator.poll();
        coordinator
    }

    /// Returns the messages to its participant that came since the last poll.
    fn poll(&mut self) -> Vec<Value> {
        let threads = self.client.get("/threads").ok();
        let [thread] = threads["threads"].as_array().unwrap().as_slice() else {
            panic!("one thread: {threads}")
        };
        let id = thread["id"].as_str().unwrap();
        let listening = json!({
            "from": self.agent, "state": "listening",
            "details": {"client": "custom", "model": "m", "nickname": self.agent, "roles": ["planner"]},
        });
        self.client.post(&format!("/threads/{id}/presence"), &listening).ok();
        // Always everything, whatever it saw already.
        let page = self.client.get(&format!("/threads/{id}/events")).ok();
        let events = page["events"].as_array().unwrap();
        assert_eq!(page["count"], events.len());
        let new = events.iter().filter(|event| event["ts"].as_str().unwrap() > self.last_ts.as_str());
        let mine = new.filter(|event| event["type"] == "message" && event["to"] == self.agent);
        let mine = mine.cloned().collect();
        events.last().unwrap()["ts"].as_str().unwrap().clone_into(&mut self.last_ts);
        mine
    }

    /// Posts what its participant answers.
    fn answer(&self, bridge: &Bridge, asked: &Value, words: &str) -> super::Answer {
        let reply = json!({
            "type": "message", "from": self.agent, "to": "all", "content": words,
            "meta": {"reply_to": asked["id"], "tags": ["coordinator"]},
        });
        bridge.post(&self.client, &reply)
    }
}

impl Bridge {
    /// Returns what Paseo's own coordinator said.
    fn remarks(&self) -> Vec<String> {
        let events = self.events();
        let own = events.iter().filter(|event| event["from"] == "bridge-coordinator");
        own.map(|event| words(event).to_owned()).collect()
    }
}

/// B6, by a program from outside.
#[test]
fn a_participant_of_another_program_is_left_to_it() {
    let bridge = Bridge::new(&[]);
    bridge.invite("codex", json!({"client": "browser-claude", "model": "m"}));
    // Nobody runs it yet: nothing is said about that, and it is not reported as woken.
    let early = bridge.say("codex", "are you there?");
    assert_eq!((bridge.woken(&early), bridge.remarks()), (vec![], vec![]));
    let mut coordinator = Coordinator::start(&bridge, "codex");
    let asked = bridge.say("codex", "hi");
    let [heard] = coordinator.poll().try_into().unwrap();
    assert_eq!((&heard, bridge.woken(&asked)), (&asked, vec![]));
    let answer = coordinator.answer(&bridge, &asked, "here").ok()["event"].clone();
    assert_eq!((&answer["from"], tags(&answer).as_str()), (&json!("codex"), "coordinator"));
    assert_eq!(answer["meta"], json!({"reply_to": asked["id"], "tags": ["coordinator"]}), "and no `via`");
    // Its details are seen as it gave them.
    assert_eq!(bridge.presence("codex")["details"]["roles"], json!(["planner"]));
    assert_eq!(bridge.remarks(), [""; 0]);
    assert!(coordinator.poll().is_empty());
}

#[test]
fn whoever_has_a_token_is_woken_by_its_holder_until_the_token_is_revoked() {
    let bridge = Bridge::new(&["ada", "eve"]);
    let token: Value = serde_json::from_str(
        bridge.home.paseo(&["thread", "token", &bridge.thread, "--as", "ada", "--json"]).ok(),
    )
    .unwrap();
    bridge.control(json!({"invited_auto": {}}));
    for (to, text) in [("ada", "<<say x>>"), ("all", "@ada <<say x>>")] {
        assert_eq!(bridge.woken(&bridge.say(to, text)), [""; 0], "{to} {text}");
    }
    let both = bridge.say("all", "<<say x>>");
    assert_eq!(bridge.woken(&both), ["eve"]);
    assert_eq!(bridge.reply(&both)["from"], "eve");
    // Whoever posts natively is told why.
    let message = json!({"text": "hi", "to": "ada"});
    let posted = bridge.user.post(&format!("/api/threads/{}/messages", bridge.thread), &message).ok();
    assert_said!(bridge.home, posted["unwoken"][0].as_str().unwrap(), @"ada is run by another program, which reads the thread itself; Paseo does not wake it.");
    bridge.home.paseo(&["token", "revoke", token["id"].as_str().unwrap()]).ok();
    let asked = bridge.say("ada", "<<say back>>");
    assert_eq!(bridge.woken(&asked), ["ada"]);
    assert!(words(&bridge.reply(&asked)).ends_with("back"));
    assert_eq!(bridge.remarks(), [""; 0]);
}

/// B29, by a program from outside.
#[test]
fn what_comes_while_its_author_is_muted_is_refused_as_the_bridge_does() {
    let bridge = Bridge::new(&[]);
    bridge.invite("codex", json!({"client": "custom", "model": "m"}));
    let mut coordinator = Coordinator::start(&bridge, "codex");
    for (silence, voice, code) in [
        (
            json!({"mute": {"targets": ["codex"], "mode": "hard"}}),
            json!({"unmute": {"targets": ["codex"]}}),
            "participant_muted",
        ),
        (json!({"pause": {"on": true}}), json!({"pause": {"on": false}}), "thread_paused"),
    ] {
        let asked = bridge.say("codex", "work");
        assert_eq!(coordinator.poll(), std::slice::from_ref(&asked));
        // It runs, and is silenced meanwhile.
        bridge.control(silence);
        let refused = coordinator.answer(&bridge, &asked, "done");
        assert_eq!(refused.refused(), (409, code));
        let error = &refused.body["error"];
        assert_eq!((&error["thread"], &error["participant"]), (&json!(bridge.thread), &json!("codex")));
        // It is still there, and nothing of it is kept: it may be posted again.
        coordinator.poll();
        bridge.control(voice);
        assert!(
            !bridge
                .events()
                .iter()
                .any(|event| event["from"] == "codex" && event["meta"]["reply_to"] == asked["id"])
        );
        assert_eq!(words(&coordinator.answer(&bridge, &asked, "done").ok()["event"]), "done");
    }
    assert_eq!(bridge.remarks(), [""; 0]);
}

#[test]
fn any_tags_are_kept_and_none_makes_anybody_the_coordinator() {
    let bridge = Bridge::new(&[]);
    let eve = bridge.seat("eve");
    for (given, kept) in [
        (json!(["coordinator", "error"]), json!(["coordinator", "error"])),
        (json!(["a b", "", "\u{200b}", "\u{1b}[31m"]), json!(["a b", "", "\u{200b}", "\u{1b}[31m"])),
        (json!([1, {"a": null}]), json!(["1", r#"{"a":null}"#])),
        (json!("held"), json!(["held"])),
        (Value::Null, json!([])),
    ] {
        let event =
            bridge.post(&eve, &json!({"content": "x", "meta": {"tags": given}})).ok()["event"].clone();
        assert_eq!((&event["meta"]["tags"], &event["from"]), (&kept, &json!("eve")));
        assert!(event["meta"].get("via").is_none());
    }
    let tail = bridge.home.paseo(&["thread", "tail", &bridge.thread]);
    assert!(!tail.ok().contains('\u{1b}') && tail.ok().contains("[coordinator, error]"), "{tail:?}");
    let large = json!({"content": "x", "meta": {"tags": ["x".repeat(9 * 1024)]}});
    assert_eq!(bridge.post(&eve, &large).refused(), (413, "too_large"));
}

#[test]
fn a_thread_has_the_directory_of_the_token_that_it_is_made_with() {
    let bridge = Bridge::new(&[]);
    let place = bridge.home.work().join("project");
    std::fs::create_dir(&place).unwrap();
    let place = place.canonicalize().unwrap();
    let chosen = place.to_str().unwrap();
    let directory = |thread: &Value| {
        let path = format!("/api/threads/{}", thread["id"].as_str().unwrap());
        bridge.user.get(&path).ok()["thread"]["directory"].clone()
    };
    // Where the command runs, and where it is told to.
    let here = bridge.home.work().canonicalize().unwrap();
    assert_eq!(
        directory(&bridge.user.post("/threads", &json!({"name": "a", "from": "user"})).ok()),
        json!(here)
    );
    let made = bridge.home.paseo(&["token", "create", "--name", "bridge", "-C", chosen, "--json"]);
    let made = crate::json(&made);
    assert_eq!(made["directory"], json!(chosen));
    let other = Client { token: made["secret"].as_str().unwrap().to_owned(), ..bridge.user.clone() };
    // Two tokens of one name are two tokens.
    let thread = other.post("/threads", &json!({"name": "b", "from": "user"})).ok();
    assert_eq!(directory(&thread), json!(chosen));
    let elsewhere = other.post("/threads", &json!({"name": "c", "directory": here})).ok();
    assert_eq!(directory(&elsewhere), json!(here), "what a request says counts more");
    // Participants work there, without anybody saying where.
    let path = format!("/threads/{}/events", thread["id"].as_str().unwrap());
    let profile = json!({"client": "scripted", "model": "default"});
    let invite = json!({"type": "control", "from": "user", "to": "all", "content": {"invite": {"participant_id": "ada", "profile": profile}}});
    other.post(&path, &invite).ok();
    let asked = other.post(
        &path,
        &json!({"type": "message", "from": "user", "to": "ada", "content": "<<sh pwd \\>where>><<say ok>>"}),
    );
    let id = asked.ok()["event"]["id"].clone();
    other
        .follow(&format!("{path}/stream?since={}", super::ALWAYS))
        .until(|event| event["meta"]["reply_to"] == id);
    assert_eq!(std::fs::read_to_string(place.join("where")).unwrap().trim(), chosen);
    // A token of a participant has the thread's.
    let seat = crate::json(&bridge.home.paseo(&["thread", "token", "b", "--as", "eve", "--json"]));
    assert_eq!(seat["directory"], json!(chosen));
    let listed = crate::json(&bridge.home.paseo(&["token", "ls", "--json"]));
    let places: Vec<&Value> =
        listed["tokens"].as_array().unwrap().iter().map(|token| &token["directory"]).collect();
    assert_eq!(places, [&json!(here), &json!(chosen), &json!(chosen)]);
    // One that is gone is said so, rather than forgotten.
    std::fs::remove_dir_all(&place).unwrap();
    let refused = other.post("/threads", &json!({"name": "d"}));
    assert_eq!(refused.refused(), (404, "not_found"));
    assert_said!(bridge.home, refused.body["error"]["message"].as_str().unwrap(), @"`/tmp/paseo-000000/work/project` does not exist");
}

/// The page offers it.
#[test]
fn claude_code_is_another_name_of_claude() {
    let bridge = Bridge::new(&[]);
    let invite = |client: &str| {
        let profile = json!({"client": client, "model": "default"});
        let control = json!({"invite": {"participant_id": client, "profile": profile}});
        bridge.user.post(&format!("/api/threads/{}/controls", bridge.thread), &control).status
    };
    assert_eq!((invite("claude-code"), invite("claude-coed")), (200, 409));
    assert_eq!(bridge.woken(&bridge.say("claude-code", "hi")), ["claude-code"]);
}

#[test]
fn the_page_and_its_probe_are_answered() {
    let bridge = Bridge::new(&[]);
    let nobody = Client { token: "none".into(), ..bridge.user.clone() };
    assert_eq!(nobody.get("/ping").ok()["status"], "ok");
    for path in ["/app", "/app/"] {
        let mut stream = std::net::TcpStream::connect(&nobody.address).unwrap();
        std::io::Write::write_all(&mut stream, nobody.request("GET", path, "", "").as_bytes()).unwrap();
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        assert!(
            answer.contains(" 303 ") && answer.contains(&format!("location: /login#to={path}\r\n")),
            "{answer}"
        );
    }
}
