//! Clients that are slow, greedy or many, and a daemon that goes on answering everybody else.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use paseo_testkit::home::TestHome;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use serde_json::Value;

use crate::screens::assert_said;
use crate::{home, inspect, json, start, wait_for_text};

const PATIENCE: Duration = Duration::from_secs(60);
/// How much more memory the daemon may have after clients that were many have left, in megabytes.
const LEFT_BEHIND: u64 = 12;

/// Allows this process as many files as it can get.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

fn address(home: &TestHome) -> String {
    let status = json(&home.paseo(&["status", "--json"]));
    status["url"].as_str().unwrap().trim_start_matches("http://").to_owned()
}

/// Starts an agent that stays busy, and returns its handle, its id and its own token.
fn busy_agent(home: &TestHome) -> (String, String, String) {
    let handle = start(home, "<<sh echo $PASEO_TOKEN \\> token>><<say started>><<hang>>");
    wait_for_text(home, &handle, "started");
    let id = inspect(home, &handle)["id"].as_str().unwrap().to_owned();
    let token = fs::read_to_string(home.work().join("token")).unwrap().trim().to_owned();
    (handle, id, token)
}

fn request(method: &str, path: &str, address: &str, token: &str, body: &str) -> String {
    let token = if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{token}content-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Sends a request over a new connection, and returns the status and the body.
fn ask(address: &str, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
    (head[9..12].parse().unwrap(), body.to_owned())
}

/// Lists the tools of an agent as its harness does.
fn list_tools(address: &str, id: &str, token: &str) -> (u16, String) {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    ask(address, &request("POST", &format!("/mcp/{id}/paseo-tools"), address, token, body))
}

fn resident_megabytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

/// Waits until something holds.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until a process has no more memory than this, in megabytes.
fn returns(pid: u32, megabytes: u64) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let resident = resident_megabytes(pid);
        if resident <= megabytes {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "it has {resident} MB, and should have come back to {megabytes} MB"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn readers_that_stall_hold_little_memory() {
    const READERS: usize = 400;
    raise_file_limit();
    let home = home();
    let handle = start(&home, "<<say ready>>");
    home.paseo(&["wait", &handle]).ok();
    let id = inspect(&home, &handle)["id"].as_str().unwrap().to_owned();
    let pid = home.daemon_pid().unwrap();
    let open = |_| {
        let mut stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
        write!(stream, "GET /api/stream?topics=session:{id} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        stream.read_exact(&mut [0; 16]).unwrap();
        stream
    };
    let before = resident_megabytes(pid);
    for _ in 0..2 {
        let mut stalled: Vec<UnixStream> = (0..READERS).map(open).collect();
        home.paseo(&["send", &handle, "--wait", &"<<spew 1m>>".repeat(12)]).ok();
        let grown = resident_megabytes(pid).saturating_sub(before);
        assert!(grown < 90, "{READERS} readers cost {grown} MB");

        // Whoever reads on gets all that is stored, from where it stopped.
        let mut late = stalled.pop().unwrap();
        late.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut seen = String::new();
        let mut buffer = [0; 64 * 1024];
        while !seen.contains("\"type\":\"turn_ended\"") {
            let read = late.read(&mut buffer).unwrap();
            assert_ne!(read, 0, "the stream ended");
            seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        assert_eq!(seen.matches("event: item\n").count(), 13, "the message and twelve texts");
        drop((stalled, late));
        returns(pid, before + LEFT_BEHIND);
    }
}

#[test]
fn thousands_of_slow_clients_keep_nobody_out() {
    const SLOW: usize = 3000;
    raise_file_limit();
    let home = home();
    let (_, id, token) = busy_agent(&home);
    let (address, pid) = (address(&home), home.daemon_pid().unwrap());
    let healthz = || assert_eq!(ask(&address, &request("GET", "/healthz", &address, "", "")).0, 200);
    let list = || {
        home.paseo(&["ls"]).ok();
    };
    let tools = || {
        let (status, body) = list_tools(&address, &id, &token);
        assert_eq!(status, 200, "{body}");
    };
    let ask_all = || {
        healthz();
        list();
        tools();
    };
    ask_all();
    let before = resident_megabytes(pid);
    // A third of them with half a header, a third with half a body, a third that do not read what they asked for.
    let begun = [
        "GET /healthz HTTP/1.1\r\nhost: ".to_owned(),
        format!(
            "POST /api/login HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             content-length: 16000\r\n\r\n{}",
            "x".repeat(15_000)
        ),
        format!("GET /login HTTP/1.1\r\nhost: {address}\r\n\r\n"),
    ];
    let slow: Vec<TcpStream> = (0..SLOW)
        .map(|number| {
            let mut stream = TcpStream::connect(&address).unwrap();
            // It may have been displaced already.
            stream.write_all(begun[number % begun.len()].as_bytes()).ok();
            stream
        })
        .collect();
    // How long that takes is measured by `make bench`.
    (0..5).for_each(|_| ask_all());
    let grown = resident_megabytes(pid).saturating_sub(before);
    assert!(grown < 60, "{grown} MB");
    drop(slow);
    let descriptors = || fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    eventually("their connections are closed", || descriptors() < 200);
    returns(pid, before + LEFT_BEHIND);
}

#[test]
fn an_agent_has_a_limited_number_of_connections_over_tcp_as_well() {
    raise_file_limit();
    let home = home();
    let (_, id, token) = busy_agent(&home);
    let address = address(&home);
    let stream = format!("/api/stream?topics=session:{id}");
    let open = |_| {
        let mut connection = TcpStream::connect(&address).unwrap();
        connection.write_all(request("GET", &stream, &address, &token, "").as_bytes()).unwrap();
        let mut first = [0; 12];
        connection.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        connection
    };
    let open: Vec<TcpStream> = (0..64).map(open).collect();
    let (status, body) = ask(&address, &request("GET", "/api/whoami", &address, &token, ""));
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &body["code"]), (503, &"overloaded".into()), "{body}");
    // Its harness still reaches its tools, and people are not concerned.
    let (status, body) = list_tools(&address, &id, &token);
    assert_eq!(status, 200, "{body}");
    assert_eq!(home.paseo(&["ls", "-q"]).ok().lines().count(), 1);
    drop(open);
    let whoami = request("GET", "/api/whoami", &address, &token, "");
    eventually("there is room again", || ask(&address, &whoami).0 == 200);
}

#[test]
fn people_are_answered_when_the_daemon_is_out_of_file_descriptors() {
    let home = home();
    let (handle, id, token) = busy_agent(&home);
    let address = address(&home);
    let pid = home.daemon_pid().unwrap();
    // From now on it gets no descriptor but those that it has, the reserve among them.
    let reserve = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().filter_map(|entry| {
        let entry = entry.unwrap();
        let is_spare = fs::read_link(entry.path()).is_ok_and(|to| to == Path::new("/dev/null"));
        entry.file_name().to_str()?.parse::<u64>().ok().filter(|_| is_spare)
    });
    let limit = reserve.max().unwrap() + 1;
    let none_left = Rlimit { current: Some(limit), maximum: getrlimit(Resource::Nofile).maximum };
    prlimit(Pid::from_raw(pid.cast_signed()), Resource::Nofile, none_left).unwrap();
    // An agent takes the numbers that are free in between.
    let stream = request("GET", &format!("/api/stream?topics=session:{id}"), &address, &token, "");
    let mut held = Vec::new();
    let refused = loop {
        let mut connection = TcpStream::connect(&address).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        connection.write_all(stream.as_bytes()).unwrap();
        let mut answer = [0; 4096];
        let read = connection.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
        if !answer.starts_with("HTTP/1.1 200") {
            break answer;
        }
        held.push(connection);
        assert!(held.len() < 64, "it is not out of descriptors, of which {limit} are allowed");
    };
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert_said!(home, refused.split("\r\n\r\n").last().unwrap(), @r#"{"code":"overloaded","message":"the daemon is out of file descriptors, and the last ones are reserved for people","hint":"close unused agents, or restart the daemon with a higher `ulimit -n`"}"#);
    // Not even such an answer is for a cache, or to be guessed at.
    for header in ["x-content-type-options: nosniff", "cache-control: no-store"] {
        assert!(refused.contains(header), "{header}: {refused}");
    }
    for _ in 0..20 {
        assert_eq!(home.paseo(&["ls", "-q"]).ok(), handle);
    }
    home.paseo(&["stop", &handle]).ok();
}

#[test]
#[allow(clippy::disallowed_methods)] // A shell that lowers the limit.
fn a_command_that_is_out_of_file_descriptors_says_so() {
    let home = home();
    home.paseo(&["up"]).ok();
    let pid = home.daemon_pid().unwrap();
    let (mut refused, mut served) = (Vec::new(), Vec::new());
    for limit in 3..30 {
        let script = format!("ulimit -n {limit}; exec {} ls", env!("CARGO_BIN_EXE_paseo"));
        let mut shell = home.command(&["ls"]);
        let environment: Vec<_> =
            shell.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
        shell = std::process::Command::new("sh");
        shell.arg("-c").arg(script).current_dir(home.work()).env_clear().envs(environment);
        let ended = shell.output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        if ended.status.success() {
            served.push(limit);
        } else if ended.status.code() == Some(1) {
            assert_said!(home, &told, @"
            error: too many open files
             hint: raise the limit with `ulimit -n`, or close programs that hold many files open
            ");
            refused.push(limit);
        } else {
            // Below some limit not even the program can be loaded.
            assert!(told.contains("error while loading shared libraries"), "{limit}: {told}");
            assert_eq!((refused.len(), served.len()), (0, 0), "{limit}: {told}");
        }
    }
    // Each limit below which something is short is told as such, and there is one above which nothing is.
    assert!(refused.len() >= 5 && !served.is_empty(), "refused {refused:?}, served {served:?}");
    assert!(refused.last() < served.first(), "refused {refused:?}, served {served:?}");
    assert_eq!(home.daemon_pid(), Some(pid), "no other daemon was started");
}
