//! What codex is told before each tool of a guarded session, and what it asks then.
//!
//! Its approvals are not enough: what a rule of the user's allows is not asked about. A hook comes before them, in a
//! terminal too, and carries to the model why it may not.

use std::path::Path;

use paseo_core::permission::{Power, Request, Shape, script};
use paseo_core::tool::REGISTRY;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::reading;
use crate::provider::Place;

/// Asked before each tool: the name of that in a configuration, and its name everywhere else.
const BEFORE: (&str, &str) = ("PreToolUse", "pre_tool_use");

/// Asked where codex would ask the person at the terminal.
const INSTEAD: (&str, &str) = ("PermissionRequest", "permission_request");

/// How long the hook may take, in seconds: `paseo leave` gives up long before.
const PATIENCE: u64 = 120;

/// Told when our program could not say why not.
const UNANSWERED: &str = "Not done: Paseo did not allow it.";

/// A patch that a command brings may lie in another directory than codex works in, and no hook is told which.
const SOMEWHERE: &str = "a patch in a command with an unknown directory (name its files by absolute paths, \
                         or use the tool apply_patch instead of a command)";

/// What a patch says before the name of a file that it touches.
const TOUCHES: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Returns the arguments by which codex has us asked before each tool. Whatever goes wrong, the tool is not used.
pub fn guarding_arguments(executable: &Path) -> Vec<String> {
    arguments(&[(BEFORE, asking(executable, "--denials"))])
}

/// Returns those for a terminal. There nothing is done outside of a sandbox that lets it read unless leave is asked for,
/// and we are asked for it first. Should codex skip our hooks, it asks the person at the terminal.
pub(super) fn guarding_arguments_in_terminal(executable: &Path) -> Vec<String> {
    arguments(&[(BEFORE, asking(executable, "--denials")), (INSTEAD, asking(executable, "--instead"))])
}

/// Returns the command of a hook. Only this code stops a tool, and only with words: without them codex takes the hook for
/// broken and goes on. It must mean the same to whatever shell the user has.
fn asking(executable: &Path, how: &str) -> String {
    let program = executable.to_string_lossy().replace('\'', r"'\''");
    format!("'{program}' leave {how} || sh -c 'echo {UNANSWERED} >&2; exit 2'")
}

