//! Ending the commands that a turn started, also those that got out of the harness's sight.

use std::collections::HashSet;

use rustix::process::{Pid, Signal, kill_process};

use crate::process_table::{self, Process};

/// How often it is looked for more: what is being ended may still start others.
const ROUNDS: usize = 8;

/// Ends the descendants that carry a variable and are not among those noted, nor descend from one that carries it.
pub(crate) fn end_new(shim: u32, noted: &[Process], variable: &str) {
    let marked = |process: &Process| process_table::carries(process.pid, variable);
    for _ in 0..ROUNDS {
        let mut spared: HashSet<Process> = noted.iter().copied().collect();
        let earlier = noted.iter().filter(|process| marked(process));
        spared.extend(earlier.flat_map(|process| process_table::descendants(process.pid)));
        let found = process_table::descendants(shim);
        let new: Vec<_> =
            found.into_iter().filter(|process| !spared.contains(process) && marked(process)).collect();
        if new.is_empty() {
            return;
        }
        for process in new {
            if let Some(pid) = Pid::from_raw(process.pid.cast_signed()) {
                // It may be gone already.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// Starts a shell that starts a sleeper out of its own session, and says when that is done.
    #[allow(clippy::disallowed_methods)]
    fn sleeper(variable: &str) -> Child {
        let mut child = Command::new("sh")
            .args(["-c", "setsid sleep 600 & echo; wait"])
            .env(variable, "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        child
    }

    #[test]
    fn only_new_ones_that_carry_the_mark_are_ended() {
        let (mut old, mut unmarked) = (sleeper("TEST_COMMAND"), sleeper("TEST_OTHER"));
        let us = std::process::id();
        let noted = process_table::descendants(us);
        let mut new = sleeper("TEST_COMMAND");
        end_new(us, &noted, "TEST_COMMAND");
        new.wait().unwrap();
        // Its pipe is at its end: the sleeper that held it open is gone too.
        new.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap();
        for spared in [&mut old, &mut unmarked] {
            assert_eq!(spared.try_wait().unwrap(), None);
        }
        for mut child in [old, unmarked] {
            for process in process_table::descendants(child.id()) {
                let _ = kill_process(Pid::from_raw(process.pid.cast_signed()).unwrap(), Signal::KILL);
            }
            child.wait().unwrap();
        }
    }
}
