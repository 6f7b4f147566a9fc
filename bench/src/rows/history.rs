//! History: the state of a team and of a thread at any moment of a long past.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use paseo_core::actor::Actor;
use paseo_core::content::ContentRef;
use paseo_core::id::{CauseId, ContentId, PostId, ThreadId};
use paseo_core::team::{self, By, Outcome, Plan, TaskId, Team, TeamId};
use paseo_core::thread::{self, Posted, USER};
use paseo_core::time::Timestamp;
use paseo_daemon::rules::Rules;
use paseo_store::{Batch, Expect, Log, NewEvent, Sqlite, StreamAppend, sqlite};
use paseo_wire::team::{NoticePage, TaskPage, TeamAnswer};
use paseo_wire::thread::{ThreadAnswer, ThreadEventPage};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::Options;
use crate::daemon::{self, Daemon};
use crate::fixture::encoded;
use crate::http::Connection;
use crate::report::Row;
use crate::statistics::{milliseconds, percentile};

/// Events of the team, and of the thread.
const EVENTS: u64 = 10_000;
/// Tasks of the team.
const TASKS: u32 = 500;
/// How many moments are asked for, from the first to the last.
const MOMENTS: u64 = 50;
const BAR_MS: f64 = 200.0;

pub(crate) fn measure(options: &Options) -> Vec<Row> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let daemon = Daemon::start(daemon::home(&options.binary, Some(&log(directory.path()))));
    let mut connection = Connection::open(&daemon.socket);
    let versions: Vec<u64> = (1..=MOMENTS).map(|moment| moment * EVENTS / MOMENTS).collect();
    let team = slowest(&versions, |version| {
        let answer: TeamAnswer = read(&mut connection, &format!("/api/teams/red?version={version}"));
        let tasks = format!("/api/teams/red/tasks?limit=500&version={version}");
        let page: TaskPage = read(&mut connection, &tasks);
        assert!(!page.tasks.is_empty(), "tasks");
        let audit = format!("/api/teams/red/audit?after={}&limit=1", version - 1);
        let page: NoticePage = read(&mut connection, &audit);
        assert!(page.notices.iter().all(|notice| notice.cursor >= version), "what happened then");
        answer.team.version
    });
    let thread = slowest(&versions, |version| {
        let answer: ThreadAnswer =
            read(&mut connection, &format!("/api/threads/{}?version={version}", talk()));
        let events = format!("/api/threads/{}/events?after={}&limit=1", talk(), version - 1);
        let page: ThreadEventPage = read(&mut connection, &events);
        assert!(page.events.iter().all(|event| event.version >= version), "what happened then");
        answer.thread.version
    });
    let row = |what: &str, slowest: f64| {
        Row::bar(&format!("history: {what} at {EVENTS} events, slowest moment"), slowest, BAR_MS, "ms")
    };
    vec![row("a team with 500 tasks", team), row("a thread", thread)]
}

/// Returns how long the slowest of these states took, each of which has to be the one that was asked for.
fn slowest(versions: &[u64], mut read: impl FnMut(u64) -> u64) -> f64 {
    let times: Vec<f64> = versions
        .iter()
        .map(|version| {
            let start = Instant::now();
            assert_eq!(read(*version), *version, "the version that was asked for");
            milliseconds(start.elapsed())
        })
        .collect();
    percentile(&times, 1.0)
}

fn read<T: DeserializeOwned>(connection: &mut Connection, path: &str) -> T {
    serde_json::from_slice(&connection.request("GET", path, "")).expect("an answer")
}

fn talk() -> ThreadId {
    ThreadId::from_parts(Timestamp::from_millis(1), [1; 10])
}

fn log(directory: &Path) -> PathBuf {
    let path = directory.join("history.sqlite3");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let log = Sqlite::open(sqlite::Options::new(&path, Arc::new(Rules))).expect("a log");
        let red: TeamId = "red".parse().expect("an id");
        append(&log, team::stream(&red), team_events(&red)).await;
        append(&log, thread::stream(talk()), thread_events()).await;
        log.close().await.expect("a closed log");
    });
    path
}

async fn append(log: &Sqlite, stream: String, events: Vec<NewEvent>) {
    assert_eq!(events.len() as u64, EVENTS);
    let mut version = 0;
    for events in events.chunks(100) {
        let expect = Expect::Version(version);
        version += events.len() as u64;
        let part = StreamAppend { stream: stream.clone(), expect, events: events.to_vec() };
        let actor = Actor::Human("cli".into()).to_string();
        log.append(Batch { actor, streams: vec![part], ..Batch::default() }).await.expect("a stored batch");
    }
}

/// A team whose agents claim, renew, complete and reopen their tasks over and over.
fn team_events(id: &TeamId) -> Vec<NewEvent> {
    let now = Timestamp::from_millis(1_000);
    let created = team::found(id.clone(), None, Vec::new(), Actor::Human("cli".into())).expect("a team");
    let mut team = Team::create(&created, now).expect("a team");
    let mut events = vec![encoded(&created)];
    let mut take = |team: &mut Team, drafted: Vec<team::Event>| {
        for event in drafted.into_iter().take(EVENTS as usize - events.len()) {
            team.apply(&event, now);
            events.push(encoded(&event));
        }
        (events.len() as u64) < EVENTS
    };
    for number in 0..TASKS {
        let plan = Plan {
            title: format!("task {number} of many"),
            description: None,
            deps: Vec::new(),
            resources: vec![format!("src/part{number}")],
        };
        let made = team::plan(&team, By::Person, plan).expect("a task");
        take(&mut team, vec![team::Event::TaskCreated(Box::new(made))]);
    }
    let ann = By::Agent("ann");
    for number in (1..=TASKS).cycle() {
        let task = TaskId(number);
        let claimed = team::claim(&team, task, ann, None, now).expect("a claim");
        take(&mut team, claimed);
        let Some(epoch) = team.tasks.get(&task).map(|task| task.epoch) else { break };
        for _ in 0..3 {
            let renewed = team::renew(&team, task, ann, epoch, None, now).unwrap_or_default();
            take(&mut team, renewed);
        }
        let failed = team::fail(&team, task, ann, epoch, Outcome::default(), now).unwrap_or_default();
        take(&mut team, failed);
        let reopened = team::retry(&team, task, By::Person).unwrap_or_default();
        if !take(&mut team, reopened) {
            break;
        }
    }
    events
}

fn thread_events() -> Vec<NewEvent> {
    let post = || PostId::from_uuid(Uuid::now_v7());
    let cause = CauseId::from_uuid(Uuid::now_v7());
    let text = ContentRef { id: ContentId::from_uuid(Uuid::now_v7()), len: 2, sha256: "0".repeat(64) };
    let created = thread::Event::Created {
        thread: talk(),
        post: post(),
        name: "a long talk".to_owned(),
        directory: None,
        by: Actor::Human("cli".into()),
        cause: None,
        team: None,
    };
    let said = |from: &str| {
        thread::Event::Posted(Box::new(Posted {
            post: post(),
            from: from.to_owned(),
            to: "all".into(),
            text: text.clone(),
            reply_to: None,
            tags: Vec::new(),
            via: None,
            wakes: Vec::new(),
            cause,
            hop: 0,
        }))
    };
    let speakers = [USER.to_owned(), "ann".to_owned(), "ben".to_owned()];
    let rest = (1..EVENTS).map(|number| encoded(&said(&speakers[number as usize % speakers.len()])));
    std::iter::once(encoded(&created)).chain(rest).collect()
}
