//! Saving definitions over the API, as the web app does: what a person saves counts, and nothing is written over unseen.

use std::fs;
use std::os::unix::fs::symlink;

use paseo_client::Error;
use paseo_testkit::home::TestHome;
use paseo_wire::agent::{AgentList, AgentQuery, AgentSource, CheckAgent, SaveAgent, TrustAgent};
use paseo_wire::error::{Code, ErrorBody};
use paseo_wire::words::Severity;

use crate::definitions_trust::{pending, tools, write};
use crate::screens::assert_said;
use crate::watch::Watched;

const READS: &str = "provider = 'scripted'\ntools = ['read']\n";
const WRITES: &str = "provider = 'scripted'\ntools = ['read', 'edit']\n";

async fn source(watched: &Watched, slug: &str) -> Result<AgentSource, Error> {
    watched.client.agent_source(slug, &AgentQuery::default()).await
}

async fn save(watched: &Watched, slug: &str, text: &str, from: Option<&str>) -> Result<AgentList, ErrorBody> {
    let wanted = SaveAgent { text: text.to_owned(), version: from.map(str::to_owned) };
    watched.client.save_agent(slug, &wanted).await.map_err(refusal)
}

fn refusal(error: Error) -> ErrorBody {
    match error {
        Error::Api(body) => *body,
        other => panic!("{other:?}"),
    }
}

fn held(home: &TestHome, slug: &str) -> String {
    fs::read_to_string(home.path().join(format!("agents/{slug}.toml"))).unwrap()
}

#[tokio::test]
async fn what_a_person_saves_over_the_api_counts() {
    let watched = Watched::new();
    let home = &watched.home;
    let all = "name = 'Mine'\nprovider = 'scripted'\n";
    save(&watched, "mine", all, None).await.unwrap();
    assert_eq!(held(home, "mine"), all);
    assert_eq!(tools(home, "mine").as_deref(), Some("all"));
    assert!(home.kill_daemon());
    home.paseo(&["up"]).ok();
    assert_eq!(tools(home, "mine").as_deref(), Some("all"), "also after a crash");
    // A change that an agent made waits; the same text, saved by a person, counts.
    write(home, "agents/mine.toml", READS);
    assert_eq!(tools(home, "mine").as_deref(), Some("native_read todo"));
    write(home, "agents/mine.toml", WRITES);
    assert_eq!(pending(home).len(), 1);
    let found = source(&watched, "mine").await.unwrap();
    assert_eq!((found.text.as_deref(), found.locked), (Some(WRITES), None));
    assert_eq!(found.file, home.path().join("agents/mine.toml").display().to_string());
    let list = save(&watched, "mine", WRITES, found.version.as_deref()).await.unwrap();
    assert!(list.pending.is_empty(), "{list:?}");
    assert_eq!(tools(home, "mine").as_deref(), Some("native_read native_write todo"));
}

