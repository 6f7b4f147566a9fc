//! The characters of the fakes.

use std::time::Duration;

use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::Program;
use serde_json::json;

use crate::claude;
use crate::codex::Codex;
use crate::dialogue::Dialogue;

/// A fake of either kind in the middle of nothing.
struct Cast {
    fake: Fake,
    work: tempfile::TempDir,
}

impl Cast {
    fn new(program: Program) -> Self {
        Self { fake: Fake::of(program), work: tempfile::tempdir().expect("a directory to work in") }
    }

    fn claude(&self, personality: Personality, more: &[&str]) -> Dialogue {
        let environment = self.fake.environment(personality);
        let program = self.fake.program();
        let mut start =
            |arguments: &[&str]| Dialogue::start(&program, arguments, &environment, self.work.path());
        claude::start(&mut start, &[&["--dangerously-skip-permissions"], more].concat())
    }

    fn codex(&self, personality: Personality) -> Codex {
        let environment = self.fake.environment(personality);
        let process = Dialogue::start(&self.fake.program(), &["app-server"], &environment, self.work.path());
        Codex::start(process, "thread/start", json!({ "approvalPolicy": "never" }))
    }
}

#[test]
fn a_wedged_fake_takes_a_message_and_says_nothing_any_more() {
    let cast = Cast::new(Program::Claude);
    let mut claude = cast.claude(Personality::Wedged, &[]);
    claude::say(&mut claude, 1, "<<say never>>");
    claude.until(|event| event["subtype"] == "status");
    claude::interrupt(&mut claude);
    assert!(claude.is_silent(Duration::from_millis(300)));

    let cast = Cast::new(Program::Codex);
    let mut codex = cast.codex(Personality::Wedged);
    let turn = codex.turn("<<say never>>");
    codex.until("item/completed");
    codex.process.send(&json!({
        "id": 99, "method": "turn/interrupt", "params": { "threadId": codex.thread, "turnId": turn },
    }));
    assert!(codex.process.is_silent(Duration::from_millis(300)));
}

#[test]
fn a_garbage_fake_goes_on_after_it() {
    let cast = Cast::new(Program::Claude);
    let mut claude = cast.claude(Personality::Garbage, &[]);
    claude::say(&mut claude, 1, "<<say still here>>");
    let result = claude.until(|event| event["type"] == "result");
    assert_eq!(result["result"], "still here [turns=1 tools=0 model=claude-sonnet-4-5]");
    assert!(claude.noise >= 4, "{}", claude.noise);

    let cast = Cast::new(Program::Codex);
    let mut codex = cast.codex(Personality::Garbage);
    codex.turn("<<say still here>>");
    assert_eq!(codex.until("turn/completed")["params"]["turn"]["status"], "completed");
    assert!(codex.process.noise >= 4, "{}", codex.process.noise);
}

#[test]
fn a_crashing_fake_dies_in_the_middle_and_one_of_them_only_once() {
    let cast = Cast::new(Program::Claude);
    let mut claude = cast.claude(Personality::CrashingOnce, &["--session-id", claude::SESSION]);
    claude::say(&mut claude, 1, "<<say one two three four>>");
    assert_eq!(claude.exit_code(), 3);
    let deltas = claude.heard.iter().filter(|event| event["event"]["type"] == "content_block_delta").count();
    assert_eq!(deltas, 2);
    let mut claude = cast.claude(Personality::CrashingOnce, &["--resume", claude::SESSION]);
    claude::say(&mut claude, 2, "<<say better>>");
    let result = claude.until(|event| event["type"] == "result");
    assert_eq!(result["result"], "better [turns=2 tools=0 model=claude-sonnet-4-5]");

    let cast = Cast::new(Program::Codex);
    let mut codex = cast.codex(Personality::Crashing);
    codex.turn("<<bash true>> <<say never>>");
    assert_eq!(codex.process.exit_code(), 3);
}

#[test]
fn a_late_fake_confirms_an_interrupt_and_finishes_nevertheless() {
    let cast = Cast::new(Program::Claude);
    let mut claude = cast.claude(Personality::Late, &[]);
    claude::say(&mut claude, 1, "<<slow 50>> <<say one two three>>");
    claude.until(|event| event["event"]["delta"]["text"] == "one ");
    claude::interrupt(&mut claude);
    claude.until(|event| event["type"] == "control_response");
    let result = claude.until(|event| event["type"] == "result");
    assert_eq!(result["terminal_reason"], "completed");

    let cast = Cast::new(Program::Codex);
    let mut codex = cast.codex(Personality::Late);
    let turn = codex.turn("<<slow 50>> <<say one two three>>");
    codex.until("item/agentMessage/delta");
    codex.call("turn/interrupt", json!({ "turnId": turn }));
    assert_eq!(codex.until("turn/completed")["params"]["turn"]["status"], "completed");
}

#[test]
fn a_fake_records_what_it_was_given() {
    let cast = Cast::new(Program::Claude);
    let mut claude = cast.claude(Personality::Steady, &["--append-system-prompt", "be kind"]);
    let pid = claude.pid();
    claude::say(&mut claude, 1, "<<say hello>>");
    claude::until_idle(&mut claude);
    let record = cast.fake.record();
    let [start] = &record.starts[..] else { panic!("one start: {record:#?}") };
    assert_eq!((start.pid, start.name.as_str()), (pid, "claude"));
    assert_eq!(start.option("--append-system-prompt"), Some("be kind"));
    assert_eq!(start.variable("PASEO_PERSONALITY"), Some("steady"));
    assert_eq!(record.messages()[0]["message"]["content"], "<<say hello>>");
}

#[test]
fn a_fake_claude_refuses_what_claude_refuses() {
    let cast = Cast::new(Program::Claude);
    let mut claude = cast.claude(Personality::Steady, &["--nonsense"]);
    assert_eq!(claude.exit_code(), 1);
}
