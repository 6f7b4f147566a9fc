//! What only pi does: a conversation is a file, our tools come by an extension, and a project may bring settings.

use std::fs;

use paseo_testkit::personality::Personality;
use serde_json::Value;

use crate::bench::{Bench, PI};

/// Plays a case with the fakes of both ages, and with the real one where it is installed.
fn each(case: impl Fn(&mut Bench)) {
    case(&mut Bench::fake(PI));
    case(&mut Bench::fake_recent_pi());
    Bench::real(PI).as_mut().map(case);
}

#[test]
fn a_conversation_whose_file_is_gone_is_told_and_the_next_message_begins_a_new_one() {
    each(|bench| {
        let (handle, _) = bench.run(&[], "<<say a>>");
        fs::remove_dir_all(bench.config().join("sessions")).unwrap();
        bench.home.paseo(&["restart"]).ok();
        let lost = bench.send(&handle, "<<say b>>");
        assert_eq!(lost.code, 1, "{lost:?}");
        assert_eq!(bench.inspect(&handle)["status_code"], "resume_failed");
        assert!(bench.answer(&handle, "<<say c>>").starts_with("c ["));
        let said = bench.items_of(&handle, "assistant_text");
        let first = |item: &&Value| item["text"].as_str().is_some_and(|text| text.contains("[turns=1 "));
        assert_eq!(said.iter().filter(first).count(), 2, "{said:#?}");
    });
}

#[test]
fn one_that_is_not_logged_in_is_told_as_that() {
    let Some(mut bench) = Bench::real(PI) else { return };
    for name in ["models.json", "settings.json"] {
        fs::remove_file(bench.config().join(name)).unwrap();
    }
    bench.home.unset("SCRIPTED_API_KEY");
    let ran = bench.home.paseo(&["run", "--timeout", "60s", "<<say never>>"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("No API key found"), "{ran:?}");
    let handle = bench.start(&[], "<<say never>>");
    bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
    assert_eq!(bench.inspect(&handle)["status_code"], "not_logged_in", "{}", bench.transcript(&handle));
    let why = bench.home.paseo(&["why", &handle]);
    assert!(why.ok().contains("not_logged_in") && why.ok().contains("No API key found"), "{why:?}");
    let listed: Value = serde_json::from_str(bench.home.paseo(&["providers", "--json"]).ok()).unwrap();
    let pi = listed["providers"].as_array().unwrap().iter().find(|one| one["name"] == "pi").unwrap();
    assert_eq!(pi["readiness"], "no_login", "{pi:#}");
}

#[test]
fn an_unknown_model_is_told_in_pis_words_and_others_work() {
    each(|bench| {
        let handle = bench.start(&["--model", "nobody/unknown"], "<<say a>>");
        let waited = bench.home.paseo(&["wait", "--timeout", "60s", &handle]);
        assert_eq!(waited.code, 1, "{waited:?}");
        let told = bench.items_of(&handle, "error");
        assert!(told[0]["text"].as_str().unwrap().contains("not found"), "{told:#?}");
        assert!(bench.run(&[], "<<say fine>>").1.starts_with("fine ["));
    });
}

#[test]
fn the_users_own_directory_is_not_written_to() {
    each(|bench| {
        let before = names(bench);
        bench.run(&["--ui"], r#"<<tool set_title {"title":"Mine"}>><<say a>>"#);
        let new: Vec<_> = names(bench).into_iter().filter(|name| !before.contains(name)).collect();
        // What pi itself writes at every start: its conversations, an empty list of logins, and from 1.x on the models
        // that it knows.
        let its_own = ["sessions", "auth.json", "models-store.json"];
        assert!(new.iter().all(|name| its_own.contains(&name.as_str())), "{new:?}");
    });
}

fn names(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.config()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn an_older_one_asks_nobody_what_a_project_makes_it_run() {
    each(|bench| {
        fs::create_dir_all(bench.file(".pi/extensions")).unwrap();
        let extension = "export default () => { require('fs').writeFileSync('ran', '') };";
        fs::write(bench.file(".pi/extensions/theirs.js"), extension).unwrap();
        bench.run(&["--permissions", "read-only"], "<<say a>>");
        assert!(!bench.file("ran").exists());
    });
    let bench = Bench::fake(PI);
    fs::create_dir(bench.file(".pi")).unwrap();
    fs::write(bench.file(".pi/settings.json"), r#"{"shellCommandPrefix":"touch ran;"}"#).unwrap();
    let handle = bench.start(&["--permissions", "ask"], "<<say a>>");
    assert_eq!(bench.home.paseo(&["wait", "--timeout", "60s", &handle]).code, 1);
    let told = bench.transcript(&handle);
    assert!(told.contains("without asking"), "{told}");
    assert!(bench.run(&["--permissions", "full"], "<<say fine>>").1.starts_with("fine ["));
}

#[test]
fn a_newer_one_with_bad_manners_is_told_apart_too() {
    let mut bench = Bench::with_personality(PI, Personality::CrashingOnce);
    bench.home.set("PASEO_FAKE_PI", "1.5.0");
    let handle = bench.start(&[], "<<say one two three four>>");
    assert_eq!(bench.home.paseo(&["wait", "--timeout", "60s", &handle]).code, 1);
    assert_eq!(bench.inspect(&handle)["status_code"], "harness_exited");
    assert!(bench.answer(&handle, "<<say back>>").starts_with("back ["));
}
