//! Destructive requests: those that may delete something for which there is no undo. People confirm them twice.
//!
//! This is a warning, not a boundary: it forbids nothing. A script that cannot be parsed is searched for known words.

use serde_json::Value;

use super::script::plain;
use super::shell::{self, Command, Script, UNKNOWN};
use super::{Power, Request, Shape};

/// Longer scripts are searched for words instead of parsed.
const READABLE_BYTES: usize = 16 * 1024;
/// How deep scripts inside scripts are parsed.
const DEPTH: usize = 6;

impl Request {
    /// Says whether it may delete something irreversibly. `directory` is where the agent works.
    pub fn is_destructive(&self, directory: &str) -> bool {
        match &self.shape {
            Shape::Command { command } => Judge::new(directory).script(&plain(command), 0),
            Shape::File { .. } => self.power == Power::Write && deletes(&self.input),
            Shape::Tool { name } | Shape::Unnamed { words: name } => {
                names_destruction(name) || (self.power == Power::Shell && self.any_text(directory))
            }
            Shape::Host { .. } | Shape::Question { .. } => false,
        }
    }

    /// Judges every text of an input as if it were a script.
    fn any_text(&self, directory: &str) -> bool {
        let mut texts = Vec::new();
        collect(&self.input, &mut texts);
        texts.into_iter().any(|text| Judge::new(directory).script(text, 0))
    }
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Says whether a change of files deletes one, in the words of any harness.
fn deletes(input: &Value) -> bool {
    match input {
        Value::String(text) => text.contains("*** Delete File:"),
        Value::Array(values) => values.iter().any(deletes),
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let is_kind = ["type", "kind", "operation"].contains(&name.as_str());
            (is_kind && value.as_str().is_some_and(|kind| ["delete", "remove"].contains(&kind)))
                || deletes(value)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Says whether the name of a tool has a word for destruction in it.
fn names_destruction(name: &str) -> bool {
    const WORDS: &[&str] = &["delete", "destroy", "drop", "erase", "purge", "remove", "truncate", "wipe"];
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_ascii_lowercase);
    words.any(|word| WORDS.iter().any(|known| word.starts_with(known)))
}

/// Commands that run another one, which is among their words.
const WRAPPERS: &[&str] = &[
    "!",
    "builtin",
    "busybox",
    "chroot",
    "command",
    "do",
    "doas",
    "docker",
    "elif",
    "else",
    "env",
    "eval",
    "exec",
    "flock",
    "if",
    "ionice",
    "nice",
    "nohup",
    "npx",
    "parallel",
    "podman",
    "runuser",
    "script",
    "setsid",
    "ssh",
    "stdbuf",
    "su",
    "sudo",
    "systemd-run",
    "then",
    "time",
    "timeout",
    "trap",
    "unshare",
    "until",
    "watch",
    "while",
    "xargs",
    "find",
    "fd",
    "pkexec",
    "strace",
];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "csh", "tcsh"];
const INTERPRETERS: &[&str] =
    &["python", "python2", "python3", "perl", "ruby", "node", "nodejs", "php", "deno"];
const FETCHERS: &[&str] = &["curl", "wget", "fetch", "aria2c", "http", "lwp-request"];
/// Commands that only show or keep the words they are given.
const HARMLESS: &[&str] =
    &["echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "git", "cat", "less", "head", "tail", "wc"];
/// Commands that are destructive whatever their arguments.
const ALWAYS: &[&str] = &[
    "blkdiscard",
    "cfdisk",
    "cryptsetup",
    "deluser",
    "dropdb",
    "fdisk",
    "gdisk",
    "groupdel",
    "halt",
    "lvremove",
    "mke2fs",
    "mkswap",
    "mkfs",
    "newfs",
    "parted",
    "poweroff",
    "pvremove",
    "reboot",
    "rimraf",
    "sfdisk",
    "sgdisk",
    "shred",
    "shutdown",
    "srm",
    "swapoff",
    "truncate",
    "userdel",
    "vgremove",
    "wipe",
    "wipefs",
    "zerofree",
];
/// What a line of SQL destroys with.
const SQL: &[&str] = &[
    "drop database",
    "drop table",
    "drop schema",
    "drop owned",
    "truncate table",
    "delete from",
    "dropdatabase(",
];
/// How programs of other languages delete.
const CODE: &[&str] = &[
    "rmtree",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    ".unlink(",
    "unlinksync",
    "rmsync",
    "fs.rm",
    "fileutils.rm",
    "file.delete",
    "rm -",
    "rimraf",
];
/// Words that do harm in a script that cannot be read.
const SUSPICIOUS: &[&str] = &[
    "rm -",
    "rm\t-",
    "--force",
    "--hard",
    "push -f",
    "clean -",
    "mkfs",
    "dd if",
    "dd of",
    "of=/dev",
    ">/dev/sd",
    "> /dev/sd",
    "chmod -r",
    "chown -r",
    "rmtree",
    ":(){",
];

/// Judges scripts that an agent would run in a directory.
struct Judge<'a> {
    directory: &'a str,
    /// A script has gone to another place, so nothing is known to be inside of the directory.
    moved: bool,
}

impl<'a> Judge<'a> {
    fn new(directory: &'a str) -> Self {
        Self { directory, moved: false }
    }

