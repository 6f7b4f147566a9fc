//! One outcome, one telling: whoever asked hears once what became of it, in the call that waits or by a notice.

use serde_json::json;

use crate::agents_message::{ASKER, ask, ask_async, told};
use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::assert_said;

#[tokio::test]
async fn whoever_waits_is_told_once_that_the_other_was_stopped_closed_or_deleted() {
    for act in ["stop", "close", "delete"] {
        let cast = Cast::new(&["perm_summon"]);
        cast.define("general", "tools = ['agents_message', 'summon']");
        cast.script("slow", "", "<<hang>>");
        cast.script("child", "is_subagent = true", "<<hang>>");
        let summon = json!({ "task": "please", "agent": "child" });
        let mut callers = Vec::new();
        for (slug, call) in
            [("slow", tool("agents_message", &ask("slow"))), ("child", tool("summon", &summon))]
        {
            let caller = cast.start("general", &call).await;
            cast.until_calling(&caller.id).await;
            let target = loop {
                match cast.open(slug).await.pop() {
                    Some(target) => break target,
                    None => tokio::task::yield_now().await,
                }
            };
            cast.until_heard(&target.id, "please").await;
            callers.push((caller, target));
        }
        for (caller, target) in &callers {
            match act {
                "stop" => drop(cast.0.client.stop(&target.id).await.unwrap()),
                "close" => drop(cast.0.client.close(&target.id).await.unwrap()),
                _ => drop(cast.0.home.paseo(&["rm", "-f", &target.id]).ok()),
            }
            cast.0.settled(&caller.id).await;
            let called = cast.called(&caller.id).await;
            assert_eq!(called.len(), 1, "{act}");
            called[0].error();
        }
        // Whatever is still on its way comes before the next words.
        for (caller, _) in &callers {
            cast.0.send(&caller.id, "<<say on>>").await;
            cast.0.settled(&caller.id).await;
            assert_eq!(cast.notices(&caller.id).await, Vec::<String>::new(), "{act}");
            assert_eq!(cast.view(&caller.id).await.turns, 2, "{act}");
        }
    }
}

#[tokio::test]
async fn closing_and_deleting_tell_whoever_does_not_wait_once() {
    for act in ["close", "rm"] {
        let cast = Cast::new(&[]);
        cast.define("general", ASKER);
        cast.script("slow", "", &format!("<<say halfway>>{WAIT}"));
        let caller = cast.idle("general").await;
        let mut ids = Vec::new();
        for _ in 0..2 {
            let accepted = cast.call(&caller.id, "agents_message", &ask_async("slow")).await.json();
            ids.push(accepted["responseId"].as_str().unwrap().to_owned());
        }
        let slow = cast.open("slow").await.remove(0);
        cast.until_calling(&slow.id).await;
        let args = if act == "rm" { vec!["rm", "-f", &slow.id] } else { vec!["close", &slow.id] };
        cast.0.home.paseo(&args).ok();
        cast.until(&caller.id, |items| items.iter().any(|item| told(item, "closed"))).await;
        cast.0.settled(&caller.id).await;
        let notices = cast.notices(&caller.id).await;
        assert_eq!(notices.len(), 1, "{act}: {notices:?}");
        for words in [&ids[0], &ids[1], "was interrupted", "halfway", "closed before it read"] {
            assert!(notices[0].contains(words), "{act}, {words}: {}", notices[0]);
        }
        assert_eq!(cast.view(&caller.id).await.turns, 3, "{act}");
    }
}

/// Does something to an agent, as a person.
async fn act_on(cast: &Cast, act: &str, agent: &str) {
    match act {
        "stop" => drop(cast.0.client.stop(agent).await.unwrap()),
        "close" => drop(cast.0.client.close(agent).await.unwrap()),
        _ => drop(cast.0.home.paseo(&["rm", "-f", agent]).ok()),
    }
}

/// Waits until a caller has so many notices, and sees that no more are on their way: they come before the next words.
async fn has_notices(cast: &Cast, what: &str, caller: &str, count: usize) {
    let is_notice = |item: &paseo_wire::item::ItemView| told(item, "responseId");
    cast.until(caller, |items| items.iter().filter(|item| is_notice(item)).count() >= count).await;
    cast.0.send(caller, "<<say on>>").await;
    cast.0.settled(caller).await;
    let notices = cast.notices(caller).await;
    assert_eq!(notices.len(), count, "{what}: {notices:#?}");
}