#[tokio::test]
async fn nothing_is_written_over_that_the_person_has_not_seen() {
    let watched = Watched::new();
    let home = &watched.home;
    save(&watched, "mine", READS, None).await.unwrap();
    let seen = source(&watched, "mine").await.unwrap().version;
    let elsewhere = format!("{READS}name = 'Elsewhere'\n");

    // It changed since.
    write(home, "agents/mine.toml", &elsewhere);
    let mut refusals = String::new();
    for from in [seen.as_deref(), Some("0000"), None] {
        let refused = save(&watched, "mine", WRITES, from).await.unwrap_err();
        assert_eq!(refused.code, Code::Conflict, "{refused:?}");
        refusals.push_str(&format!("{}\n", refused.message));
        assert_eq!(held(home, "mine"), elsewhere, "{from:?}");
    }
    assert_said!(home, &refusals, @r"
    /tmp/paseo-000000/home/agents/mine.toml has changed since you opened it; nothing was saved
    /tmp/paseo-000000/home/agents/mine.toml has changed since you opened it; nothing was saved
    /tmp/paseo-000000/home/agents/mine.toml already exists; nothing was saved
    ");
    assert_eq!(tools(home, "mine").as_deref(), Some("native_read todo"));
    let seen = source(&watched, "mine").await.unwrap().version;
    save(&watched, "mine", WRITES, seen.as_deref()).await.unwrap();
    assert_eq!(held(home, "mine"), WRITES);

    // It was removed since.
    let seen = source(&watched, "mine").await.unwrap().version;
    fs::remove_file(home.path().join("agents/mine.toml")).unwrap();
    let refused = save(&watched, "mine", READS, seen.as_deref()).await.unwrap_err();
    assert_eq!(refused.code, Code::Conflict, "{refused:?}");
    assert_said!(home, &refused.message, @"/tmp/paseo-000000/home/agents/mine.toml was removed since you opened it; nothing was saved");
    assert!(!home.path().join("agents/mine.toml").exists());
    let left: Vec<_> = fs::read_dir(home.path().join("agents")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(source(&watched, "mine").await.is_err(), "nothing defines it any more");
}

#[tokio::test]
async fn a_definition_of_another_file_is_shown_and_not_saved() {
    let watched = Watched::new();
    let home = &watched.home;
    write(home, "agents/other.md", "---\nname: Other\n---\nSay little.\n");
    write(home, "config.json", r#"{"agents": [{"agentId": "one", "name": "One"}, {"agentId": "two"}]}"#);
    write(home, "aside.toml", READS);
    symlink(home.path().join("aside.toml"), home.path().join("agents/linked.toml")).unwrap();
    fs::write(home.path().join("agents/noise.toml"), b"name = '\xff'").unwrap();
    for (slug, file, text) in [
        ("other", "agents/other.md", Some("Say little.")),
        ("one", "config.json", Some("One")),
        ("linked", "is a link to", None),
        ("noise", "is not UTF-8", None),
    ] {
        let found = source(&watched, slug).await.unwrap();
        let why = found.locked.clone().unwrap_or_default();
        assert!(why.contains(file), "{found:?}");
        let shown = found.others.first().and_then(|other| other.text.clone());
        assert_eq!(text.is_some_and(|text| shown.is_some_and(|shown| shown.contains(text))), text.is_some());
        assert!(!format!("{found:?}").contains("two"), "only the one that was asked for: {found:?}");
        let refused = save(&watched, slug, "name = 'Mine'\n", found.version.as_deref()).await.unwrap_err();
        assert!(refused.code == Code::Conflict && refused.message == why, "{refused:?}");
    }
    assert_eq!(fs::read_to_string(home.path().join("aside.toml")).unwrap(), READS);
    assert!(home.path().join("agents/linked.toml").is_symlink());
    assert!(!home.path().join("agents/other.toml").exists());

    // What is built in has no file; what is nowhere is not found.
    let built_in = source(&watched, "default").await.unwrap();
    assert_eq!((built_in.text, built_in.version, built_in.locked), (None, None, None));
    for slug in ["nowhere", "a.b"] {
        assert_eq!(refusal(source(&watched, slug).await.unwrap_err()).code, Code::NotFound, "{slug}");
    }
}

#[tokio::test]
async fn a_text_with_mistakes_is_refused_with_their_lines() {
    let watched = Watched::new();
    let home = &watched.home;
    save(&watched, "mine", READS, None).await.unwrap();
    let seen = source(&watched, "mine").await.unwrap().version;
    for (text, lines) in
        [("name = 'M'\nname = \n", &[2][..]), ("name = 'M'\nbogus = 1\neffort = 3\n", &[2, 3])]
    {
        let refused = save(&watched, "mine", text, seen.as_deref()).await.unwrap_err();
        assert!(refused.code == Code::InvalidRequest, "{refused:?}");
        assert!(refused.message.starts_with(&format!("line {}: ", lines[0])), "{refused:?}");
        let found: Vec<usize> = refused.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(found, lines, "{refused:?}");
    }
    for (slug, text) in [("a.b", ""), ("../x", ""), ("mine", &"#".repeat(300_000))] {
        assert_eq!(save(&watched, slug, text, None).await.unwrap_err().code, Code::InvalidRequest, "{slug}");
    }
    assert_eq!(held(home, "mine"), READS);
}

#[tokio::test]
async fn a_change_that_waits_comes_with_its_diff_and_only_that_is_trusted() {
    let watched = Watched::new();
    let home = &watched.home;
    save(&watched, "mine", READS, None).await.unwrap();
    write(home, "agents/mine.toml", WRITES);
    let list = watched.client.agents(&AgentQuery::default()).await.unwrap();
    let [waits] = &list.pending[..] else { panic!("{list:?}") };
    let diff = waits.diff.as_deref().unwrap();
    assert!(diff.contains("\n-tools = ['read']\n+tools = ['read', 'edit']\n"), "{diff}");
    write(home, "agents/mine.toml", &format!("{WRITES}permissions = 'full'\n"));
    let wanted = TrustAgent { project: None, sha256: waits.sha256.clone() };
    let refused = refusal(watched.client.trust_agent("mine", &wanted).await.unwrap_err());
    assert_eq!(refused.code, Code::Conflict, "{refused:?}");
    assert_eq!(tools(home, "mine").as_deref(), Some("native_read todo"));
}

/// From the shell of an agent, straight to the socket.
#[tokio::test]
async fn agents_neither_save_nor_trust_nor_read_definitions() {
    let watched = Watched::new();
    let home = &watched.home;
    save(&watched, "mine", READS, None).await.unwrap();
    write(home, "agents/mine.toml", WRITES);
    let list = watched.client.agents(&AgentQuery::default()).await.unwrap();
    let version = source(&watched, "mine").await.unwrap().version.unwrap();
    let bodies = [
        ("GET", "mine/source", String::new()),
        ("PUT", "mine", serde_json::json!({"text": WRITES, "version": version}).to_string()),
        ("PUT", "new", serde_json::json!({"text": WRITES}).to_string()),
        ("POST", "mine/trust", serde_json::json!({"sha256": list.pending[0].sha256}).to_string()),
    ];
    let socket = home.path().join("daemon.sock");
    for (method, path, body) in bodies {
        fs::write(home.work().join("body"), body).unwrap();
        let script = format!(
            "<<sh curl -s -X {method} --unix-socket {} -H 'content-type: application/json' -d @body \
             http://localhost/api/agents/{path} \\> answer>><<say done>>",
            socket.display()
        );
        assert_eq!(home.paseo(&["run", "--timeout", "60s", &script]).ok(), "done");
        let answer = fs::read_to_string(home.work().join("answer")).unwrap();
        assert!(answer.contains(r#""code":"forbidden""#), "{method} {path}: {answer}");
    }
    assert_eq!(pending(home).len(), 1);
    assert_eq!(tools(home, "mine").as_deref(), Some("native_read todo"));
    assert!(!home.path().join("agents/new.toml").exists());
}

#[tokio::test]
async fn a_definition_is_checked_while_it_is_written_and_nothing_is_saved() {
    let watched = Watched::new();
    let check = async |slug: &str, text: &str| {
        let wanted = CheckAgent { text: text.to_owned() };
        watched.client.check_agent(slug, &wanted).await.map_err(refusal)
    };
    assert_eq!(check("mine", READS).await.unwrap().problems, []);
    let wrong = check("mine", "provider = 'scripted'\ntools = ['read'\n").await.unwrap().problems;
    assert_eq!((wrong.len(), wrong[0].line, &wrong[0].severity), (1, 2, &Severity::Error), "{wrong:?}");
    let odd = check("mine", "provider = 'scripted'\n\nshape = 'round'\n").await.unwrap().problems;
    assert_eq!(odd.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3], "{odd:?}");
    assert_eq!(check("no/slug", READS).await.unwrap_err().code, Code::InvalidRequest);
    assert_eq!(check("mine", &"#".repeat(300_000)).await.unwrap_err().code, Code::InvalidRequest);
    assert!(!watched.home.path().join("agents/mine.toml").exists());
}