    fn script(&mut self, text: &str, depth: usize) -> bool {
        let lower = text.to_ascii_lowercase();
        if lower.contains(":(){") || lower.contains(":() {") {
            return true;
        }
        let read = (text.len() <= READABLE_BYTES && depth < DEPTH).then(|| shell::read(text)).flatten();
        let Some(Script { pipelines, nested }) = read else {
            return SUSPICIOUS.iter().chain(SQL).any(|words| lower.contains(words));
        };
        nested.iter().any(|script| self.script(script, depth + 1))
            || pipelines.iter().any(|pipeline| self.pipeline(pipeline, &lower, depth))
    }

    fn pipeline(&mut self, pipeline: &[Command], lower: &str, depth: usize) -> bool {
        let names = || pipeline.iter().flat_map(|command| command.words.iter()).map(|word| name(word));
        let runs = |of: &[&str]| pipeline.iter().skip(1).any(|command| runs_plainly(&command.words, of));
        // The request does not show what a shell reads from a pipe.
        if runs(SHELLS) || (runs(INTERPRETERS) && names().any(|name| FETCHERS.contains(&name))) {
            return true;
        }
        let shows = pipeline
            .iter()
            .all(|Command { words, .. }| words.first().is_none_or(|word| HARMLESS.contains(&name(word))));
        let is_in_sql = || {
            let said = lower.split_whitespace().collect::<Vec<_>>().join(" ");
            SQL.iter().any(|words| said.contains(words))
        };
        if !shows && is_in_sql() {
            return true;
        }
        pipeline.iter().any(|command| self.command(command, lower, depth))
    }

    fn command(&mut self, command: &Command, lower: &str, depth: usize) -> bool {
        let Command { words, writes } = command;
        if writes.iter().any(|path| self.overwrites(path)) {
            return true;
        }
        let words = expanded(words);
        let assigned = words.iter().take_while(|word| is_assignment(word)).count();
        let words = &words[assigned..];
        let Some(first) = words.first() else { return false };
        let name = name(first);
        if ["cd", "pushd"].contains(&name) {
            self.moved |= words[1..].iter().any(|path| self.is_outside(path));
            return false;
        }
        let is_shell = SHELLS.contains(&name) || ["eval", "source", "."].contains(&name);
        let runs_output = is_shell || name.contains(UNKNOWN);
        if runs_output && words.iter().any(|word| word.contains(UNKNOWN)) && is_from_elsewhere(lower) {
            return true;
        }
        if is_shell || WRAPPERS.contains(&name) {
            let among = (1..words.len()).any(|at| self.plain(&words[at..], lower, Some(name)));
            return among
                || self.plain(words, lower, None)
                || words[1..].iter().any(|word| is_script(word) && self.script(word, depth + 1));
        }
        if is_unreadable(name) {
            return words[1..].iter().any(|word| {
                has_flag(word, &['r', 'R', 'f'], &["--recursive", "--force", "--hard", "--delete"])
            });
        }
        self.plain(words, lower, None)
    }

