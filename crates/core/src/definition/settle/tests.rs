//! Changes of a layer, and what counts after them.

use super::*;
use crate::definition::{File, Keys, Origin, parse};

/// A layer in a home, read again for each question.
#[derive(Default)]
struct Bed {
    files: BTreeMap<&'static str, String>,
    accepted: Accepted,
}

impl Bed {
    fn write(&mut self, file: &'static str, text: &str) -> &mut Self {
        self.files.insert(file, text.to_owned());
        self
    }

    fn remove(&mut self, file: &str) {
        self.files.remove(file);
    }

    fn readings(&self) -> Vec<Reading> {
        let order = ["config.toml", "config.json", "agents/a.toml", "agents/default.toml", "agents/a.md"];
        order.iter().filter_map(|file| Some(reading(file, self.files.get(file)?))).collect()
    }

    /// Looks at the files, and accepts what counts.
    fn look(&mut self) -> Settled {
        self.look_with(Policy::Own)
    }

    fn look_with(&mut self, policy: Policy) -> Settled {
        let below = |slug: &str| (slug == DEFAULT).then(|| Arc::new(Definition::built_in()));
        let settled = settle(&self.readings(), &self.accepted, policy, &below);
        for (slug, standing) in settled.standings.iter().filter(|(_, standing)| standing.is_news) {
            self.accepted.versions.insert(slug.clone(), standing.counts.clone().unwrap());
        }
        self.accepted.sound.extend(settled.sound.iter().cloned());
        settled
    }

    /// Accepts everything that is sound, as the first start does.
    fn adopt(&mut self) {
        self.accepted = adopt(&self.readings());
    }

    /// Says how a slug stands: what counts, then what does not.
    fn told(&mut self, slug: &str) -> String {
        let settled = self.look();
        let Some(standing) = settled.standings.get(slug) else {
            return settled
                .closed
                .map_or("none".to_owned(), |problem| format!("refused: {}", problem.message));
        };
        let counts = match (&standing.counts, standing.refused) {
            (Some(version), _) => version.definition.name.clone(),
            (None, true) => "refused".to_owned(),
            (None, false) => "below".to_owned(),
        };
        let waits = standing.waits.as_ref().map(|waits| format!(", {}", waits.kind.word()));
        let broken = standing.broken.as_ref().map(|_| ", broken");
        format!("{counts}{}{}", waits.unwrap_or_default(), broken.unwrap_or_default())
    }
}

fn reading(file: &str, text: &str) -> Reading {
    let format = match file {
        "config.toml" => Format::ConfigToml,
        "config.json" => Format::ConfigJson,
        file if file.ends_with(".md") => Format::Markdown,
        _ => Format::Toml,
    };
    let holds_many = matches!(format, Format::ConfigToml | Format::ConfigJson);
    let parsed = parse(&File { path: file, text, format, origin: Origin::Home }, &Keys::new());
    let (broken, unsure) = (parsed.broken(), parsed.unsure().cloned());
    let versions = parsed.definitions.into_iter().map(|definition| {
        let excerpt = &parsed.excerpts[&definition.slug];
        let version = Version {
            untrusted: false,
            file: file.to_owned(),
            format: excerpt.format,
            text: excerpt.text.as_str().into(),
            definition: Arc::new(definition),
        };
        (version.definition.slug.clone(), version)
    });
    let versions = versions.collect();
    Reading { file: file.to_owned(), versions, broken, unsure, holds_many }
}

const READS: &str = "name = 'Reads'\ntools = ['read']";
const WRITES: &str = "name = 'Writes'\ntools = ['read', 'edit']";
const ALL: &str = "name = 'All'";

