//! How much is done for those who ask: counted, as every agent may ask as often as it likes.

use std::time::Instant;

use super::*;
use crate::definitions::contents::PARSES;

impl Bed {
    /// Returns how many texts were parsed by an action.
    fn parses(&self, action: impl FnOnce()) -> usize {
        let before = PARSES.get();
        action();
        PARSES.get() - before
    }

    /// Returns how often places were looked at by an action.
    fn scans(&self, action: impl FnOnce()) -> usize {
        let count = || self.definitions.0.memory.lock().scanned.len();
        let before = count();
        action();
        count() - before
    }

    /// Writes definitions into an untrusted project.
    fn fill(&self, count: usize) {
        let name = |number| format!("project/.paseo/agents/a{number:03}.md");
        (0..count).for_each(|number| self.write(&name(number), format!("Number {number}.")));
    }
}

#[test]
fn only_what_changed_is_parsed_again() {
    let bed = Bed::new();
    bed.fill(50);
    let look = || drop(bed.catalogue("project"));
    assert_eq!(bed.parses(look), 50);
    // All of them are so new that a change might not show, so they are read, and found to say the same.
    assert_eq!(bed.parses(look), 0);
    let before = bed.catalogue("project");
    let changed = "project/.paseo/agents/a007.md";
    bed.write(changed, "Number 7.");
    assert!(Arc::ptr_eq(&before, &bed.catalogue("project")), "touched, and says the same");
    bed.write(changed, "Another.");
    assert_eq!(bed.parses(look), 1);
    let listed = |slug: &str| {
        let catalogue = bed.catalogue("project");
        let found = catalogue.listed().iter().find(|listed| listed.definition.slug == slug).cloned();
        found.and_then(|listed| listed.definition.prompt.clone())
    };
    assert_eq!(listed("a007").as_deref(), Some("Another."));
    bed.settle();
    bed.write(changed, "Changed.");
    assert_eq!(bed.parses(look), 1);
    assert_eq!(listed("a007").as_deref(), Some("Changed."));
    // What is gone is forgotten, and one that moved has another name.
    fs::rename(bed.path(changed), bed.path("project/.paseo/agents/b.md")).unwrap();
    assert_eq!(bed.parses(look), 1);
    assert_eq!((listed("a007"), listed("b").as_deref()), (None, Some("Changed.")));
}

/// A file that is small enough alone may be one too much after another has grown.
#[test]
fn what_is_remembered_takes_its_room() {
    let bed = Bed::new();
    let large = |number: usize| format!("home/agents/a{number:02}.md");
    (0..17).for_each(|number| bed.write(&large(number), "x".repeat(240 * 1024)));
    bed.trust();
    assert!(bed.name("a16").is_ok());
    bed.settle();
    (0..16).for_each(|number| bed.write(&large(number), "x".repeat(256 * 1024)));
    let problems = bed.problems("");
    assert!(
        problems[0].starts_with("home/agents/a16.md:1: ignored: the files in this directory are too large"),
        "{problems:?}"
    );
}

#[test]
fn those_who_wait_share_a_look_that_began_after_they_came() {
    let bed = Bed::new();
    bed.fill(1);
    let project = bed.path("project").to_str().unwrap().to_owned();
    let look = |arrival| bed.definitions.catalogue_since(&project, arrival);
    let arrival = Instant::now();
    assert_eq!(bed.scans(|| (0..16).for_each(|_| drop(look(arrival)))), 2, "the home and the project");
    let fresh = || drop(look(Instant::now()));
    assert_eq!(bed.scans(fresh), 2, "it came after that");
    // A reader from before a change may see it or not; one from after it does.
    bed.write("project/.paseo/agents/a000.md", "Changed.");
    let after = look(Instant::now());
    let prompt = |catalogue: &Catalogue| catalogue.listed()[0].definition.prompt.clone();
    assert_eq!(prompt(&after).as_deref(), Some("Changed."));
}

#[test]
fn few_links_are_followed_among_what_is_not_read() {
    let bed = Bed::new();
    bed.write("elsewhere/x", "");
    bed.write("project/.paseo/agents/sub/x", "");
    for number in 0..150 {
        let link = bed.path(&format!("project/.paseo/agents/l{number:03}"));
        let target = if number % 30 == 29 { "elsewhere" } else { "nowhere" };
        symlink(bed.path(target), link).unwrap();
    }
    let problems = bed.problems("project");
    let names: Vec<&str> = problems
        .iter()
        .filter_map(|problem| problem.strip_prefix("project/.paseo/agents/")?.split(':').next())
        .collect();
    assert_eq!(names, ["l029", "l059", "l089", "sub"], "of 100 links those to folders, and the folder");
}
