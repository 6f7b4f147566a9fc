//! Which files belong to a project, with the real git.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use paseo_runtime::git::{Error, branch_of, files, ignored};

use super::{Place, git_in};

async fn ignored_in(directory: &Path) -> BTreeSet<OsString> {
    let names: Vec<OsString> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let names: Vec<&OsStr> =
        names.iter().map(OsString::as_os_str).filter(|name| *name != OsStr::new(".git")).collect();
    ignored(directory, &names).await.unwrap().into_iter().collect()
}

async fn files_in(directory: &Path) -> Option<BTreeSet<OsString>> {
    let mut found = BTreeSet::new();
    let listed = files(directory, |path| {
        found.insert(path.to_owned());
    });
    listed.await.unwrap().then_some(found)
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<OsString> {
    names.into_iter().map(OsString::from).collect()
}

#[tokio::test]
async fn git_says_what_it_ignores() {
    let place = Place::new();
    place.write("repo/.gitignore", "*.log\n/build/\nforced/\n!kept.log\n");
    place.write("repo/.git/info/exclude", "private\n");
    place.write("repo/src/.gitignore", "own\n");
    for file in
        ["a.log", "kept.log", "build/x", "private", "src/own", "src/build/y", "new", "forced/z", "-x", ":y"]
    {
        place.write(&format!("repo/{file}"), "");
    }
    place.git(["add", "-f", "forced/z"]);
    let root = place.root();
    // A folder with a file that git knows is shown, and one of patterns alone is not.
    assert_eq!(ignored_in(&root).await, set(["a.log", "build", "private"]));
    assert_eq!(ignored_in(&root.join("src")).await, set(["own"]));
    assert_eq!(ignored_in(&root.join("build")).await, set(["x"]));
    assert_eq!(
        files_in(&root).await,
        Some(set([
            ".gitignore",
            "tracked",
            "kept.log",
            "src/.gitignore",
            "src/build/y",
            "new",
            "forced/z",
            "-x",
            ":y"
        ]))
    );
    assert_eq!(files_in(&root.join("src")).await, Some(set([".gitignore", "build/y"])));
    assert_eq!(branch_of(&root.join("src")).await.unwrap(), Some("main".to_owned()));
}

#[tokio::test]
async fn names_of_any_bytes_are_asked_about() {
    let place = Place::new();
    place.write("repo/.gitignore", "*.o\n");
    let odd = OsStr::from_bytes(b"odd\xff\n.o");
    std::fs::write(place.root().join(odd), "").unwrap();
    let other = OsStr::from_bytes(b"odd\xff\n.c");
    std::fs::write(place.root().join(other), "").unwrap();
    assert_eq!(ignored_in(&place.root()).await, BTreeSet::from([odd.to_owned()]));
    assert!(files_in(&place.root()).await.unwrap().contains(other));
}

#[tokio::test]
async fn a_repository_within_another_speaks_for_itself() {
    let place = Place::new();
    place.write("repo/.gitignore", "*.log\n");
    place.write("repo/inner/a.log", "");
    place.write("repo/inner/b", "");
    git_in(&place.path("repo/inner"), ["init", "-q", "-b", "other"]);
    assert_eq!(ignored_in(&place.path("repo/inner")).await, set([]));
    assert_eq!(branch_of(&place.path("repo/inner")).await.unwrap(), Some("other".to_owned()));
}

#[tokio::test]
async fn without_a_repository_nothing_is_ignored() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join(".gitignore"), "*\n").unwrap();
    std::fs::write(outside.path().join("a"), "").unwrap();
    assert_eq!(ignored_in(outside.path()).await, set([]));
    assert_eq!(files_in(outside.path()).await, None);
    assert_eq!(branch_of(outside.path()).await.unwrap(), None);
    // What only looks like one is none.
    std::fs::create_dir(outside.path().join(".git")).unwrap();
    assert_eq!(ignored_in(outside.path()).await, set([]));
    assert_eq!(files_in(outside.path()).await, None);
}

#[tokio::test]
async fn a_damaged_repository_is_an_error_and_not_a_list_of_everything() {
    let place = Place::new();
    place.write("repo/.gitignore", "secret\n");
    place.write("repo/secret", "");
    place.write("repo/.git/index", "garbage");
    let told = ignored(&place.root(), &[OsStr::new("secret")]).await;
    assert!(matches!(told, Err(Error::Failed { .. })), "{told:?}");
    assert!(files(&place.root(), |_| ()).await.is_err());
}

#[tokio::test]
async fn git_that_waits_for_a_pipe_ends_with_whoever_asked() {
    use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};
    let place = Place::new();
    let pipe = place.root().join(".gitignore");
    mkfifoat(CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
    let has_reader = || open(&pipe, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).is_ok();
    let (directory, names) = (place.root(), [OsStr::new("x")]);
    let mut asking = Box::pin(ignored(&directory, &names));
    // Whoever opens it for writing wakes git up: so it is looked for without.
    let patience = std::time::Duration::from_secs(1);
    let waits = tokio::time::timeout(patience, asking.as_mut()).await.is_err();
    drop(asking);
    assert!(waits, "git does not care for such a file any more: this test is not needed");
    while has_reader() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_hundred_thousand_files_are_no_trouble() {
    let place = Place::new();
    place.write("repo/.gitignore", "*7\n");
    let many = place.root().join("many");
    std::fs::create_dir(&many).unwrap();
    for number in 0..100_000 {
        std::fs::File::create(many.join(number.to_string())).unwrap();
    }
    assert_eq!(ignored_in(&many).await.len(), 10_000);
    assert_eq!(files_in(&place.root()).await.unwrap().len(), 90_002);
}
