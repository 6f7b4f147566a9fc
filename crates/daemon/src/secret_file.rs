//! Files of the home that hold a secret: made once, readable for nobody else, and never replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use paseo_runtime::plain_file;

/// Reads a secret, and makes it when it is not there. One that is there and cannot be read is never replaced: others
/// know what was made from it.
pub(crate) fn read_or_make<T>(
    home: &Path,
    name: &str,
    read: impl Fn(&str) -> io::Result<T>,
    make: impl FnOnce() -> io::Result<String>,
) -> io::Result<T> {
    let file = home.join(name);
    match plain_file::read_to_string(&file) {
        Ok(text) => read(text.trim()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let text = make()?;
            let secret = read(&text)?;
            write(home, name, &text)?;
            Ok(secret)
        }
        Err(error) => Err(error),
    }
}

/// Whole or not at all: it is used as soon as it has its name.
fn write(home: &Path, name: &str, text: &str) -> io::Result<()> {
    let unfinished = home.join(format!("{name}.new"));
    let _ = fs::remove_file(&unfinished);
    let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    writeln!(written, "{text}")?;
    written.sync_all()?;
    fs::rename(&unfinished, home.join(name))?;
    File::open(home)?.sync_all()
}
