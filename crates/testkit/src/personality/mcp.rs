//! The fakes' side of MCP over HTTP: as much as it takes to list the tools of a server and to call them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

/// A server that answered.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) tools: Vec<Value>,
    url: String,
    headers: Vec<(String, String)>,
}

/// Something went wrong, in words for the log.
pub(super) type Problem = String;

impl Server {
    /// Introduces itself and asks for the tools.
    pub(super) fn connect(name: &str, url: &str, headers: Vec<(String, String)>) -> Result<Self, Problem> {
        let (name, url) = (name.to_owned(), url.to_owned());
        let mut server = Self { name, tools: Vec::new(), url, headers };
        let client = json!({ "name": "fake-harness", "version": "0" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let (_, session) = server.post(&request(0, "initialize", hello))?;
        server.headers.push(("mcp-protocol-version".into(), "2025-06-18".into()));
        server.headers.extend(session.map(|session| ("mcp-session-id".to_owned(), session)));
        server.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let (answer, _) = server.post(&request(1, "tools/list", json!({})))?;
        server.tools = answer["result"]["tools"].as_array().cloned().unwrap_or_default();
        Ok(server)
    }

    /// Calls a tool, and returns the result as the server gave it.
    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Result<Value, Problem> {
        let (answer, _) =
            self.post(&request(2, "tools/call", json!({ "name": tool, "arguments": arguments })))?;
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(answer["error"]["message"].as_str().unwrap_or("no result").to_owned()),
        }
    }

    /// Posts a message; returns the answer, if there is one, and the session that the server named.
    fn post(&self, message: &Value) -> Result<(Value, Option<String>), Problem> {
        let rest = self.url.strip_prefix("http://").ok_or("only http is spoken here")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let body = message.to_string();
        let mut head = format!("POST /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
        head.push_str("content-type: application/json\r\naccept: application/json, text/event-stream\r\n");
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let told = |error: std::io::Error| format!("{}: {error}", self.url);
        let mut stream = TcpStream::connect(host).map_err(told)?;
        write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).map_err(told)?;
        receive(BufReader::new(stream)).map_err(told)?
    }
}

fn request(id: u64, method: &str, parameters: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters })
}

type Received = Result<(Value, Option<String>), Problem>;

fn receive(mut stream: impl BufRead) -> std::io::Result<Received> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut session, mut chunked, mut length) = (None, false, None);
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "mcp-session-id" => session = Some(value.trim().to_owned()),
            "transfer-encoding" => chunked = value.contains("chunked"),
            "content-length" => length = value.trim().parse::<u64>().ok(),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if chunked {
        unchunk(&mut stream, &mut body)?;
    } else {
        stream.take(length.unwrap_or(u64::MAX)).read_to_end(&mut body)?;
    }
    let body = String::from_utf8_lossy(&body);
    if !status.starts_with('2') {
        return Ok(Err(format!("HTTP {status}: {body}")));
    }
    // As an event stream, the answer is the last message.
    let event = body.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
    let answer = serde_json::from_str(event.unwrap_or(&body).trim()).unwrap_or(Value::Null);
    Ok(Ok((answer, session)))
}

fn unchunk(stream: &mut impl BufRead, body: &mut Vec<u8>) -> std::io::Result<()> {
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim(), 16).unwrap_or_default();
        if size == 0 {
            return Ok(());
        }
        stream.by_ref().take(size).read_to_end(body)?;
        stream.read_line(&mut line)?;
    }
}

/// Replaces `${NAME}` by the variable of that name, as claude does in headers.
pub(super) fn expand(text: &str) -> String {
    let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
    let Some((name, after)) = rest.split_once('}') else { return text.to_owned() };
    format!("{before}{}{}", std::env::var(name).unwrap_or_default(), expand(after))
}
