//! Open streams end once whoever reads them may not see that any more, and say why.

use std::time::Duration;

use paseo_client::{Client, Error, Events};
use paseo_wire::change::{SessionChange, TeamChange};
use paseo_wire::error::Code;
use paseo_wire::stream::Frame;

use crate::cast::Cast;
use crate::json;
use crate::screens::assert_said;
use crate::threads::Room;
use crate::watch::next;
use crate::workers::{red, started};

const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for the end of a stream.
async fn end(mut events: Events) -> (Option<Code>, String) {
    let over = async {
        loop {
            if let Err(why) = events.next().await {
                return why;
            }
        }
    };
    let why: Error = tokio::time::timeout(PATIENCE, over).await.expect("the stream ends");
    (why.code(), why.to_string())
}

/// Opens a stream, and waits until something comes by it that is made to happen.
async fn open(cast: &Cast, token: &str, topic: &str) -> Events {
    let status = cast.0.client.status().await.unwrap();
    let client = Client::tcp(status.url.trim_start_matches("http://"), Some(token.to_owned()));
    let mut events = client.events(cast.0.client.team("red").await.unwrap().seq, &[topic]);
    match topic.split_once(':').unwrap() {
        ("session", id) => cast.0.home.paseo(&["send", id, "<<say heard>>", "--wait"]).ok().to_owned(),
        ("thread", id) => cast.0.home.paseo(&["thread", "post", &format!("red/{id}"), "hi"]).ok().to_owned(),
        _ => cast.0.home.paseo(&["task", "create", "Parse", "--team", "red"]).ok().to_owned(),
    };
    next(&mut events).await;
    events
}

/// Returns the own token of a worker.
async fn own(cast: &Cast, name: &str) -> String {
    let file = cast.0.home.work().join(name);
    let said = format!("<<sh echo $PASEO_TOKEN \\> {name}>>");
    cast.0.home.paseo(&["send", name, &said, "--wait"]).ok();
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

fn issued(cast: &Cast, agent: &str) -> String {
    let variables = json(&cast.0.home.paseo(&["team", "env", "red", "--agent", agent, "--json"]));
    variables["PI_TEAMD_TOKEN"].as_str().unwrap().to_owned()
}

const OUT: &str = "you are not in team red";

#[tokio::test]
async fn whoever_leaves_a_team_hears_no_more_of_it() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    let (carl, dora, own) = (issued(&cast, "carl"), issued(&cast, "dora"), own(&cast, "red-1").await);
    let of_carl = [open(&cast, &carl, "team:red").await, open(&cast, &carl, "thread:thread-0001").await];
    let mut of_dora = open(&cast, &dora, "team:red").await;
    let of_worker = open(&cast, &own, "team:red").await;
    let itself = format!("session:{}", worker.session);
    let mut of_itself = open(&cast, &own, &itself).await;

    cast.0.home.paseo(&["team", "leave", "red", "--agent", "carl"]).ok();
    for events in of_carl {
        assert_eq!(end(events).await, (Some(Code::Forbidden), OUT.to_owned()));
    }
    cast.0.home.paseo(&["team", "leave", "red", "--agent", "red-1"]).ok();
    assert_eq!(end(of_worker).await, (Some(Code::Forbidden), OUT.to_owned()));

    // It still is itself, and belongs to no team.
    cast.0.home.paseo(&["send", &worker.handle, "<<say still here>>", "--wait"]).ok();
    let mut over = false;
    while !over {
        if let Frame::Event(event) = next(&mut of_itself).await {
            let out = event.view.is_some_and(|view| view.team.is_none() && view.member.is_none());
            over = out && matches!(event.change, SessionChange::TurnEnded { .. });
        }
    }
    // The others hear all of it.
    let mut left = 0;
    while left < 2 {
        let frame = next(&mut of_dora).await;
        left += usize::from(
            matches!(frame, Frame::Team(frame) if matches!(frame.change, TeamChange::AgentLeft { .. })),
        );
    }
}

#[tokio::test]
async fn whoever_is_ended_hears_no_more_of_anything() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    let own = own(&cast, "red-1").await;
    let of_worker = [
        open(&cast, &own, "team:red").await,
        open(&cast, &own, &format!("session:{}", worker.session)).await,
    ];
    cast.0.home.paseo(&["worker", "kill", "red-1"]).ok();
    for events in of_worker {
        assert_eq!(end(events).await, (Some(Code::Closed), "this agent was closed".to_owned()));
    }
}

#[tokio::test]
async fn nobody_follows_a_team_that_was_closed() {
    let cast = red();
    let worker = started(&cast, "<<say ready>>").await;
    cast.0.settled(&worker.session).await;
    let (dora, own) = (issued(&cast, "dora"), own(&cast, "red-1").await);
    let mut person = cast.0.client.events(cast.0.client.team("red").await.unwrap().seq, &["team:red"]);
    let all = [
        open(&cast, &dora, "team:red").await,
        open(&cast, &dora, "thread:thread-0001").await,
        open(&cast, &own, "team:red").await,
    ];
    cast.0.home.paseo(&["team", "rm", "red"]).ok();
    for events in all {
        let (code, why) = end(events).await;
        assert_eq!(code, Some(Code::Conflict), "{why}");
        assert_said!(cast.0.home, &why, @"team red is closed and read-only");
    }
    // People read on.
    while !matches!(next(&mut person).await, Frame::Team(frame) if matches!(frame.change, TeamChange::Closed {}))
    {
    }
}

#[tokio::test]
async fn whoever_loses_its_seat_hears_no_more_of_the_thread() {
    let room = Room::new(&["ada"]);
    let ada = room.as_agent("ada").await;
    let seq = room.watched.client.thread(&room.thread).await.unwrap().seq;
    let mut events = ada.events(seq, &[format!("thread:{}", room.thread)]);
    room.say("all", "hello").await;
    next(&mut events).await;
    room.paseo(&["uninvite", "plan", "ada"]);
    let (code, why) = end(events).await;
    assert_eq!(
        (code, why.as_str()),
        (Some(Code::Forbidden), "thread not found, or you are not a participant")
    );
}

#[tokio::test]
async fn a_token_that_is_revoked_ends_its_stream_and_says_so() {
    let cast = red();
    let token = cast.0.home.paseo(&["token", "create", "--name", "test", "-q"]).ok().to_owned();
    let events = open(&cast, &token, "team:red").await;
    let id = cast.0.home.paseo(&["token", "ls", "-q"]).ok().to_owned();
    cast.0.home.paseo(&["token", "revoke", &id]).ok();
    assert_eq!(end(events).await, (Some(Code::Unauthenticated), "this token was revoked".to_owned()));
}
