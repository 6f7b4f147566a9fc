//! Agents that ask each other by definition: `agents_message` and `agents_list`.

use paseo_wire::item::{ItemBody, ItemView};
use paseo_wire::words::ItemKind;
use serde_json::{Value, json};

use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::assert_said;
use crate::watch::origin;

/// An agent that may ask others.
pub(crate) const ASKER: &str = "toolAllowlist = ['agents_*']\nagentAllowlist = ['*']";

pub(crate) fn ask(agent: &str) -> Value {
    json!({ "agentId": agent, "content": "please" })
}

pub(crate) fn ask_async(agent: &str) -> Value {
    json!({ "agentId": agent, "content": "please", "mode": "async" })
}

#[tokio::test]
async fn an_answer_comes_with_everything_about_it_and_both_transcripts_have_it() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("notes", "name = 'Notes'", "<<think hm>><<sh true>><<say one>><<say two>>");
    let caller = cast.idle("general").await;
    let called = cast.call(&caller.id, "agents_message", &ask("notes")).await.json();
    let target = cast.open("notes").await.remove(0);
    assert_eq!(called["mode"], "sync");
    assert_eq!(called["status"], "complete");
    assert_eq!(called["agentId"], "notes");
    assert_eq!(called["sessionId"], *target.id);
    assert_eq!(called["sessionName"], target.handle);
    assert_eq!(called["created"], true);
    assert_eq!(called["response"], "one\ntwo");
    assert_eq!(called["truncated"], false);
    assert_eq!(called["toolCallCount"], 1);
    assert_eq!(called["toolCalls"][0]["name"], "shell");
    assert!(called["toolCalls"][0]["durationMs"].is_u64() && called["durationMs"].is_u64(), "{called}");
    assert_eq!(called["thinkingText"], "hm");
    let items = cast.0.items(&target.id).await;
    assert_eq!(called["responseId"], delivery_of(&items, 0));
    // There it is a message from the caller, here a call with its answer; nobody is told twice.
    let heard = items.iter().find(|item| item.kind() == ItemKind::UserText).unwrap();
    assert_eq!(
        (heard.text.as_deref(), origin(heard)),
        (Some("please"), format!("session:{}", caller.id).as_str())
    );
    let here = cast.0.items(&caller.id).await;
    let is_call =
        |item: &ItemView| matches!(&item.body, ItemBody::ToolCall(call) if call.name == "agents_message");
    assert!(here.iter().any(is_call), "{here:?}");
    assert_eq!(cast.view(&caller.id).await.turns, 1);
    assert!(target.parent.is_none() && target.labels.is_empty(), "{target:?}");
}

#[tokio::test]
async fn the_session_is_the_latest_a_new_one_or_the_one_that_is_named() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.define("notes", "");
    cast.define("other", "");
    let caller = cast.idle("general").await;
    let message = async |session: &str| {
        let input = json!({ "agentId": "notes", "content": "please", "session": session });
        cast.call(&caller.id, "agents_message", &input).await
    };
    let none = message("latest").await;
    assert_said!(cast.0.home, none.error());
    let first = message("latest-or-create").await.json();
    let again = message("latest-or-create").await.json();
    assert_eq!((&again["sessionId"], &again["created"]), (&first["sessionId"], &json!(false)));
    let second = message("create").await.json();
    assert_ne!(second["sessionId"], first["sessionId"]);
    assert_eq!(message("latest").await.json()["sessionId"], second["sessionId"], "the last that was busy");
    let named = message(first["sessionId"].as_str().unwrap()).await.json();
    assert_eq!((&named["sessionId"], &named["created"]), (&first["sessionId"], &json!(false)));
    // Nobody else is named, and who is closed is said to be.
    let other = cast.idle("other").await;
    let open: Vec<String> =
        cast.open("notes").await.iter().map(|notes| format!("- {} (idle, unnamed)", notes.handle)).collect();
    for wrong in [&other.id, "ffffffff", &caller.id] {
        let refused = message(wrong).await;
        let mut lines: Vec<&str> = refused.error().lines().collect();
        assert_eq!(lines.remove(0), format!("no agent matches `{wrong}`"));
        assert_eq!(lines.pop(), Some("choose one of the open agents"));
        lines.sort_unstable();
        let mut expected = open.clone();
        expected.sort_unstable();
        assert_eq!(lines, expected);
    }
    cast.0.client.close(second["sessionId"].as_str().unwrap()).await.unwrap();
    let closed = message(second["sessionId"].as_str().unwrap()).await;
    assert_said!(cast.0.home, closed.error());
    // A closed one of somebody else is nobody's.
    cast.0.client.close(&other.id).await.unwrap();
    assert_said!(cast.0.home, message(&other.id).await.error());
    cast.0.client.close(first["sessionId"].as_str().unwrap()).await.unwrap();
    let none = message("ffffffff").await;
    let told =
        "no agent matches `ffffffff`\nagent `notes` has no session: use `create` or `latest-or-create`";
    assert_eq!(none.error(), told);
}

