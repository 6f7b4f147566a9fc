//! What holds for this command: defaults < `config.toml` < environment < flags.

mod external;
mod keyring;
mod notifications;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use paseo_core::limits::WORKERS;
use paseo_core::public_url::{NotPublic, PublicUrl};
use paseo_core::spelling::nearest;
use paseo_core::tool::Plugin;
use paseo_runtime::keys::Key;
use paseo_runtime::{plain_file, provider};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::args::Global;
use crate::environment::{self, Variable};
use crate::failure::Failure;

const DEFAULT_LIVE_PROCESSES: usize = paseo_core::limits::LIVE_PROCESSES;
/// After this long a thread is told that an answer is not there yet.
const DEFAULT_THREAD_PATIENCE: Duration = Duration::from_secs(paseo_core::limits::THREAD_PATIENCE_SECONDS);
/// How long a harness may take to answer for the first time.
const DEFAULT_START_PATIENCE: Duration = Duration::from_secs(60);

/// What holds for this command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Absolute.
    pub(crate) home: PathBuf,
    pub(crate) listen: SocketAddr,
    pub(crate) provider: Option<String>,
    /// What was set for a provider, by its name.
    pub(crate) providers: BTreeMap<String, provider::Options>,
    pub(crate) log: String,
    pub(crate) live_processes: usize,
    /// How many workers may be there at once.
    pub(crate) workers: usize,
    /// After this long a thread is told that an answer is not there yet.
    pub(crate) thread_patience: Duration,
    pub(crate) start_patience: Duration,
    /// The plugins that are switched off.
    pub(crate) plugins_off: BTreeSet<Plugin>,
    /// Hosts of external agents that may have a private address.
    pub(crate) external_hosts: BTreeSet<String>,
    /// Whom push services can turn to.
    pub(crate) notification_contact: Option<String>,
    /// With what models are paid for, by id.
    pub(crate) keys: BTreeMap<String, Key>,
    /// Under which the daemon can be reached from elsewhere.
    pub(crate) public_urls: Vec<PublicUrl>,
    /// A command may start the daemon.
    pub(crate) start: bool,
    /// The command runs inside an agent.
    pub(crate) inside: Option<String>,
    /// Why `config.toml` counts as if it were not there. Nothing is started with less than was asked for, but a
    /// daemon that runs can still be looked at and stopped.
    pub(crate) problem: Option<Failure>,
}

/// What `config.toml` may hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    listen: Option<String>,
    provider: Option<String>,
    log: Option<String>,
    #[serde(default)]
    public_urls: Vec<String>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    providers: Providers,
    /// By id.
    #[serde(default)]
    plugins: BTreeMap<String, PluginOptions>,
    #[serde(default)]
    external: external::External,
    #[serde(default)]
    notifications: notifications::Notifications,
    #[serde(default)]
    keys: Vec<keyring::Entry>,
    /// Definitions of agents. The daemon reads them, again and again: a mistake in one keeps nothing from starting.
    #[serde(rename = "agents")]
    _agents: Option<IgnoredAny>,
}

/// What may be set for a plugin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PluginOptions {
    enabled: bool,
}

/// What may be set for providers. Those that run no program have nothing to set.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Providers {
    claude: Option<Harness>,
    codex: Option<Harness>,
    pi: Option<Harness>,
}

/// A program and its configuration.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Harness {
    program: Option<String>,
    isolated_home: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    live_processes: Option<usize>,
    workers: Option<usize>,
    thread_patience_seconds: Option<u64>,
    start_seconds: Option<u64>,
}

/// What `config.toml` says, checked.
#[derive(Debug, Default)]
struct Configured {
    listen: Option<SocketAddr>,
    provider: Option<String>,
    log: Option<String>,
    public_urls: Vec<PublicUrl>,
    live_processes: Option<usize>,
    workers: Option<usize>,
    thread_patience: Option<Duration>,
    start_patience: Option<Duration>,
    providers: BTreeMap<String, provider::Options>,
    plugins_off: BTreeSet<Plugin>,
    external_hosts: BTreeSet<String>,
    notification_contact: Option<String>,
    keys: BTreeMap<String, Key>,
}

