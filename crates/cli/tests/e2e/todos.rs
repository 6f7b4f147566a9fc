//! `todo`: the whole list each time, kept with the agent.

use serde_json::{Value, json};

use crate::cast::Cast;

#[tokio::test]
async fn the_list_is_replaced_echoed_without_ids_and_outlives_the_daemon() {
    let cast = Cast::new(&[]);
    cast.define("planner", "tools = ['todo']");
    let agent = cast.idle("planner").await;
    let write = async |todos: Value| cast.call(&agent.id, "todo", &json!({ "todos": todos })).await;
    let shown = async || -> Vec<(String, String)> {
        let todo = cast.view(&agent.id).await.todo.unwrap_or_default();
        todo.into_iter().map(|entry| (entry.content, entry.status)).collect()
    };
    let list = json!([
        { "content": "plan", "status": "completed", "priority": "high" },
        { "content": "build", "status": "in_progress" },
        { "content": "ship", "status": "someday" },
    ]);
    assert_eq!(write(list).await.ok(), "[x] plan (high)\n[>] build\n[ ] ship");
    let entry = |content: &str, status: &str| (content.to_owned(), status.to_owned());
    let expected = [entry("plan", "completed"), entry("build", "in_progress"), entry("ship", "pending")];
    assert_eq!(shown().await, expected);
    cast.0.crash();
    assert_eq!(shown().await, expected);
    for wrong in [json!("plan"), json!([{ "status": "pending" }]), json!([{ "content": " " }]), json!([3])] {
        let refused = write(wrong.clone()).await;
        assert_eq!(refused.outcome, "error", "{wrong}: {}", refused.text);
    }
    assert_eq!(shown().await, expected, "what is refused changes nothing");
    assert_eq!(write(json!([{ "content": "rest" }])).await.ok(), "[ ] rest");
    assert_eq!(shown().await, [entry("rest", "pending")]);
    assert_eq!(write(json!([])).await.ok(), "The list is empty.");
    assert!(shown().await.is_empty());
    write(json!([{ "content": "forget me" }])).await.ok();
    cast.0.home.paseo(&["clear", &agent.handle]).ok();
    assert!(shown().await.is_empty());
}
