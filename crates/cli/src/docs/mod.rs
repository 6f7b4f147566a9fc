//! The pages of `docs/` that are made from the program. Only tests know them: they are committed.

mod api;
mod commands;
mod exit_codes;
mod schemas;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns all pages by their path under `docs/`.
fn pages() -> BTreeMap<String, String> {
    let mut pages = schemas::pages();
    pages.insert("api.md".to_owned(), api::page());
    pages.insert("cli.md".to_owned(), commands::page());
    pages.insert("cli-environment.md".to_owned(), crate::environment::reference());
    pages.insert("exit-codes.md".to_owned(), exit_codes::page());
    pages
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Write the pages anew with `PASEO_UPDATE=1 cargo test -p paseo docs`.
#[test]
fn the_committed_pages_are_these() {
    let update = std::env::var_os("PASEO_UPDATE").is_some();
    let pages = pages();
    for (name, page) in &pages {
        let path = directory().join(name);
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, page).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            *page == committed,
            "docs/{name} is out of date: run `PASEO_UPDATE=1 cargo test -p paseo docs`"
        );
    }
    for entry in std::fs::read_dir(directory().join("schemas")).unwrap() {
        let name = format!("schemas/{}", entry.unwrap().file_name().to_str().unwrap());
        assert!(pages.contains_key(&name), "docs/{name} belongs to no command");
    }
}
