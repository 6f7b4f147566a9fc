//! The teamd protocol, as its clients speak it: over TCP, with a token each, against the real binary.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use paseo_testkit::home::TestHome;
use serde_json::{Value, json};

use crate::home;
use crate::screens::{assert_said, squeezed};

/// A team called `red` in the home's directory, and clients of it.
pub(crate) struct Team {
    pub(crate) home: TestHome,
    pub(crate) address: String,
}

/// One who speaks teamd.
pub(crate) struct Agent {
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) id: String,
}

impl Team {
    pub(crate) fn new() -> Self {
        let home = home();
        let work = home.work().display().to_string();
        home.paseo(&["team", "create", "red", "-C", &work]).ok();
        let status = crate::json(&home.paseo(&["status", "--json"]));
        let address = status["url"].as_str().unwrap().trim_start_matches("http://").to_owned();
        Self { home, address }
    }

    pub(crate) fn agent(&self, id: &str) -> Agent {
        let env = self.home.paseo(&["team", "env", "red", "--agent", id]);
        let value = |name: &str| {
            let prefix = format!("export {name}='");
            let line = env.ok().lines().find_map(|line| line.strip_prefix(&prefix)).unwrap();
            line.trim_end_matches('\'').to_owned()
        };
        assert_eq!((value("PI_TEAM_ID"), value("PI_AGENT_ID")), ("red".to_owned(), id.to_owned()));
        assert_eq!(value("PI_TEAMD_URL"), format!("http://{}", self.address));
        Agent { address: self.address.clone(), token: value("PI_TEAMD_TOKEN"), id: id.to_owned() }
    }

    pub(crate) fn task(&self, body: Value) -> String {
        let (status, made) = self.agent("planner").post("/v1/tasks", body);
        assert_eq!(status, 201, "{made}");
        made["task"]["id"].as_str().unwrap().to_owned()
    }
}

impl Agent {
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value, more: &str) -> (u16, Value) {
        ask(
            &self.address,
            method,
            path,
            &body.to_string(),
            &format!("authorization: Bearer {}\r\n{more}", self.token),
        )
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        ask(&self.address, "GET", path, "", &format!("authorization: Bearer {}\r\n", self.token))
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.ask("POST", path, &body, "")
    }

    pub(crate) fn on(&self, task: &str, act: &str, more: Value) -> (u16, Value) {
        let mut body = json!({ "teamId": "red", "agentId": self.id });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.post(&format!("/v1/tasks/{task}/{act}"), body)
    }

    pub(crate) fn status(&self, task: &str) -> Value {
        self.get(&format!("/v1/tasks/{task}?teamId=red")).1["task"]["status"].clone()
    }

    fn inbox(&self, since: u64) -> (Vec<Value>, u64) {
        let (status, page) = self.get(&format!("/v1/inbox?teamId=red&agentId={}&since={since}", self.id));
        assert_eq!(status, 200, "{page}");
        (page["events"].as_array().unwrap().clone(), page["nextSince"].as_str().unwrap().parse().unwrap())
    }

    /// Reads on in the inbox until something of a kind is there.
    fn told(&self, kind: &str) -> Value {
        for _ in 0..1_500 {
            if let Some(found) = self.inbox(0).0.into_iter().find(|event| event["type"] == kind) {
                return found;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("{kind} never came: {:#?}", self.inbox(0));
    }
}

pub(crate) fn ask(address: &str, method: &str, path: &str, body: &str, headers: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {path}: {answer}")))
}

pub(crate) fn code(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["error"]["code"].as_str().unwrap_or_else(|| panic!("no refusal: {}", answer.1)))
}

