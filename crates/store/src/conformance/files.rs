//! Files: stored in pieces, claimed once, erased with their stream, forgotten without one.

use uuid::Uuid;

use super::Engine;
use super::subject::{START, Subject, batch, control, fresh_id};
use crate::{Batch, Claim, Erasure, Error, Expect, FileRow, NewFile};

const PIECE: usize = 100_000;

/// A file comes back as it was written, also after a restart, and says whose it is.
pub async fn a_file_comes_back_in_pieces(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let bytes = noise("whole-needle", PIECE * 3 + 17);
    let id = fresh_id();
    assert_eq!(subject.log.file(id).await.unwrap(), None);
    for piece in bytes.chunks(PIECE) {
        subject.log.add_piece(id, piece.to_vec()).await.unwrap();
    }
    assert_eq!(subject.log.file(id).await.unwrap(), None, "it is not complete");
    subject.log.add_file(new(id, &bytes)).await.unwrap();
    for owner in [None, Some("a".to_owned())] {
        let expected = FileRow {
            id,
            owner: owner.clone(),
            actor: "tester".into(),
            created: START,
            len: bytes.len() as u64,
            sha256: hash(&bytes),
            meta: "{\"name\":\"meta-needle\"}".into(),
        };
        assert_eq!(subject.log.file(id).await.unwrap(), Some(expected));
        assert!(read(&subject, id).await == bytes);
        if owner.is_none() {
            subject.append(claiming("a", &[id])).await;
        }
        subject.reopen().await;
    }
}

/// A file has one owner; a batch that claims it again, or one that is not there, is refused as a whole.
pub async fn a_file_is_claimed_once(engine: &impl Engine) {
    let subject = Subject::new(engine);
    let (one, other) = (upload(&subject, "one").await, upload(&subject, "other").await);
    assert_eq!(subject.log.unclaimed_files("").await.unwrap().files, 2);
    subject.append(claiming("a", &[one])).await;
    for claims in [[one, other], [other, fresh_id()]] {
        let told = subject.refusal(claiming("b", &claims)).await;
        assert!(matches!(told, Error::Unclaimable { .. }), "{told:?}");
    }
    assert!(matches!(subject.refusal(claiming("b", &[other, other])).await, Error::Invalid(_)));
    let row = subject.log.file(other).await.unwrap().unwrap();
    assert_eq!((row.owner, subject.everything().await.len()), (None, 1));
    assert_eq!(subject.log.unclaimed_files("").await.unwrap().bytes, row.len);
    subject.append(claiming("b", &[other])).await;
    assert_eq!(subject.log.unclaimed_files("").await.unwrap().files, 0);
}

/// Clearing and deleting take the bytes from every file of the log, unless another stream has the same.
pub async fn erased_files_are_gone(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let (gone, kept) = (upload(&subject, "gone-needle").await, upload(&subject, "kept-needle").await);
    let (mine, yours) = (upload(&subject, "shared-needle").await, upload(&subject, "shared-needle").await);
    subject.append(claiming("a", &[gone, kept, mine])).await;
    subject.append(claiming("b", &[yours])).await;
    for needle in ["gone-needle", "meta-needle"] {
        assert_ne!(subject.holds(needle), Some(false), "{needle} can be searched for");
    }
    subject.append(erase(Erasure::Contents { stream: "a".into(), keep: vec![kept] })).await;
    for _ in 0..2 {
        assert_ne!(subject.holds("gone-needle"), Some(true), "its bytes are still there");
        for id in [gone, mine] {
            assert_eq!(subject.log.file(id).await.unwrap(), None);
            assert_eq!(subject.log.file_piece(id, 0).await.unwrap(), None);
        }
        for (id, needle) in [(kept, "kept-needle"), (yours, "shared-needle")] {
            assert!(read(&subject, id).await == noise(needle, PIECE * 2), "{needle}");
        }
        subject.reopen().await;
    }
    for stream in ["a", "b"] {
        subject.append(erase(Erasure::Stream { stream: stream.into() })).await;
    }
    for needle in ["kept-needle", "shared-needle", "meta-needle"] {
        assert_ne!(subject.holds(needle), Some(true), "{needle} is still there");
    }
    // They can be stored again.
    let again = upload(&subject, "shared-needle").await;
    assert!(read(&subject, again).await == noise("shared-needle", PIECE * 2));
}

/// What no batch claimed is forgotten after its time, as is what was never completed; what was claimed is not.
pub async fn files_without_an_owner_are_forgotten(engine: &impl Engine) {
    let mut subject = Subject::new(engine);
    let (old, claimed) = (upload(&subject, "old-needle").await, upload(&subject, "claimed-needle").await);
    let begun = fresh_id();
    subject.log.add_piece(begun, noise("begun-needle", PIECE)).await.unwrap();
    let given_up = fresh_id();
    subject.log.add_piece(given_up, noise("given-up-needle", PIECE)).await.unwrap();
    subject.log.drop_pieces(given_up).await.unwrap();
    assert_ne!(subject.holds("given-up-needle"), Some(true));
    subject.append(claiming("a", &[claimed])).await;
    subject.set_clock(START + 1_000);
    let young = upload(&subject, "young-needle").await;
    subject.reopen().await;

    assert_eq!(subject.log.forget_files(START - 1, START - 1).await.unwrap(), 0);
    assert_eq!(subject.log.forget_files(START, START).await.unwrap(), 2);
    for needle in ["old-needle", "begun-needle"] {
        assert_ne!(subject.holds(needle), Some(true), "{needle} is still there");
    }
    assert_eq!(subject.log.file(old).await.unwrap(), None);
    assert!(matches!(subject.refusal(claiming("a", &[old])).await, Error::Unclaimable { .. }));
    for (id, needle) in [(claimed, "claimed-needle"), (young, "young-needle")] {
        assert!(read(&subject, id).await == noise(needle, PIECE * 2), "{needle}");
    }
    assert_eq!(subject.log.forget_files(START, START).await.unwrap(), 0);
}

async fn upload<E: Engine>(subject: &Subject<'_, E>, needle: &str) -> Uuid {
    let (id, bytes) = (fresh_id(), noise(needle, PIECE * 2));
    for piece in bytes.chunks(PIECE) {
        subject.log.add_piece(id, piece.to_vec()).await.unwrap();
    }
    subject.log.add_file(new(id, &bytes)).await.unwrap();
    id
}

async fn read<E: Engine>(subject: &Subject<'_, E>, id: Uuid) -> Vec<u8> {
    let (mut bytes, mut cursor) = (Vec::new(), 0);
    while let Some(piece) = subject.log.file_piece(id, cursor).await.unwrap() {
        bytes.extend(piece.bytes);
        cursor = piece.cursor;
    }
    bytes
}

fn new(id: Uuid, bytes: &[u8]) -> NewFile {
    let (actor, meta) = ("tester".into(), "{\"name\":\"meta-needle\"}".into());
    NewFile { id, actor, len: bytes.len() as u64, sha256: hash(bytes), meta }
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).into()
}

/// Returns bytes with a needle every few hundred, so that it is in every page.
fn noise(needle: &str, len: usize) -> Vec<u8> {
    needle.bytes().chain(std::iter::repeat_n(0xff, 300)).cycle().take(len).collect()
}

fn claiming(stream: &str, files: &[Uuid]) -> Batch {
    let claims = files.iter().map(|file| Claim { file: *file, stream: stream.into() }).collect();
    Batch { claims, ..control(stream, Expect::Any, &["said"]) }
}

fn erase(erasure: Erasure) -> Batch {
    Batch { erase: Some(erasure), ..batch() }
}
