//! Teams and threads as they were.

use paseo_client::{Client, Error};
use paseo_wire::error::Code;
use paseo_wire::past::PastQuery;
use paseo_wire::team::{
    ClaimTask, CreateTask, EndTask, EnrolAgent, RenewTask, TaskPage, TaskQuery, TaskView, TeamView,
};
use paseo_wire::thread::ThreadView;
use paseo_wire::time::Moment;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::screens::{assert_said, assert_told, squeezed};
use crate::threads::Room;
use crate::watch::Watched;

fn version(version: u64) -> PastQuery {
    PastQuery { at: None, version: Some(version) }
}

fn moment(at: Moment) -> PastQuery {
    PastQuery { at: Some(at), version: None }
}

async fn tasks(client: &Client, past: &PastQuery) -> Result<Vec<TaskView>, Error> {
    let PastQuery { at, version } = past.clone();
    let page: TaskPage = client.tasks("red", &TaskQuery { after: None, limit: None, at, version }).await?;
    Ok(page.tasks)
}

fn code<T: std::fmt::Debug>(answer: Result<T, Error>) -> Code {
    answer.unwrap_err().code().unwrap()
}

fn parsed<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The present, as one who asks now has it.
async fn present(client: &Client) -> (TeamView, Vec<TaskView>) {
    (client.team("red").await.unwrap().team, tasks(client, &PastQuery::default()).await.unwrap())
}

#[tokio::test]
async fn a_team_is_shown_as_it_was_after_every_event() {
    let watched = Watched::new();
    let client = &watched.client;
    let work = watched.home.work().display().to_string();
    watched.home.paseo(&["team", "create", "red", "-C", &work]).ok();
    let mut states = vec![present(client).await];
    let described = CreateTask {
        title: "Parse".into(),
        description: Some("every word of it".into()),
        resources: vec!["src".into()],
        ..CreateTask::default()
    };
    client.create_task("red", &described, None).await.unwrap();
    states.push(present(client).await);
    let waits =
        CreateTask { title: "Release".into(), deps: vec!["task-0001".into()], ..CreateTask::default() };
    client.create_task("red", &waits, None).await.unwrap();
    states.push(present(client).await);
    client.claim_task("red", "task-0001", &ClaimTask { ttl_ms: Some(60_000) }).await.unwrap();
    states.push(present(client).await);
    let renewal = RenewTask { epoch: 1, ttl_ms: Some(3_600_000) };
    client.renew_task("red", "task-0001", &renewal).await.unwrap();
    states.push(present(client).await);
    let ann = EnrolAgent { id: "ann".into(), role: None, model: None };
    client.enrol("red", &ann).await.unwrap();
    states.push(present(client).await);
    let ending = EndTask { epoch: 1, summary: Some("parsed".into()), message: None };
    client.complete_task("red", "task-0001", &ending).await.unwrap();
    states.push(present(client).await);
    client.close_team("red").await.unwrap();
    states.push(present(client).await);

    // Nothing of it is kept in memory only.
    watched.crash();
    let mut seen = 0;
    for (number, (team, listed)) in states.iter().enumerate() {
        assert_eq!(team.version, number as u64 + 1);
        let past = version(team.version);
        assert_eq!(client.past_team("red", &past).await.unwrap().team, *team);
        assert_eq!(tasks(client, &past).await.unwrap(), *listed);
        // Of several events in a millisecond, a moment is after the last.
        if states.get(number + 1).is_none_or(|(next, _)| next.updated_at > team.updated_at) {
            let past = moment(team.updated_at);
            assert_eq!(client.past_team("red", &past).await.unwrap().team, *team);
            assert_eq!(tasks(client, &past).await.unwrap(), *listed);
            seen += 1;
        }
    }
    assert!(seen > 1, "some events have a moment of their own");
    let leases: Vec<_> =
        [3, 4].map(|state: usize| states[state].1[0].lease.clone().unwrap().expires_at).into();
    assert!(leases[0] < leases[1], "a lease of the past was not extended yet");
    assert_eq!(states[2].1[1].status.as_str(), "blocked");
    assert_eq!(present(client).await.1[0].summary.as_deref(), Some("parsed"));
    assert_eq!(tasks(client, &version(3)).await.unwrap()[0].summary, None);
}

#[tokio::test]
async fn a_moment_outside_of_the_past_is_refused_and_the_past_named() {
    let watched = Watched::new();
    let client = &watched.client;
    watched.home.paseo(&["team", "create", "red"]).ok();
    let team = client.team("red").await.unwrap().team;
    let shifted = |by: i64| {
        let millis = team.created_at.as_millis() + by;
        moment(paseo_core::time::Timestamp::from_millis(millis).into())
    };
    for outside in [shifted(-1), shifted(3_600_000), version(2)] {
        assert_eq!(code(client.past_team("red", &outside).await), Code::NotFound, "{outside:?}");
        assert_eq!(code(tasks(client, &outside).await), Code::NotFound, "{outside:?}");
    }
    assert_eq!(client.past_team("red", &shifted(0)).await.unwrap().team, team);
    let both = PastQuery { at: Some(team.created_at), version: Some(1) };
    assert_eq!(code(client.past_team("red", &both).await), Code::Conflict);
    assert_eq!(code(client.past_team("red", &version(0)).await), Code::InvalidRequest);
    let refused = |at: &str, code: i32| {
        let output = watched.home.paseo(&["team", "show", "red", "--at", at]);
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{output:?}");
        output
    };
    assert_told!(watched.home, refused("2020-01-01T00:00:00Z", 3));
    assert_told!(watched.home, refused("2999-01-01T00:00:00Z", 3));
    assert_told!(watched.home, refused("7", 3));
    assert_told!(watched.home, refused("yesterday", 2));
}

