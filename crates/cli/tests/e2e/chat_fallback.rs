//! Several models and keys: who answers when one does not, and who never learns of the keys.

use std::fs;
use std::path::Path;

use paseo_testkit::home::TestHome;
use paseo_testkit::model::ModelServer;

use crate::chat::{at, configure, items, notices, run, send};
use crate::screens::{assert_said, squeezed};

/// A home with a definition of two models, each with a key.
fn chained(model: &ModelServer) -> TestHome {
    let mut home = at(&format!("{}/v1", model.url()));
    fs::write(home.work().join("second.key"), "sk-second\n").unwrap();
    let key = |id: &str, secret: String| {
        let url = model.url();
        format!("[[keys]]\nid = '{id}'\nprovider = 'openai'\n{secret}\nbase_url = '{url}/v1'\n")
    };
    let file = format!("file = '{}'", home.work().join("second.key").display());
    let config = key("first", "env = 'FIRST_KEY'".to_owned()) + &key("second", file);
    let definition = "provider = 'openai'\n\
        [[models]]\nmodel_id = 'one'\nkey_id = 'first'\n[[models]]\nmodel_id = 'two'\nkey_id = 'second'\neffort = 'high'\n";
    home.set("FIRST_KEY", "sk-first");
    configure(&home, &config, &[("chained", definition)]);
    home
}

#[test]
fn the_next_model_answers_when_one_is_refused() {
    for status in [400, 401, 403, 404, 429] {
        let model = ModelServer::start();
        let home = chained(&model);
        let id = run(&home, &["--agent", "chained"], &format!("<<status {status} times=1>><<say on>>"));
        let answer = home.paseo(&["read", &id]);
        assert!(answer.ok().contains("model=two"), "{status}: {answer:?}");
        let told = notices(&home, &id, "fallback");
        assert_eq!(told.len(), 1, "{told:?}");
        for word in [&status.to_string(), "first", "second"] {
            assert!(told[0].contains(word), "{told:?}");
        }
        let requests = model.requests();
        let paid: Vec<_> = requests.iter().filter_map(|request| request.header("authorization")).collect();
        assert_eq!(paid, ["Bearer sk-first", "Bearer sk-second"], "{status}");
        assert!(requests[0].body["reasoning_effort"].is_null());
        assert_eq!(requests[1].body["reasoning_effort"], "high");
    }
}

#[test]
fn a_server_that_fails_is_asked_again_before_the_next() {
    let model = ModelServer::start();
    let home = chained(&model);
    let id = run(&home, &["--agent", "chained"], "<<status 503 times=5>><<say on>>");
    assert!(home.paseo(&["read", &id]).ok().contains("model=two"));
    assert_eq!((notices(&home, &id, "retrying").len(), notices(&home, &id, "fallback").len()), (4, 1));
}

#[test]
fn when_all_refuse_the_last_says_why_and_the_next_message_works() {
    let model = ModelServer::start();
    let home = chained(&model);
    let id = run(&home, &["--agent", "chained"], "<<status 401>>");
    let error = items(&home, &id, "error").pop().unwrap();
    assert_eq!(error["code"], "not_logged_in", "{error:#}");
    assert!(error["text"].as_str().unwrap().starts_with("two (key second)"), "{error:#}");
    assert!(send(&home, &id, "<<say on>>").ok().starts_with("on ["));
}

#[test]
fn a_model_that_was_chosen_is_where_it_begins() {
    let model = ModelServer::start();
    let home = chained(&model);
    let id = run(&home, &["--agent", "chained", "--model", "two"], "<<say on>>");
    assert!(home.paseo(&["read", &id]).ok().contains("model=two"));
    assert_eq!(model.requests()[0].header("authorization"), Some("Bearer sk-second"));
}

#[test]
fn a_model_that_the_definition_does_not_have_is_asked_for_on_its_server_with_its_key() {
    let model = ModelServer::start();
    let home = chained(&model);
    let id = run(&home, &["--agent", "chained", "--model", "three"], "<<say on>>");
    assert!(home.paseo(&["read", &id]).ok().contains("model=three"));
    assert_eq!(model.requests()[0].header("authorization"), Some("Bearer sk-first"));
    for nothing in ["", " ", "a\nb"] {
        let refused = home.paseo(&["run", "--agent", "chained", "--model", nothing, "hi"]);
        assert_eq!(refused.code, 2, "{refused:?}");
    }
}

#[test]
fn another_key_counts_from_the_next_turn_on() {
    let model = ModelServer::start();
    let home = chained(&model);
    let id = run(&home, &["--agent", "chained"], "<<say on>>");
    let other = "provider = 'openai'\n[[models]]\nmodel_id = 'one'\nkey_id = 'second'\n";
    fs::write(home.path().join("agents/chained.toml"), other).unwrap();
    home.trust();
    assert!(send(&home, &id, "<<say again>>").ok().starts_with("again [turns=2 "));
    assert_eq!(model.requests()[1].header("authorization"), Some("Bearer sk-second"));
}

