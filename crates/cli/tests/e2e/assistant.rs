//! A configuration of lists, journals and a general assistant, as another program had it, runs unchanged.

use std::fs;
use std::process::Stdio;

use paseo_testkit::home::{TestHome, finish};
use paseo_testkit::model::ModelServer;
use serde_json::{Value, json};

use crate::chat::{at, configure, items};

const EXAMPLE: &str = include_str!("../../../core/src/definition/example.json");
const AGENTS: [&str; 4] = ["general", "journal", "reading-list", "todo"];

fn assistant(model: &ModelServer, agents: &[(&str, &str)]) -> TestHome {
    let home = at(&format!("{}/v1", model.url()));
    configure(&home, "", agents);
    fs::write(home.path().join("config.json"), EXAMPLE).unwrap();
    home
}

fn told(home: &TestHome, directory: &str, arguments: &[&str]) -> Value {
    let mut command = home.command(&[&["tell", "--json"], arguments].concat());
    let directory = home.work().join(directory);
    let child = command.current_dir(directory).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    serde_json::from_str(finish(child).ok()).unwrap()
}

#[test]
fn all_four_agents_answer_a_person_and_each_other() {
    let model = ModelServer::start();
    let home = assistant(&model, &[]);
    for agent in AGENTS {
        let answer = home.paseo(&["ask", agent, &format!("<<say I am {agent}>>")]);
        assert!(answer.ok().contains(&format!("I am {agent}")), "{answer:?}");
    }
    // The general one asks each of the others, and is told what they answer.
    let listed = home.paseo(&["ask", "general", "<<tool agents_list {}>><<say listed>>"]);
    assert!(listed.ok().contains("listed"), "{listed:?}");
    for agent in ["journal", "reading-list", "todo"] {
        let input = json!({ "agentId": agent, "content": format!("<<say {agent} was asked>>") });
        let input = input.to_string().replace('>', "\\>");
        let asked = home.paseo(&["ask", "general", &format!("<<tool agents_message {input}>><<say done>>")]);
        assert!(asked.ok().contains("done"), "{asked:?}");
    }
    let general = told(&home, "", &["general", "<<say bye>>"])["session"].clone();
    let general = general["id"].as_str().or(general.as_str()).unwrap().to_owned();
    let results = items(&home, &general, "tool_result");
    let answers: Vec<Value> = results
        .iter()
        .map(|item| serde_json::from_str(item["text"].as_str().unwrap()).unwrap_or_else(|_| panic!("{item}")))
        .collect();
    let [list, answers @ ..] = &answers[..] else { panic!("{results:#?}") };
    let slugs: Vec<&str> =
        list["agents"].as_array().unwrap().iter().map(|agent| agent["agentId"].as_str().unwrap()).collect();
    assert_eq!(slugs, ["default", "journal", "reading-list", "todo"]);
    for (answer, agent) in answers.iter().zip(["journal", "reading-list", "todo"]) {
        assert_eq!((&answer["status"], &answer["agentId"]), (&json!("complete"), &json!(agent)));
        let response = answer["response"].as_str().unwrap();
        assert!(response.starts_with(&format!("{agent} was asked")), "{answer}");
        assert_eq!(answer["created"], false, "a person's own session is asked: {answer}");
    }
    let checked = home.paseo(&["agents", "check"]);
    assert!(checked.code == 0, "{checked:?}");
    let warning = "toolExposure `mixed` needs a shell, so `tools` is used instead";
    assert!(format!("{checked:?}").contains(warning), "{checked:?}");
}

#[test]
fn agents_without_powers_have_one_session_and_those_that_work_on_files_one_per_project() {
    let model = ModelServer::start();
    let agents =
        [("roaming", "tools = ['read']\nscope = 'global'\n"), ("settled", "tools = []\nscope = 'project'\n")];
    let home = assistant(&model, &agents);
    fs::create_dir(home.work().join("other")).unwrap();
    for (agent, shared) in [
        ("journal", true),
        ("todo", true),
        ("reading-list", true),
        ("roaming", true),
        ("general", false),
        ("default", false),
        ("settled", false),
    ] {
        assert_eq!(told(&home, "", &[agent, "<<say here>>"])["created"], true, "{agent}");
        let there = told(&home, "other", &[agent, "<<say there>>"]);
        assert_eq!(there["created"], !shared, "{agent}: {there}");
        assert_eq!(told(&home, "other", &[agent, "<<say again>>"])["created"], false, "{agent}");
    }
}
