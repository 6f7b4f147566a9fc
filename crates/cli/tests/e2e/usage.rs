//! `paseo usage`: what agents have used.

use paseo_client::Client;
use paseo_testkit::home::TestHome;
use paseo_testkit::personality::{Fake, Personality};
use paseo_testkit::real::Program;
use paseo_wire::error::Code;
use paseo_wire::usage::UsageQuery;
use serde_json::Value;

use crate::{home, json};

fn used(home: &TestHome, by: &str) -> Value {
    json(&home.paseo(&["usage", "--by", by, "--json"]))
}

fn tokens(usage: &Value) -> u64 {
    usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap()
}

#[test]
fn tokens_are_added_up_by_day_project_and_model_and_survive_restarts_and_closing() {
    let fake = Fake::of(Program::Claude);
    let mut home = home();
    fake.install(&mut home, Personality::Steady);
    home.set("PASEO_PROVIDER", "claude");
    assert_eq!(home.paseo(&["usage"]).stdout, "");
    let run = |flags: &[&str]| {
        let handle = home.paseo(&[&["run", "-d"], flags, &["<<say hi>>"]].concat()).ok().to_owned();
        home.paseo(&["wait", &handle]).ok();
        handle
    };
    let first = run(&["--model", "opus"]);
    run(&["--model", "haiku"]);
    let inspected = json(&home.paseo(&["inspect", "--json", &first]));
    let own = tokens(inspected.get("session").map_or(&inspected["usage"], |session| &session["usage"]));
    assert!(own > 0);

    home.paseo(&["close", &first]).ok();
    home.paseo(&["restart"]).ok();
    let days = used(&home, "day");
    assert_eq!((days["rows"].as_array().unwrap().len(), &days["complete"]), (1, &true.into()));
    assert_eq!(days["rows"][0]["usage"], days["total"]);
    assert_eq!(days["rows"][0]["day"], days["until"], "today");
    assert_eq!(tokens(&days["total"]), 2 * own, "closed agents count");
    let projects = used(&home, "project");
    assert_eq!(projects["rows"][0]["project"].as_str(), home.work().to_str());
    assert_eq!(projects["total"], days["total"]);
    let models = used(&home, "model");
    let mut names: Vec<_> =
        models["rows"].as_array().unwrap().iter().map(|row| row["model"].clone()).collect();
    names.sort_by_key(Value::to_string);
    assert_eq!(
        (names, models["rows"][0]["provider"].as_str()),
        (vec!["haiku".into(), "opus".into()], Some("claude"))
    );
    let shown = home.paseo(&["usage", "--by", "model"]);
    assert!(shown.ok().contains("claude opus") && shown.ok().contains("total"), "{}", shown.ok());
    assert_eq!(home.paseo(&["usage", "-q"]).ok(), days["until"].as_str().unwrap());

    home.paseo(&["rm", "--force", &first]).ok();
    assert_eq!(tokens(&used(&home, "day")["total"]), own, "deleted agents do not");
}

#[tokio::test]
async fn days_that_are_none_or_too_many_are_refused() {
    let home = home();
    home.paseo(&["up"]).ok();
    let client = Client::unix(home.path().join("daemon.sock"));
    let asked = |since: &str, until: &str| UsageQuery {
        since: Some(since.to_owned()),
        until: Some(until.to_owned()),
        by: None,
    };
    for (since, until, code) in [
        ("2026-02-30", "2026-03-01", Code::InvalidRequest),
        ("2026-03-02", "2026-03-01", Code::Conflict),
        ("2024-01-01", "2026-01-01", Code::Conflict),
    ] {
        let refused = client.usage(&asked(since, until)).await.unwrap_err();
        assert_eq!(refused.code(), Some(code), "{since} {until}");
    }
    let day = client.usage(&asked("2026-03-01", "2026-03-01")).await.unwrap();
    assert_eq!((day.since.as_str(), day.rows.len(), day.left_out), ("2026-03-01", 0, 0));
    let strange = UsageQuery { by: Some("hour".into()), ..UsageQuery::default() };
    assert_eq!(client.usage(&strange).await.unwrap_err().code(), Some(Code::InvalidRequest));
}
