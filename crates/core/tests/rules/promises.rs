//! The numbers that the documentation (`docs/promises.md` and others) and the agents' tools promise, as literals: a change
//! of one fails here, as a reminder to change the promise.

use paseo_core::cut;
use paseo_core::family;
use paseo_core::id::SessionId;
use paseo_core::limits::*;
use paseo_core::session::{HeldReason, Receipt};
use paseo_core::team::{LEASE_MS, MAX_LEASE_MS, MIN_LEASE_MS};
use paseo_core::wait;

use crate::bed::{Bed, agent};

/// Compares constants with what is promised of them, and names all that differ.
macro_rules! promised {
    ($($name:ident = $value:expr),* $(,)?) => {{
        let mut broken: Vec<String> = Vec::new();
        $(if $name != $value {
            broken.push(format!("{} is {}, and {} is promised", stringify!($name), $name, $value));
        })*
        assert!(broken.is_empty(), "{broken:#?}");
    }};
}

#[test]
fn wakes() {
    promised!(WAKES_PER_SESSION = 6, WAKES_PER_CAUSE = 64);
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
    promised!(DEPTH = 4, DESCENDANTS = 16, SPAWNS_PER_CAUSE = 64, SPAWNS_PER_MINUTE = 12);
    assert!(family::admit_child(4, 15).is_ok());
    assert!(family::admit_child(5, 0).is_err() && family::admit_child(1, 16).is_err());
}

#[test]
fn waits() {
    promised!(
        CHAIN = 3,
        WAIT_SECONDS = 3_600,
        MESSAGE_WAIT_SECONDS = 300,
        RETRIEVE_WAIT_SECONDS = 600,
        TOOL_TIMEOUT_SECONDS = 3_900,
    );
    let id = |n: u8| SessionId::from_random([n; 16]);
    let row = [(id(1), id(2)), (id(2), id(3))];
    assert!(wait::admit(&row, id(3), id(4)).is_ok());
    assert!(wait::admit(&[row[0], row[1], (id(3), id(4))], id(4), id(5)).is_err());
}

#[test]
fn texts_and_lists() {
    promised!(
        MESSAGE_BYTES = 262_144,
        ANSWER_CHARS = 20_000,
        PAGE_ROWS = 500,
        TURN_ROWS = 100,
        PREVIEW_BYTES = 262_144,
        DIRECTORY_ENTRIES = 200_000,
        COMPLETIONS = 50,
        MODELS = 1_000,
        QUEUE_LENGTH = 500,
        CAPTURE_LINES = 1_000,
        TODOS = 200,
        TODO_CHARS = 2_000,
        NAME_CHARS = 120,
        SNIPPET_CHARS = 160,
        OPEN_CALLS = 64,
        INBOX_ROWS = 100,
        HANDLE_CHARS = 4,
        HANDING_ATTEMPTS = 2,
        TURN_DELIVERIES = 64,
        WATCHES = 64,
        HELD_DELIVERIES = 256,
        RECENT_DELIVERIES = 32,
        SEARCH_CHARS = 1_000,
        SEARCH_TERMS = 32,
        LABELS = 32,
        LABEL_BYTES = 128,
        ATTRIBUTES = 32,
        ATTRIBUTE_BYTES = 256,
        PATH_BYTES = 1024,
    );
    assert_eq!(cut::head(&"x".repeat(20_001), ANSWER_CHARS).0.len(), 20_000);
}

#[test]
fn decisions() {
    promised!(CONSENT_MS = 500, LOGIN_SECONDS = 300);
    promised!(PARK_SHORTEST_SECONDS = 30, PARK_LONGEST_SECONDS = 8 * 24 * 60 * 60);
}

#[test]
fn notifications() {
    promised!(
        PUSH_ENDPOINT_BYTES = 2_048,
        PUSH_DEVICES = 64,
        PUSHES_PER_MINUTE = 20,
        PUSHES_PENDING = 32,
        PUSH_ATTEMPTS = 4,
        PUSH_SECONDS = 86_400,
        PUSH_BYTES = 2_048,
    );
}

#[test]
fn definitions() {
    promised!(SLUG_CHARS = 64, FILE_AGENTS = 500, PROMPT_PEERS = 50);
}

#[test]
fn teams_and_threads() {
    promised!(
        LEASE_MS = 300_000,
        MIN_LEASE_MS = 1,
        MAX_LEASE_MS = 86_400_000,
        WORKERS = 16,
        LIVE_PROCESSES = 8,
        PERSON_PLACES = 1,
        WORKER_PREFIX_CHARS = 40,
        THREAD_PATIENCE_SECONDS = 600,
        THREAD_POSTS_PER_MINUTE = 60,
        UNASKED_PER_HOUR = 60,
        THREAD_HELD = 64,
        THREAD_GUESTS = 256,
        THREAD_SEATS = 64,
        CONTROL_TARGETS = 64,
        BRIEFING_MESSAGES = 50,
        BRIEFING_BYTES = 49_152,
        BRIEFING_MESSAGE_BYTES = 8_192,
        TAGS_BYTES = 8_192,
        TEAM_AGENTS = 64,
        TEAM_TASKS = 10_000,
        TEAM_THREADS = 10_000,
        TEAM_DEPS = 256,
        TEAM_UNBLOCKS = 1_000,
        TEAM_RESOURCE_BYTES = 8_192,
        TASK_SUMMARY_CHARS = 2_000,
        TASK_DESCRIPTION_BYTES = 65_536,
        TASK_OVERLAPS = 8,
        REFUSALS_KEPT = 10,
        REFUSALS_PER_MINUTE = 6,
        REFUSAL_CHARS = 400,
        TRAFFIC_ROWS = 4_096,
        MAP_AGENTS = 500,
        ATTACHMENT_BYTES = 33_554_432,
        ATTACHMENT_TEXT_BYTES = 262_144,
        ATTACHMENTS = 10,
        ATTACHMENTS_BYTES = 33_554_432,
        IMAGE_SIDE = 16_384,
        IMAGE_PIXELS = 100_000_000,
        UPLOAD_SECONDS = 86_400,
        UPLOADS = 256,
        UPLOADS_BYTES = 536_870_912,
        AGENT_UPLOADS = 16,
        AGENT_UPLOADS_BYTES = 134_217_728,
        UPLOADS_AT_ONCE = 4,
    );
}

#[test]
fn structured_answers() {
    promised!(
        SCHEMA_BYTES = 65_536,
        SCHEMA_DEPTH = 64,
        CORRECTIONS = 2,
        VIOLATIONS = 20,
        VIOLATION_CHARS = 300,
        CHECKED_BYTES = 4_194_304,
        CHECK_SECONDS = 10,
        CHECK_MEMORY_BYTES = 1_073_741_824,
        CHECKS_AT_ONCE = 2,
    );
}

#[test]
fn every_limit_is_promised_here() {
    let names = include_str!("../../src/limits.rs").lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("pub const ")?.split_once(':')?;
        Some(name)
    });
    let promises = include_str!("promises.rs");
    let is_promised =
        |name: &str| [' ', '('].iter().any(|before| promises.contains(&format!("{before}{name} = ")));
    let missing: Vec<&str> = names.filter(|name| !is_promised(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
