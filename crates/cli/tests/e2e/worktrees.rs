//! Worktrees: who gets one, what the agent may name, and what is never lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use paseo_testkit::home::TestHome;
use serde_json::Value;

use crate::chat::items;
use crate::screens::{assert_said, assert_told};
use crate::{home, inspect, json};

/// A home whose working directory is a repository with one commit.
fn repository() -> TestHome {
    let home = home();
    make_repository(&home.work());
    home
}

/// Makes a directory a repository with one commit.
pub(crate) fn make_repository(work: &Path) {
    git(work, &["init", "-q", "-b", "main"]);
    fs::create_dir(work.join("src")).unwrap();
    fs::write(work.join("src/lib.rs"), "one\n").unwrap();
    fs::write(work.join(".gitignore"), ".env\n").unwrap();
    commit(work, "first");
}

#[allow(clippy::disallowed_methods)] // Tests start git.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(identity).args(arguments).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(directory: &Path, message: &str) {
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "-q", "-m", message]);
}

fn worktrees(home: &TestHome) -> Value {
    json(&home.paseo(&["worktree", "ls", "--json"]))["worktrees"].clone()
}

/// Runs an agent to the end of its first turn, and returns what is known about it.
fn run(home: &TestHome, flags: &[&str], prompt: &str) -> Value {
    let made = json(&home.paseo(&[&["run", "-d", "--json"], flags, &[prompt]].concat()));
    let id = made["session"]["id"].as_str().unwrap().to_owned();
    home.paseo(&["wait", &id]).ok();
    inspect(home, &id)
}

#[test]
fn an_agent_in_the_app_works_on_a_branch_of_its_own() {
    let home = repository();
    fs::write(home.work().join("src/lib.rs"), "two\n").unwrap();
    fs::write(home.work().join("new file"), "").unwrap();
    let output = home.paseo(&["run", "--ui", "<<sh git rev-parse --abbrev-ref HEAD; cat src/lib.rs; ls>>"]);
    output.ok();
    assert_told!(home, output);

    let handle = home.paseo(&["ls", "--ui", "-q"]).ok().to_owned();
    let view = inspect(&home, &handle);
    let id = view["id"].as_str().unwrap();
    assert_eq!(view["worktree"]["branch"], format!("paseo/{}", &id[..8]));
    assert_eq!(view["directory"], view["worktree"]["path"]);
    assert_eq!(view["project"], home.work().canonicalize().unwrap().to_str().unwrap());
    let seen = home.paseo(&["logs", &handle]);
    assert!(
        seen.stdout.contains(&format!("paseo/{}", &id[..8])) && seen.stdout.contains("one"),
        "{}",
        seen.stdout
    );
    assert!(!seen.stdout.contains("new file"));
    assert_eq!(git(&home.work(), &["rev-parse", "--abbrev-ref", "HEAD"]), "main", "the user's is untouched");
}