#[tokio::test]
async fn a_wait_lasts_from_a_second_to_an_hour() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.define("notes", "");
    let caller = cast.idle("general").await;
    for timeout in [json!(0), json!(-4), json!(0.5), json!(3601), json!(1e30)] {
        let input = json!({ "agentId": "notes", "content": "please", "timeout": timeout });
        let refused = cast.call(&caller.id, "agents_message", &input).await;
        let told = format!("invalid `timeout` {timeout}: give a number of seconds from 1 to 3600");
        assert_eq!(refused.error(), told);
    }
    assert!(cast.open("notes").await.is_empty());
    let input = json!({ "agentId": "notes", "content": "please", "timeout": 3600 });
    assert_eq!(cast.call(&caller.id, "agents_message", &input).await.json()["status"], "complete");
}

#[tokio::test]
async fn only_visible_and_allowed_agents_can_be_talked_to() {
    let cast = Cast::new(&[]);
    cast.define(
        "general",
        "toolAllowlist = ['agents_*']\nagentAllowlist = ['a*', 'hidden', 'child']\nagentDenylist = ['ab']",
    );
    cast.define("aa", "name = 'First'\ndescription = 'Does a.'");
    cast.define("hidden", "uiVisible = false");
    cast.define("child", "is_subagent = true");
    for slug in ["ab", "b"] {
        cast.define(slug, "");
    }
    let caller = cast.idle("general").await;
    let listed = cast.call(&caller.id, "agents_list", &json!({})).await.json();
    assert_eq!(
        listed,
        json!({ "agents": [{ "agentId": "aa", "displayName": "First", "description": "Does a." }] })
    );
    let own = cast.call(&caller.id, "agents_message", &ask("general")).await;
    let told = "you are `general`; an agent cannot message its own definition\nchoose one of: aa";
    assert_eq!(own.error(), told);
    for slug in ["ab", "b", "hidden", "child", "nobody"] {
        let refused = cast.call(&caller.id, "agents_message", &ask(slug)).await;
        let told =
            format!("agent `{slug}` not found, or you are not allowed to message it\nchoose one of: aa");
        assert_eq!(refused.error(), told);
    }
    assert_eq!(cast.call(&caller.id, "agents_message", &ask("aa")).await.json()["status"], "complete");
}

#[tokio::test]
async fn only_agents_that_can_start_are_listed_and_the_prompt_names_fifty() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    for (slug, fields) in [
        ("guarded", "guard = 'lease'"),
        ("lost", "cwd = '/nowhere/at/all'"),
        ("mute", "[[models]]\nmodel_id = '/nowhere.script'"),
        ("eager", "effort = 'max'"),
    ] {
        cast.define(slug, fields);
    }
    let folder = cast.0.home.path().join("agents");
    std::fs::write(folder.join("gone.toml"), "provider = 'nobodys'\n").unwrap();
    for number in 0..52 {
        cast.define(&format!("peer{number:02}"), "");
    }
    let caller = cast.idle("general").await;
    let listed = cast.call(&caller.id, "agents_list", &json!({})).await.json();
    let slugs: Vec<&str> =
        listed["agents"].as_array().unwrap().iter().map(|agent| agent["agentId"].as_str().unwrap()).collect();
    assert_eq!(
        (slugs.len(), slugs[0], slugs[1], slugs[52]),
        (53, "default", "peer00", "peer51"),
        "{slugs:?}"
    );
    let prompt = cast.0.client.prompt(&caller.id).await.unwrap().prompt;
    let mut listed = prompt.lines().skip_while(|line| *line != "- peer48: peer48").skip(1);
    assert_said!(cast.0.home, listed.next().unwrap(), @"- and 3 more (call agents_list to list them)");
    assert!(!prompt.contains("peer49") && !prompt.contains("guarded"), "{prompt}");
    // One that is asked all the same says why not.
    let refused = cast.call(&caller.id, "agents_message", &ask("gone")).await;
    assert_said!(cast.0.home, refused.error());
}

