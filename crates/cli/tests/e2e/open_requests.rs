//! The app shows the permission requests of all sessions, wherever they run.

use paseo_wire::permission::PermissionRequest;
use paseo_wire::worker::StartWorker;
use serde_json::json;

use crate::cast::tool;
use crate::consent::Browser;
use crate::screens::assert_said;
use crate::workers::{red, until_seen, wanted};

#[tokio::test]
async fn a_browser_is_told_of_all_of_them_as_the_command_line_is() {
    let cast = red();
    let home = &cast.0.home;
    home.paseo(&["settings", "set", "perm_summon", "on"]).ok();
    // In the background, in no app and by no definition.
    home.paseo(&["run", "-d", "<<ask background?>><<hang>>"]).ok();
    // A child, which no list shows by itself.
    cast.script("helper", "is_subagent = true", "<<ask child?>>");
    let summon = json!({ "agent": "helper", "task": "please", "background": true });
    home.paseo(&["run", "-d", &format!("{}<<hang>>", tool("summon", &summon))]).ok();
    // In a thread.
    cast.script("guest", "", "<<ask participant?>>");
    home.paseo(&["thread", "new", "plan"]).ok();
    home.paseo(&["thread", "invite", "plan", "guest", "--id", "ann"]).ok();
    home.paseo(&["thread", "post", "plan", "--to", "ann", "please"]).ok();
    // In a terminal, where it has to ask before it runs a command.
    cast.define("careful", "permissions = 'ask'");
    let careful = StartWorker {
        agent: Some("careful".to_owned()),
        provider: None,
        ..wanted("<<sh echo worker>><<hang>>")
    };
    let worker = cast.0.client.start_worker(&careful, None).await.unwrap().worker;

    let browser = Browser::log_in(home);
    let shown = async || browser.get("/api/permissions")["asks"].as_array().unwrap().clone();
    let shown = until_seen("all requests", shown, |asks| asks.len() >= 4).await;
    let listed = home.paseo(&["permit", "ls", "--json"]);
    let listed = crate::json(&listed)["asks"].as_array().unwrap().clone();
    assert_eq!(shown, listed);
    let asks: Vec<PermissionRequest> =
        shown.into_iter().map(|ask| serde_json::from_value(ask).unwrap()).collect();
    assert_eq!(asks.len(), 4, "{asks:#?}");
    for words in ["background?", "child?", "participant?"] {
        let found: Vec<_> = asks.iter().filter(|ask| ask.text == words).collect();
        assert!(found.len() == 1 && found[0].terminal.is_none(), "{words}: {asks:#?}");
    }
    let of_worker = asks.iter().find(|ask| ask.session == worker.session).unwrap();
    assert_said!(home, &of_worker.text, @"Allow shell? (y/n) (answer in the terminal: `paseo worker attach red-1`)");
    assert_eq!(of_worker.terminal.as_deref(), Some("red-1"));

    // No list hides them from each other: each can be answered by what the browser was shown.
    for ask in asks.iter().filter(|ask| ask.terminal.is_none()) {
        home.paseo(&["permit", "deny", &ask.hash]).ok();
    }
    let left = async || browser.get("/api/permissions")["asks"].as_array().unwrap().len();
    until_seen("the answers", left, |left| *left == 1).await;
    home.paseo(&["worker", "kill", "red-1"]).ok();
    until_seen("the end", left, |left| *left == 0).await;
}
