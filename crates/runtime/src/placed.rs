//! What runs inside of a harness, as a file that the harness can load.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::plain_file;

/// Writes JavaScript into a folder of ours, unless it is there. Its name changes with what is in it, so that a
/// process which loads it while another version of us is started gets what it was told to load.
pub(crate) fn place(folder: &Path, source: &str) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let digest: [u8; 32] = Sha256::digest(source.as_bytes()).into();
    let name: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("paseo-{name}.js"));
    if plain_file::read(&path).is_ok_and(|found| found == source.as_bytes()) {
        return Ok(path);
    }
    // Several sessions may start at once.
    let unfinished = folder.join(format!("paseo-{name}.{}.part", std::process::id()));
    write(&unfinished, source)?;
    fs::rename(&unfinished, &path)?;
    Ok(path)
}

fn write(path: &Path, source: &str) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(source.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_written_once_for_its_owner_alone_and_repaired() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("pi");
        let path = place(&folder, "one").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(place(&folder, "one").unwrap(), path);
        fs::write(&path, "something else").unwrap();
        place(&folder, "one").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_ne!(place(&folder, "two").unwrap(), path);
    }
}
