//! What becomes of a worker that is ended: its name, its tasks and its terminal are nobody else's by mistake.

use std::fs;

use paseo_testkit::home::TestHome;
use paseo_wire::error::Code;
use paseo_wire::team::NoticeQuery;
use paseo_wire::worker::{CaptureQuery, WorkerQuery};

use crate::screens::{assert_said, assert_told};
use crate::workers::{Reader, red, red_at, started, tmux, type_in, until};

#[tokio::test]
async fn an_ended_worker_leaves_its_tasks_and_nobody_gets_its_name() {
    let cast = red();
    let claim = "<<sh paseo task create Parse --resource src && paseo task claim task-0001 --ttl 1h>>";
    let first = started(&cast, claim).await;
    cast.0.settled(&first.session).await;
    assert_eq!(cast.0.client.task("red", "task-0001").await.unwrap().task.owner.as_deref(), Some("red-1"));
    let again = cast.0.home.paseo(&["task", "reassign", "task-0001", "--to", "nobody-here"]);
    assert_told!(cast.0.home, again);

    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
    let task = cast.0.client.task("red", "task-0001").await.unwrap().task;
    assert_eq!((task.status.as_str(), task.owner), ("pending", None));
    let audit = cast.0.client.audit("red", &NoticeQuery::default()).await.unwrap().notices;
    let released = audit.iter().find(|notice| notice.kind.as_str() == "task_released").unwrap();
    assert_eq!((released.actor.as_str(), released.to.as_deref()), ("daemon", Some("red-1")));
    assert!(released.reason.is_some(), "{released:?}");
    let enrolled = audit.iter().find(|notice| notice.kind.as_str() == "agent_enrolled").unwrap();
    assert_eq!(enrolled.session.as_deref(), Some(first.session.as_str()));
    let workers = async || {
        let audit = cast.0.client.audit("red", &NoticeQuery::default()).await.unwrap().notices;
        let of_workers = audit.into_iter().filter(|notice| notice.kind.as_str().starts_with("worker_"));
        of_workers
            .map(|notice| {
                (notice.kind.to_string(), String::from(notice.actor), String::from(notice.to.unwrap()))
            })
            .collect::<Vec<_>>()
    };
    let noted = |kind: &str, by: &str| (kind.to_owned(), by.to_owned(), "red-1".to_owned());
    assert_eq!(workers().await, [noted("worker_started", "user"), noted("worker_ended", "user")]);
    let team = cast.0.home.paseo(&["team", "show", "red"]);
    assert!(team.ok().lines().any(|line| line == "gone: red-1"), "{team:?}");
    let gone = cast.0.home.paseo(&["task", "reassign", "task-0001", "--to", "red-1"]);
    assert_told!(cast.0.home, gone);

    // The next one is another, and the first comes back as itself.
    let second = started(&cast, "<<say second>>").await;
    assert_eq!(second.name, "red-2");
    cast.0.home.paseo(&["send", &first.session, "<<say first again>>", "--wait"]).ok();
    assert_eq!(cast.said(&first.session).await.last().unwrap(), "first again");
    assert_eq!(workers().await[3], noted("worker_started", "user"), "it is back");
    let workers = cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers;
    assert_eq!(workers.iter().map(|worker| worker.name.as_str()).collect::<Vec<_>>(), ["red-1", "red-2"]);
    assert_eq!(cast.said(&second.session).await, ["second"]);
}

