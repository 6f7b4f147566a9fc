//! Every environment variable that Paseo reads or sets, declared once.

use std::ffi::OsString;

/// An environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    /// What holds when it is not set.
    pub(crate) default: &'static str,
    pub(crate) about: &'static str,
    pub(crate) side: Side,
}

/// Who sets a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// People do.
    Read,
    /// The daemon does, for every agent it starts.
    Set,
}

const fn read(name: &'static str, default: &'static str, about: &'static str) -> Variable {
    Variable { name, default, about, side: Side::Read }
}

const fn set(name: &'static str, about: &'static str) -> Variable {
    Variable { name, default: "", about, side: Side::Set }
}

pub(crate) const HOME: Variable = read(
    "PASEO_HOME",
    "~/.paseo",
    "Directory for all data: the log, the socket, `config.toml`. One daemon per home. Also set for agents.",
);
pub(crate) const LISTEN: Variable = read(
    "PASEO_LISTEN",
    "127.0.0.1:6767",
    "Address and port that the daemon listens on, besides its Unix socket. Port 0 picks a free port.",
);
pub(crate) const LOG: Variable =
    read("PASEO_LOG", "info", "Log level of the daemon, for example `debug` or `info,paseo_daemon=trace`.");
pub(crate) const NO_START: Variable = read(
    "PASEO_NO_START",
    "",
    "When set to anything but `0`, commands don't start the daemon, as with `--no-start`.",
);
pub(crate) const PROVIDER: Variable = read(
    "PASEO_PROVIDER",
    "",
    "Default provider, for agents started without `--provider` whose definition names none. Overrides `provider` in `config.toml`; without either, the first that is ready.",
);
pub(crate) const NO_COLOR: Variable = read("NO_COLOR", "", "When set, output has no colours.");
pub(crate) const TERM: Variable =
    read("TERM", "", "Terminal type. With `dumb`, output has no colours and is never redrawn.");
pub(crate) const DISPLAY: Variable =
    read("DISPLAY", "", "Set on a desktop: `paseo open` opens the web app there.");
pub(crate) const WAYLAND_DISPLAY: Variable = read("WAYLAND_DISPLAY", "", "The same for Wayland.");
pub(crate) const VISUAL: Variable = read("VISUAL", "", "Editor for `paseo agents edit`, with arguments.");
pub(crate) const EDITOR: Variable = read("EDITOR", "vi", "Editor when `VISUAL` is not set.");
pub(crate) const TMUX: Variable =
    read("TMUX", "", "Set by tmux: `paseo worker attach` won't attach a worker's terminal to itself.");
pub(crate) const SESSION: Variable = set(
    "PASEO_SESSION",
    "Id of the agent. Identifies every process of the agent; commands in them don't start a daemon.",
);
pub(crate) const TOKEN: Variable = set("PASEO_TOKEN", "Token of the agent. Acts only as that agent.");
pub(crate) const URL: Variable = set("PASEO_URL", "Address of the daemon.");

/// All of them.
#[cfg(test)]
pub(crate) const ALL: [Variable; 15] = [
    HOME,
    LISTEN,
    LOG,
    NO_START,
    PROVIDER,
    NO_COLOR,
    TERM,
    DISPLAY,
    WAYLAND_DISPLAY,
    VISUAL,
    EDITOR,
    TMUX,
    SESSION,
    TOKEN,
    URL,
];

/// What the providers `openai` and `openai-compatible` read, in the daemon.
#[cfg(test)]
const OF_PROVIDERS: [Variable; 6] = [
    read(
        "OPENAI_API_KEY",
        "",
        "API key for `openai`, for agents whose definition names no key. Not passed to agents.",
    ),
    read("OPENAI_BASE_URL", "https://api.openai.com/v1", "Base URL for `openai`."),
    read("OPENAI_MODEL", "", "Default model for `openai`."),
    read(
        "OPENAI_COMPATIBLE_API_KEY",
        "",
        "API key for `openai-compatible`, if the server needs one. Not passed to agents.",
    ),
    read("OPENAI_COMPATIBLE_BASE_URL", "", "Base URL for `openai-compatible`."),
    read("OPENAI_COMPATIBLE_MODEL", "", "Default model for `openai-compatible`."),
];

impl Variable {
    /// Returns the value, when it is set to something.
    pub(crate) fn value(&self) -> Option<OsString> {
        std::env::var_os(self.name).filter(|value| !value.is_empty())
    }
}

/// Returns the page that documents them.
#[cfg(test)]
pub(crate) fn reference() -> String {
    let mut page = String::from(
        "# Environment variables\n\nA flag wins over a variable, a variable wins over `config.toml`.\n\n\
         | variable | default | meaning |\n|---|---|---|\n",
    );
    let row = |variable: &Variable| {
        let default =
            if variable.default.is_empty() { String::new() } else { format!("`{}`", variable.default) };
        format!("| `{}` | {default} | {} |\n", variable.name, variable.about)
    };
    let read = ALL.iter().filter(|variable| variable.side == Side::Read);
    page.extend(read.chain(&OF_PROVIDERS).map(row));
    page.push_str("\nSet for agents by the daemon:\n\n| variable | meaning |\n|---|---|\n");
    let row = |variable: &Variable| format!("| `{}` | {} |\n", variable.name, variable.about);
    page.extend(ALL.iter().filter(|variable| variable.side == Side::Set).map(row));
    page
}
