//! Powers that a definition withholds, whatever the harness could do.

use paseo_client::Client;
use paseo_wire::session::CreateSession;

use crate::bench::Bench;

/// Runs an agent of a definition to the end of its turn, and returns its id.
pub(crate) fn run(bench: &Bench, slug: &str, definition: &str, prompt: &str) -> String {
    bench.home.paseo(&["up"]).ok();
    let agents = bench.home.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join(format!("{slug}.toml")), definition).unwrap();
    bench.home.trust();
    let wanted = CreateSession {
        agent: Some(slug.to_owned()),
        directory: bench.home.work().display().to_string(),
        prompt: Some(prompt.to_owned()),
        ..CreateSession::default()
    };
    let client = Client::unix(bench.home.path().join("daemon.sock"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let id = runtime.block_on(client.create_session(&wanted, None)).unwrap().session.id;
    bench.wait_for_answer(&id);
    id.into()
}

pub(crate) fn without_a_shell_no_command_runs_and_the_model_is_told(bench: &mut Bench) {
    let prompt = "<<bash touch made>><<write written.txt x>><<say done>>";
    let id = run(bench, "writer", "tools = ['read', 'edit']", prompt);
    assert!(!bench.file("made").exists(), "{}", bench.transcript(&id));
    assert!(bench.file("written.txt").exists(), "{}", bench.transcript(&id));
    let results = bench.items_of(&id, "tool_result");
    assert_ne!(results[0]["outcome"], "ok", "{results:#?}");
    assert!(bench.told().contains("to run commands (`native_shell`)"), "nobody told it why");
    // No person was asked.
    assert!(bench.items_of(&id, "permission").is_empty());
}

pub(crate) fn who_only_reads_does_not_write(bench: &mut Bench) {
    std::fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let prompt = "<<read poem.txt>><<write written.txt x>><<edit poem.txt roses violets>><<bash touch made>><<say done>>";
    let id = run(bench, "reader", "tools = ['read']", prompt);
    let transcript = bench.transcript(&id);
    assert!(!bench.file("made").exists() && !bench.file("written.txt").exists(), "{transcript}");
    assert_eq!(std::fs::read_to_string(bench.file("poem.txt")).unwrap(), "roses\n", "{transcript}");
    let results = bench.items_of(&id, "tool_result");
    assert!(results[0]["text"].as_str().is_some_and(|text| text.contains("roses")), "{results:#?}");
}

pub(crate) fn who_may_do_nothing_does_not_even_read(bench: &mut Bench) {
    std::fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let id =
        run(bench, "mute", "tools = []", "<<read poem.txt>><<bash cat poem.txt>><<bash ls>><<say done>>");
    let results = bench.items_of(&id, "tool_result");
    for result in &results {
        assert_ne!(result["outcome"], "ok", "{results:#?}");
        assert!(!result["text"].as_str().unwrap_or_default().contains("roses"), "{results:#?}");
    }
    assert!(bench.told().contains("to read files (`native_read`)"), "nobody told it why");
    assert_eq!(offered(bench), Vec::<&str>::new());
}

/// Returns which of the tools that read the real harness offered to the model.
fn offered(bench: &Bench) -> Vec<&'static str> {
    let requests = bench.model.as_ref().map(|model| model.requests()).unwrap_or_default();
    let all: String = requests.iter().map(|request| request.body["tools"].to_string()).collect();
    let reading = ["Read", "Bash", "read", "bash", "exec_command", "shell", "view_image", "WebFetch"];
    reading.into_iter().filter(|tool| all.contains(&format!("\"name\":\"{tool}\""))).collect()
}

pub(crate) fn who_may_do_everything_does(bench: &mut Bench) {
    std::fs::write(bench.file("poem.txt"), "roses\n").unwrap();
    let prompt = "<<read poem.txt>><<bash touch made>><<write written.txt x>><<say done>>";
    let id = run(bench, "worker", "tools = ['read', 'edit', 'bash']", prompt);
    let transcript = bench.transcript(&id);
    assert!(bench.file("made").exists() && bench.file("written.txt").exists(), "{transcript}");
    assert!(bench.items_of(&id, "permission").is_empty(), "{transcript}");
    assert!(!bench.told().contains("You are not allowed to"), "it may do everything");
    assert_eq!(offered(bench).is_empty(), bench.model.is_none(), "{:?}", offered(bench));
}
