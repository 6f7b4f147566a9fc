//! What people are told who name somebody or something of a team that is not there any more, or goes by another name.

use paseo_wire::session::CreateSession;

use crate::screens::assert_told;
use crate::workers::{red, started};

#[tokio::test]
async fn an_agent_that_is_gone_or_has_another_name_can_be_found() {
    let cast = red();
    let home = &cast.0.home;
    let none = home.paseo(&["worker", "attach", "red-1"]);
    assert_told!(home, none);
    let worker = started(&cast, "<<say here>>").await;
    cast.0.settled(&worker.session).await;
    let others = home.paseo(&["worker", "ls", "--prefix", "blue"]);
    assert_told!(home, others);
    let bob = CreateSession {
        provider: Some("scripted".to_owned()),
        team: Some("red".into()),
        team_agent: Some("bob".into()),
        ..CreateSession::default()
    };
    let bob = cast.create(bob).await;
    let named = home.paseo(&["send", "bob", "hello"]);
    let hint = format!("use a handle instead of a name: {}", bob.handle);
    assert!(named.code == 3 && named.stderr.contains(&hint), "{named:?}");
    assert!(named.stderr.lines().any(|line| line.contains(&bob.handle) && line.contains("bob")), "{named:?}");

    home.paseo(&["worker", "kill", "red-1"]).ok();
    let words = format!("red-1 in team red was killed; its handle is {}", worker.handle);
    for again in [&["logs", "red-1"][..], &["worker", "kill", "red-1"], &["worker", "attach", "red-1"]] {
        let gone = home.paseo(again);
        assert!(gone.code == 3 && gone.stderr.contains(&words), "{gone:?}");
    }
    assert!(home.paseo(&["logs", &worker.handle]).ok().contains("here"));
    assert_told!(home, home.paseo(&["worker", "ls", "--prefix", "blue"]), @r#"
    exit 0
    No workers. Start one: paseo worker start "what to do" --team red
    "#);

    // Who is there comes first, and nobody else is one of its agents.
    let team = home.paseo(&["team", "show", "red"]);
    let row = |name: &str| team.ok().lines().find(|line| line.starts_with(name)).map(str::to_owned);
    assert!(row("bob").is_some_and(|row| row.trim_end().ends_with(&bob.handle)), "{team:?}");
    assert_eq!(row("gone:").as_deref(), Some("gone: red-1"), "{team:?}");
    assert!(row("red-1").is_none() && !team.ok().contains("MODEL"), "{team:?}");
    let teams = home.paseo(&["team", "ls"]);
    assert!(teams.ok().contains("bob") && !teams.ok().contains("red-1"), "{teams:?}");
}

#[test]
fn what_is_over_is_not_there_to_be_claimed() {
    let cast = red();
    let home = &cast.0.home;
    let unknown = home.paseo(&["task", "show", "task-9999", "--team", "red"]);
    assert_told!(home, unknown);
    home.paseo(&["task", "create", "Parse"]).ok();
    home.paseo(&["task", "claim", "task-0001"]).ok();
    let complete = || home.paseo(&["task", "complete", "task-0001", "--epoch", "1"]);
    complete().ok();
    let twice = complete();
    assert_told!(home, twice);
    let led = home.paseo(&["team", "create", "blue", "--agent", "lea:leader"]);
    assert_told!(home, led);
    home.paseo(&["team", "leader", "blue", "--member", "lea", "-d", "<<say hello>>"]).ok();
}