#[tokio::test]
async fn without_waiting_the_caller_is_told_later_whatever_becomes_of_it() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("slow", "", &format!("{WAIT}<<say finished>>"));
    cast.script("poor", "", "<<fail no money>>");
    let caller = cast.idle("general").await;
    let started = cast.call(&caller.id, "agents_message", &ask_async("slow")).await.json();
    assert_eq!((&started["mode"], &started["status"]), (&json!("async"), &json!("started")));
    let first = started["responseId"].as_str().unwrap().to_owned();
    assert_eq!(started.get("queued"), None);
    let queued = cast.call(&caller.id, "agents_message", &ask_async("slow")).await.json();
    assert_eq!((&queued["status"], &queued["created"]), (&json!("started"), &json!(false)));
    assert_eq!(queued["queued"], true);
    assert_said!(cast.0.home, queued["reason"].as_str().unwrap(), @"the agent is busy and will read the message after its current turn");
    release(&cast);
    cast.until(&caller.id, |items| items.iter().filter(|item| told(item, "finished")).count() == 2).await;
    let notices = cast.notices(&caller.id).await;
    assert!(notices[0].contains(&format!("responseId {first}: \"please\"")), "{notices:?}");
    assert_said!(cast.0.home, &notices[0], @r#"
    [notice] Tab aaa1 has finished your request (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2, responseId aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa3: "please").

    finished
    "#);
    assert!(
        notices[1].contains(&format!("responseId {}", queued["responseId"].as_str().unwrap())),
        "{notices:?}"
    );
    let started = cast.call(&caller.id, "agents_message", &ask_async("poor")).await.json();
    assert!(started["responseId"].is_string(), "also of what is over already: {started}");
    cast.until(&caller.id, |items| items.iter().any(|item| told(item, "no money"))).await;
    let heard = cast.heard(&caller.id).await;
    assert_said!(cast.0.home, heard.last().unwrap(), @r#"
    [notice] Tab aaa1 failed to complete your request (aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa2, responseId aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa3: "please").

    no money
    "#);
}

/// Returns the id of a message that an agent took up, by its number.
fn delivery_of(items: &[ItemView], number: usize) -> String {
    items.iter().filter_map(ItemView::delivery).nth(number).unwrap().to_string()
}

fn told_of(item: &ItemView, id: &str) -> bool {
    told(item, &format!("responseId {id}"))
}

pub(crate) fn told(item: &ItemView, words: &str) -> bool {
    let text = item.text.as_deref().unwrap_or_default();
    item.kind() == ItemKind::UserText && text.contains("[notice]") && text.contains(words)
}

#[tokio::test]
async fn a_wait_that_ends_early_says_why_and_the_news_come_later() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("slow", "", &format!("{WAIT}<<say finished>>"));
    cast.script("poor", "", "<<say trying>><<fail no money>>");
    let caller = cast.idle("general").await;
    let impatient = json!({ "agentId": "slow", "content": "please", "timeout": 1 });
    let timeout = cast.call(&caller.id, "agents_message", &impatient).await.json();
    assert_eq!((&timeout["status"], &timeout["timeoutSeconds"]), (&json!("timeout"), &json!(1)));
    assert_said!(cast.0.home, timeout["message"].as_str().unwrap(), @"the agent keeps working; you will be notified when it has finished");
    let id = timeout["responseId"].as_str().unwrap().to_owned();
    release(&cast);
    cast.until(&caller.id, |items| items.iter().any(|item| told(item, "finished"))).await;
    cast.0.settled(&caller.id).await;
    let notices = cast.notices(&caller.id).await;
    assert!(notices[0].contains(&format!("responseId {id}: \"please\"")), "{notices:?}");

    // The failure of the other is an error with its words.
    let failed = cast.call(&caller.id, "agents_message", &ask("poor")).await;
    let poor = cast.open("poor").await.remove(0);
    let id = delivery_of(&cast.0.items(&poor.id).await, 0);
    let told = format!("agent `poor` (tab {}, responseId {id}) failed: no money", poor.handle);
    assert_eq!(failed.error(), told);
    // Whoever was stopped by a person is not waited for.
    let slow = cast.open("slow").await.remove(0);
    cast.0.send(&slow.id, "<<hang>>").await;
    cast.0.client.stop(&slow.id).await.unwrap();
    cast.0.settled(&slow.id).await;
    let held = cast.call(&caller.id, "agents_message", &ask("slow")).await.json();
    assert_eq!(held["status"], "timeout");
    assert_said!(cast.0.home, held["message"].as_str().unwrap(), @"held: a person stopped the agent; do not resend the message");
    let first = held["responseId"].as_str().unwrap().to_owned();
    let held = cast.call(&caller.id, "agents_message", &ask_async("slow")).await.json();
    assert_eq!((&held["status"], &held["held"]), (&json!("started"), &json!(true)));
    assert_said!(cast.0.home, held["reason"].as_str().unwrap(), @"a person stopped the agent");
    assert_said!(cast.0.home, held["message"].as_str().unwrap(), @"held: a person stopped the agent; do not resend the message");
    // Both are taken up when a person writes, each is told of with its id.
    let second = held["responseId"].as_str().unwrap().to_owned();
    cast.0.send(&slow.id, "go on").await;
    for id in [&first, &second] {
        cast.until(&caller.id, |items| items.iter().any(|item| told_of(item, id))).await;
    }
}

