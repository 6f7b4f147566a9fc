//! Reading the table of processes: who descends from whom, and which session a process is marked with.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use paseo_core::ancestry::Claim;
use paseo_core::id::SessionId;

/// The variable that marks a descendant with its session.
pub const SESSION_VARIABLE: &str = "PASEO_SESSION";

/// The variable that marks a descendant with the home of its daemon.
pub const HOME_VARIABLE: &str = "PASEO_HOME";

/// How often a walk is repeated when processes come and go under it.
const ATTEMPTS: usize = 16;

/// One process. The start time tells it from a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    pub pid: u32,
    /// In clock ticks since boot.
    pub start_time: u64,
}

/// Whose process it is, as its environment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub session: SessionId,
    pub home: PathBuf,
}

/// Returns the process itself, its parent, and so on up to the first process.
///
/// The chain is one that really existed: a process that was reparented or replaced on the way makes
/// the walk start again.
pub fn ancestors(pid: u32) -> io::Result<Vec<Process>> {
    for _ in 0..ATTEMPTS {
        if let Some(chain) = walk_up(pid)? {
            return Ok(chain);
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, format!("the ancestors of process {pid} keep changing")))
}

/// Returns the process that has this id now, ended but unreaped ones too.
pub(crate) fn find(pid: u32) -> Option<Process> {
    Entry::read(pid).ok().map(|entry| entry.process)
}

/// Returns every process that descends from this one.
pub fn descendants(pid: u32) -> Vec<Process> {
    let mut offspring: HashMap<u32, Vec<Process>> = HashMap::new();
    for pid in all() {
        if let Ok(entry) = Entry::read(pid) {
            offspring.entry(entry.parent).or_default().push(entry.process);
        }
    }
    let mut found = offspring.remove(&pid).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = found.get(next) {
        // Each list is taken out, so a table read in motion cannot lead in a circle.
        found.extend(offspring.remove(&process.pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// Returns the mark that a process carries, when it carries one and we may read it.
pub fn mark(pid: u32) -> Option<Mark> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let session = variable(&environment, SESSION_VARIABLE)?;
    let home = variable(&environment, HOME_VARIABLE)?;
    let session = std::str::from_utf8(session).ok()?.parse().ok()?;
    Some(Mark { session, home: PathBuf::from(OsStr::from_bytes(home)) })
}

/// Returns what the environment of a process claims about its session, to the daemon of a home.
pub fn claim(process: Process, is_home: impl Fn(&Path) -> bool) -> Claim {
    let Ok(environment) = fs::read(format!("/proc/{}/environ", process.pid)) else {
        return Claim::Unreadable;
    };
    // A process that is ending has none any more, and reads like one that was started without any variable. Only the
    // latter still has a program.
    let has_program = || fs::read_link(format!("/proc/{}/exe", process.pid)).is_ok();
    if (environment.is_empty() && !has_program()) || find(process.pid) != Some(process) {
        return Claim::Unreadable;
    }
    claimed(&environment, is_home)
}

/// Says whether a process has ended, or is just ending: then it has no program any more.
pub fn is_gone(process: Process) -> bool {
    let program = fs::read_link(format!("/proc/{}/exe", process.pid));
    find(process.pid) != Some(process) || program.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Says whether a process was started by the tmux server behind a socket, wherever it is now.
pub fn comes_from(process: Process, socket: &Path) -> bool {
    let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
    let server = [socket.as_os_str().as_bytes(), b","].concat();
    values(&environment, "TMUX").iter().any(|value| value.starts_with(&server))
}

/// Reads the claim in an environment. A mark without a home, or with one that depends on where a process is, may be of
/// any home, so it is not ignored.
fn claimed(environment: &[u8], is_home: impl Fn(&Path) -> bool) -> Claim {
    let (sessions, homes) = (values(environment, SESSION_VARIABLE), values(environment, HOME_VARIABLE));
    let is_other = |home: &&[u8]| home.starts_with(b"/") && !is_home(Path::new(OsStr::from_bytes(home)));
    let is_elsewhere = !homes.is_empty() && homes.iter().all(is_other);
    match (sessions.as_slice(), homes.as_slice()) {
        (sessions, _) if sessions.is_empty() || is_elsewhere => {
            if is_list_of_variables(environment) {
                Claim::None
            } else {
                Claim::Unreadable
            }
        }
        ([session], [home]) if home.starts_with(b"/") => {
            let session = std::str::from_utf8(session).ok().and_then(|session| session.parse().ok());
            session.map_or(Claim::Malformed, Claim::Session)
        }
        _ => Claim::Malformed,
    }
}

/// Says whether this is an environment as programs are started with, and not what one wrote over it.
fn is_list_of_variables(environment: &[u8]) -> bool {
    let Some((0, entries)) = environment.split_last() else { return environment.is_empty() };
    entries.split(|byte| *byte == 0).all(|entry| entry.iter().skip(1).any(|byte| *byte == b'='))
}

/// Returns the different values of a variable: an environment may name it twice, and programs differ in which counts.
fn values<'a>(environment: &'a [u8], name: &str) -> Vec<&'a [u8]> {
    let mut values: Vec<&[u8]> = environment
        .split(|byte| *byte == 0)
        .filter_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns the environment that a process was started with, as far as it is text and we may read it. One that has ended
/// has none.
pub(crate) fn environment(pid: u32) -> Option<Vec<(String, String)>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok().filter(|read| !read.is_empty())?;
    let entries = environment.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    Some(entries.filter_map(|entry| entry.split_once('=')).map(|(n, v)| (n.into(), v.into())).collect())
}

/// Returns the files that a process has open for writing, as far as we may see them.
pub(crate) fn written_files(pid: u32) -> Vec<PathBuf> {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let written = open.flatten().filter(|entry| {
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{}", entry.file_name().display()));
        info.is_ok_and(|info| is_written(&info))
    });
    written.filter_map(|entry| fs::read_link(entry.path()).ok()).collect()
}

/// Reads from what the kernel says of a file descriptor whether it can be written to.
fn is_written(info: &str) -> bool {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap_or(0);
    // The access mode is in the last two bits: 0 reads only.
    flags & 0o3 != 0
}

/// Says whether a process has a variable in its environment, as far as we may read it.
pub(crate) fn carries(pid: u32, name: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| variable(&environment, name).is_some())
}

/// Says whether a process is there and goes on: neither it nor one that descends from it was suspended, and nobody knows
/// which of them the others wait for.
pub fn goes_on(pid: u32) -> bool {
    let has_ended = matches!(letter(pid), None | Some(b'Z' | b'X' | b'x'));
    !has_ended && !is_stopped(pid) && !descendants(pid).into_iter().any(|process| is_stopped(process.pid))
}

/// Says whether a process itself was suspended.
pub(crate) fn is_stopped(pid: u32) -> bool {
    matches!(letter(pid), Some(b'T' | b't'))
}

/// Returns the letter for what a process does; `None` when it is gone.
fn letter(pid: u32) -> Option<u8> {
    state(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Says whether a process has ended and was not reaped yet.
pub(crate) fn has_ended(pid: u32) -> bool {
    let line = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    matches!(state(&line), Some(b'Z'))
}

/// Returns the ids of a process's children, ended but unreaped ones too.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    listed_children(pid).unwrap_or_else(|_| {
        all().filter(|candidate| Entry::read(*candidate).is_ok_and(|entry| entry.parent == pid)).collect()
    })
}

