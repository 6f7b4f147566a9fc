//! Server-sent events: bytes in, frames out. Chunks may end anywhere, in the middle of a character too.

/// A frame that grows past this is not one of the daemon's.
const FRAME_BYTES: usize = 16 * 1024 * 1024;

/// One event as it stood in the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Raw {
    /// Name of the event; empty when none was given.
    pub(crate) event: String,
    pub(crate) data: String,
    pub(crate) id: Option<String>,
}

/// The stream is no stream of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("an event is longer than {FRAME_BYTES} bytes")]
    Long,
    #[error("an event is not UTF-8")]
    Encoding,
}

/// Cuts a stream of bytes into events.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    event: Raw,
    has_data: bool,
    /// The last line ended with a carriage return: a line feed right after belongs to it.
    after_return: bool,
    begun: bool,
}

impl Parser {
    /// Takes bytes and adds the events that are complete with them.
    ///
    /// An event without data still counts when it has an id: it moves the reader's place.
    pub(crate) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Raw>) -> Result<(), Malformed> {
        for byte in bytes {
            let follows_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if follows_return => {}
                b'\n' => self.end_line(events)?,
                b'\r' => {
                    self.after_return = true;
                    self.end_line(events)?;
                }
                _ if self.line.len() + self.event.data.len() >= FRAME_BYTES => return Err(Malformed::Long),
                _ => self.line.push(*byte),
            }
        }
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<Raw>) -> Result<(), Malformed> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8(line).map_err(|_| Malformed::Encoding)?;
        let line = if self.begun { line.as_str() } else { line.trim_start_matches('\u{feff}') };
        self.begun = true;
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) || event.id.is_some() {
                events.push(event);
            }
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.event),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            // Comments keep the connection alive; unknown fields are ignored.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\u{feff}: hello\n\nevent: item\nid: 7\ndata: {\"a\":\ndata:\"héé 👋\"}\n\nid: 9\n\n\
                          retry: 5\nevent: live\ndata\n\nevent: lost\n\n";

    fn expected() -> Vec<Raw> {
        let raw = |event: &str, data: &str, id: Option<&str>| Raw {
            event: event.to_owned(),
            data: data.to_owned(),
            id: id.map(str::to_owned),
        };
        vec![raw("item", "{\"a\":\n\"héé 👋\"}", Some("7")), raw("", "", Some("9")), raw("live", "", None)]
    }

    fn parse(chunks: &[&[u8]]) -> Vec<Raw> {
        let (mut parser, mut events) = (Parser::default(), Vec::new());
        chunks.iter().for_each(|chunk| parser.feed(chunk, &mut events).unwrap());
        events
    }

    #[test]
    fn events_are_the_same_wherever_the_chunks_end() {
        for stream in [STREAM.to_owned(), STREAM.replace('\n', "\r\n"), STREAM.replace('\n', "\r")] {
            let bytes = stream.as_bytes();
            assert_eq!(parse(&[bytes]), expected());
            for cut in 0..bytes.len() {
                assert_eq!(parse(&[&bytes[..cut], &bytes[cut..]]), expected(), "cut at {cut}");
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(parse(&single), expected());
        }
    }

    #[test]
    fn half_an_event_is_none() {
        assert_eq!(parse(&[b"event: item\ndata: 1\n"]), []);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let (mut parser, mut events) = (Parser::default(), Vec::new());
        assert_eq!(parser.feed(b"data: \xff\n", &mut events), Err(Malformed::Encoding));
    }

    #[test]
    fn an_endless_line_is_refused() {
        let (mut parser, mut events) = (Parser::default(), Vec::new());
        let chunk = vec![b'x'; 1024 * 1024];
        let refused = (0..64).find_map(|_| parser.feed(&chunk, &mut events).err());
        assert_eq!(refused, Some(Malformed::Long));
    }
}
