//! The tmux server: found, checked and started, so that it outlives the daemon.

use std::env;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::error::Error;
use crate::orphans;
use crate::programs;

/// The oldest version that can give a session an environment of its own.
const OLDEST: (u32, u32) = (3, 2);

/// How long the server may take to listen, and the program to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether the server listens.
const LOOK: Duration = Duration::from_millis(5);

/// All that the server gets of our environment: what it has, every pane has.
const KEPT: [&str; 10] =
    ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "SHELL", "USER", "LOGNAME", "TMPDIR", "XDG_RUNTIME_DIR"];

/// Set before there is any session: a worker that dies at once leaves its last screen and its exit status.
const OPTIONS: [[&str; 3]; 20] = [
    ["-s", "exit-empty", "off"],
    ["-s", "escape-time", "0"],
    ["-s", "set-clipboard", "off"],
    ["-g", "remain-on-exit", "on"],
    // Its end is in the status line: the last screen is the program's own.
    ["-g", "remain-on-exit-format", ""],
    ["-g", "history-limit", "50000"],
    ["-g", "window-size", "latest"],
    ["-g", "default-size", "160x48"],
    ["-g", "update-environment", ""],
    ["-g", "set-titles", "off"],
    ["-g", "allow-rename", "off"],
    ["-g", "automatic-rename", "off"],
    // Workers are found by their names: a changed name is restored.
    ["-g", "session-renamed", "if-shell -F '#{@paseo_name}' \"rename-session -- '#{@paseo_name}'\""],
    ["-g", "bell-action", "none"],
    ["-g", "mouse", "on"],
    // Its viewers are told when it ends.
    ["-g", "status-interval", "1"],
    [
        "-g",
        "status-left",
        " #{session_name}#{?pane_dead, has ended#{?pane_dead_status, with #{pane_dead_status},}: a message starts it again,} ",
    ],
    ["-g", "status-left-length", "70"],
    // `worker attach` notes the clients that are in another tmux, which takes the first key for itself.
    [
        "-g",
        "status-right",
        " C-b #{?#{m:* #{client_pid} *,#{@paseo_nested}},C-b ,}d leaves it#{?pane_dead,, running} ",
    ],
    ["-g", "window-status-current-format", ""],
];

/// What was found on this machine.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    pub(super) tmux: PathBuf,
    /// Has a program killed when its parent dies, where the system can do that.
    setpriv: Option<PathBuf>,
}

/// Finds the program, and checks that it is new enough.
pub(super) async fn find() -> Result<Installed, Error> {
    let tmux = programs::find("tmux", None).ok_or(Error::NotInstalled)?;
    let mut installed = Installed { tmux, setpriv: programs::find("setpriv", None) };
    let mut found = installed.version().await?;
    if found.is_empty() && installed.setpriv.take().is_some() {
        found = installed.version().await?;
    }
    if is_new_enough(&found) { Ok(installed) } else { Err(Error::TooOld { found }) }
}

