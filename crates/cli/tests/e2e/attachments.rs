//! Files that messages have: uploaded, delivered, read back, removed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use paseo_client::{Client, Error};
use paseo_testkit::home::TestHome;
use paseo_wire::attachment::UploadedAttachment;
use paseo_wire::error::Code;
use paseo_wire::item::{ItemBody, ItemView};
use paseo_wire::message::{Receipt, SendMessage};
use paseo_wire::session::CreateSession;
use paseo_wire::words::ItemKind;
use sha2::{Digest, Sha256};

use crate::screens::{assert_said, assert_told};
use crate::watch::{PATIENCE, Watched};
use crate::workers::until_seen;
use crate::{inspect, json};

const LIMIT: usize = 32 * 1024 * 1024;

/// Returns a picture, as far as its beginning tells, with a needle in every page of it.
pub(crate) fn png(needle: &str, len: usize) -> Vec<u8> {
    let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x40\0\0\0\x30\x08\x06\0\0\0".as_slice();
    let filler = needle.bytes().chain(std::iter::repeat_n(0xff, 500)).cycle();
    head.iter().copied().chain(filler).take(len.max(head.len())).collect()
}

/// Says whether a file of the database has these bytes.
fn holds(home: &TestHome, needle: &str) -> bool {
    let files = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.to_string_lossy().contains("paseo.sqlite3")).any(|path| {
        std::fs::read(path).unwrap().windows(needle.len()).any(|bytes| bytes == needle.as_bytes())
    })
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Watched {
    async fn upload(&self, name: &str, bytes: &[u8]) -> Result<UploadedAttachment, Error> {
        self.client.upload(name, bytes.to_vec()).await
    }

    async fn send_with(&self, session: &str, text: &str, files: &[&str]) -> Result<Receipt, Error> {
        let attachments = files.iter().map(|id| (*id).into()).collect();
        let message = SendMessage { text: text.to_owned(), attachments, ..SendMessage::default() };
        self.client.send(session, &message, None).await
    }

    /// Waits until the agent has said something, and returns the transcript.
    async fn said(&self, session: &str, words: &str) -> Vec<ItemView> {
        let asked = async {
            loop {
                let items = self.items(session).await;
                let is_it = |item: &&ItemView| item.kind() == ItemKind::AssistantText;
                let mut said = items.iter().filter(is_it).filter_map(|item| item.text.as_deref());
                if said.any(|text| text.contains(words)) {
                    return items;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asked).await.expect("it is said")
    }
}

#[tokio::test]
async fn an_attached_file_reaches_the_agent_and_the_transcript() {
    let watched = Watched::new();
    let bytes = png("whole", 700_000);
    let uploaded = watched.upload("/some/where/shot.png", &bytes).await.unwrap();
    let view = &uploaded.attachment;
    assert_eq!((view.name.as_str(), view.media_type.as_str()), ("shot.png", "image/png"));
    assert_eq!((view.size, view.width, view.height), (700_000, Some(64), Some(48)));

    let directory = watched.home.work().display().to_string();
    let wanted = CreateSession {
        directory,
        prompt: Some("look at this".to_owned()),
        attachments: vec![view.id.clone()],
        ..CreateSession::default()
    };
    let created = watched.client.create_session(&wanted, Some("once")).await.unwrap();
    let session = created.session.id.as_str();
    let proof = format!("Attached: shot.png (image/png, 700000 bytes, sha256 {})", hash(&bytes));
    let items = watched.said(session, &proof).await;
    let said = items.iter().find(|item| item.kind() == ItemKind::UserText).unwrap();
    assert_eq!(said.text.as_deref(), Some("look at this"));
    let ItemBody::UserText(message) = &said.body else { panic!("{said:?}") };
    assert_eq!(message.attachments[0], *view);
    assert!(watched.client.attachment(session, &view.id).await.unwrap() == bytes);

    // The same request again is the same session, also when the file is uploaded again.
    let again = watched.upload("shot.png", &bytes).await.unwrap();
    let wanted = CreateSession { attachments: vec![again.attachment.id], ..wanted };
    let repeated = watched.client.create_session(&wanted, Some("once")).await.unwrap();
    assert_eq!(repeated.session.id, created.session.id);
    let other = watched.upload("shot.png", &png("other", 100)).await.unwrap();
    let wanted = CreateSession { attachments: vec![other.attachment.id], ..wanted };
    let refused = watched.client.create_session(&wanted, Some("once")).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::KeyReused));

    // A file has one message.
    let twice = watched.send_with(session, "again", &[&view.id]).await.unwrap_err();
    assert_eq!(twice.code(), Some(Code::NotFound));
}

