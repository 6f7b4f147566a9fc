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

/// Hints name pages by their titles: who has only the program has no files to look into.
#[test]
fn pages_that_hints_name_are_there() {
    let titles: Vec<String> = std::fs::read_dir(directory())
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path()).ok())
        .filter_map(|page| page.lines().next()?.strip_prefix("# ").map(str::to_owned))
        .collect();
    let mut next = vec![directory().join("../crates")];
    let mut named = 0;
    while let Some(path) = next.pop() {
        if path.is_dir() {
            next.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.extension().is_none_or(|kind| kind != "rs") || path.ends_with("cli/src/docs/mod.rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for (end, _) in source.match_indices("\\\" in the") {
            let title = source[..end].rsplit("\\\"").next().unwrap();
            assert!(titles.iter().any(|known| known.starts_with(title)), "{}: {title}", path.display());
            named += 1;
        }
    }
    assert!(named >= 7, "{named}");
}

/// Write the pages again with `PASEO_UPDATE=1 cargo test -p paseo docs`.
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
