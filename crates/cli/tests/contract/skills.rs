//! Tools as commands of the agent's own shell.

use crate::bench::Bench;
use crate::together::define;
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
    let folder = std::fs::read_dir(bench.home.path().join("skills")).unwrap().next().unwrap().unwrap().path();
    let page = folder.join("paseo-agents/SKILL.md");
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

pub(crate) fn agents_work_together_by_skills(bench: &mut Bench) {
    for setting in ["perm_send_to_tab", "perm_summon"] {
        bench.home.paseo(&["settings", "set", setting, "on"]).ok();
    }
    define(bench, &[("helper", "is_subagent = true")]);
    let (peer, _) = bench.run(&[], "<<say hi>>");
    let peer = bench.inspect(&peer)["handle"].as_str().unwrap().to_owned();
    let definition = "tools = ['bash', 'agents_message', 'send_to_tab', 'todo', 'summon']\n\
                      ceiling = ['*']\ntoolExposure = 'skills'";
    let prompt = format!(
        "<<bash {PASEO} tool send_to_tab --tab-id {peer} --message 'from a shell'>>\
         <<bash {PASEO} tool agents_message --agent-id default --session create --content 'are you there'>>\
         <<bash {PASEO} tool summon --agent helper --task 'look around'>>\
         <<bash {PASEO} tool todo --todos '[{{\"content\":\"Sweep\"}}]'>><<say done>>"
    );
    let id = run(bench, "skilled", definition, &prompt);
    let results = bench.items_of(&id, "tool_result");
    let text = |index: usize| results[index]["text"].as_str().unwrap();
    assert_eq!(results.len(), 4, "{results:#?}");
    assert!(text(0).contains("started") || text(0).contains("queued"), "{results:#?}");
    assert!(
        text(1).contains("\"status\":\"complete\"") || text(1).contains("\"status\": \"complete\""),
        "{results:#?}"
    );
    assert!(text(2).contains("agent_id: "), "{results:#?}");
    assert_eq!(bench.inspect(&id)["todo"][0]["content"], "Sweep", "{results:#?}");
    bench.until(&peer, |item| {
        item["kind"] == "user_text" && item["text"].as_str().unwrap_or_default().contains("from a shell")
    });
    assert_eq!(bench.inspect(&id)["children"].as_array().map(Vec::len), Some(1), "the child is its own");
}

pub(crate) fn agents_look_at_each_other_by_skills(bench: &mut Bench) {
    for setting in ["perm_read_tab", "perm_summon"] {
        bench.home.paseo(&["settings", "set", setting, "on"]).ok();
    }
    define(bench, &[("helper", "is_subagent = true")]);
    let (peer, _) = bench.run(&[], "<<say seen by others>>");
    let peer = bench.inspect(&peer)["handle"].as_str().unwrap().to_owned();
    let definition = "tools = ['bash', 'read_tab', 'notify_when_idle', 'summon', 'retrieve', 'todo']\n\
                      ceiling = ['*']\ntoolExposure = 'skills'";
    let prompt = format!(
        "<<bash {PASEO} tool read_tab --tab-id {peer}>>\
         <<bash {PASEO} tool notify_when_idle --tab-id {peer}>>\
         <<bash id=$({PASEO} tool summon --agent helper --task 'look around' --background | \
         grep -oE '[0-9a-f-]{{36}}' | head -n 1); {PASEO} tool retrieve --agent-id $id>><<say done>>"
    );
    let id = run(bench, "skilled", definition, &prompt);
    let results = bench.items_of(&id, "tool_result");
    let text = |index: usize| results[index]["text"].as_str().unwrap();
    assert_eq!(results.len(), 3, "{results:#?}");
    assert!(text(0).contains("seen by others"), "{results:#?}");
    assert!(text(1).contains("is already idle"), "{results:#?}");
    assert!(text(2).contains("look around"), "{results:#?}");
}
