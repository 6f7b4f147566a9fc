//! No descendant survives: not the shim's work, and not the sweep that stands in for a lost shim.

use std::os::unix::process::ExitStatusExt;

use paseo_core::id::SessionId;
use paseo_runtime::process::{self, Process};
use paseo_runtime::process_table::{Mark, ancestors, descendants, mark};
use paseo_runtime::sweep::{Sweep, sweep};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{PATIENCE, Place, executable, within};

/// Programs whose processes are hard to end. Each opens the witness and says `ready` and a process id.
const STUBBORN: [(&str, &str); 6] = [
    ("plain", "exec 9>witness; echo ready $$ >&9; sleep 1000"),
    ("setsid", "setsid sh -c 'exec 9>witness; echo ready $$ >&9; sleep 1000' & wait"),
    ("double fork", "(setsid sh -c 'exec 9>witness; echo ready $$ >&9; sleep 1000' &) ; sleep 1000"),
    ("ignores SIGTERM", "trap '' TERM; exec 9>witness; echo ready $$ >&9; sleep 1000; sleep 1000"),
    ("stopped", "trap '' TERM HUP; sh -c 'exec 9>witness; echo ready $$ >&9; kill -STOP $$; sleep 1000'"),
    (
        "forks and exits for ever",
        "exec 9>witness; echo 'sh loop & exit' >loop; echo ready $$ >&9; trap '' TERM; sh loop; sleep 1000",
    ),
];

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
}

fn pid_of(ready: &str) -> u32 {
    ready.strip_prefix("ready ").unwrap_or_else(|| panic!("`{ready}`")).parse().unwrap()
}

fn is_gone(pid: u32) -> bool {
    !std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn the_exit_code_is_the_programs() {
    let place = Place::new();
    for (script, code, signal) in
        [("exit 0", Some(0), None), ("exit 7", Some(7), None), ("kill -KILL $$", None, Some(9))]
    {
        let exit = within(process::start(place.shell(script)).unwrap().output.finish()).await;
        assert_eq!((exit.code, exit.signal), (code, signal), "{script}");
        assert!(!exit.shim_killed, "{script}");
    }
}

#[tokio::test]
async fn a_program_that_does_not_exist_says_so() {
    let place = Place::new();
    let mut program = place.shell("");
    program.program = "no-such-program".into();
    let exit = within(process::start(program).unwrap().output.finish()).await;
    assert_eq!(exit.code, Some(127));
    assert!(exit.stderr.contains("no-such-program"), "{}", exit.stderr);
}

#[tokio::test]
async fn the_program_does_not_see_the_control_channel() {
    let place = Place::new();
    let script = "for d in /proc/$$/fd/*; do readlink $d; done; echo problem >&2";
    let mut process = process::start(place.shell(script)).unwrap();
    let mut open = Vec::new();
    while let Some(line) = within(process.output.next()).await {
        open.push(line.text);
    }
    assert!(open.iter().filter(|target| target.starts_with("pipe:")).count() >= 3, "{open:?}");
    // What the test itself was given by whoever runs it does not count.
    let own: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|entry| Some(std::fs::read_link(entry.ok()?.path()).ok()?.to_str()?.to_owned()))
        .collect();
    open.retain(|target| target.starts_with("socket:") && !own.contains(target));
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(within(process.output.finish()).await.stderr, "problem\n");
}

#[tokio::test]
async fn a_closed_control_channel_ends_every_descendant() {
    for (name, script) in STUBBORN {
        let place = Place::new();
        let mut witness = place.witness();
        let Process { shim, mut control, output, .. } = process::start(place.shell(script)).unwrap();
        let ready = pid_of(&witness.line().await);
        control.stop();
        witness.gone().await;
        within(output.finish()).await;
        assert!(is_gone(ready) && is_gone(shim), "{name}");
        assert_eq!(sweep(place.home(), Sweep::AllBut(&[])), 0, "{name}");
    }
}

#[tokio::test]
#[allow(clippy::disallowed_methods)]
async fn a_killed_daemon_takes_every_descendant_with_it() {
    for (name, script) in STUBBORN {
        let place = Place::new();
        let mut witness = place.witness();
        let mut daemon = tokio::process::Command::new(executable())
            .args(["daemon", "--", "sh", "-c", script])
            .current_dir(place.home())
            .envs(place.environment())
            .env("TEST_SESSION", place.session.to_string())
            .spawn()
            .unwrap();
        let ready = pid_of(&witness.line().await);
        let chain = ancestors(ready).unwrap();
        let daemon_pid = daemon.id().unwrap();
        let position = chain.iter().position(|process| process.pid == daemon_pid).unwrap();
        let shim = chain[position - 1].pid;
        daemon.kill().await.unwrap();
        witness.gone().await;
        wait_for_end(shim).await;
        assert!(is_gone(ready), "{name}");
        assert_eq!(sweep(place.home(), Sweep::AllBut(&[])), 0, "{name}");
    }
}

