//! The real harnesses in a real tmux, with the scripted model behind them: what they show and write down.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use paseo_core::id::SessionId;
use paseo_core::item::Kind;
use paseo_core::permission::Mode;
use paseo_testkit::model::ModelServer;
use paseo_testkit::real::{Program, Real};
use tempfile::TempDir;

use super::resident::{Aboard, Resident, Screen, Seen};
use super::told;
use crate::process_table::{HOME_VARIABLE, SESSION_VARIABLE, descendants, find, has_ended};
use crate::provider::{Launch, StartError, TurnEnd};
use crate::{claude, codex, pi};

const PATIENCE: Duration = Duration::from_secs(60);

/// A model, a harness that talks to it, and a tmux for it.
struct Stage {
    program: Program,
    real: Real,
    _model: ModelServer,
    folder: TempDir,
}

impl Stage {
    /// `None` where the harness is not installed.
    fn set(program: Program) -> Option<Self> {
        let model = ModelServer::start();
        let real = program.with(&model)?;
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        Some(Self { program, real, _model: model, folder })
    }

    fn launch(&self) -> Launch {
        let session = SessionId::from_random([9; 16]);
        let mut environment: Vec<(String, String)> =
            self.real.environment().iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let home = self.folder.path().to_string_lossy().into_owned();
        environment.extend([(SESSION_VARIABLE.into(), session.to_string()), (HOME_VARIABLE.into(), home)]);
        Launch {
            session,
            directory: self.project(),
            model: (self.program == Program::Claude).then(|| "claude-sonnet-4-5".to_owned()),
            effort: None,
            permissions: Mode::Full,
            withheld: Vec::new(),
            guarded: false,
            terminal: Some(told::terminal()),
            prompt: "Be \"kind\".\n-- always".into(),
            servers: Vec::new(),
            tools: Vec::new(),
            chain: Vec::new(),
            remote: None,
            past: Vec::new(),
            resume: None,
            turns: 0,
            executable: "/bin/false".into(),
            environment,
            removed: Vec::new(),
            patience: Duration::from_secs(60),
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn resident(&self, launch: &Launch) -> Result<Aboard, StartError> {
        match self.program {
            Program::Claude => claude::resident(launch, self.real.program()),
            Program::Codex => codex::resident(launch, self.real.program()),
            _ => pi::resident(launch, self.real.program()),
        }
    }

    #[allow(clippy::disallowed_methods)] // Not ours to reap: the test waits for it.
    fn tmux(&self, words: &[&str]) -> String {
        let socket = self.folder.path().join("sock");
        let mut tmux = Command::new("tmux");
        tmux.args(["-u", "-f", "/dev/null", "-S"]).arg(socket).args(words).env_remove("TMUX");
        // A new session has the `PATH` of the client that made it, whatever it is told with `-e`.
        tmux.envs(self.real.environment().into_iter().filter(|(name, _)| *name == "PATH"));
        String::from_utf8_lossy(&tmux.output().expect("tmux").stdout).into_owned()
    }

    /// Starts it, and waits until it listens.
    fn board(&self, launch: &Launch) -> Pane<'_> {
        let (boarding, resident) = self.resident(launch).unwrap();
        let directory = self.project().to_string_lossy().into_owned();
        let mut words = vec!["new-session", "-d", "-s", "w", "-x", "100", "-y", "40", "-c", &directory];
        let set: Vec<String> =
            boarding.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        set.iter().for_each(|variable| words.extend(["-e", variable]));
        words.extend(["--", boarding.program.to_str().unwrap()]);
        words.extend(boarding.arguments.iter().map(|word| word.to_str().unwrap()));
        self.tmux(&words);
        self.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
        // The server shall not go away between two.
        self.tmux(&["set-option", "-s", "exit-empty", "off"]);
        let pane = Pane { stage: self, resident, read: 0, seen: Vec::new() };
        wait("it listens", || pane.resident.readiness(&pane.screen()) == Screen::Ready, || pane.screen());
        pane
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn wait(what: &str, mut is: impl FnMut() -> bool, tell: impl Fn() -> String) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}\n{}", tell());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A harness that listens.
struct Pane<'a> {
    stage: &'a Stage,
    resident: Box<dyn Resident>,
    read: usize,
    seen: Vec<Seen>,
}

impl Pane<'_> {
    fn screen(&self) -> String {
        self.stage.tmux(&["capture-pane", "-p", "-J", "-t", "=w:"])
    }

