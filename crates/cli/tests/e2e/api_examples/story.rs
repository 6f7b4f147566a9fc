//! The requests, in an order in which each makes sense.

use serde_json::{Value, json};

use super::Asker;

const NOTHING: Value = Value::Null;

pub(super) fn tell(asker: &mut Asker) {
    daemon(asker);
    sessions(asker);
    agents(asker);
    threads(asker);
    bridge(asker);
    teams(asker);
    teamd(asker);
    asker.ask("deleteSession", "id=$session?force=true", NOTHING);
    asker.ask("stopDaemon", "", NOTHING);
}

fn daemon(asker: &mut Asker) {
    for name in [
        "getHealth",
        "getStatus",
        "getCaller",
        "getSettings",
        "listProviders",
        "listWorktrees",
        "listWorkers",
    ] {
        asker.ask(name, "", NOTHING);
    }
    asker.ask("listModels", "name=scripted", NOTHING);
    asker.ask("createProvider", "", json!({ "name": "my-agent", "command": ["cat"] }));
    asker.ask("deleteProvider", "name=my-agent", NOTHING);
    asker.ask("updateSetting", "key=perm_todo", json!({ "value": true }));
    let token = asker.ask("createToken", "", json!({ "name": "ci" }));
    asker.keep("token", &token["id"]);
    asker.ask("listTokens", "", NOTHING);
    asker.ask("deleteToken", "token=$token", NOTHING);
    asker.ask("createLoginLink", "", NOTHING);
    asker.ask("listDevices", "", NOTHING);
}

fn sessions(asker: &mut Asker) {
    let body = json!({ "directory": "$work", "prompt": "Greet me <<say hello>>", "name": "greeter" });
    let made = asker.ask("createSession", "", body);
    asker.keep("session", &made["session"]["id"]);
    asker.keep("delivery", &made["receipt"]["delivery"]);
    asker.keep("cause", &made["receipt"]["cause"]);
    asker.wait("$session", "idle");
    asker.ask("listSessions", "?limit=1", NOTHING);
    for name in ["getSession", "getSessionPrompt", "listSessionTools", "getLastTurn", "listQueue"] {
        asker.ask(name, "id=$session", NOTHING);
    }
    asker.ask("listProjects", "?limit=1", NOTHING);
    asker.ask("getUsage", "?by=model", NOTHING);
    std::fs::write(asker.home.work().join("README.md"), "# Hello\n").unwrap();
    std::fs::create_dir(asker.home.work().join("src")).unwrap();
    asker.ask("listFiles", "id=$session?limit=2", NOTHING);
    asker.ask("getFile", "id=$session?path=README.md", NOTHING);
    asker.ask("listDirectories", "?path=$work/", NOTHING);
    asker.ask("completeFile", "?directory=$work&query=read", NOTHING);
    asker.ask("updateSession", "id=$session", json!({ "pinned": true, "set_labels": { "env": "ci" } }));
    let page = asker.ask("listItems", "id=$session?limit=2", NOTHING);
    asker.keep("ordinal", &page["items"][0]["ordinal"]);
    asker.ask("listTurns", "id=$session?limit=2", NOTHING);
    asker.ask("getItemText", "id=$session ordinal=$ordinal", NOTHING);
    asker.ask("sendMessage", "id=$session", json!({ "text": "Thank you <<say done>>" }));
    asker.wait("$session", "idle");
    asker.ask("getDelivery", "id=$session delivery=$delivery", NOTHING);
    asker.ask("traceDelivery", "delivery=$delivery", NOTHING);
    asker.ask("getCause", "cause=$cause", NOTHING);
    asker.ask("listCauseMessages", "cause=$cause?limit=1", NOTHING);
    asker.ask("getMap", "?all=true", NOTHING);
    asker.ask("stopCause", "cause=$cause", NOTHING);
    asker.ask("search", "?q=hello&limit=1", NOTHING);
    let asking = json!({ "directory": "$work", "prompt": "Push it <<ask May I push?>>" });
    let asking = asker.ask("createSession", "", asking);
    asker.keep("asking", &asking["session"]["id"]);
    asker.wait("$asking", "waiting");
    queue(asker);
    asker.ask("listPermissionRequests", "?limit=1", NOTHING);
    asker.ask("listRules", "", NOTHING);
    asker.ask("getInbox", "?limit=2", NOTHING);
    let other = json!({ "directory": "$work", "prompt": "Tag it <<ask May I tag it?>>" });
    let other = asker.ask("createSession", "", other);
    asker.keep("other", &other["session"]["id"]);
    asker.wait("$other", "waiting");
    let open = asker.ask("listPermissionRequests", "?session=$other", NOTHING);
    asker.keep("hash", &open["asks"][0]["hash"]);
    let answer = json!({ "allow": true, "message": "Yes, as v1.2" });
    asker.ask("answerPermissionRequest", "id=$other hash=$hash", answer);
    asker.ask("markLooked", "id=$session", json!({ "news": 1 }));
    asker.ask("archiveSession", "id=$session", json!({ "news": 2 }));
    asker.ask("stopSession", "id=$asking", NOTHING);
    asker.ask("closeSession", "id=$asking", NOTHING);
    asker.ask("reopenSession", "id=$asking", NOTHING);
    asker.ask("clearSession", "id=$asking", NOTHING);
}

