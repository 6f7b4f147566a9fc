//! Agents that people add by a command, and the bad manners that only such agents have.

use paseo_testkit::home::TestHome;
use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::Program;
use serde_json::Value;

use crate::home;
use crate::screens::{assert_said, assert_told};

/// A home with a fake agent beside it, that nobody has added yet. Fields end in the order they stand in.
struct Bed {
    home: TestHome,
    fake: Fake,
}

impl Bed {
    fn new(quirk: Option<&str>) -> Self {
        let fake = Fake::of(Program::Opencode);
        let mut home = home();
        for (name, value) in fake.environment(Personality::Steady) {
            home.set(name, &value);
        }
        home.set("PASEO_FAKE", "acp");
        if let Some(quirk) = quirk {
            home.set("PASEO_FAKE_QUIRK", quirk);
        }
        Self { home, fake }
    }

    /// Adds the agent as `helper`.
    fn add(&self, flags: &[&str]) {
        let program = self.fake.program();
        let words = [&["providers", "add", "helper"], flags, &["--", program.to_str().unwrap()]].concat();
        self.home.paseo(&words).ok();
    }

    /// Starts an agent and waits for the end of its turn; returns its id.
    fn run(&self, flags: &[&str], prompt: &str) -> String {
        let words = [&["run", "-d", "--json", "--provider", "helper"], flags, &[prompt]].concat();
        let made: Value = serde_json::from_str(self.home.paseo(&words).ok()).unwrap();
        let id = made["session"]["id"].as_str().unwrap().to_owned();
        self.home.paseo(&["wait", "--timeout", "60s", &id]);
        id
    }

    fn transcript(&self, id: &str) -> String {
        self.home.paseo(&["logs", id]).stdout
    }

    fn inspect(&self, id: &str) -> Value {
        serde_json::from_str(self.home.paseo(&["inspect", id, "--json"]).ok()).unwrap()
    }

    /// Returns how ready the agent is.
    fn readiness(&self) -> String {
        let found = self.providers().into_iter().find(|provider| provider["name"] == "helper").unwrap();
        found["readiness"].as_str().unwrap().to_owned()
    }

    fn providers(&self) -> Vec<Value> {
        let list: Value = serde_json::from_str(self.home.paseo(&["providers", "--json"]).ok()).unwrap();
        list["providers"].as_array().unwrap().clone()
    }
}

