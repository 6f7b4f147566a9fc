//! The real claude, codex and pi with the scripted model behind them, and the fakes beside them.
//!
//! Every scene is played with both, and both must tell the same story. Where a real one is not installed
//! (`scripts/harnesses`), only the fake plays.

#![allow(clippy::expect_used, clippy::panic)]

mod claude;
mod codex;
mod dialogue;
mod model;
mod personalities;
mod pi;
mod server;

use dialogue::Dialogue;
use paseo_testkit::model::ModelServer;
use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::Program;

/// Starts the harness of a scene with arguments.
type Start<'a> = &'a mut dyn FnMut(&[&str]) -> Dialogue;

/// Plays a scene with the fake and, if there is one, with the real harness, and compares what was told.
fn compare(program: Program, play: fn(Start<'_>) -> Vec<String>) {
    let work = tempfile::tempdir().expect("a directory to work in");
    let fake = Fake::of(program);
    let mut environment = fake.environment(Personality::Steady);
    // The one that is installed.
    environment.push(("PASEO_FAKE_PI", "1.5.0".into()));
    let told = play(&mut |arguments| Dialogue::start(&fake.program(), arguments, &environment, work.path()));

    let model = ModelServer::start();
    let Some(real) = program.with(&model) else { return };
    let work = tempfile::tempdir().expect("a directory to work in");
    // By the link that a daemon would find in its `PATH`.
    let link = real.bin().join(program.name());
    let truth = play(&mut |arguments| Dialogue::start(&link, arguments, &real.environment(), work.path()));
    let same = told.iter().zip(&truth).take_while(|(fake, real)| fake == real).count();
    let rest =
        |story: &[String]| story[same..].iter().take(6).map(|line| format!("  {line}\n")).collect::<String>();
    assert!(told == truth, "line {same}, the fake says\n{}and the real one\n{}", rest(&told), rest(&truth));
}