#[tokio::test]
async fn whoever_asked_a_busy_agent_is_told_once_that_it_was_stopped_closed_or_deleted() {
    for act in ["stop", "close", "rm"] {
        let cast = Cast::new(&[]);
        cast.define("general", ASKER);
        cast.script("slow", "", &format!("{WAIT}\n---\n<<say done>>"));
        let running = cast.idle("general").await;
        cast.call(&running.id, "agents_message", &ask_async("slow")).await.json();
        let slow = cast.open("slow").await.remove(0);
        cast.until_calling(&slow.id).await;
        let queued = cast.idle("general").await;
        let accepted = cast.call(&queued.id, "agents_message", &ask_async("slow")).await.json();
        assert_eq!(accepted["queued"], true);
        let waiting = cast.start("general", &tool("agents_message", &ask("slow"))).await;
        cast.until_accepted(&slow.id, 3).await;
        act_on(&cast, act, &slow.id).await;
        cast.0.settled(&waiting.id).await;
        has_notices(&cast, act, &running.id, 1).await;
        let result = cast.called(&waiting.id).await.pop().unwrap();
        if act == "stop" {
            // What waits is kept until a person writes. Then it is answered, and that is told.
            assert_eq!(
                result.json()["message"],
                "held: a person stopped the agent; do not resend the message"
            );
            for caller in [&queued, &waiting] {
                has_notices(&cast, act, &caller.id, 0).await;
            }
            cast.0.send(&slow.id, "go on").await;
            has_notices(&cast, act, &waiting.id, 1).await;
        } else {
            let told = result.error().rsplit(") ").next().unwrap_or_default();
            assert_said!(cast.0.home, told, @"was closed before it answered");
            has_notices(&cast, act, &waiting.id, 0).await;
        }
        has_notices(&cast, act, &queued.id, 1).await;
        has_notices(&cast, act, &running.id, 1).await;
    }
}

#[tokio::test]
async fn whoever_asked_an_agent_that_is_held_is_told_once_what_became_of_it() {
    for act in ["stop", "close", "rm"] {
        let cast = Cast::new(&[]);
        cast.define("general", ASKER);
        cast.script("slow", "", "<<hang>>\n---\n<<say done>>");
        let slow = cast.start("slow", "begin").await;
        cast.until_heard(&slow.id, "begin").await;
        cast.0.client.stop(&slow.id).await.unwrap();
        cast.0.settled(&slow.id).await;
        let (waited, sent) = (cast.idle("general").await, cast.idle("general").await);
        let held = cast.call(&waited.id, "agents_message", &ask("slow")).await.json();
        assert_said!(cast.0.home, held["message"].as_str().unwrap(), @"held: a person stopped the agent; do not resend the message");
        let held = cast.call(&sent.id, "agents_message", &ask_async("slow")).await.json();
        assert_eq!(held["held"], true);
        act_on(&cast, act, &slow.id).await;
        if act == "stop" {
            for caller in [&waited, &sent] {
                has_notices(&cast, act, &caller.id, 0).await;
            }
            cast.0.send(&slow.id, "go on").await;
        }
        for caller in [&waited, &sent] {
            has_notices(&cast, act, &caller.id, 1).await;
        }
    }
}

/// The call said that news would come: whatever becomes of it then is told by one notice, with the id from the call.
#[tokio::test]
async fn whoever_waited_in_vain_is_told_once_what_came_of_it_after_all() {
    for act in ["answer", "stop", "close", "rm"] {
        let cast = Cast::new(&[]);
        cast.define("general", ASKER);
        cast.script("slow", "", &format!("{WAIT}<<say finished>>"));
        let caller = cast.idle("general").await;
        let impatient = json!({ "agentId": "slow", "content": "please", "timeout": 1 });
        let called = cast.call(&caller.id, "agents_message", &impatient).await.json();
        assert_eq!(called["status"], "timeout", "{act}");
        let slow = cast.open("slow").await.remove(0);
        match act {
            "answer" => release(&cast),
            _ => act_on(&cast, act, &slow.id).await,
        }
        has_notices(&cast, act, &caller.id, 1).await;
        let notice = cast.notices(&caller.id).await.remove(0);
        let outcome = if act == "answer" { "finished" } else { "was interrupted" };
        for words in [called["responseId"].as_str().unwrap(), outcome] {
            assert!(notice.contains(words), "{act}, {words}: {notice}");
        }
        // The call, the notice, and the words that looked for another.
        assert_eq!(cast.view(&caller.id).await.turns, 3, "{act}");
    }
}