#[tokio::test]
async fn a_file_is_served_so_that_a_browser_runs_nothing() {
    let watched = Watched::new();
    let session = watched.create("hello").await.session.id;
    let picture = watched.upload("a.png", &png("x", 100)).await.unwrap().attachment.id;
    let drawing = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    let drawing = watched.upload("a.svg", drawing).await.unwrap().attachment;
    assert_eq!(drawing.media_type.as_str(), "text/plain");
    watched.send_with(&session, "look", &[&picture, &drawing.id]).await.unwrap();
    let head = |file: &str| {
        let mut stream = UnixStream::connect(watched.home.path().join("daemon.sock")).unwrap();
        let path = format!("/api/sessions/{session}/attachments/{file}");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).split("\r\n\r\n").next().unwrap().to_lowercase()
    };
    let (shown, saved) = (head(&picture), head(&drawing.id));
    for head in [&shown, &saved] {
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
        assert!(head.contains("content-security-policy: default-src 'none'; sandbox"), "{head}");
        assert!(head.contains("cache-control: no-store"), "{head}");
    }
    assert!(
        shown.contains("content-type: image/png\r\n") && shown.contains("disposition: inline"),
        "{shown}"
    );
    assert!(saved.contains("content-type: text/plain; charset=utf-8\r\n"), "{saved}");
    assert!(saved.contains("content-disposition: attachment; filename*=utf-8''a.svg"), "{saved}");
    // Files of another session are not there.
    let other = watched.create("hello").await.session.id;
    let missing = watched.client.attachment(&other, &picture).await.unwrap_err();
    assert_eq!(missing.code(), Some(Code::NotFound));
}

#[tokio::test]
async fn what_no_agent_could_read_is_refused_before_any_turn() {
    let watched = Watched::new();
    for (name, bytes, code, words) in [
        ("a.png", b"not a picture at all \xff\xfe".as_slice(), Code::AttachmentRefused, "not an image"),
        ("a.png", b"\x89PNG\r\n\x1a\n but no header in it", Code::AttachmentRefused, "is damaged"),
        ("a.zip", b"PK\x03\x04 and more of it", Code::AttachmentRefused, "a ZIP archive"),
        ("a.png", b"", Code::AttachmentRefused, "is empty"),
        ("a.log", &[b'a'; 256 * 1024 + 1], Code::TooLarge, "larger than 256 KB"),
    ] {
        let told = watched.upload(name, bytes).await.unwrap_err();
        assert_eq!(told.code(), Some(code), "{told}");
        assert!(told.to_string().contains(words), "{told}");
    }
    let nothing = json(&watched.home.paseo(&["ls", "--json"]));
    assert_eq!(nothing["sessions"].as_array().map(Vec::len), Some(0), "{nothing}");
}

#[tokio::test]
async fn a_message_has_few_files_of_a_bounded_size() {
    let watched = Watched::new();
    let session = watched.create("hello").await.session.id;
    let mut files = Vec::new();
    for number in 0..11 {
        files.push(watched.upload("a.txt", format!("{number}").as_bytes()).await.unwrap().attachment.id);
    }
    let ids: Vec<&str> = files.iter().map(AsRef::as_ref).collect();
    let many = watched.send_with(&session, "look", &ids).await.unwrap_err();
    assert_eq!(many.code(), Some(Code::AttachmentRefused), "{many}");
    let unknown = watched.send_with(&session, "look", &["no-such-file"]).await.unwrap_err();
    assert_eq!(unknown.code(), Some(Code::NotFound), "{unknown}");
    // What was refused can still be sent.
    watched.send_with(&session, "look", &ids[..10]).await.unwrap();
    let large = [png("one", LIMIT / 2 + 1), png("two", LIMIT / 2)];
    let (one, two) = (
        watched.upload("1.png", &large[0]).await.unwrap(),
        watched.upload("2.png", &large[1]).await.unwrap(),
    );
    let (one, two) = (one.attachment.id, two.attachment.id);
    let heavy = watched.send_with(&session, "look", &[&one, &two]).await.unwrap_err();
    assert_eq!(heavy.code(), Some(Code::TooLarge), "{heavy}");
    watched.settled(&session).await;
    assert_eq!(
        watched.items(&session).await.iter().filter(|item| item.kind() == ItemKind::UserText).count(),
        2
    );
}

