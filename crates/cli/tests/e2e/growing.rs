//! What a command prints while it runs, for those who come later: after a reload, and after a restart.

use paseo_wire::item::{ItemBody, ItemView};
use paseo_wire::stream::{Frame, LiveFrame};
use paseo_wire::words::{ItemKind, LiveKind, ToolOutcome};

use crate::watch::{Watched, next, outcome, shows, until};

fn result(items: &[ItemView]) -> &ItemView {
    items.iter().find(|item| item.kind() == ItemKind::ToolResult).expect("the call was closed")
}

#[tokio::test]
async fn who_comes_while_a_command_runs_sees_its_output_from_the_beginning_and_no_byte_twice() {
    let watched = Watched::new();
    let prompt = "<<sh echo first; echo second; read go < go; echo third; sleep 1000>>";
    let pipe = watched.home.work().join("go");
    assert!(watched.home.program("mkfifo", &[&pipe]).status().unwrap().success());
    let created = watched.create(prompt).await;
    let session = created.session.id;
    let mut first = watched.follow(&session, created.receipt.unwrap().seq);
    until(&mut first, |frame| shows(frame, "second")).await;

    // A page that is opened now reads what is stored, and follows from there.
    let page = watched.client.items(&session, &Default::default()).await.unwrap();
    let call = page.items.iter().find_map(|item| match &item.body {
        ItemBody::ToolCall(call) => Some(call.call.clone()),
        _ => None,
    });
    let mut second = watched.follow(&session, page.seq);
    let mut pieces: Vec<LiveFrame> = Vec::new();
    let mut printed = String::new();
    while !printed.contains("third") {
        let Frame::Live(live) = next(&mut second).await else { continue };
        assert_eq!(live.offset, printed.len() as u64, "{pieces:?}");
        printed.push_str(&live.text);
        pieces.push(live);
        if printed == "first\nsecond\n" {
            std::fs::write(&pipe, "go\n").unwrap();
        }
    }
    assert_eq!(printed, "first\nsecond\nthird\n");
    assert!(pieces.iter().all(|live| live.kind == LiveKind::ToolOutput && live.call == call), "{pieces:?}");
    watched.client.stop(&session).await.unwrap();
    watched.settled(&session).await;
    let items = watched.items(&session).await;
    assert_eq!(result(&items).text.as_deref(), Some("first\nsecond\nthird\n"));
    assert_eq!(result(&items).id, pieces[0].item, "the stored item replaces what grew");
}

#[tokio::test]
async fn what_a_command_had_printed_is_kept_when_the_daemon_is_restarted() {
    let watched = Watched::new();
    let created = watched.create("<<sh echo first; echo last words; sleep 1000>>").await;
    let session = created.session.id;
    let mut events = watched.follow(&session, created.receipt.unwrap().seq);
    until(&mut events, |frame| shows(frame, "last words")).await;
    watched.home.paseo(&["restart"]).ok();
    let items = watched.items(&session).await;
    assert_eq!(outcome(result(&items)), &ToolOutcome::Interrupted);
    assert_eq!(result(&items).text.as_deref(), Some("first\nlast words\n"));
    let results = items.iter().filter(|item| item.kind() == ItemKind::ToolResult).count();
    assert_eq!(results, 1, "once");
}

#[tokio::test]
async fn of_long_output_a_restart_keeps_beginning_and_end() {
    let watched = Watched::new();
    let created = watched.create("<<sh seq 1 100000; echo the end; sleep 1000>>").await;
    let session = created.session.id;
    let mut events = watched.follow(&session, created.receipt.unwrap().seq);
    until(&mut events, |frame| shows(frame, "the end")).await;
    watched.home.paseo(&["restart"]).ok();
    let items = watched.items(&session).await;
    let item = result(&items);
    let text = watched.client.item_text(&session, item.ordinal).await.unwrap();
    assert!(text.starts_with("1\n2\n3\n") && text.ends_with("\n100000\nthe end\n"), "{}", text.len());
    let cut = text.lines().find(|line| line.starts_with('[')).unwrap();
    insta::assert_snapshot!(cut.replace(|one: char| one.is_ascii_digit(), "N"), @"[… NNNNNN bytes left out …]");
    assert!(text.len() < 70_000, "{}", text.len());
}
