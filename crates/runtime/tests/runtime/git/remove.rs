//! What would be lost with a worktree, and removing it without losing that.

use paseo_runtime::git::{Archive, Error, Force, Loss, Operation, Worktree};

use super::{Place, assert_refused, branch, git_in, shell, try_git_in};

async fn refusal(worktree: &Worktree) -> Loss {
    match worktree.remove(Force::No).await {
        Err(Error::Loss(loss)) => {
            assert!(worktree.path.exists());
            *loss
        }
        other => panic!("{other:?}"),
    }
}

/// Removes with force, checks that nothing is left but the archive, and brings it back.
async fn archive_and_restore(place: &Place, worktree: &Worktree) -> Archive {
    let archive = archived(place, worktree).await;
    shell(&archive.restore);
    assert_eq!(git_in(&worktree.path, ["branch", "--show-current"]), worktree.branch.as_str());
    archive
}

async fn archived(place: &Place, worktree: &Worktree) -> Archive {
    let removed = worktree.remove(Force::Yes).await.unwrap();
    assert!(removed.branch_deleted);
    assert!(!worktree.path.exists());
    assert_eq!(place.git(["branch", "--list", worktree.branch.as_str()]), "");
    assert_eq!(place.git(["worktree", "list"]).lines().count(), 1);
    let archive = removed.archive.unwrap();
    assert_eq!(place.git(["rev-parse", &archive.reference]), archive.commit);
    archive
}

#[tokio::test]
async fn a_worktree_without_work_goes_with_its_branch() {
    let place = Place::new();
    let before = place.everything();
    let worktree = place.create("one").await.worktree;
    // Ignored files are not work.
    place.write("repo/.git/info/exclude", "target\n");
    place.write("worktrees/one/target/debug", "x");
    let removed = worktree.remove(Force::No).await.unwrap();
    assert_eq!((removed.archive, removed.branch_deleted), (None, true));
    assert!(!worktree.path.exists());
    assert_eq!(place.everything(), before);
    // Once more: it is gone, and that is fine.
    assert!(!worktree.remove(Force::No).await.unwrap().branch_deleted);
}

#[tokio::test]
async fn commits_that_are_elsewhere_are_not_lost() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "Work"]);
    let loss = refusal(&worktree).await;
    assert_eq!(loss.commits.count, 1);
    assert!(loss.commits.first[0].ends_with(" Work"), "{loss:?}");
    assert_eq!(loss.to_string(), "a commit that exists nowhere else");
    for reference in ["refs/remotes/origin/x", "refs/heads/other", "refs/tags/v1"] {
        place.git(["update-ref", reference, "paseo/one"]);
        assert!(worktree.loss().await.unwrap().is_empty(), "{reference}");
        place.git(["update-ref", "-d", reference]);
        assert_eq!(worktree.loss().await.unwrap(), loss);
    }
    place.git(["merge", "-q", "paseo/one"]);
    place.git(["config", "branch.paseo/one.remote", "origin"]);
    worktree.remove(Force::No).await.unwrap();
    assert!(!place.read("repo/.git/config").contains("paseo/one"));
}