#[test]
fn a_command_becomes_an_agent_at_once_and_is_forgotten_again() {
    let bed = Bed::new(None);
    let unknown = bed.home.paseo(&["run", "--provider", "helper", "x"]);
    assert_ne!(unknown.code, 0);
    bed.add(&["--mode", "full", "--env", "HELPER=1"]);
    let found = bed.providers().into_iter().find(|provider| provider["name"] == "helper").unwrap();
    assert_eq!((&found["readiness"], &found["added"]), (&"ready".into(), &true.into()), "{found:#}");
    let id = bed.run(&[], "<<bash touch made>><<say hi>>");
    assert!(bed.transcript(&id).contains("hi [turns=1"), "{}", bed.transcript(&id));
    assert!(bed.home.work().join("made").exists());
    let told = bed.fake.record();
    assert!(told.lines.iter().any(|(_, line)| line.contains(r#""modeId":"full""#)), "its mode was not set");
    assert!(told.starts.iter().any(|start| start.environment.contains_key("HELPER")));
    // Definitions may name it.
    std::fs::create_dir_all(bed.home.path().join("agents")).unwrap();
    std::fs::write(bed.home.path().join("agents/own.toml"), "provider = 'helper'\n").unwrap();
    bed.home.trust();
    let answer = bed.home.paseo(&["run", "--agent", "own", "--timeout", "60s", "<<say own>>"]);
    assert!(answer.ok().contains("own [turns=1"), "{answer:?}");
    // It outlives the daemon, and is known to the doctor.
    bed.home.paseo(&["restart"]).ok();
    assert!(bed.home.paseo(&["doctor"]).stdout.contains("helper"));
    let again = bed.home.paseo(&["send", &id, "--wait", "--timeout", "60s", "<<say on>>"]);
    assert!(again.ok().starts_with("on [turns=2"), "{again:?}");
    bed.home.paseo(&["providers", "rm", "helper"]).ok();
    assert!(bed.providers().iter().all(|provider| provider["name"] != "helper"));
    let gone = bed.home.paseo(&["providers", "rm", "helper"]);
    assert_told!(bed.home, gone, @r"
    exit 3
    error: you have not added a provider called `helper`
     hint: run `paseo providers`; built-in providers cannot be removed
    ");
}

#[test]
fn what_makes_no_sense_is_refused_with_words() {
    let bed = Bed::new(None);
    for (words, expected) in [
        (&["add", "Helper", "--", "true"][..], "invalid provider name"),
        (&["add", "claude", "--", "true"], "`claude` is a built-in provider"),
        (&["add", "x", "--", "no-such-program"], "`no-such-program` is not executable"),
        (&["add", "x", "--preset", "nobody", "--", "true"], "unknown preset `nobody`; known: opencode"),
        (&["add", "x", "--env", "PASEO_TOKEN=1", "--", "true"], "invalid variable name `PASEO_TOKEN`"),
        (&["add", "x", "--env", "A", "--", "true"], "expected NAME=VALUE"),
        (&["add", "x", "--", "./agent"], "`./agent` is a relative path"),
        (&["add", "x", "--", "bin/agent"], "/bin/agent …"),
    ] {
        let refused = bed.home.paseo(&[&["providers"], words].concat());
        assert_ne!(refused.code, 0, "{words:?}");
        assert!(refused.stderr.contains(expected), "{words:?}: {}", refused.stderr);
    }
}

#[test]
fn no_agent_adds_a_command() {
    let bed = Bed::new(None);
    bed.add(&["--mode", "full"]);
    let paseo = env!("CARGO_BIN_EXE_paseo");
    let id = bed.run(
        &[],
        &format!("<<bash {paseo} providers add evil -- sh; {paseo} providers rm helper>><<say on>>"),
    );
    // What stands above is cut at a column, after a path that is another one elsewhere.
    let transcript = bed.transcript(&id);
    let (_, told) = transcript.split_once("exit code 6\n").unwrap_or_else(|| panic!("{transcript}"));
    assert_said!(bed.home, told, @r"
    error: only people can do this, and you are calling as an agent
     hint: ask a person; this process belongs to agent aaa1
    error: only people can do this, and you are calling as an agent
     hint: ask a person; this process belongs to agent aaa1

    #4 12:00:00 agent
    on [turns=1 tools=1 model=scripted]
    ");
    let names: Vec<Value> = bed.providers().into_iter().map(|provider| provider["name"].clone()).collect();
    assert!(names.contains(&"helper".into()) && !names.contains(&"evil".into()), "{names:?}");
}

#[test]
fn who_never_asks_is_held_to_nothing_and_who_does_is() {
    let bed = Bed::new(None);
    bed.add(&["--mode", "full"]);
    let refused = bed.home.paseo(&["run", "--provider", "helper", "--permissions", "ask", "x"]);
    assert_told!(bed.home, refused, @r"
    exit 2
    error: helper does not support the permission mode `ask`
     hint: choose one of full
    ");
    bed.add(&["--mode", "full", "--asks"]);
    let id = bed.run(&["--permissions", "read-only"], "<<bash touch made>><<say on>>");
    assert!(!bed.home.work().join("made").exists(), "{}", bed.transcript(&id));
    assert!(bed.transcript(&id).contains("on [turns=1"), "{}", bed.transcript(&id));
}

#[test]
fn another_version_a_missing_login_and_an_agent_without_tools_are_told() {
    for (quirk, code, words) in [
        ("stranger", "harness_error", "helper speaks ACP version 7, but Paseo speaks version 1"),
        ("locked", "not_logged_in", "Login methods: Log in (Run `agent login`)"),
    ] {
        let mut bed = Bed::new(Some(quirk));
        bed.add(&[]);
        let id = bed.run(&[], "<<say never>>");
        let view = bed.inspect(&id);
        assert_eq!((&view["status"], &view["status_code"]), (&"error".into(), &code.into()), "{view:#}");
        assert!(bed.transcript(&id).contains(words), "{}", bed.transcript(&id));
        let why = bed.home.paseo(&["why", &id]);
        assert!(why.ok().contains(code) && why.ok().contains(words), "{why:?}");
        assert_eq!(bed.home.paseo(&["run", "--provider", "helper", "<<say never>>"]).code, 1);
        let expected = if quirk == "locked" { "no_login" } else { "ready" };
        assert_eq!(bed.readiness(), expected);
        // With a better one in its place, the next message works.
        bed.home.unset("PASEO_FAKE_QUIRK");
        bed.home.paseo(&["restart"]).ok();
        let answer = bed.home.paseo(&["send", &id, "--wait", "--timeout", "60s", "<<say now>>"]);
        assert!(answer.ok().contains("now ["), "{answer:?}");
        assert_eq!(bed.readiness(), "ready");
    }
    let bed = Bed::new(Some("toolless"));
    bed.add(&[]);
    let id = bed.run(&["--ui"], "<<say on>>");
    assert_said!(bed.home, &bed.transcript(&id), @r"
    #1 12:00:00 note: helper does not support MCP servers over HTTP, so this agent has no Paseo tools.

    #2 12:00:00 you
    <<say on>>

    #3 12:00:00 agent
    on [turns=1 tools=0 model=scripted]
    ");
    let prompt = bed.home.paseo(&["inspect", &id, "--prompt"]);
    assert!(prompt.ok().contains("set_title"), "{prompt:?}");
}

#[test]
fn the_details_of_an_error_are_shown_wherever_the_error_is() {
    let bed = Bed::new(Some("terse"));
    bed.add(&[]);
    let words = "helper: Internal error: the disk of the agent is full";
    let ran = bed.home.paseo(&["run", "--provider", "helper", "<<say never>>"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains(words), "{ran:?}");
    let id = bed.run(&[], "<<say never>>");
    for command in ["why", "logs"] {
        let shown = bed.home.paseo(&[command, &id]);
        assert!(shown.ok().contains(words), "{command}: {shown:?}");
    }
}

#[test]
fn one_that_does_not_say_what_it_would_do_is_let_unless_it_may_be_what_was_denied() {
    let bed = Bed::new(Some("vague"));
    bed.add(&["--asks"]);
    let id = bed.run(&[], "<<bash touch made>><<say on>>");
    assert!(bed.home.work().join("made").exists(), "{}", bed.transcript(&id));
    bed.run(&["--permissions", "read-only"], "<<bash touch never>><<say on>>");
    assert!(!bed.home.work().join("never").exists());
    // Somebody denies a command here, for good.
    let words = ["run", "-d", "--provider", "scripted", "--permissions", "ask", "<<sh git push>>"];
    let other = bed.home.paseo(&words).ok().to_owned();
    bed.home.paseo(&["wait", &other]);
    bed.home.paseo(&["permit", "deny", &other, "--always"]).ok();
    let words = ["run", "-d", "--provider", "helper", "<<bash touch later>><<say on>>"];
    let asking = bed.home.paseo(&words).ok().to_owned();
    bed.home.paseo(&["wait", &asking]);
    let open = bed.home.paseo(&["permit", "ls"]);
    assert_said!(bed.home, open.ok(), @r#"
    aaaaaaa1  aaa2  bash  now
      touch later (wants to run commands)
      {
        "tool": "bash",
        "input": {
          "title": "touch later"
        }
      }
    "#);
    bed.home.paseo(&["permit", "allow", &asking, "--yes"]).ok();
    bed.home.paseo(&["wait", &asking]).ok();
    assert!(bed.home.work().join("later").exists(), "{}", bed.transcript(&asking));
}

#[test]
fn one_that_hangs_at_the_start_is_stopped_and_the_next_message_works() {
    let mut bed = Bed::new(Some("mute"));
    bed.add(&[]);
    let words = ["run", "-d", "--json", "--provider", "helper", "<<say never>>"];
    let made: Value = serde_json::from_str(bed.home.paseo(&words).ok()).unwrap();
    let id = made["session"]["id"].as_str().unwrap().to_owned();
    bed.home.paseo(&["send", &id, "<<say later>>"]).ok();
    bed.home.paseo(&["stop", &id]).ok();
    bed.home.paseo(&["wait", "--timeout", "60s", &id]);
    assert_eq!(bed.inspect(&id)["held"], 2, "what was never taken up is kept, and what waited behind it");
    bed.home.unset("PASEO_FAKE_QUIRK");
    bed.home.paseo(&["restart"]).ok();
    let answer = bed.home.paseo(&["send", &id, "--wait", "--timeout", "60s", "<<say now>>"]);
    assert!(answer.ok().contains("now ["), "{answer:?}");
}

#[test]
fn one_that_never_answers_is_ended_after_the_time_that_was_set_and_told() {
    let bed = Bed::new(Some("mute"));
    std::fs::create_dir_all(bed.home.path()).unwrap();
    std::fs::write(bed.home.path().join("config.toml"), "[limits]\nstart_seconds = 1\n").unwrap();
    bed.add(&[]);
    let ran = bed.home.paseo(&["run", "--provider", "helper", "--timeout", "30s", "<<say never>>"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let words = "helper did not answer initialize within 1 seconds (limits.start_seconds) and was stopped";
    assert!(ran.stderr.contains(words), "{ran:?}");
    let id = bed.run(&[], "<<say never>>");
    assert_eq!(bed.inspect(&id)["status_code"], "harness_error");
    let why = bed.home.paseo(&["why", &id]);
    assert!(why.ok().contains(words), "{why:?}");
}

#[test]
fn one_that_cannot_continue_begins_anew_and_says_so() {
    let bed = Bed::new(Some("forgetful"));
    bed.add(&[]);
    let id = bed.run(&[], "<<say a>>");
    bed.home.paseo(&["restart"]).ok();
    let answer = bed.home.paseo(&["send", &id, "--wait", "--timeout", "60s", "<<say b>>"]);
    assert!(answer.ok().starts_with("b [turns=1"), "{answer:?}");
    assert_said!(bed.home, &bed.transcript(&id), @r"
    #1 12:00:00 you
    <<say a>>

    #2 12:00:00 agent
    a [turns=1 tools=0 model=scripted]

    #4 12:00:00 note: helper could not resume the conversation. It starts a new one and remembers nothing of the previous…

    #5 12:00:00 you
    <<say b>>

    #6 12:00:00 agent
    b [turns=1 tools=0 model=scripted]
    ");
}

#[test]
fn one_that_talks_too_much_is_answered_once() {
    let bed = Bed::new(Some("chatty"));
    bed.add(&["--asks", "--mode", "full"]);
    let id = bed.run(&["--permissions", "read-only"], "<<bash touch made>><<read none>><<say on>>");
    let transcript = bed.transcript(&id);
    assert!(!bed.home.work().join("made").exists(), "{transcript}");
    let logs = bed.home.paseo(&["logs", "--json", &id]);
    let items: Vec<Value> = logs.ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| items.iter().filter(|item| item["kind"] == kind).count();
    assert_eq!((of("tool_call"), of("tool_result")), (2, 2), "{transcript}");
    let answer = bed.home.paseo(&["send", &id, "--wait", "--timeout", "60s", "<<say next>>"]);
    assert!(answer.ok().starts_with("next [turns=2"), "{answer:?}");
    assert!(bed.transcript(&id).contains("note: one more thing"), "{}", bed.transcript(&id));
}
