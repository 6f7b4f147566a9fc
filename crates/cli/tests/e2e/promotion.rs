//! A subagent becomes an independent agent: `paseo promote`.

use paseo_wire::error::Code;
use serde_json::json;

use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::assert_said;

#[tokio::test]
async fn a_promoted_subagent_stands_on_its_own_and_its_parent_is_told_once() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", &format!("{WAIT}<<say the answer>>"));
    let parent = cast.idle("default").await;
    let task = json!({ "agent": "flash", "task": "do it", "background": true });
    let child = cast.call(&parent.id, "summon", &task).await.agent();
    let before = cast.view(&child).await;
    assert_eq!(before.parent.as_ref(), Some(&parent.id));
    let told = cast.0.home.paseo(&["promote", &before.handle]);
    assert_said!(cast.0.home, told.ok(), @"Promoted aaa1 to an independent agent");
    let after = cast.view(&child).await;
    assert_eq!((after.parent.as_ref(), after.labels.get("ui").map(String::as_str)), (None, Some("true")));
    assert_eq!(after.permissions, before.permissions);
    cast.until_heard(&parent.id, "a person promoted it").await;
    cast.0.settled(&parent.id).await;
    let retrieved = cast.call(&parent.id, "retrieve", &json!({ "agent_id": child })).await;
    assert_said!(cast.0.home, retrieved.error(), @"This is a user agent (top-level tab) and cannot be retrieved. User agents are fire-and-forget.");

    // It outlives its parent, and its answer goes to nobody else.
    cast.0.client.close(&parent.id).await.unwrap();
    assert_ne!(cast.view(&child).await.status.as_str(), "closed");
    release(&cast);
    cast.0.settled(&child).await;
    assert_eq!(cast.notices(&parent.id).await.len(), 1);

    let again = cast.0.client.promote(&child).await.unwrap_err();
    assert_eq!(again.code(), Some(Code::Conflict), "{again}");
    cast.0.client.close(&child).await.unwrap();
    let closed = cast.0.client.promote(&child).await.unwrap_err();
    assert_eq!(closed.code(), Some(Code::Closed), "{closed}");
}

#[tokio::test]
async fn a_parent_that_waits_is_told_by_the_call_it_waits_in() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", &format!("{WAIT}<<say the answer>>"));
    let parent = cast.start("default", &tool("summon", &json!({ "agent": "flash", "task": "do it" }))).await;
    cast.until_calling(&parent.id).await;
    let child = loop {
        if let Some(child) = cast.open("flash").await.pop() {
            break child;
        }
    };
    cast.0.runs(&child.id).await;
    cast.0.client.promote(&child.id).await.unwrap();
    cast.0.settled(&parent.id).await;
    let told = cast.called(&parent.id).await.pop().unwrap();
    let told = told.ok().lines().last().unwrap();
    assert_said!(cast.0.home, told, @"The agent is now an independent agent: a person promoted it, so you will not receive its answer and cannot retrieve it.");
    release(&cast);
    cast.0.settled(&child.id).await;
    cast.0.send(&parent.id, "<<say on>>").await;
    cast.0.settled(&parent.id).await;
    assert!(cast.notices(&parent.id).await.is_empty(), "{:?}", cast.notices(&parent.id).await);
}

#[tokio::test]
async fn agents_promote_nobody() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("flash", "is_subagent = true", &format!("{WAIT}<<say the answer>>"));
    let parent = cast.idle("default").await;
    let task = json!({ "agent": "flash", "task": "do it", "background": true });
    let child = cast.call(&parent.id, "summon", &task).await.agent();
    cast.0.send(&parent.id, &format!("<<sh paseo promote {child} 2\\>&1 || true>>")).await;
    cast.0.settled(&parent.id).await;
    let told = cast.called(&parent.id).await.pop().unwrap();
    assert_said!(cast.0.home, &told.text, @r"
    error: aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1: only people can do this, and you are calling as an agent
     hint: ask a person; this process belongs to agent aaa2
    ");
    assert_eq!(cast.view(&child).await.parent.as_ref(), Some(&parent.id));
    release(&cast);
}
