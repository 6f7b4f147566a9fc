//! `paseo man`

use std::io;
use std::path::Path;

use clap_mangen::Man;
use paseo_wire::error::Exit;

use crate::args::{ManArgs, command};
use crate::context::Context;
use crate::failure::Failure;

pub(crate) fn run(context: &Context, args: &ManArgs) -> Result<Exit, Failure> {
    match &args.dir {
        None => {
            let mut page = Vec::new();
            Man::new(command()).render(&mut page)?;
            context.printer.bytes(&page)?;
        }
        Some(directory) => {
            let unusable = |error: io::Error| {
                Failure::usage(format!("cannot write manual pages to {}: {error}", directory.display()))
            };
            let count = write(directory).map_err(unusable)?;
            context.printer.note(&format!("Wrote {count} pages to {}", directory.display()));
        }
    }
    Ok(Exit::Ok)
}

/// Writes a page for each command and returns how many there are.
fn write(directory: &Path) -> io::Result<usize> {
    match std::fs::create_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
            let why = match parent {
                Some(parent) if !parent.exists() => format!("{} does not exist", parent.display()),
                _ => "the directory cannot be created".to_owned(),
            };
            return Err(io::Error::new(error.kind(), why));
        }
        made => made?,
    }
    let mut command = command();
    command.build();
    page(directory, &command, "paseo")
}

fn page(directory: &Path, command: &clap::Command, name: &str) -> io::Result<usize> {
    let mut bytes = Vec::new();
    Man::new(command.clone().display_name(name.to_owned())).title(name.to_uppercase()).render(&mut bytes)?;
    std::fs::write(directory.join(format!("{name}.1")), bytes)?;
    let mut count = 1;
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        count += page(directory, below, &format!("{name}-{}", below.get_name()))?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_made_only_where_its_parent_is() {
        let place = tempfile::tempdir().unwrap();
        let refused = write(&place.path().join("nope/x")).unwrap_err().to_string();
        assert!(refused.ends_with("/nope does not exist"), "{refused}");
        assert!(!place.path().join("nope").exists());
        let count = write(&place.path().join("new")).unwrap();
        assert_eq!(count, write(&place.path().join("new")).unwrap());
    }
}