#[tokio::test]
async fn whoever_waits_for_a_busy_agent_gets_the_answer_to_its_own_message() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.define("notes", "");
    let notes = cast.start("notes", &format!("{WAIT}<<say for somebody else>>")).await;
    cast.until_calling(&notes.id).await;
    let caller = cast.start("general", &tool("agents_message", &ask("notes"))).await;
    cast.until_accepted(&notes.id, 2).await;
    // What comes later is answered in a turn of its own.
    cast.0.send(&notes.id, "<<say later>>").await;
    release(&cast);
    cast.0.settled(&caller.id).await;
    let answer = cast.called(&caller.id).await.pop().unwrap().json();
    let words = format!("Received: [message from tab {}]\n\nplease", caller.handle);
    assert_eq!(answer["response"], words);
}

#[tokio::test]
async fn a_message_behind_a_turn_that_fails_is_not_waited_for_in_vain() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.define("notes", "");
    let notes = cast.start("notes", &format!("{WAIT}<<fail no money>>")).await;
    cast.until_calling(&notes.id).await;
    let caller = cast.start("general", &tool("agents_message", &ask("notes"))).await;
    cast.until_accepted(&notes.id, 2).await;
    release(&cast);
    cast.0.settled(&caller.id).await;
    let failed = cast.called(&caller.id).await.pop().unwrap();
    let start = format!("agent `notes` (tab {}, responseId ", notes.handle);
    let id =
        failed.error().strip_prefix(&start).unwrap().strip_suffix(") failed: no money").unwrap().to_owned();
    // It was not lost: it is answered with the next message, and the caller hears of it.
    cast.0.send(&notes.id, "go on").await;
    cast.until(&caller.id, |items| items.iter().any(|item| told(item, "Received"))).await;
    assert!(cast.notices(&caller.id).await[0].contains(&id));
}

