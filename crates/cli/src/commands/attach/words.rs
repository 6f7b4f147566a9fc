//! What a typed line means.

use paseo_wire::permission::PermissionRequest;

/// Fewest characters that name an ask.
const LEAST: usize = 4;

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    Nothing,
    /// Send it, after the running turn.
    Say(String),
    /// Send it instead of the running turn.
    Interrupt(String),
    Stop,
    Allow(Option<String>),
    Deny(Option<String>),
    Help,
    Quit,
    /// A command that there is not.
    Unknown(String),
}

/// What can be typed, for `/help`.
pub(crate) const HELP: [(&str, &str); 7] = [
    ("words", "send a message, read after the current turn"),
    ("! words", "interrupt the current turn with a message"),
    ("/stop", "stop the current turn; queued messages are held"),
    ("/allow [HASH]", "allow the request; HASH is needed only if several are open"),
    ("/deny [words]", "deny a permission request, with an optional reason"),
    ("/quit, ctrl-D", "detach; the agent keeps working"),
    ("//words", "send a message that starts with a slash"),
];

/// Returns what a line means.
pub(crate) fn meaning(line: &str) -> Wish {
    let text = line.trim();
    if text.is_empty() {
        return Wish::Nothing;
    }
    if let Some(text) = text.strip_prefix('!') {
        let text = text.trim();
        return if text.is_empty() { Wish::Stop } else { Wish::Interrupt(text.to_owned()) };
    }
    let Some(command) = text.strip_prefix('/') else { return Wish::Say(line.trim_end().to_owned()) };
    if command.starts_with('/') {
        return Wish::Say(command.to_owned());
    }
    let (verb, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let words = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    match (verb, words) {
        ("allow", words) => Wish::Allow(words),
        ("deny", words) => Wish::Deny(words),
        ("stop", None) => Wish::Stop,
        ("help" | "?", None) => Wish::Help,
        ("quit" | "exit" | "q", None) => Wish::Quit,
        _ => Wish::Unknown(text.to_owned()),
    }
}

/// Returns the ask that the first word names, and the other words.
pub(super) fn which<'a>(
    words: Option<&str>,
    open: &[&'a PermissionRequest],
) -> Option<(&'a PermissionRequest, Option<String>)> {
    let words = words?.trim();
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let is_hash = first.len() >= LEAST && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut named = open.iter().filter(|ask| is_hash && ask.hash.starts_with(&first.to_ascii_lowercase()));
    let (one, other) = (named.next()?, named.next());
    let rest = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    other.is_none().then_some((*one, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_word_may_say_which() {
        let ask = |hash: &str| -> PermissionRequest {
            serde_json::from_value(json!({
                "session": "s", "handle": "3f2a", "name": null, "project": "/p", "hash": hash, "tool": null,
                "text": "x", "always": null, "since": "2026-01-31T12:00:00.000Z",
            }))
            .unwrap()
        };
        let (one, other) = (ask("beef0001"), ask("beef0002"));
        let open = [&one, &other];
        let found = |text: &str| which(Some(text), &open).map(|(ask, words)| (ask.hash.as_str(), words));
        assert_eq!(found("beef0002 not now"), Some(("beef0002", Some("not now".to_owned()))));
        assert_eq!(found("BEEF0001"), Some(("beef0001", None)));
        assert_eq!((found("beef"), found("bee"), found("no way")), (None, None, None));
    }

    #[test]
    fn lines_have_meanings() {
        let words = |text: &str| Some(text.to_owned());
        assert_eq!(meaning("  "), Wish::Nothing);
        assert_eq!(meaning("  fix it \n"), Wish::Say("  fix it".to_owned()));
        assert_eq!(meaning("! wrong branch"), Wish::Interrupt("wrong branch".to_owned()));
        assert_eq!(meaning("!"), Wish::Stop);
        assert_eq!(meaning("/stop"), Wish::Stop);
        assert_eq!(meaning("/allow"), Wish::Allow(None));
        assert_eq!(meaning("/deny  not today "), Wish::Deny(words("not today")));
        assert_eq!(meaning("/q"), Wish::Quit);
        assert_eq!(meaning("//etc/hosts is wrong"), Wish::Say("/etc/hosts is wrong".to_owned()));
        assert_eq!(meaning("/etc/hosts"), Wish::Unknown("/etc/hosts".to_owned()));
        assert_eq!(meaning("/stop it"), Wish::Unknown("/stop it".to_owned()));
    }
}
