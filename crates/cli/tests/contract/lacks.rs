//! What a harness cannot do, and why. A case that needs it asks here and returns; none is skipped without a line here.

use paseo_testkit::matrix;
use paseo_testkit::real::Program;

use crate::bench::Bench;

/// Something that a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    Steering,
    Effort,
    ModelFailures,
    Keys,
    Resume,
    LimitInTerminal,
    Login,
    FailedTurns,
}

impl Lack {
    /// Says what is missing, for the table of harnesses and features.
    fn reason(self) -> &'static str {
        match self {
            Self::Steering => "a message cannot enter a running turn and waits for the next",
            Self::Effort => "the effort cannot be chosen",
            Self::ModelFailures => {
                "it does not report why the model server failed: no status, no limit, no retry"
            }
            Self::Keys => "it accepts no keys from Paseo",
            Self::LimitInTerminal => "in a terminal its screen asks a person when a limit is reached",
            Self::Login => "without a login it uses its own hosted models",
            Self::FailedTurns => "it reports a failure as words of the agent, in a turn that succeeds",
            Self::Resume => "it erases a conversation that it loads within the minute of its last change",
        }
    }
}

impl Bench {
    /// Says whether the harness of this column lacks something. The running test is noted as one that was cut short.
    pub(crate) fn lacks(&self, what: Lack) -> bool {
        let lacks: &[Lack] = match self.program {
            // ACP has no way to add to a turn. Opencode thinks as its models are configured to, has keys of its own,
            // and says of a failure of the model only that there was one, after as many attempts as it likes.
            Program::Opencode => {
                &[Lack::Steering, Lack::Effort, Lack::ModelFailures, Lack::Keys, Lack::Login]
            }
            Program::Gemini => &[Lack::Steering, Lack::ModelFailures, Lack::Keys, Lack::Resume],
            // Nor do the others take keys of ours, or tell why the model server failed.
            Program::ClaudeAcp | Program::Qwen => &[Lack::Steering, Lack::ModelFailures, Lack::Keys],
            Program::CodexAcp | Program::Copilot => {
                &[Lack::Steering, Lack::ModelFailures, Lack::Keys, Lack::FailedTurns]
            }
            Program::Codex => &[Lack::LimitInTerminal],
            Program::Claude | Program::Pi | Program::OpenAi => &[],
        };
        let lacks = lacks.contains(&what);
        if lacks {
            matrix::note(what.reason());
        }
        lacks
    }
}
