//! Asking a harness, in a short conversation of lines of JSON.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

use super::Error;
use crate::lines::Lines;
use crate::orphans;
use crate::provider::StartError;

/// How long a harness may take: some are large, and machines are busy.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most lines that are read.
const LINES: usize = 1000;

/// What is run, and what it is told.
pub(crate) struct Talk {
    pub(crate) name: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) removed: Vec<String>,
    pub(crate) says: Vec<Value>,
}

/// Runs a program until it answers, then ends it. `find` returns the answer once it comes, and nothing in it when that is
/// not what was asked for.
pub(crate) async fn talk<T>(
    talk: Talk,
    mut find: impl FnMut(&Value) -> Option<Option<T>>,
) -> Result<T, Error> {
    let name = talk.name.to_owned();
    let failed = |error: std::io::Error| {
        let message = format!("cannot start {}: {error}", talk.name);
        Error::Unset(StartError { message, hint: Some("run `paseo doctor`".to_owned()) })
    };
    let mut child = orphans::spawn(&mut command(&talk)).map_err(failed)?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::Malformed(name));
    };
    let talking = async {
        for line in &talk.says {
            // One that has ended already says nothing below.
            let _ = input.write_all(format!("{line}\n").as_bytes()).await;
        }
        let _ = input.flush().await;
        let mut lines = Lines::new(output);
        for _ in 0..LINES {
            let Ok(Some(line)) = lines.next().await else { break };
            let Ok(said) = serde_json::from_str(&line.text) else { continue };
            if let Some(answer) = find(&said) {
                return answer.ok_or_else(|| Error::Malformed(name.clone()));
            }
        }
        Err(Error::Malformed(name.clone()))
    };
    let told = timeout(PATIENCE, talking).await;
    // Without its input it would end by itself. No caller waits for that.
    let _ = child.kill().await;
    told.unwrap_or_else(|_| Err(Error::Slow(talk.name.to_owned(), PATIENCE.as_secs())))
}

#[allow(clippy::disallowed_methods)]
fn command(talk: &Talk) -> Command {
    let mut command = Command::new(&talk.program);
    command.args(&talk.arguments).envs(talk.environment.iter().map(|(name, value)| (name, value)));
    for name in &talk.removed {
        command.env_remove(name);
    }
    command
        // No project's configuration is to count.
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn told(script: &str) -> Result<i64, Error> {
        let talking = Talk {
            name: "agent",
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            environment: vec![("ANSWER".to_owned(), "7".to_owned())],
            removed: vec!["HOME".to_owned()],
            says: vec![json!({ "id": 1 }), json!({ "id": 2 })],
        };
        talk(talking, |line| Some(line.get("result")?.as_i64())).await
    }

    #[tokio::test]
    async fn a_harness_is_asked_and_ended() {
        let script = "read a; read b; echo noise; echo '{\"id\":1}'; echo \"{\\\"result\\\":$ANSWER$HOME}\"; exec sleep 600";
        assert_eq!(told(script).await, Ok(7));
    }

    #[tokio::test]
    async fn a_harness_that_says_something_else_or_nothing_is_told() {
        for script in ["exit 1", "exec <&-; exit 0", "yes '{}'", "echo '{\"result\":\"x\"}'; exec sleep 600"]
        {
            assert_eq!(told(script).await, Err(Error::Malformed("agent".to_owned())), "{script}");
        }
        let missing = Talk {
            name: "agent",
            program: "/nonexistent".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            removed: Vec::new(),
            says: Vec::new(),
        };
        assert!(matches!(talk(missing, |_| Some(Some(1))).await, Err(Error::Unset(_))));
    }
}
