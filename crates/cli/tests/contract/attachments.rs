//! Files that go with a message: what the model behind each harness is shown of them.

use std::fs;

use crate::bench::{Bench, CLAUDE, CLAUDE_ACP, CODEX_ACP, COPILOT, GEMINI, OPENAI, PI};

/// A picture of eight by eight pixels, and how protocols carry it.
const SHOT: [u8; 74] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x08, 0x08, 0x02, 0x00, 0x00, 0x00, 0x4b, 0x6d, 0x29, 0xdc, 0x00,
    0x00, 0x00, 0x11, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x38, 0x21, 0x67, 0x83, 0x15, 0x31, 0x0c,
    0x2d, 0x09, 0x00, 0x77, 0x6c, 0x48, 0x81, 0xb7, 0xd7, 0xaf, 0xcf, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45,
    0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];
const SHOT_BASE64: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4IWeDFTEMLQkAd2xIgbfXr88AAAAASUVORK5CYII=";

/// Writes a file outside of the directory that agents work in, so that no agent finds it by itself.
fn file(bench: &Bench, name: &str, bytes: &[u8]) -> String {
    let path = bench.home.work().with_file_name(name);
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

pub(crate) fn an_image_reaches_the_model(bench: &mut Bench) {
    let shot = file(bench, "shot.png", &SHOT);
    let (handle, answer) = bench.run(&["--attach", &shot], "<<say seen>>");
    assert!(answer.contains("seen [turns=1 "), "{answer}\n{}", bench.transcript(&handle));
    assert!(bench.told().contains(SHOT_BASE64), "{}", bench.told());
    let said = &bench.items_of(&handle, "user_text")[0];
    assert_eq!(
        (
            &said["attachments"][0]["name"],
            &said["attachments"][0]["media_type"],
            &said["attachments"][0]["width"]
        ),
        (&"shot.png".into(), &"image/png".into(), &8.into()),
        "{said:#}"
    );
    let raw = bench.items_of(&handle, "raw");
    assert!(!raw.iter().any(|item| item.to_string().contains(SHOT_BASE64)), "{raw:#?}");
    // The conversation goes on.
    assert!(
        bench.answer(&handle, "<<say still there>>").contains("turns=2 "),
        "{}",
        bench.transcript(&handle)
    );
}

pub(crate) fn a_text_file_reaches_the_model(bench: &mut Bench) {
    let notes = file(bench, "notes.md", "# Tulips are \u{2018}red\u{2019}\n".as_bytes());
    let (handle, answer) = bench.run(&["--attach", &notes], "<<say read>>");
    assert!(answer.starts_with("read [turns=1 "), "{answer}\n{}", bench.transcript(&handle));
    let told = bench.told();
    assert!(told.contains("# Tulips are \u{2018}red\u{2019}") && told.contains("notes.md"), "{told}");
}

/// The daemon dies while the message waits, and again while it is being handed over.
pub(crate) fn a_message_that_waits_keeps_its_image(bench: &mut Bench) {
    let shot = file(bench, "shot.png", &SHOT);
    let gate = bench.gate();
    let handle = bench.start(&[], "<<bash cat gate>><<say first>>");
    bench.until(&handle, |item| item["kind"] == "tool_call");
    bench.home.paseo(&["send", &handle, "--attach", &shot, "<<say second>>"]).ok();
    bench.until_queued(&handle, "second");
    assert!(!bench.told().contains(SHOT_BASE64));
    assert!(bench.home.kill_daemon());
    // The command that waited is gone with its harness.
    drop(gate);
    bench.home.paseo(&["up"]).ok();
    bench.until(&handle, |item| {
        item["kind"] == "assistant_text" && item["text"].as_str().is_some_and(|text| text.contains("second"))
    });
    assert!(bench.told().contains(SHOT_BASE64), "{}", bench.told());
}

pub(crate) fn a_steered_image_reaches_the_running_turn(bench: &mut Bench) {
    if bench.lacks(crate::lacks::Lack::Steering) {
        return;
    }
    let shot = file(bench, "shot.png", &SHOT);
    let gate = bench.gate();
    let handle = bench.start(&[], "<<bash cat gate>><<say first>>");
    bench.until(&handle, |item| item["kind"] == "tool_call");
    bench.home.paseo(&["send", &handle, "--steer", "--attach", &shot, "<<say steered>>"]).ok();
    bench.until_read(SHOT_BASE64);
    gate.open();
    bench.until_idle(&handle);
    assert!(bench.told().contains(SHOT_BASE64), "{}", bench.told());
    assert_eq!(bench.items_of(&handle, "user_text").len(), 2, "{}", bench.transcript(&handle));
}

/// A PDF document goes to claude, and nowhere else.
pub(crate) fn a_document_is_taken_or_refused(bench: &mut Bench) {
    let document = file(bench, "paper.pdf", b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n");
    if bench.program == CLAUDE {
        let (_, answer) = bench.run(&["--attach", &document], "<<say read>>");
        assert!(answer.starts_with("read "), "{answer}");
        assert!(bench.told().contains("application/pdf"), "{}", bench.told());
        return;
    }
    let refused = bench.home.paseo(&["run", "--attach", &document, "<<say read>>"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("does not accept PDF documents"), "{}", refused.stderr);
    assert!(refused.stderr.contains("only images and text files"), "{}", refused.stderr);
    assert_eq!(bench.home.paseo(&["ls", "-q", "-a"]).ok(), "", "no agent was made");
    assert!(!bench.told().contains("read>>"), "{}", bench.told());
}

#[test]
fn pi_refuses_an_image_that_its_model_would_not_see() {
    let Some(bench) = Bench::real(PI) else { return };
    let shot = file(&bench, "shot.png", &SHOT);
    let refused = bench.home.paseo(&["run", "--model", "scripted-two", "--attach", &shot, "<<say seen>>"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("pi's model does not accept images"), "{}", refused.stderr);
    assert!(bench.model.as_ref().unwrap().requests().is_empty(), "nothing was sent");
    // The agent can still be talked to.
    let handle = bench.home.paseo(&["ls", "-q"]).ok().to_owned();
    assert!(bench.answer(&handle, "<<say hello>>").contains("hello"), "{}", bench.transcript(&handle));
}

/// A model that we tell ourselves what was said is shown the image again after a restart.
#[test]
fn our_own_agent_is_shown_the_image_again_by_a_new_process() {
    let Some(bench) = Bench::real(OPENAI) else { return };
    let shot = file(&bench, "shot.png", &SHOT);
    let (handle, _) = bench.run(&["--attach", &shot], "<<say seen>>");
    bench.home.paseo(&["down"]).ok();
    bench.home.paseo(&["up"]).ok();
    let mark = bench.mark();
    bench.answer(&handle, "<<say again>>");
    assert!(bench.told_since(&mark).contains(SHOT_BASE64), "{}", bench.told_since(&mark));
}

/// Makes a test with each agent behind ACP that is no column.
macro_rules! agents {
    ($($name:ident: $program:ident),* $(,)?) => {
        $(#[test] fn $name() {
            Bench::real($program).as_mut().map(|bench| {
                an_image_reaches_the_model(bench);
                a_document_is_taken_or_refused_beside_others(bench);
            });
        })*
    };
}

agents! {
    claude_agent_acp_shows_its_model_an_image: CLAUDE_ACP,
    codex_acp_shows_its_model_an_image: CODEX_ACP,
    copilot_shows_its_model_an_image: COPILOT,
    gemini_shows_its_model_an_image: GEMINI,
}

fn a_document_is_taken_or_refused_beside_others(bench: &mut Bench) {
    let document = file(bench, "paper.pdf", b"%PDF-1.4\n%%EOF\n");
    let refused = bench.home.paseo(&["run", "--attach", &document, "<<say read>>"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}
