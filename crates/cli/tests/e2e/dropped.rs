//! A call that nobody listens to any more: what it asked for goes on, and the agent is told by a notice.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::json;

use crate::cast::{Cast, WAIT, release};
use crate::watch::PATIENCE;

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
    cast.until(&caller.id, |items| items.iter().filter(|item| item.kind == "tool_call").count() == 2).await;
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
