//! Finding repositories and making worktrees.

use paseo_runtime::git::{Error, Worktree, left_out, repository};

use super::{Place, assert_refused, branch, git_in};

#[tokio::test]
async fn a_repository_is_found_from_a_subfolder_and_from_a_worktree() {
    let place = Place::new();
    place.write("repo/a/b/file", "");
    let found = repository(&place.path("repo/a/b")).await.unwrap().unwrap();
    assert_eq!((found.root, found.common_dir), (place.root(), place.path("repo/.git")));
    let worktree = place.create("one").await.worktree;
    let found = repository(&worktree.path).await.unwrap().unwrap();
    assert_eq!((&found.root, &found.common_dir), (&worktree.path, &place.path("repo/.git")));
    assert_eq!(found.name(), "repo");
}

#[tokio::test]
async fn a_folder_without_a_repository_has_none_and_a_bare_one_no_checkout() {
    let place = Place::new();
    assert_eq!(repository(&place.path("")).await.unwrap(), None);
    assert_refused(repository(&place.path("nowhere")).await, "directory not found");
    place.git(["init", "-q", "--bare", "../bare.git"]);
    assert!(matches!(repository(&place.path("bare.git")).await, Err(Error::NoCheckout(_))));
    assert!(matches!(repository(&place.path("repo/.git")).await, Err(Error::NoCheckout(_))));
}