/// Returns the ids of all processes.
pub(crate) fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Reads the kernel's own list, which some kernels are built without.
fn listed_children(pid: u32) -> io::Result<Vec<u32>> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let list = fs::read_to_string(task?.path().join("children"))?;
        found.extend(list.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
    }
    Ok(found)
}

/// Walks up once. `None` when the table changed under it.
fn walk_up(pid: u32) -> io::Result<Option<Vec<Process>>> {
    let mut current = Entry::read(pid)?;
    let mut chain = vec![current.process];
    while current.parent != 0 {
        let Ok(parent) = Entry::read(current.parent) else { return Ok(None) };
        // A parent is older than its child; a younger one only took over the id.
        let plausible = parent.process.start_time <= current.process.start_time;
        let repeated = chain.iter().any(|process| process.pid == parent.process.pid);
        if !plausible || repeated {
            return Ok(None);
        }
        match Entry::read(current.process.pid) {
            Ok(again) if again == current => {}
            Ok(_) | Err(_) => return Ok(None),
        }
        chain.push(parent.process);
        current = parent;
    }
    Ok(Some(chain))
}

fn variable<'a>(environment: &'a [u8], name: &str) -> Option<&'a [u8]> {
    environment
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

/// Returns the letter for what a process does, of its line of the table.
fn state(line: &[u8]) -> Option<u8> {
    let name_end = line.iter().rposition(|byte| *byte == b')')?;
    line.get(name_end + 2).copied()
}

/// A line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    process: Process,
    /// Zero when the parent is out of sight.
    parent: u32,
}

impl Entry {
    fn read(pid: u32) -> io::Result<Self> {
        let line = fs::read(format!("/proc/{pid}/stat"))?;
        Self::parse(pid, &line)
            .ok_or_else(|| io::Error::other(format!("process {pid} has no readable state")))
    }