#[tokio::test]
async fn uncommitted_work_is_refused_then_archived_and_comes_back() {
    let place = Place::new();
    place.git(["config", "user.name", "Ann"]);
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "Work"]);
    place.write("worktrees/one/tracked", "staged\n");
    git_in(&worktree.path, ["add", "tracked"]);
    place.write("worktrees/one/tracked", "changed\n");
    place.write("worktrees/one/new\nfile", "new");
    std::os::unix::fs::symlink("/etc/passwd", worktree.path.join("link")).unwrap();
    let index = std::fs::read(place.path("repo/.git/index")).unwrap();

    let loss = refusal(&worktree).await;
    let changes = &loss.changes;
    assert_eq!((changes.staged, changes.modified, changes.untracked), (1, 1, 2));
    assert_eq!(loss.commits.count, 1);

    let archive = archive_and_restore(&place, &worktree).await;
    assert_eq!(archive.reference, "refs/paseo/archive/paseo-one-1");
    assert_eq!(place.read("worktrees/one/tracked"), "changed\n");
    assert_eq!(place.read("worktrees/one/new\nfile"), "new");
    assert_eq!(std::fs::read_link(worktree.path.join("link")).unwrap().to_str(), Some("/etc/passwd"));
    let log = |format: &str, commit: &str| {
        git_in(&worktree.path, ["log", "-1", &format!("--format={format}"), commit])
    };
    assert_eq!(log("%s", "HEAD~1"), "Work");
    assert_eq!(log("%an <%ae> %cn", "HEAD"), "Paseo <paseo@localhost> Paseo");
    // What was staged and has changed since.
    assert_eq!(git_in(&worktree.path, ["show", "HEAD^2:tracked"]), "staged");
    // The user's own index was not written.
    assert_eq!(std::fs::read(place.path("repo/.git/index")).unwrap(), index);
    // A second archive does not replace the first, which is not another place for new work.
    let again = archived(&place, &worktree).await;
    assert_eq!(again.reference, "refs/paseo/archive/paseo-one-2");
    assert_eq!(place.git(["rev-parse", &archive.reference]), archive.commit);
}

#[tokio::test]
async fn commits_alone_are_archived_as_they_are() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "Work"]);
    let head = git_in(&worktree.path, ["rev-parse", "HEAD"]);
    assert_eq!(archive_and_restore(&place, &worktree).await.commit, head);
}

#[tokio::test]
async fn commits_on_a_detached_head_are_archived_beside_the_branch() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    let git = |arguments: &[&str]| git_in(&worktree.path, arguments);
    git(&["commit", "-q", "--allow-empty", "-m", "On the branch"]);
    git(&["switch", "-q", "--detach", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "Detached"]);
    assert_eq!(refusal(&worktree).await.commits.count, 2);
    let archive = archived(&place, &worktree).await;
    let subjects = place.git(["log", "--format=%s", &archive.reference]);
    assert!(subjects.contains("On the branch") && subjects.contains("Detached"), "{subjects}");
}

#[tokio::test]
async fn a_branch_that_the_agent_made_itself_stays() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["switch", "-q", "-c", "mine"]);
    git_in(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "Work"]);
    let removed = worktree.remove(Force::No).await.unwrap();
    assert_eq!((removed.archive, removed.branch_deleted), (None, true));
    assert_eq!(place.git(["log", "-1", "--format=%s", "mine"]), "Work");
}

#[tokio::test]
async fn an_orphan_branch_without_commits_is_archived_too() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["switch", "-q", "--orphan", "void"]);
    place.write("worktrees/one/new", "new");
    let archive = archived(&place, &worktree).await;
    assert_eq!(place.git(["show", &format!("{}:new", archive.reference)]), "new");
}

#[tokio::test]
async fn a_merge_under_way_is_refused_then_archived_with_both_sides() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    let git = |arguments: &[&str]| git_in(&worktree.path, arguments);
    place.write("worktrees/one/tracked", "ours\n");
    git(&["commit", "-qam", "Ours"]);
    git(&["switch", "-q", "--detach", "main"]);
    place.write("worktrees/one/tracked", "theirs\n");
    git(&["commit", "-qam", "Theirs"]);
    let theirs = git(&["rev-parse", "HEAD"]);
    git(&["switch", "-q", "paseo/one"]);
    assert!(!try_git_in(&worktree.path, ["merge", &theirs]).0);
    let loss = refusal(&worktree).await;
    assert_eq!((loss.operation, loss.changes.conflicted, loss.commits.count), (Some(Operation::Merge), 1, 2));
    let archive = archived(&place, &worktree).await;
    let subjects = place.git(["log", "--format=%s", &archive.reference]);
    assert!(subjects.contains("Ours") && subjects.contains("Theirs"), "{subjects}");
    assert!(place.git(["show", &format!("{}:tracked", archive.reference)]).contains("<<<<<<<"));
}

