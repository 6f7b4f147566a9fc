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
    std::fs::create_dir_all(directory)?;
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