#[tokio::test]
async fn three_may_wait_in_a_row_and_nobody_in_a_circle() {
    let cast = Cast::new(&[]);
    for (slug, next) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")] {
        cast.script(slug, ASKER, &tool("agents_message", &ask(next)));
    }
    cast.define("e", "");
    let first = cast.start("a", "go").await;
    cast.0.settled(&first.id).await;
    for slug in ["b", "c"] {
        let session = cast.open(slug).await.remove(0);
        assert_eq!(cast.called(&session.id).await.pop().unwrap().json()["status"], "complete", "{slug}");
    }
    let fourth = cast.open("d").await.remove(0);
    let refused = cast.called(&fourth.id).await.pop().unwrap();
    assert_said!(cast.0.home, refused.error());
    assert!(refused.text.contains(&first.handle) && !refused.text.contains(&*first.id), "{}", refused.text);
    // Whom it would have asked is not there yet.
    let end = format!(
        "{} → the new agent\nuse mode async; you will be notified when it has finished",
        fourth.handle
    );
    assert!(refused.text.ends_with(&end), "{}", refused.text);
    assert_eq!(cast.open("e").await.len(), 0, "nothing is made for a message that cannot be sent");

    cast.script("x", ASKER, &tool("agents_message", &ask("y")));
    cast.script("y", ASKER, &tool("agents_message", &ask("x")));
    let x = cast.start("x", "go").await;
    cast.0.settled(&x.id).await;
    let y = cast.open("y").await.remove(0);
    let refused = cast.called(&y.id).await.pop().unwrap();
    let circle = format!("{} → {} → {}", y.handle, x.handle, y.handle);
    assert!(refused.error().contains(&circle), "{}", refused.text);
}

#[tokio::test]
async fn a_daemon_that_dies_during_a_wait_loses_nothing_and_tells_once() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("slow", "", &format!("{WAIT}<<say finished>>\n---\n<<say again>>"));
    let caller = cast.start("general", &tool("agents_message", &ask("slow"))).await;
    let slow = loop {
        cast.until_calling(&caller.id).await;
        if let Some(slow) = cast.open("slow").await.pop() {
            break slow;
        }
    };
    cast.until_calling(&slow.id).await;
    for _ in 0..2 {
        cast.0.crash();
        cast.0.settled(&slow.id).await;
        cast.until(&caller.id, |items| items.iter().any(|item| told(item, "was interrupted"))).await;
        cast.0.settled(&caller.id).await;
    }
    let heard = cast.heard(&caller.id).await;
    assert_eq!(heard.iter().filter(|text| text.contains("[notice]")).count(), 1, "{heard:?}");
    assert_eq!(cast.heard(&slow.id).await, ["please"]);
}

#[tokio::test]
async fn long_answers_are_cut_and_say_so() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("long", "", "<<spew 30k>>");
    let caller = cast.start("general", &tool("agents_message", &ask("long"))).await;
    cast.0.settled(&caller.id).await;
    let called = cast.called(&caller.id).await.pop().unwrap().json();
    assert_eq!(called["truncated"], true);
    assert_eq!(called["response"].as_str().unwrap().chars().count(), 20_000);
}

#[tokio::test]
async fn several_requests_answered_by_one_turn_are_one_notice_that_lists_them() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("slow", "", &format!("{WAIT}<<say first>>\n---\n<<say both>>"));
    let slow = cast.start("slow", "begin").await;
    cast.until_calling(&slow.id).await;
    let caller = cast.idle("general").await;
    let ask = |content: &str| json!({ "agentId": "slow", "content": content, "mode": "async" });
    let mut ids = Vec::new();
    for content in ["find\nthe bug", "write the test"] {
        let accepted = cast.call(&caller.id, "agents_message", &ask(content)).await.json();
        assert_eq!((&accepted["status"], &accepted["queued"]), (&json!("started"), &json!(true)));
        ids.push(accepted["responseId"].as_str().unwrap().to_owned());
    }
    let turns = cast.view(&caller.id).await.turns;
    // Across a restart, too: the notice is decided with the end of the turn.
    release(&cast);
    cast.until(&caller.id, |items| items.iter().any(|item| told(item, "both"))).await;
    cast.0.crash();
    cast.0.settled(&slow.id).await;
    cast.0.settled(&caller.id).await;
    let notices = cast.notices(&caller.id).await;
    assert_eq!(notices.len(), 1, "{notices:?}");
    let listed = format!(
        "({}), 2 requests together:\n- responseId {}: \"find the bug\"\n- responseId {}: \"write the test\"\n\n",
        slow.id, ids[0], ids[1]
    );
    assert!(notices[0].contains(&listed), "{}", notices[0]);
    assert_eq!(cast.view(&caller.id).await.turns, turns + 1, "and one turn");
}
