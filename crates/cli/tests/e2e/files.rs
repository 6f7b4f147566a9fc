//! Files of agents, as people look at them, and as agents would have them look.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::Path;

use paseo_testkit::home::TestHome;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::Value;

use crate::screens::assert_told;
use crate::worktrees::{git, make_repository};
use crate::{home, json, start};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x03\0\0\0\x04\x08\x06\0\0\0CRC!";

/// An agent that has worked in a repository.
fn agent() -> (TestHome, String) {
    let home = home();
    make_repository(&home.work());
    let handle = start(&home, "<<say done>>");
    home.paseo(&["wait", &handle]).ok();
    (home, handle)
}

/// Asks the daemon as a person. Returns the status, the head and the body.
pub(crate) fn get(home: &TestHome, path: &str) -> (u16, String, Vec<u8>) {
    let mut stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_lowercase(), answer[end + 4..].to_vec())
}

pub(crate) fn body(answer: &(u16, String, Vec<u8>)) -> Value {
    serde_json::from_slice(&answer.2).unwrap()
}

fn names(page: &Value) -> Vec<&str> {
    page["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect()
}

#[test]
fn a_person_lists_and_reads_what_an_agent_works_on() {
    let (home, handle) = agent();
    fs::write(home.work().join(".env"), "SECRET=1\n").unwrap();
    fs::write(home.work().join("new.txt"), "new\n").unwrap();
    let listed = json(&home.paseo(&["files", &handle, "--json"]));
    assert_eq!(names(&listed), ["src", ".gitignore", "new.txt"]);
    assert_eq!(listed["files"][2]["size"], 4);
    assert_eq!(home.paseo(&["files", &handle, "src", "-q"]).ok(), "lib.rs");
    assert_eq!(home.paseo(&["files", &handle, "--ignored", "-q"]).ok(), "src\n.env\n.gitignore\nnew.txt");
    let shown = home.paseo(&["files", &handle]);
    assert!(shown.ok().contains("src/") && shown.stdout.contains("4 bytes"), "{shown:?}");
    assert_eq!(home.paseo(&["files", &handle, "src/lib.rs", "--show"]).ok(), "one");
    assert_eq!(home.paseo(&["files", &handle, "src/none.rs", "--show"]).code, 3);
    assert_eq!(home.paseo(&["files", &handle, "--show"]).code, 2);
}

#[test]
fn a_preview_says_what_a_file_is() {
    let (home, handle) = agent();
    let write = |name: &str, bytes: &[u8]| fs::write(home.work().join(name), bytes).unwrap();
    write("picture", PNG);
    write("program", b"\x7fELF\x02\x01");
    write("page.svg", b"<svg onload='x()'/>");
    write("long", "ä".repeat(200_000).as_bytes());
    let of = |path: &str| body(&get(&home, &format!("/api/sessions/{handle}/file?path={path}")));
    let picture = of("picture");
    assert_eq!((&picture["kind"], &picture["media_type"]), (&"image".into(), &"image/png".into()));
    assert_eq!((&picture["width"], &picture["height"]), (&3.into(), &4.into()));
    let program = of("program");
    assert_eq!((&program["kind"], &program["what"]), (&"binary".into(), &"a program".into()));
    let long = of("long");
    assert_eq!((&long["truncated"], &long["size"]), (&true.into(), &400_000.into()));
    assert_eq!(long["text"].as_str().unwrap().len(), 262_144);
    let cut = home.paseo(&["files", &handle, "long", "--show"]);
    assert_told!(home, cut);
    let none = home.paseo(&["files", &handle, "program", "--show"]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));

    let raw = get(&home, &format!("/api/sessions/{handle}/file?path=picture&raw=true"));
    assert_eq!((raw.0, raw.2.as_slice()), (200, PNG));
    for header in
        ["content-type: image/png", "x-content-type-options: nosniff", "default-src 'none'; sandbox"]
    {
        assert!(raw.1.contains(header), "{header}: {}", raw.1);
    }
    // A drawing can run programs in a browser.
    let drawing = get(&home, &format!("/api/sessions/{handle}/file?path=page.svg&raw=true"));
    assert_eq!(drawing.0, 400, "{}", drawing.1);
}

