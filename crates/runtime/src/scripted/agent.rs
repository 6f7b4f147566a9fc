//! The process of a scripted agent: reads requests, runs turns, reports.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use paseo_core::id::{SessionId, TurnId};
use paseo_core::time::Timestamp;
use rustix::process::{Signal, getpid, kill_process};

use super::front::{self, Front};
use super::plan::plan;
use super::script::{Crash, StartFile};
use super::turn::{SCRIPT_ERROR, Stop, Turn};
use crate::fresh::now;
use crate::own_agent::Link;
use crate::process_table::SESSION_VARIABLE;
use crate::provider::{Failed, FailureCode, Input, Message, Output, TurnEnd};

/// What the process is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// How many turns the conversation had before.
    pub turns: u64,
    /// The start file.
    pub script: Option<PathBuf>,
    /// Set in a terminal.
    pub front: Option<Front>,
}

impl Arguments {
    /// Returns them as they stand on the command line.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> =
            vec!["scripted-agent".into(), "--turns".into(), self.turns.to_string().into()];
        if let Some(script) = &self.script {
            words.extend(["--script".into(), script.into()]);
        }
        if let Some(Front { record, asks }) = &self.front {
            words.extend(["--record".into(), record.into(), "--asks".into(), asks.to_string().into()]);
        }
        words
    }

    /// Reads what [`Arguments::words`] wrote, behind the name of the command.
    pub fn read(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut turns, mut script, mut record, mut asks) = (None, None, None, false);
        while let Some(word) = words.next() {
            let value = words.next()?;
            match word.to_str()? {
                "--turns" => turns = Some(value.to_str()?.parse().ok()?),
                "--script" => script = Some(value.into()),
                "--record" => record = Some(value.into()),
                "--asks" => asks = value.to_str()?.parse().ok()?,
                _ => return None,
            }
        }
        let front = record.map(|record| Front { record, asks });
        Some(Self { turns: turns?, script, front })
    }
}

/// Runs the agent until there are no more requests: on stdin and stdout, or in a terminal.
pub fn run(arguments: Arguments) -> ExitCode {
    let served = match arguments.front.clone() {
        Some(front) => front::serve(arguments, &front),
        None => serve(arguments),
    };
    match served {
        Ok(code) => code,
        Err(error) => {
            writeln!(io::stderr(), "paseo scripted-agent: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Reads and parses a start file.
pub(super) fn read_start_file(path: &Path) -> Result<StartFile, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read the script file {}: {error}", path.display()))?;
    StartFile::parse(&text).map_err(|reason| format!("invalid script file {}: {reason}", path.display()))
}

/// Returns whose process this is. That stands in the environment alone: everybody can read command lines.
fn session() -> io::Result<SessionId> {
    let session = std::env::var(SESSION_VARIABLE).ok().and_then(|session| session.parse().ok());
    session.ok_or_else(|| io::Error::other(format!("{SESSION_VARIABLE} does not name an agent")))
}

fn serve(arguments: Arguments) -> io::Result<ExitCode> {
    let start_file =
        arguments.script.as_deref().map(read_start_file).transpose().map_err(io::Error::other)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut link = Link::open()?;
        link.send(Output::Reference(session()?.to_string())).await?;
        let mut number = arguments.turns;
        while let Some(input) = link.next().await? {
            // Everything else speaks of a turn that is over.
            let Input::Turn { turn, messages } = input else { continue };
            number += 1;
            link.send(Output::Handed { turn }).await?;
            let end = match run_turn(&mut link, turn, &messages, start_file.as_ref(), number).await {
                Ok(()) => TurnEnd::Completed,
                Err(Stop::Interrupted) => TurnEnd::Interrupted,
                Err(Stop::Failed { code, text }) => {
                    TurnEnd::Failed(Failed { code: FailureCode::Own(code.to_owned()), text, until: None })
                }
                Err(Stop::Limited(left)) => {
                    let left = i64::try_from(left.as_millis()).unwrap_or(i64::MAX);
                    let until = Timestamp::from_millis(now().as_millis().saturating_add(left));
                    let text = "The limit in this script is reached.".to_owned();
                    TurnEnd::Failed(Failed { code: FailureCode::RateLimited, text, until: Some(until) })
                }
                Err(Stop::Crashed(Crash::Exit(code))) => return Ok(ExitCode::from(code)),
                Err(Stop::Crashed(Crash::Kill)) => {
                    kill_process(getpid(), Signal::KILL)?;
                    std::future::pending().await
                }
                Err(Stop::Broken(error)) => return Err(error),
            };
            link.send(Output::TurnEnded { turn, end }).await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn run_turn(
    link: &mut Link,
    turn: TurnId,
    messages: &[Message],
    start_file: Option<&StartFile>,
    number: u64,
) -> Result<(), Stop> {
    let steps = plan(messages, start_file, number)
        .map_err(|malformed| Stop::Failed { code: SCRIPT_ERROR, text: malformed.to_string() })?;
    Turn::new(link, turn, steps).run().await
}
