//! A home with one harness, and what cases do with it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use paseo_testkit::home::{Output, TestHome};
use paseo_testkit::matrix;
use paseo_testkit::model::ModelServer;
use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::{Program, Real};
use serde_json::Value;

pub(crate) const CLAUDE: Program = Program::Claude;
pub(crate) const CODEX: Program = Program::Codex;
pub(crate) const PI: Program = Program::Pi;
pub(crate) const OPENCODE: Program = Program::Opencode;
pub(crate) const CODEX_ACP: Program = Program::CodexAcp;
pub(crate) const CLAUDE_ACP: Program = Program::ClaudeAcp;
pub(crate) const GEMINI: Program = Program::Gemini;
pub(crate) const QWEN: Program = Program::Qwen;
pub(crate) const COPILOT: Program = Program::Copilot;
pub(crate) const OPENAI: Program = Program::OpenAi;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// One column: a home whose default provider is one harness. Fields end in the order they stand in.
pub(crate) struct Bench {
    pub(crate) home: TestHome,
    pub(crate) program: Program,
    harness: Harness,
    /// What a real one talks to.
    pub(crate) model: Option<ModelServer>,
}

/// How much a harness was told by some time.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    starts: usize,
    lines: usize,
    /// Requests to the model.
    pub(crate) requests: usize,
}

enum Harness {
    Fake(Fake),
    Real(Real),
}

impl Bench {
    pub(crate) fn fake(program: Program) -> Self {
        Self::with_personality(program, Personality::Steady)
    }

    /// The fake of a pi as new as the one that is installed; the other fake is an early one.
    pub(crate) fn fake_recent_pi() -> Self {
        let mut bench = Self::fake(PI);
        bench.home.set("PASEO_FAKE_PI", "1.5.0");
        bench
    }

    pub(crate) fn with_personality(program: Program, personality: Personality) -> Self {
        let fake = Fake::of(program);
        let mut home = home(program);
        fake.install(&mut home, personality);
        Self { home, program, harness: Harness::Fake(fake), model: None }
    }

    /// `None` when the real one is not installed.
    pub(crate) fn real(program: Program) -> Option<Self> {
        let model = ModelServer::start();
        let Some(real) = program.with(&model) else {
            matrix::note("it is not installed");
            return None;
        };
        let mut home = home(program);
        real.install(&mut home);
        Some(Self { home, program, harness: Harness::Real(real), model: Some(model) })
    }

    pub(crate) fn is_claude(&self) -> bool {
        self.program == CLAUDE
    }

    /// Returns a model that is not the usual one: as it is typed, and as it names itself.
    pub(crate) fn other_model(&self) -> (&'static str, &'static str) {
        match self.program {
            Program::Claude => ("claude-sonnet-4-5", "claude-sonnet-4-5"),
            Program::Opencode => ("scripted/scripted-two", "scripted-two"),
            _ => ("scripted-two", "scripted-two"),
        }
    }

    /// Returns everything that the harness, or the model behind it, was told: for looking whether a text is in it.
    pub(crate) fn told(&self) -> String {
        self.told_since(&Mark::default())
    }

    /// Remembers how much was told so far.
    pub(crate) fn mark(&self) -> Mark {
        let requests = self.model.as_ref().map_or(0, |model| model.requests().len());
        match &self.harness {
            Harness::Fake(fake) => {
                let record = fake.record();
                Mark { starts: record.starts.len(), lines: record.lines.len(), requests }
            }
            Harness::Real(_) => Mark { requests, ..Mark::default() },
        }
    }

    /// Returns what was told after a mark.
    pub(crate) fn told_since(&self, mark: &Mark) -> String {
        match (&self.harness, &self.model) {
            (Harness::Fake(fake), _) => {
                let record = fake.record();
                let starts = record.starts.iter().skip(mark.starts);
                // Our extension for pi is told what others find among their arguments.
                let arguments = starts.flat_map(|start| {
                    let told = start.variable("PASEO_PI").map(str::to_owned);
                    start.arguments.iter().cloned().chain(told).collect::<Vec<_>>()
                });
                let lines = record.lines.iter().skip(mark.lines).map(|(_, line)| line.clone());
                arguments.chain(lines).collect::<Vec<_>>().join("\n")
            }
            (Harness::Real(_), Some(model)) => {
                let requests = model.requests().split_off(mark.requests);
                requests.iter().map(|request| request.body.to_string()).collect::<Vec<_>>().join("\n")
            }
            (Harness::Real(_), None) => String::new(),
        }
    }

