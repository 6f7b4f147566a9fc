//! Tools as commands of the agent's own shell.

use crate::bench::Bench;
use crate::withheld::run;

/// As the skill says it: the shell of a harness may not find it otherwise.
const PASEO: &str = env!("CARGO_BIN_EXE_paseo");

pub(crate) fn a_skill_is_taught_and_works_in_the_agents_shell(bench: &mut Bench) {
    let definition = "tools = ['bash', 'agents_list']\ntoolExposure = 'skills'";
    let prompt = format!("<<bash {PASEO} tool agents_list>><<bash {PASEO} tool send_to_tab>><<say done>>");
    let id = run(bench, "skilled", definition, &prompt);
    let results = bench.items_of(&id, "tool_result");
    assert_eq!(results[0]["outcome"], "ok", "{results:#?}");
    assert_eq!(results[0]["exit_code"].as_i64().unwrap_or_default(), 0, "{results:#?}");
    let refused = results[1]["text"].as_str().unwrap();
    assert!(refused.contains("`send_to_tab` is not granted to this agent"), "{results:#?}");
    let told = bench.told();
    let page = bench.home.path().join("skills").join(&id).join("paseo-agents/SKILL.md");
    assert!(page.exists() && told.contains(page.to_str().unwrap()), "the prompt names the skill");
    assert!(std::fs::read_to_string(&page).unwrap().contains(&format!("\n{PASEO} tool agents_list\n")));
    assert!(!told.contains("/mcp/") && !told.contains("mcp__paseo-tools"), "it has the tools twice");
}

pub(crate) fn mixed_gives_both(bench: &mut Bench) {
    let definition = "tools = ['bash', 'agents_list']\ntoolExposure = 'mixed'";
    let prompt = format!("<<bash {PASEO} tool agents_list>><<tool agents_list {{}}>><<say done>>");
    let id = run(bench, "mixed", definition, &prompt);
    let results = bench.items_of(&id, "tool_result");
    assert!(results.len() == 2 && results.iter().all(|result| result["outcome"] == "ok"), "{results:#?}");
    assert!(bench.told().contains("paseo-agents/SKILL.md"));
}
