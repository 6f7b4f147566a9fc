//! Events as they were ever written stay readable: a golden file stands for each version of each kind.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use paseo_core::codec::{self, Encoded, KINDS, UPCASTS};
use paseo_core::{cause, session, settings, team, thread};
use serde_json::Value;

#[test]
fn every_version_of_every_kind_has_a_golden_file() {
    let golden: BTreeSet<(String, u16)> =
        golden_files().into_iter().map(|file| (file.kind, file.version)).collect();
    for kind in KINDS {
        for version in 1..=current(kind) {
            assert!(golden.contains(&((*kind).to_owned(), version)), "{kind} v{version} has no golden file");
        }
    }
}

#[test]
fn every_golden_file_is_of_a_known_kind() {
    for file in golden_files() {
        assert!(KINDS.contains(&file.kind.as_str()), "{}", file.path.display());
        assert!((1..=current(&file.kind)).contains(&file.version), "{}", file.path.display());
    }
}

#[test]
fn every_golden_file_decodes_and_encodes_to_the_same() {
    for file in golden_files() {
        let encoded = read(&file.kind, file.version, &file.data);
        assert_eq!(encoded.kind, file.kind, "{}", file.path.display());
        assert_eq!(encoded.v, current(&file.kind), "{}", file.path.display());
        if file.version == current(&file.kind) {
            let written: Value = serde_json::from_str(&file.data).unwrap();
            let again: Value = serde_json::from_str(&encoded.data).unwrap();
            assert_eq!(again, written, "{}", file.path.display());
        }
    }
}

#[test]
fn every_variant_has_its_kind() {
    let mut seen = BTreeSet::new();
    for file in golden_files() {
        let kind = variant_kind(&file.kind, file.version, &file.data);
        assert_eq!(kind, file.kind, "{}", file.path.display());
        seen.insert(kind);
    }
    assert_eq!(seen, KINDS.iter().copied().collect::<BTreeSet<_>>());
}

