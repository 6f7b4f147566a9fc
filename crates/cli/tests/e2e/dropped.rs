//! A call that nobody listens to any more: what it asked for goes on, and the agent is told by a notice.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use paseo_testkit::home::TestHome;
use paseo_wire::words::ItemKind;
use paseo_wire::worker::WorkerQuery;
use serde_json::json;

use crate::cast::{Cast, WAIT, release};
use crate::watch::PATIENCE;
use crate::workers::{Reader, red_at, until, until_seen};
use crate::worktrees::make_repository;

const ASKER: &str = "toolAllowlist = ['agents_*', 'native_shell']";

#[tokio::test]
async fn a_call_from_the_shell_that_is_killed_is_answered_by_a_notice() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("slow", "", &format!("{WAIT}<<say finished>>"));
    let call = "<<sh timeout 1 paseo tool agents_message --agent-id slow --content please; echo exit=$?>>";
    let caller = cast.start("general", call).await;
    cast.0.settled(&caller.id).await;
    assert_eq!(cast.called(&caller.id).await.pop().unwrap().text, "exit=124\n");
    release(&cast);
    cast.until_heard(&caller.id, "finished").await;
}

#[tokio::test]
async fn a_call_over_mcp_whose_connection_breaks_is_answered_by_a_notice() {
    let cast = Cast::new(&[]);
    cast.define("general", ASKER);
    cast.script("slow", "", "<<sh until [ -e over ]; do sleep 0.02; done>><<say finished>>");
    let caller = cast.start("general", &format!("<<sh printf %s $PASEO_TOKEN \\> token>>{WAIT}")).await;
    cast.until(&caller.id, |items| {
        items.iter().filter(|item| item.kind() == ItemKind::ToolCall).count() == 2
    })
    .await;
    let token = fs::read_to_string(cast.0.home.work().join("token")).unwrap();
    let url = cast.0.client.status().await.unwrap().url;
    let address = url.trim_start_matches("http://");
    let params = json!({ "name": "agents_message", "arguments": { "agentId": "slow", "content": "please" } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /mcp/{}/paseo-tools HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         mcp-protocol-version: 2025-06-18\r\ncontent-length: {}\r\n\r\n{body}",
        caller.id,
        body.len()
    )
    .unwrap();
    let slow = loop {
        match cast.open("slow").await.pop() {
            Some(slow) => break slow,
            None => tokio::task::yield_now().await,
        }
    };
    cast.until_calling(&slow.id).await;
    // The daemon hangs up once it has heard of it: before the answer is there.
    stream.shutdown(Shutdown::Write).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "nothing was answered");
    fs::write(cast.0.home.work().join("over"), "").unwrap();
    cast.until_accepted(&caller.id, 2).await;
    release(&cast);
    cast.until_heard(&caller.id, "finished").await;
}

#[tokio::test]
async fn a_worker_is_started_to_the_end_though_its_starter_hangs_up() {
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_paseo"));
    // A git that takes its time.
    let folder = home.path().parent().unwrap().join("slow");
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.exists())
        .unwrap();
    let (asked, go) = (folder.join("asked"), folder.join("go"));
    let script = format!(
        "#!/bin/sh\n: >'{}'\nuntil [ -e '{}' ]; do sleep 0.02; done\nexec '{}' \"$@\"\n",
        asked.display(),
        go.display(),
        real.display()
    );
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("git"), script).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    home.prepend_path(&folder);
    make_repository(&home.work());
    let cast = red_at(home);

    let body = json!({ "task": "<<say done>>", "team": "red", "provider": "scripted", "worktree": true });
    let body = body.to_string();
    let mut stream = UnixStream::connect(cast.0.home.path().join("daemon.sock")).unwrap();
    write!(
        stream,
        "POST /api/workers HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    until("its worktree", async || asked.exists()).await;
    // The daemon hangs up, too, once it has heard of it.
    stream.shutdown(Shutdown::Write).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "nothing was answered");
    fs::write(&go, "").unwrap();

    let workers = async || cast.0.client.workers(&WorkerQuery::default()).await.unwrap().workers;
    until_seen("the worker", workers, |workers| workers.len() == 1).await;
    let reader = Reader::new(&cast);
    until_seen(
        "how to get to it",
        async || reader.posts("thread-0001"),
        |posts| posts.iter().any(|(_, text)| text.contains("paseo worker attach red-1")),
    )
    .await;
}
