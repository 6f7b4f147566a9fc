//! What the program says about itself: what people should know, and what is only noise.

use serde_json::Value;

use super::parse::{RateLimitInfo, System};
use crate::provider::{Output, Retry};

/// How a line about the program itself is treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It stands elsewhere, or is of no interest.
    Nothing,
    Notice {
        code: &'static str,
        text: String,
    },
    /// Not known: kept as it came.
    Unknown,
}

/// Lines that become no item, because what they say stands elsewhere or is only about how things are done.
const QUIET: &[&str] = &[
    // How the program is doing; the turn and its items say it.
    "status",
    "session_state_changed",
    "thinking_tokens",
    "turn_duration",
    "api_metrics",
    "keep_alive",
    "control_request_progress",
    "tool_progress",
    "auth_status",
    "worker_shutting_down",
    // The items of a tool call say it.
    "task_started",
    "task_progress",
    "task_updated",
    "task_summary",
    "background_tasks_changed",
    "tool_use_summary",
    "elicitation_complete",
    // Hooks of the user's own; what they block is a tool result.
    "hook_started",
    "hook_progress",
    "hook_response",
    "stop_hook_summary",
    // For the program's own screen.
    "commands_changed",
    "session_title_changed",
    "session_metadata",
    "prompt_suggestion",
    "post_turn_summary",
    "autocompact_state",
    "files_persisted",
    "file_snapshot",
    "vcs_state_changed",
];

/// Lines that become a notice with this code, with the first of these fields that holds text.
const TOLD: &[(&str, &str)] = &[
    ("informational", "informational"),
    ("notification", "informational"),
    ("instruction_size_warning", "informational"),
    ("local_command_output", "command_output"),
    ("permission_denied", "permission_denied"),
    ("model_fallback", "model_fallback"),
    ("model_consent_fallback", "model_fallback"),
    ("model_refusal_fallback", "model_fallback"),
    ("model_refusal_no_fallback", "model_refused"),
    ("api_error", "model_error"),
    ("session_writes_lost", "transcript_lost"),
    ("mirror_error", "transcript_lost"),
    ("conversation_reset", "conversation_reset"),
];

/// The fields that hold the words of such a line.
const WORDS: &[&str] = &["message", "content", "text", "summary", "error", "reason"];

/// Says whether lines of this type or subtype become no item.
pub(super) fn is_quiet(word: &str) -> bool {
    QUIET.contains(&word)
}

/// Says how a line is treated.
pub(super) fn of_system(system: &System) -> Said {
    let told = TOLD.iter().find(|(subtype, _)| *subtype == system.subtype);
    match system.subtype.as_str() {
        subtype if is_quiet(subtype) => Said::Nothing,
        "api_retry" => Said::Notice { code: "retrying", text: retrying(system) },
        "compact_boundary" => Said::Notice { code: "compacted", text: compacted(system) },
        subtype => match told {
            Some((_, code)) => {
                let words = WORDS.iter().filter_map(|name| system.text(name)).find(|words| !words.is_empty());
                Said::Notice { code, text: words.unwrap_or(subtype).to_owned() }
            }
            None => Said::Unknown,
        },
    }
}

/// Says what a limit means for people; nothing while all is well.
pub(super) fn of_limit(info: &RateLimitInfo) -> Said {
    let limit = info.rate_limit_type.as_deref().unwrap_or("usage").replace('_', "-");
    match info.status.as_str() {
        "allowed" => Said::Nothing,
        "allowed_warning" => {
            let used =
                info.utilization.map(|used| format!(": {:.0} % used", used * 100.0)).unwrap_or_default();
            Said::Notice {
                code: "rate_limit_near",
                text: format!("The {limit} limit is almost reached{used}."),
            }
        }
        "rejected" => Said::Notice { code: "rate_limited", text: format!("The {limit} limit is reached.") },
        _ => Said::Unknown,
    }
}

/// Returns what is wrong with our servers, as the program lists them.
pub(super) fn failed_servers(system: &System, ours: &[String]) -> Vec<Said> {
    let listed = system.fields.get("mcp_servers").and_then(Value::as_array);
    let status = |name: &str| {
        let found = listed?.iter().find(|server| server.get("name").and_then(Value::as_str) == Some(name))?;
        found.get("status").and_then(Value::as_str)
    };
    let failed = ours.iter().filter_map(|name| match status(name) {
        Some("connected" | "pending") => None,
        found => Some(Said::Notice {
            code: "mcp_failed",
            text: format!(
                "The agent cannot reach its tools: the MCP server {name} is {}.",
                found.unwrap_or("missing")
            ),
        }),
    });
    failed.collect()
}

