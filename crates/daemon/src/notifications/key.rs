//! The key that signs notifications, kept in a file of the home.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use paseo_runtime::push::VapidKey;
use paseo_wire::error::Code;

use crate::failure::Failure;
use crate::secret_file;

/// The file with the key.
const NAME: &str = "push.key";

/// The key, read when it is first needed.
pub(super) struct KeyFile {
    home: PathBuf,
    key: Mutex<Option<Arc<VapidKey>>>,
}

impl KeyFile {
    pub(super) fn of(home: &Path) -> Self {
        Self { home: home.to_owned(), key: Mutex::default() }
    }

    /// Returns the key. It is made once: browsers subscribe for it, and know no other.
    pub(super) fn get(&self) -> Result<Arc<VapidKey>, Failure> {
        let mut key = self.key.lock();
        if let Some(key) = &*key {
            return Ok(Arc::clone(key));
        }
        let read = |text: &str| {
            VapidKey::read(text).map_err(|bad| io::Error::new(io::ErrorKind::InvalidData, bad.to_string()))
        };
        let make = || VapidKey::create().map(|(_, text)| text).map_err(io::Error::other);
        let found = secret_file::read_or_make(&self.home, NAME, read, make).map_err(|error| {
            let file = self.home.join(NAME);
            Failure::new(Code::StorageUnavailable, format!("cannot use {}: {error}", file.display())).hint(
                "restore the file, or remove it and turn notifications on again in every browser; it holds \
                 the key that signs notifications",
            )
        })?;
        Ok(Arc::clone(key.insert(Arc::new(found))))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_key_is_made_once_and_a_broken_one_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let public = KeyFile::of(home.path()).get().unwrap().public();
        assert_eq!(KeyFile::of(home.path()).get().unwrap().public(), public, "after a restart, too");
        let file = home.path().join(NAME);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&file, "short").unwrap();
        let failure = KeyFile::of(home.path()).get().unwrap_err();
        assert_eq!(failure.code, Code::StorageUnavailable);
        assert!(failure.message.contains("push.key: the file does not contain a key"), "{failure:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "short");
    }
}
