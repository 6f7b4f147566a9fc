//! `paseo projects`, and directories while their path is typed.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::files::{body, get};
use crate::screens::assert_told;
use crate::worktrees::make_repository;
use crate::{home, json};

#[test]
fn directories_of_one_checkout_are_one_project() {
    let home = home();
    let note = home.paseo(&["projects"]);
    assert_eq!(note.ok(), "");
    assert_told!(home, note);
    let (repository, plain) = (home.work().join("repository"), home.work().join("plain"));
    fs::create_dir(&repository).unwrap();
    fs::create_dir(&plain).unwrap();
    make_repository(&repository);
    let run = |directory: &std::path::Path| {
        let directory = directory.to_str().unwrap();
        let made = json(&home.paseo(&["run", "-d", "--json", "-C", directory, "<<say done>>"]));
        let id = made["session"]["id"].as_str().unwrap().to_owned();
        home.paseo(&["wait", &id]).ok();
        id
    };
    let (closed, _) = (run(&plain), run(&repository));
    run(&repository.join("src"));
    let real = |path: &std::path::Path| path.canonicalize().unwrap().to_str().unwrap().to_owned();
    let listed = json(&home.paseo(&["projects", "--json"]))["projects"].clone();
    let seen: Vec<(&str, &Value, &Value)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|project| (project["name"].as_str().unwrap(), &project["open"], &project["branch"]))
        .collect();
    assert_eq!(seen, [("repository", &2.into(), &"main".into()), ("plain", &1.into(), &Value::Null)]);
    assert_eq!(listed[0]["path"], real(&repository));

    home.paseo(&["close", &closed]).ok();
    let after =
        |home: &paseo_testkit::home::TestHome| json(&home.paseo(&["projects", "--json"]))["projects"].clone();
    assert_eq!((&after(&home)[0]["name"], &after(&home)[0]["open"]), (&"plain".into(), &0.into()));
    // The log knows, not the daemon's memory.
    home.paseo(&["restart"]).ok();
    let kept = after(&home);
    assert_eq!(kept.as_array().unwrap().len(), 2, "{kept}");
    fs::remove_dir(&plain).unwrap();
    let plain = kept.as_array().unwrap().iter().find(|project| project["name"] == "plain").unwrap();
    assert_eq!((&plain["open"], &plain["present"]), (&0.into(), &true.into()));
    assert!(home.paseo(&["projects"]).ok().contains("(gone)"));
    let first = body(&get(&home, "/api/projects?limit=1"));
    let next = first["next"].as_str().unwrap().replace('/', "%2F");
    let second = body(&get(&home, &format!("/api/projects?limit=1&after={next}")));
    assert_ne!(first["projects"][0]["path"], second["projects"][0]["path"]);
    assert_eq!(second["next"], Value::Null);
}

#[test]
fn a_directory_is_completed_while_it_is_typed() {
    let home = home();
    home.paseo(&["up"]).ok();
    let work = home.work();
    for name in ["shop", "shed", ".hidden", "other"] {
        fs::create_dir(work.join(name)).unwrap();
    }
    fs::create_dir(work.join("shop/.git")).unwrap();
    fs::write(work.join("shelf.txt"), "").unwrap();
    symlink("shed", work.join("shack")).unwrap();
    let found = |typed: &str| {
        let answer = body(&get(&home, &format!("/api/directories?path={}/{typed}", work.to_str().unwrap())));
        let names = answer["directories"].as_array().unwrap().iter();
        names
            .map(|one| (one["name"].as_str().unwrap().to_owned(), one["repository"] == true))
            .collect::<Vec<_>>()
    };
    let named = |name: &str, repository: bool| (name.to_owned(), repository);
    assert_eq!(found("sh"), [named("shack", false), named("shed", false), named("shop", true)]);
    assert_eq!(found("."), [named(".hidden", false)]);
    assert!(!found("").contains(&named(".hidden", false)));
    for number in 0..60 {
        fs::create_dir(work.join(format!("many{number:02}"))).unwrap();
    }
    let cut = body(&get(&home, &format!("/api/directories?path={}/many", work.to_str().unwrap())));
    assert_eq!((cut["directories"].as_array().unwrap().len(), &cut["truncated"]), (50, &true.into()));
}