#[tokio::test]
async fn who_may_not_see_the_present_may_not_see_the_past() {
    let watched = Watched::new();
    watched.home.paseo(&["team", "create", "red"]).ok();
    watched.home.paseo(&["team", "create", "blue"]).ok();
    watched.home.paseo(&["thread", "new", "plan"]).ok();
    let token = watched.client.create_agent_token("red", "ann", false).await.unwrap();
    let url = watched.client.status().await.unwrap().url;
    let ann = Client::tcp(url.trim_start_matches("http://"), Some(token.secret));
    assert_eq!(ann.past_team("red", &version(1)).await.unwrap().team.version, 1);
    assert_eq!(code(ann.past_team("blue", &version(1)).await), Code::Forbidden);
    assert_eq!(code(ann.past_thread("plan", &version(1)).await), Code::Forbidden);
    // She is in no team before she was, and reads its past all the same: she belongs to it now.
    assert!(ann.past_team("red", &version(1)).await.unwrap().team.agents.is_empty());
    watched.client.leave_team("red", "ann").await.unwrap();
    assert_eq!(code(ann.past_team("red", &version(1)).await), Code::Unauthenticated);
}

#[tokio::test]
async fn a_thread_is_shown_as_it_was_until_it_is_deleted() {
    let room = Room::new(&["ada"]);
    let client = &room.watched.client;
    let show = async || -> ThreadView { client.thread(&room.thread).await.unwrap().thread };
    let mut states = vec![show().await];
    room.say("all", "the secret word is walnut").await;
    states.push(show().await);
    for control in [
        json!({ "mute": { "targets": ["ada"] } }),
        json!({ "pause": { "on": true } }),
        json!({ "unmute": { "targets": ["ada"] } }),
        json!({ "uninvite": { "participant_id": "ada" } }),
    ] {
        client.control_thread(&room.thread, control).await.unwrap();
        states.push(show().await);
    }
    room.paseo(&["rename", "plan", "plans"]);
    states.push(show().await);
    for state in &states {
        let past = client.past_thread(&room.thread, &version(state.version)).await.unwrap().thread;
        assert_eq!(past, *state);
    }
    let names: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
    assert_eq!((names[0], names[names.len() - 1]), ("plan", "plans"));
    let early = states[0].clone();
    let at = String::from(early.created_at);
    let printed: ThreadView = parsed(&room.paseo(&["show", "plans", "--at", "2", "--json"]));
    assert_eq!(printed, early);
    let created: ThreadView = parsed(&room.paseo(&["show", "plans", "--at", &at, "--json"]));
    assert_eq!(created.created_at, early.created_at);

    room.paseo(&["rm", "plans"]);
    for past in [version(1), version(3), moment(early.created_at)] {
        assert_eq!(code(client.past_thread(&room.thread, &past).await), Code::NotFound);
    }
    let gone = room.home().paseo(&["thread", "show", &room.thread, "--at", "3"]);
    assert_eq!((gone.code, gone.stdout.as_str()), (3, ""));
    assert!(!gone.stderr.contains("walnut"), "{gone:?}");
}

#[tokio::test]
async fn a_past_team_is_printed_with_its_tasks_threads_and_what_came_after() {
    let watched = Watched::new();
    let home = &watched.home;
    home.paseo(&["team", "create", "red", "--agent", "ann"]).ok();
    home.paseo(&["task", "create", "Parse"]).ok();
    home.paseo(&["task", "claim", "task-0001"]).ok();
    home.paseo(&["task", "create", "Release"]).ok();
    home.paseo(&["task", "complete", "task-0001", "--epoch", "1"]).ok();
    let shown = home.paseo(&["team", "show", "red", "--at", "3"]);
    assert_said!(home, &squeezed(shown.ok()));
    assert_told!(home, shown);
    let past: TeamView = parsed(home.paseo(&["team", "show", "red", "--at", "3", "--json"]).ok());
    assert_eq!((past.version, past.tasks, past.in_progress), (3, 1, 1));
    let listed: TaskPage = parsed(home.paseo(&["task", "ls", "--at", "2", "--json"]).ok());
    assert_eq!(listed.tasks.iter().map(|task| task.status.as_str()).collect::<Vec<_>>(), ["pending"]);
    // An age is as long ago as it says.
    let recent: TeamView = parsed(home.paseo(&["team", "show", "--at", "1ms", "--json"]).ok());
    assert_eq!(recent.version, 5);
    assert_eq!(home.paseo(&["team", "show", "--at", "30d"]).code, 3);
}
