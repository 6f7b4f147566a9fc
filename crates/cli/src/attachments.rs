//! Files that go with a message: looked at before anything is sent, then uploaded.

use std::io::Read;
use std::path::{Path, PathBuf};

use paseo_core::attachment::{self, Inspection, Refused, Unusable};
use paseo_core::limits::{ATTACHMENT_BYTES, ATTACHMENTS, ATTACHMENTS_BYTES};
use paseo_runtime::plain_file;
use paseo_wire::attachment::AttachmentView;
use paseo_wire::id::FileId;

use crate::context::Context;
use crate::failure::Failure;
use crate::printer::line;

/// A file that can be attached.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attachable {
    name: String,
    bytes: Vec<u8>,
}

/// Reads files, and refuses what no agent could read.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<Attachable>, Failure> {
    let several = "split them over several messages";
    if paths.len() > ATTACHMENTS {
        return Err(Failure::usage(Refused::TooMany { count: paths.len() }.to_string()).hint(several));
    }
    let files = paths.iter().map(|path| read_one(path)).collect::<Result<Vec<_>, _>>()?;
    let bytes: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
    if bytes > ATTACHMENTS_BYTES {
        return Err(Failure::usage(Refused::TooLarge { bytes }.to_string()).hint(several));
    }
    Ok(files)
}

fn read_one(path: &Path) -> Result<Attachable, Failure> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| Failure::usage(format!("cannot read `{shown}`: {error}"));
    let unusable = |why: Unusable| Failure::usage(format!("cannot attach `{shown}`: {why}")).hint(why.hint());
    if path.is_dir() {
        return Err(Failure::usage(format!("`{shown}` is a directory"))
            .hint("attach single files, or name the directory in the message"));
    }
    // A pipe or a device may never end, or never begin.
    let file = plain_file::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // No more than it takes to see that it is too much.
    file.take(ATTACHMENT_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let mut inspection = Inspection::default();
    inspection.look(&bytes).and_then(|()| inspection.finish()).map_err(unusable)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Attachable { name, bytes })
}

/// Uploads files, and returns what a message calls them.
pub(crate) async fn upload(context: &Context, files: Vec<Attachable>) -> Result<Vec<FileId>, Failure> {
    let mut ids = Vec::with_capacity(files.len());
    for file in files {
        ids.push(context.client()?.upload(&file.name, file.bytes).await?.attachment.id);
    }
    Ok(ids)
}

/// Returns files as people read them: name, kind and size.
pub(crate) fn described(files: &[AttachmentView]) -> Vec<String> {
    files.iter().map(describe).collect()
}

fn describe(file: &AttachmentView) -> String {
    let pixels = file.width.zip(file.height).map(|(width, height)| format!(", {width}×{height}"));
    let size = attachment::size(file.size);
    format!(
        "[{}: {}, {size}{}]",
        line(&file.name),
        line(file.media_type.as_str()),
        pixels.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_looked_at_before_it_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let text = write("a.txt", b"hello");
        let read_back = read(std::slice::from_ref(&text)).unwrap();
        assert_eq!(read_back, [Attachable { name: "a.txt".into(), bytes: b"hello".into() }]);
        let told = |paths: &[PathBuf]| read(paths).unwrap_err().message;
        assert!(told(&[write("a.zip", b"PK\x03\x04")]).contains("a.zip`: the file is a ZIP archive"));
        assert!(told(&[folder.path().join("missing")]).contains("cannot read"));
        assert!(told(&[folder.path().to_owned()]).contains("is a directory"));
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        assert!(told(&[pipe]).contains("it is not a regular file"));
        assert!(told(&[PathBuf::from("/dev/zero")]).contains("it is not a regular file"));
        assert!(told(&vec![text; 11]).contains("limit is 10"));
    }
}