/// Begins an upload over a connection of its own, and returns that with what was sent.
fn begin(watched: &Watched, head: &str, bytes: &[u8]) -> UnixStream {
    let mut stream = UnixStream::connect(watched.home.path().join("daemon.sock")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "POST /api/attachments?name=a.png HTTP/1.1\r\nhost: localhost\r\n{head}\r\n\r\n").unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

fn answer(mut stream: UnixStream) -> String {
    let mut answer = Vec::new();
    // A daemon that refuses may close the connection before it has read all.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn an_upload_that_is_too_large_leaves_nothing() {
    let watched = Watched::new();
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", watched.home.daemon_pid().unwrap()));
        let status = status.unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().to_owned();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
    };
    // The largest that is allowed, exactly.
    watched.upload("a.png", &png("allowed", LIMIT)).await.unwrap();
    let told = begin(&watched, &format!("content-length: {}", LIMIT + 1), b"");
    assert!(answer(told).starts_with("HTTP/1.1 413"));

    // In pieces that do not say how many follow, one byte too many, at the very end.
    let bytes = png("too-large-needle", LIMIT + 1);
    let mut stream = begin(&watched, "transfer-encoding: chunked", b"");
    let mut reader = stream.try_clone().unwrap();
    let writing = tokio::task::spawn_blocking(move || {
        for piece in bytes.chunks(1024 * 1024) {
            // The daemon stops reading when it has seen enough.
            let written = write!(stream, "{:x}\r\n", piece.len())
                .and_then(|()| stream.write_all(piece))
                .and_then(|()| stream.write_all(b"\r\n"));
            if written.is_err() {
                return;
            }
        }
        let _ = stream.write_all(b"0\r\n\r\n");
    });
    let mut told = [0; 12];
    reader.read_exact(&mut told).unwrap();
    assert_eq!(String::from_utf8_lossy(&told), "HTTP/1.1 413");
    writing.await.unwrap();
    eventually(|| !holds(&watched.home, "too-large-needle")).await;
    assert!(resident() < 200, "an upload is never whole in memory: {} MB", resident());
}

#[tokio::test]
async fn an_upload_that_breaks_off_leaves_nothing() {
    let watched = Watched::new();
    let half = png("half-needle", 3 * 1024 * 1024);
    let stream = begin(&watched, "content-length: 6291456", &half);
    eventually(|| holds(&watched.home, "half-needle")).await;
    drop(stream);
    eventually(|| !holds(&watched.home, "half-needle")).await;

    // The same when the daemon dies.
    let _stream = begin(&watched, "content-length: 6291456", &half);
    eventually(|| holds(&watched.home, "half-needle")).await;
    watched.crash();
    eventually(|| !holds(&watched.home, "half-needle")).await;
}

async fn eventually(holds: impl Fn() -> bool) {
    until_seen("the change", async || holds(), |seen| *seen).await;
}

#[tokio::test]
async fn a_queued_message_has_its_file_after_a_crash() {
    let watched = Watched::new();
    let session = watched.create("<<say started>><<hang>>").await.session.id;
    watched.said(&session, "started").await;
    let bytes = png("queued", 300_000);
    let file = watched.upload("shot.png", &bytes).await.unwrap().attachment;
    let receipt = watched.send_with(&session, "look", &[&file.id]).await.unwrap();
    assert_eq!(receipt.placement.as_str(), "queued");
    let queue = watched.client.queue(&session).await.unwrap();
    assert_eq!(queue.messages[0].attachments, [file]);
    // One that was uploaded and never sent survives, too, until its time is over.
    let unsent = watched.upload("unsent.png", &png("unsent", 1000)).await.unwrap().attachment.id;

    watched.crash();
    let proof = format!("Attached: shot.png (image/png, 300000 bytes, sha256 {})", hash(&bytes));
    watched.said(&session, &proof).await;
    watched.send_with(&session, "and this", &[&unsent]).await.unwrap();
    watched.said(&session, "Attached: unsent.png").await;
}

