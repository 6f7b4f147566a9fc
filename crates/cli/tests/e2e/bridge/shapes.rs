//! What clients of the bridge get, field by field.

use serde_json::json;

use super::{ALWAYS, Bridge, Client};
use crate::shapes::{Shapes, documented};

#[test]
fn every_answer_of_the_bridges_routes_has_the_fields_of_its_table() {
    let bridge = Bridge::new(&["ada"]);
    let mut shapes = Shapes::of("Clients of the bridge");
    let stream = "GET /threads/{thread}/events/stream";
    let mut routes = shapes.routes();
    routes.insert(stream.to_owned());
    let is_of_bridge = |path: &str| path == "/ping" || path == "/threads" || path.starts_with("/threads/");
    assert_eq!(routes, documented(is_of_bridge), "each route has a table, and each table a route");

    let nobody = Client { token: "none".into(), ..bridge.user.clone() };
    shapes.check("GET /ping", &nobody.get("/ping").ok());
    shapes.check("POST /threads", &bridge.user.post("/threads", &json!({})).ok());
    shapes.check("GET /threads", &bridge.user.get("/threads").ok());
    bridge.invite("eve", json!({"nickname": "Eve", "roles": ["planner"], "provider": "scripted"}));
    let eve = bridge.seat("eve");
    let presence = json!({"from": "eve", "state": "idle", "details": {"client": "x"}});
    shapes.check("POST /threads/{thread}/presence", &eve.post(&bridge.path("presence"), &presence).ok());
    let presence = json!({"from": "user", "state": "typing"});
    let said = bridge.user.post(&bridge.path("presence"), &presence).ok();
    shapes.check("POST /threads/{thread}/presence", &said);
    shapes.check("GET /threads/{thread}/presence", &bridge.user.get(&bridge.path("presence")).ok());
    bridge.control(json!({"mute": {"targets": ["eve"]}}));
    shapes.check("GET /threads/{thread}/state", &bridge.user.get(&bridge.path("state")).ok());
    let post = json!({"type": "message", "from": "user", "to": "ada", "content": "<<say hi>>"});
    let posted = bridge.post(&bridge.user, &post).ok();
    shapes.check("POST /threads/{thread}/events", &posted);
    bridge.reply(&posted["event"]);
    bridge.home.paseo(&["thread", "rename", &bridge.thread, "better"]).ok();
    for query in ["", "?limit=1"] {
        let page = bridge.user.get(&bridge.path(&format!("events{query}"))).ok();
        shapes.check("GET /threads/{thread}/events", &page);
    }
    // Only a control has an object for its content.
    for event in bridge.events() {
        assert_eq!(event["content"].is_object(), event["type"] == "control", "{event}");
    }
    let mut following = bridge.user.follow(&bridge.path(&format!("events/stream?since={ALWAYS}")));
    shapes.check("event", &following.next().unwrap().1);

    let muted = bridge.post(&eve, &json!({"content": "hi"}));
    assert_eq!(muted.status, 409);
    shapes.check("bridge error", &muted.body);
    shapes.check("bridge error", &nobody.get("/threads").body);
    shapes.assert_all_seen(&[("GET /threads", "next")]);
}
