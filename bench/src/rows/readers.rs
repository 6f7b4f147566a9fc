//! Many readers of one stream: what each got, and when.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::Barrier;
use tokio::task::JoinHandle;

use crate::http::find;

/// What stands before the number of a frame, which has [`DIGITS`].
pub(crate) const MARK: &str = "\"name\":\"frame-";
pub(crate) const DIGITS: usize = 6;
/// How long a reader waits for the next frame before it gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// What one reader saw.
pub(crate) struct Seen {
    /// When each frame came, by number; in seconds since the beginning.
    pub(crate) times: Vec<Option<f64>>,
    /// Frames that came again, or after one with a higher id.
    pub(crate) twice: usize,
}

/// Starts readers that send `hello` and read until they have had `frames` frames.
pub(crate) async fn start(
    socket: &Path,
    hello: &str,
    count: usize,
    frames: usize,
    begin: Instant,
) -> Vec<JoinHandle<Seen>> {
    let ready = Arc::new(Barrier::new(count + 1));
    let mut readers = Vec::new();
    for number in 0..count {
        // A few at a time: a listener's queue is short.
        if number % 50 == 49 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let mut stream = UnixStream::connect(socket).await.expect("a connection");
        stream.write_all(hello.as_bytes()).await.expect("a request");
        readers.push(tokio::spawn(read(stream, frames, begin, Arc::clone(&ready))));
    }
    ready.wait().await;
    readers
}

async fn read(mut stream: UnixStream, frames: usize, begin: Instant, ready: Arc<Barrier>) -> Seen {
    let mut seen = Seen { times: vec![None; frames], twice: 0 };
    let mut buffer = Vec::with_capacity(16 * 1024);
    // The first bytes say that the server has noticed us.
    stream.read_buf(&mut buffer).await.expect("the first bytes");
    ready.wait().await;
    let (mut left, mut last) = (frames, 0);
    while left > 0 {
        match tokio::time::timeout(PATIENCE, stream.read_buf(&mut buffer)).await {
            Ok(Ok(read)) if read > 0 => {}
            _ => break,
        }
        let now = begin.elapsed().as_secs_f64();
        let mut start = 0;
        while let Some(line) = buffer[start..].iter().position(|byte| *byte == b'\n') {
            let text = &buffer[start..start + line];
            if let Some(id) = id(text) {
                seen.twice += usize::from(id < last);
                last = id;
            } else if let Some(number) = number(text) {
                if seen.times[number].is_some() {
                    seen.twice += 1;
                } else {
                    seen.times[number] = Some(now);
                    left -= 1;
                }
            }
            start += line + 1;
        }
        buffer.drain(..start);
    }
    seen
}

/// Returns the id that stands on this line.
fn id(line: &[u8]) -> Option<u64> {
    std::str::from_utf8(line.strip_prefix(b"id: ")?).ok()?.parse().ok()
}

/// Returns the number of the frame whose data stands on this line.
fn number(line: &[u8]) -> Option<usize> {
    let line = line.strip_prefix(b"data: ")?;
    let place = find(line, MARK.as_bytes())? + MARK.len();
    std::str::from_utf8(line.get(place..place + DIGITS)?).ok()?.parse().ok()
}
