//! Nobody becomes another agent, or a person, by what they put into an environment.
//!
//! Everything here goes through the command line and through `curl`, so that it runs without special rights, too.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use paseo_testkit::home::{TestHome, finish};
use serde_json::Value;

use crate::screens::assert_said;

/// Tries every forged mark, at every place of the chain above the caller, by every way to the daemon. A line of the
/// result is `way|mark|place|answer`.
const MATRIX: &str = r#"
answered() { printf '%s|%s|%s|%s\n' "$1" "$2" "$3" "$(tr '\n' ' ')"; }
at() {
    case $1 in
        caller) env PASEO_SESSION="$2" sh "$DIR/$3" ;;
        above) env PASEO_SESSION="$2" sh -c 'env -u PASEO_SESSION sh "$0"; true' "$DIR/$3" ;;
        hidden) env PASEO_SESSION="$2" sh -c 'env PASEO_SESSION="$1" sh "$0"; true' "$DIR/$3" "$OWN" ;;
        several) env PASEO_SESSION="$2" sh -c 'env PASEO_SESSION="$1" sh "$0"; true' "$DIR/$3" "$SIBLING" ;;
    esac
}
OWN=$PASEO_SESSION
for place in caller above hidden; do at $place "$OWN" api | answered api own $place; done
env -u PASEO_SESSION sh "$DIR/api" | answered api none caller
env PASEO_HOME=/elsewhere PASEO_SESSION="$LEADER" sh "$DIR/api" | answered api elsewhere caller
env -i PATH="$PATH" SOCKET="$SOCKET" sh "$DIR/api" | answered api empty caller
for mark in sibling leader closed unknown malformed prefix void; do
    case $mark in
        sibling) value=$SIBLING ;;
        leader) value=$LEADER ;;
        closed) value=$CLOSED ;;
        unknown) value=00000000-0000-4000-8000-000000000000 ;;
        malformed) value=nobody ;;
        prefix) value=$(printf %.4s "$OWN") ;;
        void) value= ;;
    esac
    for place in caller above hidden several; do
        for way in api close tool mcp hook; do at $place "$value" $way | answered $way $mark $place; done
    done
done
for way in tool mcp; do at caller "$OWN" $way | answered $way own caller; done
echo over
"#;

