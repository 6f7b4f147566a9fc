//! Agents elsewhere: whether their secrets can be made, and where answers may come to.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

use paseo_runtime::plain_file;

use crate::settings::Settings;
use paseo_wire::diagnosis::Check;

const NAME: &str = "external";
/// The file that their secrets are made from, as the daemon writes it.
const KEY_FILE: &str = "external.key";
const KEY_CHARS: usize = 64;

/// Looks at what the daemon keeps for them.
pub(super) fn examine(settings: &Settings) -> Check {
    let file = settings.home.join(KEY_FILE);
    let shown = file.display();
    let fix = || {
        format!(
            "restore {shown}; or delete it and give each external agent its new secret, see `paseo inspect --secret`"
        )
    };
    match plain_file::read_to_string(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Check::ok(NAME, "no external agents yet; adding the first one creates external.key");
        }
        Err(error) => return Check::fail(NAME, format!("cannot read {shown}: {error}"), fix()),
        Ok(text) if text.trim().len() != KEY_CHARS => {
            return Check::fail(NAME, format!("{shown} has no valid key"), fix());
        }
        Ok(_) => {}
    }
    let mode = fs::metadata(&file).map_or(0, |metadata| metadata.mode() & 0o777);
    if mode & 0o077 != 0 {
        let found = format!("{shown} is accessible to other users (mode {mode:o})");
        return Check::fail(NAME, found, format!("chmod 600 {shown}"));
    }
    let answers = match settings.public_urls.first() {
        Some(url) => format!("callback address: {}", url.origin()),
        None => "callbacks from this machine only; `public_urls` is empty".to_owned(),
    };
    let hosts: Vec<&str> = settings.external_hosts.iter().map(String::as_str).collect();
    let private = match &hosts[..] {
        [] => String::new(),
        hosts => format!("; private addresses: {}", hosts.join(", ")),
    };
    Check::ok(NAME, format!("{answers}{private}"))
}