#[tokio::test]
async fn erasing_a_conversation_removes_its_files_from_the_disk() {
    let watched = Watched::new();
    let session = watched.create("hello").await.session.id;
    watched.settled(&session).await;
    let told = watched.upload("secret-name.png", &png("told-needle", 400_000)).await.unwrap().attachment.id;
    watched.send_with(&session, "look", &[&told]).await.unwrap();
    watched.settled(&session).await;
    assert!(holds(&watched.home, "told-needle") && holds(&watched.home, "secret-name"));
    watched.home.paseo(&["clear", &session]).ok();
    for needle in ["told-needle", "secret-name"] {
        assert!(!holds(&watched.home, needle), "{needle}");
    }
    let gone = watched.client.attachment(&session, &told).await.unwrap_err();
    assert_eq!(gone.code(), Some(Code::NotFound));

    // What waits in the queue is kept by clearing, and goes with the session.
    watched.send_with(&session, "<<hang>>", &[]).await.unwrap();
    watched.runs(&session).await;
    let waits = watched.upload("w.png", &png("waits-needle", 400_000)).await.unwrap().attachment.id;
    watched.send_with(&session, "look", &[&waits]).await.unwrap();
    watched.home.paseo(&["stop", &session]).ok();
    watched.settled_turn(&session).await;
    watched.home.paseo(&["clear", &session]).ok();
    assert!(watched.client.attachment(&session, &waits).await.is_ok());
    watched.home.paseo(&["rm", "--force", &session]).ok();
    assert!(!holds(&watched.home, "waits-needle"));
}

impl Watched {
    /// Waits until no turn is under way, whatever waits.
    async fn settled_turn(&self, session: &str) {
        let asked = async {
            while self.client.session(session).await.unwrap().session.turn.is_some() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asked).await.expect("the turn ends");
    }
}

#[tokio::test]
async fn an_agent_uploads_with_the_right_to_send_and_reads_nothing() {
    let watched = Watched::new();
    let created = watched.create("<<sh echo $PASEO_TOKEN \\> token>><<say started>><<hang>>").await;
    let session = created.session.id.as_str();
    watched.said(session, "started").await;
    let token = std::fs::read_to_string(watched.home.work().join("token")).unwrap().trim().to_owned();
    let url = watched.client.status().await.unwrap().url;
    let agent = Client::tcp(url.trim_start_matches("http://"), Some(token));
    let refused = agent.upload("a.txt", b"hello".to_vec()).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::Forbidden), "{refused}");

    watched.home.paseo(&["settings", "set", "perm_send_to_tab", "on"]).ok();
    let own = agent.upload("a.txt", b"hello".to_vec()).await.unwrap().attachment.id;
    let target = watched.create("hello").await.session.id;
    // An agent can't use another agent's file.
    let stolen = watched.send_with(&target, "look", &[&own]).await.unwrap_err();
    assert_eq!(stolen.code(), Some(Code::NotFound), "{stolen}");
    let mine = watched.upload("b.txt", b"mine").await.unwrap().attachment.id;
    let message = |id: &str| SendMessage {
        text: "look".into(),
        attachments: vec![id.into()],
        ..SendMessage::default()
    };
    let stolen = agent.send(&target, &message(&mine), None).await.unwrap_err();
    assert_eq!(stolen.code(), Some(Code::NotFound), "{stolen}");
    agent.send(&target, &message(&own), None).await.unwrap();
    watched.said(&target, "Attached: a.txt").await;
    // A transcript is for people, and so are its files.
    let read = agent.attachment(&target, &own).await.unwrap_err();
    assert_eq!(read.code(), Some(Code::Forbidden), "{read}");
    let stranger = Client::tcp(url.trim_start_matches("http://"), None);
    for code in [
        stranger.upload("a.txt", b"hello".to_vec()).await.unwrap_err().code(),
        stranger.attachment(&target, &own).await.unwrap_err().code(),
    ] {
        assert_eq!(code, Some(Code::Unauthenticated));
    }
    assert_eq!(inspect(&watched.home, &target)["status"], "idle");
}