/// P1, P2: health is open, everything else needs a token of one's own.
#[test]
fn health_is_open_and_the_rest_is_not() {
    let team = Team::new();
    let (status, health) = ask(&team.address, "GET", "/healthz", "", "");
    assert_eq!((status, &health["status"]), (200, &json!("ok")));
    assert!(health["version"].is_string());
    for headers in ["", "authorization: Bearer nothing\r\n"] {
        let refused = ask(&team.address, "GET", "/v1/teams", "", headers);
        assert_eq!(code(&refused), (401, "UNAUTHORIZED"));
        let message = refused.1["error"]["message"].as_str().unwrap();
        assert_said!(team.home, message, @"missing or invalid credential (run `paseo team env TEAM --agent NAME` to print one)");
        for (method, path) in [("GET", "/v1/nothing"), ("DELETE", "/v1/tasks"), ("POST", "/v1/")] {
            let refused = ask(&team.address, method, path, "{}", headers);
            assert_eq!(code(&refused), (401, "UNAUTHORIZED"), "{method} {path}");
        }
    }
    let ann = team.agent("ann");
    let small = format!("authorization: bearer {}\r\n", ann.token);
    assert_eq!(ask(&team.address, "GET", "/v1/teams", "", &small).0, 200);
    let (status, teams) = ann.get("/v1/teams");
    assert_eq!(status, 200);
    assert_eq!(teams["teams"][0]["teamId"], "red");
    // The roster is what was enrolled, and is never lost.
    assert_eq!(teams["teams"][0]["agents"], json!([{ "id": "ann", "role": "worker" }]));
    assert_eq!(ann.get("/v1/teams/red").0, 200);
    assert_eq!(code(&ann.get("/v1/teams/blue")), (404, "TEAM_NOT_FOUND"));
    assert_eq!(ann.post("/v1/teams", json!({ "agents": [] })).0, 201);
    let other = ann.post("/v1/teams", json!({ "teamId": "blue" }));
    assert_eq!(code(&other), (404, "TEAM_NOT_FOUND"));
    assert_said!(team.home, other.1["error"]["message"].as_str().unwrap(), @"team not found: you belong to red, and only people can create teams");
    // Such a token is good for nothing else.
    assert_eq!(ann.get("/api/sessions").0, 403);
    assert_eq!(ann.get("/api/teams").0, 403);
}

/// P6, P41: a key makes one task, and the same key with another body none.
#[test]
fn creating_twice_with_a_key_makes_one_task() {
    let team = Team::new();
    let ann = team.agent("ann");
    let body = json!({ "teamId": "red", "title": "one", "resources": ["./src//"], "description": "why" });
    let key = "idempotency-key: k1\r\n";
    let (first, made) = ann.ask("POST", "/v1/tasks", &body, key);
    let (again, same) = ann.ask("POST", "/v1/tasks", &body, key);
    assert_eq!((first, again), (201, 200));
    assert_eq!(made["task"]["id"], same["task"]["id"]);
    let other = json!({ "teamId": "red", "title": "two" });
    assert_eq!(code(&ann.ask("POST", "/v1/tasks", &other, key)), (409, "IDEMPOTENCY_KEY_REUSED"));
    let (_, all) = ann.get("/v1/tasks?teamId=red");
    assert_eq!(all["tasks"].as_array().unwrap().len(), 1);
    let task = &all["tasks"][0];
    assert_eq!((&task["status"], &task["resources"]), (&json!("pending"), &json!(["src"])));
    assert_eq!(
        (&task["description"], &task["lease"], &task["epoch"]),
        (&json!("why"), &Value::Null, &json!(0))
    );
    assert!(task["timestamps"]["createdAt"].is_string() && task["timestamps"]["startedAt"].is_null());
    assert_eq!(code(&ann.post("/v1/tasks", json!({ "teamId": "red" }))), (400, "INVALID_TASK"));
    assert_eq!(code(&ann.post("/v1/tasks", json!("no object"))), (400, "INVALID_JSON"));
}

