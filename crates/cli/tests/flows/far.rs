//! An agent of somebody else's: a small HTTP server on 127.0.0.1.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::api::{self, Caller, PATIENCE};
use crate::scene::Scene;

pub(crate) struct Far {
    address: SocketAddr,
    posted: Receiver<Value>,
    replies: Arc<Mutex<VecDeque<u16>>>,
}

impl Far {
    /// Starts one that acknowledges everything, unless it is told otherwise, and defines it as `far`.
    pub(crate) fn start(scene: &mut Scene) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, posted) = channel();
        let replies: Arc<Mutex<VecDeque<u16>>> = Arc::default();
        let planned = Arc::clone(&replies);
        thread::spawn(move || serve(&listener, &sender, &planned));
        let fields = format!("type = 'external'\n[external]\ninputUrl = 'http://{address}/in'\n");
        scene.write("agents/far.toml", &fields);
        Self { address, posted, replies }
    }

    /// Says how the next requests are answered. 0 keeps silent.
    pub(crate) fn plan(&self, replies: &[u16]) {
        self.replies.lock().unwrap().extend(replies);
    }

    /// Waits for the next request.
    pub(crate) fn next(&self) -> Value {
        self.posted.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("nothing is posted to {}", self.address))
    }
}

/// Posts an answer with the token of the message. The daemon may have another port than it had.
pub(crate) fn answer(scene: &mut Scene, posted: &Value, text: &str) -> u16 {
    let path = posted["callbackUrl"].as_str().unwrap().splitn(4, '/').nth(3).unwrap().to_owned();
    let url = scene.look("/api/status")["url"].as_str().unwrap().to_owned();
    let caller = Caller { token: posted["callbackToken"].as_str(), ..Caller::default() };
    api::ask_tcp(&url, "POST", &format!("/{path}"), caller, text.as_bytes()).status
}

fn serve(listener: &TcpListener, posted: &Sender<Value>, planned: &Mutex<VecDeque<u16>>) {
    let mut silent = Vec::new();
    while let Ok((stream, _)) = listener.accept() {
        let Some(request) = read(&stream) else { continue };
        let status = planned.lock().unwrap().pop_front().unwrap_or(202);
        if posted.send(request).is_err() {
            return;
        }
        match status {
            0 => silent.push(stream),
            _ => {
                let answer =
                    format!("HTTP/1.1 {status} Word\r\ncontent-length: 5\r\nconnection: close\r\n\r\nwords");
                (&stream).write_all(answer.as_bytes()).ok();
            }
        }
    }
}

fn read(stream: &TcpStream) -> Option<Value> {
    let mut lines = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end().to_ascii_lowercase().strip_prefix("content-length: ") {
            Some(number) => length = number.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
