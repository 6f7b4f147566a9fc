//! The page that shows what a run came to.

use std::fmt::Write;

use super::{Feature, Outcome, Outcomes, Subject, subjects};
use crate::real::Program;

const LIMITS: &str = "
## Limits

- The tests run against a scripted model, so they say nothing about the quality of answers.
- Other versions of a harness may behave differently. The table names the versions that were tested.
";

/// Makes the page, from what came of a run on a day.
pub fn page(outcomes: &Outcomes, day: &str, version: impl Fn(Program) -> Option<String>) -> String {
    let mut page = format!(
        "# Harnesses and what works with them\n\n\
         Use this table to choose a harness: it shows which features of Paseo work with the newest release of each.\n\
         `make harnesses LATEST=1` made it on {day}: it installs the releases and runs the contract tests\n\
         (`crates/cli/tests/contract`) with them, against a scripted model on the same machine.\n\n\
         ```sh run\n\
         paseo providers        # which of them are ready on your machine\n\
         ```\n\n\
         ✓ is followed by the number of tests that pass, ✗ by a note below the table, and – means that no test covers it.\n\
         A failing test runs once more alone, because a busy machine says nothing about a harness. `openai` is Paseo's own\n\
         agent.\n\n"
    );
    let mut notes = Vec::new();
    page.push_str("| |");
    for program in Program::ALL {
        let version = version(program).unwrap_or_else(|| "not installed".to_owned());
        write!(page, " `{}` {version} |", program.name()).expect("a text");
    }
    page.push_str("\n|---|");
    page.push_str(&"---|".repeat(Program::ALL.len()));
    page.push('\n');
    for feature in Feature::ALL {
        write!(page, "| {} |", feature.title()).expect("a text");
        for program in Program::ALL {
            write!(page, " {} |", cell(outcomes, program, feature, &mut notes)).expect("a text");
        }
        page.push('\n');
    }
    for (number, note) in notes.iter().enumerate() {
        let before = if number == 0 { "\n" } else { "" };
        writeln!(page, "{before}{}. {note}", number + 1).expect("a text");
    }
    page.push_str(&others(outcomes));
    page + LIMITS
}

fn cell(outcomes: &Outcomes, program: Program, feature: Feature, notes: &mut Vec<String>) -> String {
    let about = Subject::Cell(program, feature);
    let tests: Vec<(&String, &Outcome)> =
        outcomes.iter().filter(|(test, _)| subjects(test).contains(&about)).collect();
    let failed: Vec<&String> =
        tests.iter().filter(|(_, outcome)| !outcome.passed).map(|(test, _)| *test).collect();
    let whole = tests.iter().filter(|(_, outcome)| outcome.passed && outcome.lacks.is_none()).count();
    let lack = tests.iter().find_map(|(_, outcome)| outcome.lacks.as_deref());
    let mut noted = |mark: String, note: String| {
        let known = notes.iter().position(|known| *known == note);
        let number = known.unwrap_or_else(|| {
            notes.push(note);
            notes.len() - 1
        });
        format!("{mark} [{}]", number + 1)
    };
    match (failed.as_slice(), lack) {
        ([], None) if tests.is_empty() => "–".to_owned(),
        ([], None) => format!("✓ {whole}"),
        ([], Some(lack)) if whole == 0 => noted("✗".to_owned(), lack.to_owned()),
        ([], Some(lack)) => noted(format!("✓ {whole}"), format!("partly: {lack}")),
        (failed, _) => {
            let names = failed.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ");
            noted("✗".to_owned(), format!("failed: {names}"))
        }
    }
}

/// Tells of the tests that are in no cell.
fn others(outcomes: &Outcomes) -> String {
    let others = outcomes.iter().filter(|(test, _)| subjects(test) == [Subject::General]);
    let (passed, failed): (Vec<_>, Vec<_>) = others.partition(|(_, outcome)| outcome.passed);
    let mut text =
        format!("\nTests about no particular harness: {} passed, {} failed.", passed.len(), failed.len());
    for (test, _) in failed {
        write!(text, "\n- `{test}`").expect("a text");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(passed: bool, lacks: Option<&str>) -> Outcome {
        Outcome { passed, lacks: lacks.map(str::to_owned) }
    }

    #[test]
    fn a_cell_says_what_its_tests_came_to() {
        let outcomes = Outcomes::from(
            [
                ("real_claude::usage_adds_up", outcome(true, None)),
                ("real_claude::many_turns_share_one_process", outcome(true, None)),
                ("real_codex::usage_adds_up", outcome(true, None)),
                ("real_codex::many_turns_share_one_process", outcome(false, None)),
                ("acp_agents::gemini::a_model_is_paid_with_its_key", outcome(true, Some("no key"))),
                ("acp_agents::qwen::a_model_is_paid_with_its_key", outcome(true, Some("no key"))),
                ("real_pi::usage_adds_up", outcome(true, None)),
                ("real_pi::many_turns_share_one_process", outcome(true, Some("one turn"))),
                ("threads::several", outcome(false, None)),
            ]
            .map(|(test, outcome)| (test.to_owned(), outcome)),
        );
        let page = page(&outcomes, "2026-11-17", |program| {
            (program != Program::Copilot).then(|| format!("1.{}", program.name().len()))
        });
        let row = |title: &str| page.lines().find(|line| line.contains(title)).unwrap().to_owned();
        assert_eq!(
            row("answers, thoughts"),
            "| answers, thoughts, tool calls, diffs, usage | ✓ 2 | ✗ [1] | ✓ 1 [2] | – | – | – | – | – | – | – |"
        );
        assert_eq!(
            row("keys that"),
            "| keys that Paseo hands out | – | – | – | – | – | – | – | ✗ [3] | ✗ [3] | – |"
        );
        for expected in [
            "made it on 2026-11-17",
            "`claude` 1.6 |",
            "`copilot` not installed |",
            "\n1. failed: `real_codex::many_turns_share_one_process`\n2. partly: one turn\n3. no key\n",
            "Tests about no particular harness: 0 passed, 1 failed.\n- `threads::several`\n\n## Limits\n",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
    }
}