#[tokio::test]
async fn a_worktree_of_a_bare_repository_is_as_good_as_any() {
    let place = Place::new();
    place.git(["clone", "-q", "--bare", ".", "../bare.git"]);
    git_in(&place.path("bare.git"), ["worktree", "add", "-q", "../checkout", "main"]);
    let found = repository(&place.path("checkout")).await.unwrap().unwrap();
    let new = paseo_runtime::git::NewWorktree { repository: found, ..place.new_worktree("one").await };
    let worktree = Worktree::create(new).await.unwrap().worktree;
    assert_eq!(place.read("worktrees/one/tracked"), "one\n");
    assert!(worktree.loss().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_worktree_starts_from_the_users_commit_on_a_branch_of_its_own() {
    let place = Place::new();
    let created = place.create("one").await;
    assert_eq!(created.base_commit, place.git(["rev-parse", "main"]));
    assert_eq!(place.read("worktrees/one/tracked"), "one\n");
    let status = created.worktree.status().await.unwrap();
    assert_eq!(status.branch.as_deref(), Some("paseo/one"));
    assert_eq!(status.head, Some(created.base_commit));
    assert!(status.present && !status.dirty && status.ahead == 0);
    // The user's checkout is as it was.
    assert_eq!(place.git(["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(place.git(["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_base_is_any_commit_and_is_not_tracked() {
    let place = Place::new();
    place.git(["update-ref", "refs/remotes/origin/old", "main"]);
    place.git(["commit", "-q", "--allow-empty", "-m", "Second"]);
    for (name, base) in [("one", "origin/old"), ("two", "HEAD~1"), ("three", "main~1")] {
        let mut new = place.new_worktree(name).await;
        new.base = Some(base.to_owned());
        let created = Worktree::create(new).await.unwrap();
        assert_eq!(created.base_commit, place.git(["rev-parse", "main~1"]));
    }
    let config = place.read("repo/.git/config");
    assert!(!config.contains("[branch"), "{config}");
}

#[tokio::test]
async fn a_detached_head_is_a_commit_like_any_other() {
    let place = Place::new();
    place.git(["checkout", "-q", "--detach"]);
    assert_eq!(place.create("one").await.base_commit, place.git(["rev-parse", "HEAD"]));
}

#[tokio::test]
async fn a_tag_of_the_same_name_does_not_confuse() {
    let place = Place::new();
    place.git(["tag", "paseo/one"]);
    place.git(["commit", "-q", "--allow-empty", "-m", "Second"]);
    let created = place.create("one").await;
    let status = created.worktree.status().await.unwrap();
    assert_eq!((status.branch.as_deref(), status.head), (Some("paseo/one"), Some(created.base_commit)));
}

#[tokio::test]
async fn without_a_commit_there_is_nothing_to_start_from() {
    let place = Place::without_commits();
    let new = place.new_worktree("one").await;
    assert_refused(Worktree::create(new).await, "no commits yet");
    assert!(!place.path("worktrees/one").exists());
}

#[tokio::test]
async fn an_unknown_base_is_refused() {
    let place = Place::new();
    let before = place.everything();
    for base in ["nowhere", "", "a b", "main..main", "main:tracked", "^main", "@{", "-", "main\n", "origin/x"]
    {
        let mut new = place.new_worktree("one").await;
        new.base = Some(base.to_owned());
        assert!(matches!(Worktree::create(new).await, Err(Error::UnknownBase(_))), "{base:?}");
    }
    assert_eq!(place.everything(), before);
    assert!(!place.path("worktrees/one").exists());
}

#[tokio::test]
async fn a_taken_branch_is_refused_with_what_takes_it() {
    let place = Place::new();
    place.git(["branch", "feature/x"]);
    let before = place.everything();
    for (name, words) in [
        ("feature/x", "already exists"),
        ("Feature/X", "differs only in case"),
        ("feature", "path prefix of the other"),
        ("feature/x/y", "path prefix of the other"),
    ] {
        let mut new = place.new_worktree("one").await;
        new.branch = branch(name);
        assert_refused(Worktree::create(new).await, words);
    }
    assert_eq!(place.everything(), before);
}

#[tokio::test]
async fn a_directory_that_exists_is_left_alone() {
    let place = Place::new();
    place.write("worktrees/one/precious", "x");
    let before = place.everything();
    assert_refused(Worktree::create(place.new_worktree("one").await).await, "already exists");
    assert_eq!(place.read("worktrees/one/precious"), "x");
    assert_eq!(place.everything(), before);
}

#[tokio::test]
async fn a_creation_that_fails_leaves_nothing() {
    let place = Place::new();
    let before = place.everything();
    // The checkout fails in the middle: an object is missing.
    let blob = place.git(["rev-parse", "main:tracked"]);
    let object = place.path("repo/.git/objects").join(&blob[..2]).join(&blob[2..]);
    std::fs::rename(&object, place.path("kept")).unwrap();
    assert!(matches!(Worktree::create(place.new_worktree("one").await).await, Err(Error::Failed { .. })));
    assert!(!place.path("worktrees/one").exists());
    // After the checkout: the list of files is not one.
    std::fs::rename(place.path("kept"), &object).unwrap();
    std::fs::create_dir(place.path("repo/.worktreeinclude")).unwrap();
    assert_refused(Worktree::create(place.new_worktree("one").await).await, "is not a file");
    assert!(!place.path("worktrees/one").exists());
    assert_eq!(place.everything(), before);
    assert_eq!(std::fs::read_dir(place.path("repo/.git/worktrees")).map_or(0, Iterator::count), 0);
}

#[tokio::test]
async fn a_creation_that_nobody_waits_for_is_finished() {
    let place = Place::new();
    let new = place.new_worktree("one").await;
    let mut creation = Box::pin(Worktree::create(new));
    assert!(futures_poll(&mut creation).await.is_none());
    drop(creation);
    super::super::support::within(async {
        while !place.path("worktrees/one/tracked").exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Polls once.
async fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match std::pin::Pin::new(&mut *future).poll(context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_at_once_are_all_made() {
    let place = Place::new();
    let mut creations = tokio::task::JoinSet::new();
    for n in 0..8 {
        creations.spawn(Worktree::create(place.new_worktree(&format!("w{n}")).await));
    }
    let mut made = 0;
    while let Some(created) = creations.join_next().await {
        let worktree = created.unwrap().unwrap().worktree;
        assert!(worktree.loss().await.unwrap().is_empty());
        made += 1;
    }
    assert_eq!(made, 8);
    assert_eq!(place.git(["worktree", "list"]).lines().count(), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_eight_with_one_name_one_is_made_and_stays_whole() {
    let place = Place::new();
    let mut creations = tokio::task::JoinSet::new();
    for n in 0..8 {
        let mut new = place.new_worktree(&format!("w{n}")).await;
        new.branch = branch("paseo/same");
        creations.spawn(Worktree::create(new));
    }
    let mut made = Vec::new();
    while let Some(created) = creations.join_next().await {
        match created.unwrap() {
            Ok(created) => made.push(created.worktree),
            Err(error) => assert!(matches!(error, Error::Taken { .. }), "{error}"),
        }
    }
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].status().await.unwrap().branch.as_deref(), Some("paseo/same"));
    assert_eq!(std::fs::read_dir(place.path("worktrees")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_lock_of_another_git_is_waited_for() {
    let place = Place::new();
    place.write("repo/.git/refs/heads/paseo/one.lock", "");
    let creation = tokio::spawn(Worktree::create(place.new_worktree("one").await));
    // Its directory is made before the branch is.
    super::super::support::within(async {
        while !place.path("worktrees/one").exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    std::fs::remove_file(place.path("repo/.git/refs/heads/paseo/one.lock")).unwrap();
    creation.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_is_in_no_commit_is_left_out_and_said() {
    let place = Place::new();
    place.write("repo/second", "");
    place.git(["add", "second"]);
    place.git(["commit", "-qm", "Second"]);
    assert!(left_out(&place.repository().await).await.unwrap().changes.is_empty());
    place.write("repo/tracked", "two\n");
    place.write("repo/second", "two\n");
    place.git(["add", "second"]);
    place.write("repo/new\nline", "");
    place.write("repo/folder/a", "");
    place.write("repo/folder/b", "");
    let found = left_out(&place.repository().await).await.unwrap();
    let changes = &found.changes;
    assert_eq!((changes.staged, changes.modified, changes.untracked, changes.conflicted), (1, 1, 2, 0));
    assert_eq!(changes.paths.count, 4);
    assert!(changes.paths.first.contains(&"new\nline".into()));
    assert!(found.submodules.is_empty());
}

#[tokio::test]
async fn submodules_are_said_to_be_left_out() {
    let place = Place::new();
    place.git(["clone", "-q", ".", "../library"]);
    place.git(["submodule", "--quiet", "add", "../library", "deps/library"]);
    place.git(["commit", "-qm", "Add a submodule"]);
    let found = left_out(&place.repository().await).await.unwrap();
    assert_eq!(found.submodules.to_string(), "deps/library");
    // It is an empty folder, and no reason against removing.
    let worktree = place.create("one").await.worktree;
    assert!(worktree.loss().await.unwrap().is_empty());
    worktree.remove(paseo_runtime::git::Force::No).await.unwrap();
}
