//! Notifications: from the settings of a browser to what arrives there, and what does not.

use paseo_testkit::home::TestHome;
use paseo_testkit::push::{self, Answer, PushService, Pushed};
use serde_json::{Value, json as value};

use crate::consent::Browser;
use crate::screens::assert_said;
use crate::{home, json};

/// A browser that gets notifications.
struct Device {
    browser: Browser,
    keys: push::Browser,
    public_key: String,
}

impl Device {
    /// Logs in and turns notifications on.
    fn new(home: &TestHome, service: &PushService, number: u8) -> Self {
        let (browser, keys) = (Browser::log_in(home), push::Browser::number(number));
        let body = subscription(&service.endpoint(&number.to_string()), keys);
        let (status, view) = browser.send("PUT", "/api/notifications", &body);
        assert_eq!(status, 200, "{view}");
        let public_key = view["public_key"].as_str().unwrap().to_owned();
        Self { browser, keys, public_key }
    }

    fn switch(&self, wanted: &[&str]) {
        let is = |kind: &str| wanted.contains(&kind);
        let switches = value!({
            "permission": is("permission"), "question": is("question"), "failure": is("failure"),
            "hold": is("hold"), "finished": is("finished"),
        });
        let (status, view) =
            self.browser.send("PATCH", "/api/notifications", &value!({"switches": switches}));
        assert_eq!((status, &view["switches"]), (200, &switches), "{view}");
    }

    fn read(&self, pushed: &Pushed) -> Value {
        self.keys.read(pushed)["notification"].take()
    }
}

fn subscription(endpoint: &str, keys: push::Browser) -> Value {
    value!({"endpoint": endpoint, "keys": {"p256dh": keys.p256dh(), "auth": keys.auth()}})
}

/// Starts an agent that does what the prompt says.
fn run(home: &TestHome, prompt: &str) -> String {
    home.paseo(&["run", "-d", prompt]).ok().to_owned()
}