#[test]
fn no_way_leads_out_of_the_agents_directory() {
    let (home, handle) = agent();
    let outside = home.work().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "top secret").unwrap();
    let inside = |name: &str| home.work().join(name);
    symlink("../outside", inside("out")).unwrap();
    symlink("../outside/secret", inside("secret")).unwrap();
    symlink(".git", inside("innocent")).unwrap();
    symlink("/proc/self/environ", inside("environ")).unwrap();
    symlink("src", inside("link")).unwrap();
    mkfifoat(CWD, inside("pipe"), Mode::from_raw_mode(0o600)).unwrap();
    symlink("/dev/zero", inside("zero")).unwrap();
    let outside = outside.display();
    let attempts = [
        ("..", 400),
        ("../outside/secret", 400),
        ("src/../../outside/secret", 400),
        ("%2e%2e/outside/secret", 400),
        ("%2e%2e%2foutside%2fsecret", 400),
        ("src%2f..%2f..%2foutside", 400),
        // Decoded once only: a name like any other, that is not there.
        ("%252e%252e%2foutside", 404),
        ("..%5coutside", 404),
        ("src%00/../..", 400),
        (&*format!("{outside}/secret"), 400),
        ("out/secret", 403),
        ("secret", 403),
        ("environ", 403),
        ("zero", 403),
        (".git/config", 403),
        ("%2egit/config", 403),
        ("src/../.git/config", 400),
        (".GIT/config", 403),
        ("innocent/config", 403),
        ("innocent", 403),
        ("pipe/x", 404),
    ];
    for (path, expected) in attempts {
        for route in ["file", "files"] {
            let answer = get(&home, &format!("/api/sessions/{handle}/{route}?path={path}"));
            assert_eq!(answer.0, expected, "{route} {path}: {}", String::from_utf8_lossy(&answer.2));
            let told = String::from_utf8(answer.2.clone()).unwrap();
            assert!(!told.contains("top secret") && body(&answer)["hint"].is_string(), "{path}: {told}");
        }
    }
    let pipe = get(&home, &format!("/api/sessions/{handle}/file?path=pipe"));
    assert_eq!((pipe.0, &body(&pipe)["code"]), (409, &"conflict".into()));
    // What leads nowhere inside is named and does not say where it leads.
    let page = get(&home, &format!("/api/sessions/{handle}/files?ignored=true"));
    let page = body(&page);
    assert!(!page.to_string().contains("outside"), "{page}");
    let kinds: Vec<(&str, &str, &Value)> = page["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["name"].as_str().unwrap(), file["kind"].as_str().unwrap(), &file["leads_to"]))
        .collect();
    assert!(kinds.contains(&("link", "symlink", &"directory".into())), "{kinds:?}");
    assert!(kinds.contains(&("secret", "symlink", &Value::Null)), "{kinds:?}");
    assert!(kinds.contains(&("pipe", "special", &Value::Null)), "{kinds:?}");
    assert!(!kinds.iter().any(|(name, ..)| *name == ".git"), "{kinds:?}");
}

#[test]
fn names_that_are_no_text_are_listed_and_do_not_break_pages() {
    let (home, handle) = agent();
    let folder = home.work().join("odd");
    fs::create_dir(&folder).unwrap();
    for name in [b"\xff\xfe".as_slice(), b"new\nline", b"\x1b[31mred", b"plain"] {
        fs::write(folder.join(OsStr::from_bytes(name)), "").unwrap();
    }
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = body(&get(&home, &format!("/api/sessions/{handle}/files?path=odd&limit=1{after}")));
        let file = &page["files"][0];
        seen.push((file["name"].as_str().unwrap().to_owned(), file["exact"] == true));
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    let expected =
        [("\u{1b}[31mred", true), ("new\nline", true), ("plain", true), ("\u{fffd}\u{fffd}", false)];
    assert_eq!(seen, expected.map(|(name, exact)| (name.to_owned(), exact)));
    let shown = home.paseo(&["files", &handle, "odd"]);
    assert!(!shown.ok().contains('\u{1b}'), "{:?}", shown.stdout);
    assert_eq!(get(&home, &format!("/api/sessions/{handle}/files?path=odd&after=x")).0, 400);
}

