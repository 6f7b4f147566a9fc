//! Workers as agents have them: leaders start them, and nobody reaches further than they may.

use paseo_testkit::home::TestHome;
use paseo_wire::session::{CreateSession, SessionView};
use paseo_wire::team::NoticeQuery;
use paseo_wire::words::ItemKind;
use paseo_wire::worker::WorkerQuery;
use serde_json::json;

use crate::cast::{Cast, tool};
use crate::screens::assert_said;
use crate::workers::{Reader, red, red_at, started, until};

pub(crate) async fn member(cast: &Cast, agent: Option<&str>, role: &str) -> SessionView {
    cast.create(CreateSession {
        provider: Some("scripted".to_owned()),
        agent: agent.map(str::to_owned),
        team: Some("red".into()),
        team_role: Some(role.into()),
        ..CreateSession::default()
    })
    .await
}

#[tokio::test]
async fn what_a_worker_calls_comes_behind_what_it_was_told() {
    let cast = red();
    let worker = started(&cast, "<<tool team_tasks_list>><<say done>>").await;
    cast.0.settled(&worker.session).await;
    let items = cast.0.items(&worker.session).await;
    let at = |kind: ItemKind| items.iter().position(|item| item.kind() == kind).unwrap();
    assert!(at(ItemKind::UserText) < at(ItemKind::Notice), "{items:?}");
}

#[tokio::test]
async fn a_leader_starts_watches_and_ends_workers() {
    let cast = red();
    let lead = member(&cast, None, "leader").await;
    let start =
        json!({ "taskPrompt": "the parser, please", "provider": "scripted", "title": "Parser", "lines": 20 });
    let begun = cast.call(&lead.id, "team_tmux_start", &start).await.json();
    assert_eq!((&begun["sessionName"], &begun["threadId"]), (&json!("red-1"), &json!("thread-0001")));
    assert_said!(cast.0.home, begun["attach"].as_str().unwrap(), @"paseo worker attach red-1");

    let audit = cast.0.client.audit("red", &NoticeQuery::default()).await.unwrap().notices;
    let enrolled = audit.iter().rfind(|notice| notice.kind.as_str() == "agent_enrolled").unwrap();
    let own = cast.0.client.team("red").await.unwrap().team.agents;
    let own = own.iter().find(|agent| agent.session.as_deref() == Some(lead.id.as_str())).unwrap();
    assert_eq!((&enrolled.actor, enrolled.to.as_deref()), (&own.id, Some("red-1")), "it took it in");

    let worker = cast.0.client.worker("red-1").await.unwrap().worker;
    let view = cast.view(&worker.session).await;
    assert_eq!(
        (view.parent.as_deref(), String::from(view.created_by)),
        (Some(lead.id.as_str()), format!("session:{}", lead.id))
    );
    // It knows who sent it, and answers to the thread.
    let reader = Reader::new(&cast);
    until("the answer", async || reader.posts("thread-0001").iter().any(|(from, _)| from == "red-1")).await;
    assert!(cast.heard(&worker.session).await[0].contains("the parser, please"));
    // Whoever started it is told when it has finished.
    cast.until_heard(&lead.id, &format!("Tab {} (worker red-1, thread-0001) has finished", worker.handle))
        .await;
    cast.0.settled(&lead.id).await;

    let listed = cast.call(&lead.id, "team_tmux_list", &json!({ "sessionPrefix": "red" })).await.json();
    assert_eq!(
        (&listed["sessions"][0]["sessionName"], &listed["sessions"][0]["alive"]),
        (&json!("red-1"), &json!(true))
    );
    let none = cast.call(&lead.id, "team_tmux_list", &json!({ "sessionPrefix": "blue" })).await.json();
    assert_eq!(none["sessions"], json!([]));
    let name = json!({ "sessionName": "red-1" });
    let attach = cast.call(&lead.id, "team_tmux_attach", &name).await;
    assert!(attach.ok().contains("tmux.sock"), "{attach:?}");
    let capture = json!({ "sessionName": "red-1", "lines": 999_999, "threadId": "thread-0001" });
    let shown = cast.call(&lead.id, "team_tmux_capture", &capture).await;
    assert!(shown.ok().contains("the parser, please"), "{shown:?}");
    let posted = reader.posts("thread-0001");
    assert_said!(cast.0.home, posted.last().unwrap().1.lines().next().unwrap(), @"Terminal of red-1:");
    let send = json!({ "sessionName": "red-1", "message": "and the docs" });
    assert!(cast.call(&lead.id, "team_tmux_send", &send).await.ok().contains("red-1"));
    cast.until_heard(&worker.session, "and the docs").await;
    cast.0.settled(&worker.session).await;
    let gone = cast.call(&lead.id, "team_tmux_kill", &name).await;
    assert!(gone.ok().contains("Killed"), "{gone:?}");
    let audit = cast.0.client.audit("red", &NoticeQuery::default()).await.unwrap().notices;
    for kind in ["worker_started", "worker_ended"] {
        let noted = audit.iter().find(|notice| notice.kind.as_str() == kind).unwrap();
        assert_eq!((&noted.actor, noted.to.as_deref()), (&own.id, Some("red-1")), "{kind}");
    }
    let missing = cast.call(&lead.id, "team_tmux_capture", &name).await;
    assert_said!(cast.0.home, missing.error());
    assert!(cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers.is_empty());
}

