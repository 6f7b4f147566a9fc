//! What is left when processes end: everything that was acknowledged.

use crate::bench::{Bench, Witness};
use crate::servers;

pub(crate) fn a_restart_goes_on_with_the_same_conversation(bench: &mut Bench) {
    let (typed, model) = bench.other_model();
    let (handle, _) = bench.run(&["--ui", "--model", typed], "<<say a>>");
    bench.home.paseo(&["restart"]).ok();
    let mark = bench.mark();
    // A server that was lost with the daemon is there again: the tool is called for real.
    let prompt = r#"<<tool set_title {"title":"Back"}>><<say b>>"#;
    let answer = bench.answer(&handle, prompt);
    assert!(answer.contains("turns=2 ") && answer.contains(&format!("model={model}")), "{answer}");
    assert_eq!(bench.inspect(&handle)["title"], "Back", "{}", bench.transcript(&handle));
    // Only what came after the restart counts: the first start had all of it.
    assert!(servers::has_text(&bench.told_since(&mark)), "the text is missing");
    match &bench.model {
        Some(server) => {
            let requests = server.requests().split_off(mark.requests);
            let asked =
                requests.iter().filter(|request| !servers::paseo_tools(&request.body["tools"]).is_empty());
            let asked: Vec<_> = asked.collect();
            // One that calls the tool, one that answers.
            assert_eq!(asked.len(), 2, "{} requests", requests.len());
            for request in asked {
                assert_eq!(request.body["model"], model);
                assert_eq!(servers::paseo_tools(&request.body["tools"]), ["set_branch", "set_title"]);
                assert!(servers::has_text(&request.body.to_string()), "the text is missing");
            }
        }
        None => {
            let told = bench.told_since(&mark);
            assert!(told.contains(model) && told.contains("/mcp/") && told.contains("Paseo"), "{told}");
        }
    }
}

pub(crate) fn a_killed_daemon_loses_nothing(bench: &mut Bench) {
    let witness = bench.witness();
    let (handle, _) = bench.run(&[], "<<say a>>");
    bench
        .home
        .paseo(&["send", &handle, &format!("<<bash {} sleep 1000>><<say never>>", Witness::COMMAND)])
        .ok();
    witness.up();
    bench.until(&handle, |item| item["kind"] == "tool_call");
    assert!(bench.home.kill_daemon());
    let view = bench.inspect(&handle);
    assert_eq!(view["status"], "interrupted", "{view:#}");
    witness.gone();
    let results = bench.items_of(&handle, "tool_result");
    assert_eq!(results.last().unwrap()["outcome"], "interrupted", "{results:#?}");
    let answer = bench.answer(&handle, "<<say b>>");
    assert!(answer.starts_with("b [turns=") && !answer.contains("turns=1 "), "{answer}");
}

pub(crate) fn a_killed_harness_loses_nothing(bench: &mut Bench) {
    let witness = bench.witness();
    let (handle, _) = bench.run(&[], "<<say a>>");
    bench
        .home
        .paseo(&["send", &handle, &format!("<<bash {} sleep 1000>><<say never>>", Witness::COMMAND)])
        .ok();
    witness.up();
    let (id, lines) = (bench.inspect(&handle)["id"].clone(), bench.home.command_lines());
    let tells = |line: &&String| line.contains(id.as_str().unwrap());
    // The daemon, the shim, the harness and its command.
    assert!(lines.len() >= 4 && !lines.iter().any(|line| tells(&line)), "{lines:?}");
    bench.kill_harness();
    witness.gone();
    let waited = bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert_eq!(waited.code, 1, "{waited:?}");
    let view = bench.inspect(&handle);
    assert_eq!(
        (&view["status"], &view["status_source"]),
        (&"error".into(), &"process_exit".into()),
        "{view:#}"
    );
    let answer = bench.answer(&handle, "<<say b>>");
    assert!(answer.starts_with("b [turns=") && !answer.contains("turns=1 "), "{answer}");
}

pub(crate) fn an_idle_process_sleeps_and_wakes(bench: &mut Bench) {
    std::fs::create_dir(bench.home.path()).unwrap();
    std::fs::write(bench.home.path().join("config.toml"), "[limits]\nlive_processes = 1\n").unwrap();
    let (first, _) = bench.run(&[], "<<say a>>");
    let (_, other) = bench.run(&[], "<<say b>>");
    assert!(other.contains("turns=1 "), "{other}");
    let answer = bench.answer(&first, "<<say c>>");
    assert!(answer.contains("turns=2 "), "{answer}");
    // One that was told to go may still be on its way out, with processes of its own.
    bench.until_harnesses(1);
}

pub(crate) fn a_cleared_agent_starts_afresh(bench: &mut Bench) {
    let (handle, _) = bench.run(&[], "<<say a>>");
    bench.home.paseo(&["clear", &handle]).ok();
    let answer = bench.answer(&handle, "<<say b>>");
    assert!(answer.contains("turns=1 "), "{answer}");
}
