//! Lists of teams on a narrow terminal, and in the order that people expect.

use std::fs;

use paseo_wire::worker::StartWorker;
use rustix::process::Signal;

use crate::pty::{Terminal, on_terminal};
use crate::screens::{assert_said, squeezed};
use crate::workers::{red, started, until_seen, wanted};

const LONG: &str = "a-team-with-a-name-that-somebody-chose-without-much-thought";

#[tokio::test]
async fn every_list_fits_whatever_things_are_called() {
    let cast = red();
    let home = &cast.0.home;
    let deep = home.work().join("a-directory-with-a-rather-long-name").join("and-one-below-it").join("deep");
    fs::create_dir_all(&deep).unwrap();
    home.paseo(&["team", "create", LONG, "-C", &deep.display().to_string()]).ok();
    let title = "Write the parser, and everything that belongs to it, and test it wherever it may be used";
    home.paseo(&["task", "create", title, "--resource", "src/parse/and/a/path/that/goes/on", "--team", LONG])
        .ok();
    home.paseo(&["task", "create", title, "--dep", "task-0001", "--team", LONG]).ok();
    let wanted = StartWorker {
        team: Some(LONG.into()),
        title: Some(title.to_owned()),
        ..wanted("<<sh paseo task claim task-0001 --ttl 1h>>")
    };
    let worker = cast.0.client.start_worker(&wanted, None).await.unwrap().worker;
    cast.0.settled(&worker.session).await;
    cast.0.settled(&started(&cast, "<<say hello>>").await.session).await;
    let lists: [&[&str]; 5] = [
        &["worker", "ls"],
        &["task", "ls", "--team", LONG],
        &["team", "ls"],
        &["team", "show", LONG],
        &["thread", "ls"],
    ];
    for list in lists {
        let shown = on_terminal(home, 80, list);
        let long: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(!shown.contains("error:") && long.is_empty(), "{list:?}:\n{shown}");
    }
    // What is typed elsewhere is there as a whole, where nothing else is too long.
    let short = on_terminal(home, 80, &["worker", "ls", "--team", "red"]);
    assert!(short.contains("red-1") && short.contains("thread-0001"), "{short}");
    assert!(on_terminal(home, 80, &["worker", "ls"]).contains(&worker.handle));
    let team = on_terminal(home, 80, &["team", "show", "red"]);
    assert_said!(home, &squeezed(&team));
}

#[tokio::test]
async fn what_a_worker_asks_is_read_and_answered_on_a_narrow_terminal() {
    let cast = red();
    let home = &cast.0.home;
    let question =
        "May I really push all of this to the branch that everybody else has been working on since?";
    let worker = started(&cast, &format!("<<ask {question}>>")).await;
    until_seen(
        "the question",
        async || cast.view(&worker.session).await,
        |view| view.status.as_str() == "waiting",
    )
    .await;
    for words in [&["permit", "ls"][..], &["why", "red-1"]] {
        let shown = on_terminal(home, 80, words);
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        let read = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(read.contains(question) && read.contains("`paseo worker attach red-1`"), "{shown}");
    }
    let hint = "red-1 is waiting for an answer in its terminal: paseo worker attach red-1";
    let listed = on_terminal(home, 80, &["ls"]);
    assert!(listed.contains(hint), "{listed}");
    let mut watched = Terminal::start(home, 80, &["ls", "--watch"]);
    watched.until(hint);
    watched.send(Signal::INT);
    assert_eq!(watched.finish().0, Some(130));
}

#[tokio::test]
async fn the_tenth_comes_after_the_second() {
    let cast = red();
    for _ in 0..10 {
        started(&cast, "<<say here>>").await;
    }
    let names: Vec<String> = (1..=10).map(|number| format!("red-{number}")).collect();
    let all = names.join(", ");
    let unknown = cast.0.home.paseo(&["worker", "capture", "red-99"]);
    assert!(unknown.stderr.contains(&all), "{unknown:?}");
    let unknown = cast.0.home.paseo(&["team", "leave", "red", "--agent", "red-99"]);
    assert!(unknown.stderr.contains(&all), "{unknown:?}");
    let team = cast.0.client.team("red").await.unwrap().team;
    assert_eq!(team.agents.into_iter().map(|agent| agent.id).collect::<Vec<_>>(), names);
}
