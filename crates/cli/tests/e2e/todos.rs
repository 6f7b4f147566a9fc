//! `todo`: the whole list each time, kept with the agent.

use serde_json::{Value, json};

use crate::cast::Cast;
use crate::screens::assert_said;

#[tokio::test]
async fn the_list_is_replaced_echoed_without_ids_and_outlives_the_daemon() {
    let cast = Cast::new(&[]);
    cast.define("planner", "tools = ['todo']");
    let agent = cast.idle("planner").await;
    let write = async |todos: Value| cast.call(&agent.id, "todo", &json!({ "todos": todos })).await;
    let shown = async || -> Vec<(String, String)> {
        let todo = cast.view(&agent.id).await.todo.unwrap_or_default();
        todo.into_iter().map(|entry| (entry.content, entry.status.to_string())).collect()
    };
    let list = json!([
        { "content": "plan", "status": "completed", "priority": "high" },
        { "content": "build", "status": "in_progress" },
        { "content": "ship", "status": "someday" },
    ]);
    assert_eq!(
        write(list).await.ok(),
        "[x] plan (high)\n[>] build\n[ ] ship\n(entry 3 was set to pending: `someday` is not a valid status; known: pending, in_progress, completed, cancelled)"
    );
    let entry = |content: &str, status: &str| (content.to_owned(), status.to_owned());
    let expected = [entry("plan", "completed"), entry("build", "in_progress"), entry("ship", "pending")];
    assert_eq!(shown().await, expected);
    let home = &cast.0.home;
    let inspected = home.paseo(&["inspect", &agent.handle]);
    assert!(inspected.ok().contains("\ntodo\n"), "{inspected:?}");
    let logs = home.paseo(&["logs", &agent.handle]);
    assert!(
        logs.ok().matches("todo\n").count() == 1 && logs.ok().matches("▸ build").count() == 1,
        "{logs:?}"
    );
    cast.0.crash();
    assert_eq!(shown().await, expected);
    for wrong in [json!("plan"), json!([{ "status": "pending" }]), json!([{ "content": " " }]), json!([3])] {
        let refused = write(wrong.clone()).await;
        assert_eq!(refused.outcome, "error", "{wrong}: {}", refused.text);
    }
    assert_eq!(shown().await, expected, "what is refused changes nothing");
    // What is not understood keeps no list from being stored, and the agent is told.
    let odd =
        json!([{ "content": "plan", "status": 3 }, { "content": "ship", "state": "completed", "id": 7 }]);
    let stored = write(odd).await;
    assert_said!(cast.0.home, stored.ok(), @r"
    [ ] plan
    [ ] ship
    (entry 1 was set to pending: `3` is not a valid status; known: pending, in_progress, completed, cancelled)
    (ignored: `id`, `state`; entries only have content, status and priority)
    ");
    assert_eq!(shown().await, [entry("plan", "pending"), entry("ship", "pending")]);
    assert_eq!(write(json!([{ "content": "rest" }])).await.ok(), "[ ] rest");
    assert_eq!(shown().await, [entry("rest", "pending")]);
    assert_said!(cast.0.home, write(json!([])).await.ok(), @"The list is empty.");
    assert!(shown().await.is_empty());
    write(json!([{ "content": "forget me" }])).await.ok();
    cast.0.home.paseo(&["clear", &agent.handle]).ok();
    assert!(shown().await.is_empty());
}

#[tokio::test]
async fn whoever_asks_for_help_is_told_what_an_entry_is_made_of() {
    let cast = Cast::new(&[]);
    cast.define("planner", "tools = ['todo', 'bash']");
    let agent = cast.start("planner", "<<sh paseo tool todo --help>>").await;
    cast.0.settled(&agent.id).await;
    let help = cast.called(&agent.id).await.pop().unwrap().text;
    for words in [
        "--todos     (list of objects, required) The whole list, in order.\n",
        "    content   (string) The step in a few words.\n",
        "    priority  (string, optional) high, medium (default) or low.\n",
        "    status    (string, optional) pending (default), in_progress, completed or cancelled.\n",
        "\"status\":\"in_progress\"",
    ] {
        assert!(help.contains(words), "{words}: {help}");
    }
}

/// The same in a shell as natively: a list is never refused for what it does not know.
#[tokio::test]
async fn unknown_flags_are_ignored_and_said() {
    let cast = Cast::new(&[]);
    cast.define("planner", "tools = ['todo', 'bash', 'agents_message']");
    let call =
        r#"paseo tool todo --todos '[{"content":"q"}]' --merge true; paseo tool agents_message --merge true"#;
    let agent = cast.start("planner", &format!("<<sh {call}>>")).await;
    cast.0.settled(&agent.id).await;
    let printed = cast.called(&agent.id).await.pop().unwrap().text;
    // Others take only what they know.
    assert_said!(cast.0.home, &printed, @r"
    [ ] q
    (ignored: `merge`; entries only have content, status and priority)
    error: unknown argument --merge
     hint: arguments: --agent-id, --content, --session, --mode, --timeout, --json; see `paseo tool agents_message --help`
    ");
    let todo = cast.view(&agent.id).await.todo.unwrap_or_default();
    assert_eq!(todo.into_iter().map(|entry| entry.content).collect::<Vec<_>>(), ["q"]);
}

#[tokio::test]
async fn default_agents_keep_a_list_once_a_person_switches_it_on() {
    let cast = Cast::new(&[]);
    let agent = cast.idle("default").await;
    let list = json!({ "todos": [{ "content": "plan" }] });
    assert_eq!(cast.call(&agent.id, "todo", &list).await.outcome, "denied");
    cast.0.home.paseo(&["settings", "set", "perm_todo", "on"]).ok();
    assert_eq!(cast.call(&agent.id, "todo", &list).await.ok(), "[ ] plan");
}
