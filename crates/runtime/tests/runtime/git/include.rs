//! `.worktreeinclude`.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use paseo_runtime::git::{Error, Force, Included, Why, Worktree};

use super::{Place, assert_refused};

#[tokio::test]
async fn listed_files_that_are_in_no_commit_are_copied_with_their_modes() {
    let place = Place::new();
    place.write("repo/.gitignore", ".env*\nsecrets/\nnode_modules/\n");
    place
        .write("repo/.worktreeinclude", "# what agents need\n.env*\n!.env.production\nsecrets/**\ntracked\n");
    place.write("repo/.env", "A=1");
    place.write("repo/.env.production", "A=2");
    place.write("repo/app/.env", "A=3");
    place.write("repo/secrets/deep/key", "k");
    place.write("repo/secrets/with\nnewline", "n");
    place.write("repo/node_modules/x", "x");
    place.write("repo/untracked", "u");
    std::fs::set_permissions(place.path("repo/secrets/deep/key"), PermissionsExt::from_mode(0o4750)).unwrap();
    let mut included = place.create("one").await.included;
    included.copied.sort();
    let expected = [".env", "app/.env", "secrets/deep/key", "secrets/with\nnewline"].map(PathBuf::from);
    assert_eq!(included, Included { copied: expected.to_vec(), skipped: Vec::new() });
    assert_eq!(place.read("worktrees/one/app/.env"), "A=3");
    assert_eq!(place.read("worktrees/one/secrets/with\nnewline"), "n");
    let mode = std::fs::metadata(place.path("worktrees/one/secrets/deep/key")).unwrap().permissions().mode();
    // As it was, but for the bit that makes it run as someone else.
    assert_eq!(mode & 0o7777, 0o750);
    assert!(!place.path("worktrees/one/.env.production").exists());
}

#[tokio::test]
async fn what_is_listed_is_precious_and_what_a_build_leaves_is_not() {
    let place = Place::new();
    place.write("repo/.gitignore", ".env*\ntarget/\n");
    place.write("repo/.worktreeinclude", ".env*\n");
    place.git(["add", "-A"]);
    place.git(["commit", "-qm", "Include"]);
    place.write("repo/.env", "A=1");
    let worktree = place.create("one").await.worktree;
    place.write("worktrees/one/target/debug", "x");
    assert!(worktree.loss().await.unwrap().is_empty(), "a copy is no loss");
    place.write("worktrees/one/.env", "A=2");
    place.write("worktrees/one/.env.local", "B=1");
    let Err(Error::Loss(loss)) = worktree.remove(Force::No).await else { panic!() };
    assert_eq!(loss.to_string(), "2 ignored files listed in .worktreeinclude (.env, .env.local)");
    assert!(worktree.status().await.unwrap().dirty);

    let removed = worktree.remove(Force::Yes).await.unwrap();
    let archive = removed.archive.unwrap().reference;
    assert_eq!(removed.kept.as_deref(), Some(archive.as_str()));
    let kept = place.git(["ls-tree", "-r", "--name-only", &archive]);
    assert_eq!(kept, ".env\n.env.local\n.gitignore\n.worktreeinclude\ntracked");
    assert_eq!(place.git(["show", &format!("{archive}:.env")]), "A=2");
}

#[tokio::test]
async fn what_is_too_heavy_for_an_archive_is_not_deleted() {
    let place = Place::new();
    place.write("repo/.gitignore", "*.bin\n");
    place.write("repo/.worktreeinclude", "*.bin\n");
    let worktree = place.create("one").await.worktree;
    let heavy = std::fs::File::create(place.path("worktrees/one/model.bin")).unwrap();
    std::fs::write(place.path("worktrees/one/.gitignore"), "*.bin\n").unwrap();
    heavy.set_len(33 << 20).unwrap();
    let error = worktree.remove(Force::Yes).await.unwrap_err();
    assert!(error.to_string().contains("(model.bin) total 33 MiB"), "{error}");
    assert!(worktree.path.exists());
}

#[tokio::test]
async fn a_worktree_that_is_taken_back_takes_its_copies_along() {
    let place = Place::new();
    // Not ignored: it counts as uncommitted work.
    place.write("repo/.worktreeinclude", "local.toml\n");
    place.write("repo/local.toml", "a");
    let before = place.everything();
    let created = place.create("one").await;
    assert!(!created.worktree.loss().await.unwrap().is_empty());
    created.worktree.take_back(&created.base_commit).await.unwrap();
    assert!(!created.worktree.path.exists());
    assert_eq!(place.everything(), before);
}

