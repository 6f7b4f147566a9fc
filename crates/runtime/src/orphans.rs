//! Descendants whose shim was killed: they become children of this process, which knows what they are.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};

use crate::process_table::children;

/// Makes every orphan among our descendants a child of ours, instead of nobody's.
pub fn adopt() -> std::io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Ends the children that are no program of ours: what a killed shim has left. Returns how many there were.
pub fn end_all(executable: &Path) -> usize {
    let own = std::process::id();
    let mut ended = 0;
    // Whatever an orphan forked comes to us when it dies: look again until nothing is left.
    loop {
        let orphans: Vec<u32> = children(own).into_iter().filter(|pid| !runs(*pid, executable)).collect();
        let pids: Vec<Pid> = orphans.iter().filter_map(|pid| Pid::from_raw(pid.cast_signed())).collect();
        if pids.is_empty() {
            return ended;
        }
        for pid in pids {
            // One that is gone already only has to be waited for.
            let _ = kill_process(pid, Signal::KILL);
            if matches!(waitpid(Some(pid), WaitOptions::empty()), Ok(Some(_))) {
                ended += 1;
            }
        }
    }
}

/// Says whether a process runs our binary: a shim, or a child of ours that is just being started. One that has
/// ended and is not waited for yet still has its name, and somebody waits for it.
fn runs(pid: u32, executable: &Path) -> bool {
    let known_as = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let name = executable.file_name().unwrap_or_default().to_string_lossy();
    let same_name = name.starts_with(known_as.trim_end()) && !known_as.trim_end().is_empty();
    same_name || fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program == executable)
}