#[test]
fn who_tries_no_other_model_says_so() {
    let home = at("http://127.0.0.1:1/v1");
    let models = |provider: &str| format!("provider = '{provider}'\nmodels = ['one', 'two']");
    configure(&home, "", &[("chat", &models("openai")), ("coder", &models("codex"))]);
    let models = |slug: &str| {
        let shown = home.paseo(&["agents", "show", slug]);
        squeezed(shown.ok().lines().find(|line| line.starts_with("model")).unwrap())
    };
    assert_said!(home, &models("chat"), @"models one, then two");
    assert_said!(home, &models("coder"), @"models one; codex has no fallback, so these have no effect: two");
}

#[test]
fn a_key_that_cannot_be_read_is_told_and_the_rest_goes_on() {
    let model = ModelServer::start();
    let mut home = chained(&model);
    home.unset("FIRST_KEY");
    let id = run(&home, &["--agent", "chained"], "<<say on>>");
    assert_eq!(model.requests()[0].header("authorization"), Some("Bearer sk-second"));
    let words = "cannot use the key `first`: the variable FIRST_KEY is not set";
    let notices = items(&home, &id, "notice");
    let told: Vec<_> = notices.iter().filter(|notice| notice["code"] == "key_unreadable").collect();
    assert_eq!(told.len(), 1, "{notices:?}");
    assert!(told[0]["text"].as_str().unwrap().ends_with(words), "{told:?}");
    let checked = home.paseo(&["agents", "check"]);
    assert!(checked.stdout.contains(words), "{checked:?}");
}

#[test]
fn what_would_never_run_is_found_by_the_check() {
    let mut home = at("http://127.0.0.1:1/v1");
    home.unset("OPENAI_COMPATIBLE_MODEL");
    let key = "[[keys]]\nid = 'own'\nprovider = 'pi'\nenv = 'HOME'\n";
    let agents = [
        ("far", "provider = 'external'"),
        ("bare", "provider = 'openai-compatible'"),
        ("free", "provider = 'pi-acp'\npermissions = 'ask'"),
        ("paid", "provider = 'pi'\n[[models]]\nmodel_id = 'sonnet'\nkey_id = 'own'"),
    ];
    configure(&home, key, &agents);
    let checked = home.paseo(&["agents", "check"]);
    for expected in [
        "far.toml:1: `provider` cannot be external",
        "bare.toml:1: warning: provider `openai-compatible` needs a model: ",
        "free.toml:2: warning: pi-acp does not support the permission mode `ask`; it supports: full",
        "paid.toml:2: warning: the model `sonnet` does not name the server its key is for",
    ] {
        assert!(checked.stdout.contains(expected), "{expected}: {checked:?}");
    }
}

#[test]
fn where_no_key_can_be_read_nothing_is_started() {
    let model = ModelServer::start();
    let mut home = chained(&model);
    home.unset("FIRST_KEY");
    fs::remove_file(home.work().join("second.key")).unwrap();
    let refused = home.paseo(&["run", "--agent", "chained", "<<say on>>"]);
    let words = "cannot use the key `first`: the variable FIRST_KEY is not set";
    assert!(refused.code != 0 && refused.stderr.contains(words), "{refused:?}");
    assert!(model.requests().is_empty());
}

#[test]
fn no_key_is_ever_seen_by_the_agent_or_written_down() {
    let model = ModelServer::start();
    let home = chained(&model);
    let look =
        "env; cat /proc/$PPID/environ /proc/$PPID/cmdline; cat /proc/self/environ; ls -l /proc/$PPID/fd";
    let id = run(&home, &["--agent", "chained"], &format!("<<bash {}>><<say on>>", look.replace('>', "\\>")));
    let seen = items(&home, &id, "tool_result").pop().unwrap();
    let seen = home.paseo(&["logs", &id]).stdout + seen["text"].as_str().unwrap_or_default();
    assert!(seen.contains("PASEO_SESSION="), "it saw nothing: {seen}");
    let tools = home.paseo(&["inspect", &id, "--json"]).stdout + &home.paseo(&["providers", "--json"]).stdout;
    let written = texts(&home.path());
    for secret in ["sk-first", "sk-second", "sk-environment"] {
        assert!(!seen.contains(secret), "{secret} is seen: {seen}");
        assert!(!tools.contains(secret) && !written.contains(secret), "{secret} is written down");
    }
}

#[test]
fn nobody_finds_the_keys_of_others() {
    let model = ModelServer::start();
    let mut home = at(&format!("{}/v1", model.url()));
    home.set("OTHERS_KEY", "sk-others");
    home.set("OPENAI_COMPATIBLE_API_KEY", "sk-compatible");
    configure(&home, "[[keys]]\nid = 'others'\nprovider = 'claude'\nenv = 'OTHERS_KEY'\n", &[]);
    for (provider, prompt) in [("openai", "<<bash env>><<say on>>"), ("scripted", "<<sh env>>")] {
        let id = run(&home, &["--provider", provider], prompt);
        let seen = items(&home, &id, "tool_result").pop().unwrap()["text"].as_str().unwrap().to_owned();
        assert!(seen.contains("PASEO_SESSION="), "{provider} saw nothing: {seen}");
        assert!(!seen.contains("sk-") && !seen.contains("OTHERS_KEY"), "{provider}: {seen}");
    }
}

/// Returns all that stands in the files of a folder.
fn texts(folder: &Path) -> String {
    let mut found = String::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found += &texts(&path);
        } else if path.is_file() {
            found += &String::from_utf8_lossy(&fs::read(path).unwrap());
        }
    }
    found
}
