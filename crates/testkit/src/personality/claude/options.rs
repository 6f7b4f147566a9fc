//! Claude's command line, as far as it matters: what it does not know it refuses, as claude does.

use serde_json::Value;

#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    pub(super) session: Option<String>,
    pub(super) resume: Option<String>,
    pub(super) model: Option<String>,
    pub(super) mode: String,
    /// Deltas are wanted.
    pub(super) partial: bool,
    pub(super) replay: bool,
    /// Questions go to whoever started it.
    pub(super) asks: bool,
    /// MCP servers and how to reach them.
    pub(super) servers: Vec<(String, Value)>,
    /// Given on the command line instead of stdin.
    pub(super) prompt: Option<String>,
}

/// It ends before it began.
#[derive(Debug)]
pub(super) struct End {
    pub(super) text: String,
    pub(super) code: i32,
}

const SWITCHES: [&str; 16] = [
    "-p",
    "--print",
    "--verbose",
    "--bare",
    "--brief",
    "--strict-mcp-config",
    "--include-partial-messages",
    "--include-hook-events",
    "--replay-user-messages",
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--fork-session",
    "--forward-subagent-text",
    "--no-session-persistence",
    "--disable-slash-commands",
    "--exclude-dynamic-system-prompt-sections",
];
const WITH_VALUE: [&str; 24] = [
    "--session-id",
    "-r",
    "--resume",
    "--model",
    "--fallback-model",
    "--permission-mode",
    "--permission-prompt-tool",
    "--input-format",
    "--output-format",
    "--append-system-prompt",
    "--append-system-prompt-file",
    "--system-prompt",
    "--system-prompt-file",
    "--system-prompt-snapshot",
    "--settings",
    "--setting-sources",
    "--effort",
    "--agent",
    "--agents",
    "--name",
    "--json-schema",
    "--max-turns",
    "--max-budget-usd",
    "--debug-file",
];
/// These swallow everything up to the next flag, a prompt too.
const WITH_VALUES: [&str; 8] = [
    "--mcp-config",
    "--allowedTools",
    "--allowed-tools",
    "--disallowedTools",
    "--disallowed-tools",
    "--add-dir",
    "--tools",
    "--betas",
];

pub(super) fn parse(arguments: &[String]) -> Result<Options, End> {
    let mut options = Options { mode: "default".into(), ..Options::default() };
    let mut words = arguments.iter().flat_map(|word| split(word)).peekable();
    let mut formats = Vec::new();
    let mut verbose = false;
    while let Some(word) = words.next() {
        if word == "-v" || word == "--version" {
            return Err(End { text: "2.1.325 (Claude Code)".into(), code: 0 });
        } else if word == "--" {
            options.prompt = words.next().map(str::to_owned);
        } else if SWITCHES.contains(&word) {
            match word {
                "--include-partial-messages" => options.partial = true,
                "--replay-user-messages" => options.replay = true,
                "--dangerously-skip-permissions" => options.mode = "bypassPermissions".into(),
                "--verbose" => verbose = true,
                _ => {}
            }
        } else if WITH_VALUE.contains(&word) {
            let Some(value) = words.next() else {
                return refuse(format!("error: option '{word} <value>' argument missing"));
            };
            match word {
                "--session-id" => options.session = Some(value.to_owned()),
                "-r" | "--resume" => options.resume = Some(value.to_owned()),
                "--model" => options.model = Some(value.to_owned()),
                "--permission-mode" => options.mode = value.to_owned(),
                "--permission-prompt-tool" => options.asks = value == "stdio",
                "--input-format" | "--output-format" => formats.push((word, value)),
                _ => {}
            }
        } else if WITH_VALUES.contains(&word) {
            while let Some(value) = words.next_if(|next| !next.starts_with('-')) {
                if word == "--mcp-config" {
                    options.servers.extend(servers(value)?);
                }
            }
        } else if word.starts_with('-') {
            return refuse(format!("error: unknown option '{word}'"));
        } else {
            options.prompt = Some(word.to_owned());
        }
    }
    let json = formats.contains(&("--output-format", "stream-json"));
    if json && !verbose {
        return refuse("Error: When using --print, --output-format=stream-json requires --verbose".into());
    }
    let is_root = rustix::process::geteuid().is_root();
    let is_sandbox = std::env::var_os("IS_SANDBOX").is_some_and(|value| value == "1");
    if options.mode == "bypassPermissions" && is_root && !is_sandbox {
        let text =
            "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
        return refuse(text.into());
    }
    Ok(options)
}

/// Takes `--flag=value` apart.
fn split(word: &str) -> Vec<&str> {
    match word.split_once('=') {
        Some((flag, value)) if WITH_VALUE.contains(&flag) || WITH_VALUES.contains(&flag) => vec![flag, value],
        _ => vec![word],
    }
}

/// Returns the servers in JSON or in a file with it.
fn servers(config: &str) -> Result<Vec<(String, Value)>, End> {
    let text = if config.trim_start().starts_with('{') {
        config.to_owned()
    } else {
        let missing = |_| End { text: format!("Error: MCP config file not found: {config}"), code: 1 };
        std::fs::read_to_string(config).map_err(missing)?
    };
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| End { text: format!("Error: Invalid MCP configuration: {error}"), code: 1 })?;
    Ok(value["mcpServers"].as_object().cloned().unwrap_or_default().into_iter().collect())
}

fn refuse(text: String) -> Result<Options, End> {
    Err(End { text, code: 1 })
}
