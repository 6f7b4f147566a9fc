//! From inside an agent's shell nobody acts with a person's rights.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use paseo_client::Client;
use paseo_wire::change::SessionChange;
use paseo_wire::error::Code;
use paseo_wire::message::SendMessage;
use paseo_wire::permission::AnswerPermission;
use paseo_wire::settings::CreateToken;

use crate::inspect;
use crate::screens::assert_said;
use crate::watch::{Watched, shows, until};

#[tokio::test]
async fn the_command_line_is_refused_in_an_agents_shell() {
    let watched = Watched::new();
    let victim = watched.create("<<hang>>").await.session;
    let handle = &victim.handle;
    let attempts = [
        format!("paseo send {handle} hello"),
        format!("paseo send --interrupt {handle} hello"),
        format!("paseo stop {handle}"),
        format!("paseo close {handle}"),
        format!("paseo rm -f {handle}"),
        format!("paseo read {handle}"),
        format!("paseo logs {handle}"),
        format!("paseo label {handle} ui=true"),
        "paseo ls".to_owned(),
        "paseo search hello".to_owned(),
        "paseo projects".to_owned(),
        format!("paseo files {handle}"),
        format!("paseo files {handle} x --show"),
        "paseo providers models codex".to_owned(),
        "paseo inbox".to_owned(),
        format!("paseo archive {handle}"),
        "paseo run -d hello".to_owned(),
        "paseo settings set perm_send_to_tab on".to_owned(),
        "paseo token create --name mine".to_owned(),
        "paseo down".to_owned(),
    ];
    // Hiding the marks does not help: the process descends from the shim. Nor does leaving the family.
    let disguises = ["", "env -i PATH=\"$PATH\" PASEO_HOME=\"$PASEO_HOME\" ", "setsid -w "];
    for attempt in &attempts {
        for disguise in disguises {
            let script = format!("<<sh {disguise}{attempt}; echo \"exit=$?\">>");
            let printed = watched.shell(&script).await;
            assert!(printed.ends_with("exit=6\n"), "{disguise}{attempt}: {printed}");
        }
    }
    let after = watched.client.session(&victim.id).await.unwrap().session;
    assert_eq!((after.status.as_str(), after.queued, after.held), ("running", 0, 0));
    assert!(after.labels.is_empty());
    watched.client.stop(&victim.id).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_would_stop_the_daemon_is_refused_that_and_nothing_else() {
    let watched = Watched::new();
    let agent = watched.create("<<sh paseo down; echo exit=$?>>").await.session;
    watched.settled(&agent.id).await;
    let items = format!("{:?}", watched.items(&agent.id).await);
    assert!(items.contains("exit=6") && !items.contains("team_tmux_list"), "{items}");
}

#[tokio::test]
async fn an_orphan_of_an_agent_is_still_that_agent() {
    let watched = Watched::new();
    let created = watched.create("<<sh (setsid sh -c 'sleep 0.01; paseo whoami 2\\>&1; paseo stop 0000; echo exit=$?' &) ; wait; sleep 5>>").await;
    let mut events = watched.follow(&created.session.id, created.receipt.unwrap().seq);
    until(&mut events, |frame| shows(frame, "exit=6")).await;
    watched.client.stop(&created.session.id).await.unwrap();
}

#[tokio::test]
async fn the_token_of_an_agent_acts_as_that_agent_only() {
    let watched = Watched::new();
    let victim = watched.create("<<hang>>").await.session;
    let agent = watched.create("<<sh echo token=$PASEO_TOKEN=>><<hang>>").await;
    let mut events = watched.follow(&agent.session.id, agent.receipt.unwrap().seq);
    let mut printed = String::new();
    until(&mut events, |frame| {
        if let paseo_wire::stream::Frame::Live(live) = frame {
            printed.push_str(&live.text);
        }
        printed.matches('=').count() == 2
    })
    .await;
    let token = printed.split('=').nth(1).unwrap().to_owned();
    let url = watched.client.status().await.unwrap().url;
    let as_agent = Client::tcp(url.trim_start_matches("http://"), Some(token));

    assert_eq!(as_agent.whoami().await.unwrap().actor, format!("session:{}", agent.session.id));
    let message = SendMessage {
        text: "hello".into(),
        verb: Default::default(),
        wait: false,
        attachments: Vec::new(),
        output_schema: None,
    };
    let refusals = [
        as_agent.send(&victim.id, &message, None).await.err(),
        as_agent.stop(&victim.id).await.err(),
        as_agent.stop(&agent.session.id).await.err(),
        as_agent.session(&victim.id).await.err(),
        as_agent.shutdown().await.err(),
        as_agent.put_setting("perm_send_to_tab", true).await.err(),
        as_agent.create_token(&CreateToken { name: "mine".into(), ..CreateToken::default() }).await.err(),
        as_agent
            .answer_permission(
                &victim.id,
                "x",
                &AnswerPermission { allow: true, ..AnswerPermission::default() },
            )
            .await
            .err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.and_then(|error| error.code()), Some(Code::Forbidden));
    }

    // The token is worth nothing once the process is gone.
    watched.client.close(&agent.session.id).await.unwrap();
    until(
        &mut events,
        |frame| matches!(frame, paseo_wire::stream::Frame::Event(event) if matches!(event.change, SessionChange::Closed {})),
    )
    .await;
    loop {
        match as_agent.whoami().await {
            Err(error) => break assert_eq!(error.code(), Some(Code::Unauthenticated)),
            Ok(_) => tokio::task::yield_now().await,
        }
    }
    watched.client.stop(&victim.id).await.unwrap();
}

