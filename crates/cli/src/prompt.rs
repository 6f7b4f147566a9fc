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
        return check(bytes, what, " from stdin", &elsewhere(what));
    }
    check(text.as_encoded_bytes().to_vec(), what, "", &elsewhere(what))
}

/// Refuses more words than a recipient and a message, and says how the first ones were read.
pub(crate) fn only(
    recipient: (&str, &OsStr),
    message: &OsStr,
    extra: &[impl AsRef<OsStr>],
) -> Result<(), Failure> {
    let Some(first) = extra.first() else { return Ok(()) };
    let (what, name) = recipient;
    let shown = |text: &OsStr| text.to_string_lossy().into_owned();
    Err(Failure::usage(format!(
        "unexpected argument '{}': '{}' was read as the {what}, '{}' as the message",
        shown(first.as_ref()),
        shown(name),
        shown(message),
    ))
    .hint("quote the whole message"))
}

/// Reads a text from a file that a person named. An agent can read the same file.
pub(crate) fn file(path: &Path, what: &str) -> Result<String, Failure> {
    let shorter = format!("write a short {what} that names `{}`; the agent can read it", path.display());
    read(path, what, &shorter)
}

/// Reads a text that a person edited in a file which goes away.
pub(crate) fn edited(path: &Path, what: &str) -> Result<String, Failure> {
    read(path, what, &elsewhere(what))
}

fn read(path: &Path, what: &str, shorter: &str) -> Result<String, Failure> {
    let bytes = File::open(path)
        .and_then(limited)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))?;
    check(bytes, what, &format!(" in `{}`", path.display()), shorter)
}

/// Reads no more than it takes to see that it is too much.
fn limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MESSAGE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns what to do with a text that is too long and stands in no file.
fn elsewhere(what: &str) -> String {
    format!("put it in a file and name the file in the {what}")
}

/// Returns the text, if it can be sent. `shorter`: what to do when it is too long.
fn check(bytes: Vec<u8>, what: &str, place: &str, shorter: &str) -> Result<String, Failure> {
    if bytes.len() > MESSAGE_BYTES {
        let kilobytes = MESSAGE_BYTES / 1024;
        return Err(
            Failure::usage(format!("the {what}{place} is too large: at most {kilobytes} KB")).hint(shorter)
        );
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
    fn a_message_without_quotes_is_told_how_it_was_read() {
        let typed = |extra: &[&str]| only(("agent", "3f2a".as_ref()), "fix".as_ref(), extra);
        assert!(typed(&[]).is_ok());
        let refused = typed(&["the", "test"]).unwrap_err();
        assert_eq!(
            refused.message,
            "unexpected argument 'the': '3f2a' was read as the agent, 'fix' as the message"
        );
        assert_eq!(refused.hint.as_deref(), Some("quote the whole message"));
    }

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
    fn a_file_that_is_too_long_is_for_the_agent_to_read() {
        let folder = tempfile::tempdir().unwrap();
        let long = folder.path().join("task.md");
        std::fs::write(&long, vec![b'x'; MESSAGE_BYTES + 1]).unwrap();
        let (named, copied) = (file(&long, "prompt").unwrap_err(), edited(&long, "message").unwrap_err());
        let expected = format!("write a short prompt that names `{}`; the agent can read it", long.display());
        assert_eq!(named.hint, Some(expected));
        assert_eq!(copied.hint.as_deref(), Some("put it in a file and name the file in the message"));
    }

    #[test]
    fn a_file_that_is_none_is_named() {
        assert!(
            file(Path::new("/nowhere/task.md"), "prompt").unwrap_err().message.contains("/nowhere/task.md")
        );
        assert!(file(Path::new("/"), "prompt").is_err());
    }
}
