//! What is added to a harness's own prompt.

use crate::session::Session;

/// Told to agents that are shown in the app, word for word.
pub const UI_TEXT: &str = "You are running under Paseo. You MUST call set_title immediately after understanding \
the task. Call it exactly once per task—do not repeat.\nYou are running inside a Paseo-owned worktree. Call \
set_branch once (alongside set_title) to name your branch.";

/// Returns all of it, in order; empty when there is nothing to add.
pub fn build(session: &Session) -> String {
    let parts = [session.labels.is_ui().then_some(UI_TEXT)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_for_the_app_is_verbatim() {
        let lines: Vec<&str> = UI_TEXT.lines().collect();
        assert_eq!(
            lines,
            [
                "You are running under Paseo. You MUST call set_title immediately after understanding the task. \
                 Call it exactly once per task—do not repeat.",
                "You are running inside a Paseo-owned worktree. Call set_branch once (alongside set_title) to \
                 name your branch.",
            ]
        );
    }
}
