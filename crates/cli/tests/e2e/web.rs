//! `paseo open` and `paseo devices`

use std::io::{Read, Write};
use std::net::TcpStream;

use paseo_testkit::home::TestHome;

use crate::pty::on_terminal;
use crate::screens::{assert_said, assert_told};
use crate::{home, json};

/// Logs a browser in, as the page behind the link does.
pub(crate) fn log_in(home: &TestHome) -> String {
    let link = json(&home.paseo(&["open", "--json"]));
    let (address, code) =
        link["url"].as_str().unwrap().strip_prefix("http://").unwrap().split_once("/login#code=").unwrap();
    let body = format!("{{\"code\":\"{code}\"}}");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /api/login HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\nuser-agent: Firefox\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_link_is_printed_and_works_once() {
    let home = home();
    let link = home.paseo(&["open"]);
    assert!(link.ok().starts_with("http://127.0.0.1:") && link.stdout.contains("/login#"), "{link:?}");
    assert_eq!((link.stdout.lines().count(), link.stderr.as_str()), (1, ""));
    assert_ne!(home.paseo(&["open", "--print"]).ok(), link.ok(), "each link is its own");
    assert!(log_in(&home).starts_with("HTTP/1.1 2"));
}

#[test]
fn up_prints_a_link_where_it_was_asked_for_and_puts_none_into_a_file() {
    let home = home();
    let is_link = |text: &str| text.starts_with("http://127.0.0.1:") && text.contains("/login#code=");
    let by_the_way = home.paseo(&["ls"]);
    assert!(!format!("{by_the_way:?}").contains("#code="), "{by_the_way:?}");
    assert!(is_link(home.paseo(&["up"]).ok().lines().last().unwrap()));
    let up = json(&home.paseo(&["up", "--json"]));
    assert!(is_link(up["login"]["url"].as_str().unwrap()) && up["pid"].is_u64(), "{up}");
    assert_eq!(home.paseo(&["up", "-q"]).ok(), "");

    let log = home.work().join("log");
    let mut command = home.command(&["up"]);
    let output = command.stdout(std::fs::File::create(&log).unwrap()).output().unwrap();
    let kept = std::fs::read_to_string(&log).unwrap();
    assert!(kept.contains("pid") && !kept.contains("#code="), "{kept}");
    assert_said!(home, &String::from_utf8(output.stderr).unwrap(), @r"
    The daemon is already running.
    For a login link, run: paseo open
    ");
}

#[test]
fn a_browser_is_listed_and_logged_out() {
    let home = home();
    assert_told!(home, home.paseo(&["devices", "ls"]), @r"
    exit 0
    No logged-in browsers. Log one in: paseo open
    ");
    assert!(log_in(&home).contains("set-cookie"));
    let id = home.paseo(&["devices", "ls", "-q"]).ok().to_owned();
    let short = &id[..8];
    assert!(home.paseo(&["devices", "ls"]).ok().contains(short));
    assert_eq!(home.paseo(&["devices", "revoke", "0"]).code, 3, "too short to mean one");
    assert_eq!(home.paseo(&["devices", "revoke", short]).ok(), format!("Logged out {short}"));
    assert_eq!(home.paseo(&["devices", "ls", "-q"]).ok(), "");
    assert_eq!(home.paseo(&["devices", "revoke", &id]).code, 3);
}

#[test]
fn a_qr_code_needs_a_public_url() {
    let home = home();
    let none = home.paseo(&["open", "--qr"]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
    assert_told!(home, none);
    std::fs::write(home.path().join("config.toml"), "public_urls = ['https://paseo.example.org']\n").unwrap();
    assert_told!(home, home.paseo(&["open", "--qr"]), @r#"
    exit 2
    error: a QR code needs an address that other devices can reach, and the daemon has none
     hint: run `paseo restart`: the daemon was started before `public_urls` was set
    "#);
    home.paseo(&["restart"]).ok();
    let code = home.paseo(&["open", "--qr"]);
    let url = code.ok().lines().last().unwrap();
    assert!(url.starts_with("https://paseo.example.org/login#"), "{url}");
    assert!(code.stdout.contains('▀') && code.stdout.lines().count() > 15, "{}", code.stdout);
    let link = json(&home.paseo(&["open", "--json"]));
    assert_eq!(link["public_urls"].as_array().unwrap().len(), 1);
}

#[test]
fn a_desktop_opens_the_link() {
    let mut home = home();
    let programs = home.work().join("bin");
    std::fs::create_dir(&programs).unwrap();
    let opened = home.work().join("opened");
    rustix::fs::mkfifoat(rustix::fs::CWD, &opened, rustix::fs::Mode::RWXU).unwrap();
    let script = format!("#!/bin/sh\necho \"$1\" > {}\n", opened.display());
    std::fs::write(programs.join("xdg-open"), script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(programs.join("xdg-open"), mode).unwrap();
    home.paseo(&["up"]).ok();
    let path = std::env::var("PATH").unwrap();
    home.set("PATH", format!("{}:{path}", programs.display()));
    home.set("DISPLAY", ":0");
    home.paseo(&["open"]).ok();
    on_terminal(&home, 200, &["open", "--print"]);
    let shown = on_terminal(&home, 200, &["open"]);
    // Only the one on a terminal was opened; a pipe is read until its writer is gone.
    let url = std::fs::read_to_string(&opened).unwrap();
    assert!(!url.trim().is_empty() && shown.contains(url.trim()), "{url} {shown}");
}

#[test]
fn the_address_of_the_daemon_leads_to_the_app() {
    let home = home();
    let url = json(&home.paseo(&["up", "--json"]))["url"].as_str().unwrap().to_owned();
    let address = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 307"), "{answer}");
    assert!(answer.to_lowercase().contains("location: /app\r\n"), "{answer}");
}