impl Settings {
    /// Resolves the settings. `variable` looks one up in the environment.
    pub(crate) fn resolve(
        global: &Global,
        variable: impl Fn(&Variable) -> Option<OsString>,
    ) -> Result<Self, Failure> {
        let home = home(global, &variable)?;
        let (file, problem) = match read(&home.join("config.toml")).and_then(configured) {
            Ok(file) => (file, None),
            Err(problem) => (Configured::default(), Some(problem)),
        };
        let text = |wanted: &Variable| variable(wanted).map(|value| utf8(wanted, value)).transpose();
        let listen = match (text(&environment::LISTEN)?, file.listen) {
            (Some(value), _) => address(&value, environment::LISTEN.name)?,
            (None, Some(listen)) => listen,
            (None, None) => address(environment::LISTEN.default, environment::LISTEN.name)?,
        };
        let no_start = text(&environment::NO_START)?.is_some_and(|value| value != "0");
        Ok(Self {
            home,
            listen,
            provider: text(&environment::PROVIDER)?.or(file.provider),
            providers: file.providers,
            log: text(&environment::LOG)?.or(file.log).unwrap_or_else(|| environment::LOG.default.to_owned()),
            live_processes: file.live_processes.unwrap_or(DEFAULT_LIVE_PROCESSES),
            workers: file.workers.unwrap_or(WORKERS),
            thread_patience: file.thread_patience.unwrap_or(DEFAULT_THREAD_PATIENCE),
            start_patience: file.start_patience.unwrap_or(DEFAULT_START_PATIENCE),
            plugins_off: file.plugins_off,
            external_hosts: file.external_hosts,
            notification_contact: file.notification_contact,
            keys: file.keys,
            public_urls: file.public_urls,
            start: !global.no_start && !no_start,
            inside: text(&environment::SESSION)?,
            problem,
        })
    }

    /// Fails when what the person set cannot be read.
    pub(crate) fn need_config(&self) -> Result<(), Failure> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    /// Returns where the daemon's Unix socket is.
    pub(crate) fn socket(&self) -> PathBuf {
        self.home.join("daemon.sock")
    }

    /// Returns where the logs are.
    pub(crate) fn log_directory(&self) -> PathBuf {
        self.home.join("log")
    }
}

fn home(global: &Global, variable: impl Fn(&Variable) -> Option<OsString>) -> Result<PathBuf, Failure> {
    let chosen = global.home.clone().or_else(|| variable(&environment::HOME).map(PathBuf::from));
    let home = match chosen {
        Some(home) => home,
        None => std::env::home_dir()
            .filter(|home| home.is_absolute())
            .map(|home| home.join(".paseo"))
            .ok_or_else(|| {
                Failure::usage("no home directory: neither PASEO_HOME nor HOME is set")
                    .hint("set PASEO_HOME to a directory that you own")
            })?,
    };
    std::path::absolute(&home)
        .map_err(|error| Failure::usage(format!("cannot use the home {}: {error}", home.display())))
}

fn read(path: &Path) -> Result<File, Failure> {
    match plain_file::read_to_string(path) {
        Ok(text) => parse(&text, path),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(File::default())
        }
        Err(error) => Err(Failure::usage(format!("cannot read {}: {error}", path.display()))),
    }
}

fn parse(text: &str, path: &Path) -> Result<File, Failure> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.get(..start).map_or(1, |before| before.matches('\n').count() + 1);
        let (message, hint) = told(error.message());
        Failure::usage(format!("{}:{line}: {message}", path.display())).hint(hint)
    })
}

/// Returns what the TOML parser found, as people read it, and what to do.
fn told(message: &str) -> (String, String) {
    let Some(rest) = message.strip_prefix("unknown field `") else {
        let hint = "fix this line; \"Configuration\" in the documentation lists all keys";
        return (in_our_words(message), hint.to_owned());
    };
    let (unknown, expected) = rest.split_once('`').unwrap_or((rest, ""));
    // The parser lists every key of this table: `, expected one of `a`, `b``.
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let hint = match nearest(unknown, &known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("use one of {}", known.join(", ")),
    };
    (format!("unknown key `{unknown}`"), hint)
}

/// What the parser calls a kind of value, and what people call it.
const KINDS: [(&str, &str); 8] = [
    ("usize", "a whole number of 0 or more"),
    ("u64", "a whole number of 0 or more"),
    ("u32", "a whole number of 0 or more"),
    ("a string", "text in quotes"),
    ("a boolean", "true or false"),
    ("a sequence", "a list in brackets"),
    ("a map", "a table"),
    ("struct PluginOptions", "a table with `enabled`, such as `[plugins.todo]`"),
];

/// Says what was expected before what was found. What only the parser knows comes last, in its words.
fn in_our_words(message: &str) -> String {
    if let Some(key) = message.strip_prefix("missing field `") {
        return format!("expected the key `{} here", key);
    }
    if message == "duplicate key" {
        return "this key is already set above".to_owned();
    }
    let wrong = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "));
    let Some((found, expected)) = wrong.and_then(|wrong| wrong.split_once(", expected ")) else {
        return format!("not valid TOML: {message}");
    };
    let expected = KINDS.iter().find(|(theirs, _)| *theirs == expected).map_or(expected, |(_, ours)| *ours);
    // `integer `-1``, `string "x"`: what kind of value it is can be seen.
    let value = found.split_once('`').and_then(|(_, rest)| rest.split_once('`')).map(|(value, _)| value);
    let found = match found {
        "map" => "a table",
        "sequence" => "a list",
        found => value.or(found.strip_prefix("string ")).unwrap_or(found),
    };
    format!("expected {expected}, not {found}")
}