#[tokio::test]
async fn nothing_in_the_home_is_a_credential() {
    let watched = Watched::new();
    watched
        .client
        .create_token(&CreateToken { name: "a token".into(), ..CreateToken::default() })
        .await
        .unwrap();
    watched.create("<<say hello>>").await;
    let url = watched.client.status().await.unwrap().url;
    let mut found = BTreeSet::new();
    collect(&watched.home.path(), &mut found);
    assert!(found.len() > 3, "hashes at least are there: {found:?}");
    for secret in found {
        let error = Client::tcp(url.trim_start_matches("http://"), Some(secret)).status().await.unwrap_err();
        assert_eq!(error.code(), Some(Code::Unauthenticated));
    }
}

/// Collects what looks like a secret: long runs of hexadecimal digits, and whole small files.
fn collect(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if let Ok(bytes) = fs::read(&path) {
            let text: String =
                bytes.iter().map(|byte| if byte.is_ascii_graphic() { *byte as char } else { ' ' }).collect();
            let runs = text.split(|c: char| !c.is_ascii_hexdigit()).filter(|run| run.len() >= 32);
            found.extend(runs.map(str::to_owned));
            if text.len() < 200 {
                found.insert(text.trim().to_owned());
            }
        }
    }
}

#[tokio::test]
async fn a_granted_agent_writes_as_itself_and_its_wakes_are_bounded() {
    let watched = Watched::new();
    watched.home.paseo(&["settings", "set", "perm_send_to_tab", "on"]).ok();
    let target = watched.create("<<say ready>>").await.session;
    watched.settled(&target.id).await;
    // One human request: the agent writes again and again, each time to an idle peer.
    let script = format!(
        "<<sh for n in 1 2 3 4 5 6 7 8; do paseo send {} \"message $n\"; paseo wait {} \\>/dev/null 2\\>&1; done>>",
        target.handle, target.handle
    );
    let printed = watched.shell(&script).await;
    assert_said!(watched.home, &printed, @r"
    Sent to aaa1
    Sent to aaa1
    Sent to aaa1
    Sent to aaa1
    Sent to aaa1
    Sent to aaa1
    Held for aaa1 until a person acts: the budget of turns without a human message is used up
    Held for aaa1 until a person acts: the budget of turns without a human message is used up
    ");
    // Whoever waited here would not be seen by those who look for circles.
    let waits = format!("<<sh paseo send --wait {} hello; echo \"exit=$?\">>", target.handle);
    let printed = watched.shell(&waits).await;
    assert_said!(watched.home, &printed, @r"
    error: agents cannot wait for the answer to a message they send
     hint: leave out --wait; use the tools agents_message and retrieve to wait
    exit=6
    ");
    let view = watched.client.session(&target.id).await.unwrap().session;
    assert_eq!((view.hold.as_str(), view.queued), ("budget", 0));
    let texts: Vec<String> =
        watched.items(&target.id).await.into_iter().filter_map(|item| item.text).collect();
    let first =
        texts.iter().find(|text| text.ends_with("\n\nmessage 1")).unwrap_or_else(|| panic!("{texts:?}"));
    assert_said!(watched.home, first, @r"
    Received: [message from tab aaa1]
    [This is another agent, not a person. Reply with send_to_tab to aaa1 only if an answer is needed.]

    message 1
    ");
    assert_eq!(view.held, 2, "{texts:?}");
    // A person's word lets them through.
    watched.send(&target.id, "go on").await;
    watched.settled(&target.id).await;
    let view = watched.client.session(&target.id).await.unwrap().session;
    assert_eq!((view.hold.as_str(), view.held), ("none", 0));
}

#[tokio::test]
async fn an_agent_that_kills_its_shim_does_not_become_a_person() {
    let watched = Watched::new();
    let victim = watched.create("<<hang>>").await.session;
    let file = watched.home.work().join("result");
    // Unmarked, in a session of its own, and orphaned: nothing but its parent tells what it is.
    let escape = format!(
        "env -i PATH=\"$PATH\" PASEO_HOME=\"$PASEO_HOME\" setsid sh -c 'while kill -0 $0 2\\>/dev/null; do :; done; \
         paseo stop {} \\>{} 2\\>\\&1; echo exit=$? \\>\\>{}' $SHIM &",
        victim.handle,
        file.display(),
        file.display()
    );
    let script = format!("<<sh SHIM=$(cut -d ' ' -f 4 /proc/$PPID/stat); {escape} kill -9 $SHIM; sleep 60>>");
    let agent = watched.create(&script).await.session.id;
    watched.settled(&agent).await;
    watched.home.paseo(&["down"]).ok();
    // It was refused, or ended before it could ask.
    let result = fs::read_to_string(&file).unwrap_or_default();
    assert!(result.is_empty() || result.ends_with("exit=6\n") || result.ends_with("exit=7\n"), "{result}");
    watched.home.paseo(&["up"]).ok();
    // A person who stops an agent holds it.
    assert_eq!(inspect(&watched.home, &victim.handle)["hold"], "none");
}
