//! Descendants whose shim was killed: they become children of this process, which knows what they are.
//!
//! Nothing but our own book tells them from the children that we started: the kernel does not, and neither their
//! name nor their environment can be trusted to.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};
use tokio::process::{Child, Command};

use crate::process_table::{Process, children, find};

/// The children that this process started itself. Held while one is being started, so that none is ever a child
/// and not in the book.
static OWN: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// Held while orphans are ended: only who holds it waits for them, so their ids cannot be given to others meanwhile.
static ENDING: Mutex<()> = Mutex::new(());

/// Makes every orphan among our descendants a child of this process.
pub fn adopt() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Starts a program that [`end_all`] spares. Whatever a process that adopts orphans starts is to be started here.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut own = lock(&OWN);
    let child = command.spawn()?;
    own.retain(|process| find(process.pid) == Some(*process));
    // It is not waited for yet, so it still is in the table.
    own.extend(child.id().and_then(find));
    Ok(child)
}

/// Says whether we started a process ourselves, and it is no orphan that became our child.
pub fn is_own(process: Process) -> bool {
    lock(&OWN).contains(&process)
}

/// Ends the children that we did not start: what a killed shim has left. Returns how many there were.
///
/// Spares what runs our binary, too.
pub fn end_all(executable: &Path) -> usize {
    let _alone = lock(&ENDING);
    let mut ended = 0;
    // Whatever an orphan forked comes to us when it dies: look again until nothing is left.
    loop {
        let orphans = orphans(executable);
        if orphans.is_empty() {
            return ended;
        }
        for pid in orphans {
            // One that is gone already only has to be waited for.
            let _ = kill_process(pid, Signal::KILL);
            if matches!(waitpid(Some(pid), WaitOptions::empty()), Ok(Some(_))) {
                ended += 1;
            }
        }
    }
}

fn orphans(executable: &Path) -> Vec<Pid> {
    let own = lock(&OWN);
    let own: HashSet<u32> = own
        .iter()
        .filter(|process| find(process.pid) == Some(**process))
        .map(|process| process.pid)
        .collect();
    children(std::process::id())
        .into_iter()
        .filter(|pid| !own.contains(pid) && !runs(*pid, executable))
        .filter_map(|pid| Pid::from_raw(pid.cast_signed()))
        .collect()
}

/// As much of a program's name as the system keeps.
const COMM_BYTES: usize = 15;

/// Says whether a process runs our binary. One that has ended and is not waited for yet still has its name.
fn runs(pid: u32, executable: &Path) -> bool {
    let known_as = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let name = executable.file_name().unwrap_or_default().to_string_lossy();
    let same_name = known_as.trim_end().as_bytes() == &name.as_bytes()[..name.len().min(COMM_BYTES)];
    same_name || fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program == executable)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