    /// Judges a command that runs no other one. `by` is the one that runs it.
    fn plain(&self, words: &[String], lower: &str, by: Option<&str>) -> bool {
        let (first, rest) = match words.split_first() {
            Some((first, rest)) => (name(first), rest),
            None => return false,
        };
        let has = |short: &[char], long: &[&str]| rest.iter().any(|word| has_flag(word, short, long));
        let says = |words: &[&str]| rest.iter().any(|word| words.contains(&word.as_str()));
        let operands = || rest.iter().filter(|word| !word.starts_with('-'));
        match first {
            _ if ALWAYS.contains(&first) || first.starts_with("mkfs.") => true,
            "rm" | "unlink" | "rmdir" => {
                has(&['r', 'R'], &["--recursive", "--no-preserve-root"])
                    || matches!(by, Some("xargs" | "find" | "fd" | "parallel"))
                    || operands().any(|path| path.contains(['*', '?']) || self.is_outside(path))
            }
            "git" => git(rest),
            "dd" => rest.iter().any(|word| word.starts_with("of=")),
            "chmod" | "chown" | "chgrp" | "setfacl" => has(&['R'], &["--recursive"]),
            "find" | "fd" => says(&["-delete"]),
            "rsync" => {
                rest.iter().any(|word| word.starts_with("--delete") || word == "--remove-source-files")
            }
            "mv" | "cp" | "tee" | "ln" | "install" => operands().any(|path| is_device(path)),
            "crontab" => has(&['r'], &[]),
            "iptables" | "ip6tables" | "nft" => has(&['F', 'X'], &["--flush"]) || says(&["flush"]),
            "kill" => rest.len() > 1 && rest.last().is_some_and(|last| last == "-1"),
            "systemctl" => says(&["poweroff", "reboot", "halt"]),
            "docker" | "podman" | "docker-compose" => {
                says(&["prune"])
                    || (says(&["volume"]) && says(&["rm", "remove"]))
                    || (says(&["down"]) && has(&['v'], &["--volumes"]))
            }
            "kubectl" | "oc" | "gcloud" | "az" | "gh" | "glab" | "heroku" | "fly" | "flyctl" | "doctl" => {
                says(&["delete", "destroy"])
            }
            "helm" => says(&["uninstall", "delete"]),
            "terraform" | "tofu" | "pulumi" | "vagrant" | "zfs" | "zpool" => says(&["destroy"]),
            "btrfs" => says(&["delete"]),
            "npm" | "pnpm" | "yarn" => says(&["unpublish"]),
            "aws" | "gsutil" | "rclone" | "mc" | "s3cmd" => operands().any(|word| {
                ["rb", "rm", "delete", "purge", "deletefile"].contains(&word.as_str())
                    || word.starts_with("delete-")
                    || word.starts_with("terminate-")
            }),
            "redis-cli" => operands().any(|word| word.to_ascii_lowercase().starts_with("flush")),
            _ if INTERPRETERS.contains(&first) => {
                has(&['c', 'e', 'r'], &["--eval"]) && CODE.iter().any(|code| lower.contains(code))
            }
            _ => false,
        }
    }

    /// Says whether writing to this file would destroy something.
    fn overwrites(&self, path: &str) -> bool {
        const FINE: &[&str] =
            &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/", "/tmp/", "/var/tmp/"];
        let is_fine = FINE.iter().any(|fine| path.starts_with(fine)) && !path.contains("..");
        !is_fine && (path.starts_with('/') || path.starts_with('~')) && self.is_outside(path)
    }