/// Checks what the file says.
fn configured(file: File) -> Result<Configured, Failure> {
    for (key, is_zero, so) in [
        ("live_processes", file.limits.live_processes == Some(0), "no agent could run"),
        (
            "thread_patience_seconds",
            file.limits.thread_patience_seconds == Some(0),
            "every answer would be late",
        ),
        ("start_seconds", file.limits.start_seconds == Some(0), "no agent could start in time"),
    ] {
        if is_zero {
            return Err(Failure::usage(format!("limits.{key} in config.toml is 0, so {so}"))
                .hint("set it to 1 or more"));
        }
    }
    Ok(Configured {
        listen: file.listen.map(|text| address(&text, "listen in config.toml")).transpose()?,
        provider: file.provider,
        log: file.log,
        public_urls: file.public_urls.iter().map(|url| public(url)).collect::<Result<_, _>>()?,
        live_processes: file.limits.live_processes,
        workers: file.limits.workers,
        thread_patience: file.limits.thread_patience_seconds.map(Duration::from_secs),
        start_patience: file.limits.start_seconds.map(Duration::from_secs),
        providers: providers(file.providers)?,
        plugins_off: switched_off(file.plugins)?,
        external_hosts: file.external.hosts()?,
        notification_contact: file.notifications.contact()?,
        keys: keyring::read(file.keys)?,
    })
}

fn switched_off(plugins: BTreeMap<String, PluginOptions>) -> Result<BTreeSet<Plugin>, Failure> {
    let mut off = BTreeSet::new();
    for (id, PluginOptions { enabled }) in plugins {
        let plugin = Plugin::parse(&id).ok_or_else(|| {
            let known = Plugin::OPTIONAL.map(Plugin::id).join(", ");
            Failure::usage(format!("unknown plugin `{id}` (plugins.{id} in config.toml)"))
                .hint(format!("choose one of: {known}"))
        })?;
        if !enabled {
            off.insert(plugin);
        }
    }
    Ok(off)
}

fn providers(set: Providers) -> Result<BTreeMap<String, provider::Options>, Failure> {
    let Providers { claude, codex, pi } = set;
    let mut all = BTreeMap::new();
    for (name, set) in [("claude", claude), ("codex", codex), ("pi", pi)] {
        let Some(Harness { program, isolated_home }) = set else { continue };
        let place = |key: &str, text: Option<String>| {
            text.map(|text| path(&text, &format!("providers.{name}.{key} in config.toml"))).transpose()
        };
        // A bare name is meant as one on the `PATH`.
        let program = match program {
            Some(name) if !name.is_empty() && !name.contains('/') => Some(PathBuf::from(name)),
            Some(text) if path(&text, "").is_err() => {
                let message = format!("`{text}` (providers.{name}.program in config.toml) is not a program");
                return Err(Failure::usage(message).hint("use an absolute path, or a name on the PATH"));
            }
            program => place("program", program)?,
        };
        let options = provider::Options { program, isolated_home: place("isolated_home", isolated_home)? };
        all.insert(name.to_owned(), options);
    }
    Ok(all)
}

/// Reads a path: absolute, or under the user's own home.
fn path(text: &str, source: &str) -> Result<PathBuf, Failure> {
    let under_home = text.strip_prefix("~/").and_then(|rest| Some(std::env::home_dir()?.join(rest)));
    let path = under_home.unwrap_or_else(|| PathBuf::from(text));
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Failure::usage(format!("`{text}` ({source}) is not an absolute path")).hint("start it with / or ~/"))
}

fn address(text: &str, source: &str) -> Result<SocketAddr, Failure> {
    text.parse().map_err(|_| {
        Failure::usage(format!("`{text}` ({source}) is not a listen address"))
            .hint("use address:port, for example 127.0.0.1:6767")
    })
}

fn public(url: &str) -> Result<PublicUrl, Failure> {
    PublicUrl::parse(url).map_err(|why| {
        let hint = match why {
            NotPublic::Malformed => "expected https://host or https://host:port, without a path",
            NotPublic::Plain => "use the https:// address of a reverse proxy or of `tailscale serve`",
        };
        Failure::usage(format!("`{url}` (public_urls in config.toml) {why}")).hint(hint)
    })
}

fn utf8(variable: &Variable, value: OsString) -> Result<String, Failure> {
    value.into_string().map_err(|_| Failure::usage(format!("{} is not valid UTF-8", variable.name)))
}

#[cfg(test)]
mod tests;
