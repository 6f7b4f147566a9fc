//! Giving a worktree's branch another name.

use paseo_runtime::git::{Error, Force};

use super::{Place, assert_refused, branch, git_in};

#[tokio::test]
async fn the_branch_gets_exactly_that_name_with_its_commits() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "Work"]);
    for name in ["fix/the-thing", "größe", "paseo", "Paseo", "paseo/one"] {
        let worktree = worktree_now(&place, &worktree, name).await;
        let status = worktree.status().await.unwrap();
        assert_eq!((status.branch.as_deref(), status.ahead), (Some(name), 1));
    }
    assert_eq!(place.git(["for-each-ref", "refs/heads"]).lines().count(), 2);
}

/// Renames whatever the branch is called now.
async fn worktree_now(
    place: &Place,
    worktree: &paseo_runtime::git::Worktree,
    name: &str,
) -> paseo_runtime::git::Worktree {
    let now = git_in(&worktree.path, ["branch", "--show-current"]);
    let worktree = paseo_runtime::git::Worktree { branch: branch(&now), ..worktree.clone() };
    let renamed = worktree.rename_branch(branch(name)).await.unwrap();
    assert_eq!(place.git(["rev-parse", "--verify", &format!("refs/heads/{name}")]).len(), 40);
    renamed
}

#[tokio::test]
async fn a_taken_name_is_refused_with_what_takes_it() {
    let place = Place::new();
    place.git(["branch", "feature/x"]);
    place.git(["pack-refs", "--all"]);
    let worktree = place.create("one").await.worktree;
    let before = place.everything();
    for (name, words) in [
        ("main", "already exists"),
        ("MAIN", "`main` differs only in case"),
        ("main/sub", "`main`"),
        ("feature", "`feature/x`"),
        ("feature/x/y", "`feature/x`"),
    ] {
        assert_refused(worktree.rename_branch(branch(name)).await, words);
    }
    assert_eq!(place.everything(), before);
}

#[tokio::test]
async fn a_branch_that_is_not_ours_is_not_renamed() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["switch", "-q", "-c", "other"]);
    let refused = worktree.rename_branch(branch("new")).await;
    assert!(matches!(&refused, Err(Error::Switched { found, .. }) if found == "`other`"), "{refused:?}");
    git_in(&worktree.path, ["switch", "-q", "--detach"]);
    assert_refused(worktree.rename_branch(branch("new")).await, "no branch");
    assert_eq!(place.git(["branch", "--list", "new"]), "");
}

#[tokio::test]
async fn a_worktree_that_is_gone_has_no_branch_to_rename() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    std::fs::remove_dir_all(&worktree.path).unwrap();
    assert!(matches!(worktree.rename_branch(branch("new")).await, Err(Error::DirectoryGone(_))));
    worktree.remove(Force::No).await.unwrap();
    assert!(matches!(worktree.rename_branch(branch("new")).await, Err(Error::DirectoryGone(_))));
}