#[test]
fn others_get_none_unless_asked_for() {
    let home = repository();
    assert_eq!(run(&home, &[], "<<say a>>")["worktree"], Value::Null);
    assert_eq!(run(&home, &["--ui", "--no-worktree"], "<<say a>>")["worktree"], Value::Null);
    let view = run(&home, &["--worktree=spike", "--base", "main"], "<<say a>>");
    let path = view["worktree"]["path"].as_str().unwrap();
    assert!(path.ends_with("/worktrees/work-spike"), "{path}");
    let refused = home.paseo(&["run", "--worktree=spike", "x"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused);
}

#[test]
fn an_agent_names_its_branch_and_nobody_elses() {
    let home = repository();
    git(&home.work(), &["branch", "taken"]);
    let prompt = r#"<<tool set_branch {"name":"taken"}>><<tool set_branch {"name":"--force"}>>
        <<tool set_branch {"name":"a..b"}>><<tool set_branch {}>><<tool set_branch {"name":"fix-login"}>>"#;
    let view = run(&home, &["--ui"], prompt);
    assert_eq!(view["worktree"]["branch"], "fix-login");
    let worktree = PathBuf::from(view["worktree"]["path"].as_str().unwrap());
    assert_eq!(git(&worktree, &["rev-parse", "--abbrev-ref", "HEAD"]), "fix-login");
    let branches = git(&home.work(), &["branch", "--format=%(refname:short)"]);
    assert_eq!(branches, "fix-login\nmain\ntaken");
    let told = |view: &Value| -> String {
        let results = items(&home, view["id"].as_str().unwrap(), "tool_result");
        results.iter().map(|result| result["text"].as_str().unwrap().to_owned() + "\n").collect()
    };
    assert_said!(home, &told(&view), @r"
    the branch was not renamed: cannot use the branch name `taken`: the branch already exists
    the branch was not renamed: invalid branch name `--force`: it starts with `-`, like an option
    the branch was not renamed: invalid branch name `a..b`: it contains `..`
    `name` is missing
    `set_branch` takes `name` (string)
    Renamed the branch to fix-login
    ");
    let view = run(&home, &["--ui", "--no-worktree"], r#"<<tool set_branch {"name":"x"}>>"#);
    assert_said!(home, &told(&view), @"no branch to name: this agent has no worktree");
    assert_eq!(git(&home.work(), &["rev-parse", "--abbrev-ref", "HEAD"]), "main");
}

#[test]
fn a_worktree_starts_in_the_same_folder_with_what_is_included() {
    let home = repository();
    fs::write(home.work().join(".env"), "SECRET=1").unwrap();
    fs::write(home.work().join(".worktreeinclude"), ".env\n").unwrap();
    commit(&home.work(), "include");
    let source = home.work().join("src");
    let view = run(&home, &["--ui", "--cwd", source.to_str().unwrap()], "<<sh pwd; cat ../.env>>");
    assert!(view["directory"].as_str().unwrap().ends_with("/src"), "{view}");
    assert!(home.paseo(&["logs", view["id"].as_str().unwrap()]).stdout.contains("SECRET=1"));
}

#[test]
fn where_there_can_be_none_the_agent_is_told_or_the_person_is() {
    let home = home();
    assert_eq!(run(&home, &["--ui"], "<<say a>>")["worktree"], Value::Null);
    let refused = home.paseo(&["run", "--worktree", "x"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused);

    git(&home.work(), &["init", "-q", "-b", "main"]);
    let output = home.paseo(&["run", "--ui", "<<say a>>"]);
    assert_eq!(output.ok(), "a");
    assert_told!(home, output);
    for flag in ["-q", "--json"] {
        let output = home.paseo(&["run", "-d", "--ui", flag, "<<say a>>"]);
        output.ok();
        assert_told!(home, output);
    }
    let refused = home.paseo(&["run", "--worktree", "--base=-x", "x"]);
    assert_eq!(refused.code, 3, "{refused:?}");
}

#[test]
fn removal_refuses_while_anything_would_be_lost_and_force_archives_it() {
    let home = repository();
    let view = run(&home, &["--ui"], "<<sh echo work > notes.txt>>");
    let id = view["id"].as_str().unwrap();
    let name = worktrees(&home)[0]["name"].as_str().unwrap().to_owned();

    let refused = home.paseo(&["worktree", "rm", &name]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused);
    home.paseo(&["close", id]).ok();
    let refused = home.paseo(&["worktree", "rm", &id[..8]]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused);

    let removed = json(&home.paseo(&["worktree", "rm", "--force", &name, "--json"]));
    let archive = removed["archive"]["reference"].as_str().unwrap();
    assert_eq!(git(&home.work(), &["show", &format!("{archive}:notes.txt")]), "work");
    assert_eq!(worktrees(&home), Value::Array(Vec::new()));
    assert_eq!(inspect(&home, id)["worktree"], Value::Null);
    assert_eq!(git(&home.work(), &["branch", "--format=%(refname:short)"]), "main");
    let unknown = home.paseo(&["worktree", "rm", "nope"]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
}

#[test]
fn what_is_merged_goes_without_force_also_after_the_agent_was_deleted() {
    let home = repository();
    let view = run(&home, &["--ui"], "<<say a>>");
    home.paseo(&["rm", view["id"].as_str().unwrap()]).ok();
    assert_eq!(worktrees(&home)[0]["session"], Value::Null);
    let table = home.paseo(&["worktree", "ls"]);
    assert!(table.ok().contains("deleted") && table.ok().contains("nothing"), "{}", table.stdout);
    let name = worktrees(&home)[0]["name"].as_str().unwrap().to_owned();
    assert_eq!(home.paseo(&["worktree", "rm", &name]).ok(), format!("Removed {name}"));
    assert_eq!(git(&home.work(), &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_closed_agent_whose_worktree_is_gone_says_so() {
    let home = repository();
    let view = run(&home, &["--ui"], "<<say a>>");
    let id = view["id"].as_str().unwrap();
    home.paseo(&["close", id]).ok();
    home.paseo(&["worktree", "rm", &id[..8]]).ok();
    let answer = home.paseo(&["reopen", id]);
    assert_eq!(answer.code, 6, "{answer:?}");
    assert_told!(home, answer);
    let answer = home.paseo(&["send", id, "--wait", "<<say b>>"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert_told!(home, answer);
    let why = home.paseo(&["why", id]);
    assert!(why.ok().lines().any(|line| line.trim_start().starts_with("restore it with: git")), "{why:?}");
    let (_, command) = answer.stderr.split_once("restore it with: ").unwrap();
    shell(command.lines().next().unwrap());
    assert_eq!(home.paseo(&["send", id, "--wait", "<<say b>>"]).ok(), "b");
    assert_eq!(worktrees(&home)[0]["session"], id);
    fs::remove_dir_all(view["worktree"]["path"].as_str().unwrap()).unwrap();
    home.paseo(&["close", id]).ok();
    let answer = home.paseo(&["reopen", id]);
    let (_, command) = answer.stderr.split_once("restore it with: ").unwrap();
    shell(command.lines().next().unwrap());
    home.paseo(&["reopen", id]).ok();
}

/// Runs a command as a person would who has read it.
#[allow(clippy::disallowed_methods)]
fn shell(command: &str) {
    let output = Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_worktree_that_was_brought_back_has_its_owner_again() {
    let home = repository();
    let view = run(&home, &["--ui"], "<<sh echo work > notes.txt>>");
    let (id, path) = (view["id"].as_str().unwrap(), view["worktree"]["path"].as_str().unwrap());
    home.paseo(&["close", id]).ok();
    let removed = json(&home.paseo(&["worktree", "rm", "--force", &id[..8], "--json"]));
    assert_eq!(inspect(&home, id)["worktree"], Value::Null);
    let refused = home.paseo(&["reopen", id]);
    let restore = removed["archive"]["restore"].as_str().unwrap();
    assert!(refused.stderr.contains(restore), "{}", refused.stderr);

    shell(restore);
    assert_eq!(inspect(&home, id)["worktree"]["path"], path);
    assert_eq!(worktrees(&home)[0]["session"], id);
    home.paseo(&["reopen", id]).ok();
    let refused = home.paseo(&["worktree", "rm", "--force", &id[..8]]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert_told!(home, refused);
    assert_eq!(home.paseo(&["send", id, "--wait", "<<sh cat notes.txt>><<say ok>>"]).ok(), "ok");
}

#[test]
fn nobody_loses_the_ground_under_their_feet() {
    let home = repository();
    let owner = run(&home, &["--ui"], "<<say a>>");
    let path = owner["worktree"]["path"].as_str().unwrap().to_owned();
    let guest = run(&home, &["--cwd", &format!("{path}/src")], "<<say a>>");
    let (owner, guest) = (owner["id"].as_str().unwrap(), guest["id"].as_str().unwrap());
    home.paseo(&["close", owner]).ok();
    let refused = home.paseo(&["worktree", "rm", "--force", &owner[..8]]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(
        refused.stderr.contains(&format!("{}, whose working directory is in it", &guest[..4])),
        "{refused:?}"
    );
    home.paseo(&["close", guest]).ok();

    let mut shell = shell_in(&path);
    let refused = home.paseo(&["worktree", "rm", "--force", &owner[..8]]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains(&format!("process {} (", shell.id())), "{}", refused.stderr);
    shell.kill().unwrap();
    shell.wait().unwrap();
    home.paseo(&["worktree", "rm", &owner[..8]]).ok();
}

/// A process that someone left in a directory.
#[allow(clippy::disallowed_methods)]
fn shell_in(directory: &str) -> std::process::Child {
    Command::new("sleep").arg("600").current_dir(directory).spawn().unwrap()
}

#[test]
fn an_agent_that_goes_says_what_stays() {
    let home = repository();
    let view = run(&home, &["--ui"], "<<sh echo work > notes.txt>>");
    let id = view["id"].as_str().unwrap();
    let name = worktrees(&home)[0]["name"].as_str().unwrap().to_owned();
    let closed = home.paseo(&["close", id]);
    let words = format!(
        "Worktree {name} has uncommitted work. To archive and remove it: paseo worktree rm --force {name}"
    );
    assert!(closed.stderr.contains(&words), "{}", closed.stderr);
    assert!(!home.paseo(&["close", id]).stderr.contains("stays"), "once is enough");
    let deleted = home.paseo(&["rm", id]);
    assert!(deleted.stderr.contains(&words), "{}", deleted.stderr);
    let plain = run(&home, &[], "<<say a>>");
    assert_eq!(home.paseo(&["rm", plain["id"].as_str().unwrap()]).stderr, "");
}

#[test]
fn a_broken_repository_is_refused_and_not_worked_in() {
    let home = repository();
    fs::write(home.work().join(".git/config"), "[broken").unwrap();
    let refused = home.paseo(&["run", "--ui", "<<say a>>"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains("--no-worktree"), "{}", refused.stderr);
    assert_eq!(home.paseo(&["run", "--ui", "--no-worktree", "<<say a>>"]).ok(), "a");
}

#[test]
fn a_name_apart_from_its_flag_is_recognised() {
    let home = repository();
    let refused = home.paseo(&["run", "--worktree", "foo", "do it"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(home, refused);
    let refused = home.paseo(&["run", "do", "it"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(home, refused);
}

#[test]
fn a_list_in_a_worktree_is_that_of_its_project() {
    let home = repository();
    let owner = run(&home, &["--ui"], "<<say a>>");
    let peer = run(&home, &[], "<<say a>>");
    let worktree = owner["worktree"]["path"].as_str().unwrap();
    let list = |flags: &[&str]| {
        let mut command = home.command(&[&["ls", "-q"], flags].concat());
        let output = command.current_dir(worktree).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(list(&["--ui"]), owner["handle"].as_str().unwrap());
    assert_eq!(list(&[]), peer["handle"].as_str().unwrap());
}

/// The daemon ends what a killed shim leaves, and must not take its own git for that.
#[test]
fn worktrees_come_and_go_while_agents_are_closed() {
    let home = repository();
    for n in 0..4 {
        let busy = home.paseo(&["run", "-d", "<<sh sleep 600>>"]).ok().to_owned();
        let killed = home.spawn(&["run", "<<sh kill -9 $(cut -d ' ' -f 4 /proc/$PPID/stat); sleep 600>>"]);
        let closing = home.spawn(&["close", &busy]);
        let view = run(&home, &[&format!("--worktree=w{n}")], "<<say a>>");
        paseo_testkit::home::finish(closing).ok();
        paseo_testkit::home::finish(killed);
        let id = view["id"].as_str().unwrap();
        home.paseo(&["close", id]).ok();
        home.paseo(&["worktree", "rm", &format!("work-w{n}")]).ok();
    }
    assert_eq!(worktrees(&home), Value::Array(Vec::new()));
}
