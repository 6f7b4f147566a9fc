//! Many readers of one stream: what each got, and when.
//!
//! One thread reads for all of them and does no more than it must: what it takes is missing to the server, which runs
//! on the same processors.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use memchr::memchr;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};

use crate::http::{self, find};

/// What stands in the data of every frame that counts.
pub(crate) const MARK: &str = "\"name\":\"frame-";
/// How long readers wait for anything at all before they give up, and how long all of it may take.
const PATIENCE: Duration = Duration::from_secs(20);
const ALL: Duration = Duration::from_secs(120);
/// How many of those that gave up are named.
const NAMED: usize = 10;
/// More than waits for one reader, usually.
const BUFFER: usize = 256 * 1024;

/// What one reader saw.
pub(crate) struct Seen {
    /// The id of each frame and when it came, in seconds since the beginning.
    pub(crate) frames: Vec<(u64, f64)>,
    /// Frames that came again, or after one with a higher id.
    pub(crate) twice: usize,
    wanted: usize,
    last: u64,
}

/// Starts readers that send `hello` and read until they have had `frames` frames.
pub(crate) fn start(
    socket: &Path,
    hello: &str,
    count: usize,
    frames: usize,
    begin: Instant,
) -> JoinHandle<Vec<Seen>> {
    let connect = |number: usize| {
        let mut stream = http::connect(socket);
        stream.write_all(hello.as_bytes()).expect("a request");
        // The first bytes say that the server has noticed us.
        let mut first = vec![0; 4096];
        let read = stream.read(&mut first);
        let read = read.unwrap_or_else(|error| panic!("reader {number} was not noticed: {error}"));
        first.truncate(read);
        stream.set_nonblocking(true).expect("a socket that does not block");
        let seen = Seen { frames: Vec::with_capacity(frames), twice: 0, wanted: frames, last: 0 };
        Reader { stream, rest: first, seen }
    };
    let readers = (0..count).map(connect).collect();
    thread::spawn(move || read_all(readers, begin))
}

struct Reader {
    stream: UnixStream,
    /// The beginning of a line whose end has not come yet.
    rest: Vec<u8>,
    seen: Seen,
}

fn read_all(mut readers: Vec<Reader>, begin: Instant) -> Vec<Seen> {
    let epoll = epoll::create(CreateFlags::CLOEXEC).expect("an epoll");
    for (index, reader) in readers.iter().enumerate() {
        let place = EventData::new_u64(index as u64);
        epoll::add(&epoll, &reader.stream, place, EventFlags::IN).expect("a socket to wait for");
    }
    let mut buffer = vec![0; BUFFER];
    let mut events = Vec::with_capacity(readers.len());
    let mut reading = readers.len();
    let patience = PATIENCE.try_into().expect("a short time");
    let started = Instant::now();
    while reading > 0 && started.elapsed() < ALL {
        events.clear();
        epoll::wait(&epoll, spare_capacity(&mut events), Some(&patience)).expect("events");
        if events.is_empty() {
            break;
        }
        for event in &events {
            let reader = &mut readers[event.data.u64() as usize];
            if reader.read(&mut buffer, begin) {
                epoll::delete(&epoll, &reader.stream).expect("a socket that was waited for");
                reading -= 1;
            }
        }
    }
    tell_of_losses(&readers);
    readers.into_iter().map(|reader| reader.seen).collect()
}

/// Names the readers that did not get all. How much that is, is part of what is measured.
fn tell_of_losses(readers: &[Reader]) {
    let behind = readers.iter().enumerate().filter(|(_, reader)| reader.seen.left() > 0);
    for (number, reader) in behind.clone().take(NAMED) {
        let (left, all, last) = (reader.seen.left(), reader.seen.wanted, reader.seen.last);
        eprintln!("reader {number} waited in vain for {left} of {all} frames; the last id it saw was {last}");
    }
    let others = behind.count().saturating_sub(NAMED);
    if others > 0 {
        eprintln!("so did {others} other readers");
    }
}

impl Reader {
    /// Reads what is there. True when there is no more to come.
    fn read(&mut self, buffer: &mut [u8], begin: Instant) -> bool {
        let kept = self.rest.len();
        buffer[..kept].copy_from_slice(&self.rest);
        let read = match self.stream.read(&mut buffer[kept..]) {
            Ok(0) => return true,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Err(_) => return true,
        };
        let whole = self.seen.take(&buffer[..kept + read], begin.elapsed().as_secs_f64());
        self.rest.clear();
        self.rest.extend_from_slice(&buffer[whole..kept + read]);
        self.seen.left() == 0
    }
}

impl Seen {
    fn left(&self) -> usize {
        self.wanted.saturating_sub(self.frames.len())
    }

    /// Notes the frames whose lines are complete, and returns how far these go.
    fn take(&mut self, bytes: &[u8], now: f64) -> usize {
        let mut start = 0;
        while let Some(line) = memchr(b'\n', &bytes[start..]) {
            let text = &bytes[start..start + line];
            if let Some(id) = id(text) {
                self.twice += usize::from(id <= self.last);
                self.last = id;
            } else if text.starts_with(b"data: ") && find(text, MARK.as_bytes()).is_some() {
                self.frames.push((self.last, now));
            }
            start += line + 1;
        }
        start
    }
}

/// Returns the id that stands on this line.
fn id(line: &[u8]) -> Option<u64> {
    std::str::from_utf8(line.strip_prefix(b"id: ")?).ok()?.parse().ok()
}
