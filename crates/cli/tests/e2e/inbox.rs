//! What a row of a list knows, what people have looked at, and the inbox.

use paseo_wire::change::SessionChange;
use paseo_wire::error::Code;
use paseo_wire::inbox::{Inbox, InboxPageQuery};
use paseo_wire::session::{SeenNews, SessionQuery, SessionView};
use paseo_wire::stream::Frame;
use paseo_wire::words::{AgentColor, InboxNeed, SessionField};
use serde_json::json as value;

use crate::cast::{Cast, WAIT, release, tool};
use crate::screens::{assert_said, assert_told};
use crate::watch::{Watched, next};
use crate::{home, json, start};

/// Returns the row of an agent, as the list has it.
async fn row(cast: &Cast, id: &str) -> SessionView {
    let query = SessionQuery { any_labels: true, ..SessionQuery::default() };
    let page = cast.0.client.sessions(&query).await.unwrap();
    page.sessions.into_iter().find(|session| session.id == id).unwrap()
}

fn seen(news: u64) -> SeenNews {
    SeenNews { news: Some(news) }
}

fn all() -> SeenNews {
    SeenNews::default()
}

/// Returns who stands in which section, by handle.
fn sections(inbox: &Inbox) -> [Vec<&str>; 3] {
    [
        inbox.needs_you.iter().map(|entry| entry.agent.handle.as_str()).collect(),
        inbox.finished.iter().map(|entry| entry.agent.handle.as_str()).collect(),
        inbox.working.iter().map(|entry| entry.agent.handle.as_str()).collect(),
    ]
}

#[tokio::test]
async fn a_row_says_what_the_agent_said_does_and_looks_like() {
    let cast = Cast::new(&[]);
    cast.define("scout", "tools = ['todo', 'bash']\nicon = '🔭'\ncolor = 'cyan'");
    let list = value!({ "todos": [
        { "content": "look", "status": "completed" }, { "content": "tell" }, { "content": "x", "status": "cancelled" },
    ]});
    let idle = cast.idle("scout").await;
    let before = row(&cast, &idle.id).await;
    assert_eq!((before.last_snippet, before.step, before.todo_total), (None, None, None));
    assert_eq!((before.icon.as_deref(), before.color), (Some("🔭"), Some(AgentColor::Cyan)));
    assert!(!before.unread && before.news == 0 && !before.archived);

    let mut events = cast.0.client.events(cast.0.client.session(&idle.id).await.unwrap().seq, &["sessions"]);
    let prompt = format!("{}<<say First\n\u{202e}look around.>>{WAIT}", tool("todo", &list));
    cast.0.send(&idle.id, &prompt).await;
    // Those who list agents are told of the step without asking.
    let step = loop {
        let Frame::Event(event) = next(&mut events).await else { continue };
        let view = event.view.unwrap();
        if view.step.as_deref().is_some_and(|step| step.starts_with("Run ")) {
            // What was said is told with the step, or before it on a machine that takes its time.
            let SessionChange::Updated { fields } = event.change else { panic!("{:?}", event.change) };
            assert!(fields.ends_with(&[SessionField::Step]), "{fields:?}");
            break view;
        }
    };
    assert_eq!(step.step.as_deref(), Some("Run until [ -e go ]; do sleep 0.02; done"));
    let busy = row(&cast, &idle.id).await;
    assert_eq!((&busy.last_snippet, &busy.step), (&step.last_snippet, &step.step));
    assert_eq!(busy.last_snippet.as_deref(), Some("First \u{202e}look around."));
    assert_eq!((busy.todo_done, busy.todo_total), (Some(1), Some(2)));
    assert!(!busy.unread, "it has not come to anything yet");
    release(&cast);
    cast.0.settled(&idle.id).await;
    let done = row(&cast, &idle.id).await;
    assert_eq!((done.step, done.unread, done.news), (None, true, 1));

    cast.0.crash();
    let again = row(&cast, &idle.id).await;
    assert_eq!(again.last_snippet.as_deref(), Some("First \u{202e}look around."));
    assert_eq!((again.todo_done, again.todo_total, again.unread), (Some(1), Some(2), true));
    cast.0.client.clear(&idle.id).await.unwrap();
    let cleared = row(&cast, &idle.id).await;
    assert_eq!((cleared.last_snippet, cleared.todo_total), (None, None), "what is erased is shown nowhere");
    assert!(cast.0.home.paseo(&["agents", "show", "scout"]).ok().contains("🔭"));
}