#[tokio::test]
async fn a_client_that_is_still_sending_hears_why_it_is_refused() {
    let watched = Watched::new();
    std::fs::write(watched.home.work().join("shot.png"), png("large", 8 * 1024 * 1024)).unwrap();
    let _slow: Vec<UnixStream> =
        (0..4).map(|_| begin(&watched, "content-length: 1000", &png("slow", 500))).collect();
    let refused = loop {
        let output = watched.home.paseo(&["run", "-d", "--attach", "shot.png", "<<say seen>>"]);
        // Until the daemon has got to all of them, there is room.
        if output.code != 0 {
            break output;
        }
    };
    assert_told!(watched.home, refused, @r"
    exit 6
    error: 4 uploads are already running
     hint: try again in a moment
    ");
}

#[tokio::test]
async fn only_a_few_upload_at_a_time() {
    let watched = Watched::new();
    let slow: Vec<UnixStream> =
        (0..4).map(|_| begin(&watched, "content-length: 1000", &png("slow", 500))).collect();
    let asked = async {
        loop {
            match watched.upload("a.txt", b"hello").await {
                Err(told) if told.code() == Some(Code::TooManyUploads) => return,
                // The daemon has not got to all of them.
                _ => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(PATIENCE, asked).await.expect("the fifth is refused");
    drop(slow);
    let asked = async {
        while watched.upload("a.txt", b"hello").await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, asked).await.expect("there is room again");
    // Over the network, too, nothing is read of a stranger's file.
    let url = watched.client.status().await.unwrap().url;
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /api/attachments?name=a HTTP/1.1\r\nhost: {address}\r\ncontent-length: 1000\r\n\r\n"
    )
    .unwrap();
    let mut told = [0; 12];
    stream.read_exact(&mut told).unwrap();
    assert_eq!(String::from_utf8_lossy(&told), "HTTP/1.1 401");
}

#[test]
fn the_command_line_attaches_files_and_shows_them() {
    let home = crate::home();
    let (shot, notes) = (home.work().join("shot.png"), home.work().join("notes.md"));
    std::fs::write(&shot, png("cli", 2000)).unwrap();
    std::fs::write(&notes, "# Notes\n").unwrap();
    let (shot, notes) = (shot.display().to_string(), notes.display().to_string());
    let answer = home.paseo(&["run", "--attach", &shot, "--attach", &notes, "look at these"]);
    assert_said!(home, answer.ok(), @r"
    Attached: shot.png (image/png, 2000 bytes, sha256 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1)
    Attached: notes.md (text/plain, 8 bytes, sha256 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2)
    You said: look at these
    ");
    let handle = home.paseo(&["ls", "-q"]).ok().to_owned();
    let logs = home.paseo(&["logs", &handle]);
    assert_said!(home, logs.ok());
    // Sent once, however often it is repeated.
    let send = ["send", "--json", "--key", "k1", "--attach", &shot, &handle, "and again"];
    assert_eq!(home.paseo(&send).ok(), home.paseo(&send).ok());
    home.paseo(&["wait", &handle]).ok();
    assert_eq!(home.paseo(&["logs", &handle]).ok().matches("and again").count(), 2, "said once, quoted once");
    // One that waits says what it has.
    home.paseo(&["send", &handle, "<<say started>><<hang>>"]).ok();
    crate::wait_for_text(&home, &handle, "started");
    home.paseo(&["send", &handle, "--attach", &shot, "later"]).ok();
    assert_said!(home, home.paseo(&["queue", &handle]).ok(), @r"
    aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa1  from you  now
      queued
      later
      [shot.png: image/png, 2 KB, 64×48]
    ");

    // What cannot be sent is refused before anything is.
    let archive = home.work().join("a.zip");
    std::fs::write(&archive, b"PK\x03\x04").unwrap();
    let refused = home.paseo(&["send", &handle, "--attach", &archive.display().to_string(), "look"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_told!(home, refused);
}

#[test]
fn an_agent_is_asked_with_a_file() {
    let home = crate::home();
    home.paseo(&["up"]).ok();
    let agents = home.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("viewer.toml"), "provider = 'scripted'\n").unwrap();
    home.trust();
    let notes = home.work().join("notes.md");
    std::fs::write(&notes, "# Notes\n").unwrap();
    let notes = notes.display().to_string();
    for _ in 0..2 {
        let answer = home.paseo(&["ask", "viewer", "--attach", &notes, "read this"]);
        assert_said!(home, answer.ok(), @r"
        Attached: notes.md (text/plain, 8 bytes, sha256 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1)
        You said: read this
        ");
    }
}