    fn press(&self, key: &str) {
        self.stage.tmux(&["send-keys", "-t", "=w:", key]);
    }

    #[allow(clippy::disallowed_methods)] // Not ours to reap: the test waits for it.
    fn paste(&self, text: &str) {
        let socket = self.stage.folder.path().join("sock");
        let mut load = Command::new("tmux");
        load.arg("-S").arg(socket).args(["load-buffer", "-"]).env_remove("TMUX").stdin(Stdio::piped());
        let mut load = load.spawn().unwrap();
        load.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(load.wait().unwrap().success());
        self.stage.tmux(&["paste-buffer", "-p", "-d", "-t", "=w:"]);
    }

    /// Reads what is new.
    fn look(&mut self) {
        let Some(file) = self.resident.session_file() else { return };
        let text = fs::read_to_string(file).unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let new = text.get(self.read..whole).unwrap_or_default().to_owned();
        self.read = self.read.max(whole);
        for line in new.lines() {
            self.seen.extend(self.resident.line(line));
        }
    }

    fn until(&mut self, what: &str, is: impl Fn(&[Seen]) -> bool) {
        let began = Instant::now();
        loop {
            self.look();
            if is(&self.seen) {
                return;
            }
            let told = || format!("{:#?}\n{}", told::words(&self.seen), self.screen());
            assert!(began.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}\n{}", told());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Hands a text over, as its driver does: what is shown is sent.
    fn say(&mut self, text: &str) {
        let before = self.screen();
        self.paste(text);
        // Of a long one only that it is there may be shown.
        wait("the text is shown", || self.screen() != before, || self.screen());
        let is_said = |seen: &[Seen]| seen.iter().any(|seen| is_same(seen, text));
        let began = Instant::now();
        while !is_said(&self.seen) {
            assert!(
                began.elapsed() < PATIENCE,
                "never said: {:#?}\n{}",
                told::words(&self.seen),
                self.screen()
            );
            self.press("Enter");
            let pressed = Instant::now();
            while !is_said(&self.seen) && pressed.elapsed() < Duration::from_secs(3) {
                self.look();
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    fn ends(&self) -> Vec<TurnEnd> {
        let ends = self.seen.iter().filter_map(|seen| match seen {
            Seen::Ended(end) => Some(end.clone()),
            _ => None,
        });
        ends.collect()
    }

    fn until_ended(&mut self, count: usize) -> TurnEnd {
        let ended = |seen: &[Seen]| seen.iter().filter(|seen| matches!(seen, Seen::Ended(_))).count();
        self.until("the turn ends", |seen| ended(seen) >= count);
        self.ends().pop().unwrap()
    }

    fn reference(&self) -> String {
        let found = self.seen.iter().rev().find_map(|seen| match seen {
            Seen::Reference(id) => Some(id.clone()),
            _ => None,
        });
        found.expect("a reference")
    }
}

fn is_same(seen: &Seen, text: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    matches!(seen, Seen::Said(said) if words(said) == words(text))
}

fn texts(seen: &[Seen], kind: &Kind) -> Vec<String> {
    let texts = seen.iter().filter_map(|seen| match seen {
        Seen::Item { draft, .. } if draft.kind == *kind => draft.text.clone(),
        _ => None,
    });
    texts.collect()
}

/// Plays everything with one harness.
fn plays(program: Program) {
    let Some(stage) = Stage::set(program) else { return };
    let launch = stage.launch();
    let mut pane = stage.board(&launch);

    // What is in it is text, whatever tmux or a shell would make of it.
    pane.say("go #{pane_id} ; $(touch no) `x` #[fg=red] % é漢字\n\n<<think hm>> <<bash echo hi>>\n<<say finished>>");
    assert_eq!(pane.until_ended(1), TurnEnd::Completed);
    assert_eq!(texts(&pane.seen, &Kind::Thinking), ["hm"]);
    assert!(texts(&pane.seen, &Kind::AssistantText)[0].starts_with("finished"));
    let words = told::words(&pane.seen);
    assert!(words.iter().any(|word| word.contains(" call ") && word.ends_with("Execute")), "{words:#?}");
    assert!(
        words.iter().any(|word| word.contains("result Ok Some(0)") || program == Program::Pi),
        "{words:#?}"
    );
    assert!(words.iter().any(|word| word.contains(" usage ")), "{words:#?}");
    assert!(!stage.project().join("no").exists());

    // A person types.
    let typed = "by hand <<say seen>>";
    stage.tmux(&["send-keys", "-l", "-t", "=w:", "--", typed]);
    wait("what was typed is shown", || pane.screen().contains("by hand"), || pane.screen());
    pane.press("Enter");
    assert_eq!(pane.until_ended(2), TurnEnd::Completed);
    assert!(pane.seen.iter().any(|seen| is_same(seen, typed)), "{:#?}", told::words(&pane.seen));

    // A turn is ended by a key.
    pane.say("wait <<bash touch began; tail -f /dev/null>> <<say never>>");
    let began = stage.project().join("began");
    wait("the command runs", || began.exists(), || pane.screen());
    pane.press(pane.resident.interrupt());
    assert_eq!(pane.until_ended(3), TurnEnd::Interrupted);
    assert!(told::words(&pane.seen).iter().any(|word| word.contains("result Interrupted")));

    // A request fails.
    pane.say("fail <<status 401 no>>");
    let TurnEnd::Failed(failed) = pane.until_ended(4) else { panic!("{:?}", pane.ends()) };
    assert_eq!(failed.code.word(), "not_logged_in");

    // The same file read again gives the same.
    let (_, mut again) =
        stage.resident(&Launch { resume: Some(pane.reference()), ..stage.launch() }).unwrap();
    let file = pane.resident.session_file().unwrap();
    assert_eq!(lines(&mut *again, &file), pane.seen);

    // It ends, and is continued.
    let reference = pane.reference();
    let first = stage.tmux(&["display-message", "-p", "-t", "=w:", "#{pane_pid}"]).trim().parse().unwrap();
    let below = descendants(first).into_iter().map(|process| process.pid);
    let pids: Vec<u32> = below.chain([first]).collect();
    stage.tmux(&["kill-session", "-t", "=w"]);
    // Codex opens a conversation only once at a time.
    let is_gone = |pid: &u32| find(*pid).is_none() || has_ended(*pid);
    wait("it is gone", || pids.iter().all(is_gone), || format!("{pids:?}"));
    let before = pane.ends().len();
    let mut resumed = stage.board(&Launch { resume: Some(reference), ..stage.launch() });
    resumed.say("once more <<say back>>");
    resumed.until_ended(before + 1);
    let said = texts(&resumed.seen, &Kind::AssistantText).pop().unwrap();
    assert!(said.starts_with("back [turns=") && !said.contains("turns=1 "), "{said}");
}

fn lines(resident: &mut dyn Resident, file: &Path) -> Vec<Seen> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().flat_map(|line| resident.line(line)).collect()
}

#[test]
fn claude_in_a_terminal() {
    plays(Program::Claude);
}

#[test]
fn codex_in_a_terminal() {
    plays(Program::Codex);
}

#[test]
fn pi_in_a_terminal() {
    plays(Program::Pi);
}
