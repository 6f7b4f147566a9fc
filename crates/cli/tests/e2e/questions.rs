//! Questions with options: shown as data, answered by position or in words, and nothing is guessed.

use std::path::Path;

use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::Program;
use paseo_wire::error::Code;
use paseo_wire::permission::{AnswerPermission, PermissionRequest, PermissionRequestQuery, QuestionAnswer};
use paseo_wire::stream::Frame;
use serde_json::{Map, Value, json};

use crate::screens::assert_told;
use crate::watch::{Watched, until};
use crate::{Transcript, home, start, wait_for_text};

const QUESTIONS: &str =
    "<<choose Which colors?* | blue: as the sky | red\u{202e} | green || When? | now | later>><<say on>>";

/// Starts an agent that asks, and returns what it asks.
async fn asked(watched: &Watched, script: &str) -> PermissionRequest {
    let created = watched.create(script).await;
    let mut events = watched.follow(&created.session.id, created.receipt.unwrap().seq);
    until(&mut events, |frame| {
        matches!(frame, Frame::Event(event) if event.view.as_ref().is_some_and(|view| view.asks == 1))
    })
    .await;
    watched.client.permissions(&PermissionRequestQuery::default()).await.unwrap().asks.remove(0)
}

fn chosen(options: &[usize]) -> QuestionAnswer {
    QuestionAnswer { chosen: options.to_vec(), text: None }
}

fn words(text: &str) -> QuestionAnswer {
    QuestionAnswer { chosen: Vec::new(), text: Some(text.to_owned()) }
}

#[tokio::test]
async fn what_is_no_answer_decides_nothing_and_what_is_one_reaches_the_agent() {
    let watched = Watched::new();
    let ask = asked(&watched, QUESTIONS).await;
    let shown: Vec<_> = ask.questions.iter().map(|asked| (asked.text.as_str(), asked.multiple)).collect();
    assert_eq!(shown, [("Which colors?", true), ("When?", false)]);
    assert_eq!(ask.questions[0].options[0].description, "as the sky");
    assert_eq!(ask.questions[0].options[1].label, "red\\u{202e}", "nothing is invisible");
    let (id, hash) = (ask.session.to_string(), ask.hash.clone());
    let answer = |allow, answers| AnswerPermission { allow, answers, ..AnswerPermission::default() };
    for wrong in [
        answer(true, Some(vec![])),
        answer(true, Some(vec![chosen(&[0])])),
        answer(true, Some(vec![chosen(&[3]), chosen(&[0])])),
        answer(true, Some(vec![chosen(&[0]), chosen(&[0, 1])])),
        answer(true, Some(vec![chosen(&[0]), chosen(&[])])),
        answer(true, Some(vec![chosen(&[0]), words(" ")])),
        answer(false, Some(vec![chosen(&[0]), chosen(&[0])])),
    ] {
        let refused = watched.client.answer_permission(&id, &hash, &wrong).await.unwrap_err();
        assert_eq!(refused.code(), Some(Code::InvalidRequest), "{wrong:?}");
    }
    assert_eq!(watched.client.permissions(&PermissionRequestQuery::default()).await.unwrap().asks.len(), 1);
    let given = answer(true, Some(vec![chosen(&[1, 0]), words("next week")]));
    watched.client.answer_permission(&id, &hash, &given).await.unwrap();
    wait_for_text(&watched.home, &ask.handle, "Answered: blue, red\u{202e}; next week");
}

#[tokio::test]
async fn answers_to_what_has_no_questions_are_refused() {
    let watched = Watched::new();
    let ask = asked(&watched, "<<ask May I?>><<say on>>").await;
    assert!(ask.questions.is_empty() && ask.plan.is_none());
    let given =
        AnswerPermission { allow: true, answers: Some(vec![chosen(&[0])]), ..AnswerPermission::default() };
    let refused =
        watched.client.answer_permission(ask.session.as_ref(), &ask.hash, &given).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::InvalidRequest));
}

#[tokio::test]
async fn a_plan_is_shown_as_a_document() {
    let watched = Watched::new();
    let ask = asked(&watched, "<<plan # Tidy up>><<say on>>").await;
    assert_eq!(ask.plan.map(|plan| plan.text).as_deref(), Some("# Tidy up"));
}

#[test]
fn words_answer_questions_from_the_command_line() {
    let home = home();
    let handle = start(&home, QUESTIONS);
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    home.paseo(&["permit", "allow", "--yes", &handle, "-m", "GREEN\nsoon"]).ok();
    wait_for_text(&home, &handle, "Answered: green; soon");
}

const SECRET: &str = "correct \"horse\" battery";