#[test]
fn kinds_are_sorted_and_unique() {
    assert!(KINDS.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn versions_of_a_kind_leave_no_gap() {
    let mut versions: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
    for upcast in UPCASTS {
        versions.entry(upcast.kind).or_default().push(upcast.from);
    }
    for (kind, from) in versions {
        assert_eq!(from, (1..=from.len() as u16).collect::<Vec<_>>(), "{kind}");
    }
}

struct Golden {
    path: PathBuf,
    kind: String,
    version: u16,
    data: String,
}

/// Reads `<kind>.v<version>.json` and `<kind>.v<version>.<what it shows>.json`.
fn golden_files() -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<Golden> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let mut parts = name.split('.');
            let kind = format!("{}.{}", parts.next().unwrap(), parts.next().unwrap());
            let version = parts.next().unwrap().strip_prefix('v').unwrap().parse().unwrap();
            let data = std::fs::read_to_string(&path).unwrap();
            Golden { path, kind, version, data }
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn current(kind: &str) -> u16 {
    1 + UPCASTS.iter().filter(|upcast| upcast.kind == kind).count() as u16
}

fn read(kind: &str, version: u16, data: &str) -> Encoded {
    match kind.split_once('.').unwrap().0 {
        "cause" => codec::encode(&decode::<cause::Event>(kind, version, data)),
        "thread" => codec::encode(&decode::<thread::Event>(kind, version, data)),
        "team" | "task" => codec::encode(&decode::<team::Event>(kind, version, data)),
        "setting" | "token" | "device" | "rule" | "project" | "provider" | "definition" | "definitions" => {
            codec::encode(&decode::<settings::Event>(kind, version, data))
        }
        _ => codec::encode(&decode::<session::Event>(kind, version, data)),
    }
}

/// Names the kind of a decoded event. A new variant breaks the build here: give it a golden file.
fn variant_kind(kind: &str, version: u16, data: &str) -> &'static str {
    match kind.split_once('.').unwrap().0 {
        "cause" => match decode(kind, version, data) {
            cause::Event::Opened { .. } => "cause.opened",
            cause::Event::Begun { .. } => "cause.begun",
            cause::Event::Woken { .. } => "cause.woken",
            cause::Event::Spawned { .. } => "cause.spawned",
            cause::Event::Stopped {} => "cause.stopped",
        },
        "thread" => match decode(kind, version, data) {
            thread::Event::Created { .. } => "thread.created",
            thread::Event::Renamed { .. } => "thread.renamed",
            thread::Event::Moved { .. } => "thread.moved",
            thread::Event::Posted(_) => "thread.posted",
            thread::Event::Controlled { .. } => "thread.controlled",
            thread::Event::Woken { .. } => "thread.woken",
            thread::Event::Settled { .. } => "thread.settled",
            thread::Event::Held(_) => "thread.held",
            thread::Event::Looked { .. } => "thread.looked",
            thread::Event::Dismissed { .. } => "thread.dismissed",
            thread::Event::Deleted {} => "thread.deleted",
            thread::Event::Ended {} => "thread.ended",
        },
        "team" | "task" => match decode(kind, version, data) {
            team::Event::Created { .. } => "team.created",
            team::Event::Enrolled(_) => "team.enrolled",
            team::Event::Left { .. } => "team.left",
            team::Event::WorkerStarted { .. } => "team.worker_started",
            team::Event::WorkerEnded { .. } => "team.worker_ended",
            team::Event::Closed { .. } => "team.closed",
            team::Event::ThreadStarted(_) => "team.thread_started",
            team::Event::ThreadLinked { .. } => "team.thread_linked",
            team::Event::ThreadPosted { .. } => "team.thread_posted",
            team::Event::TaskCreated(_) => "task.created",
            team::Event::Claimed { .. } => "task.claimed",
            team::Event::Renewed { .. } => "task.renewed",
            team::Event::Expired { .. } => "task.expired",
            team::Event::Completed { .. } => "task.completed",
            team::Event::Failed { .. } => "task.failed",
            team::Event::Released { .. } => "task.released",
            team::Event::Reassigned { .. } => "task.reassigned",
            team::Event::Canceled { .. } => "task.canceled",
            team::Event::Retried { .. } => "task.retried",
            team::Event::TaskEdited(_) => "task.edited",
            team::Event::WriteRefused(_) => "team.write_refused",
        },
        "setting" | "token" | "device" | "rule" | "project" | "provider" | "definition" | "definitions" => {
            match decode(kind, version, data) {
                settings::Event::Changed { .. } => "setting.changed",
                settings::Event::TokenCreated { .. } => "token.created",
                settings::Event::TokenRevoked { .. } => "token.revoked",
                settings::Event::DeviceAdded { .. } => "device.added",
                settings::Event::DeviceRevoked { .. } => "device.revoked",
                settings::Event::DeviceSubscribed { .. } => "device.subscribed",
                settings::Event::DeviceSwitched { .. } => "device.switched",
                settings::Event::DeviceUnsubscribed { .. } => "device.unsubscribed",
                settings::Event::RuleAdded { .. } => "rule.added",
                settings::Event::RuleRemoved { .. } => "rule.removed",
                settings::Event::ProjectTrusted { .. } => "project.trusted",
                settings::Event::ProjectDistrusted { .. } => "project.distrusted",
                settings::Event::DefinitionAccepted { .. } => "definition.accepted",
                settings::Event::DefinitionForgotten { .. } => "definition.forgotten",
                settings::Event::DefinitionsRead { .. } => "definitions.read",
                settings::Event::DefinitionsAdopted {} => "definitions.adopted",
                settings::Event::ProviderAdded { .. } => "provider.added",
                settings::Event::ProviderRemoved { .. } => "provider.removed",
            }
        }
        _ => match decode(kind, version, data) {
            session::Event::Created(_) => "session.created",
            session::Event::Renamed { .. } => "session.renamed",
            session::Event::Configured(_) => "session.configured",
            session::Event::Titled { .. } => "session.titled",
            session::Event::Labelled { .. } => "session.labelled",
            session::Event::Referenced { .. } => "session.referenced",
            session::Event::Branched { .. } => "session.branched",
            session::Event::Unparked {} => "session.unparked",
            session::Event::Uprooted { .. } => "session.uprooted",
            session::Event::Pinned { .. } => "session.pinned",
            session::Event::Attributed { .. } => "session.attributed",
            session::Event::Entered { .. } => "session.entered",
            session::Event::Looked { .. } => "session.looked",
            session::Event::Archived { .. } => "session.archived",
            session::Event::Awaited { .. } => "session.awaited",
            session::Event::Planned { .. } => "session.planned",
            session::Event::Prompted { .. } => "session.prompted",
            session::Event::Boarded { .. } => "session.boarded",
            session::Event::Exited { .. } => "session.exited",
            session::Event::TerminalTaken { .. } => "terminal.taken",
            session::Event::TerminalReleased { .. } => "terminal.released",
            session::Event::ShellOpened { .. } => "shell.opened",
            session::Event::ShellClosed { .. } => "shell.closed",
            session::Event::Held { .. } => "session.held",
            session::Event::Released {} => "session.released",
            session::Event::Closed { .. } => "session.closed",
            session::Event::Reopened {} => "session.reopened",
            session::Event::Promoted { .. } => "session.promoted",
            session::Event::Cleared {} => "session.cleared",
            session::Event::Deleted {} => "session.deleted",
            session::Event::Accepted(_) => "delivery.accepted",
            session::Event::DeliveriesHeld { .. } => "delivery.held",
            session::Event::Handing { .. } => "delivery.handing",
            session::Event::Handed { .. } => "delivery.handed",
            session::Event::Returned { .. } => "delivery.returned",
            session::Event::Cancelled { .. } => "delivery.cancelled",
            session::Event::Edited { .. } => "delivery.edited",
            session::Event::Moved { .. } => "delivery.moved",
            session::Event::DeliveriesReleased { .. } => "delivery.released",
            session::Event::TurnOpened { .. } => "turn.opened",
            session::Event::TurnHanded { .. } => "turn.handed",
            session::Event::TurnRetried { .. } => "turn.retried",
            session::Event::TurnEnded { .. } => "turn.ended",
            session::Event::AnswerChecked { .. } => "answer.checked",
            session::Event::AnswerAbandoned { .. } => "answer.abandoned",
            session::Event::Asked { .. } => "permission.asked",
            session::Event::Decided { .. } => "permission.decided",
            session::Event::UsageAdded { .. } => "usage.added",
            session::Event::WatchArmed(_) => "watch.armed",
            session::Event::WatchEnded { .. } => "watch.ended",
            session::Event::WatchesGathered { .. } => "watch.gathered",
        },
    }
}

fn decode<E: serde::de::DeserializeOwned>(kind: &str, version: u16, data: &str) -> E {
    codec::decode(kind, version, data).unwrap().unwrap()
}
