//! Our extension for pi, as a file that pi can load.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::plain_file;

/// Its source.
const SOURCE: &str = include_str!("extension.js");

/// Writes the extension below a home of ours, unless it is there. Its name changes with what is in it, so that a
/// process which loads it while another version of us is started gets what it was told to load.
pub(super) fn place(home: &Path) -> io::Result<PathBuf> {
    let folder = home.join("pi");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let digest: [u8; 32] = Sha256::digest(SOURCE.as_bytes()).into();
    let name: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("paseo-{name}.js"));
    if plain_file::read(&path).is_ok_and(|found| found == SOURCE.as_bytes()) {
        return Ok(path);
    }
    // Several sessions may start at once.
    let unfinished = folder.join(format!("paseo-{name}.{}.part", std::process::id()));
    write(&unfinished)?;
    fs::rename(&unfinished, &path)?;
    Ok(path)
}

fn write(path: &Path) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(SOURCE.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_written_once_for_its_owner_alone_and_repaired() {
        let home = tempfile::tempdir().unwrap();
        let path = place(home.path()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(place(home.path()).unwrap(), path);
        fs::write(&path, "something else").unwrap();
        place(home.path()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), SOURCE);
        assert_eq!(fs::read_dir(home.path().join("pi")).unwrap().count(), 1);
    }
}