#[tokio::test]
async fn a_rebase_under_way_is_archived_with_where_it_came_from() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    place.write("worktrees/one/tracked", "ours\n");
    git_in(&worktree.path, ["commit", "-qam", "Ours"]);
    place.write("repo/tracked", "main\n");
    place.git(["commit", "-qam", "Main"]);
    assert!(!try_git_in(&worktree.path, ["rebase", "main"]).0);
    let loss = refusal(&worktree).await;
    assert_eq!((loss.operation, loss.commits.count), (Some(Operation::Rebase), 1));
    let archive = archived(&place, &worktree).await;
    let subjects = place.git(["log", "--format=%s", &archive.reference]);
    assert!(subjects.contains("Ours"), "{subjects}");
}

#[tokio::test]
async fn a_lock_is_a_reason_to_refuse_and_nothing_to_archive() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    place.git(["worktree", "lock", "--reason", "on a stick", worktree.path.to_str().unwrap()]);
    assert_eq!(refusal(&worktree).await.locked.as_deref(), Some("on a stick"));
    assert_eq!(worktree.remove(Force::Yes).await.unwrap().archive, None);
    assert!(!worktree.path.exists());
}

#[tokio::test]
async fn other_repositories_are_never_deleted() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["init", "-q", "deep/nested"]);
    assert_eq!(refusal(&worktree).await.repositories.to_string(), "deep/nested/");
    assert_refused(worktree.remove(Force::Yes).await, "deep/nested");
    assert!(worktree.path.join("deep/nested/.git").exists());
    std::fs::remove_dir_all(worktree.path.join("deep")).unwrap();
    worktree.remove(Force::No).await.unwrap();
}

#[tokio::test]
async fn a_submodule_that_was_filled_is_never_deleted() {
    let place = Place::new();
    place.git(["clone", "-q", ".", "../library"]);
    place.git(["submodule", "--quiet", "add", "../library", "library"]);
    place.git(["commit", "-qm", "Add a submodule"]);
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["submodule", "--quiet", "update", "--init"]);
    assert_refused(worktree.remove(Force::Yes).await, "library");
    // Its history is still there when its folder is not.
    std::fs::remove_dir_all(worktree.path.join("library")).unwrap();
    assert!(matches!(worktree.remove(Force::Yes).await, Err(Error::Repositories(_))));
}

#[tokio::test]
async fn a_directory_that_someone_deleted_is_forgotten() {
    let place = Place::new();
    let (one, two) = (place.create("one").await.worktree, place.create("two").await.worktree);
    std::fs::remove_dir_all(&one.path).unwrap();
    std::fs::remove_dir_all(&two.path).unwrap();
    assert!(!one.status().await.unwrap().present);
    assert!(one.remove(Force::No).await.unwrap().branch_deleted);
    // The other one, perhaps on a disk that is away, is none of our business.
    let left = place.git(["worktree", "list"]);
    assert!(left.contains("paseo/two") && !left.contains("paseo/one"), "{left}");
}

#[tokio::test]
async fn commits_outlive_a_directory_that_someone_deleted() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["switch", "-q", "--detach"]);
    git_in(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "Work"]);
    std::fs::remove_dir_all(&worktree.path).unwrap();
    let Err(Error::Loss(loss)) = worktree.remove(Force::No).await else { panic!() };
    assert_eq!(loss.commits.count, 1);
    let archive = archived(&place, &worktree).await;
    assert_eq!(place.git(["log", "-1", "--format=%s", &archive.reference]), "Work");
    // Pruned by someone else, with only the branch left.
    let worktree = place.create("two").await.worktree;
    git_in(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "More"]);
    place.git(["worktree", "remove", worktree.path.to_str().unwrap()]);
    assert_eq!(worktree.loss().await.unwrap().commits.count, 1);
    archived(&place, &worktree).await;
}