#[tokio::test]
async fn a_look_is_for_all_and_outlives_the_daemon() {
    let cast = Cast::new(&[]);
    let agent = cast.start("default", "<<say done>>").await;
    cast.0.settled(&agent.id).await;
    // Printing is not looking.
    cast.0.home.paseo(&["read", &agent.handle]).ok();
    cast.0.home.paseo(&["logs", &agent.handle]).ok();
    cast.0.home.paseo(&["inspect", &agent.handle]).ok();
    let (client, id) = (&cast.0.client, agent.id.as_str());
    assert!(row(&cast, id).await.unread);
    let updated = row(&cast, id).await.updated_at;
    assert!(client.looked(id, &seen(1)).await.unwrap().changed);
    assert!(!client.looked(id, &seen(1)).await.unwrap().changed);
    assert!(!client.looked(id, &seen(0)).await.unwrap().changed, "one that comes late changes nothing");
    assert!(!client.looked(id, &all()).await.unwrap().changed);
    let ahead = client.looked(id, &seen(2)).await.unwrap_err();
    assert_eq!(ahead.code(), Some(Code::Conflict), "{ahead}");
    let ahead = client.archive(id, &seen(2)).await.unwrap_err();
    assert_eq!(ahead.code(), Some(Code::Conflict), "{ahead}");
    assert_eq!(row(&cast, id).await.updated_at, updated, "the order of lists is that of their work");
    cast.0.crash();
    let after = row(&cast, id).await;
    assert!(!after.unread && after.news == 1 && !after.archived);
    assert!(client.archive(id, &seen(1)).await.unwrap().changed);
    cast.0.crash();
    let archived = row(&cast, id).await;
    assert!(archived.archived && archived.status.as_str() == "idle", "it closes nothing");
    cast.0.send(id, "<<say again>>").await;
    cast.0.settled(id).await;
    let back = row(&cast, id).await;
    assert!(back.unread && !back.archived && back.news == 2);
    assert!(!client.archive(id, &seen(1)).await.unwrap().changed, "there is something new since");
}

#[tokio::test]
async fn agents_can_neither_look_nor_archive_nor_read_the_inbox() {
    let watched = Watched::new();
    let victim = watched.create("<<say done>>").await.session;
    watched.settled(&victim.id).await;
    for attempt in ["paseo inbox".to_owned(), format!("paseo archive {}", victim.handle)] {
        let printed = watched.shell(&format!("<<sh {attempt}; echo \"exit=$?\">>")).await;
        assert!(printed.ends_with("exit=6\n"), "{attempt}: {printed}");
    }
    let after = watched.client.session(&victim.id).await.unwrap().session;
    assert!(after.unread && !after.archived);
}

