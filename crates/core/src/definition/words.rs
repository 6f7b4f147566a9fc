//! The words that definitions use: providers, efforts, permission modes and tools, in everybody's vocabulary.

use crate::glob::Glob;
use crate::permission::{Mode, Power};
use crate::provider;
use crate::tool::{self, RETRIEVE, SUMMON, TODO};

/// How hard an agent may be told to think. Which of them a provider knows is its own affair.
pub const EFFORTS: [&str; 8] = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/// The providers that a definition may name.
pub const PROVIDERS: [&str; 7] = ["claude", "codex", "pi", "acp", "openai", "openai-compatible", "scripted"];

/// Says what a name of a tool may not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Odd {
    /// It is narrowed down in a way that cannot be kept.
    Narrowed,
    /// It belongs to a server of the user's own, which Paseo leaves alone.
    Foreign,
}

/// Returns our name of a provider.
pub fn provider(word: &str) -> Option<&'static str> {
    let word = match word {
        "claude-cli" | "claude-code" => "claude",
        "codex-cli" => "codex",
        "pi-cli" => "pi",
        word => word,
    };
    PROVIDERS.into_iter().find(|known| *known == word)
}

/// Returns our name of a provider: of one of ours, or of an agent that people may have added.
pub(super) fn any_provider(word: &str) -> Option<String> {
    let own = provider(word).map(str::to_owned);
    own.or_else(|| provider::is_name(word).then(|| word.to_owned()))
}

/// Returns our word for a permission mode of Claude Code. What has no equal becomes what asks more.
pub(super) fn permission_mode(word: &str) -> Option<Mode> {
    match word {
        "default" | "acceptEdits" => Some(Mode::Ask),
        "plan" => Some(Mode::ReadOnly),
        "bypassPermissions" => Some(Mode::Full),
        _ => None,
    }
}

/// Returns the tools that names stand for, each once: groups, tools of Claude Code, and names and patterns of ours.
pub(super) fn tools(names: &[String]) -> Vec<Glob> {
    let names: Vec<String> = names.iter().flat_map(|name| in_our_words(name)).collect();
    tool::expand(&names)
}

/// Says what is odd about the name of a tool.
pub(super) fn oddity(name: &str) -> Option<Odd> {
    if name.contains('(') {
        return Some(Odd::Narrowed);
    }
    name.starts_with("mcp__").then_some(Odd::Foreign)
}

fn in_our_words(name: &str) -> Vec<String> {
    let ours: &[&str] = match name {
        "Read" | "NotebookRead" | "LS" | "Glob" | "Grep" | "BashOutput" | "TaskOutput" => {
            &[Power::Read.tool()]
        }
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => &[Power::Write.tool()],
        // As a group, it reaches the network, too.
        "Bash" | "PowerShell" | "KillShell" | "Monitor" => &["bash"],
        "WebFetch" | "WebSearch" => &[Power::Net.tool()],
        "TodoWrite" => &[TODO],
        "Task" | "Agent" => &[SUMMON, RETRIEVE],
        // Every agent may ask and plan.
        "AskUserQuestion" | "ExitPlanMode" | "EnterPlanMode" | "ToolSearch" => &[],
        name => return vec![name.to_owned()],
    };
    ours.iter().map(|name| (*name).to_owned()).collect()
}