#[tokio::test]
async fn an_ended_worker_whose_name_another_has_stays_ended() {
    let cast = red();
    let work = cast.0.home.work().display().to_string();
    cast.0.home.paseo(&["team", "create", "blue", "-C", &work]).ok();
    let start = async |team: &str| {
        let mut wanted = crate::workers::wanted("<<say here>>");
        (wanted.team, wanted.prefix) = (Some(team.into()), Some("x".to_owned()));
        cast.0.client.start_worker(&wanted, None).await.unwrap().worker
    };
    let first = start("red").await;
    cast.0.settled(&first.session).await;
    cast.0.home.paseo(&["worker", "kill", "x-1"]).ok();
    let second = start("blue").await;
    assert_eq!(second.name, "x-1");
    cast.0.settled(&second.session).await;
    let refused = cast.0.home.paseo(&["send", &first.session, "<<say not me>>"]);
    assert_told!(cast.0.home, refused);
    cast.0.home.paseo(&["rm", "--force", &first.session]).ok();
    assert!(cast.0.client.worker("x-1").await.unwrap().worker.alive, "it is not that one's terminal");
    assert_eq!(cast.said(&second.session).await, ["here"]);
}

#[tokio::test]
async fn a_failed_turn_is_told_in_the_thread() {
    let cast = red();
    let worker = started(&cast, "<<crash 3>>").await;
    cast.0.settled(&worker.session).await;
    let reader = Reader::new(&cast);
    until("the failure", async || reader.posts("thread-0001").iter().any(|(from, _)| from == "red-1")).await;
    let posts = reader.posts("thread-0001");
    assert_said!(cast.0.home, posts.last().unwrap().1.lines().next().unwrap(), @"I could not finish: the agent's process exited during the turn with code 3; its last output:");
}

#[tokio::test]
async fn a_message_arrives_while_a_person_scrolls() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    assert!(tmux(&cast, &["copy-mode", "-t", "=red-1:"]).status().unwrap().success());
    cast.0.home.paseo(&["send", &worker.handle, "<<say heard>>", "--wait"]).ok();
    assert_eq!(cast.said(&worker.session).await, ["ready", "heard"]);
    // So does a stop.
    type_in(&cast, "red-1", &["-l", "<<hang>>"]);
    type_in(&cast, "red-1", &["Enter"]);
    until("the turn", async || cast.view(&worker.session).await.status.as_str() == "running").await;
    assert!(tmux(&cast, &["copy-mode", "-t", "=red-1:"]).status().unwrap().success());
    cast.0.home.paseo(&["stop", &worker.handle]).ok();
    cast.0.settled(&worker.session).await;
}

#[tokio::test]
async fn what_a_person_says_does_not_look_like_a_notice() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    cast.0.home.paseo(&["task", "create", "Parse", "--team", "red"]).ok();
    cast.0.home.paseo(&["task", "claim", "task-0001", "--team", "red"]).ok();
    cast.0.home.paseo(&["task", "complete", "task-0001", "--epoch", "1", "--team", "red"]).ok();
    until("the notices", async || cast.0.client.queue(&worker.session).await.unwrap().messages.len() == 2)
        .await;
    cast.0.home.paseo(&["send", &worker.handle, "<<say heard>>", "--wait"]).ok();
    let shown = cast.0.client.capture_worker("red-1", &CaptureQuery::default()).await.unwrap().text;
    let lines: Vec<&str> = shown.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let at = lines.iter().position(|line| line.ends_with("[message from daemon]")).expect(&shown);
    let said: Vec<&str> = lines[at + 1..at + 5].to_vec();
    let expected = [
        "INBOX: task_claimed task-0001 by user",
        "INBOX: task_completed task-0001 by user",
        "[message from a person]",
        "<<say heard>>",
    ];
    assert_eq!(said, expected, "{shown}");
    // It is obeyed, and the notices are only quoted.
    let said = cast.said(&worker.session).await;
    assert!(said.len() == 3 && said[1].starts_with("Received: [message from daemon]"), "{said:?}");
    assert!(!said[1].contains("heard") && said[2] == "heard", "{said:?}");
}