#[tokio::test]
async fn everything_that_needs_a_person_stands_in_the_inbox() {
    let cast = Cast::new(&[]);
    let client = &cast.0.client;
    assert_eq!(sections(&client.whole_inbox().await.unwrap()), [vec![], vec![], vec![]] as [Vec<&str>; 3]);
    // In the background, as all that is not for the web app.
    let asks = cast.start("default", "<<ask May I push?>><<hang>>").await;
    until_status(&cast, &asks.id, "waiting").await;
    let failed = cast.start("default", "<<fail no luck>>").await;
    cast.0.settled(&failed.id).await;
    let limited = cast.start("default", "<<limit 600000>>").await;
    cast.0.settled(&limited.id).await;
    let finished = cast.start("default", "<<say all done>>").await;
    cast.0.settled(&finished.id).await;
    let busy = cast.start("default", &format!("<<usage 1200 80>>{WAIT}")).await;
    cast.until_calling(&busy.id).await;

    let inbox = client.whole_inbox().await.unwrap();
    let [needs, done, works] = sections(&inbox);
    assert_eq!(needs, [&asks.handle, &failed.handle, &limited.handle], "oldest first");
    assert_eq!((done, works), (vec![finished.handle.as_str()], vec![busy.handle.as_str()]));
    let kinds: Vec<&InboxNeed> = inbox.needs_you.iter().map(|entry| &entry.kind).collect();
    assert_eq!(kinds, [&InboxNeed::Question, &InboxNeed::Failure, &InboxNeed::RateLimit]);
    let asked = &inbox.needs_you[0];
    assert_eq!(asked.summary.as_deref(), Some("May I push?"));
    assert!(asked.request.is_some() && asked.terminal.is_none());
    assert_said!(cast.0.home, &asked.hint);
    let failure = &inbox.needs_you[1];
    assert_eq!(
        (failure.code.as_deref(), failure.summary.as_deref()),
        (Some("scripted_failure"), Some("no luck"))
    );
    assert!(inbox.needs_you[2].until.is_some());
    assert_eq!(inbox.finished[0].last_snippet.as_deref(), Some("all done"));
    assert_eq!(inbox.working[0].usage.input_tokens, 1200);
    assert!(inbox.working[0].step.as_deref().is_some_and(|step| step.starts_with("Run until")));
    assert_eq!(
        (inbox.counts.needs_you, inbox.counts.finished, inbox.counts.working),
        (3, 1, 1),
        "on all pages together"
    );

    // Page by page it is the same.
    let (mut query, mut read) = (InboxPageQuery { limit: Some(2), ..InboxPageQuery::default() }, Vec::new());
    loop {
        let page = client.inbox_page(&query).await.unwrap();
        assert_eq!(page.counts, inbox.counts);
        let handles: Vec<String> = sections(&page).concat().into_iter().map(str::to_owned).collect();
        assert!(handles.len() <= 2);
        read.extend(handles);
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    assert_eq!(read, sections(&inbox).concat());
    let wrong = InboxPageQuery { after: Some("needs_you:x".to_owned()), limit: None };
    assert_eq!(client.inbox_page(&wrong).await.unwrap_err().code(), Some(Code::InvalidRequest));

    // A failure stays when it was looked at, what finished does not. Archived, both are gone, and a request stays.
    for agent in [&failed, &finished] {
        client.looked(&agent.id, &all()).await.unwrap();
    }
    let [needs, done, _] = sections(&client.whole_inbox().await.unwrap()).map(|section| section.len());
    assert_eq!((needs, done), (3, 0));
    for agent in [&asks, &failed, &limited, &busy] {
        client.archive(&agent.id, &all()).await.unwrap();
    }
    let left = client.whole_inbox().await.unwrap();
    assert_eq!(sections(&left), [vec![asks.handle.as_str()], vec![], vec![]]);
    // It finishes, which is news.
    release(&cast);
    cast.0.settled(&busy.id).await;
    assert_eq!(sections(&client.whole_inbox().await.unwrap())[1], [&busy.handle]);
    client.stop(&asks.id).await.unwrap();
    cast.0.settled(&asks.id).await;
    assert_eq!(sections(&client.whole_inbox().await.unwrap())[0], [] as [&str; 0]);
}

async fn until_status(cast: &Cast, session: &str, status: &str) {
    let answer = cast.0.client.session(session).await.unwrap();
    let mut events = cast.0.follow(session, answer.seq);
    while cast.view(session).await.status.as_str() != status {
        next(&mut events).await;
    }
}

#[tokio::test]
async fn children_are_in_the_inbox_like_all_others() {
    let cast = Cast::new(&["perm_summon"]);
    cast.script("child", "is_subagent = true", "<<fail broken>>");
    cast.define("parent", "tools = ['summon']");
    let parent = cast.idle("parent").await;
    let task = value!({ "agent": "child", "task": "try" });
    let child = cast.call(&parent.id, "summon", &task).await.agent();
    cast.0.settled(&child).await;
    let inbox = cast.0.client.whole_inbox().await.unwrap();
    let entry = inbox.needs_you.iter().find(|entry| child.starts_with(&entry.agent.handle)).unwrap();
    assert_eq!((&entry.kind, &entry.agent.parent), (&InboxNeed::Failure, &Some(parent.id)));
}

#[test]
fn people_read_it_in_a_terminal() {
    let home = home();
    let empty = home.paseo(&["inbox"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (0, ""));
    assert_told!(home, empty);
    let done = start(&home, "<<say All tests pass>>");
    home.paseo(&["wait", &done]).ok();
    let failed = start(&home, "<<fail no luck>>");
    assert_eq!(home.paseo(&["wait", &failed]).code, 1);
    assert_said!(home, home.paseo(&["inbox"]).ok());
    assert_eq!(home.paseo(&["inbox", "-q"]).ok(), format!("{failed}\n{done}"));
    let whole = json(&home.paseo(&["inbox", "--json"]));
    assert_eq!(whole["finished"][0]["last_snippet"], "All tests pass");
    assert_said!(home, home.paseo(&["archive", &done, &failed]).ok(), @r"
    Archived aaa1
    Archived aaa2
    ");
    assert_said!(home, home.paseo(&["archive", &done]).ok(), @"aaa1 was already archived");
    assert_eq!(home.paseo(&["inbox", "-q"]).ok(), "");
    assert_eq!(home.paseo(&["archive", "ffffffff"]).code, 3);
}
