//! Reading, writing, editing and listing.

use std::io::{Read, Seek, SeekFrom, Write};

use rustix::fs::{FileType, OFlags};

use super::Outcome;
use crate::diff;
use crate::place::{Target, entries};

/// The largest file that is read.
const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// How much is looked at to tell text from what is none.
const PROBE: usize = 8 * 1024;
/// Most names of a folder that are told.
const LISTED: usize = 2_000;

/// Returns some lines of a file.
pub(super) fn read(target: &Target, from: usize, lines: usize) -> Result<Outcome, String> {
    let text = text(target, OFlags::RDONLY)?.1;
    let all = text.lines().count();
    if from == 1 && lines >= all {
        return Ok(Outcome { text, diff: None });
    }
    if from > all {
        return Err(format!("{}: it has {all} lines, so line {from} does not exist", target.name()));
    }
    let some: Vec<&str> = text.lines().skip(from - 1).take(lines).collect();
    let last = from - 1 + some.len();
    let text = format!("[lines {from} to {last} of {all}]\n{}\n", some.join("\n"));
    Ok(Outcome { text, diff: None })
}

/// Writes a whole file.
pub(super) fn write(target: &Target, content: &str) -> Result<Outcome, String> {
    let name = target.name();
    // What is no text has no diff.
    let old = if target.is_missing() { None } else { text(target, OFlags::RDONLY).ok().map(|(_, old)| old) };
    let created = target.is_missing();
    let mut file = target.create()?;
    file.write_all(content.as_bytes()).map_err(|error| format!("{name}: {error}"))?;
    let verb = if created { "Made" } else { "Wrote" };
    let diff = if created || old.is_some() { diff::between(&name, old.as_deref(), content) } else { None };
    Ok(Outcome { text: format!("{verb} {name}: {} bytes.", content.len()), diff })
}

/// Replaces what stands in a file exactly once.
pub(super) fn edit(target: &Target, old: &str, new: &str) -> Result<Outcome, String> {
    let name = target.name();
    let (mut file, before) = text(target, OFlags::RDWR)?;
    let after = replaced(&before, old, new).map_err(|why| format!("{name}: {why}"))?;
    let written = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| file.write_all(after.as_bytes()))
        .and_then(|()| file.set_len(after.len() as u64));
    written.map_err(|error| format!("{name}: {error}"))?;
    Ok(Outcome { text: format!("Changed {name}."), diff: diff::between(&name, Some(&before), &after) })
}

/// Replaces what occurs exactly once.
fn replaced(text: &str, old: &str, new: &str) -> Result<String, String> {
    if old.is_empty() {
        return Err("`old_string` is empty; to write a whole file, use `write`".to_owned());
    }
    // Counted with overlaps: `aa` stands in `aaa` twice.
    let places =
        text.char_indices().filter(|(place, _)| text[*place..].starts_with(old)).map(|(place, _)| place);
    match places.collect::<Vec<_>>()[..] {
        [place] => Ok(format!("{}{new}{}", &text[..place], &text[place + old.len()..])),
        [] => Err("`old_string` not found; read the file and copy the text exactly".to_owned()),
        ref places => {
            Err(format!("`old_string` occurs {} times; include more of the surrounding text", places.len()))
        }
    }
}

/// Lists a folder.
pub(super) fn list(target: &Target) -> Result<Outcome, String> {
    let folder = target.folder()?;
    let found =
        entries(&folder).map_err(|error| format!("{}: {}", target.name(), std::io::Error::from(error)))?;
    let mut text = String::new();
    for (name, kind) in found.iter().take(LISTED) {
        text.push_str(&name.to_string_lossy());
        text.push_str(match kind {
            FileType::Directory => "/\n",
            FileType::Symlink => "@\n",
            _ => "\n",
        });
    }
    if found.is_empty() {
        text.push_str("(nothing)\n");
    }
    if let Some(more @ 1..) = found.len().checked_sub(LISTED) {
        text.push_str(&format!("[… and {more} more]\n"));
    }
    Ok(Outcome { text, diff: None })
}

