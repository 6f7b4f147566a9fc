//! What comes from stdin, as it comes.

use std::io::{self, BufRead, Read};

use paseo_core::limits::MESSAGE_BYTES;
use tokio::sync::mpsc;

/// How much waits to be read.
const AHEAD: usize = 16;

/// What came.
#[derive(Debug)]
pub(crate) enum Came {
    /// Keys, as bytes.
    Keys(Vec<u8>),
    Line(String),
    /// Something that cannot be a message, and why.
    Unusable(&'static str),
    End,
}

/// Reads keys. In a thread of its own, which ends with the process: a terminal cannot be waited for otherwise.
pub(crate) fn keys() -> mpsc::Receiver<Came> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        loop {
            let came = match io::stdin().lock().read(&mut chunk) {
                Ok(0) => Came::End,
                Ok(length) => Came::Keys(chunk[..length].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => Came::End,
            };
            let end = matches!(came, Came::End);
            if sender.blocking_send(came).is_err() || end {
                return;
            }
        }
    });
    receiver
}

/// Reads lines.
pub(crate) fn lines() -> mpsc::Receiver<Came> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        loop {
            let came = line(&mut io::stdin().lock());
            let end = matches!(came, Came::End);
            if sender.blocking_send(came).is_err() || end {
                return;
            }
        }
    });
    receiver
}

/// Reads one line, and no more of it than can be sent.
fn line(source: &mut impl BufRead) -> Came {
    let mut bytes = Vec::new();
    match source.take(MESSAGE_BYTES as u64 + 1).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => return Came::End,
        Ok(_) => {}
    }
    if bytes.len() > MESSAGE_BYTES && !bytes.ends_with(b"\n") {
        skip(source);
        return Came::Unusable(
            "line too long: at most 256 KB can be sent; put the text in a file and name the file",
        );
    }
    match String::from_utf8(bytes) {
        Ok(text) => Came::Line(text.trim_end_matches(['\n', '\r']).to_owned()),
        Err(_) => Came::Unusable("line is not valid UTF-8"),
    }
}

/// Passes the rest of a line by.
fn skip(source: &mut impl BufRead) {
    while let Ok(buffer) = source.fill_buf() {
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (length, done) = (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
        source.consume(length);
        if done {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_sent_is_passed_by() {
        let mut source = vec![b'x'; MESSAGE_BYTES + 9];
        source.extend_from_slice(b"\n\xff\nnext\r\nlast");
        let mut source = source.as_slice();
        assert!(matches!(line(&mut source), Came::Unusable(why) if why.contains("256 KB")));
        assert!(matches!(line(&mut source), Came::Unusable(why) if why.contains("UTF-8")));
        assert!(matches!(line(&mut source), Came::Line(text) if text == "next"));
        assert!(matches!(line(&mut source), Came::Line(text) if text == "last"));
        assert!(matches!(line(&mut source), Came::End));
    }
}