#[tokio::test]
async fn a_leader_is_refused_what_it_may_not() {
    let cast = red();
    let lead = member(&cast, None, "leader").await;
    let mut refusals = String::new();
    for input in [
        json!({}),
        json!({ "taskPrompt": "x", "cwd": "/" }),
        json!({ "taskPrompt": "x", "cwd": ".." }),
        json!({ "taskPrompt": "x", "provider": "openai" }),
        json!({ "taskPrompt": "x", "sessionPrefix": "A;b" }),
        json!({ "taskPrompt": "x", "threadId": "thread-0007" }),
        json!({ "taskPrompt": "x", "agent": "nobody" }),
        json!({ "taskPrompt": "x", "nonsense": 1 }),
        json!({ "taskPrompt": "x", "guard": "wolf" }),
    ] {
        let refused = cast.call(&lead.id, "team_tmux_start", &input).await;
        refusals.push_str(&format!("{input}\n  {}\n", refused.error()));
    }
    assert_said!(cast.0.home, &refusals);
    assert!(cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers.is_empty());
    // Called again with the same key it is the same worker.
    let start = json!({ "taskPrompt": "x", "provider": "scripted", "requestKey": "k" });
    let first = cast.call(&lead.id, "team_tmux_start", &start).await.json();
    let second = cast.call(&lead.id, "team_tmux_start", &start).await.json();
    assert_eq!(first["handle"], second["handle"]);
    // A leader of another team does not see it.
    cast.0.home.paseo(&["team", "create", "blue"]).ok();
    let other = cast
        .create(CreateSession {
            provider: Some("scripted".to_owned()),
            team: Some("blue".into()),
            team_role: Some("leader".into()),
            ..CreateSession::default()
        })
        .await;
    for tool in ["team_tmux_attach", "team_tmux_capture", "team_tmux_kill"] {
        let refused = cast.call(&other.id, tool, &json!({ "sessionName": "red-1" })).await;
        assert_said!(cast.0.home, refused.error(), @r"
        worker `red-1` not found
        no workers exist; start one with `team_tmux_start`
        ");
    }
    // With whoever started them they end.
    cast.0.home.paseo(&["close", &lead.handle, &other.handle]).ok();
    assert_eq!(cast.0.home.left_beside_the_daemon(), Vec::<String>::new());
}

#[tokio::test]
async fn a_leader_has_workers_guarded_by_the_word_or_by_a_yes() {
    let cast = red();
    let lead = member(&cast, None, "leader").await;
    for (n, (guard, guarded)) in
        [(json!("lease"), true), (json!(true), true), (json!(false), false)].iter().enumerate()
    {
        let start = json!({ "taskPrompt": "x", "provider": "scripted", "guard": guard });
        let begun = cast.call(&lead.id, "team_tmux_start", &start).await.json();
        let worker = cast.0.client.worker(&format!("red-{}", n + 1)).await.unwrap().worker;
        assert_eq!((&begun["sessionName"], worker.guarded), (&json!(worker.name), *guarded), "{guard}");
    }
}

#[tokio::test]
async fn a_worker_does_not_reach_others_unless_it_may() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    let plain = member(&cast, None, "worker").await;
    for (tool, input) in [
        ("team_tmux_start", json!({ "taskPrompt": "x" })),
        ("team_tmux_list", json!({})),
        ("team_tmux_send", json!({ "sessionName": "red-1", "message": "<<say pwned>>" })),
        ("team_tmux_kill", json!({ "sessionName": "red-1" })),
    ] {
        let refused = cast.call(&plain.id, tool, &input).await;
        assert_eq!(refused.outcome, "denied", "{refused:?}");
    }
    // A definition that names the tools gives them.
    cast.define("foreman", "toolAllowlist = ['team_tmux_*']");
    let foreman = member(&cast, Some("foreman"), "worker").await;
    let granted = cast.0.client.tools_of(&foreman.id).await.unwrap().tools;
    assert_eq!(granted.len(), 6, "{granted:?}");
    let send = json!({ "sessionName": "red-1", "message": "hello" });
    cast.call(&foreman.id, "team_tmux_send", &send).await.ok();
    cast.until_heard(&worker.session, "hello").await;
    // Nobody lives in the terminal of one who is in no team.
    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
}

#[tokio::test]
async fn a_start_that_is_refused_leaves_nothing_behind() {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    std::fs::create_dir_all(home.path()).unwrap();
    std::fs::write(home.path().join("config.toml"), "[limits]\nworkers = 20\n").unwrap();
    let cast = red_at(home);
    let lead = member(&cast, None, "leader").await;
    let one = tool("team_tmux_start", &json!({ "taskPrompt": "be there", "provider": "scripted" }));
    cast.0.send(&lead.id, &one.repeat(13)).await;
    cast.0.settled(&lead.id).await;
    let called = cast.called(&lead.id).await;
    assert_eq!(called.iter().filter(|called| called.outcome == "ok").count(), 12);
    assert_said!(cast.0.home, called[12].error());
    // Neither a number of its own nor one of its thread was spent.
    let next = started(&cast, "<<say ready>>").await;
    assert_eq!((next.name.as_str(), next.thread.as_deref()), ("red-13", Some("thread-0013")));
}