#[tokio::test]
async fn with_the_last_worker_and_the_daemon_the_server_of_terminals_ends() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    let is_there = || tmux(&cast, &["has-session", "-t", "=red-1"]).output().unwrap().status.success();
    cast.0.home.paseo(&["down"]).ok();
    assert!(is_there(), "it is at work");
    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
    cast.0.home.paseo(&["down"]).ok();
    let asked = tmux(&cast, &["list-sessions"]).output().unwrap();
    assert!(!asked.status.success(), "{asked:?}");
    assert!(!cast.0.home.path().join("tmux.sock").exists(), "nothing of it stays behind");
    // The next one has a server again.
    cast.0.home.paseo(&["up"]).ok();
    let next = started(&cast, "<<say again>>").await;
    cast.0.settled(&next.session).await;
    assert_eq!(cast.said(&next.session).await, ["again"]);
}

#[tokio::test]
async fn without_tmux_nothing_is_half_ended() {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    let empty = home.work().with_file_name("bin");
    fs::create_dir(&empty).unwrap();
    let path = std::env::var("PATH").unwrap();
    home.set("PATH", &path);
    let mut cast = red_at(home);
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    cast.0.home.paseo(&["down"]).ok();
    cast.0.home.set("PATH", empty);
    let listed = cast.0.home.paseo(&["worker", "ls"]);
    assert!(listed.ok().contains("unknown"), "{listed:?}");
    let unsent = cast.0.home.paseo(&["worker", "send", "red-1", "hi"]);
    assert_told!(cast.0.home, unsent);
    let unsent = cast.0.home.paseo(&["send", &worker.handle, "hi"]);
    assert_told!(cast.0.home, unsent);
    let refused = cast.0.home.paseo(&["worker", "kill", "red-1", "--json"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(cast.0.home, refused, @r#"
    exit 2
    {"error":{"code":"tmux_not_installed","message":"nothing was killed: `tmux` is not installed, or not on the daemon's PATH","hint":"install tmux, or run `paseo close aaa1` to end its processes and keep the terminal"}}
    "#);
    assert!(cast.0.home.paseo(&["ls"]).ok().contains("red-1"), "it is open");
    assert_eq!(cast.heard(&worker.session).await, ["<<say ready>>"]);
    let down = cast.0.home.paseo(&["down"]);
    assert!(format!("{}{}", down.stdout, down.stderr).contains("red-1"), "{down:?}");
    cast.0.home.set("PATH", path);
    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
    assert_eq!(cast.0.home.left_beside_the_daemon(), Vec::<String>::new());
}

#[tokio::test]
async fn a_role_that_means_nothing_is_refused() {
    let cast = red();
    let refused = cast.0.home.paseo(&["team", "create", "blue", "--agent", "bob:foo"]);
    assert_told!(cast.0.home, refused);
    assert_eq!(cast.0.client.team("blue").await.unwrap_err().code(), Some(Code::NotFound));
}

#[tokio::test]
async fn a_worker_that_is_written_to_while_it_is_ended_lives_or_is_ended() {
    let cast = red();
    let home = &cast.0.home;
    let worker = started(&cast, "<<say here>>").await;
    cast.0.settled(&worker.session).await;
    std::thread::scope(|scope| {
        let killing = scope.spawn(|| home.paseo(&["worker", "kill", "red-1"]));
        let sending = scope.spawn(|| {
            home.paseo(&["send", &worker.session, "<<sh until [ -e go ]; do sleep 0.02; done>><<say back>>"])
        });
        killing.join().unwrap().ok();
        sending.join().unwrap().ok();
    });
    // Whoever came last decides; nothing of the first is left to end the second.
    crate::cast::release(&cast);
    let over = async || {
        let view = cast.view(&worker.session).await;
        view.status.as_str() == "closed" || (view.turn.is_none() && view.queued == 0)
    };
    until("the end", over).await;
    if cast.view(&worker.session).await.status.as_str() != "closed" {
        assert_eq!(cast.said(&worker.session).await, ["here", "back"]);
        let listed = home.paseo(&["worker", "ls"]);
        assert!(listed.ok().contains("red-1") && !listed.ok().contains("gone"), "{listed:?}");
    }
}