#[tokio::test]
async fn a_branch_that_someone_else_uses_by_now_is_not_deleted() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["switch", "-q", "--detach"]);
    place.git(["switch", "-q", "paseo/one"]);
    assert!(!worktree.remove(Force::No).await.unwrap().branch_deleted);
    assert_eq!(place.git(["branch", "--show-current"]), "paseo/one");
}

#[tokio::test]
async fn what_is_not_the_worktree_any_more_is_not_touched() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    let link = worktree.path.join(".git");
    let original = std::fs::read(&link).unwrap();
    // The agent has made a repository of its own of it.
    std::fs::remove_file(&link).unwrap();
    git_in(&worktree.path, ["init", "-q"]);
    assert_refused(worktree.remove(Force::Yes).await, "not the file git created");
    std::fs::remove_dir_all(&link).unwrap();
    // It points to the user's checkout.
    std::fs::write(&link, format!("gitdir: {}\n", place.path("repo/.git").display())).unwrap();
    assert_refused(worktree.remove(Force::Yes).await, "points elsewhere");
    std::fs::write(&link, &original).unwrap();
    // The directory is a link to something else.
    std::fs::rename(&worktree.path, place.path("moved")).unwrap();
    std::os::unix::fs::symlink(place.root(), &worktree.path).unwrap();
    assert_refused(worktree.remove(Force::Yes).await, "not a directory");
    assert_eq!(place.read("repo/tracked"), "one\n");
    std::fs::remove_file(&worktree.path).unwrap();
    // Git does not know it.
    place.write("worktrees/one/file", "x");
    place.git(["worktree", "prune"]);
    let unknown = Worktree { path: place.path("worktrees"), ..worktree };
    assert_refused(unknown.remove(Force::Yes).await, "not registered");
    assert_eq!(place.read("worktrees/one/file"), "x");
}

#[tokio::test]
async fn a_sparse_checkout_is_archived_whole() {
    let place = Place::new();
    place.write("repo/folder/file", "file");
    place.git(["add", "."]);
    place.git(["commit", "-qm", "Second"]);
    let worktree = place.create("one").await.worktree;
    git_in(&worktree.path, ["sparse-checkout", "set", "--no-cone", "/tracked"]);
    assert!(worktree.loss().await.unwrap().is_empty());
    place.write("worktrees/one/elsewhere/new", "new");
    let archive = archived(&place, &worktree).await.reference;
    assert_eq!(place.git(["show", &format!("{archive}:elsewhere/new")]), "new");
    assert_eq!(place.git(["show", &format!("{archive}:folder/file")]), "file");
}

#[tokio::test]
async fn other_worktrees_and_branches_are_as_they_were() {
    let place = Place::new();
    place.git(["branch", "paseo/one-more"]);
    let other = place.create("other").await.worktree;
    place.write("worktrees/other/new", "new");
    let before = place.everything();
    let worktree = place.create("one").await.worktree;
    let worktree = worktree.rename_branch(branch("mine")).await.unwrap();
    place.write("worktrees/one/new", "new");
    let archive = worktree.remove(Force::Yes).await.unwrap().archive.unwrap();
    place.git(["update-ref", "-d", &archive.reference]);
    assert_eq!(place.everything(), before);
    assert_eq!(other.loss().await.unwrap().changes.untracked, 1);
}

#[tokio::test]
async fn work_that_is_as_long_and_as_old_as_what_was_there_is_kept() {
    let place = Place::new();
    let worktree = place.create("one").await.worktree;
    let file = worktree.path.join("tracked");
    let before = std::fs::metadata(&file).unwrap();
    let committed = std::fs::read_to_string(&file).unwrap();
    let changed = committed.to_uppercase();
    assert_ne!(changed, committed);
    std::fs::write(&file, &changed).unwrap();
    let times = std::fs::FileTimes::new().set_modified(before.modified().unwrap());
    std::fs::File::options().write(true).open(&file).unwrap().set_times(times).unwrap();
    let archive = worktree.remove(Force::Yes).await.unwrap().archive.unwrap();
    assert_eq!(place.git(["show", &format!("{}:tracked", archive.reference)]), changed.trim_end());
}
