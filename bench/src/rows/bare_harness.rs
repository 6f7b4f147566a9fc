//! A real harness by its own protocol, with nothing in between: the yardstick for what we add.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use paseo_testkit::real::{Program, Real};
use serde_json::{Value, json};

use crate::statistics::milliseconds;

/// How long a harness may take to say something.
const PATIENCE: Duration = Duration::from_secs(60);

/// One that runs until it is dropped.
pub(crate) struct BareHarness {
    child: Child,
    input: ChildStdin,
    name: &'static str,
    lines: Receiver<String>,
    /// Codex's; claude has one for each process.
    thread: Option<String>,
    requests: u64,
}

impl BareHarness {
    pub(crate) fn start(program: Program, real: &Real, directory: &Path) -> Self {
        let mut command = Command::new(real.program());
        match program {
            Program::Claude => command.args([
                "-p",
                "--input-format=stream-json",
                "--output-format=stream-json",
                "--verbose",
                "--include-partial-messages",
                "--replay-user-messages",
                "--permission-mode=default",
                "--permission-prompt-tool=stdio",
                "--system-prompt-snapshot=off",
            ]),
            Program::Codex => command.arg("app-server"),
            other => panic!("nobody measures {} by itself", other.name()),
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.current_dir(directory).env_clear().env("PATH", path).env("HOME", directory);
        command.envs(real.environment().iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("a harness");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let name = program.name();
        let mut harness = Self { child, input, name, lines, thread: None, requests: 0 };
        if program == Program::Codex {
            harness.open_thread(directory);
        }
        harness
    }

    /// Sends a message, waits for the end of the turn, and returns how long its first piece took, in milliseconds.
    pub(crate) fn turn(&mut self, text: &str) -> f64 {
        let start = Instant::now();
        match self.thread.clone() {
            None => {
                self.write(&json!({ "type": "user", "message": { "role": "user", "content": text } }));
                self.until(|line| line["event"]["type"] == "content_block_delta");
                let first = milliseconds(start.elapsed());
                self.until(|line| line["type"] == "result");
                first
            }
            Some(thread) => {
                let input = json!([{ "type": "text", "text": text }]);
                self.request("turn/start", &json!({ "threadId": thread, "input": input }));
                self.until(|line| line["method"] == "item/agentMessage/delta");
                let first = milliseconds(start.elapsed());
                self.until(|line| line["method"] == "turn/completed");
                first
            }
        }
    }

    fn open_thread(&mut self, directory: &Path) {
        let client = json!({ "name": "bench", "title": "bench", "version": "0" });
        let initialize = self.request("initialize", &json!({ "clientInfo": client }));
        self.until(|line| line["id"] == initialize);
        self.write(&json!({ "method": "initialized" }));
        let start = self.request(
            "thread/start",
            &json!({ "cwd": directory, "approvalPolicy": "never", "sandbox": "danger-full-access" }),
        );
        let opened = self.until(|line| line["id"] == start);
        self.thread = opened["result"]["thread"]["id"].as_str().map(str::to_owned);
        assert!(self.thread.is_some(), "codex opened no thread: {opened}");
    }

    fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({ "id": id, "method": method, "params": params }));
        id
    }

    fn write(&mut self, line: &Value) {
        self.input.write_all(format!("{line}\n").as_bytes()).expect("a harness that reads");
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let text = self.lines.recv_timeout(PATIENCE);
            let text = text.unwrap_or_else(|why| panic!("waited for {} by itself: {why}", self.name));
            let line = serde_json::from_str(&text).unwrap_or(Value::Null);
            if wanted(&line) {
                return line;
            }
        }
    }
}

impl Drop for BareHarness {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
