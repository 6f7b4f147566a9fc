//! What the real Claude Code asks leave for.

use paseo_core::item::ToolOutcome;
use paseo_core::permission::{Mode, Shape};
use paseo_runtime::provider::{Launch, Output, TurnEnd};

use super::{House, end, outcomes};

#[tokio::test]
async fn who_may_only_read_cannot_write() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start_with(Launch { permissions: Mode::ReadOnly, ..house.launch() }).await;
    talk.allow = false;
    let outputs = talk.run("<<bash touch made>> <<write made x>> <<say done>>").await;
    assert_eq!(end(&outputs), TurnEnd::Completed);
    assert!(!house.place.home().join("made").exists());
    assert!(outcomes(&outputs).iter().all(|outcome| *outcome != ToolOutcome::Ok), "{outputs:?}");
    talk.leave().await;
}

#[tokio::test]
async fn whoever_is_denied_does_without() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start_with(Launch { permissions: Mode::Ask, ..house.launch() }).await;
    talk.allow = false;
    let outputs = talk.run("<<write made x>> <<say done>>").await;
    assert!(!house.place.home().join("made").exists());
    assert_eq!(outcomes(&outputs), [ToolOutcome::Denied]);
    talk.leave().await;
}

#[tokio::test]
async fn what_the_settings_allow_is_asked_about_and_a_repository_runs_nothing() {
    let Some(house) = House::new() else { return };
    let home = house.place.home();
    let settings = r#"{ "permissions": { "allow": ["Bash", "Write"], "defaultMode": "acceptEdits" } }"#;
    std::fs::write(house.real.config().join("settings.json"), settings).unwrap();
    std::fs::create_dir(home.join(".claude")).unwrap();
    let hook = r#"{ "hooks": [{ "type": "command", "command": "touch hooked" }] }"#;
    let settings = format!(
        r#"{{ "permissions": {{ "allow": ["Bash(touch:*)"] }}, "hooks": {{ "SessionStart": [{hook}], "PreToolUse": [{hook}] }} }}"#
    );
    std::fs::write(home.join(".claude/settings.json"), settings).unwrap();
    for permissions in [Mode::Ask, Mode::ReadOnly] {
        let mut talk = house.start_with(Launch { permissions, ..house.launch() }).await;
        talk.allow = false;
        let outputs = talk.run("<<bash touch made>> <<write made x>> <<say done>>").await;
        assert_eq!(end(&outputs), TurnEnd::Completed);
        assert!(!home.join("made").exists(), "{permissions:?}: {outputs:?}");
        assert!(!home.join("hooked").exists(), "{permissions:?}");
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_command_is_asked_for_with_the_place_that_it_runs_in() {
    let Some(house) = House::new() else { return };
    std::fs::create_dir(house.place.home().join("sub")).unwrap();
    let mut talk = house.start_with(Launch { permissions: Mode::Ask, ..house.launch() }).await;
    let outputs =
        talk.run("<<bash touch one>> <<bash cd sub>> <<bash touch one>> <<bash ls>> <<say done>>").await;
    let asked: Vec<_> = outputs
        .iter()
        .filter_map(|output| match output {
            Output::Ask(request) => Some((request.tool.clone(), request.shape.clone())),
            _ => None,
        })
        .collect();
    let sub = house.place.home().canonicalize().unwrap().join("sub").display().to_string();
    let command = |command: String| Shape::Command { command };
    let expected = [
        ("Bash".to_owned(), command("touch one".into())),
        ("Bash".to_owned(), command("cd sub".into())),
        (format!("Bash in {sub}"), command(format!("cd {sub} && touch one"))),
    ];
    assert_eq!(asked, expected);
    talk.leave().await;
}

#[tokio::test]
async fn what_a_person_says_is_the_answer_to_a_question() {
    let Some(house) = House::new() else { return };
    let mut talk = house.start().await;
    talk.words = Some("take B".into());
    let question = r#"{"questions":[{"question":"Which one?","header":"H","multiSelect":false,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}"#;
    let outputs = talk.run(&format!("<<tool AskUserQuestion {question}>> <<say done>>")).await;
    let told = outputs.iter().any(|output| {
        matches!(output, Output::Item { draft, .. }
            if draft.text.as_deref().is_some_and(|text| text.contains(r#""Which one?"="take B""#)))
    });
    assert!(told, "{outputs:?}");
    talk.leave().await;
}