    /// Parses `pid (name) state parent …`. The name may hold anything, brackets and spaces too.
    fn parse(pid: u32, line: &[u8]) -> Option<Self> {
        let name_end = line.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(line.get(name_end + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let parent = fields.nth(1)?.parse().ok()?;
        let start_time = fields.nth(17)?.parse().ok()?;
        Some(Self { process: Process { pid, start_time }, parent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_is_no_trap() {
        let line = b"42 (a) R 1 (b) S 7 42 42 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9001 0 0";
        let entry = Entry::parse(42, line).unwrap();
        assert_eq!(entry, Entry { process: Process { pid: 42, start_time: 9001 }, parent: 7 });
    }

    #[test]
    fn half_a_line_is_no_entry() {
        for line in [&b""[..], b"42 (a", b"42 (a) S", b"42 (a) S x 1 2 3", b"42 (a) S 7 42"] {
            assert_eq!(Entry::parse(42, line), None);
        }
    }

    #[test]
    fn whoever_is_suspended_is_known_by_its_letter() {
        assert_eq!(state(b"42 (a) R 1 (b) T 7 42"), Some(b'T'));
        assert_eq!(state(b"42 (a)"), None);
        assert!(goes_on(std::process::id()) && !goes_on(u32::MAX));
    }

    #[test]
    fn the_chain_starts_with_the_process_and_gets_older() {
        let chain = ancestors(std::process::id()).unwrap();
        assert_eq!(chain[0].pid, std::process::id());
        assert!(chain.len() > 1);
        assert!(chain.windows(2).all(|pair| pair[1].start_time <= pair[0].start_time));
    }

    #[test]
    fn nobody_has_no_ancestors() {
        assert_eq!(ancestors(u32::MAX).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_claim_names_one_session_of_this_home_or_is_none() {
        let session = SessionId::from_random([7; 16]);
        let claim = |text: &str| claimed(text.replace(' ', "\0").as_bytes(), |home| home == Path::new("/h"));
        let own = format!("PASEO_SESSION={session}");
        assert_eq!(claim(&format!("A=1 {own} PASEO_HOME=/h ")), Claim::Session(session));
        // Twice the same is the same.
        assert_eq!(claim(&format!("{own} PASEO_HOME=/h {own} PASEO_HOME=/h ")), Claim::Session(session));
        for other in [
            "A=1 ",
            "A=1 PASEO_HOME=/h ",
            "PASEO_SESSION=x PASEO_HOME=/other ",
            "PASEO_SESSIONS=x PASEO_HOME=/h ",
            "",
        ] {
            assert_eq!(claim(other), Claim::None, "{other}");
        }
        for malformed in [
            "PASEO_SESSION= PASEO_HOME=/h ".to_owned(),
            "PASEO_SESSION=3f2a PASEO_HOME=/h ".to_owned(),
            format!("{own} "),
            format!("{own} PASEO_SESSION=x PASEO_HOME=/h "),
            format!("{own} PASEO_HOME=/h PASEO_HOME=/other "),
            format!("{own}x PASEO_HOME=/h "),
        ] {
            assert_eq!(claim(&malformed), Claim::Malformed, "{malformed}");
        }
    }

    #[test]
    fn what_is_no_environment_claims_nothing() {
        for garbage in
            [&b"title of a process\0\0\0"[..], b"A=1\0B", b"\0", b"=1\0", b"\0\0\0\0", b"A=1\0\0B=2\0"]
        {
            assert_eq!(claimed(garbage, |_| true), Claim::Unreadable, "{garbage:?}");
        }
        // Nor does a mark of another home make it one.
        for marked in
            [&b"garbage\0PASEO_SESSION=x\0PASEO_HOME=/other\0"[..], b"PASEO_SESSION=x\0PASEO_HOME=/other"]
        {
            assert_eq!(claimed(marked, |_| false), Claim::Unreadable, "{marked:?}");
        }
    }

    #[test]
    fn a_mark_whose_home_is_no_place_may_be_of_any() {
        let session = "01234567-89ab-4cde-8f01-23456789abcd";
        for homes in ["PASEO_HOME=\0", "PASEO_HOME=other\0", "PASEO_HOME=\0PASEO_HOME=/other\0", ""] {
            let environment = format!("PASEO_SESSION={session}\0{homes}");
            assert_eq!(claimed(environment.as_bytes(), |_| false), Claim::Malformed, "{homes:?}");
        }
        let elsewhere = format!("PASEO_SESSION={session}\0PASEO_HOME=/other\0");
        assert_eq!(claimed(elsewhere.as_bytes(), |_| false), Claim::None);
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn one_that_has_ended_cannot_be_read_and_one_without_variables_can() {
        let mut child = std::process::Command::new("sleep").arg("1000").env_clear().spawn().unwrap();
        let process = find(child.id()).unwrap();
        assert_eq!(claim(process, |_| true), Claim::None);
        assert_eq!(
            claim(Process { start_time: process.start_time + 1, ..process }, |_| true),
            Claim::Unreadable
        );
        child.kill().unwrap();
        while !has_ended(process.pid) {
            std::thread::yield_now();
        }
        assert_eq!(claim(process, |_| true), Claim::Unreadable);
        child.wait().unwrap();
        assert_eq!(claim(process, |_| true), Claim::Unreadable);
    }

    #[test]
    fn a_variable_is_found_by_its_whole_name() {
        let environment = b"XPASEO_HOME=/x\0PASEO_HOMES=/y\0PASEO_HOME=/z=1\0";
        assert_eq!(variable(environment, HOME_VARIABLE), Some(&b"/z=1"[..]));
        assert_eq!(variable(environment, SESSION_VARIABLE), None);
    }
}