#[tokio::test]
async fn nothing_is_copied_when_it_is_not_wanted() {
    let place = Place::new();
    place.write("repo/.worktreeinclude", ".env\n");
    place.write("repo/.env", "A=1");
    let mut new = place.new_worktree("one").await;
    new.include = false;
    assert_eq!(Worktree::create(new).await.unwrap().included, Included::default());
    assert!(!place.path("worktrees/one/.env").exists());
}

#[tokio::test]
async fn symbolic_links_are_never_followed_out() {
    let place = Place::new();
    place.write("outside/secret", "secret");
    place.write("repo/.worktreeinclude", "*link*\nfolder\ninside\n");
    place.write("repo/inside", "i");
    symlink(place.path("outside/secret"), place.path("repo/absolute-link")).unwrap();
    symlink("../outside/secret", place.path("repo/climbing-link")).unwrap();
    symlink("inside", place.path("repo/good-link")).unwrap();
    symlink(place.path("outside"), place.path("repo/folder")).unwrap();
    let mut included = place.create("one").await.included;
    included.copied.sort();
    assert_eq!(included.copied, ["good-link", "inside"].map(PathBuf::from));
    assert_eq!(included.skipped.len(), 3);
    assert!(included.skipped.iter().all(|skipped| skipped.why == Why::LeadsOut));
    assert_eq!(std::fs::read_link(place.path("worktrees/one/good-link")).unwrap(), PathBuf::from("inside"));
    assert!(!place.path("worktrees/one/folder").exists());
}

#[tokio::test]
async fn the_list_itself_may_not_be_a_link() {
    let place = Place::new();
    place.write("outside/list", "*\n");
    symlink(place.path("outside/list"), place.path("repo/.worktreeinclude")).unwrap();
    assert_refused(Worktree::create(place.new_worktree("one").await).await, "is not a file");
}

#[tokio::test]
async fn what_the_base_has_is_not_written_over_nor_through() {
    let place = Place::new();
    place.write("outside/keep", "");
    // The base has a file `.env`, and a link `config` that leads out.
    place.write("repo/.env", "from the base");
    symlink(place.path("outside"), place.path("repo/config")).unwrap();
    place.git(["add", "."]);
    place.git(["commit", "-qm", "Base"]);
    place.git(["branch", "base"]);
    place.git(["rm", "-q", ".env", "config"]);
    place.git(["commit", "-qm", "Main"]);
    place.write("repo/.env", "from the user");
    place.write("repo/config/key", "k");
    place.write("repo/.worktreeinclude", ".env\nconfig/\n");
    let mut new = place.new_worktree("one").await;
    new.base = Some("base".to_owned());
    let included = Worktree::create(new).await.unwrap().included;
    assert!(included.copied.is_empty());
    assert!(included.skipped.iter().all(|skipped| skipped.why == Why::InTheWay), "{included:?}");
    assert_eq!(place.read("worktrees/one/.env"), "from the base");
    assert!(!place.path("outside/key").exists());
}

#[tokio::test]
async fn repositories_and_pipes_are_not_files() {
    let place = Place::new();
    place.write("repo/.worktreeinclude", "nested\npipe\n");
    place.git(["init", "-q", "nested"]);
    place.write("repo/nested/file", "");
    super::shell(&format!("mkfifo '{}'", place.path("repo/pipe").display()));
    let included = place.create("one").await.included;
    assert!(included.copied.is_empty(), "{included:?}");
    assert!(!place.path("worktrees/one/nested").exists());
}

#[tokio::test]
async fn too_many_files_are_refused_and_nothing_is_left() {
    let place = Place::new();
    place.write("repo/.worktreeinclude", "many/\n");
    std::fs::create_dir(place.path("repo/many")).unwrap();
    for n in 0..10_001 {
        std::fs::File::create(place.path("repo/many").join(n.to_string())).unwrap();
    }
    assert_refused(Worktree::create(place.new_worktree("one").await).await, "lists 10001 files");
    assert!(!place.path("worktrees/one").exists());
    assert_eq!(place.git(["branch", "--list", "paseo/*"]), "");
}
