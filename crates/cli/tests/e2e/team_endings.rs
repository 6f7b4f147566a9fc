//! How it ends with a team: one leaves it, or all of it is closed.

use paseo_wire::session::{CreateSession, SessionView};
use paseo_wire::team::NoticeQuery;
use serde_json::json;

use crate::cast::Cast;
use crate::json as parsed;
use crate::screens::{assert_said, assert_told};
use crate::teamd::ask;
use crate::workers::{Reader, red, started, until};

async fn member(cast: &Cast, id: &str, role: &str) -> SessionView {
    cast.create(CreateSession {
        provider: Some("scripted".to_owned()),
        team: Some("red".into()),
        team_agent: Some(id.into()),
        team_role: Some(role.into()),
        ..CreateSession::default()
    })
    .await
}

/// Returns the ids of the team's members.
async fn members(cast: &Cast) -> Vec<String> {
    let team = cast.0.client.team("red").await.unwrap().team;
    team.agents.into_iter().map(|agent| agent.id.into()).collect()
}

/// A client of teamd with a token of its own: asks for the tasks, and returns the status.
fn tasks_as(cast: &Cast, id: &str) -> impl Fn() -> u16 {
    let variables = parsed(&cast.0.home.paseo(&["team", "env", "red", "--agent", id, "--json"]));
    let words = |name: &str| variables[name].as_str().unwrap().to_owned();
    let (address, token) = (words("PI_TEAMD_URL").replace("http://", ""), words("PI_TEAMD_TOKEN"));
    move || ask(&address, "GET", "/v1/tasks", "", &format!("authorization: Bearer {token}\r\n")).0
}

