//! What a harness cannot do, and why. A case that needs it asks here and returns; none is skipped without a line here.

use paseo_testkit::real::Program;

use crate::bench::Bench;

/// Something that a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    /// A message cannot enter a running turn: it waits for the next.
    Steering,
    /// How hard it thinks cannot be chosen.
    Effort,
    /// It does not tell why the model server failed: no status, no limit, no retry.
    ModelFailures,
    /// It takes no key of ours.
    Keys,
}

impl Bench {
    /// Says whether the harness of this column lacks something.
    pub(crate) fn lacks(&self, what: Lack) -> bool {
        let lacks: &[Lack] = match self.program {
            // ACP has no way to add to a turn. Opencode thinks as its models are configured to, has keys of its own,
            // and says of a failure of the model only that there was one, after as many attempts as it likes.
            Program::Opencode => &[Lack::Steering, Lack::Effort, Lack::ModelFailures, Lack::Keys],
            // Nor do the others take keys of ours, or tell why the model server failed.
            Program::CodexAcp | Program::ClaudeAcp | Program::Gemini | Program::Qwen | Program::Copilot => {
                &[Lack::Steering, Lack::ModelFailures, Lack::Keys]
            }
            Program::Claude | Program::Codex | Program::Pi | Program::OpenAi => &[],
        };
        lacks.contains(&what)
    }
}