/// What people do to messages that wait for an agent that is busy.
fn queue(asker: &mut Asker) {
    for (name, text) in [("one", "Use spaces"), ("two", "Run the tests")] {
        let sent = asker.ask("sendMessage", "id=$asking", json!({ "text": text }));
        asker.keep(name, &sent["delivery"]);
    }
    asker.ask("editQueued", "id=$asking delivery=$one", json!({ "text": "Use tabs" }));
    asker.ask("getQueuedText", "id=$asking delivery=$one", NOTHING);
    asker.ask("moveQueued", "id=$asking delivery=$two", json!({ "to": "first" }));
    asker.ask("listQueue", "id=$asking", NOTHING);
    asker.ask("releaseQueued", "id=$asking delivery=$two", NOTHING);
    asker.ask("releaseQueue", "id=$asking", NOTHING);
    asker.ask("cancelQueued", "id=$asking delivery=$one", NOTHING);
    asker.ask("cancelQueued", "id=$asking delivery=$two", NOTHING);
}

fn agents(asker: &mut Asker) {
    asker.ask("listAgents", "?project=$work", NOTHING);
    let text = "description = \"Reviews changes\"\nprovider = \"claude\"\n\n[[models]]\nmodel_id = \"opus\"\neffort = \"high\"\n";
    asker.ask("updateAgent", "slug=reviewer", json!({ "text": text }));
    let shown = asker.ask("getAgent", "slug=reviewer?project=$work", NOTHING);
    assert_eq!(shown["models"][0]["model"], "opus", "{shown}");
    asker.ask("getAgentSource", "slug=default?project=$work", NOTHING);
    asker.ask("listCommands", "?directory=$work&limit=2", NOTHING);
    asker.ask("checkAgent", "slug=reviewer", json!({ "text": "tools = ['read'\n" }));
    let said = json!({ "project": "$work", "text": "Hello <<say hi>>", "session": "create" });
    let told = asker.ask("messageAgent", "slug=default", said);
    asker.keep("told", &told["session"]["id"]);
    asker.wait("$told", "idle");
    asker.ask("listAgentSessions", "slug=default?project=$work&limit=1", NOTHING);
    asker.ask("switchAgent", "slug=default", json!({ "project": "$work" }));
    asker.ask("getWhereabouts", "?project=$work", NOTHING);
}

fn threads(asker: &mut Asker) {
    let made = asker.ask("createThread", "", json!({ "name": "planning", "directory": "$work" }));
    asker.keep("thread", &made["thread"]["id"]);
    asker.ask("listThreads", "?limit=1", NOTHING);
    asker.ask("getThread", "thread=planning", NOTHING);
    asker.ask("updateThread", "thread=$thread", json!({ "name": "plans" }));
    asker.ask("previewWakes", "thread=$thread", json!({ "text": "@ann what is left to do?" }));
    asker.ask("suggestParticipantId", "thread=$thread?client=scripted", NOTHING);
    asker.ask("postThreadMessage", "thread=$thread", json!({ "text": "What is left to do?" }));
    asker.ask("listThreadEvents", "thread=$thread?limit=2", NOTHING);
    asker.ask("controlThread", "thread=$thread", json!({ "discussion": { "on": false } }));
    asker.ask("markThreadLooked", "thread=$thread", json!({}));
    asker.ask("listHeldReplies", "thread=$thread", NOTHING);
    asker.ask("updatePresence", "thread=$thread", json!({ "state": "thinking" }));
    asker.ask("listPresence", "thread=$thread", NOTHING);
    asker.ask("createParticipantToken", "thread=$thread", json!({ "participant": "ann" }));
}

fn bridge(asker: &mut Asker) {
    asker.ask("bridgePing", "", NOTHING);
    let made = asker.ask("bridgeCreateThread", "", json!({ "name": "review" }));
    asker.keep("bridged", &made["id"]);
    asker.ask("bridgeListThreads", "", NOTHING);
    asker.ask("bridgePostEvent", "thread=$bridged", json!({ "type": "message", "content": "Hello" }));
    asker.ask("bridgeListEvents", "thread=$bridged?limit=2", NOTHING);
    let since = "thread=$bridged?since=2000-01-01T00:00:00Z";
    asker.watch("bridgeWatchEvents", since, &["message"]);
    asker.ask("bridgeUpdatePresence", "thread=$bridged", json!({ "state": "listening" }));
    asker.ask("bridgeListPresence", "thread=$bridged", NOTHING);
    asker.ask("bridgeGetState", "thread=$bridged", NOTHING);
    asker.ask("deleteThread", "thread=$thread?force=true", NOTHING);
}