/// Opens a file and reads its text.
fn text(target: &Target, flags: OFlags) -> Result<(std::fs::File, String), String> {
    let name = target.name();
    let mut file = target.open(flags)?;
    let mut bytes = Vec::new();
    let read = (&mut file).take(FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("{name}: {error}"))?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(format!("{name}: the file is larger than {FILE_BYTES} bytes; use a command to read it"));
    }
    if bytes[..bytes.len().min(PROBE)].contains(&0) {
        return Err(format!("{name}: not a text file ({} bytes of binary data)", bytes.len()));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("{name}: the text is not UTF-8"))?;
    Ok((file, text))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Root;
    use super::*;

    fn root() -> (tempfile::TempDir, Root) {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("poem"), "one\ntwo\nthree\n").unwrap();
        let root = Root::new(directory.path().to_owned()).unwrap();
        (directory, root)
    }

    #[test]
    fn a_file_is_read_whole_or_in_part() {
        let (_directory, root) = root();
        let poem = root.resolve("poem").unwrap();
        assert_eq!(read(&poem, 1, usize::MAX).unwrap().text, "one\ntwo\nthree\n");
        assert_eq!(read(&poem, 2, 1).unwrap().text, "[lines 2 to 2 of 3]\ntwo\n");
        assert!(read(&poem, 4, 1).unwrap_err().contains("it has 3 lines"));
        assert!(read(&root.resolve("none").unwrap(), 1, 1).unwrap_err().contains("no such file"));
    }

    #[test]
    fn what_is_no_text_is_refused_in_words() {
        let (directory, root) = root();
        fs::write(directory.path().join("image"), b"\x89PNG\0\0").unwrap();
        fs::write(directory.path().join("latin"), b"caf\xe9").unwrap();
        assert!(
            read(&root.resolve("image").unwrap(), 1, 9).unwrap_err().contains("not a text file (6 bytes")
        );
        assert!(edit(&root.resolve("latin").unwrap(), "caf", "x").unwrap_err().contains("not UTF-8"));
        assert_eq!(fs::read(directory.path().join("latin")).unwrap(), b"caf\xe9");
    }

    #[test]
    fn an_edit_is_exact_and_unique() {
        let (directory, root) = root();
        let poem = root.resolve("poem").unwrap();
        assert!(edit(&poem, "four", "x").unwrap_err().contains("`old_string` not found"));
        assert!(edit(&poem, "t", "x").unwrap_err().contains("occurs 2 times"));
        assert!(edit(&poem, "", "x").unwrap_err().contains("is empty"));
        let diff = edit(&poem, "three", "3").unwrap().diff.unwrap();
        assert_eq!(fs::read_to_string(directory.path().join("poem")).unwrap(), "one\ntwo\n3\n");
        assert!(diff.path == "poem" && diff.patch.contains("-three\n+3\n"), "{diff:?}");
        assert!(replaced("aaa", "aa", "b").unwrap_err().contains("2 times"));
        assert_eq!(replaced("äöü", "ö", "o"), Ok("äoü".to_owned()));
    }

    #[test]
    fn writing_makes_folders_and_shows_the_change() {
        let (directory, root) = root();
        let made = write(&root.resolve("a/b").unwrap(), "new\n").unwrap();
        assert!(made.text.starts_with("Made a/b") && made.diff.unwrap().patch.contains("/dev/null"));
        assert_eq!(fs::read_to_string(directory.path().join("a/b")).unwrap(), "new\n");
        let wrote = write(&root.resolve("poem").unwrap(), "one\n").unwrap();
        assert!(wrote.text.starts_with("Wrote poem") && wrote.diff.unwrap().patch.contains("-two"));
    }

    #[test]
    fn a_folder_is_listed() {
        let (directory, root) = root();
        fs::create_dir(directory.path().join("a")).unwrap();
        assert_eq!(list(&root.resolve(".").unwrap()).unwrap().text, "a/\npoem\n");
        assert_eq!(list(&root.resolve("a").unwrap()).unwrap().text, "(nothing)\n");
        assert!(list(&root.resolve("b").unwrap()).unwrap_err().contains("no such file or directory"));
        assert!(list(&root.resolve("poem").unwrap()).is_err());
    }
}