#[tokio::test]
async fn whoever_leaves_a_team_loses_what_it_had_there_and_is_told_so() {
    let cast = red();
    let home = &cast.0.home;
    let (ann, lea) = (member(&cast, "ann", "worker").await, member(&cast, "lea", "leader").await);
    home.paseo(&["task", "create", "Parse", "--resource", "src"]).ok();
    cast.call(&ann.id, "team_tasks_claim", &json!({ "taskId": "task-0001" })).await.ok();
    let carl = tasks_as(&cast, "carl");
    assert_eq!(carl(), 200);

    // A worker takes nobody out but itself, and a leader does.
    let shell = async |session: &str, command: &str| {
        cast.0.send(session, &format!("<<sh {command}; echo \"exit=$?\">>")).await;
        cast.0.settled(session).await;
        cast.called(session).await.pop().unwrap().text
    };
    let refused = shell(&ann.id, "paseo team leave --agent carl").await;
    assert_said!(home, &refused, @r"
    error: only a person or a team leader can do this
     hint: ask the leader or a person
    exit=6
    ");
    assert_eq!(carl(), 200);
    let left = shell(&lea.id, "paseo team leave --agent carl").await;
    assert_said!(home, &left, @r"
    Removed carl from team red
    exit=0
    ");
    assert_eq!(carl(), 401, "its token opens nothing any more");
    assert!(!home.paseo(&["token", "ls"]).stdout.contains("carl"));

    let leave = || home.paseo(&["team", "leave", "red", "--agent", "ann"]);
    assert_said!(home, leave().ok(), @"Removed ann from team red");
    assert_said!(home, leave().ok(), @"ann had already left team red");
    let task = cast.0.client.task("red", "task-0001").await.unwrap().task;
    assert_eq!((task.status.as_str(), task.owner), ("pending", None));
    assert_eq!(members(&cast).await, ["lea"]);
    let kinds: Vec<String> = cast
        .0
        .client
        .audit("red", &NoticeQuery::default())
        .await
        .unwrap()
        .notices
        .into_iter()
        .map(|notice| notice.kind.to_string())
        .filter(|kind| kind.ends_with("left") || kind.ends_with("released"))
        .collect();
    assert_eq!(kinds, ["agent_left", "task_released", "agent_left"]);

    // It is told in one line with its next turn, hears nothing more, and has no tasks to ask for.
    until("the word", async || cast.0.client.queue(&ann.id).await.unwrap().messages.len() == 1).await;
    home.paseo(&["task", "create", "Document"]).ok();
    home.paseo(&["task", "claim", "task-0002"]).ok();
    let listed = cast.call(&ann.id, "team_tasks_list", &json!({})).await;
    assert_said!(cast.0.home, listed.error());
    let told = cast.heard(&ann.id).await;
    let lines: Vec<&str> =
        told.iter().flat_map(|text| text.lines()).filter(|line| line.contains("INBOX")).collect();
    assert_eq!(lines.len(), 1, "{told:?}");
    assert_said!(home, lines[0], @"INBOX: agent_left ann by user");
    let claim = shell(&ann.id, "paseo task claim task-0001").await;
    assert!(claim.contains("exit=6"), "{claim}");
    let nobody = home.paseo(&["team", "leave", "red", "--agent", "nobody"]);
    assert_told!(home, nobody);

    // Lea goes by herself.
    assert_said!(home, &shell(&lea.id, "paseo team leave").await, @r"
    Left team red
    exit=0
    ");
    assert!(cast.0.client.team("red").await.unwrap().team.agents.is_empty());
    // Once more is once.
    let again = shell(&lea.id, "paseo team leave").await;
    assert_said!(home, &again, @r"
    You had already left team red
    exit=0
    ");
    let nobody = home.paseo(&["team", "leave", "red"]);
    assert_told!(home, nobody);
}

#[tokio::test]
async fn whoever_was_taken_out_comes_back_only_when_that_is_asked_for() {
    let cast = red();
    let home = &cast.0.home;
    let carl = tasks_as(&cast, "carl");
    home.paseo(&["team", "leave", "red", "--agent", "carl"]).ok();
    let refused = home.paseo(&["team", "env", "red", "--agent", "carl"]);
    assert!(refused.code == 6 && refused.stdout.is_empty(), "{refused:?}");
    for words in ["`carl` was removed from team red", "--again"] {
        assert!(refused.stderr.contains(words), "{refused:?}");
    }
    assert!(cast.0.client.team("red").await.unwrap().team.agents.is_empty());
    assert!(!home.paseo(&["token", "ls"]).stdout.contains("carl"));

    let variables = parsed(&home.paseo(&["team", "env", "red", "--agent", "carl", "--again", "--json"]));
    let address = variables["PI_TEAMD_URL"].as_str().unwrap().replace("http://", "");
    let token = format!("authorization: Bearer {}\r\n", variables["PI_TEAMD_TOKEN"].as_str().unwrap());
    assert_eq!(ask(&address, "GET", "/v1/tasks", "", &token).0, 200);
    assert_eq!(carl(), 401, "what it had before stays lost");
    // Nobody is taken in by a client of teamd, which is only told that the team is there.
    let body = json!({ "teamId": "red", "agents": [{ "id": "ben", "role": "worker" }] }).to_string();
    assert_eq!(ask(&address, "POST", "/v1/teams", &body, &token).0, 201);
    assert_eq!(members(&cast).await, ["carl"]);
    let help = home.paseo(&["team", "leader", "--help"]);
    let guard: Vec<&str> = help.ok().lines().skip_while(|line| !line.contains("--guard")).take(3).collect();
    assert_said!(home, &guard.join("\n"), @r"
    --guard <GUARD>
        With `lease`, the agent may write only to files of a task that it has claimed
    ");
}

#[tokio::test]
async fn a_worker_that_was_taken_out_works_on_for_whoever_writes_to_it() {
    let cast = red();
    let worker = started(&cast, "<<say first>>").await;
    cast.0.settled(&worker.session).await;
    let reader = Reader::new(&cast);
    reader.until_posts("thread-0001", 2).await;
    cast.0.home.paseo(&["team", "leave", "red", "--agent", "red-1"]).ok();
    // What the team tells it comes along with what is typed first, and is no script.
    cast.0.home.paseo(&["send", &worker.handle, "What is new?", "--wait"]).ok();
    cast.until_heard(&worker.session, "INBOX: agent_left red-1 by user").await;
    let asked = "<<sh curl -s -o /dev/null -w '%{http_code}' -H \"authorization: Bearer $PI_TEAMD_TOKEN\" \
                 \"$PI_TEAMD_URL/v1/tasks?teamId=red\">>";
    cast.0.home.paseo(&["send", &worker.handle, asked, "--wait"]).ok();
    assert_eq!(cast.called(&worker.session).await.pop().unwrap().text, "404");
    cast.0.home.paseo(&["send", &worker.handle, "<<say second>>", "--wait"]).ok();
    // A third answer would be in the thread before that of the next worker.
    let next = started(&cast, "<<say from the next>>").await;
    assert_eq!(next.name, "red-2", "its name means it alone");
    cast.0.settled(&next.session).await;
    reader.until_posts("thread-0002", 2).await;
    assert_eq!(reader.posts("thread-0001").len(), 2);
}

#[tokio::test]
async fn a_closed_team_can_be_read_and_nothing_else() {
    let cast = red();
    let home = &cast.0.home;
    let (ann, lea) = (member(&cast, "ann", "worker").await, member(&cast, "lea", "leader").await);
    let carl = tasks_as(&cast, "carl");
    home.paseo(&["task", "create", "Parse"]).ok();
    cast.call(&ann.id, "team_tasks_claim", &json!({ "taskId": "task-0001" })).await.ok();
    home.paseo(&["team", "create", "blue"]).ok();

    cast.0.send(&ann.id, "<<sh paseo team rm red; echo \"exit=$?\">>").await;
    cast.0.settled(&ann.id).await;
    assert!(cast.called(&ann.id).await.pop().unwrap().text.contains("exit=6"), "she does not lead it");
    cast.0.send(&lea.id, "<<sh paseo team rm red; echo \"exit=$?\">>").await;
    cast.0.settled(&lea.id).await;
    let closed = cast.called(&lea.id).await.pop().unwrap().text;
    assert_said!(home, &closed, @r"
    Closed team red
    Its agents are still open. Close them: paseo close aaa1 aaa2
    exit=0
    ");
    let again = parsed(&home.paseo(&["team", "rm", "red", "--json"]));
    assert!(again["closed_at"].is_string(), "{again}");
    let again = home.paseo(&["team", "rm", "red"]);
    assert_told!(home, again);

    // Nobody has anything, and everything can be read.
    assert_eq!(carl(), 401);
    let task = parsed(&home.paseo(&["task", "show", "task-0001", "--team", "red", "--json"]));
    assert_eq!((&task["status"], &task["title"]), (&json!("pending"), &json!("Parse")));
    assert!(home.paseo(&["team", "audit", "red"]).ok().contains("team_closed"));
    assert!(home.paseo(&["team", "show", "red"]).ok().contains("closed"));
    assert_eq!(home.paseo(&["team", "ls", "-q"]).ok(), "blue");
    assert_eq!(home.paseo(&["team", "ls", "--all", "-q"]).ok(), "blue\nred");
    // The only one that is there is meant, and the name is gone.
    home.paseo(&["task", "create", "Paint"]).ok();
    assert_eq!(home.paseo(&["task", "ls", "--team", "blue", "-q"]).ok(), "task-0001");
    let taken = home.paseo(&["team", "create", "red"]);
    assert_told!(home, taken);
    for words in [
        &["task", "claim", "task-0001", "--team", "red"][..],
        &["task", "create", "More", "--team", "red"],
        &["team", "env", "red", "--agent", "dora"],
        &["team", "env", "red", "--agent", "ann"],
        &["run", "-d", "--team", "red", "hello"],
        &["worker", "start", "--team", "red", "--provider", "scripted", "hello"],
    ] {
        let refused = home.paseo(words);
        assert_eq!(refused.code, 6, "{words:?} {refused:?}");
    }
    // Its agents are told, and live on.
    let said = cast.call(&ann.id, "team_tasks_claim", &json!({ "taskId": "task-0001" })).await;
    assert_said!(cast.0.home, said.error());
    let told = cast.heard(&ann.id).await.join("\n");
    let told: Vec<&str> = told.lines().filter(|line| line.contains("INBOX")).collect();
    assert_said!(home, &told.join("\n"), @r"
    INBOX: task_released task-0001 by daemon
    INBOX: team_closed by lea
    ");
    // So it is for the next daemon.
    cast.0.crash();
    assert_eq!(home.paseo(&["team", "ls", "-q"]).ok(), "blue");
    assert_eq!(home.paseo(&["task", "claim", "task-0001", "--team", "red"]).code, 6);
}

#[tokio::test]
async fn nobody_speaks_for_whoever_has_its_name_by_now() {
    let cast = red();
    let home = &cast.0.home;
    let lea = member(&cast, "lea", "leader").await;
    let worker = started(&cast, "<<say first>>").await;
    cast.0.settled(&worker.session).await;
    let reader = Reader::new(&cast);
    reader.until_posts("thread-0001", 2).await;
    home.paseo(&["team", "leave", "red", "--agent", "red-1"]).ok();
    // No leader reaches it any more, whoever is called so, and everybody sees that it is gone.
    let reached = async |words: &str| {
        for tool in ["team_tmux_attach", "team_tmux_capture", "team_tmux_kill"] {
            let refused = cast.call(&lea.id, tool, &json!({ "sessionName": "red-1" })).await;
            assert!(refused.error().contains(words), "{refused:?}");
        }
    };
    reached("worker `red-1` not found").await;
    let listed = cast.call(&lea.id, "team_tmux_list", &json!({})).await.json();
    assert_eq!(listed["sessions"], json!([]));
    let listed = home.paseo(&["worker", "ls"]);
    assert_told!(home, listed);
    assert_eq!(home.paseo(&["worker", "ls", "--team", "red", "-q"]).ok(), "");
    let shown = cast.view(&worker.session).await;
    assert_eq!((shown.team, shown.member), (None, None));
    assert!(!home.paseo(&["inspect", &worker.handle]).ok().contains("team_tasks"));

    let ann = member(&cast, "red-1", "worker").await;
    reached("worker `red-1` not found").await;
    home.paseo(&["send", &worker.handle, "What is new?", "--wait"]).ok();
    home.paseo(&["send", &worker.handle, "<<say from the one who left>>", "--wait"]).ok();
    assert_eq!(cast.said(&worker.session).await.last().unwrap(), "from the one who left");
    // It would be in the thread before the answer of the next worker.
    let next = started(&cast, "<<say from the next>>").await;
    reader.until_posts("thread-0002", 2).await;
    assert_eq!(reader.posts("thread-0001").len(), 2);

    // Once it is ended it stays so, and it is said how to write to who has its name.
    home.paseo(&["worker", "kill", &worker.handle]).ok();
    let ended = home.paseo(&["send", &worker.session, "hello"]);
    assert!(ended.stderr.contains(&format!("`paseo send {}`", ann.handle)), "{ended:?}");
    home.paseo(&["team", "rm", "red"]).ok();
    let closed = cast.call(&lea.id, "team_tmux_kill", &json!({ "sessionName": next.name })).await;
    assert_said!(cast.0.home, closed.error());
    // One that is not there keeps none of the others.
    let third = home.paseo(&["worker", "kill", "nope", &next.name]);
    assert!(third.code == 3 && third.stdout.contains(&next.name), "{third:?}");
    assert_eq!(home.paseo(&["worker", "ls", "-q"]).ok(), "");
}

#[tokio::test]
async fn nothing_is_said_in_a_closed_team() {
    let cast = red();
    let home = &cast.0.home;
    let worker = started(&cast, "<<say first>>").await;
    cast.0.settled(&worker.session).await;
    let said = || home.paseo(&["thread", "tail", "red/thread-0001", "--json"]).ok().lines().count();
    until("the answer", async || said() >= 2).await;
    let before = said();
    let closed = home.paseo(&["team", "rm", "red"]);
    assert!(closed.stderr.contains(&format!("paseo close {}\n", worker.handle)), "{closed:?}");

    // The worker works on, for whoever writes to it; its token opens nothing of the team.
    home.paseo(&["send", &worker.handle, "What is new?", "--wait"]).ok();
    cast.until_heard(&worker.session, "INBOX: team_closed by user").await;
    let curl = |rest: &str| {
        format!("<<sh curl -s -w '%{{http_code}}' -H \"authorization: Bearer $PI_TEAMD_TOKEN\" {rest}>>")
    };
    let asked = async |rest: &str| {
        home.paseo(&["send", &worker.handle, &curl(rest), "--wait"]).ok();
        cast.called(&worker.session).await.pop().unwrap().text
    };
    let tasks = asked("\"$PI_TEAMD_URL/v1/tasks?teamId=red\"").await;
    assert_said!(home, &tasks, @r#"{"error":{"code":"TEAM_NOT_FOUND","message":"team red is closed and read-only","hint":null}}404"#);
    let post = asked("-d '{\"message\": \"hi\"}' \"$PI_TEAMD_URL/v1/threads/thread-0001/messages\"").await;
    assert!(post.ends_with("404"), "{post}");
    let teams = asked("\"$PI_TEAMD_URL/v1/teams\"").await;
    assert!(teams.starts_with("{\"teams\":[]}"), "{teams}");
    for words in [
        &["thread", "post", "red/thread-0001", "hi"][..],
        &["thread", "rename", "red/thread-0001", "other"],
        &["team", "leave", "red", "--agent", "red-1"],
    ] {
        let refused = home.paseo(words);
        assert_eq!(refused.code, 6, "{refused:?}");
    }
    assert_eq!(said(), before, "{}", home.paseo(&["thread", "tail", "red/thread-0001"]).stdout);
    assert!(!home.paseo(&["team", "audit", "red"]).ok().contains("agent_left"));

    // Whoever looks sees that it is closed.
    assert_told!(home, home.paseo(&["task", "ls", "--team", "red"]), @r"
    exit 0
    No tasks.
    Team red is closed.
    ");
    let may = home.paseo(&["can-write", "src", "--team", "red", "--agent", "red-1"]);
    assert!(may.stdout.contains("team_closed") && !may.stdout.contains("claim"), "{may:?}");
    assert_eq!(cast.view(&worker.session).await.team, None);
}
