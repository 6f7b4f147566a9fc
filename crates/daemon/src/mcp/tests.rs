//! The servers as an agent's MCP client meets them.

use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use paseo_core::id::SessionId;
use paseo_core::label::{Label, Labels};
use serde_json::{Value, json};

use crate::http::tests::House;
use crate::identity::Registration;

/// A session with a process, as far as credentials are concerned.
struct Agent {
    id: String,
    secret: &'static str,
    _registration: Registration,
}

async fn agent(house: &House, labels: &[&str], secret: &'static str) -> Agent {
    let labels: Vec<Label> = labels.iter().map(|label| label.parse().unwrap()).collect();
    let made = house.labelled(Labels::from_flags(labels, false).unwrap()).await;
    let id = made.session.id;
    let session: SessionId = id.parse().unwrap();
    let registration = house.app.sessions.context.credentials.register(session, secret);
    Agent { id: id.into(), secret, _registration: registration }
}

fn request(path: &str, secret: &str, body: &Value) -> Request<Body> {
    Request::post(path)
        .header("host", "127.0.0.1:6767")
        .header("authorization", format!("Bearer {secret}"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-06-18")
        .body(Body::from(body.to_string()))
        .unwrap()
}

async fn call(house: &House, agent: &Agent, method: &str, params: Value) -> Value {
    let path = format!("/mcp/{}/Paseo", agent.id);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let response = house.ask(request(&path, agent.secret, &body)).await;
    assert_eq!(response.status(), StatusCode::OK, "{method}");
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

async fn tools(house: &House, agent: &Agent) -> Vec<String> {
    let listed = call(house, agent, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_agent_in_the_app_sees_exactly_two_tools() {
    let house = House::new().await;
    let agent = agent(&house, &["ui=true"], "secret-a").await;
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "0" },
    });
    let answer = call(&house, &agent, "initialize", hello).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "Paseo");
    assert_eq!(tools(&house, &agent).await, ["set_title", "set_branch"]);
}

#[tokio::test]
async fn a_background_agent_sees_none_and_calls_none() {
    let house = House::new().await;
    let agent = agent(&house, &["ui=false"], "secret-a").await;
    assert!(tools(&house, &agent).await.is_empty());
    let params = json!({ "name": "set_title", "arguments": { "title": "x" } });
    let answer = call(&house, &agent, "tools/call", params).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test]
async fn a_title_is_set_once_per_task() {
    let house = House::new().await;
    let agent = agent(&house, &["ui=true"], "secret-a").await;
    for (title, said) in [("Fix the build", "Set the title to: Fix the build"), ("Other", "No change")] {
        let params = json!({ "name": "set_title", "arguments": { "title": title } });
        let answer = call(&house, &agent, "tools/call", params).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(said), "{text}");
    }
}

#[tokio::test]
async fn nobody_reaches_another_agents_servers() {
    let house = House::new().await;
    let own = agent(&house, &["ui=true"], "secret-a").await;
    let other = agent(&house, &["ui=true"], "secret-b").await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let attempts = [
        (format!("/mcp/{}/Paseo", other.id), own.secret, StatusCode::FORBIDDEN),
        (format!("/mcp/{}/Paseo", own.id), "no-secret", StatusCode::UNAUTHORIZED),
        (format!("/mcp/{}/paseo", own.id), own.secret, StatusCode::NOT_FOUND),
        (format!("/mcp/{}/Paseo", &own.id[..8]), own.secret, StatusCode::FORBIDDEN),
    ];
    let own_server = request("/mcp/self/Paseo", own.secret, &list);
    assert_eq!(house.ask(own_server).await.status(), StatusCode::OK, "self is whoever calls");
    let nobodys = request("/mcp/self/Paseo", "no-secret", &list);
    assert_eq!(house.ask(nobodys).await.status(), StatusCode::UNAUTHORIZED);
    for (path, secret, status) in attempts {
        assert_eq!(house.ask(request(&path, secret, &list)).await.status(), status, "{path}");
    }
}