#[tokio::test]
async fn the_end_of_the_program_is_the_end_of_what_it_left() {
    let place = Place::new();
    let mut witness = place.witness();
    let script = "setsid sh -c 'exec 9>witness; echo ready $$ >&9; sleep 1000' & read line; exit 3";
    let Process { output, mut stdin, control, .. } = process::start(place.shell(script)).unwrap();
    let ready = pid_of(&witness.line().await);
    tokio::io::AsyncWriteExt::write_all(&mut stdin, b"go\n").await.unwrap();
    let exit = within(output.finish()).await;
    assert_eq!(exit.code, Some(3));
    assert!(is_gone(ready));
    drop(control);
}

#[tokio::test]
async fn signals_end_the_shim_in_good_order() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let place = Place::new();
        let mut witness = place.witness();
        let process = process::start(place.shell(STUBBORN[1].1)).unwrap();
        let ready = pid_of(&witness.line().await);
        kill_process(Pid::from_raw(process.shim.cast_signed()).unwrap(), signal).unwrap();
        let exit = within(process.output.finish()).await;
        assert_eq!((exit.code, exit.signal, exit.shim_killed), (None, Some(15), false));
        assert!(is_gone(ready));
    }
}

#[tokio::test]
#[allow(clippy::disallowed_methods)]
async fn the_sweep_finds_what_a_killed_shim_left_and_spares_the_rest() {
    let place = Place::new();
    let other = Place::new();
    let bystander = |home: &Place| {
        let mut command = tokio::process::Command::new("sleep");
        command.arg("1000").env("PASEO_HOME", home.home()).env("PASEO_SESSION", other.session.to_string());
        command.kill_on_drop(true).spawn().unwrap()
    };
    let mut elsewhere = bystander(&other);
    let mut same_home = bystander(&place);
    for (name, script) in &STUBBORN[..5] {
        std::fs::remove_file(place.home().join("witness")).ok();
        let mut witness = place.witness();
        let mut program = place.shell(script);
        // Without the home the shim's own watcher cannot sweep, so the sweep below has to.
        program.environment.retain(|(variable, _)| variable == "PASEO_SESSION");
        program.arguments.insert(0, "PASEO_HOME=".into());
        program.arguments[0].push(place.home());
        program.arguments.insert(1, "sh".into());
        program.program = "env".into();
        let process = process::start(program).unwrap();
        let ready = pid_of(&witness.line().await);
        kill(process.shim);
        assert_eq!(sweep(place.home(), Sweep::Session(SessionId::from_random([9; 16]))), 0, "{name}");
        assert!(!is_gone(ready), "{name}");
        assert!(sweep(place.home(), Sweep::Session(place.session)) > 0, "{name}");
        witness.gone().await;
        let exit = within(process.output.finish()).await;
        assert_eq!(exit.signal, Some(9), "{name}");
    }
    assert!(same_home.try_wait().unwrap().is_none());
    let link = other.home().join("link");
    std::os::unix::fs::symlink(place.home(), &link).unwrap();
    assert_eq!(sweep(&link, Sweep::AllBut(&[])), 1);
    assert_eq!(within(same_home.wait()).await.unwrap().signal(), Some(9));
    assert!(elsewhere.try_wait().unwrap().is_none());
}

#[tokio::test]
async fn a_killed_shim_is_cleaned_up_after() {
    let place = Place::new();
    let mut witness = place.witness();
    let process = process::start(place.shell(STUBBORN[2].1)).unwrap();
    pid_of(&witness.line().await);
    kill(process.shim);
    let exit = within(process.output.finish()).await;
    assert_eq!((exit.signal, exit.shim_killed), (Some(9), true));
    witness.gone().await;
}

#[tokio::test]
async fn a_grandchild_in_hiding_is_found_under_its_shim() {
    let place = Place::new();
    let mut witness = place.witness();
    let process = process::start(place.shell(STUBBORN[2].1)).unwrap();
    let ready = pid_of(&witness.line().await);
    let chain = ancestors(ready).unwrap();
    assert!(chain.iter().any(|ancestor| ancestor.pid == process.shim), "{chain:?}");
    assert!(chain.iter().any(|ancestor| ancestor.pid == std::process::id()), "{chain:?}");
    assert_eq!(mark(ready), Some(Mark { session: place.session, home: place.home().to_owned() }));
    assert!(descendants(process.shim).iter().any(|descendant| descendant.pid == ready));
    assert_eq!(mark(std::process::id()), None);
}

async fn wait_for_end(pid: u32) {
    let Some(pid) = Pid::from_raw(pid.cast_signed()) else { return };
    let Ok(descriptor) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) else {
        return;
    };
    within(tokio::task::spawn_blocking(move || {
        let timeout = rustix::event::Timespec::try_from(PATIENCE).unwrap();
        let mut polled = [rustix::event::PollFd::new(&descriptor, rustix::event::PollFlags::IN)];
        assert_eq!(rustix::event::poll(&mut polled, Some(&timeout)), Ok(1));
    }))
    .await
    .unwrap();
}