    /// Waits until a fake has read a text. Of a real harness nobody can tell.
    pub(crate) fn until_read(&self, text: &str) {
        let Harness::Fake(fake) = &self.harness else { return };
        let end = Instant::now() + PATIENCE;
        while !fake.record().lines.iter().any(|(_, line)| line.contains(text)) {
            assert!(Instant::now() < end, "the fake never read: {text}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts an agent and waits for its answer; returns its handle and the answer.
    pub(crate) fn run(&self, flags: &[&str], prompt: &str) -> (String, String) {
        let handle = self.start(flags, prompt);
        let answer = self.wait_for_answer(&handle);
        (handle, answer)
    }

    /// Starts an agent in the background.
    pub(crate) fn start(&self, flags: &[&str], prompt: &str) -> String {
        let made = self.home.paseo(&[&["run", "-d", "--json"], flags, &[prompt]].concat());
        let made: Value = serde_json::from_str(made.ok()).unwrap();
        made["session"]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn wait_for_answer(&self, handle: &str) -> String {
        let waited = self.home.paseo(&["wait", "--timeout", "60s", handle]);
        assert_eq!(waited.code, 0, "{waited:?}\n{}", self.transcript(handle));
        self.home.paseo(&["read", handle]).ok().to_owned()
    }

    pub(crate) fn send(&self, handle: &str, prompt: &str) -> Output {
        self.home.paseo(&["send", handle, "--wait", "--timeout", "60s", prompt])
    }

    /// Sends a message and returns the answer.
    pub(crate) fn answer(&self, handle: &str, prompt: &str) -> String {
        let output = self.send(handle, prompt);
        assert_eq!(output.code, 0, "{output:?}\n{}", self.transcript(handle));
        output.stdout.trim_end().to_owned()
    }

    pub(crate) fn inspect(&self, handle: &str) -> Value {
        serde_json::from_str(self.home.paseo(&["inspect", handle, "--json"]).ok()).unwrap()
    }

    pub(crate) fn transcript(&self, handle: &str) -> String {
        self.home.paseo(&["logs", "--full", handle]).stdout
    }

    pub(crate) fn items(&self, handle: &str) -> Vec<Value> {
        let logs = self.home.paseo(&["logs", "--json", handle]);
        logs.ok().lines().map(item).collect()
    }

    /// Returns the items of one kind.
    pub(crate) fn items_of(&self, handle: &str, kind: &str) -> Vec<Value> {
        self.items(handle).into_iter().filter(|item| item["kind"] == kind).collect()
    }

    /// Waits until the transcript holds an item.
    pub(crate) fn until(&self, handle: &str, wanted: impl Fn(&Value) -> bool + Send) -> Value {
        let mut child = self.home.spawn(&["logs", "-f", "--json", handle]);
        let lines = BufReader::new(child.stdout.take().unwrap());
        let found = follow(lines, &wanted);
        end(&mut child);
        found.unwrap_or_else(|| panic!("it never came:\n{}", self.transcript(handle)))
    }

    /// Waits until a permission is asked for, and returns its hash.
    pub(crate) fn until_asked(&self, handle: &str) -> String {
        let ask = self.until(handle, |item| item["kind"] == "permission" && item["decision"].is_null());
        ask["hash"].as_str().unwrap().to_owned()
    }

    /// Waits until an agent is idle, and returns what `inspect` says then.
    pub(crate) fn until_idle(&self, handle: &str) -> Value {
        let waited = self.home.paseo(&["wait", "--timeout", "60s", handle]);
        assert_eq!(waited.code, 0, "{waited:?}\n{}", self.transcript(handle));
        self.inspect(handle)
    }

    /// Waits until an agent has a status, whatever it has before, and returns what `inspect` says then.
    pub(crate) fn until_status(&self, handle: &str, status: &str) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let view = self.inspect(handle);
            if view["status"] == status {
                return view;
            }
            assert!(Instant::now() < end, "it never was {status}: {view:#}\n{}", self.transcript(handle));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until something lies in an agent's queue.
    pub(crate) fn until_queued(&self, handle: &str, text: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let queue = self.home.paseo(&["queue", handle]).stdout;
            if queue.contains(text) {
                return;
            }
            assert!(Instant::now() < end, "it never came: {text}; the queue: {queue}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Makes a pipe in the directory that agents work in. A command that reads it waits until [`Gate::open`].
    pub(crate) fn gate(&self) -> Gate {
        let path = self.file("gate");
        make_pipe(&path);
        Gate(path)
    }

    /// Returns a file of the directory that agents work in.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.work().join(name)
    }

    /// Makes a witness of a command that agents run, in the place of an earlier one.
    pub(crate) fn witness(&self) -> Witness {
        Witness::new(&self.file("witness"))
    }

    /// Kills the harness as a crash would.
    pub(crate) fn kill_harness(&self) {
        kill(&self.harnesses());
    }

    /// Kills what stands between the daemon and the harness.
    pub(crate) fn kill_shim(&self) {
        let is_shim = |pid: &u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).nth(1) == Some(b"shim")
        };
        kill(&self.home.processes().into_iter().filter(is_shim).collect::<Vec<_>>());
    }

    /// Waits until no harness is left: one that was stopped before it had begun ends a moment after its turn.
    pub(crate) fn until_no_harness(&self) {
        let end = Instant::now() + PATIENCE;
        while !self.harnesses().is_empty() {
            assert!(Instant::now() < end, "a harness is left: {:?}", self.harnesses());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the directory that the harness keeps its own things in.
    pub(crate) fn config(&self) -> PathBuf {
        match &self.harness {
            Harness::Fake(fake) => fake.config(),
            Harness::Real(real) => real.config(),
        }
    }

    /// Waits until this many processes of the harness are left.
    pub(crate) fn until_harnesses(&self, wanted: usize) {
        let end = Instant::now() + PATIENCE;
        while self.harnesses().len() != wanted {
            assert!(Instant::now() < end, "there never were {wanted} processes: {:?}", self.harnesses());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the process ids of the harness itself.
    pub(crate) fn harnesses(&self) -> Vec<u32> {
        let name = match &self.harness {
            Harness::Fake(fake) => fake.program(),
            Harness::Real(real) => real.program().to_owned(),
        };
        let is_it = |pid: &u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            // Ours is a part of the program that is tested, as the daemon is.
            if self.program == OPENAI {
                return line.split(|byte| *byte == 0).nth(1) == Some(b"chat-agent");
            }
            // Pi changes its own command line.
            if self.program == PI && self.model.is_some() {
                let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
                return program.file_name().is_some_and(|name| name == "node");
            }
            let first = line.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
            let program = PathBuf::from(String::from_utf8_lossy(&first).into_owned());
            program == name || program.canonicalize().ok() == name.canonicalize().ok()
        };
        self.home.processes().into_iter().filter(is_it).collect()
    }
}

fn home(program: Program) -> TestHome {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    home.set("PASEO_PROVIDER", program.name());
    home
}

fn follow(mut lines: impl BufRead, wanted: &(impl Fn(&Value) -> bool + Send)) -> Option<Value> {
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let item = item(&line);
        if wanted(&item) {
            return Some(item);
        }
        // The turn is over without it.
        if item["kind"] == "error" {
            return None;
        }
    }
}

/// Reads an item, with what is special about its kind beside what all have.
pub(crate) fn item(line: &str) -> Value {
    let mut item: Value = serde_json::from_str(line).unwrap();
    if let Value::Object(fields) = item["fields"].take() {
        fields.into_iter().for_each(|(name, value)| item[name] = value);
    }
    item
}

fn kill(pids: &[u32]) {
    assert!(!pids.is_empty(), "there is nobody to kill");
    for pid in pids {
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
}

fn end(child: &mut Child) {
    child.kill().ok();
    child.wait().ok();
}

#[allow(clippy::disallowed_methods)] // Tests make pipes.
fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Holds a command back that says `cat gate`.
pub(crate) struct Gate(PathBuf);

impl Gate {
    pub(crate) fn open(self) {
        std::fs::write(self.0, "opened").unwrap();
    }
}

/// Sees a command start and end: it holds a pipe open for as long as it lives.
pub(crate) struct Witness {
    seen: mpsc::Receiver<String>,
}

impl Witness {
    /// What a command begins with to be seen; it must be in the working directory.
    pub(crate) const COMMAND: &'static str = "exec 9\\>witness; echo up \\>&9;";

    fn new(path: &Path) -> Self {
        std::fs::remove_file(path).ok();
        make_pipe(path);
        let (tell, seen) = mpsc::channel();
        let path = path.to_owned();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(File::open(path).unwrap());
            let mut first = String::new();
            reader.read_line(&mut first).ok();
            tell.send(first).ok();
            reader.read_to_end(&mut Vec::new()).ok();
            tell.send("gone".to_owned()).ok();
        });
        Self { seen }
    }

    pub(crate) fn up(&self) {
        assert!(self.starts(), "the command never started");
    }

    /// Waits for the command, and says whether it came.
    pub(crate) fn starts(&self) -> bool {
        self.seen.recv_timeout(PATIENCE).is_ok_and(|first| first == "up\n")
    }

    pub(crate) fn gone(&self) {
        assert_eq!(self.seen.recv_timeout(PATIENCE).expect("the command ends"), "gone");
    }
}