/// Returns the files below a directory that hold the secret, as it is or as JSON.
fn holders(directory: &Path) -> Vec<String> {
    let quoted = Value::from(SECRET).to_string();
    let needles = [SECRET.as_bytes(), quoted.trim_matches('"').as_bytes()];
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(holders(&path));
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap_or_default();
            if needles.iter().any(|needle| bytes.windows(needle.len()).any(|window| window == *needle)) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_secret_reaches_codex_and_is_stored_nowhere() {
    let fake = Fake::of(Program::Codex);
    let mut home = home();
    fake.install(&mut home, Personality::Steady);
    home.set("PASEO_PROVIDER", "codex");
    let asked = json!({ "questions": [{ "id": "pass", "header": "Login", "question": "Passphrase?",
        "isOther": false, "isSecret": true, "options": null }] });
    let handle = start(&home, &format!("<<tool request_user_input {asked}>><<say on>>"));
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    // A message would be stored.
    let refused = home.paseo(&["permit", "allow", "--yes", &handle, "-m", "shown"]);
    assert_told!(home, refused, @r"
    exit 2
    error: question 1 asks for a secret, which a message would show
     hint: answer with `answers`, or with `paseo permit allow` in a terminal; nothing was decided
    ");
    let answered = ["permit", "allow", "--yes", &handle, "--answers", "-"];
    let said = home.paseo_with(&answered, SECRET.as_bytes());
    said.ok();
    assert!(!said.stdout.contains(SECRET) && !said.stderr.contains(SECRET));
    home.paseo(&["wait", &handle]).ok();
    let got = fake
        .record()
        .messages()
        .into_iter()
        .any(|message| message["result"]["answers"]["pass"]["answers"] == json!([SECRET]));
    assert!(got, "{:#?}", fake.record().lines);
    let told = home.paseo(&["logs", &handle, "--json"]).ok().to_owned();
    assert!(!told.contains(SECRET), "{told}");
    home.stop_daemon();
    assert_eq!(holders(&home.path()), Vec::<String>::new());
}

#[test]
fn what_an_agent_repeats_of_a_secret_is_not_stored() {
    let home = home();
    let handle = start(&home, "<<secret Passphrase?>><<say on>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    home.paseo_with(&["permit", "allow", "--yes", &handle, "--answers", "-"], SECRET.as_bytes()).ok();
    wait_for_text(&home, &handle, "Answered: [secret]");
    home.paseo(&["wait", &handle]).ok();
    home.stop_daemon();
    assert_eq!(holders(&home.path()), Vec::<String>::new());
}

const FORM: &str = r#"<<form {"title":"Book a table","required":["name","seats"],"properties":{
    "name":{"type":"string","title":"Name","maxLength":20},
    "seats":{"type":"integer","minimum":1,"maximum":8},
    "window":{"type":"boolean"},
    "day":{"type":"string","enum":["today","tomorrow"]}}}>><<say on>>"#;

fn fields(value: Value) -> Option<Map<String, Value>> {
    value.as_object().cloned()
}

#[tokio::test]
async fn a_form_takes_what_fits_and_refuses_the_rest() {
    let watched = Watched::new();
    let ask = asked(&watched, FORM).await;
    let names: Vec<_> = ask.fields.iter().map(|field| (field.name.as_str(), field.required)).collect();
    assert_eq!(names, [("name", true), ("seats", true), ("window", false), ("day", false)]);
    let (id, hash) = (ask.session.to_string(), ask.hash.clone());
    let answer = |allow, cancel, given| AnswerPermission {
        allow,
        cancel,
        fields: given,
        ..AnswerPermission::default()
    };
    for wrong in [
        answer(true, false, None),
        answer(true, false, fields(json!({ "name": "Ann" }))),
        answer(true, false, fields(json!({ "name": "Ann", "seats": 9 }))),
        answer(true, false, fields(json!({ "name": "Ann", "seats": "two" }))),
        answer(true, false, fields(json!({ "name": "Ann", "seats": 2, "day": "never" }))),
        answer(true, false, fields(json!({ "name": "Ann", "seats": 2, "other": 1 }))),
        answer(false, false, fields(json!({ "name": "Ann", "seats": 2 }))),
        answer(true, true, fields(json!({ "name": "Ann", "seats": 2 }))),
    ] {
        let refused = watched.client.answer_permission(&id, &hash, &wrong).await.unwrap_err();
        assert_eq!(refused.code(), Some(Code::InvalidRequest), "{wrong:?}");
    }
    let given = answer(true, false, fields(json!({ "name": "Ann", "seats": 2, "window": true })));
    watched.client.answer_permission(&id, &hash, &given).await.unwrap();
    wait_for_text(&watched.home, &ask.handle, r#"Answered: {"name":"Ann","seats":2,"window":true}"#);
}

#[test]
fn a_form_is_filled_in_or_canceled_from_the_command_line() {
    let home = home();
    let handle = start(&home, FORM);
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    let refused = home.paseo(&["permit", "allow", "--yes", &handle, "--field", "name=Ann"]);
    assert_told!(home, refused, @r"
    exit 2
    error: field `seats` is required
     hint: fill in the fields of the request; nothing was decided
    ");
    let given = ["permit", "allow", "--yes", &handle, "--field", "name=Ann", "--field", "seats=2"];
    home.paseo(&given).ok();
    wait_for_text(&home, &handle, r#"Answered: {"name":"Ann","seats":2}"#);
    let handle = start(&home, FORM);
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    home.paseo(&["permit", "deny", &handle, "--cancel"]).ok();
    Transcript::follow(&home, &handle)
        .until(|item| item["text"].as_str().is_some_and(|text| text.starts_with("Cancelled: ")));
}

#[tokio::test]
async fn only_a_plain_web_address_is_a_link() {
    for (url, openable) in [("https://example.com/login", true), ("javascript:alert(1)", false)] {
        let watched = Watched::new();
        let ask = asked(&watched, &format!("<<link {url}>><<say on>>")).await;
        let link = ask.link.unwrap();
        assert_eq!((link.url.as_str(), link.openable), (url, openable));
    }
}

#[tokio::test]
async fn a_preview_of_an_option_is_kept() {
    let watched = Watched::new();
    let ask = asked(&watched, r"<<choose Which? | A: small ~ +-+\n+-+ | B>><<say on>>").await;
    assert_eq!(ask.questions[0].options[0].preview, "+-+\n+-+");
}
