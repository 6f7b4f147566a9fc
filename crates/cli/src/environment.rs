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
    "The home: the log, the socket, `config.toml`. Each home has one daemon. Also set for agents.",
);
pub(crate) const LISTEN: Variable = read(
    "PASEO_LISTEN",
    "127.0.0.1:6767",
    "The address and port of the daemon, in addition to its Unix socket. Port 0 means any free port.",
);
pub(crate) const LOG: Variable =
    read("PASEO_LOG", "info", "The daemon's log filter, such as `debug` or `info,paseo_daemon=trace`.");
pub(crate) const NO_START: Variable = read(
    "PASEO_NO_START",
    "",
    "When set to anything but `0`, commands do not start the daemon, as with `--no-start`.",
);
pub(crate) const PROVIDER: Variable = read(
    "PASEO_PROVIDER",
    "",
    "The default provider, for agents without `--provider` or a provider in their definition. Overrides `provider` in `config.toml`. Without either, Paseo uses the first provider that is ready.",
);
pub(crate) const NO_COLOR: Variable = read("NO_COLOR", "", "When set, output has no colours.");
pub(crate) const TERM: Variable =
    read("TERM", "", "The type of the terminal. With `dumb`, Paseo uses no colours and redraws nothing.");
pub(crate) const DISPLAY: Variable =
    read("DISPLAY", "", "Set on a desktop, where `paseo open` opens the web app.");
pub(crate) const WAYLAND_DISPLAY: Variable = read("WAYLAND_DISPLAY", "", "The same for Wayland.");
pub(crate) const VISUAL: Variable = read(
    "VISUAL",
    "",
    "The editor of `paseo agents edit` and `paseo queue --edit`; a command with arguments.",
);
pub(crate) const EDITOR: Variable = read("EDITOR", "vi", "The same, if `VISUAL` is not set.");
pub(crate) const TMUX: Variable = read(
    "TMUX",
    "",
    "Set inside tmux; keeps `paseo worker attach` from attaching a worker's terminal to itself.",
);
pub(crate) const SESSION: Variable = set(
    "PASEO_SESSION",
    "The agent's id, in every process of the agent. Where it is set, commands do not start a daemon.",
);
pub(crate) const TOKEN: Variable = set("PASEO_TOKEN", "The agent's credential. It acts only as that agent.");
pub(crate) const URL: Variable = set("PASEO_URL", "The address of the daemon.");

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
        "The API key for `openai`, for agents without a key in their definition. Agents cannot read it, with exceptions: see [keys](models.md#keys).",
    ),
    read("OPENAI_BASE_URL", "https://api.openai.com/v1", "The address of the server for `openai`."),
    read("OPENAI_MODEL", "", "The model for `openai`, for agents that name none."),
    read("OPENAI_COMPATIBLE_API_KEY", "", "The API key for `openai-compatible`, if the server needs one."),
    read("OPENAI_COMPATIBLE_BASE_URL", "", "The address of the server for `openai-compatible`."),
    read("OPENAI_COMPATIBLE_MODEL", "", "The model for `openai-compatible`, for agents that name none."),
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
        "# Environment variables\n\n\
         Set these variables to configure a shell, a script or the daemon. Flags override variables, and variables override\n\
         [`config.toml`](configuration.md). This page is generated from the program.\n\n\
         ```sh run\n\
         export PASEO_PROVIDER=scripted NO_COLOR=1    # for this shell\n\
         paseo run 'Hello! <<say hello>>'\n\
         paseo providers                              # which provider is the default\n\
         ```\n\n\
         | variable | default | meaning |\n|---|---|---|\n",
    );
    let row = |variable: &Variable| {
        let default =
            if variable.default.is_empty() { String::new() } else { format!("`{}`", variable.default) };
        format!("| `{}` | {default} | {} |\n", variable.name, variable.about)
    };
    let read = ALL.iter().filter(|variable| variable.side == Side::Read);
    page.extend(read.chain(&OF_PROVIDERS).map(row));
    page.push_str("\nThe daemon sets these for agents:\n\n| variable | meaning |\n|---|---|\n");
    let row = |variable: &Variable| format!("| `{}` | {} |\n", variable.name, variable.about);
    page.extend(ALL.iter().filter(|variable| variable.side == Side::Set).map(row));
    page
}