impl Installed {
    async fn version(&self) -> Result<String, Error> {
        let asked = orphans::spawn(self.client().arg("-V").stdin(Stdio::null()).stdout(Stdio::piped()));
        let output = timeout(PATIENCE, asked?.wait_with_output())
            .await
            .map_err(|_| Error::silent("-V".to_owned(), PATIENCE, None))??;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Prepares a client that does not outlive us: a server that hangs lets none of them go, nor does one that was in
    /// the middle of an answer, and it would not end before they do. Strictly it is killed with the thread that starts
    /// it, so that must be one that stays.
    pub(super) fn client(&self) -> Command {
        match &self.setpriv {
            Some(setpriv) => {
                let mut command = plain(setpriv);
                command.args(["--pdeathsig", "KILL", "--"]).arg(&self.tmux);
                command
            }
            None => plain(&self.tmux),
        }
    }
}

/// Returns the process id of the server that listens, or `None` when there surely is none: a second one behind the same
/// socket would leave the workers of the first unreachable.
pub(super) async fn listens(socket: &Path) -> Result<Option<u32>, Error> {
    match UnixStream::connect(socket).await {
        Ok(server) => {
            let pid = server.peer_cred().ok().and_then(|whose| whose.pid());
            Ok(Some(pid.map_or(0, i32::cast_unsigned)))
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => Ok(None),
        Err(error) => Err(Error::Unreachable { socket: socket.to_owned(), error }),
    }
}

/// Waits until the server answers anything at all. One that hangs does not find a client in control mode half way when
/// it goes on: whatever else it has to tell such clients then is the end of some tmux.
pub(super) async fn answers(installed: &Installed, socket: &Path) -> io::Result<()> {
    let mut command = installed.client();
    command.args(["-u", "-f", "/dev/null", "-S"]).arg(socket).arg("list-sessions");
    command.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
    orphans::spawn(&mut command)?.wait().await.map(drop)
}

/// Starts the server and waits until it listens. Returns its process id.
///
/// It stays our own child instead of making itself a daemon: what is not in the book of our children would be taken
/// for an orphan. It has a session of its own and nothing that ends with us, so it outlives us nevertheless.
pub(super) async fn start(program: &Path, socket: &Path) -> Result<Option<u32>, Error> {
    let mut child =
        orphans::spawn(&mut server(program, socket)).map_err(|error| Error::NoServer(error.to_string()))?;
    let deadline = Instant::now() + PATIENCE;
    let server = loop {
        if let Some(server) = listens(socket).await? {
            break server;
        }
        if let Some(status) = child.try_wait()? {
            return Err(Error::NoServer(format!("it ended immediately ({status})")));
        }
        if Instant::now() > deadline {
            return Err(Error::NoServer(format!("it is not listening on {}", socket.display())));
        }
        sleep(LOOK).await;
    };
    tokio::spawn(async move { child.wait().await });
    Ok(Some(server))
}

/// Starts a client that takes commands on its stdin, after it has set the options of the server.
pub(super) fn connect(installed: &Installed, socket: &Path, session: &str) -> io::Result<Child> {
    let mut command = installed.client();
    command.args(["-u", "-f", "/dev/null", "-S"]).arg(socket).arg("-C");
    command.args(["set-option", "-s", "default-terminal", terminal_type()]);
    for option in OPTIONS {
        // Older ones do not know all of them.
        command.args([";", "set-option", "-q"]).args(option);
    }
    // A client stays only as long as it is attached to something. A dead pane is something, and takes no process.
    command.args([";", "new-session", "-A", "-E", "-s", session, "--", "true", "true"]);
    // It ends by itself when its stdin is closed.
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    orphans::spawn(&mut command)
}

fn server(program: &Path, socket: &Path) -> Command {
    // Without a program for it, it has at least a process group of its own.
    let mut command = match programs::find("setsid", None) {
        Some(setsid) => {
            let mut command = plain(&setsid);
            command.arg(program);
            command
        }
        None => {
            let mut command = plain(program);
            command.process_group(0);
            command
        }
    };
    command.args(["-D", "-f", "/dev/null", "-S"]).arg(socket).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Prepares a program with as little environment as possible: nothing of the user's tmux leads it astray.
#[allow(clippy::disallowed_methods)]
fn plain(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("TERM", "dumb").current_dir("/").stderr(Stdio::null());
    command.envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
    command
}

/// Returns the best terminal that is described on this machine.
fn terminal_type() -> &'static str {
    let described = |name: &&str| {
        let folders = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"];
        folders.iter().any(|folder| Path::new(folder).join(&name[..1]).join(name).exists())
    };
    ["tmux-256color", "screen-256color"].into_iter().find(described).unwrap_or("screen")
}

/// Reads `tmux 3.3a`, `tmux next-3.5`, `tmux openbsd-7.4`. What has no number is taken as new.
fn is_new_enough(version: &str) -> bool {
    let Some(number) = version.split([' ', '-']).find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return version.starts_with("tmux");
    };
    let mut parts = number.split('.').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap_or(0)
    });
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        for new in ["tmux 3.2", "tmux 3.3a", "tmux next-3.5", "tmux 10.0", "tmux openbsd-7.4", "tmux master"]
        {
            assert!(is_new_enough(new), "{new}");
        }
        for old in ["tmux 3.1c", "tmux 2.9", "tmux 1.8", "", "sh: 3"] {
            assert!(!is_new_enough(old), "{old}");
        }
    }
}
