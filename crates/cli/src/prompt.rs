//! Reading what shall be said, and refusing what cannot be sent before anything is.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use paseo_core::limits::MESSAGE_BYTES;

use crate::failure::Failure;

/// Reads a text that was typed; `-` stands for stdin.
pub(crate) fn typed(text: &OsStr, what: &str) -> Result<String, Failure> {
    if text == "-" {
        let bytes = limited(io::stdin().lock())
            .map_err(|error| Failure::usage(format!("cannot read stdin: {error}")))?;
        return check(bytes, what, " from stdin");
    }
    check(text.as_encoded_bytes().to_vec(), what, "")
}

/// Reads a text from a file.
pub(crate) fn file(path: &Path, what: &str) -> Result<String, Failure> {
    let bytes = File::open(path)
        .and_then(limited)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    check(bytes, what, &format!(" in {}", path.display()))
}

/// Reads no more than it takes to see that it is too much.
fn limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MESSAGE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check(bytes: Vec<u8>, what: &str, place: &str) -> Result<String, Failure> {
    if bytes.len() > MESSAGE_BYTES {
        let kilobytes = MESSAGE_BYTES / 1024;
        return Err(Failure::usage(format!("the {what}{place} is too large: at most {kilobytes} KB"))
            .hint(format!("put it in a file and name the file in the {what}")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        Failure::usage(format!("the {what}{place} is not valid UTF-8 (byte {})", position + 1))
    })?;
    if text.trim().is_empty() {
        return Err(Failure::usage(format!("the {what}{place} is empty")).hint("write some text"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn what_cannot_be_sent_is_refused_with_words() {
        let refuse = |bytes: &[u8]| typed(OsStr::from_bytes(bytes), "prompt").unwrap_err().message;
        assert_eq!(refuse(b""), "the prompt is empty");
        assert_eq!(refuse(b" \n\t"), "the prompt is empty");
        assert_eq!(refuse(b"ab\xff"), "the prompt is not valid UTF-8 (byte 3)");
        assert!(refuse(&vec![b'x'; MESSAGE_BYTES + 1]).contains("at most 256 KB"));
        assert_eq!(typed(OsStr::new(&"x".repeat(MESSAGE_BYTES)), "prompt").unwrap().len(), MESSAGE_BYTES);
    }

    #[test]
    fn a_file_that_is_none_is_named() {
        assert!(
            file(Path::new("/nowhere/task.md"), "prompt").unwrap_err().message.contains("/nowhere/task.md")
        );
        assert!(file(Path::new("/"), "prompt").is_err());
    }
}
