use futures_util::FutureExt;
use paseo_core::id::SessionId;

use super::*;

#[test]
fn these_numbers_are_promised() {
    assert_eq!((CONNECTIONS, PER_CLIENT, TOOL_CALLS_PER_AGENT, BUFFERED), (4_096, 64, 16, 67_108_864));
}

fn agent(number: u8) -> Actor {
    Actor::Session(SessionId::from_random([number; 16]))
}

fn connections(descriptors: u64) -> Connections {
    Connections::new(Limits::within(Some(descriptors)), Buffers::default())
}

fn must_close(connection: &Connection) -> bool {
    connection.state.closing().now_or_never().is_some()
}

fn fill(connections: &Connections, kind: impl Fn(u8) -> Kind) -> Vec<Connection> {
    (0..=u8::MAX).cycle().map_while(|number| connections.admit(kind(number), false).ok()).collect()
}

#[test]
fn the_numbers() {
    let all = Limits { all: 4096, for_people: 1024, for_tool_calls: 512, strangers: 512 };
    assert_eq!(Limits::within(Some(1_000_000)), all);
    assert_eq!(Limits::within(None), all);
    assert_eq!(
        Limits::within(Some(256)),
        Limits { all: 128, for_people: 32, for_tool_calls: 16, strangers: 16 }
    );
    assert_eq!((PER_CLIENT, TOOL_CALLS_PER_AGENT), (64, 16));
    assert_eq!((BUFFER, BUFFERED), (65_536, 67_108_864));
}

#[test]
fn strangers_displace_the_oldest_of_them_and_nobody_else() {
    let connections = connections(256);
    let person = connections.admit(Kind::Person, false).unwrap();
    let mut strangers: Vec<_> = (0..16).map(|_| connections.admit(Kind::Stranger, false).unwrap()).collect();
    assert!(!strangers.iter().any(must_close));
    // The first turns out to be a person.
    strangers[0].belongs_to(Kind::Person).unwrap();
    strangers.push(connections.admit(Kind::Stranger, false).unwrap());
    assert!(!strangers.iter().any(must_close));
    strangers.push(connections.admit(Kind::Stranger, false).unwrap());
    let closing: Vec<usize> = (0..strangers.len()).filter(|index| must_close(&strangers[*index])).collect();
    assert_eq!(closing, [1]);
    assert!(!must_close(&person));
}

#[test]
fn an_agent_has_its_own_limit_and_another_one_for_tool_calls() {
    let connections = connections(1_000_000);
    let own = |_| Kind::Client(agent(1));
    let open = fill(&connections, own);
    assert_eq!(open.len(), 64);
    let calls = fill(&connections, |_| Kind::ToolCalls(agent(1)));
    assert_eq!(calls.len(), 16);
    assert!(connections.admit(Kind::Client(agent(2)), false).is_ok());
    // Over TCP it is known only once it has sent a request.
    let stranger = connections.admit(Kind::Stranger, false).unwrap();
    let refused = stranger.belongs_to(Kind::Client(agent(1))).unwrap_err();
    assert_eq!((refused.code, refused.retry_after), (Code::Overloaded, Some(1)));
    assert!(refused.message.contains("64 connections"), "{}", refused.message);
    drop(open);
    assert!(stranger.belongs_to(Kind::Client(agent(1))).is_ok());
}

#[test]
fn agents_leave_room_for_tool_calls_and_both_for_people() {
    let connections = connections(256);
    let agents = fill(&connections, |number| Kind::Client(agent(number)));
    assert_eq!(agents.len(), 128 - 32 - 16);
    let calls = fill(&connections, |number| Kind::ToolCalls(agent(number)));
    assert_eq!(calls.len(), 16);
    let people = fill(&connections, |_| Kind::Person);
    assert_eq!(people.len(), 32);
    drop((agents, calls, people));
    assert_eq!((connections.count(), connections.0.open.lock().counts.len()), (0, 0));
}

#[test]
fn people_displace_strangers_when_all_is_full() {
    let connections = connections(256);
    let stranger = connections.admit(Kind::Stranger, false).unwrap();
    let people = fill(&connections, |_| Kind::Person);
    assert_eq!(people.len(), 128);
    assert!(must_close(&stranger));
}

#[test]
fn the_last_descriptors_are_for_people() {
    let connections = connections(256);
    let refused = connections.admit(Kind::Client(agent(1)), true).err().unwrap();
    assert!(refused.message.contains("out of file descriptors"), "{}", refused.message);
    let stranger = connections.admit(Kind::Stranger, true).unwrap();
    assert!(stranger.belongs_to(Kind::ToolCalls(agent(1))).is_err());
    assert!(stranger.belongs_to(Kind::Person).is_ok());
}

#[test]
fn the_reader_that_made_no_progress_for_longest_goes_when_the_sum_is_too_high() {
    let connections = connections(1_000_000);
    let readers: Vec<_> = (0..3).map(|_| connections.admit(Kind::Person, false).unwrap()).collect();
    for (reader, progress) in readers.iter().zip([20, 10, 5]) {
        reader.took(1000);
        reader.state.progress.store(progress, Ordering::Relaxed);
    }
    // It has nothing to wait for.
    readers[2].wrote(1000);
    readers[2].state.progress.store(5, Ordering::Relaxed);
    assert!(!readers.iter().any(must_close));
    let frame = connections.0.buffers.count(vec![0; BUFFERED]);
    readers[0].took(1);
    assert_eq!([0, 1, 2].map(|index| must_close(&readers[index])), [false, true, false]);
    // It is on its way out: the next in line follows.
    readers[0].took(1);
    assert_eq!([0, 1, 2].map(|index| must_close(&readers[index])), [true, false, false]);
    drop((frame, readers));
    assert_eq!(connections.0.buffers.sum(), 0);
}
