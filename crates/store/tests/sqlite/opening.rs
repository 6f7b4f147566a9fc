//! What is opened, and what is refused with words.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use paseo_store::{Error, Expect, Log};

use super::setup::{behind, content, event, noise, open, place, refusal};

#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    let (directory, path) = place();
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let log = open(&path);
    log.append(event("a", Expect::Any)).await.unwrap();
    let mut files = 0;
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.path());
        files += 1;
    }
    assert_eq!(files, 3, "the database, its write-ahead log and that one's index");
}

#[tokio::test]
async fn closing_leaves_one_file() {
    let (directory, path) = place();
    let log = open(&path);
    log.append(event("a", Expect::Any)).await.unwrap();
    log.read(0, 1).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_newer_database_is_refused() {
    let (_directory, path) = used().await;
    behind(&path).pragma_update(None, "user_version", 99).unwrap();
    unusable(&path, &["format 99", "supports up to 4", "upgrade paseo", "another home"]);
}

#[tokio::test]
async fn a_database_of_an_unknown_build_is_refused() {
    let (_directory, path) = used().await;
    behind(&path).execute("UPDATE migration SET sha256 = zeroblob(32)", []).unwrap();
    unusable(&path, &["another build"]);
}

#[test]
fn a_database_of_another_program_is_refused() {
    let (_directory, path) = place();
    behind(&path).execute("CREATE TABLE theirs (x)", []).unwrap();
    unusable(&path, &["another program", "move it away"]);
    let tables: i64 =
        behind(&path).query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1, "it was left alone");
}

#[test]
fn a_garbage_file_is_refused() {
    let (_directory, path) = place();
    std::fs::write(&path, noise(1, 100_000)).unwrap();
    unusable(&path, &["not a Paseo database", "move it away"]);
}

#[tokio::test]
async fn a_damaged_database_is_refused() {
    let damages: [fn(&mut Vec<u8>); 3] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes[100..4096].fill(0xff),
        |bytes| bytes[..4096].fill(0),
    ];
    for damage in damages {
        let (_directory, path) = used().await;
        let mut bytes = std::fs::read(&path).unwrap();
        damage(&mut bytes);
        std::fs::write(&path, bytes).unwrap();
        unusable(&path, &[]);
    }
}

#[tokio::test]
async fn damage_that_is_met_later_is_told_too() {
    let (_directory, path) = used().await;
    let root: i64 = behind(&path)
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'event'", [], |row| row.get(0))
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let start = (root as usize - 1) * 4096;
    bytes[start + 8..start + 4096].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let log = open(&path);
    let told = log.read(0, 10).await.unwrap_err();
    assert!(matches!(&told, Error::Unusable(text) if text.contains("damaged")), "{told:?}");
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    let (directory, path) = place();
    std::fs::write(&path, "").unwrap();
    for path in [path.join("log.db"), directory.path().join("missing/log.db"), directory.path().to_owned()] {
        let told = refusal(&path);
        let Error::Unavailable(text) = &told else { panic!("{told:?}") };
        assert!(text.contains(path.to_str().unwrap()) && text.contains("directory"), "{text}");
    }
}

/// Makes a database with something in it.
async fn used() -> (tempfile::TempDir, std::path::PathBuf) {
    let (directory, path) = place();
    let log = open(&path);
    for n in 0..20 {
        log.append(event("a", Expect::Any)).await.unwrap();
        log.append(content(n, "a", noise(1, 3000))).await.unwrap();
    }
    log.close().await.unwrap();
    (directory, path)
}

fn unusable(path: &Path, words: &[&str]) {
    let told = refusal(path);
    let Error::Unusable(text) = &told else { panic!("{told:?}") };
    assert!(text.contains(path.to_str().unwrap()), "{text}");
    for word in words {
        assert!(text.contains(word), "{text}");
    }
}
