//! Links between pages lead somewhere, and every page in `docs/` can be reached from its index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A page: its links as they are written, and the anchors of its headings.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

fn project() -> PathBuf {
    normal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// Resolves `..` by the words of a path.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
        path
    })
}

fn pages() -> BTreeMap<PathBuf, Page> {
    let root = project();
    let folders = [
        root.clone(),
        root.join("docs"),
        root.join("docs/errors"),
        root.join("docs/schemas"),
        root.join("ui"),
    ];
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let pages = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.map(|path| (path.clone(), parsed(&fs::read_to_string(&path).unwrap()))).collect()
}

fn parsed(text: &str) -> Page {
    let mut page = Page::default();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            if line.starts_with('#') {
                page.anchors.insert(anchor(line.trim_start_matches('#').trim()));
            }
            for (before, after) in [("](", ')'), ("src=\"", '"')] {
                let targets = line.split(before).skip(1).filter_map(|rest| rest.split(after).next());
                page.links.extend(targets.map(str::to_owned));
            }
        }
    }
    page
}

/// Returns the anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Returns where a link of a page leads, if that is in the repository: a file, and an anchor in it.
fn target<'a>(page: &Path, link: &'a str) -> Option<(PathBuf, &'a str)> {
    if link.contains("://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let file = if file.is_empty() { page.to_owned() } else { normal(&page.parent().unwrap().join(file)) };
    Some((file, anchor))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let mut broken = Vec::new();
    for (path, page) in &pages {
        for link in &page.links {
            let Some((file, anchor)) = target(path, link) else { continue };
            let headed = |page: &Page| anchor.is_empty() || page.anchors.contains(anchor);
            if !file.exists() || !pages.get(&file).is_none_or(headed) {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_can_be_reached_from_the_index() {
    // Only by way of the documentation: the changelog mentions most pages, and is no place to look for one.
    let docs = project().join("docs");
    let mut pages = pages();
    pages.retain(|path, _| path.starts_with(&docs));
    let mut reached = BTreeSet::new();
    let mut next = vec![project().join("docs/README.md")];
    while let Some(path) = next.pop() {
        if let Some(page) = pages.get(&path).filter(|_| reached.insert(path.clone())) {
            next.extend(page.links.iter().filter_map(|link| Some(target(&path, link)?.0)));
        }
    }
    let lost: Vec<_> = pages.keys().filter(|page| !reached.contains(*page)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn anchors_are_those_of_github() {
    assert_eq!(
        anchor("Any model: `openai` and `openai-compatible`"),
        "any-model-openai-and-openai-compatible"
    );
    assert_eq!(anchor("Who may speak"), "who-may-speak");
}
