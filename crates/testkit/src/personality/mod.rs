//! Claude and codex without a model: the same lines, in milliseconds, with a character of one's choice.
//!
//! One program, `fake-harness`, is either of them: by the name it is started under, or by `PASEO_FAKE`. It does what
//! the prompt says, in the words of [`crate::script`], and answers as the real one does with the scripted model
//! behind it, with the same footer and the same usage. `tests/personalities.rs` compares the two.
//!
//! | variable | |
//! |---|---|
//! | `PASEO_FAKE` | `claude` or `codex`, when the program has another name |
//! | `PASEO_FAKE_PI` | `1.5.0` makes pi a newer one |
//! | `PASEO_PERSONALITY` | see [`Personality`] |
//! | `PASEO_FAKE_RECORD` | a file that it adds its arguments, environment and input to, see [`record`] |

mod acp;
mod claude;
mod codex;
mod desk;
mod files;
mod install;
mod mcp;
mod memory;
mod pen;
mod pi;
pub mod record;
mod shell;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

pub use install::Fake;
pub use record::Record;

/// How a fake behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Personality {
    /// Does what it is told.
    #[default]
    Steady,
    /// Takes 100 ms for each delta.
    Slow,
    /// Takes messages and never answers; interrupts neither.
    Wedged,
    /// Before its first answer it writes what is no protocol: no JSON, half a character, 50 MB without an end of
    /// line, events of unknown kinds. Then it goes on.
    Garbage,
    /// Dies in every turn, with exit code 3, after two deltas or at its first tool.
    Crashing,
    /// The same, but only once in a home.
    CrashingOnce,
    /// Confirms an interrupt and finishes the turn nevertheless.
    Late,
}

impl Personality {
    const ALL: [Self; 7] = [
        Self::Steady,
        Self::Slow,
        Self::Wedged,
        Self::Garbage,
        Self::Crashing,
        Self::CrashingOnce,
        Self::Late,
    ];

    /// Returns the value of `PASEO_PERSONALITY`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Slow => "slow",
            Self::Wedged => "wedged",
            Self::Garbage => "garbage",
            Self::Crashing => "crashing",
            Self::CrashingOnce => "crashing-once",
            Self::Late => "late",
        }
    }

    fn from_environment() -> Self {
        let Ok(wanted) = std::env::var("PASEO_PERSONALITY") else { return Self::default() };
        let known = Self::ALL.into_iter().find(|personality| personality.name() == wanted);
        known.unwrap_or_else(|| panic!("PASEO_PERSONALITY: there is no {wanted}"))
    }

    fn pause(self) -> Duration {
        match self {
            Self::Slow => Duration::from_millis(100),
            _ => Duration::ZERO,
        }
    }
}

/// Is claude or codex, until it ends. Returns the exit code.
pub fn run() -> i32 {
    let mut arguments = std::env::args();
    let started_as = arguments.next().unwrap_or_default();
    let name = Path::new(&started_as).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = std::env::var("PASEO_FAKE").ok().or(name).unwrap_or_default();
    let arguments: Vec<String> = arguments.collect();
    record::start(&name, &arguments);
    match name.as_str() {
        "claude" => claude::run(&arguments, Personality::from_environment()),
        "codex" => codex::run(&arguments, Personality::from_environment()),
        "pi" => pi::run(&arguments, Personality::from_environment()),
        "acp" | "opencode" => acp::run(&arguments, Personality::from_environment()),
        other => {
            pen::complain(&format!(
                "fake-harness: I am neither claude nor codex but `{other}`; set PASEO_FAKE"
            ));
            2
        }
    }
}

/// Returns a text in a JSON object, or nothing.
fn string(value: &Value, name: &str) -> Option<String> {
    value[name].as_str().map(str::to_owned)
}
