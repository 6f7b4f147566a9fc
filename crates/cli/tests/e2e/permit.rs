//! `paseo permit`

use std::fs;

use paseo_client::Client;
use paseo_testkit::home::TestHome;
use paseo_wire::change::SessionChange;
use paseo_wire::error::Code;
use paseo_wire::permission::{AnswerPermission, PermissionRequest, PermissionRequestQuery};
use paseo_wire::stream::Frame;
use serde_json::Value;

use crate::pty::Terminal;
use crate::screens::{assert_said, assert_told, squeezed};
use crate::watch::{Watched, until};
use crate::{Transcript, assert_shown, home, inspect, json, start, wait_for_text};

/// Starts an agent that asks before it does anything, and waits until it asks.
fn asking(home: &TestHome, script: &str) -> String {
    let handle = home.paseo(&["run", "-d", "--permissions", "ask", script]).ok().to_owned();
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    handle
}

/// Returns everything that is open.
fn open(home: &TestHome) -> Vec<PermissionRequest> {
    let listed = home.paseo(&["permit", "ls", "--json"]);
    serde_json::from_value(json(&listed)["asks"].take()).unwrap()
}

#[test]
fn an_ask_is_listed_and_allowed() {
    let home = home();
    let handle = start(&home, "<<ask may I>><<say went on>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    let asks = open(&home);
    assert_eq!((asks[0].handle.as_str(), asks[0].text.as_str()), (handle.as_str(), "may I"));
    assert!(home.paseo(&["inspect", &handle]).ok().contains("may I"));
    assert_said!(home, &squeezed(home.paseo(&["ls"]).ok()), @r"
    HANDLE STATUS PROVIDER UPDATED
    aaa1 waiting: asks: may I scripted now
    ");
    assert_said!(home, home.paseo(&["permit", "allow", "--yes", &handle]).ok(), @"Allowed aaa1: may I");
    wait_for_text(&home, &handle, "went on");
    assert_said!(home, &home.paseo(&["permit", "ls"]).stderr, @"No open permission requests.");
}

#[test]
fn a_destructive_request_is_marked_wherever_it_is_shown() {
    let home = home();
    let handle = asking(&home, "<<sh env X=1 sh -c 'rm -r''f gone'; echo done>><<say went on>>");
    let harmless = asking(&home, "<<sh echo hello>>");
    let asks = open(&home);
    assert_eq!(asks.iter().map(|ask| ask.destructive).collect::<Vec<_>>(), [true, false]);
    let listed = home.paseo(&["permit", "ls"]);
    assert_eq!(listed.ok().matches("  destructive").count(), 1, "{}", listed.ok());
    let inbox = json(&home.paseo(&["inbox", "--json"]));
    let marked = |at: usize| inbox["needs_you"][at]["destructive"].clone();
    assert_eq!((marked(0), marked(1)), (true.into(), false.into()));
    let refused = home.paseo(&["permit", "allow", &handle]);
    assert!(refused.code != 0 && refused.stderr.contains("(destructive)"), "{}", refused.stderr);
    assert!(!home.paseo(&["permit", "allow", &harmless]).stderr.contains("(destructive)"));
    assert_eq!(open(&home).len(), 2, "nothing was decided");
}

#[test]
fn an_ask_can_be_denied_with_words() {
    let home = home();
    let handle = start(&home, "<<ask may I>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    let denied = home.paseo(&["permit", "deny", &handle, "--message", "not today"]);
    assert_said!(home, denied.ok(), @"Denied aaa1: may I");
    home.paseo(&["wait", &handle]).ok();
    assert_said!(home, home.paseo(&["logs", &handle]).ok());
}

#[test]
fn who_does_not_ask_cannot_be_answered() {
    let home = home();
    let handle = start(&home, "x");
    home.paseo(&["wait", &handle]).ok();
    let refused = home.paseo(&["permit", "allow", "--yes", &handle]);
    assert_eq!(refused.code, 6);
    assert_told!(home, refused);
}

#[test]
fn exactly_what_would_be_done_is_shown() {
    let home = home();
    let hidden = "rm -rf ./a\u{200b}b # \u{202e}sseltrah";
    let handle = asking(&home, &format!("<<sh {hidden}>>"));
    let asks = open(&home);
    assert_eq!(asks[0].tool.as_deref(), Some("shell"));
    let shown: Value = serde_json::from_str(&asks[0].text).unwrap();
    assert_eq!(shown["input"]["command"], hidden);
    assert!(asks[0].text.is_ascii(), "nothing in it is invisible: {}", asks[0].text);
    for command in [vec!["permit", "ls"], vec!["inspect", &handle]] {
        let printed = home.paseo(&command);
        assert!(printed.ok().contains("a\\u200bb # \\u202esseltrah"), "{}", printed.stdout);
    }
    // The hash that is shown is enough to answer exactly this.
    let hash = asks[0].hash.get(..8).unwrap();
    assert!(home.paseo(&["inspect", &handle]).stderr.contains(&format!("paseo permit allow {hash}")));
    let denied = json(&home.paseo(&["permit", "deny", "--json", hash]));
    assert_eq!((&denied["hash"], &denied["allow"]), (&asks[0].hash.as_str().into(), &false.into()));
    home.paseo(&["wait", &handle]).ok();
}

#[test]
fn the_list_is_for_people_to_read() {
    let home = home();
    let handle = home
        .paseo(&["run", "-d", "--permissions", "ask", "--title", "fix", "<<sh echo hi>>"])
        .ok()
        .to_owned();
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    let hash = open(&home)[0].hash.get(..8).unwrap().to_owned();
    let listed = home.paseo(&["permit", "ls"]).ok().replace(&hash, "[hash]");
    assert_shown!(home, listed, @r#"
    [hash]  [id] fix  shell  [AGO]
      runs `echo hi` in [DIR]/work
      {
        "tool": "shell",
        "input": {
          "command": "echo hi"
        }
      }
      --always: the command `echo hi` in [DIR]/work
    "#);
    home.paseo(&["permit", "deny", &hash]).ok();
    home.paseo(&["wait", &handle]).ok();
}

#[test]
fn the_same_request_of_two_agents_is_two_asks() {
    let home = home();
    let handles = [asking(&home, "<<sh echo hi>>"), asking(&home, "<<sh echo hi>>")];
    let asks = open(&home);
    assert_eq!(asks.len(), 2);
    assert_ne!(asks[0].hash, asks[1].hash, "an answer to one would be an answer to the other");
    for handle in &handles {
        home.paseo(&["permit", "deny", "--yes", handle]);
        home.paseo(&["stop", handle]).ok();
    }
}

#[test]
fn a_name_for_several_requests_lists_them() {
    let home = home();
    let one = asking(&home, "<<sh echo one>>");
    let other = asking(&home, "<<sh echo two>>");
    let asks = open(&home);
    assert_eq!(asks.len(), 2, "oldest first");
    assert_eq!((asks[0].handle.as_str(), asks[1].handle.as_str()), (one.as_str(), other.as_str()));
    // A handle answers its own, whatever else is open.
    assert_said!(home, home.paseo(&["permit", "allow", "--yes", &other]).ok(), @"Allowed aaa1: runs `echo two` in /tmp/paseo-000000/work");
    home.paseo(&["wait", &other]).ok();
    assert_eq!(open(&home).len(), 1);
    assert_eq!(home.paseo(&["permit", "allow", "--yes", "0"]).code, 3);
    home.paseo(&["permit", "allow", "--yes", &one]).ok();
    home.paseo(&["wait", &one]).ok();
}

#[test]
fn several_requests_of_one_agent_are_told_apart() {
    let home = home();
    let handle = start(&home, "<<asks push? | tag?>><<say went on>>");
    // The first question may be seen before the second is there.
    let mut transcript = Transcript::follow(&home, &handle);
    transcript.until(|item| item["text"] == "tag?");
    let asks = open(&home);
    assert_eq!(asks.iter().map(|ask| ask.text.as_str()).collect::<Vec<_>>(), ["push?", "tag?"]);
    assert_said!(home, &squeezed(home.paseo(&["ls"]).ok()), @r"
    HANDLE STATUS PROVIDER UPDATED
    aaa1 waiting: asks: push? (and 1 more) scripted now
    ");
    assert_said!(home, home.paseo(&["why", &handle]).ok());

    let which = home.paseo(&["permit", "allow", "--yes", &handle]);
    assert_eq!(which.code, 3);
    for ask in &asks {
        let line = format!("{} {}", ask.hash.get(..8).unwrap(), ask.text);
        assert!(which.stderr.contains(&line), "{line}: {}", which.stderr);
    }
    let attached = home.paseo_with(&["attach", &handle], b"/allow\n");
    assert_eq!(attached.code, 2, "{attached:?}");
    assert_told!(home, attached);
    assert_eq!(open(&home).len(), 2, "nothing was guessed");

    home.paseo(&["permit", "deny", &asks[1].hash, "-m", "too early"]).ok();
    transcript.until(|item| item["text"] == "Denied: tag? (too early)");
    assert_eq!(home.paseo(&["permit", "allow", "--yes", &handle]).ok(), format!("Allowed {handle}: push?"));
    transcript.until(|item| item["text"] == "went on");
}

#[tokio::test]
async fn a_page_goes_on_where_the_last_one_ended() {
    let watched = Watched::new();
    let created = watched.create("<<asks one? | two? | three?>>").await;
    let mut events = watched.follow(&created.session.id, created.receipt.unwrap().seq);
    until(&mut events, |frame| {
        matches!(frame, Frame::Event(event) if event.view.as_ref().is_some_and(|view| view.asks == 3))
    })
    .await;
    let mut query = PermissionRequestQuery { limit: Some(1), ..PermissionRequestQuery::default() };
    let mut texts = Vec::new();
    loop {
        let page = watched.client.permissions(&query).await.unwrap();
        assert_eq!(page.asks.len(), 1);
        texts.extend(page.asks.into_iter().map(|ask| ask.text));
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    texts.sort();
    assert_eq!(texts, ["one?", "three?", "two?"]);
    query.after = Some("nonsense".to_owned());
    let refused = watched.client.permissions(&query).await.unwrap_err();
    assert_eq!(refused.code(), Some(Code::InvalidRequest));
    watched.client.stop(&created.session.id).await.unwrap();
}

#[test]
fn the_first_answer_wins_and_the_second_is_told() {
    let home = home();
    let handle = asking(&home, "<<sh echo done \\> proof>><<hang>>");
    let hash = open(&home)[0].hash.clone();
    home.paseo(&["permit", "allow", &hash]).ok();
    for command in [vec!["permit", "deny", &hash], vec!["permit", "deny", "--always", &hash]] {
        let late = home.paseo(&command);
        assert_eq!(late.code, 6, "{late:?}");
        assert_told!(home, late);
    }
    assert!(json(&home.paseo(&["permit", "rules", "--json"]))["rules"].as_array().unwrap().is_empty());
    home.paseo(&["stop", &handle]).ok();
}

#[tokio::test]
async fn an_answer_that_comes_second_by_a_hair_is_told_and_leaves_no_rule() {
    let watched = Watched::new();
    let handle = asking(&watched.home, "<<sh true>><<hang>>");
    let ask = watched.client.open_asks(Some(&handle)).await.unwrap().remove(0);
    let other = Client::unix(watched.home.path().join("daemon.sock"));
    let allow = AnswerPermission { allow: true, always: true, ..AnswerPermission::default() };
    let deny = AnswerPermission { allow: false, ..allow.clone() };
    let (one, two) = tokio::join!(
        watched.client.answer_permission(&ask.session, &ask.hash, &allow),
        other.answer_permission(&ask.session, &ask.hash, &deny),
    );
    let late = other.answer_permission(&ask.session, &ask.hash, &deny).await;
    let (mut won, mut refused) = (Vec::new(), Vec::new());
    for answer in [one, two, late] {
        match answer {
            Ok(answered) => won.push(answered),
            Err(error) => refused.push(error.code()),
        }
    }
    assert_eq!(refused, [Some(Code::Conflict), Some(Code::Conflict)]);
    let rules = watched.client.rules().await.unwrap().rules;
    assert_eq!((won.len(), rules.len()), (1, 1));
    assert_eq!((won[0].allow, won[0].rule.as_ref()), (rules[0].allow, Some(&rules[0])));
    watched.client.stop(&ask.session).await.unwrap();
}

#[test]
fn several_requests_are_answered_at_once_and_the_worst_outcome_counts() {
    let home = home();
    let one = asking(&home, "<<sh touch one>>");
    let two = asking(&home, "<<sh touch two>>");
    let hashes = home.paseo(&["permit", "ls", "-q"]).ok().to_owned();
    let mut words = vec!["permit", "allow"];
    words.extend(hashes.lines());
    words.push("9999");
    let allowed = home.paseo(&words);
    assert_eq!(allowed.code, 3, "{allowed:?}");
    assert!([&one, &two].iter().all(|handle| allowed.stdout.contains(*handle)), "{allowed:?}");
    assert_told!(home, allowed);
    home.paseo(&["wait", &one, &two]).ok();
    assert!(home.work().join("one").exists() && home.work().join("two").exists());
}

#[test]
fn always_is_kept_for_exactly_this_and_can_be_forgotten() {
    let home = home();
    let first = asking(&home, "<<sh touch made>>");
    let allowed = home.paseo(&["permit", "allow", "--yes", "--always", &first]);
    assert_told!(home, allowed);
    home.paseo(&["wait", &first]).ok();

    // The same command is not asked for again; one more character is.
    home.paseo(&["run", "--permissions", "ask", "<<sh touch made>>"]).ok();
    let other = asking(&home, "<<sh touch made; touch more>>");
    home.paseo(&["permit", "deny", &other]).ok();
    home.paseo(&["wait", &other]).ok();
    assert!(!home.work().join("more").exists());

    // Nor does it count elsewhere.
    let elsewhere = home.path().parent().unwrap().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let cwd = elsewhere.to_str().unwrap();
    let asked = home.paseo(&["run", "--permissions", "ask", "--cwd", cwd, "<<sh touch made>>"]);
    assert_eq!(asked.code, 4, "{asked:?}");
    home.paseo(&["permit", "deny", &open(&home)[0].hash]).ok();

    let rules = json(&home.paseo(&["permit", "rules", "--json"]));
    let rule = rules["rules"][0].clone();
    assert_eq!((&rule["covers"], &rule["allow"]), (&"the command `touch made`".into(), &true.into()));
    assert!(home.paseo(&["permit", "rules"]).ok().contains("touch made"));
    assert!(home.paseo(&["restart"]).code == 0, "a rule outlives the daemon");
    home.paseo(&["run", "--permissions", "ask", "<<sh touch made>>"]).ok();
    let id = rule["id"].as_str().unwrap();
    assert_eq!(home.paseo(&["permit", "forget", id]).ok(), format!("Deleted rule {id}"));
    assert_eq!(home.paseo(&["permit", "forget", id]).code, 3);
    let again = asking(&home, "<<sh touch made>>");
    home.paseo(&["stop", &again]).ok();
}

#[test]
fn what_was_denied_for_good_is_denied_in_every_mode() {
    let home = home();
    let first = asking(&home, "<<sh touch made>>");
    home.paseo(&["permit", "deny", "--always", &first]).ok();
    home.paseo(&["wait", &first]).ok();
    for mode in ["full", "ask"] {
        let run = home.paseo(&["run", "--permissions", mode, "<<sh touch made>>"]);
        assert_told!(home, run);
    }
    assert!(!home.work().join("made").exists());
}

#[test]
fn a_question_cannot_be_answered_for_good_and_is_not_decided_by_the_attempt() {
    let home = home();
    let handle = start(&home, "<<ask may I>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    assert_eq!(open(&home)[0].always, None);
    let refused = home.paseo(&["permit", "allow", "--yes", "--always", &handle]);
    assert_eq!(refused.code, 2);
    assert_told!(home, refused);
    assert_eq!(open(&home).len(), 1, "it is still open");
    home.paseo(&["permit", "allow", "--yes", &handle]).ok();
    home.paseo(&["wait", &handle]).ok();
}

#[allow(clippy::disallowed_methods)] // Tests start git.
#[test]
fn what_is_denied_in_a_repository_is_denied_everywhere_in_it() {
    let home = home();
    let (work, sub) = (home.work(), home.work().join("sub"));
    fs::create_dir(&sub).unwrap();
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(&work).status().unwrap();
    assert!(made.success());
    let below = sub.to_str().unwrap();
    let run = ["run", "-d", "--permissions", "ask", "--cwd", below, "<<sh touch made>>"];
    let first = home.paseo(&run).ok().to_owned();
    assert_eq!(home.paseo(&["wait", &first]).code, 4);
    home.paseo(&["permit", "deny", "--always", &first]).ok();
    home.paseo(&["wait", &first]).ok();
    let wrapped = "<<sh /bin/sh -c 'touch made'>>";
    for (cwd, script) in [(work.to_str().unwrap(), "<<sh touch made>>"), (below, wrapped)] {
        let run = home.paseo(&["run", "--permissions", "full", "--cwd", cwd, script]);
        assert_told!(home, run);
    }
    let rules = json(&home.paseo(&["permit", "rules", "--json"]));
    assert_eq!(rules["rules"][0]["project"], work.canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn a_handle_is_confirmed_before_anything_is_allowed() {
    let home = home();
    let handle = asking(&home, "<<sh touch made>><<sh touch more>>");
    let blind = home.paseo(&["permit", "allow", &handle]);
    assert_eq!(blind.code, 2, "{blind:?}");
    let hash = open(&home)[0].hash.clone();
    assert!(blind.stderr.contains(&hash[..8]), "{}", blind.stderr);
    assert_told!(home, blind);
    let short = home.paseo(&["permit", "allow", &hash[..7]]);
    assert_told!(home, short);

    let mut terminal = Terminal::start(&home, 100, &["permit", "allow", &handle]);
    let shown = terminal.until("[y/N]");
    assert_said!(home, &shown.split_whitespace().collect::<Vec<_>>().join(" "), @r#"aaaaaaa1 aaa2 shell now runs `touch made` in /tmp/paseo-000000/work { "tool": "shell", "input": { "command": "touch made" } } --always: the command `touch made` in /tmp/paseo-000000/work allow exactly this? [y/N]"#);
    terminal.type_in("n\n");
    assert_eq!(terminal.finish().0, Some(6));
    assert_eq!(open(&home).len(), 1, "nothing decided");
    let mut terminal = Terminal::start(&home, 100, &["permit", "allow", &handle]);
    terminal.until("[y/N]");
    terminal.type_in("y\n");
    assert_eq!(terminal.finish().0, Some(0));
    let more = |item: &Value| item["text"].as_str().is_some_and(|text| text.contains("more"));
    Transcript::follow(&home, &handle).until(|item| item["kind"] == "permission" && more(item));
    home.paseo(&["permit", "deny", &handle]).ok();
    home.paseo(&["wait", &handle]).ok();
    assert!(home.work().join("made").exists());
}

#[test]
fn words_go_along_with_an_answer() {
    let home = home();
    let handle = start(&home, "<<ask which one?>>");
    assert_eq!(home.paseo(&["wait", &handle]).code, 4);
    home.paseo(&["permit", "allow", "--yes", &handle, "-m", "the red one"]).ok();
    home.paseo(&["wait", &handle]).ok();
    assert_said!(home, home.paseo(&["logs", &handle]).ok());
    let handle = asking(&home, "<<sh true>><<say on>>");
    home.paseo(&["permit", "allow", "--yes", &handle, "-m", "mind the gap"]).ok();
    Transcript::follow(&home, &handle)
        .until(|item| item["kind"] == "user_text" && item["text"] == "mind the gap");
    home.paseo(&["wait", &handle]).ok();
}

#[test]
fn the_transcript_says_in_words_what_was_asked_and_who_decided() {
    let home = home();
    let handle = asking(&home, "<<sh touch made>>");
    let asked = home.paseo(&["logs", &handle]);
    assert_said!(home, asked.ok());
    home.paseo(&["permit", "allow", "--yes", &handle]).ok();
    home.paseo(&["wait", &handle]).ok();
    let decided = home.paseo(&["logs", &handle]);
    assert_said!(home, decided.ok());
}

#[test]
fn an_agent_that_may_only_read_is_denied_without_a_question() {
    let home = home();
    let run = home.paseo(&["run", "--permissions", "read-only", "<<sh touch made>><<say done>>"]);
    assert_eq!(run.ok(), "done");
    assert_told!(home, run);
    assert!(!home.work().join("made").exists());
    let handle = json(&home.paseo(&["ls", "--json"]))["sessions"][0]["handle"].as_str().unwrap().to_owned();
    assert_eq!(inspect(&home, &handle)["permissions"], "read-only");
}

#[test]
fn a_withdrawn_ask_is_gone() {
    let home = home();
    let handle = asking(&home, "<<sh touch made>>");
    let hash = open(&home)[0].hash.clone();
    home.paseo(&["stop", &handle]).ok();
    // At once, not when the turn has ended.
    assert!(open(&home).is_empty());
    assert_eq!(home.paseo(&["permit", "allow", &hash]).code, 6);
    Transcript::follow(&home, &handle).until(|item| item["fields"]["decision"] == "withdrawn");
    assert!(!home.work().join("made").exists());
}

#[tokio::test]
async fn an_agent_cannot_answer_for_a_person() {
    let watched = Watched::new();
    let home = &watched.home;
    let victim = asking(home, "<<sh touch made>>");
    let hash = open(home)[0].hash.clone();
    let attempts = [
        "paseo permit ls".to_owned(),
        format!("paseo permit allow {victim}"),
        format!("paseo permit allow {hash} --always"),
        "paseo permit rules".to_owned(),
        "paseo permit forget x".to_owned(),
        "paseo providers".to_owned(),
    ];
    for attempt in &attempts {
        let printed = watched.shell(&format!("<<sh {attempt}; echo \"exit=$?\">>")).await;
        assert!(printed.ends_with("exit=6\n"), "{attempt}: {printed}");
    }
    assert_eq!(open(home).len(), 1);
    home.paseo(&["stop", &victim]).ok();
    assert!(!home.work().join("made").exists());
}

#[tokio::test]
async fn an_agent_cannot_answer_its_own_ask() {
    let watched = Watched::new();
    // In the background, its shell waits until the agent asks, and then tries to answer.
    let answer = "until [ -e go ]; do sleep 0.01; done; paseo permit allow $PASEO_SESSION \\>said 2\\>&1; \
                  echo exit=$? \\>\\>said; touch tried";
    let script = format!("<<sh echo $PASEO_TOKEN \\> token; ({answer}) \\>/dev/null 2\\>&1 &>><<ask me?>>");
    let created = watched.create(&script).await;
    let id = created.session.id;
    let mut events = watched.follow(&id, created.receipt.unwrap().seq);
    until(&mut events, |frame| matches!(frame, Frame::Event(event) if matches!(event.change, SessionChange::PermissionRequested { .. })))
        .await;
    let asks = watched.client.open_asks(Some(&id)).await.unwrap();

    let token = fs::read_to_string(watched.home.work().join("token")).unwrap().trim().to_owned();
    let url = watched.client.status().await.unwrap().url;
    let as_agent = Client::tcp(url.trim_start_matches("http://"), Some(token));
    assert_eq!(as_agent.whoami().await.unwrap().actor, format!("session:{id}"));
    let yes = AnswerPermission { allow: true, ..AnswerPermission::default() };
    let refusals = [
        as_agent.answer_permission(&id, &asks[0].hash, &yes).await.err(),
        as_agent.open_asks(None).await.err(),
        as_agent.rules().await.err(),
        as_agent.forget_rule("x").await.err(),
        as_agent.providers().await.err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.and_then(|error| error.code()), Some(Code::Forbidden));
    }

    fs::write(watched.home.work().join("go"), "").unwrap();
    let said = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while !watched.home.work().join("tried").exists() {
            tokio::task::yield_now().await;
        }
        fs::read_to_string(watched.home.work().join("said")).unwrap()
    })
    .await
    .expect("the shell tried");
    assert_said!(watched.home, &said);
    assert_eq!(watched.client.session(&id).await.unwrap().session.status.as_str(), "waiting");
    watched.client.stop(&id).await.unwrap();
}
