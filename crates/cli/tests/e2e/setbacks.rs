//! Agents that fail before they take up what they were told: whoever asked is told so, and why.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

use crate::cast::Cast;
use crate::screens::{assert_said, assert_told};
use crate::workers::{Reader, red_at, until, until_seen};
use crate::workers_tools::member;

/// A home in which `pi` says its version, and otherwise exits with 7.
fn broken() -> TestHome {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    let folder = home.path().parent().unwrap().to_owned();
    let program = folder.join("my-pi");
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo 0.73.1 && exit\necho 'no disk' >&2\nexit 7\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(home.path()).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let config = format!("[providers.pi]\nprogram = '{}'\n", program.display());
    fs::write(home.path().join("config.toml"), config).unwrap();
    home
}

#[tokio::test]
async fn a_worker_that_dies_before_it_begins_says_so_and_its_leader_is_told() {
    let cast = red_at(broken());
    let lead = member(&cast, None, "leader").await;
    let start = json!({ "taskPrompt": "the parser, please", "provider": "pi" });
    let begun = cast.call(&lead.id, "team_tmux_start", &start).await.json();
    cast.until_heard(&lead.id, "failed to complete your request").await;
    let heard = cast.heard(&lead.id).await;
    let failure = heard.iter().find(|text| text.contains("failed to complete your request")).unwrap();
    assert_said!(cast.0.home, failure);

    let reader = Reader::new(&cast);
    let thread = begun["threadId"].as_str().unwrap();
    let posts = until_seen(
        "its report",
        async || reader.posts(thread),
        |posts| posts.iter().any(|(from, _)| from == "red-1"),
    )
    .await;
    let said: Vec<&str> =
        posts.iter().filter(|(from, _)| from == "red-1").map(|(_, text)| text.as_str()).collect();
    assert_said!(cast.0.home, &said.join("\n"));

    // What was told is told once; what comes of the next attempt is in the thread.
    let name = json!({ "sessionName": "red-1", "message": "go on" });
    cast.call(&lead.id, "team_tmux_send", &name).await.ok();
    let reports = async || reader.posts(thread).iter().filter(|(from, _)| from == "red-1").count();
    until("the second report", async || reports().await == 2).await;
    let heard = cast.heard(&lead.id).await.join("\n");
    assert_eq!(heard.matches("failed to complete your request").count(), 1, "{heard}");
    // Its last screen stays; whoever stops the daemon is told, and an agent who may not is told nothing else.
    let inside = cast.call(&lead.id, "team_tmux_list", &json!({})).await.json();
    assert_eq!(inside["sessions"][0]["exit"]["code"], 7);
    let down = cast.0.home.paseo(&["down"]);
    assert_told!(cast.0.home, down);
}

#[tokio::test]
async fn a_participant_that_fails_before_it_begins_is_reported_to_its_thread() {
    let cast = Cast::at(broken(), &[]);
    let home = &cast.0.home;
    home.paseo(&["thread", "new", "plan"]).ok();
    home.paseo(&["thread", "invite", "plan", "pi"]).ok();
    home.paseo(&["thread", "post", "plan", "@pi what is left?"]).ok();
    let events = || -> Vec<Value> {
        let told = home.paseo(&["thread", "tail", "plan", "--json"]).ok().to_owned();
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let errors = || -> Vec<Value> {
        let is_error = |event: &Value| event["meta"]["tags"].as_array().unwrap().contains(&json!("error"));
        events().into_iter().filter(is_error).collect()
    };
    let seen = until_seen("the failure", async || errors(), |errors| !errors.is_empty()).await;
    let text = seen[0]["content"].as_str().unwrap();
    assert_said!(home, text, @r"
    pi failed before it accepted the message: the agent's process exited during the turn with code 7; its last output:
    no disk

    The message is queued and will be retried with the next one. Run `paseo why aaa1` for details.
    ");
    let asked = events().into_iter().find(|event| event["from"] == "user" && event["type"] == "message");
    assert_eq!(seen[0]["meta"]["reply_to"], asked.unwrap()["id"]);

    // Whoever looks finds who it is, and how it is.
    let shown = home.paseo(&["thread", "show", "plan", "--json"]);
    let seat = crate::json(&shown)["state"]["participants"]["invited"][0].clone();
    let handle = seat["handle"].as_str().unwrap().to_owned();
    assert_eq!(seat["status"], "error");
    let shown = home.paseo(&["thread", "show", "plan"]).ok().to_owned();
    let row = shown.lines().find(|line| line.starts_with("pi")).unwrap();
    assert!(row.contains("error") && row.contains(&handle), "{shown}");
    assert!(text.contains(&format!("`paseo why {handle}`")), "{text}");
    home.paseo(&["why", &handle]).ok();

    // The next one waits behind it, and says so for itself.
    home.paseo(&["thread", "post", "plan", "@pi and now?"]).ok();
    let seen = until_seen("the second failure", async || errors(), |errors| errors.len() == 2).await;
    assert_ne!(seen[0]["meta"]["reply_to"], seen[1]["meta"]["reply_to"]);
    // A daemon that comes back says nothing twice.
    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    home.paseo(&["thread", "post", "plan", "to nobody"]).ok();
    assert_eq!(errors().len(), 2, "{:#?}", errors());
}
