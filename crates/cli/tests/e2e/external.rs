//! Agents elsewhere: messages are posted to them, and their answers come when they come.

use std::fs::{self, DirBuilder};
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;

use paseo_core::limits::UNASKED_PER_HOUR;
use paseo_runtime::external::signature;
use paseo_wire::words::ItemKind;
use serde_json::json;

use crate::cast::{Cast, tool};
use crate::far_agent::{FarAgent, Reply, answer, define_at, meet, post, send};
use crate::screens::{assert_said, assert_told};
use crate::watch::Watched;
use crate::worktrees::make_repository;

async fn codes(cast: &Cast, session: &str) -> Vec<String> {
    let items = cast.0.items(session).await;
    items.iter().filter_map(|item| item.code().map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_message_is_posted_and_its_answer_ends_the_turn() {
    let far = FarAgent::start();
    let home = crate::home();
    DirBuilder::new().mode(0o700).create(home.path()).unwrap();
    fs::write(home.path().join("config.toml"), "[limits]\nlive_processes = 1\n").unwrap();
    far.define(&home, "far", "name = 'Far'");
    let cast = Cast(Watched::at(home));
    // The only place is taken, which is no concern of an agent elsewhere.
    crate::start_hanging(&cast.0.home);
    let session = cast.start("far", "hello there").await;
    let posted = far.next();
    let body = &posted.body;
    assert_eq!(
        (body["sessionId"].as_str(), body["agentId"].as_str()),
        (Some(session.id.as_str()), Some("far"))
    );
    assert_eq!((&body["message"]["type"], &body["message"]["text"]), (&json!("user"), &json!("hello there")));
    assert!(body["message"]["createdAt"].as_str().unwrap().ends_with('Z'), "{body}");
    assert_eq!(posted.headers["idempotency-key"], body["turnId"].as_str().unwrap());
    assert_eq!(posted.headers["content-type"], "application/json");
    cast.until_heard(&session.id, "hello there").await;
    assert_eq!(cast.view(&session.id).await.status.as_str(), "running");

    // Whoever runs the other side can tell that it was us.
    let secret = cast.0.home.paseo(&["inspect", "--secret", &session.handle]).ok().to_owned();
    let (at, signed) = (&posted.headers["x-paseo-timestamp"], &posted.headers["x-paseo-signature"]);
    assert!(signature::is_signed(&secret, at, posted.text.as_bytes(), signed, at.parse().unwrap()));
    assert!(!posted.text.contains(&secret), "the secret itself is never sent");

    let url = body["callbackUrl"].as_str().unwrap();
    let token = format!("Bearer {}", body["callbackToken"].as_str().unwrap());
    let (status, nothing) = post(url, &[("authorization", &token)], "**hello** back".as_bytes());
    assert_eq!((status, nothing.as_str()), (200, ""));
    // It is stored when it is acknowledged.
    assert_eq!(cast.said(&session.id).await, ["**hello** back"]);
    assert_eq!(
        (cast.view(&session.id).await.status.as_str(), cast.0.settled(&session.id).await.as_str()),
        ("idle", "idle")
    );
    cast.0.send(&session.id, "again").await;
    let again = far.next();
    assert_eq!(again.body["message"]["text"], "again");
    assert_eq!(answer(&cast, &again, "yes").await, 200);
    assert_eq!(cast.heard(&session.id).await, ["hello there", "again"]);
    assert_eq!(cast.view(&session.id).await.turns, 2);
}

#[tokio::test]
async fn an_answer_that_is_faster_than_the_acknowledgement_counts() {
    let (cast, far, session) = meet(None).await;
    far.plan(&[Reply::Silence]);
    cast.0.send(&session, "quick").await;
    let posted = far.next();
    cast.0.send(&session, "next").await;
    assert_eq!(answer(&cast, &posted, "done already").await, 200);
    let items = cast.0.items(&session).await;
    let first: Vec<_> =
        items.iter().map(|item| (item.kind(), item.text.as_deref().unwrap())).take(2).collect();
    assert_eq!(first, [(ItemKind::UserText, "quick"), (ItemKind::AssistantText, "done already")]);
    // What waited goes out at once, and the old message is not posted again.
    let next = far.next();
    assert_eq!(next.body["message"]["text"], "next");
    assert_eq!(answer(&cast, &next, "done, too").await, 200);
    assert_eq!(cast.0.settled(&session).await, "idle");
    assert!(far.is_quiet());
}

#[tokio::test]
async fn a_server_in_trouble_gets_the_same_message_again() {
    let (cast, far, session) = meet(None).await;
    far.plan(&[Reply::Status(503), Reply::Status(429)]);
    cast.0.send(&session, "patience").await;
    let all = [far.next(), far.next(), far.next()];
    for posted in &all {
        assert_eq!(posted.text, all[0].text);
        assert_eq!(posted.headers["idempotency-key"], all[0].headers["idempotency-key"]);
    }
    assert_eq!(answer(&cast, &all[2], "here").await, 200);
    assert_eq!(cast.0.settled(&session).await, "idle");
    assert_eq!(codes(&cast, &session).await, ["external_retry"], "it is said once");
}

#[tokio::test]
async fn a_dead_endpoint_is_said_and_what_was_for_it_is_kept() {
    let (cast, far, session) = meet(None).await;
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    define_at(&cast.0.home, "far", &format!("http://{nobody}/in"), "");
    cast.0.send(&session, "anybody there?").await;
    cast.until(&session, |items| items.iter().any(|item| item.kind() == ItemKind::Notice)).await;
    let told = cast.0.items(&session).await.pop().unwrap().text.unwrap();
    assert_said!(cast.0.home, &told, @"Could not reach the external agent: Connection refused (os error 111). Retrying up to 8 times within about 5 minutes.");
    assert_eq!(cast.view(&session).await.status.as_str(), "starting");
    cast.0.home.paseo(&["stop", &session]).ok();
    let view = cast.view(&session).await;
    assert_eq!((view.status.as_str(), view.queued + view.held), ("idle", 1));
    far.define(&cast.0.home, "far", "");
    cast.0.send(&session, "now?").await;
    let posted = far.next();
    let texts: Vec<_> = posted.body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|said| said["text"].as_str().unwrap())
        .collect();
    assert!(texts[0].contains("anybody there?") && texts[1] == "now?", "{texts:?}");
    assert_eq!(answer(&cast, &posted, "yes").await, 200);
    assert_eq!(cast.0.settled(&session).await, "idle");
}

#[tokio::test]
async fn a_refusal_fails_the_turn_and_the_next_message_works() {
    let (cast, far, session) = meet(None).await;
    far.plan(&[Reply::Status(403)]);
    cast.0.send(&session, "no entry").await;
    far.next();
    assert_eq!(cast.0.settled(&session).await, "error");
    let items = cast.0.items(&session).await;
    let error = items.iter().find(|item| item.kind() == ItemKind::Error).unwrap();
    assert_eq!(error.code(), Some("external_refused"));
    assert_said!(cast.0.home, error.text.as_ref().unwrap(), @"the external agent rejected this message: the server responded with 403 Forbidden (words)");
    cast.0.send(&session, "come in").await;
    let posted = far.next();
    assert_eq!(posted.body["message"]["text"], "come in");
    assert_eq!(answer(&cast, &posted, "thanks").await, 200);
    assert_eq!(cast.0.settled(&session).await, "idle");
}

#[tokio::test]
async fn what_comes_late_or_unasked_or_twice_is_recorded_once() {
    let (cast, far, session) = meet(Some("slow")).await;
    let slow = far.next();
    cast.until_heard(&session, "slow").await;
    let handle = cast.view(&session).await.handle;
    cast.0.home.paseo(&["stop", &handle]).ok();
    assert_eq!(cast.0.settled(&session).await, "idle");
    assert_eq!(far.next().body["type"], "stop");
    for _ in 0..3 {
        assert_eq!(answer(&cast, &slow, "late").await, 200);
    }
    assert_eq!((cast.said(&session).await, cast.view(&session).await.turns), (vec!["late".to_owned()], 2));

    // Another turn runs: what answers the first one does not end it.
    cast.0.send(&session, "new").await;
    let new = far.next();
    for _ in 0..2 {
        assert_eq!(answer(&cast, &slow, "even later").await, 200);
    }
    let notices: Vec<_> =
        cast.0.items(&session).await.into_iter().filter(|item| item.kind() == ItemKind::Notice).collect();
    let late: Vec<_> = notices.iter().filter(|item| item.code() == Some("late_answer")).collect();
    assert_eq!(late.len(), 1, "{notices:#?}");
    assert!(late[0].text.as_ref().unwrap().ends_with("\n\neven later"));
    assert_eq!(answer(&cast, &new, "now").await, 200);
    assert_eq!(cast.0.settled(&session).await, "idle");
    // Nor is it recorded anew when that turn is over.
    assert_eq!(answer(&cast, &slow, "even later").await, 200);
    assert_eq!(cast.said(&session).await, ["late", "now"]);

    // Without a turn, the sender's own key tells.
    let token = format!("Bearer {}", new.body["callbackToken"].as_str().unwrap());
    let url = new.body["callbackUrl"].as_str().unwrap().split('?').next().unwrap().to_owned();
    let news = |key: &str, text: &str| {
        post(&url, &[("authorization", &token), ("x-paseo-message-id", key)], text.as_bytes()).0
    };
    assert_eq!((news("1", "news"), news("1", "news"), news("1", "other news")), (200, 200, 409));
    assert_eq!(news("2", "more"), 200);
    assert_eq!(cast.said(&session).await, ["late", "now", "news", "more"]);
}

#[tokio::test]
async fn without_a_wake_it_is_noted_and_without_a_session_it_is_refused() {
    let (cast, far, session) = meet(Some("ask")).await;
    let posted = far.next();
    assert_eq!(answer(&cast, &posted, "0").await, 200);
    for number in 1..=7 {
        assert_eq!(answer(&cast, &posted, &number.to_string()).await, 200);
    }
    assert_eq!(cast.said(&session).await, ["0", "1", "2", "3", "4", "5", "6"]);
    let last = cast.0.items(&session).await.pop().unwrap();
    assert_eq!((last.kind(), last.code()), (ItemKind::Notice, Some("late_answer")));
    assert!(last.text.unwrap().ends_with('7'));
    cast.0.home.paseo(&["close", &session]).ok();
    assert_eq!(answer(&cast, &posted, "8").await, 200, "nothing is lost because a tab is closed");
    assert!(cast.0.items(&session).await.pop().unwrap().text.unwrap().ends_with('8'));
    cast.0.home.paseo(&["rm", "--force", &session]).ok();
    assert_eq!(answer(&cast, &posted, "9").await, 404);
}

#[tokio::test]
async fn only_the_agent_of_the_session_is_heard() {
    let (cast, far, session) = meet(Some("one")).await;
    let (own, other) = (far.next(), cast.start("far", "two").await);
    let theirs = far.next();
    let bearer = |posted: &crate::far_agent::Posted| {
        format!("Bearer {}", posted.body["callbackToken"].as_str().unwrap())
    };
    let (mine, foreign) = (bearer(&own), bearer(&theirs));
    assert_eq!(send(&cast, &own, &[], b"x").await, 401);
    assert_eq!(send(&cast, &own, &[("authorization", "Basic eDp4")], b"x").await, 401);
    for wrong in ["Bearer 00", &foreign, &mine[..mine.len() - 1]] {
        assert_eq!(send(&cast, &own, &[("authorization", wrong)], b"x").await, 403, "{wrong}");
    }
    // A person's token speaks for people, not for an agent.
    let person = cast.0.home.paseo(&["token", "create", "--name", "test", "-q"]).ok().to_owned();
    assert_eq!(send(&cast, &own, &[("authorization", &format!("Bearer {person}"))], b"x").await, 403);

    let secret = cast.0.home.paseo(&["inspect", "--secret", &session]).ok().to_owned();
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs().cast_signed();
    let turn = own.body["turnId"].as_str().unwrap();
    let signed = async |at: i64, secret: &str, body: &[u8], sent: &[u8]| {
        let said = signature::Answer { turn, key: "", body };
        let (timestamp, signature) = (at.to_string(), signature::sign_answer(secret, at, said));
        send(&cast, &own, &[("x-paseo-timestamp", &timestamp), ("x-paseo-signature", &signature)], sent).await
    };
    assert_eq!(signed(now - 400, &secret, b"x", b"x").await, 403, "too old");
    assert_eq!(signed(now, &secret, b"x", b"y").await, 403, "changed on the way");
    assert_eq!(signed(now, "secret", b"x", b"x").await, 403);

    let here = cast.0.client.status().await.unwrap().url;
    let scripted = cast.0.create("<<say hi>>").await.session.id;
    for id in ["00000000-0000-4000-8000-000000000000", "3f2a", &scripted] {
        let url = format!("{here}/external/sessions/{id}/messages");
        assert_eq!(post(&url, &[("authorization", &mine)], b"x").0, 404, "{id}");
    }
    assert_eq!(send(&cast, &own, &[("authorization", &mine)], b" \n").await, 400);
    assert_eq!(send(&cast, &own, &[("authorization", &mine)], b"\xff").await, 400);
    let url = own.body["callbackUrl"].as_str().unwrap();
    assert_eq!(
        post(&url.replace("turnOriginId=", "turnOriginId=x"), &[("authorization", &mine)], b"x").0,
        400
    );
    assert_eq!(send(&cast, &own, &[("authorization", &mine)], &vec![b'x'; 1024 * 1024 + 1]).await, 413);
    assert_eq!(send(&cast, &own, &[("authorization", &mine), ("host", "evil.example")], b"x").await, 421);
    assert!(cast.said(&session).await.is_empty() && cast.said(&other.id).await.is_empty());
    assert_eq!(signed(now, &secret, b"signed", b"signed").await, 200);
    assert_eq!(cast.said(&session).await, ["signed"]);
    assert_eq!(answer(&cast, &theirs, "theirs").await, 200);
    assert_eq!(cast.said(&other.id).await, ["theirs"]);
    // Agents are not shown secrets.
    let shown = cast.0.shell(&format!("<<sh paseo inspect --secret {session} 2>&1>>")).await;
    assert!(!shown.contains(&secret), "{shown}");
    assert_said!(cast.0.home, &shown, @r"
    error: only people can do this, and you are calling as an agent
     hint: ask a person; this process belongs to agent aaa1
    ");
}

#[tokio::test]
async fn other_agents_talk_to_it_like_to_any_other() {
    let (cast, far) = (Cast::new(&["perm_summon"]), FarAgent::start());
    far.define(&cast.0.home, "far", "");
    far.define(&cast.0.home, "helper", "is_subagent = true");
    cast.define(
        "general",
        "toolAllowlist = ['agents_*', 'summon']\nagentAllowlist = ['*']\npermissions = 'ask'",
    );
    let caller = cast.idle("general").await;
    for (name, input) in [
        ("agents_message", json!({ "agentId": "far", "content": "please" })),
        ("summon", json!({ "agent": "helper", "task": "please" })),
    ] {
        cast.0.send(&caller.id, &tool(name, &input)).await;
        let posted = far.next();
        assert_eq!(posted.body["message"]["text"].as_str().map(|text| text.contains("please")), Some(true));
        assert_eq!(answer(&cast, &posted, "with pleasure").await, 200);
        cast.0.settled(&caller.id).await;
        let called = cast.called(&caller.id).await.pop().unwrap();
        assert!(called.ok().contains("with pleasure"), "{name}: {}", called.text);
    }
}

#[tokio::test]
async fn it_gets_no_worktree_which_it_could_not_see() {
    let (cast, far) = (Cast::new(&[]), FarAgent::start());
    make_repository(&cast.0.home.work());
    far.define(&cast.0.home, "far", "");
    cast.0.home.paseo(&["run", "-d", "--ui", "--agent", "far", "hello"]).ok();
    assert_eq!(answer(&cast, &far.next(), "hi").await, 200);
    let listed = crate::json(&cast.0.home.paseo(&["worktree", "ls", "--json"]));
    assert_eq!(listed["worktrees"], json!([]));
}

#[tokio::test]
async fn what_would_only_seem_to_bind_it_is_refused() {
    let (cast, far) = (Cast::new(&[]), FarAgent::start());
    far.define(&cast.0.home, "far", "");
    for (flag, word) in [("--model", "m"), ("--provider", "claude"), ("--permissions", "ask")] {
        let refused = cast.0.home.paseo(&["run", "-d", "--agent", "far", flag, word, "x"]);
        assert_ne!(refused.code, 0, "{refused:?}");
        assert_told!(cast.0.home, refused);
    }
    let refused = cast.0.home.paseo(&["run", "-d", "--provider", "external", "x"]);
    assert_told!(cast.0.home, refused);
    far.define(&cast.0.home, "bound", "tools = ['read']");
    let checked = cast.0.home.paseo(&["agents", "check"]);
    assert_said!(cast.0.home, &checked.stdout, @"/tmp/paseo-000000/home/agents/bound.toml:2: `tools` is not supported: Paseo cannot restrict an external agent, which runs elsewhere; remove it");
    assert!(far.is_quiet());
}

#[tokio::test]
async fn nothing_is_posted_to_where_nobody_should_be() {
    let cast = Cast::new(&[]);
    let own = cast.0.client.status().await.unwrap().url;
    let cases = [
        (own.as_str(), "the daemon itself"),
        ("http://127.0.0.2:9/in", "write it as localhost, 127.0.0.1 or [::1]"),
        ("http://169.254.169.254/latest/meta-data", "a cloud metadata address"),
        ("http://10.1.2.3/in", "[external] allow = [\"10.1.2.3\"]"),
        ("http://[::ffff:127.0.0.1]:9/in", "an embedded IPv4 address"),
        ("http://0.0.0.0:9/in", "an unspecified address"),
    ];
    for (url, expected) in cases {
        define_at(&cast.0.home, "wrong", url, "");
        let checked = cast.0.home.paseo(&["agents", "check"]);
        assert!(format!("{}{}", checked.stdout, checked.stderr).contains(expected), "{url}: {checked:?}");
        let refused = cast.0.home.paseo(&["run", "-d", "--agent", "wrong", "x"]);
        assert!(refused.code != 0 && refused.stderr.contains(expected), "{url}: {refused:?}");
    }
    // Nor when the definition changes under a session.
    let far = FarAgent::start();
    far.define(&cast.0.home, "wrong", "");
    let session = cast.start("wrong", "one").await;
    assert_eq!(answer(&cast, &far.next(), "yes").await, 200);
    define_at(&cast.0.home, "wrong", &own, "");
    cast.0.send(&session.id, "two").await;
    cast.until(&session.id, |items| items.iter().any(|item| item.kind() == ItemKind::Error)).await;
    assert_eq!(codes(&cast, &session.id).await, ["start_failed"]);
    // The message was kept, and goes out once there is somewhere to go.
    far.define(&cast.0.home, "wrong", "");
    cast.0.send(&session.id, "three").await;
    assert_eq!(far.next().body["message"]["text"], "two\n\nthree");
}

#[tokio::test]
async fn a_late_answer_to_what_came_back_is_its_answer_and_it_is_not_posted_again() {
    let (cast, far, session) = meet(None).await;
    far.plan(&[Reply::Silence]);
    let sent = cast.0.send(&session, "slow").await;
    let slow = far.next();
    cast.0.home.paseo(&["stop", &session]).ok();
    assert_eq!(far.next().body["type"], "stop");
    let view = cast.view(&session).await;
    assert_eq!((view.status.as_str(), view.queued + view.held), ("idle", 1), "nobody took it");
    for _ in 0..2 {
        assert_eq!(answer(&cast, &slow, "here after all").await, 200);
    }
    let view = cast.view(&session).await;
    assert_eq!((view.status.as_str(), view.queued + view.held), ("idle", 0));
    assert_eq!(cast.0.client.delivery(&session, &sent.delivery).await.unwrap().stage.as_str(), "answered");
    cast.0.send(&session, "next").await;
    let next = far.next();
    assert_eq!(next.body["message"]["text"], "next");
    assert_eq!(answer(&cast, &next, "fine").await, 200);
    let items = cast.0.items(&session).await;
    let talk = items
        .iter()
        .filter(|item| matches!(item.kind(), ItemKind::UserText | ItemKind::AssistantText))
        .map(|item| item.text.as_deref().unwrap());
    assert_eq!(talk.collect::<Vec<_>>(), ["slow", "here after all", "next", "fine"]);
    assert!(far.is_quiet());
}

#[tokio::test]
async fn what_was_signed_cannot_be_sent_again_as_something_else() {
    let (cast, far, session) = meet(Some("ask")).await;
    let posted = far.next();
    let secret = cast.0.home.paseo(&["inspect", "--secret", &session]).ok().to_owned();
    let (url, turn) = (posted.body["callbackUrl"].as_str().unwrap(), posted.body["turnId"].as_str().unwrap());
    let unasked = url.split('?').next().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let at = now.as_secs().cast_signed();
    let sign = |turn: &str, key: &str| {
        signature::sign_answer(&secret, at, signature::Answer { turn, key, body: b"words" })
    };
    let said = |url: &str, signature: &str, more: &[(&str, &str)]| {
        let timestamp = at.to_string();
        let own = [("x-paseo-timestamp", timestamp.as_str()), ("x-paseo-signature", signature)];
        post(url, &[&own, more].concat(), b"words").0
    };
    let answer = sign(turn, "");
    assert_eq!(said(unasked, &answer, &[]), 403, "as news");
    assert_eq!(said(url, &answer, &[("idempotency-key", "k")]), 403, "under another key");
    assert_eq!(said(url, &answer, &[("x-paseo-message-id", "k")]), 403);
    let plain = signature::sign(&secret, at, b"words");
    assert_eq!((said(url, &plain, &[]), said(unasked, &plain, &[])), (403, 403), "like a message of ours");
    for _ in 0..2 {
        assert_eq!(said(url, &answer, &[]), 200);
    }
    assert_eq!(cast.said(&session).await, ["words"]);
    let (news, named) = (sign("", ""), sign("", "k"));
    for _ in 0..2 {
        assert_eq!(said(unasked, &news, &[]), 200);
        assert_eq!(said(unasked, &named, &[("idempotency-key", "k")]), 200);
    }
    assert_eq!(said(unasked, &named, &[]), 403, "without its key");
    assert_eq!(cast.said(&session).await, ["words", "words", "words"], "each is recorded once");
}

#[tokio::test]
async fn who_talks_unasked_without_end_is_told_to_wait() {
    let (cast, far, session) = meet(Some("ask")).await;
    let posted = far.next();
    assert_eq!(answer(&cast, &posted, "yes").await, 200);
    let token = format!("Bearer {}", posted.body["callbackToken"].as_str().unwrap());
    let unasked = posted.body["callbackUrl"].as_str().unwrap().split('?').next().unwrap().to_owned();
    let say = || post(&unasked, &[("authorization", &token)], b"news");
    assert!((0..UNASKED_PER_HOUR).all(|_| say().0 == 200));
    let before = cast.0.items(&session).await.len();
    let (status, words) = say();
    assert_eq!(status, 429);
    assert_said!(cast.0.home, &words, @r#"{"code":"queue_full","message":"limit reached: this agent sent 60 messages within an hour that no turn was waiting for","hint":"answer the running turn, or try again in an hour"}"#);
    assert_eq!(answer(&cast, &posted, "what is late, too").await, 429);
    assert_eq!(cast.0.items(&session).await.len(), before);
    // What is waited for is always heard.
    cast.0.send(&session, "more").await;
    assert_eq!(answer(&cast, &far.next(), "of course").await, 200);
    assert_eq!(cast.said(&session).await.pop().unwrap(), "of course");
}