/// P7, P9, P10: of many who claim at once one wins; a stale epoch ends nothing; what waited goes on.
#[test]
fn one_wins_and_ends_the_task_and_what_waited_goes_on() {
    let team = Team::new();
    let first = team.task(json!({ "teamId": "red", "title": "one" }));
    let second = team.task(json!({ "teamId": "red", "title": "two", "deps": [first, first] }));
    let agents: Vec<Agent> = (0..8).map(|number| team.agent(&format!("a{number}"))).collect();
    assert_eq!(agents[0].status(&second), "blocked");
    assert_eq!(code(&agents[0].on(&second, "claim", json!({}))), (409, "TASK_NOT_CLAIMABLE"));
    let (claimants, at_once) = (200, Barrier::new(200));
    let claims: Vec<(u16, Value)> = thread::scope(|scope| {
        let started = (0..claimants).map(|number| {
            let (agent, first, at_once) = (&agents[number % 8], &first, &at_once);
            scope.spawn(move || {
                at_once.wait();
                agent.on(first, "claim", json!({}))
            })
        });
        let started: Vec<_> = started.collect();
        started.into_iter().map(|claim| claim.join().unwrap()).collect()
    });
    let won: Vec<usize> = (0..claimants).filter(|number| claims[*number].0 == 200).collect();
    assert_eq!(won.len(), 1, "{claims:#?}");
    let lost = claims.iter().filter(|claim| claim.0 == 409 && code(claim).1 == "TASK_NOT_CLAIMABLE").count();
    assert_eq!(lost, claimants - 1);
    let (winner, lease) = (&agents[won[0] % 8], &claims[won[0]].1["lease"]);
    assert_eq!((&lease["holder"], &lease["epoch"]), (&json!(winner.id), &json!(1)));
    assert!(lease["expiresAt"].is_string());
    let loser = &agents[(won[0] + 1) % 8];
    assert_eq!(code(&loser.on(&first, "complete", json!({ "epoch": 1 }))), (403, "LEASE_HOLDER_MISMATCH"));
    assert_eq!(code(&winner.on(&first, "complete", json!({ "epoch": 0 }))), (409, "EPOCH_MISMATCH"));
    assert_eq!(winner.on(&first, "renew", json!({ "epoch": 1, "ttlMs": 60_000 })).0, 200, "P37");
    let (status, done) = winner.on(&first, "complete", json!({ "epoch": 1, "summary": "it works" }));
    assert_eq!(
        (status, &done["task"]["status"], &done["task"]["summary"]),
        (200, &json!("completed"), &json!("it works"))
    );
    assert!(done["task"]["timestamps"]["completedAt"].is_string());
    assert_eq!(code(&winner.on(&first, "complete", json!({ "epoch": 1 }))), (409, "TASK_NOT_IN_PROGRESS"));
    assert_eq!(winner.status(&second), "pending");
}