/// Codex runs a hook only once a person has trusted it, by its hash. These come with the trust in them, and in nothing
/// else that is configured.
fn arguments(hooks: &[((&str, &str), String)]) -> Vec<String> {
    let mut settings = vec!["features.hooks=true".to_owned()];
    let mut states = Vec::new();
    for ((event, name), command) in hooks {
        let hash = trusted_hash(name, command, PATIENCE);
        let command = Value::from(command.as_str());
        let hook = format!(r#"[{{hooks=[{{type="command",command={command},timeout={PATIENCE}}}]}}]"#);
        settings.push(format!("hooks.{event}={hook}"));
        states.push(format!(r#""/<session-flags>/config.toml:{name}:0:0"={{trusted_hash="{hash}"}}"#));
    }
    settings.push(format!("hooks.state={{{}}}", states.join(",")));
    settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]).collect()
}

/// Returns the hash by which codex knows a hook: of its JSON, with the names in order.
fn trusted_hash(name: &str, command: &str, timeout: u64) -> String {
    let hook = json!({ "async": false, "command": command, "timeout": timeout, "type": "command" });
    let hook = json!({ "event_name": name, "hooks": [hook] }).to_string();
    let digest = Sha256::digest(hook.as_bytes());
    format!("sha256:{}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Reads what the hook is told.
pub(super) fn leave(words: &Value, place: &Place<'_>) -> Result<Option<Request>, String> {
    let text = |name: &str| words.get(name).and_then(Value::as_str);
    let tool = text("tool_name").ok_or("the tool name is missing")?.to_owned();
    let call = text("tool_use_id").unwrap_or_default().to_owned();
    let input = words.get("tool_input").cloned().unwrap_or_default();
    let directory = text("cwd").map_or(place.directory, Path::new);
    // A server of someone else may have a name that begins like ours, or that codex spells like ours.
    let is_ours = |server: &String| {
        let name = tool.strip_prefix(&format!("mcp__{}__", spelled(server)));
        name.is_some_and(|name| REGISTRY.iter().any(|spec| spec.power.is_none() && spec.name == name))
    };
    if place.servers.iter().any(is_ours) {
        return Ok(None);
    }
    let command = input.get("command").and_then(Value::as_str);
    // It makes a patch of a command that does nothing else.
    let patch = match (tool.as_str(), command) {
        ("apply_patch", Some(patch)) => Some(patch.to_owned()),
        ("Bash", Some(command)) => {
            let patch = patch_in(&script(command).unwrap_or_else(|| command.to_owned()));
            let relative = |patch: &String| touched(patch).any(|path| !path.starts_with('/'));
            if place.terminal && patch.as_ref().is_some_and(relative) {
                let (power, shape) = (Power::Shell, Shape::Unnamed { words: SOMEWHERE.to_owned() });
                return Ok(Some(Request { call, tool, input, power, shape, form: None }));
            }
            patch
        }
        _ => None,
    };
    let (power, shape) = match (tool.as_str(), command) {
        _ if patch.is_some() => {
            let patch = patch.unwrap_or_default();
            let paths = touched(&patch).map(|path| directory.join(path).to_string_lossy().into_owned());
            let paths: Vec<String> = paths.collect();
            match &paths[..] {
                [] => (Power::Shell, Shape::Unnamed { words: "a patch that names no files".into() }),
                [path] => (Power::Write, Shape::File { path: path.clone() }),
                _ => (Power::Write, Shape::File { path: json!(paths).to_string() }),
            }
        }
        ("Bash", Some(command)) if reading::script_only_reads(command) => return Ok(None),
        ("Bash", Some(command)) => {
            (Power::Shell, Shape::Command { command: script(command).unwrap_or_else(|| command.to_owned()) })
        }
        // Lists, questions and pictures change nothing.
        ("update_plan" | "view_image" | "request_user_input" | "web_search", _) => return Ok(None),
        _ => (Power::Shell, Shape::Tool { name: tool.clone() }),
    };
    Ok(Some(Request { call, tool, input, power, shape, form: None }))
}

/// Returns the name of a server as codex spells it in those of tools.
fn spelled(server: &str) -> String {
    server.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

/// Returns the patch of a command that is nothing but one. Where it runs nobody is told: among people, who are not asked
/// about it a second time, its files must say it themselves.
fn patch_in(command: &str) -> Option<String> {
    let (first, rest) = command.trim().split_once('\n')?;
    let mark = first.strip_prefix("apply_patch <<'")?.strip_suffix('\'')?;
    let body = rest.strip_suffix(mark)?.strip_suffix('\n')?;
    let word = !mark.is_empty() && mark.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (word && !body.lines().any(|line| line == mark)).then(|| body.to_owned())
}

fn touched(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter_map(|line| {
        TOUCHES.iter().find_map(|word| line.trim_start().strip_prefix(word)).map(str::trim)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_asks_for_what_changes_something() {
        let place =
            Place { directory: Path::new("/p"), servers: &["paseo-tools".to_owned()], terminal: false };
        let asked = |tool: &str, command: &str| {
            let input = json!({ "command": command });
            leave(&json!({ "tool_name": tool, "tool_input": input, "cwd": "/p/sub" }), &place).unwrap()
        };
        assert_eq!(asked("Bash", "ls"), None);
        assert_eq!(asked("mcp__paseo_tools__team_tasks_claim", ""), None);
        assert_eq!(asked("Bash", "touch x").unwrap().power, Power::Shell);
        for tool in ["mcp__theirs__x", "mcp__paseo_tools__x__delete", "mcp__paseo_tools__delete", "brand_new"]
        {
            assert_eq!(asked(tool, "").unwrap().power, Power::Shell, "{tool}");
        }
        let patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: /b.txt\n@@\n-x\n+y\n*** End Patch";
        let file = Shape::File { path: r#"["/p/sub/a.txt","/b.txt"]"#.into() };
        assert_eq!(asked("apply_patch", patch).unwrap().shape, file);
        assert_eq!(asked("apply_patch", "nothing").unwrap().power, Power::Shell);
        let command = format!("apply_patch <<'EOF'\n{patch}\nEOF");
        assert_eq!(asked("Bash", &command).unwrap().shape, file);
        for more in [format!("{command}\nrm x"), format!("rm x; {command}"), command.replace("'EOF'", "EOF")]
        {
            assert_eq!(asked("Bash", &more).unwrap().power, Power::Shell, "{more}");
        }
        let words = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "cwd": "/p" });
        let in_terminal = Place { terminal: true, ..place };
        let terminal = leave(&words, &in_terminal).unwrap().unwrap();
        assert_eq!(terminal.power, Power::Shell, "nobody knows where");
        assert!(matches!(terminal.shape, Shape::Unnamed { words } if words.contains("absolute paths")));
        // The tool itself works where codex does.
        let words =
            json!({ "tool_name": "apply_patch", "tool_input": { "command": patch }, "cwd": "/p/sub" });
        assert_eq!(leave(&words, &in_terminal).unwrap().unwrap().shape, file);
    }

    #[test]
    fn a_hook_is_trusted_by_the_hash_that_codex_has_of_it() {
        let told = "sha256:d0229a95d31eed77dc5d123b2edc3e83e640217b99cf1f152e8e31e44a9c0e3b";
        assert_eq!(trusted_hash(BEFORE.1, "/bin/false", 10), told);
    }

    #[test]
    fn the_hook_fails_closed() {
        let words = guarding_arguments(Path::new("/opt/it's/paseo"));
        let command = r#"command="'/opt/it'\\''s/paseo' leave --denials || sh -c 'echo Not done: "#;
        assert!(words[3].contains(command) && words[3].contains(" >&2; exit 2'\""), "{}", words[3]);
    }
}