/// The ways to the daemon. Those of the command line tell how they ended.
const WAYS: [(&str, &str); 5] = [
    ("api", r#"exec curl -s --unix-socket "$SOCKET" http://localhost/api/whoami"#),
    ("close", r#"paseo team rm red 2>&1; echo "exit=$?""#),
    ("tool", r#"paseo tool 2>&1; echo "exit=$?""#),
    (
        "mcp",
        r#"exec curl -s --unix-socket "$SOCKET" -H 'content-type: application/json' \
            -H 'accept: application/json, text/event-stream' -H 'mcp-protocol-version: 2025-06-18' \
            -d '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' http://localhost/mcp/self/Paseo"#,
    ),
    ("hook", r#"echo '{}' | paseo leave 2>&1; echo "exit=$?""#),
];

/// A home with a team, its leader, a sibling and a closed agent.
struct House {
    home: TestHome,
    sibling: String,
    leader: String,
    closed: String,
}

impl House {
    fn new(mut home: TestHome) -> Self {
        let work = home.work().display().to_string();
        let folder = home.work().join("ways");
        fs::create_dir(&folder).unwrap();
        for (name, script) in WAYS.iter().chain(&[("matrix", MATRIX)]) {
            fs::write(folder.join(name), script).unwrap();
        }
        home.set("DIR", folder);
        home.set("SOCKET", home.path().join("daemon.sock"));
        home.paseo(&["up"]).ok();
        home.paseo(&["team", "create", "red", "-C", &work]).ok();
        let leader =
            home.paseo(&["team", "leader", "red", "-d", "--member", "lea", "<<say hello>>"]).ok().to_owned();
        let leader = id(&home, &leader);
        let sibling = started(&home, "<<say hello>>");
        let closed = started(&home, "<<say hello>>");
        for agent in [&leader, &sibling, &closed] {
            home.paseo(&["wait", "--timeout", "120s", agent]).ok();
        }
        home.paseo(&["close", &closed]).ok();
        Self { home, sibling, leader, closed }
    }

    /// Returns a command that runs the matrix, for the shell of an agent.
    fn matrix(&self, result: &Path) -> String {
        format!(
            "SIBLING={} LEADER={} CLOSED={} sh $DIR/matrix \\>{}",
            self.sibling,
            self.leader,
            self.closed,
            result.display()
        )
    }

    fn result(&self, name: &str) -> PathBuf {
        self.home.work().join(name)
    }

    /// Checks what came of a matrix that was run as an agent.
    fn check(&self, agent: &str, result: &Path) {
        let result = fs::read_to_string(result).unwrap();
        assert!(result.ends_with("over\n"), "{result}");
        let mut seen = BTreeSet::new();
        for line in result.lines().filter(|line| *line != "over") {
            let [way, mark, place, answer] = line.splitn(4, '|').collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            seen.insert((way, mark, place));
            let is_own = answer.contains(&format!("\"actor\":\"session:{agent}\""));
            let is_right = match (way, mark) {
                // With the own mark, without any, or with one of another home, the shim decides.
                ("api", "own" | "none" | "elsewhere" | "empty") if place != "several" => is_own,
                ("tool", "own") => answer.ends_with("exit=0 "),
                ("mcp", "own") => answer.contains("\"result\""),
                ("api" | "mcp", _) => answer.contains("\"code\":\"identity_mismatch\""),
                ("close" | "tool", _) => answer.contains("PASEO_SESSION") && answer.ends_with("exit=6 "),
                ("hook", _) => answer.ends_with("exit=2 "),
                _ => false,
            };
            assert!(is_right, "{line}");
        }
        assert_eq!(seen.len(), 6 + 7 * 4 * 5 + 2, "{seen:?}");
        let team = parsed(self.home.paseo(&["team", "show", "red", "--json"]).ok());
        assert!(team["id"] == "red" && team["closed_at"].is_null(), "{team}");
        let log = self.home.paseo(&["daemon", "logs", "--lines", "1000"]);
        for code in ["mark_contradicts_shim", "mark_malformed"] {
            let told = |line: &str| line.contains(&format!("code=\"{code}\""));
            assert!(log.ok().lines().any(told), "{code}: {log:?}");
        }
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn id(home: &TestHome, handle: &str) -> String {
    parsed(home.paseo(&["inspect", "--json", handle]).ok())["id"].as_str().unwrap().to_owned()
}

fn started(home: &TestHome, prompt: &str) -> String {
    let created = parsed(home.paseo(&["run", "-d", "--json", prompt]).ok());
    created["session"]["id"].as_str().unwrap().to_owned()
}

/// Asks who a program of the person's own is, with these variables.
fn whoami(home: &TestHome, variables: &[(&str, &str)], program: &str) -> String {
    let socket = home.path().join("daemon.sock");
    // A program that is started by one that gives up its rights is judged by those.
    let words = ["-c", "exec \"$0\" \"$@\"", program, "-s", "--unix-socket", socket.to_str().unwrap()];
    let mut command = home.program("sh", &words);
    command.arg("http://localhost/api/whoami").envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().unwrap()).stdout
}

fn nobody_is_another_agent_by_a_mark(home: TestHome) {
    let house = House::new(home);
    let result = house.result("shell");
    let agent = started(&house.home, &format!("<<sh {}>>", house.matrix(&result)));
    house.home.paseo(&["wait", "--timeout", "300s", &agent]).ok();
    house.check(&agent, &result);
}

fn nobody_in_a_terminal_is_another_agent_by_a_mark(home: TestHome) {
    let house = House::new(home);
    let result = house.result("terminal");
    let task = format!("<<sh {}>>", house.matrix(&result));
    let words = ["worker", "start", "--json", "--team", "red", "--provider", "scripted", &task];
    let worker = parsed(house.home.paseo(&words).ok())["worker"].clone();
    let agent = worker["session"].as_str().unwrap().to_owned();
    house.home.paseo(&["wait", "--timeout", "300s", &agent]).ok();
    house.check(&agent, &result);

    // A window beside it can be anyone's: it is no person's, and no agent's by what it says.
    let target = format!("={}:", worker["name"].as_str().unwrap());
    let socket = house.home.path().join("tmux.sock");
    let window = |name: &str, mark: &[&str]| {
        let result = house.result(name);
        let part = result.with_extension("part");
        let script = format!(
            "curl -s --unix-socket {} http://localhost/api/whoami >{part} && mv {part} {result}",
            house.home.path().join("daemon.sock").display(),
            part = part.display(),
            result = result.display(),
        );
        let mut words = vec!["-S", socket.to_str().unwrap(), "new-window", "-d", "-t", &target];
        words.extend(mark);
        words.extend(["--", "sh", "-c", &script]);
        let mut command = house.home.program("tmux", &words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(command.spawn().unwrap()).ok();
        appeared(&result)
    };
    let answer = window("beside", &[]);
    assert!(answer.contains("\"code\":\"unauthenticated\""), "{answer}");
    assert_said!(house.home, &answer, @r#"{"code":"unauthenticated","message":"this window was opened on Paseo's own tmux server, where agents can open windows too","hint":"run the `paseo` command in your own terminal"}"#);
    let forged = format!("PASEO_SESSION={}", house.leader);
    let home = format!("PASEO_HOME={}", house.home.path().display());
    let answer = window("forged", &["-e", &forged, "-e", &home]);
    assert!(answer.contains("identity_mismatch"), "{answer}");

    // Nor is what the server starts and lets go of, once no daemon is above it.
    house.home.paseo(&["restart"]).ok();
    let result = house.result("let-go");
    let script = format!(
        "n=0; while kill -0 $PPID 2>/dev/null && test $n -lt 40; do n=$((n+1)); sleep 0.05; done; \
         curl -s --unix-socket {} http://localhost/api/whoami >{part} && mv {part} {result}",
        house.home.path().join("daemon.sock").display(),
        part = result.with_extension("part").display(),
        result = result.display(),
    );
    let file = house.result("let-go.sh");
    fs::write(&file, script).unwrap();
    let job = format!("setsid sh {} >/dev/null 2>&1 &", file.display());
    let words = ["-S", socket.to_str().unwrap(), "run-shell", "-b", &job];
    let mut command = house.home.program("tmux", &words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().unwrap()).ok();
    let answer = appeared(&result);
    assert!(answer.contains("unauthenticated"), "{answer}");
}

/// Waits for a file that is whole once it is there.
fn appeared(path: &Path) -> String {
    let began = std::time::Instant::now();
    loop {
        match fs::read_to_string(path) {
            Ok(text) => return text,
            Err(error) => {
                assert!(began.elapsed() < std::time::Duration::from_secs(60), "{}: {error}", path.display());
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn nobody_is_another_agent_by_a_mark_as_whoever_runs_this() {
    nobody_is_another_agent_by_a_mark(TestHome::new(env!("CARGO_BIN_EXE_paseo")));
}

#[test]
fn nobody_is_another_agent_by_a_mark_without_special_rights() {
    nobody_is_another_agent_by_a_mark(TestHome::unprivileged(env!("CARGO_BIN_EXE_paseo")));
}

#[test]
fn nobody_in_a_terminal_is_another_agent_by_a_mark_as_whoever_runs_this() {
    nobody_in_a_terminal_is_another_agent_by_a_mark(TestHome::new(env!("CARGO_BIN_EXE_paseo")));
}

#[test]
fn nobody_in_a_terminal_is_another_agent_by_a_mark_without_special_rights() {
    nobody_in_a_terminal_is_another_agent_by_a_mark(TestHome::unprivileged(env!("CARGO_BIN_EXE_paseo")));
}

#[test]
fn outside_of_agents_a_mark_counts_and_what_cannot_be_read_is_nobody() {
    // Those who are above it here belong to root, and cannot be read.
    let home = TestHome::unprivileged(env!("CARGO_BIN_EXE_paseo"));
    home.paseo(&["up"]).ok();
    let agent = started(&home, "<<say hello>>");
    let own = home.path().display().to_string();
    let told = |mark: &str, of: &str| whoami(&home, &[("PASEO_SESSION", mark), ("PASEO_HOME", of)], "curl");
    assert!(whoami(&home, &[], "curl").contains("\"actor\":\"human:cli\""));
    assert!(told(&agent, &own).contains(&format!("\"actor\":\"session:{agent}\"")));
    assert!(told(&agent, "/elsewhere").contains("\"actor\":\"human:cli\""));
    // The name of a worktree begins like the id of its agent, and stands on command lines: that is not enough.
    let beginnings = [4, 8, 13, 35].map(|length| &agent[..length]);
    for mark in ["", "nobody", "00000000-0000-4000-8000-000000000000"].iter().chain(&beginnings) {
        assert!(told(mark, &own).contains("\"code\":\"identity_mismatch\""), "{mark}");
    }
    // The kernel hides the environment of a program that its user may run and not read.
    let hidden = home.work().join("hidden");
    let curl = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("curl"))
        .find(|program| program.is_file());
    fs::copy(curl.unwrap(), &hidden).unwrap();
    fs::set_permissions(&hidden, fs::Permissions::from_mode(0o111)).unwrap();
    let answer = whoami(&home, &[], hidden.to_str().unwrap());
    assert!(answer.contains("\"code\":\"unauthenticated\""), "{answer}");
    assert_said!(home, &answer, @r#"{"code":"unauthenticated","message":"cannot identify the calling process: its environment is not readable","hint":"run the `paseo` command in your own terminal"}"#);
}

#[test]
fn command_lines_do_not_tell_the_ids_of_sessions() {
    let home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    home.paseo(&["up"]).ok();
    home.paseo(&["team", "create", "red", "-C", &home.work().display().to_string()]).ok();
    let agent = started(&home, "<<sh touch shell>><<hang>>");
    let words = [
        "worker",
        "start",
        "--json",
        "--team",
        "red",
        "--provider",
        "scripted",
        "<<sh touch terminal>><<hang>>",
    ];
    let worker = parsed(home.paseo(&words).ok())["worker"]["session"].as_str().unwrap().to_owned();
    appeared(&home.work().join("shell"));
    appeared(&home.work().join("terminal"));
    let running = home.command_lines();
    assert!(running.len() >= 5, "the daemon, two shims and two agents: {running:?}");
    for line in running {
        assert!(!line.contains(&agent) && !line.contains(&worker), "{line}");
    }
    for session in [&agent, &worker] {
        home.paseo(&["stop", session]).ok();
    }
}
