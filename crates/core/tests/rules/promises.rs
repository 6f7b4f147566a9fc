//! The numbers that the README, the documentation and the agents' tools promise, as literals: whoever changes one sees
//! it here, and changes the promise with it.

use paseo_core::cut;
use paseo_core::family;
use paseo_core::id::SessionId;
use paseo_core::limits::*;
use paseo_core::session::{HeldReason, Receipt};
use paseo_core::team::{LEASE_MS, MAX_LEASE_MS, MIN_LEASE_MS};
use paseo_core::wait;

use crate::bed::{Bed, agent};

#[test]
fn wakes() {
    assert_eq!((WAKES_PER_SESSION, WAKES_PER_CAUSE), (6, 64));
    let mut bed = Bed::new();
    let mut woken = 0;
    for number in 0.. {
        bed.send(agent(number, 50));
        if bed.receipt(number) == Some(Receipt::Held(HeldReason::Budget)) {
            break;
        }
        bed.complete();
        woken += 1;
    }
    assert_eq!(woken, 6);
    let mut bed = Bed::new();
    bed.causes.entry(50).or_default().woken = 63;
    bed.send(agent(1, 50));
    assert_eq!(bed.in_turn(), [1]);
    bed.complete();
    bed.send(agent(2, 50));
    assert_eq!(bed.receipt(2), Some(Receipt::Held(HeldReason::Budget)));
}

#[test]
fn families() {
    assert_eq!((DEPTH, DESCENDANTS, SPAWNS_PER_CAUSE, SPAWNS_PER_MINUTE), (4, 16, 64, 12));
    assert!(family::admit_child(4, 15).is_ok());
    assert!(family::admit_child(5, 0).is_err() && family::admit_child(1, 16).is_err());
}

#[test]
fn waits() {
    assert_eq!((CHAIN, WAIT_SECONDS, MESSAGE_WAIT_SECONDS, RETRIEVE_WAIT_SECONDS), (3, 3_600, 300, 600));
    assert_eq!(TOOL_TIMEOUT_SECONDS, 3_900, "a harness waits longer than we do");
    let id = |n: u8| SessionId::from_random([n; 16]);
    let row = [(id(1), id(2)), (id(2), id(3))];
    assert!(wait::admit(&row, id(3), id(4)).is_ok());
    assert!(wait::admit(&[row[0], row[1], (id(3), id(4))], id(4), id(5)).is_err());
}

#[test]
fn texts_and_lists() {
    assert_eq!((MESSAGE_BYTES, ANSWER_CHARS), (256 * 1024, 20_000));
    assert_eq!(cut::head(&"x".repeat(20_001), ANSWER_CHARS).0.len(), 20_000);
    assert_eq!((PAGE_ROWS, QUEUE_LENGTH, CAPTURE_LINES), (500, 500, 1_000));
    assert_eq!((TODOS, TODO_CHARS, NAME_CHARS, SNIPPET_CHARS), (200, 2_000, 120, 160));
    assert_eq!((HANDLE_CHARS, HANDING_ATTEMPTS, TURN_DELIVERIES, WATCHES), (4, 2, 64, 64));
}

#[test]
fn teams_and_threads() {
    assert_eq!((LEASE_MS, MIN_LEASE_MS, MAX_LEASE_MS), (5 * 60_000, 1, 24 * 3_600_000));
    assert_eq!((WORKERS, LIVE_PROCESSES, TEAM_AGENTS, THREAD_HELD), (16, 8, 64, 64));
    assert_eq!((THREAD_PATIENCE_SECONDS, THREAD_POSTS_PER_MINUTE, UNASKED_PER_HOUR), (600, 60, 60));
    assert_eq!(LOGIN_SECONDS, 5 * 60);
    assert_eq!((TEAM_TASKS, TEAM_THREADS, TASK_SUMMARY_CHARS), (10_000, 10_000, 2_000));
}