fn id(home: &TestHome, handle: &str) -> String {
    json(&home.paseo(&["inspect", handle, "--json"]))["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_permission_request_reaches_the_browser_and_says_nothing_of_what_it_is_about() {
    let (home, service) = (home(), PushService::start());
    let device = Device::new(&home, &service, 1);
    let prompt = "Deploy the plumbus <<say SECRETWORD>><<sh erase SECRETWORD>>";
    let handle = home.paseo(&["run", "-d", "--permissions", "ask", prompt]).ok().to_owned();
    let pushed = service.wait_for(1);
    let text = String::from_utf8(device.keys.decrypt(&pushed[0])).unwrap();
    for word in ["SECRETWORD", "plumbus", "erase", "Deploy"] {
        assert!(!text.contains(word), "{text}");
    }
    let id = id(&home, &handle);
    assert_eq!(
        device.read(&pushed[0]),
        value!({
            "title": format!("{handle} asks for permission"),
            "navigate": format!("{}/app?agent={id}", device.browser.origin()),
            "tag": format!("paseo-{id}"),
            "app_badge": 1,
            "actions": [
                {
                    "action": "card",
                    "title": "Show card",
                    "navigate": format!("{}/app?agent={id}", device.browser.origin()),
                },
                {
                    "action": "agent",
                    "title": "Open agent",
                    "navigate": format!("{}/app/agents/{id}", device.browser.origin()),
                },
            ],
        })
    );
    assert_eq!(device.keys.read(&pushed[0])["web_push"], 8030);
    assert_eq!(pushed[0].header("urgency"), "high");
    let claims = pushed[0].claims(&device.public_key);
    assert!(device.browser.get("/api/notifications")["last"]["delivered"] == true);
    assert!(claims["sub"].as_str().unwrap().starts_with("mailto:"), "{claims}");
    // The path, the headers and the length are all that the push service learns.
    let outside = format!("{:?}", pushed[0].headers);
    assert!(!outside.contains(&id) && !outside.contains(&handle), "{outside}");
}

#[test]
fn a_named_agent_is_called_by_its_name_and_each_device_gets_what_it_wants() {
    let (home, service) = (home(), PushService::start());
    let (one, other) = (Device::new(&home, &service, 1), Device::new(&home, &service, 2));
    one.switch(&["failure"]);
    other.switch(&["finished"]);
    home.paseo(&["run", "-d", "--name", "wrecker", "<<fail it broke>>"]).ok();
    let pushed = service.wait_for(1);
    assert_eq!(pushed[0].path, "/push/1");
    assert_eq!(one.read(&pushed[0])["title"], "wrecker failed");
    // No notification before a person asks for one.
    let quiet = run(&home, "<<say a>>");
    home.paseo(&["wait", &quiet]).ok();
    // News are told in their order: after this one, that is past.
    home.paseo(&["run", "-d", "--name", "wrecker", "<<fail it broke again>>"]).ok();
    assert_eq!(service.wait_for(2)[1].path, "/push/1");
    assert_said!(home, home.paseo(&["notify", &quiet]).ok(), @"Notification when aaa1 finishes");
    assert_eq!(json(&home.paseo(&["inspect", &quiet, "--json"]))["notify_when_finished"], true);
    home.paseo(&["send", &quiet, "<<say b>>"]).ok();
    let pushed = service.wait_for(3);
    assert_eq!(pushed[2].path, "/push/2");
    assert_eq!(other.read(&pushed[2])["title"], format!("{quiet} finished"));
    assert_eq!(pushed[2].header("urgency"), "normal");
    home.paseo(&["notify", "--off", &quiet]).ok();
    assert_eq!(json(&home.paseo(&["inspect", &quiet, "--json"]))["notify_when_finished"], false);
    assert_eq!(service.pushed().len(), 3);
}

#[test]
fn who_is_logged_out_or_gone_gets_no_more() {
    let (home, service) = (home(), PushService::start());
    let (revoked, gone) = (Device::new(&home, &service, 1), Device::new(&home, &service, 2));
    let last = Device::new(&home, &service, 3);
    let devices = json(&home.paseo(&["devices", "ls", "--json"]));
    assert!(devices["devices"].as_array().unwrap().iter().all(|device| device["notifications"] == true));
    let own = revoked.browser.get("/api/devices");
    let own = own["devices"].as_array().unwrap().iter().find(|device| device["current"] == true).unwrap();
    home.paseo(&["devices", "revoke", own["id"].as_str().unwrap()]).ok();

    service.answer([Answer::status(410)]);
    let (status, result) = gone.browser.send("POST", "/api/notifications/test", &Value::Null);
    assert_eq!((status, &result["delivered"]), (200, &false.into()), "{result}");
    assert!(gone.browser.get("/api/notifications").get("endpoint").is_none());
    let (status, refused) = gone.browser.send("POST", "/api/notifications/test", &Value::Null);
    assert_eq!((status, refused["code"].as_str()), (409, Some("conflict")));

    run(&home, "<<ask now?>><<hang>>");
    let pushed = service.wait_for(2);
    assert_eq!(pushed[1].path, "/push/3");
    let (status, view) = last.browser.send("DELETE", "/api/notifications", &Value::Null);
    assert!(status == 200 && view.get("endpoint").is_none(), "{view}");
    let listed = home.paseo(&["devices", "ls"]);
    assert_eq!(listed.ok().matches(" no ").count(), 2, "{}", listed.stdout);
}

#[test]
fn a_restart_keeps_the_key_and_the_subscription_and_repeats_nothing() {
    let (home, service) = (home(), PushService::start());
    let device = Device::new(&home, &service, 1);
    run(&home, "<<ask now?>><<hang>>");
    service.wait_for(1);
    home.paseo(&["restart"]).ok();
    let handle = run(&home, "<<ask again?>><<hang>>");
    let pushed = service.wait_for(2);
    assert_eq!(device.read(&pushed[1])["title"], format!("{handle} has a question"));
    assert_eq!(pushed[1].claims(&device.public_key)["sub"], "mailto:paseo@localhost");
}

#[test]
fn only_browsers_subscribe_and_only_with_keys_and_addresses_that_can_be_used() {
    let (home, service) = (home(), PushService::start());
    let browser = Browser::log_in(&home);
    let keys = push::Browser::number(1);
    let refused = |body: &Value| {
        let (status, answer) = browser.send("PUT", "/api/notifications", body);
        assert_eq!((status, answer["code"].as_str()), (400, Some("invalid_request")), "{body}: {answer}");
        answer["message"].as_str().unwrap().to_owned()
    };
    let own = format!("{}/x", browser.origin());
    let endpoints =
        ["http://push.example/x", "https://192.168.0.7/x", "https://169.254.169.254/x", "nonsense", &own];
    let mut told = endpoints.map(|endpoint| refused(&subscription(endpoint, keys))).join("\n");
    let mut bad = subscription(&service.endpoint("1"), keys);
    bad["keys"]["p256dh"] = "AAAA".into();
    told += &format!("\n{}", refused(&bad));
    let port = own.rsplit(':').next().unwrap().trim_end_matches("/x").to_owned();
    assert_said!(home, &told.replace(&port, "PORT"));
    let (status, off) = browser.send(
        "PATCH",
        "/api/notifications",
        &value!({"switches": {
            "permission": true, "question": true, "failure": true, "hold": true, "finished": true,
        }}),
    );
    assert_eq!((status, off["code"].as_str()), (409, Some("conflict")));

    // The command line and programs with a token are people, but have no screen.
    let token = home.paseo(&["token", "create", "--name", "ci", "-q"]).ok().to_owned();
    let bearer = browser.with_token(&token);
    let (status, answer) =
        bearer.send("PUT", "/api/notifications", &subscription(&service.endpoint("1"), keys));
    assert_eq!((status, answer["code"].as_str()), (403, Some("forbidden")), "{answer}");
    // An agent is not even a person.
    let socket = home.path().join("daemon.sock");
    let ask = format!("<<sh curl -s --unix-socket {} http://localhost/api/notifications>>", socket.display());
    let handle = run(&home, &ask);
    home.paseo(&["wait", &handle]).ok();
    let items: Vec<Value> = home
        .paseo(&["logs", &handle, "--json"])
        .ok()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let result = items.iter().find(|item| item["kind"] == "tool_result").unwrap();
    let answer: Value = serde_json::from_str(result["text"].as_str().unwrap()).unwrap();
    assert_eq!(answer["code"], "forbidden", "{answer}");
    assert!(service.pushed().is_empty());
}

#[test]
fn a_key_file_that_is_broken_is_reported_and_not_replaced() {
    let home = home();
    let browser = Browser::log_in(&home);
    let file = home.path().join("push.key");
    std::fs::write(&file, "short").unwrap();
    let (status, answer) = browser.send("DELETE", "/api/notifications", &Value::Null);
    assert_eq!((status, answer["code"].as_str()), (503, Some("storage_unavailable")), "{answer}");
    assert_said!(home, answer["hint"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "short");
}