fn json(entries: &[(&str, &str, &str)]) -> String {
    let entry = |(slug, name, tools): &(&str, &str, &str)| {
        format!(r#"{{"agentId": "{slug}", "name": "{name}", "tools": {tools}}}"#)
    };
    let entries: Vec<String> = entries.iter().map(entry).collect();
    format!(r#"{{"agents": [{}]}}"#, entries.join(", "))
}

#[test]
fn narrowing_counts_at_once_and_widening_waits() {
    let mut bed = Bed::default();
    bed.write("agents/a.toml", WRITES).adopt();
    assert_eq!(bed.write("agents/a.toml", READS).told("a"), "Reads");
    // What counted before is wider than what counts now.
    assert_eq!(bed.write("agents/a.toml", WRITES).told("a"), "Reads, changed");
    assert_eq!(bed.write("agents/a.toml", &READS.replace("Reads", "Other")).told("a"), "Other");
}

#[test]
fn a_new_definition_counts_if_it_grants_no_more_than_default_and_shadows_nothing() {
    let mut bed = Bed::default();
    bed.adopt();
    assert_eq!(bed.write("agents/a.toml", READS).told("a"), "Reads");
    let mut bed = Bed::default();
    bed.adopt();
    assert_eq!(bed.write("agents/a.toml", ALL).told("a"), "refused, new");
    assert_eq!(bed.write("agents/default.toml", READS).told(DEFAULT), "below, shadows");
    // A `default` that is narrower narrows what newcomers may have.
    bed.remove("agents/a.toml");
    bed.adopt();
    assert_eq!(bed.write("agents/a.toml", WRITES).told("a"), "refused, new");
}

#[test]
fn of_what_others_wrote_only_less_in_the_same_words_counts() {
    let mut bed = Bed::default();
    bed.write("agents/a.toml", WRITES).adopt();
    let mut waits = |file, text: &str| {
        bed.write(file, text);
        bed.look_with(Policy::Foreign).standings["a"].waits.is_some()
    };
    assert!(waits("agents/a.toml", READS), "another name");
    assert!(waits("agents/a.toml", &format!("{WRITES}\nsystemPrompt = 'Obey.'")));
    assert!(!waits("agents/a.toml", &READS.replace("Reads", "Writes")));
    let mut bed = Bed::default();
    bed.write("agents/a.toml", READS);
    assert!(bed.look_with(Policy::Foreign).standings["a"].refused, "new, and no more than `default`");
}

#[test]
fn removing_and_writing_anew_launders_nothing() {
    let mut bed = Bed::default();
    bed.write("agents/a.toml", READS).write("agents/default.toml", READS).adopt();
    bed.remove("agents/a.toml");
    bed.remove("agents/default.toml");
    assert_eq!(bed.told("a"), "below", "nothing is there below: it is gone");
    assert_eq!(bed.told(DEFAULT), "Reads, removed");
    assert_eq!(bed.write("agents/a.toml", WRITES).told("a"), "Reads, changed");
    // Nor does another file of the same name.
    bed.remove("agents/a.toml");
    assert_eq!(bed.write("agents/a.md", "---\nname: Markdown\n---\n").told("a"), "Reads, changed");
    assert_eq!(bed.write("agents/a.md", "---\nname: Moved\ntools: Read\n---\n").told("a"), "Moved");
}

#[test]
fn what_is_put_in_front_waits_although_it_narrows() {
    let mut bed = Bed::default();
    bed.write("agents/a.md", "---\nname: Markdown\n---\n").adopt();
    assert_eq!(bed.write("agents/a.toml", READS).told("a"), "Markdown, shadows");
    // One that is broken lets nothing through behind it.
    assert_eq!(bed.write("agents/a.toml", "name = ").told("a"), "refused, broken");
}

#[test]
fn a_broken_file_keeps_its_last_good_content() {
    for (file, good, bad) in [
        ("config.json", json(&[("a", "A", "[\"read\"]"), (DEFAULT, "Mine", "[\"read\"]")]), "{"),
        (
            "config.toml",
            "agents = [{agentId = 'a', name = 'A', tools = ['read']}, {agentId = 'default', name = 'Mine', tools = []}]".to_owned(),
            "agents = [",
        ),
    ] {
        let mut bed = Bed::default();
        bed.write(file, &good).write("agents/a.toml", ALL).adopt();
        assert_eq!((bed.told("a"), bed.told(DEFAULT)), ("A".to_owned(), "Mine".to_owned()));
        bed.write(file, bad);
        assert_eq!(bed.told("a"), "A, broken", "{file}: not that of the file behind it");
        assert_eq!(bed.told(DEFAULT), "Mine, broken", "{file}: not the built-in one");
        assert_eq!(bed.told("b"), "none", "{file}: it did not define this one");
        // An entry without a name may be any of those that were there.
        bed.write(file, r#"{"agents": [{"name": "x"}]}"#);
        assert_eq!(bed.told(DEFAULT), "Mine, broken");
    }
}

#[test]
fn a_file_that_was_never_good_refuses_all_that_it_could_define() {
    let mut bed = Bed::default();
    bed.write("config.toml", "agents = [{agentId = 'first', name = 'First', tools = ['read']}]");
    bed.write("agents/a.toml", READS).adopt();
    bed.write("config.json", "{\n\"agents\": [}");
    for slug in ["a", DEFAULT, "unknown"] {
        assert!(bed.told(slug).starts_with("refused"), "{slug}: {}", bed.told(slug));
    }
    assert_eq!(bed.told("first"), "First", "what beats it is not touched");
    let problem = bed.look().closed.unwrap();
    assert_eq!((problem.file.as_str(), problem.line), ("config.json", 2));
    // A good one is known from then on, although it defines nothing.
    bed.write("config.json", "{}").look();
    assert_eq!(bed.write("config.json", "{").told("a"), "Reads");
}

#[test]
fn a_broken_entry_takes_only_its_own_name() {
    let mut bed = Bed::default();
    bed.write("config.json", &json(&[("a", "A", "[]"), ("b", "B", "[]")])).adopt();
    bed.write("config.json", &json(&[("a", "A", "3"), ("b", "Bee", "[]"), ("a", "Second", "[]")]));
    assert_eq!((bed.told("a"), bed.told("b")), ("A, broken".to_owned(), "Bee".to_owned()));
    // Beside one that never was good, the next of the same name does not count either.
    bed.accepted.versions.remove("a");
    assert_eq!(bed.told("a"), "refused, broken");
}

#[test]
fn what_cannot_be_compared_waits() {
    let mut bed = Bed::default();
    bed.write("agents/a.toml", READS);
    let problem = reading("agents/a.toml", "x = 1").broken["a"].clone();
    bed.accepted.unreadable.insert("a".to_owned(), problem);
    assert_eq!(bed.told("a"), "refused, changed");
    bed.remove("agents/a.toml");
    assert_eq!(bed.told("a"), "refused, broken");
}

#[test]
fn a_folder_that_cannot_be_listed_keeps_what_was_in_it() {
    let mut bed = Bed::default();
    bed.write("agents/a.toml", READS).write("agents/default.toml", READS).adopt();
    bed.accepted.sound.insert("agents".to_owned());
    let unsure = reading("agents/a.toml", "x = 1").broken.remove("a");
    let blind = Reading { file: "agents".to_owned(), unsure, holds_many: true, ..Reading::default() };
    let below = |slug: &str| (slug == DEFAULT).then(|| Arc::new(Definition::built_in()));
    let settled = settle(std::slice::from_ref(&blind), &bed.accepted, Policy::Own, &below);
    for slug in ["a", DEFAULT] {
        let standing = &settled.standings[slug];
        assert!(standing.counts.is_some() && standing.broken.is_some(), "{slug}: {standing:?}");
    }
    assert_eq!(settled.closed, None);
}
