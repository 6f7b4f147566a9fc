//! A fake as the harness of a test's daemon.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

use tempfile::TempDir;

use super::{Personality, Record};
use crate::home::TestHome;
use crate::real::{self, Program};

/// A fake with a home of its own. Make it before the [`TestHome`] that uses it, so that it goes after.
#[derive(Debug)]
pub struct Fake {
    program: Program,
    directory: TempDir,
}

impl Fake {
    /// Makes a steady fake of a program.
    pub fn of(program: Program) -> Self {
        let directory = tempfile::Builder::new().prefix("fake-").tempdir().expect("a temporary directory");
        for name in ["bin", "config"] {
            fs::create_dir(directory.path().join(name)).expect("a directory for the fake");
        }
        let link = directory.path().join("bin").join(program.name());
        symlink(binary(), link).expect("a link to the fake");
        Self { program, directory }
    }

    /// Returns the path to start it by.
    pub fn program(&self) -> PathBuf {
        self.directory.path().join("bin").join(self.program.name())
    }

    /// Returns the directory with its conversations: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`.
    pub fn config(&self) -> PathBuf {
        self.directory.path().join("config")
    }

    /// Returns what its environment must hold.
    pub fn environment(&self, personality: Personality) -> Vec<(&'static str, String)> {
        let config = match self.program {
            Program::Claude => "CLAUDE_CONFIG_DIR",
            Program::Codex => "CODEX_HOME",
            Program::Pi => "PI_CODING_AGENT_DIR",
            Program::Opencode => "XDG_DATA_HOME",
            Program::CodexAcp | Program::ClaudeAcp | Program::Gemini | Program::Qwen | Program::Copilot => {
                unreachable!("the fake of opencode speaks its protocol")
            }
            Program::OpenAi => unreachable!("it is our own, and has no fake"),
        };
        let text = |path: PathBuf| path.to_str().expect("a path in UTF-8").to_owned();
        vec![
            (config, text(self.config())),
            ("PASEO_PERSONALITY", personality.name().to_owned()),
            ("PASEO_FAKE_RECORD", text(self.record_path())),
        ]
    }

    /// Makes it the harness of a daemon: first in `PATH`, and with its environment.
    pub fn install(&self, home: &mut TestHome, personality: Personality) {
        home.prepend_path(&self.directory.path().join("bin"));
        self.environment(personality).into_iter().for_each(|(name, value)| home.set(name, value));
    }

    /// Returns what it was given so far.
    pub fn record(&self) -> Record {
        Record::read(&self.record_path())
    }

    fn record_path(&self) -> PathBuf {
        self.directory.path().join("record.jsonl")
    }
}

/// Returns the program, built if need be: other crates' tests do not build it.
fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let test = std::env::current_exe().expect("a path of this test");
        let profile = test.parent().and_then(Path::parent).expect("a target directory");
        let binary = profile.join("fake-harness");
        if !is_fresh(&binary) {
            build(profile);
        }
        assert!(binary.exists(), "{} is missing: cargo build -p paseo-testkit --bins", binary.display());
        binary
    })
}

#[allow(clippy::disallowed_methods)] // Cargo is not a harness.
fn build(profile: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--locked", "--package", "paseo-testkit", "--bin", "fake-harness"]);
    if profile.ends_with("release") {
        command.arg("--release");
    }
    let target = profile.parent().expect("a target directory");
    command.arg("--target-dir").arg(target).current_dir(real::root());
    let status = command.status().expect("cargo starts");
    assert!(status.success(), "fake-harness cannot be built");
}

/// Says whether the program is newer than what it is made from.
fn is_fresh(binary: &Path) -> bool {
    let Ok(built) = fs::metadata(binary).and_then(|metadata| metadata.modified()) else { return false };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    newest(&source) <= built
}

fn newest(directory: &Path) -> SystemTime {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let times = entries.filter_map(|entry| {
        let path = entry.path();
        if path.is_dir() { Some(newest(&path)) } else { fs::metadata(path).ok()?.modified().ok() }
    });
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}