fn teams(asker: &mut Asker) {
    asker.ask("createTeam", "", json!({ "id": "red", "directory": "$work" }));
    asker.ask("addTeamAgent", "team=red", json!({ "id": "ann", "role": "worker" }));
    asker.ask("createTeamAgentToken", "team=red agent=ann", NOTHING);
    asker.ask("listTeams", "?limit=1", NOTHING);
    asker.ask("getTeam", "team=red", NOTHING);
    asker.ask("createTask", "team=red", json!({ "title": "Write the docs", "resources": ["docs"] }));
    asker.ask("createTask", "team=red", json!({ "title": "Release it", "deps": ["task-0001"] }));
    asker.ask("listTasks", "team=red?limit=2", NOTHING);
    asker.ask("getTask", "team=red task=task-0001", NOTHING);
    asker.ask("editTask", "team=red task=task-0002", json!({ "title": "Release version 2" }));
    asker.ask("claimTask", "team=red task=task-0001", json!({ "ttl_ms": 600_000 }));
    asker.ask("renewTask", "team=red task=task-0001", json!({ "epoch": 1 }));
    asker.ask("checkWrite", "team=red?path=docs", NOTHING);
    asker.ask("releaseTask", "team=red task=task-0001", json!({ "epoch": 1 }));
    asker.ask("reassignTask", "team=red task=task-0001", json!({ "to": "ann" }));
    asker.ask("reassignTask", "team=red task=task-0001", json!({}));
    asker.ask("claimTask", "team=red task=task-0001", json!({}));
    asker.ask("completeTask", "team=red task=task-0001", json!({ "epoch": 3, "summary": "Written" }));
    asker.ask("claimTask", "team=red task=task-0002", json!({}));
    asker.ask("failTask", "team=red task=task-0002", json!({ "epoch": 1, "summary": "No rights" }));
    asker.ask("retryTask", "team=red task=task-0002", NOTHING);
    asker.ask("cancelTask", "team=red task=task-0002", NOTHING);
    asker.ask("listInbox", "team=red?agent=ann&limit=2", NOTHING);
    asker.ask("listAuditTrail", "team=red?limit=2", NOTHING);
    asker.ask("listRefusals", "team=red", NOTHING);
    let topics = "?after=0&topics=session:$session,thread:$bridged,team:red,cause:$cause";
    asker.watch("watchEvents", topics, &["event", "item", "thread", "team", "cause"]);
    asker.ask("removeTeamAgent", "team=red agent=ann", NOTHING);
    asker.ask("closeTeam", "team=red", NOTHING);
}

fn teamd(asker: &mut Asker) {
    asker.ask("teamdCreateTeam", "", json!({ "teamId": "blue" }));
    asker.ask("teamdListTeams", "", NOTHING);
    asker.ask("teamdGetTeam", "team=blue", NOTHING);
    for title in ["Fix the build", "Tidy up", "Test it"] {
        asker.ask("teamdCreateTask", "", json!({ "teamId": "blue", "title": title }));
    }
    asker.ask("teamdListTasks", "?teamId=blue", NOTHING);
    asker.ask("teamdGetTask", "task=task-0001?teamId=blue", NOTHING);
    asker.ask("teamdClaimTask", "task=task-0001", json!({ "teamId": "blue" }));
    asker.ask("teamdRenewTask", "task=task-0001", json!({ "teamId": "blue", "epoch": 1 }));
    asker.ask("teamdReleaseTask", "task=task-0001", json!({ "teamId": "blue", "epoch": 1 }));
    asker.ask("teamdClaimTask", "task=task-0001", json!({ "teamId": "blue" }));
    asker.ask("teamdCompleteTask", "task=task-0001", json!({ "teamId": "blue", "epoch": 2 }));
    asker.ask("teamdClaimTask", "task=task-0002", json!({ "teamId": "blue" }));
    asker.ask("teamdFailTask", "task=task-0002", json!({ "teamId": "blue", "epoch": 1 }));
    asker.ask("teamdRetryTask", "task=task-0002", json!({ "teamId": "blue" }));
    asker.ask("teamdCancelTask", "task=task-0002", json!({ "teamId": "blue" }));
    asker.ask("teamdCreateThread", "", json!({ "teamId": "blue", "title": "Build" }));
    asker.ask("teamdPostMessage", "thread=thread-0001", json!({ "teamId": "blue", "message": "It is red" }));
    asker.ask("teamdTailThread", "thread=thread-0001?teamId=blue", NOTHING);
    asker.ask("teamdLinkThread", "thread=thread-0001", json!({ "teamId": "blue", "taskId": "task-0003" }));
    asker.ask("teamdSearchThreads", "?teamId=blue&q=build", NOTHING);
    asker.ask("teamdListInbox", "?teamId=blue", NOTHING);
    asker.ask("teamdCheckWrite", "?teamId=blue&path=src", NOTHING);
}