#[test]
fn a_hundred_thousand_files_come_in_pages_to_two_at_once() {
    let (home, handle) = agent();
    let many = home.work().join("many");
    fs::create_dir(&many).unwrap();
    for number in 0..100_000 {
        fs::File::create(many.join(format!("{number:06}"))).unwrap();
    }
    let listed = |home: &TestHome| {
        let page = body(&get(home, &format!("/api/sessions/{handle}/files?path=many&limit=500")));
        assert_eq!((names(&page).len(), names(&page)[499]), (500, "000499"));
        let next = page["next"].as_str().unwrap();
        let page = body(&get(home, &format!("/api/sessions/{handle}/files?path=many&after={next}&limit=1")));
        assert_eq!((names(&page), &page["truncated"]), (vec!["000500"], &false.into()));
        let work = home.work();
        let work = work.to_str().unwrap();
        let found = body(&get(home, &format!("/api/files?directory={work}&query=many/099999")));
        assert_eq!(found["files"][0], "many/099999");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| listed(&home));
        listed(&home);
    });
}

#[test]
fn a_file_is_completed_from_letters_of_its_path() {
    let (home, _) = agent();
    let work = home.work();
    fs::write(work.join(".env"), "").unwrap();
    fs::write(work.join("src/main_loop.rs"), "").unwrap();
    fs::remove_file(work.join("src/lib.rs")).unwrap();
    let found = |directory: &Path, query: &str| {
        let path = format!("/api/files?directory={}&query={query}", directory.to_str().unwrap());
        body(&get(&home, &path))["files"].clone()
    };
    assert_eq!(found(&work, "srml"), serde_json::json!(["src/main_loop.rs"]));
    assert_eq!(found(&work.join("src"), ""), serde_json::json!(["main_loop.rs"]));
    assert_eq!(found(&work, "env"), serde_json::json!([]), "git ignores it");
    assert_eq!(found(&work, "lib.rs"), serde_json::json!([]), "it was deleted");
    // Without a repository nothing says what to leave out.
    let plain = work.parent().unwrap().join("plain");
    fs::create_dir_all(plain.join("node_modules")).unwrap();
    fs::write(plain.join("node_modules/x.js"), "").unwrap();
    fs::write(plain.join("x.txt"), "").unwrap();
    assert_eq!(found(&plain, "x"), serde_json::json!(["x.txt"]));
    for (path, status) in [
        ("/api/files?directory=relative", 400),
        ("/api/files", 400),
        ("/api/files?directory=/nonexistent", 404),
    ] {
        assert_eq!(get(&home, path).0, status, "{path}");
    }
}

#[test]
fn an_agent_whose_directory_is_gone_says_how_to_get_it_back() {
    let home = home();
    let work = home.work().join("project");
    fs::create_dir(&work).unwrap();
    let work = work.to_str().unwrap();
    let made = json(&home.paseo(&["run", "-d", "--json", "-C", work, "<<say done>>"]));
    let id = made["session"]["id"].as_str().unwrap();
    home.paseo(&["wait", id]).ok();
    fs::remove_dir_all(work).unwrap();
    let gone = home.paseo(&["files", id]);
    assert_told!(home, gone);
}

#[test]
fn a_repository_that_git_cannot_read_is_told_and_not_shown_whole() {
    let (home, handle) = agent();
    fs::write(home.work().join(".env"), "SECRET=1\n").unwrap();
    git(&home.work(), &["status"]);
    fs::write(home.work().join(".git/index"), "garbage").unwrap();
    let refused = home.paseo(&["files", &handle]);
    assert_eq!((refused.code, refused.stdout.as_str()), (6, ""), "{}", refused.stderr);
    assert!(home.paseo(&["files", &handle, "--ignored", "-q"]).ok().contains(".env"));
}