    /// Says whether a path leads, or may lead, out of the directory.
    fn is_outside(&self, path: &str) -> bool {
        let is_below = |path: &str| {
            path == self.directory
                || path.strip_prefix(self.directory).is_some_and(|rest| rest.starts_with('/'))
        };
        let is_unknown = path.starts_with('~') || path.contains(['$', UNKNOWN]);
        is_unknown
            || path.split('/').any(|part| part == "..")
            || if path.starts_with('/') { !is_below(path) } else { self.moved }
    }
}

fn git(words: &[String]) -> bool {
    // Options of git itself come first; some have a value.
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        let has_value = ["-C", "-c", "--git-dir", "--work-tree", "--namespace"].contains(&word.as_str());
        at += 1 + usize::from(has_value);
    }
    let Some((command, rest)) = words.get(at..).and_then(<[String]>::split_first) else { return false };
    let has = |short: &[char], long: &[&str]| rest.iter().any(|word| has_flag(word, short, long));
    let says = |known: &[&str]| rest.iter().any(|word| known.contains(&word.as_str()));
    match command.as_str() {
        "push" => {
            has(&['f', 'd'], &["--force", "--delete", "--mirror", "--prune"])
                || rest
                    .iter()
                    .any(|word| word.starts_with(['+', ':']) || word.starts_with("--force-with-lease"))
        }
        "reset" => says(&["--hard", "--merge", "--keep"]),
        "clean" => has(&['f'], &["--force"]),
        "checkout" => has(&['f', 'B'], &["--force"]) || says(&["--", "."]),
        "restore" => !has(&['S'], &["--staged"]) || has(&['W'], &["--worktree"]),
        "switch" => has(&['f', 'C'], &["--force", "--discard-changes", "--force-create"]),
        "branch" => has(&['D', 'M', 'f'], &["--force"]),
        "tag" => has(&['d', 'f'], &["--delete", "--force"]),
        "stash" => says(&["drop", "clear"]),
        "reflog" => says(&["expire", "delete"]),
        "gc" => rest.iter().any(|word| word.starts_with("--prune")),
        "prune" | "filter-branch" | "filter-repo" => true,
        "update-ref" => has(&['d'], &[]),
        "worktree" | "submodule" => has(&['f'], &["--force"]),
        "rm" => has(&['f', 'r'], &["--force"]),
        "remote" => says(&["remove", "rm", "prune"]),
        _ => false,
    }
}

/// Returns the name of the program that a word names.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Says whether a command runs one of these on what it reads, and not on a file or a script of its own.
fn runs_plainly(words: &[String], of: &[&str]) -> bool {
    let mut words = words
        .iter()
        .skip_while(|word| is_assignment(word) || word.starts_with('-') || WRAPPERS.contains(&name(word)));
    let runs = words.next().is_some_and(|word| of.contains(&name(word)));
    // `-s` and `-` mean what is read; so do options alone.
    runs && words.all(|word| word.starts_with('-') && !has_flag(word, &['c', 'e', 'm'], &[]))
}

/// Says whether a word is one of these flags, alone or among other letters.
fn has_flag(word: &str, short: &[char], long: &[&str]) -> bool {
    if word.starts_with("--") {
        return long
            .iter()
            .any(|flag| word == *flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')));
    }
    word.strip_prefix('-').is_some_and(|letters| letters.contains(short))
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Says whether a script gets something from elsewhere, or decodes it.
fn is_from_elsewhere(lower: &str) -> bool {
    ["curl", "wget", "base64", "xxd", "openssl", "fetch"].iter().any(|from| lower.contains(from))
}

/// Says whether the shell alone knows which program a name means.
fn is_unreadable(name: &str) -> bool {
    name.contains(['$', '*', '?', '[', UNKNOWN])
}

/// Says whether a word may be a script of its own.
fn is_script(word: &str) -> bool {
    word.contains(|c: char| c.is_whitespace() || ";|&$`".contains(c))
}

fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !["/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin"].contains(&path)
}

/// Takes `{rm,-rf,x}` apart, where it stands for the command.
fn expanded(words: &[String]) -> Vec<String> {
    match words.split_first() {
        Some((first, rest)) => {
            let inner = first
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'))
                .filter(|inner| inner.contains(','));
            let first: Vec<String> = match inner {
                Some(inner) => inner.split(',').map(str::to_owned).collect(),
                None => vec![first.clone()],
            };
            first.into_iter().chain(rest.iter().cloned()).collect()
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
