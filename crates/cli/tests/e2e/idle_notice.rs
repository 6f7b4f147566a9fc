//! `notify_when_idle`: told once, along with the next turn, whatever happens to the daemon meanwhile.

use serde_json::json;

use crate::cast::{Cast, WAIT, release};
use crate::screens::assert_said;

#[tokio::test]
async fn the_notice_rides_along_with_the_next_turn_and_comes_once() {
    let cast = Cast::new(&["perm_read_tab"]);
    let target = cast.start("default", WAIT).await;
    cast.until_calling(&target.id).await;
    let caller = cast.idle("default").await;
    let input = json!({ "tab_id": target.handle });
    let asked = cast.call(&caller.id, "notify_when_idle", &input).await;
    assert_said!(cast.0.home, asked.ok(), @"You will be notified once, with your next turn, when tab aaa1 has nothing left to do. Do not wait or poll for an answer: end your turn when you have nothing else to do.");
    // Asking twice is no reason to be told twice.
    cast.call(&caller.id, "notify_when_idle", &input).await.ok();
    release(&cast);
    cast.until_accepted(&caller.id, 3).await;
    let view = cast.view(&caller.id).await;
    assert_eq!((view.turns, view.turn, view.queued), (2, None, 0), "nothing wakes it");
    cast.0.send(&caller.id, "<<say on>>").await;
    cast.0.settled(&caller.id).await;
    let notice = format!("[notice] Tab {} is now idle.", target.handle);
    let said = cast.said(&caller.id).await;
    assert!(said.iter().any(|text| text.ends_with(&notice)), "{said:?}");
    cast.0.send(&caller.id, "<<say further>>").await;
    cast.0.settled(&caller.id).await;
    let heard = cast.heard(&caller.id).await;
    assert_eq!(heard.iter().filter(|text| text.contains("[notice]")).count(), 1, "{heard:?}");
    let asked = cast.call(&caller.id, "notify_when_idle", &input).await;
    assert_said!(cast.0.home, asked.ok(), @"Tab aaa1 is already idle.");
}

#[tokio::test]
async fn a_daemon_that_dies_forgets_nobody() {
    let cast = Cast::new(&["perm_read_tab"]);
    let target = cast.start("default", WAIT).await;
    cast.until_calling(&target.id).await;
    let caller = cast.idle("default").await;
    cast.call(&caller.id, "notify_when_idle", &json!({ "tab_id": target.handle })).await.ok();
    for _ in 0..2 {
        cast.0.crash();
        cast.0.settled(&target.id).await;
    }
    cast.until_accepted(&caller.id, 2).await;
    for _ in 0..2 {
        cast.0.send(&caller.id, "<<say on>>").await;
        cast.0.settled(&caller.id).await;
    }
    let heard = cast.heard(&caller.id).await;
    let notices = heard.iter().filter(|text| text.contains("[notice]") && text.contains(&target.handle));
    assert_eq!(notices.count(), 1, "{heard:?}");
}