/// Returns which attempt follows.
pub(super) fn retry(system: &System) -> Output {
    let count = |name: &str| system.number(name).and_then(|number| u32::try_from(number).ok());
    let retry = Retry { attempt: count("attempt"), of: count("max_retries") };
    Output::BrokeOff { items: Vec::new(), retry: Some(retry) }
}

fn retrying(system: &System) -> String {
    let error = system.text("error").unwrap_or("unknown");
    let what = match system.number("error_status") {
        Some(status) => format!("The model server responded with status {status} ({error})."),
        None => "The model server could not be reached.".to_owned(),
    };
    let delay = system.number("retry_delay_ms").unwrap_or_default() / 100;
    let attempt = system.number("attempt").unwrap_or_default();
    let most = system.number("max_retries").map(|most| format!(" of {most}")).unwrap_or_default();
    format!("{what} Retrying in {}.{} s (attempt {attempt}{most}).", delay / 10, delay % 10)
}

fn compacted(system: &System) -> String {
    let about = system.fields.get("compact_metadata").cloned().unwrap_or_default();
    let number = |name: &str| about.get(name).and_then(Value::as_u64);
    match (number("pre_tokens"), number("post_tokens")) {
        (Some(before), Some(after)) => {
            format!("The conversation was summarised to free context: {before} tokens became {after}.")
        }
        _ => "The conversation was summarised to free context.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Line, read};
    use super::*;

    fn system(line: &str) -> System {
        match read(line) {
            Some(Line::System(system)) => system,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_retry_says_status_attempt_and_delay() {
        let line = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":571,"error_status":529,"error":"overloaded"}"#;
        let text =
            "The model server responded with status 529 (overloaded). Retrying in 0.5 s (attempt 1 of 10).";
        assert_eq!(of_system(&system(line)), Said::Notice { code: "retrying", text: text.into() });
        let line = r#"{"type":"system","subtype":"api_retry","attempt":2,"retry_delay_ms":1200,"error_status":null,"error":"unknown"}"#;
        let text = "The model server could not be reached. Retrying in 1.2 s (attempt 2).";
        assert_eq!(of_system(&system(line)), Said::Notice { code: "retrying", text: text.into() });
    }

    #[test]
    fn what_people_should_know_is_told() {
        let line = r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":9000,"post_tokens":800}}"#;
        assert!(
            matches!(of_system(&system(line)), Said::Notice { code: "compacted", text } if text.contains("9000"))
        );
        let line = r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","message":"Not allowed here"}"#;
        let text = "Not allowed here".to_owned();
        assert_eq!(of_system(&system(line)), Said::Notice { code: "permission_denied", text });
        let line = r#"{"type":"system","subtype":"informational","content":"Auto mode is off"}"#;
        let text = "Auto mode is off".to_owned();
        assert_eq!(of_system(&system(line)), Said::Notice { code: "informational", text });
    }

    #[test]
    fn noise_is_quiet_and_the_unknown_is_kept() {
        assert_eq!(of_system(&system(r#"{"type":"system","subtype":"hook_started"}"#)), Said::Nothing);
        assert_eq!(of_system(&system(r#"{"type":"system","subtype":"new_one"}"#)), Said::Unknown);
    }

    #[test]
    fn a_limit_that_is_near_is_told() {
        let mut info = RateLimitInfo { status: "allowed".into(), ..RateLimitInfo::default() };
        assert_eq!(of_limit(&info), Said::Nothing);
        info.status = "allowed_warning".into();
        info.rate_limit_type = Some("five_hour".into());
        info.utilization = Some(0.87);
        let text = "The five-hour limit is almost reached: 87 % used.".to_owned();
        assert_eq!(of_limit(&info), Said::Notice { code: "rate_limit_near", text });
    }

    #[test]
    fn a_server_of_ours_that_failed_or_is_missing_is_told() {
        let line = r#"{"type":"system","subtype":"init","mcp_servers":[{"name":"Paseo","status":"connected"},{"name":"paseo-tools","status":"failed"},{"name":"theirs","status":"failed"}]}"#;
        let ours = ["Paseo".to_owned(), "paseo-tools".to_owned(), "gone".to_owned()];
        let said = failed_servers(&system(line), &ours);
        let texts: Vec<_> = said
            .iter()
            .map(|said| match said {
                Said::Notice { code: "mcp_failed", text } => text.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(texts.len(), 2);
        assert!(texts[0].contains("paseo-tools is failed") && texts[1].contains("gone is missing"));
    }
}
