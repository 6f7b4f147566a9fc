//! What a fake writes: whole lines, from any thread, and garbage on purpose.

use std::io::{Read, Write};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::script::Status;

static LINES: Mutex<()> = Mutex::new(());

/// Writes a line of JSON.
pub(super) fn line(value: &Value) {
    bytes(format!("{value}\n").as_bytes());
}

/// Writes what no reader of lines of JSON expects.
pub(super) fn garbage(unknown: &[Value]) {
    bytes(b"Warning: this is no JSON\n\n42\n\"text\"\n[]\n{\"type\":7}\n{\"half\":\n");
    bytes(b"\xc3\n");
    let mut long = vec![b'x'; 50 * 1024 * 1024];
    long.push(b'\n');
    bytes(&long);
    unknown.iter().for_each(line);
}

/// Writes to stderr.
pub(super) fn complain(text: &str) {
    writeln!(std::io::stderr(), "{text}").ok();
}

fn bytes(bytes: &[u8]) {
    let _whole = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = std::io::stdout();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        // Nobody listens any more.
        std::process::exit(1);
    }
}

/// Returns a random id.
pub(super) fn id() -> String {
    let mut bytes = [0_u8; 16];
    let random = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    random.expect("random bytes");
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Returns the time in milliseconds.
pub(super) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map(|since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)).unwrap_or_default()
}

/// Returns when a used-up plan is whole again, in seconds.
pub(super) fn resets_at(status: &Status) -> Option<u64> {
    Some(now() / 1000 + status.reset?)
}

/// Writes a line of text to stdout.
pub(super) fn say(text: &str) {
    bytes(format!("{text}\n").as_bytes());
}