/// P8, P30, P33: a lease ends on time, is seen to, and is good for nothing afterwards; also when the daemon dies.
#[test]
fn a_lease_ends_on_time_whoever_asks() {
    let team = Team::new();
    let (ann, ben) = (team.agent("ann"), team.agent("ben"));
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    let (status, claimed) = ann.on(&task, "claim", json!({ "ttlMs": 1000 }));
    assert_eq!(status, 200);
    let expired = ben.told("task_expired");
    assert_eq!((&expired["taskId"], &expired["actor"]), (&json!(task), &json!("daemon")));
    let ends: jiff::Timestamp = claimed["lease"]["expiresAt"].as_str().unwrap().parse().unwrap();
    let noted: jiff::Timestamp = expired["ts"].as_str().unwrap().parse().unwrap();
    let late = noted.as_millisecond() - ends.as_millisecond();
    assert!((-5..1_000).contains(&late), "{late} ms late");
    assert_eq!(ann.status(&task), "pending");
    let audit = team.home.paseo(&["team", "audit"]);
    assert_said!(team.home, &squeezed(audit.ok()), @r"
    1 12:00:00 team_created by you
    2 12:00:00 agent_enrolled ann by you
    3 12:00:00 agent_enrolled ben by you
    4 12:00:00 agent_enrolled planner by you
    5 12:00:00 task_created task-0001 by planner
    6 12:00:00 task_claimed task-0001 by ann
    7 12:00:00 task_expired task-0001 of ann by daemon
    ");
    assert_eq!(code(&ann.on(&task, "complete", json!({ "epoch": 1 }))), (403, "LEASE_EXPIRED"));
    assert_eq!(code(&ann.on(&task, "fail", json!({ "epoch": 1 }))), (403, "LEASE_EXPIRED"));
    assert_eq!(code(&ann.on(&task, "renew", json!({ "epoch": 1 }))), (403, "LEASE_EXPIRED"));
    let (_, again) = ben.on(&task, "claim", json!({}));
    assert_eq!(again["lease"]["epoch"], 2);
    assert_eq!(code(&ann.on(&task, "complete", json!({ "epoch": 1 }))), (403, "LEASE_HOLDER_MISMATCH"));

    // A daemon that dies takes no lease with it, and the next one ends what ran out meanwhile.
    let short = team.task(json!({ "teamId": "red", "title": "two" }));
    assert_eq!(ann.on(&short, "claim", json!({ "ttlMs": 1000 })).0, 200);
    assert!(team.home.kill_daemon());
    team.home.paseo(&["up"]).ok();
    let ben = Agent { address: team_address(&team), ..ben };
    let ends_too = |event: &Value| event["type"] == "task_expired" && event["taskId"] == json!(short);
    for _ in 0..1_500 {
        if ben.inbox(0).0.iter().any(ends_too) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((ben.status(&short), ben.status(&task)), (json!("pending"), json!("in_progress")));
    assert_eq!(ben.on(&task, "complete", json!({ "epoch": 2 })).0, 200, "a long one goes on");
}

fn team_address(team: &Team) -> String {
    let status = crate::json(&team.home.paseo(&["status", "--json"]));
    status["url"].as_str().unwrap().trim_start_matches("http://").to_owned()
}

/// P11, P38: threads keep who said what, and those who take part are told.
#[test]
fn threads_are_talked_in_under_ones_own_name() {
    let team = Team::new();
    let (ann, ben, carl) = (team.agent("ann"), team.agent("ben"), team.agent("carl"));
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    let body = json!({ "teamId": "red", "title": "Plan B", "participants": ["ben"], "taskId": task });
    let (status, started) = ann.post("/v1/threads", body);
    assert_eq!((status, &started["thread"]["id"]), (201, &json!("thread-0001")), "{started}");
    assert_eq!(started["thread"]["participants"], json!(["ann", "ben"]));
    let say = |agent: &Agent, text: &str| {
        agent.post("/v1/threads/thread-0001/messages", json!({ "teamId": "red", "message": text }))
    };
    let long = "x".repeat(200);
    for (agent, text) in [(&ann, "one"), (&carl, "two"), (&ann, long.as_str())] {
        let (status, said) = say(agent, text);
        assert_eq!((status, &said["message"]["from"]), (201, &json!(agent.id)), "{said}");
        assert!(said["message"]["id"].as_str().unwrap().starts_with("msg-"));
    }
    let (_, tail) = ben.get("/v1/threads/thread-0001/tail?teamId=red&limit=2");
    let words: Vec<(&str, &str)> = tail["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| (message["from"].as_str().unwrap(), message["body"].as_str().unwrap()))
        .collect();
    assert_eq!(words, [("carl", "two"), ("ann", long.as_str())]);
    let (events, next) = ben.inbox(0);
    let messages: Vec<&Value> = events.iter().filter(|event| event["type"] == "thread_message").collect();
    assert_eq!(messages.len(), 3);
    assert_eq!(
        (&messages[2]["content"], messages[2]["summary"].as_str().unwrap().len()),
        (&json!(long), 120)
    );
    assert_eq!((&messages[1]["actor"], &messages[1]["threadId"]), (&json!("carl"), &json!("thread-0001")));
    let own = ann.inbox(0).0.into_iter().filter(|event| event["type"] == "thread_message");
    assert_eq!(own.map(|event| event["actor"].clone()).collect::<Vec<_>>(), ["carl"], "not what she said");
    assert!(carl.inbox(0).0.iter().all(|event| event["type"] != "thread_message"), "he takes no part");

    // A third one's completion comes after the cursor, and nothing before it again.
    assert_eq!(carl.on(&task, "claim", json!({})).0, 200);
    assert_eq!(carl.on(&task, "complete", json!({ "epoch": 1 })).0, 200);
    let (events, last) = ben.inbox(next);
    let kinds: Vec<&Value> = events.iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["task_claimed", "task_completed"]);
    assert_eq!(ben.inbox(last), (Vec::new(), last));

    let (_, found) = ben.get("/v1/threads/search?teamId=red&query=nothing");
    assert_eq!(found["threads"], json!([]), "as its tool calls it");
    for (query, count) in [("plan", 1), ("BEN", 1), ("task-0001", 1), ("", 1), ("nothing", 0)] {
        let (_, found) = ben.get(&format!("/v1/threads/search?teamId=red&q={query}"));
        assert_eq!(found["threads"].as_array().unwrap().len(), count, "{query}");
    }
    let other = team.task(json!({ "teamId": "red", "title": "two" }));
    let (_, linked) = ben.post("/v1/threads/thread-0001/link", json!({ "taskId": other }));
    assert_eq!(linked["thread"]["taskId"], json!(other));
    assert_eq!(
        code(&ben.post("/v1/threads/thread-0001/link", json!({ "taskId": "task-0099" }))),
        (404, "TASK_NOT_FOUND")
    );
    assert_eq!(
        code(&ben.post("/v1/threads/thread-0009/link", json!({ "taskId": other }))),
        (404, "THREAD_NOT_FOUND")
    );
    assert_eq!(code(&say(&ben, "  ")), (400, "INVALID_THREAD_MESSAGE"));
    assert_eq!(code(&ben.get("/v1/threads/thread-0009/tail")), (404, "THREAD_NOT_FOUND"));
    assert_eq!(code(&ben.post("/v1/threads", json!({ "taskId": "task-0099" }))), (404, "TASK_NOT_FOUND"));
}

/// Who acts is said by the token, and by nothing in the request.
#[test]
fn nobody_acts_as_another() {
    let team = Team::new();
    let ann = team.agent("ann");
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    let claim = |agent: Value| ann.post(&format!("/v1/tasks/{task}/claim"), agent);
    assert_eq!(code(&claim(json!({ "teamId": "red", "agentId": "ben" }))), (403, "IDENTITY_MISMATCH"));
    assert_eq!(code(&claim(json!({ "teamId": "red", "agentId": "" }))), (400, "INVALID_AGENT_ID"), "P40");
    let posted = ann.post("/v1/threads", json!({ "agentId": "ben" }));
    assert_eq!(code(&posted), (403, "IDENTITY_MISMATCH"));
    assert_eq!(code(&ann.get("/v1/inbox?teamId=red&agentId=ben")), (403, "IDENTITY_MISMATCH"));
    assert_eq!(code(&ann.get("/v1/inbox?teamId=red&agentId=a%2Fb")), (400, "INVALID_AGENT_ID"));
    let (status, answer) = ann.get("/v1/can-write?teamId=red&agentId=ben&path=src");
    assert_eq!(
        (status, &answer["allow"], &answer["reason"]),
        (200, &json!(false), &json!("identity_mismatch"))
    );
    assert_said!(team.home, answer["advice"].as_str().unwrap(), @"this token belongs to `ann` (leave out the agent, or use that agent's own token)");
    // Without a name it is who it is; nor does it see another team.
    let (_, claimed) = claim(json!({}));
    assert_eq!(claimed["lease"]["holder"], "ann");
    team.home.paseo(&["team", "create", "blue"]).ok();
    assert_eq!(code(&ann.get("/v1/tasks?teamId=blue")), (404, "TEAM_NOT_FOUND"));
    assert_eq!(ann.get("/v1/teams").1["teams"].as_array().unwrap().len(), 1);
}

/// P32, P35, P40: ids that escape, dependencies that cannot be, times that make no sense.
#[test]
fn nonsense_is_refused() {
    let team = Team::new();
    let ann = team.agent("ann");
    let task = team.task(json!({ "teamId": "red", "title": "one" }));
    for id in ["..%2Fruntime", "task-1", "task-0099", "..%2F..%2Fpasseo.db", "%2Fetc%2Fpasswd"] {
        assert_eq!(code(&ann.get(&format!("/v1/tasks/{id}?teamId=red"))), (404, "TASK_NOT_FOUND"), "{id}");
    }
    assert_eq!(code(&ann.get("/v1/teams/..%2Fred")), (404, "TEAM_NOT_FOUND"));
    for deps in [json!(["task-0002"]), json!(["task-0099"]), json!(["x"]), json!("task-0001"), json!([1])] {
        let made = ann.post("/v1/tasks", json!({ "teamId": "red", "title": "t", "deps": deps }));
        assert_eq!(code(&made), (400, "INVALID_TASK"), "{deps}");
    }
    for resources in [json!(["../x"]), json!(["a/../b"]), json!(["/etc"])] {
        let made = ann.post("/v1/tasks", json!({ "teamId": "red", "title": "t", "resources": resources }));
        assert_eq!(code(&made), (400, "INVALID_TASK"), "{resources}");
    }
    for ttl in [json!(-1), json!(0), json!(86_400_001), json!(i64::MAX), json!(1.5), json!("1000")] {
        assert_eq!(code(&ann.on(&task, "claim", json!({ "ttlMs": ttl }))), (400, "INVALID_REQUEST"), "{ttl}");
    }
    assert_eq!(ann.status(&task), "pending");
}

/// P34, P39: nobody works on what another has, and absolute paths are paths.
#[test]
fn files_are_worked_on_by_one_at_a_time() {
    let team = Team::new();
    let (ann, ben) = (team.agent("ann"), team.agent("ben"));
    let work = team.home.work().canonicalize().unwrap();
    let inside = work.join("src/io").display().to_string();
    let one = team.task(json!({ "teamId": "red", "title": "one", "resources": ["src"] }));
    let two = team.task(json!({ "teamId": "red", "title": "two", "resources": [inside] }));
    let may = |agent: &Agent, path: &str| {
        let answer = agent.get(&format!("/v1/can-write?teamId=red&agentId={}&path={path}", agent.id));
        assert_eq!(answer.0, 200);
        (answer.1["allow"].as_bool().unwrap(), answer.1["reason"].as_str().unwrap().to_owned())
    };
    let no = |reason: &str| (false, reason.to_owned());
    assert_eq!(may(&ann, "src/a"), no("no_active_lease_for_path"));
    assert_eq!(ann.on(&one, "claim", json!({})).0, 200);
    let yes = (true, "lease_active_for_resource".to_owned());
    assert_eq!(may(&ann, "src/a"), yes);
    assert_eq!(may(&ann, &format!("{inside}/x")), yes);
    assert_eq!(may(&ann, "srcs"), no("no_active_lease_for_path"));
    assert_eq!(may(&ann, "src/..%2F..%2Fx"), no("path_traversal_denied"));
    assert_eq!(may(&ann, ""), no("no_active_lease_for_path"));
    assert_eq!(may(&ann, "/"), no("invalid_path"));
    assert_eq!(may(&ann, "//"), no("invalid_path"));
    assert_eq!(may(&ann, "/etc/passwd"), no("outside_project"));
    assert_eq!(may(&ann, "."), no("no_active_lease_for_path"));
    assert_eq!(may(&ben, "src/a"), no("no_active_lease_for_path"));
    let refused = ben.on(&two, "claim", json!({}));
    assert_eq!(code(&refused), (409, "RESOURCE_HELD"));
    let words = refused.1["error"]["message"].as_str().unwrap();
    assert_said!(team.home, words, @"task-0002 cannot be claimed now: ann owns task-0001, whose resource `src` overlaps `src/io` (choose another task, or wait until that one is done)");
    assert_eq!(ann.on(&one, "release", json!({ "epoch": 1 })).0, 200);
    assert_eq!(ben.on(&two, "claim", json!({})).0, 200);
}

/// P36, P42: what failed is seen, and can be done after all; tasks are given back and given up.
#[test]
fn tasks_are_failed_retried_released_and_canceled() {
    let team = Team::new();
    let (ann, planner) = (team.agent("ann"), team.agent("planner"));
    let one = team.task(json!({ "teamId": "red", "title": "one" }));
    let two = team.task(json!({ "teamId": "red", "title": "two", "deps": [one] }));
    ann.on(&one, "claim", json!({}));
    let (_, failed) = ann.on(&one, "fail", json!({ "epoch": 1, "summary": "no disk" }));
    assert_eq!(failed["task"]["status"], "failed");
    let (_, stuck) = ann.get(&format!("/v1/tasks/{two}"));
    assert_eq!(stuck["task"]["status"], "blocked");
    assert_said!(team.home, stuck["task"]["reason"].as_str().unwrap(), @"task-0001 failed; retry task-0001, or cancel this task");
    assert_eq!(ann.on(&one, "retry", json!({})).0, 403, "she did not make it");
    assert_eq!(planner.on(&one, "retry", json!({})).0, 200);
    assert_eq!(ann.on(&one, "claim", json!({})).1["lease"]["epoch"], 2);
    assert_eq!(ann.on(&one, "release", json!({ "epoch": 2 })).1["task"]["status"], "pending");
    // What depends on it goes on once it is done after all.
    let three = team.task(json!({ "teamId": "red", "title": "three" }));
    let four = team.task(json!({ "teamId": "red", "title": "four", "deps": [three] }));
    for (act, epoch) in [("fail", 1), ("complete", 2)] {
        assert_eq!(ann.on(&three, "claim", json!({})).0, 200);
        assert_eq!(ann.on(&three, act, json!({ "epoch": epoch })).0, 200);
        assert_eq!(ann.status(&four), if act == "fail" { "blocked" } else { "pending" });
        planner.on(&three, "retry", json!({}));
    }
    assert_eq!(planner.on(&one, "cancel", json!({})).1["task"]["status"], "canceled");
    assert_eq!(code(&planner.on(&one, "cancel", json!({}))), (409, "CONFLICT"));
    assert_eq!(code(&ann.on(&one, "claim", json!({}))), (409, "TASK_NOT_CLAIMABLE"));
}

/// P31: what was said survives a crash, and so does talking on.
#[test]
fn a_crash_poisons_no_thread() {
    let team = Team::new();
    let ann = team.agent("ann");
    ann.post("/v1/threads", json!({}));
    let say = |agent: &Agent, text: &str| {
        agent.post("/v1/threads/thread-0001/messages", json!({ "message": text })).0
    };
    assert_eq!(say(&ann, "before"), 201);
    assert!(team.home.kill_daemon());
    team.home.paseo(&["up"]).ok();
    let ann = Agent { address: team_address(&team), ..ann };
    assert_eq!(say(&ann, "after"), 201);
    let (status, tail) = ann.get("/v1/threads/thread-0001/tail");
    assert_eq!(status, 200);
    let words: Vec<&Value> = tail["messages"].as_array().unwrap().iter().map(|said| &said["body"]).collect();
    assert_eq!(words, ["before", "after"]);
    assert_eq!(tail["thread"]["title"], "Thread");
}
