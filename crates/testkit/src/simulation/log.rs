//! A log in memory, with a border between what is durable and what a crash takes away.

use std::collections::{BTreeMap, BTreeSet};

use paseo_core::codec::Encoded;
use paseo_core::fold::{Stored, fold};
use paseo_core::time::Timestamp;

/// Events for one stream, written on the assumption that it has this version.
#[derive(Debug, Clone)]
pub(super) struct Append {
    pub(super) stream: String,
    pub(super) version: usize,
    pub(super) events: Vec<Encoded>,
}

/// Somebody else wrote first.
#[derive(Debug)]
pub(super) struct Conflict;

/// An event in the log.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) stream: String,
    pub(super) event: Encoded,
    ts: Timestamp,
}

#[derive(Default)]
pub(super) struct Log {
    streams: BTreeMap<String, Stream>,
    /// Written since the border, in order.
    volatile: Vec<Record>,
}

#[derive(Default)]
struct Stream {
    records: Vec<Record>,
    head: Vec<u8>,
    durable: usize,
    durable_head: Vec<u8>,
}

impl Log {
    /// Writes a batch, all or nothing. It is not durable yet.
    pub(super) fn append(&mut self, batch: &[Append], ts: Timestamp) -> Result<(), Conflict> {
        if batch.iter().any(|append| self.version(&append.stream) != append.version) {
            return Err(Conflict);
        }
        for append in batch {
            let stream = self.streams.entry(append.stream.clone()).or_default();
            let first = stream.records.len();
            for event in &append.events {
                let record = Record { stream: append.stream.clone(), event: event.clone(), ts };
                stream.records.push(record.clone());
                self.volatile.push(record);
            }
            let prior = (first > 0).then_some(stream.head.as_slice());
            stream.head = folded(&append.stream, prior, &stream.records[first..]);
        }
        Ok(())
    }

    /// Moves the border to the end and returns what became durable, in order.
    pub(super) fn sync(&mut self) -> Vec<Record> {
        let records = std::mem::take(&mut self.volatile);
        let touched: BTreeSet<&String> = records.iter().map(|record| &record.stream).collect();
        for name in touched {
            if let Some(stream) = self.streams.get_mut(name) {
                stream.durable = stream.records.len();
                stream.durable_head.clone_from(&stream.head);
            }
        }
        records
    }

    /// Takes away everything behind the border.
    pub(super) fn crash(&mut self) {
        self.volatile.clear();
        for stream in self.streams.values_mut() {
            stream.records.truncate(stream.durable);
            stream.head.clone_from(&stream.durable_head);
        }
        self.streams.retain(|_, stream| !stream.records.is_empty());
    }

    /// Returns how many events a stream has.
    pub(super) fn version(&self, stream: &str) -> usize {
        self.streams.get(stream).map_or(0, |stream| stream.records.len())
    }

    /// Returns what a stream came to.
    pub(super) fn head(&self, stream: &str) -> Option<&[u8]> {
        self.streams.get(stream).map(|stream| stream.head.as_slice())
    }

    /// Says whether a crash would take something away.
    pub(super) fn is_volatile(&self) -> bool {
        !self.volatile.is_empty()
    }

    /// Checks that every stream, folded from its first event, comes to its head, byte by byte.
    pub(super) fn check_replay(&self) -> Result<(), String> {
        for (name, stream) in &self.streams {
            if folded(name, None, &stream.records) != stream.head {
                return Err(format!("I5: {name} folds to other bytes than its head"));
            }
        }
        Ok(())
    }
}

fn folded(stream: &str, prior: Option<&[u8]>, records: &[Record]) -> Vec<u8> {
    let stored: Vec<Stored<'_>> = records
        .iter()
        .map(|record| Stored {
            kind: &record.event.kind,
            v: record.event.v,
            ts: record.ts,
            data: Some(&record.event.data),
        })
        .collect();
    fold(stream, prior, &stored).expect("the simulator writes events that fold").state
}
