//! Files that come, change and go, and those that are not read.

mod work;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use paseo_core::definition::DEFAULT;
use paseo_core::settings::{Event, Settings};
use paseo_core::time::Timestamp;
use tempfile::TempDir;

use super::catalogue::News;
use super::{Catalogue, Definitions, Trust};
use crate::settings::SettingsCell;

struct Bed {
    directory: TempDir,
    definitions: Definitions,
}

impl Bed {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().join("home");
        fs::create_dir_all(home.join("agents")).unwrap();
        let definitions = Definitions::new(&home, SettingsCell::default(), Default::default());
        Self { directory, definitions }
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(relative)
    }

    fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn catalogue(&self, project: &str) -> Arc<Catalogue> {
        self.definitions.catalogue(self.path(project).to_str().unwrap())
    }

    fn name(&self, slug: &str) -> Result<String, String> {
        let found = self.catalogue("").get(slug);
        found.map(|definition| definition.name.clone()).map_err(|failure| failure.message)
    }

    fn problems(&self, project: &str) -> Vec<String> {
        let root = self.path("").display().to_string();
        let shown = |problem: &paseo_core::definition::Problem| {
            format!("{}:{}: {}", problem.file, problem.line, problem.message).replace(&root, "")
        };
        self.catalogue(project).problems.iter().map(shown).collect()
    }

    /// Returns what counts once a person has trusted a project as it is now.
    fn trusting(&self, project: &str) -> Definitions {
        let trusted = self.catalogue(project).project.clone().unwrap();
        let mut settings = Settings::default();
        let event = Event::ProjectTrusted {
            project: trusted.directory,
            sha256: trusted.sha256,
            files: trusted.files,
        };
        settings.apply(&event, Timestamp::default());
        Definitions::new(&self.path("home"), SettingsCell::of(settings), Default::default())
    }

    /// Trusts everything that waits, as a person does.
    fn trust(&self) {
        for pending in &self.catalogue("").pending {
            let (key, slug) = (pending.layer.clone(), pending.slug.clone());
            let news = match &pending.waiting.version {
                Some(version) => News::Accepted(key, slug, version.clone()),
                None => News::Forgotten(key, slug),
            };
            self.definitions.0.memory.lock().accept(&[news]);
        }
    }

    /// Writes a file of the home, and trusts it.
    fn trusted(&self, relative: &str, text: impl AsRef<[u8]>) {
        self.write(relative, text);
        self.trust();
    }

    /// Takes it that all files are old enough for a change to show in their stamps.
    fn settle(&self) {
        self.definitions.0.memory.lock().layers.values_mut().for_each(|known| known.contents.settle());
    }
}

#[test]
fn every_change_shows_at_once() {
    let bed = Bed::new();
    assert_eq!(bed.name("a").unwrap_err(), "agent definition `a` not found");
    bed.write("home/agents/a.toml", "name = 'One'");
    assert!(bed.name("a").unwrap_err().contains("is not trusted yet; it grants more than `default`"));
    bed.trust();
    assert_eq!(bed.name("a").unwrap(), "One");
    // The same length, within the same instant.
    bed.write("home/agents/a.toml", "name = 'Two'");
    assert_eq!(bed.name("a").unwrap(), "Two");
    bed.write("home/agents/a.toml", "name = ");
    assert_eq!(bed.name("a").unwrap(), "Two");
    let catalogue = bed.catalogue("");
    let notice = catalogue.notice("a").unwrap();
    assert!(
        notice.contains("a.toml:1: invalid TOML")
            && notice.ends_with("the last valid version of `a` stays in use")
    );
    fs::remove_file(bed.path("home/agents/a.toml")).unwrap();
    assert_eq!(bed.name("a").unwrap_err(), "agent definition `a` not found");
    bed.write("home/agents/b.toml", "name = ");
    assert!(bed.name("b").unwrap_err().contains("b.toml:1: invalid TOML"));
    bed.write("home/agents/default.md", "---\nname: Mine\n---\n");
    assert_eq!(bed.name(DEFAULT).unwrap(), "Default");
    bed.trust();
    assert_eq!(bed.name(DEFAULT).unwrap(), "Mine");
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let bed = Bed::new();
    bed.trusted("home/agents/a.toml", "name = 'One'");
    let first = bed.catalogue("");
    bed.settle();
    assert!(Arc::ptr_eq(&first.get("a").unwrap(), &bed.catalogue("").get("a").unwrap()));
    assert!(Arc::ptr_eq(&bed.catalogue(""), &bed.catalogue("")));
    // A file that is set back to look as it did is seen all the same.
    let old = fs::metadata(bed.path("home/agents/a.toml")).unwrap().modified().unwrap();
    bed.write("home/agents/a.toml", "name = 'Two'");
    let file = fs::File::options().write(true).open(bed.path("home/agents/a.toml")).unwrap();
    file.set_modified(old).unwrap();
    assert_eq!(bed.name("a").unwrap(), "Two");
}

#[test]
fn one_bad_file_does_not_lose_the_others() {
    let bed = Bed::new();
    bed.write(
        "home/config.toml",
        "provider = 'scripted'\n[[agents]]\nagentId = 'a'\n[[agents]]\nagentId = 'b'\nx = 1\n",
    );
    bed.write("home/config.json", r#"{"agents": [{"agentId": "a"}, {"agentId": "c"}]}"#);
    bed.write("home/agents/d.toml", "name = 'D'");
    bed.write("home/agents/e.md", "---\ntools: 3\n---\n");
    bed.write("home/agents/.swp.md", "---\ntools: 3\n---\n");
    bed.write("home/agents/readme.txt", "no definition");
    bed.trust();
    let slugs: Vec<String> = bed.catalogue("").all().map(|definition| definition.slug.clone()).collect();
    assert_eq!(slugs, ["a", "c", "d", DEFAULT]);
    let problems = bed.problems("");
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].starts_with("home/config.toml:6: unknown field `x`"), "{problems:?}");
    assert_eq!(
        problems[1],
        "home/config.json:1: agent `a` is also defined in home/config.toml, which takes precedence"
    );
    assert_eq!(problems[2], "home/agents/e.md:2: `tools` must be a list of strings, but is a number");
}

#[test]
fn what_cannot_be_read_is_said_and_nothing_hangs() {
    let bed = Bed::new();
    bed.write("secret.md", "a secret");
    bed.write("home/agents/sound.md", "Hello.");
    bed.write("home/agents/large.md", "x".repeat(256 * 1024 + 1));
    bed.write("home/agents/bytes.md", b"ab\xff");
    symlink(bed.path("secret.md"), bed.path("home/agents/link.md")).unwrap();
    symlink(bed.path("nowhere"), bed.path("home/agents/lost.md")).unwrap();
    symlink(bed.path("home/agents/sound.md"), bed.path("home/agents/within.md")).unwrap();
    bed.trust();
    fs::create_dir(bed.path("home/agents/folder.md")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        bed.path("home/agents/pipe.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(
        bed.problems(""),
        [
            "home/agents/bytes.md:1: it is not UTF-8 text (byte 3)",
            "home/agents/folder.md:1: it is not a regular file",
            "home/agents/large.md:1: ignored: it is larger than 256 KB",
            "home/agents/link.md:1: ignored: it is a link that leads outside home",
            "home/agents/lost.md:1: cannot read it: No such file or directory (os error 2)",
            "home/agents/pipe.md:1: it is not a regular file",
        ]
    );
    assert!(bed.name("sound").is_ok() && bed.name("within").is_ok());
    assert!(bed.name("link").unwrap_err().contains("a link that leads outside"));
}

#[test]
fn no_more_files_are_read_than_anybody_needs() {
    let bed = Bed::new();
    (0..501).for_each(|number| bed.write(&format!("home/agents/a{number:03}.md"), "x"));
    bed.trust();
    assert_eq!(bed.catalogue("").all().count(), 501, "500 and the built-in one");
    assert!(bed.problems("")[0].starts_with("home/agents:1: more than 500 definitions"));
    assert!(bed.name("a500").unwrap_err().contains("too many definitions in this directory"));
    let bed = Bed::new();
    (0..20).for_each(|number| bed.write(&format!("home/agents/a{number:02}.md"), "x".repeat(250 * 1024)));
    bed.trust();
    assert_eq!(bed.catalogue("").all().count(), 17, "4 MB and the built-in one");
    assert_eq!(
        bed.problems("")[0],
        "home/agents/a16.md:1: ignored: the files in this directory are too large in total"
    );
}

#[test]
fn a_project_is_the_nearest_folder_of_its_repository() {
    let bed = Bed::new();
    let directory = |project: &str| {
        let catalogue = bed.catalogue(project);
        let root = bed.path("");
        catalogue.project.as_ref().map(|found| {
            Path::new(&found.directory).strip_prefix(&root).unwrap().to_str().unwrap().to_owned()
        })
    };
    bed.write(".claude/agents/far.md", "Far.");
    bed.write("repo/.git/HEAD", "");
    bed.write("repo/part/src/x", "");
    assert_eq!(directory("repo/part/src"), None, "never above the repository");
    bed.write("repo/.claude/agents/helper.md", "Help.");
    assert_eq!(directory("repo/part/src").as_deref(), Some("repo"));
    bed.write("repo/part/.paseo/agents/own.md", "Own.");
    assert_eq!(directory("repo/part/src").as_deref(), Some("repo/part"));
    assert_eq!(directory("repo").as_deref(), Some("repo"));
    // Outside of a repository only the directory itself.
    bed.write("plain/.paseo/agents/a.md", "A.");
    bed.write("plain/inner/x", "");
    assert_eq!((directory("plain").as_deref(), directory("plain/inner")), (Some("plain"), None));
    assert!(
        bed.definitions.catalogue("").project.is_none()
            && bed.definitions.catalogue("plain").project.is_none()
    );
}

/// A folder of one's own, closer to where one works, must not take away what holds one back.
#[test]
fn what_is_put_in_front_of_what_is_trusted_only_takes_away() {
    let bed = Bed::new();
    bed.write("repo/.git/HEAD", "");
    bed.write("repo/.paseo/agents/default.md", "Be careful.");
    bed.write("repo/.paseo/agents/other.md", "Other.");
    let definitions = bed.trusting("repo");
    let prompt = |slug: &str| {
        let catalogue = definitions.catalogue(bed.path("repo/part").to_str().unwrap());
        catalogue
            .get(slug)
            .map(|found| found.prompt.clone().unwrap_or_default())
            .map_err(|failure| failure.message)
    };
    fs::create_dir_all(bed.path("repo/part/.claude/agents")).unwrap();
    assert_eq!(prompt(DEFAULT).as_deref(), Ok("Be careful."), "an empty folder is none");
    bed.write("repo/part/.paseo/agents/default.md", "Be free.");
    let refused = prompt(DEFAULT).unwrap_err();
    assert!(
        refused.ends_with("is not trusted, and takes precedence over the trusted definitions above it"),
        "{refused}"
    );
    assert_eq!(prompt("other").as_deref(), Ok("Other."));
}

/// Anyone who may write below a trusted folder can make a directory there look like a repository.
#[test]
fn a_repository_below_what_is_trusted_hides_nothing_of_it() {
    let bed = Bed::new();
    bed.write("repo/.git/HEAD", "");
    bed.write("repo/.paseo/agents/default.md", "Be careful.");
    let definitions = bed.trusting("repo");
    let prompt = || {
        let catalogue = definitions.catalogue(bed.path("repo/part").to_str().unwrap());
        catalogue.get(DEFAULT).map(|found| found.prompt.clone().unwrap_or_default())
    };
    fs::create_dir_all(bed.path("repo/part")).unwrap();
    assert_eq!(prompt().unwrap(), "Be careful.");
    bed.write("repo/part/.git/HEAD", "");
    assert_eq!(prompt().unwrap(), "Be careful.");
    bed.write("repo/part/.paseo/agents/default.md", "Be free.");
    assert!(prompt().unwrap_err().message.contains("is not trusted"));
    fs::remove_dir_all(bed.path("repo/.paseo")).unwrap();
    fs::remove_dir_all(bed.path("repo/part/.paseo")).unwrap();
    assert_eq!(prompt().unwrap(), "Be careful.", "what was trusted is known");
}

#[test]
fn what_is_never_read_is_said() {
    let bed = Bed::new();
    for name in ["a.json", "b.yaml", "sub/c.md", "notes.txt", ".hidden.json"] {
        bed.write(&format!("project/.paseo/agents/{name}"), "");
    }
    let read = |name: &str| {
        format!(
            "project/.paseo/agents/{name}:1: ignored: a definition must be a file `<slug>.toml` or `<slug>.md` directly in this directory"
        )
    };
    assert_eq!(bed.problems("project"), [read("a.json"), read("b.yaml"), read("sub")]);
    assert!(bed.catalogue("project").project.is_none(), "there is nothing to trust");
}

#[test]
fn it_is_known_which_files_changed_since_they_were_trusted() {
    let bed = Bed::new();
    bed.write("p/.paseo/agents/a.md", "A.");
    bed.write("p/.paseo/agents/b.md", "B.");
    let definitions = bed.trusting("p");
    bed.write("p/.paseo/agents/a.md", "Changed.");
    bed.write("p/.paseo/agents/c.md", "C.");
    fs::remove_file(bed.path("p/.paseo/agents/b.md")).unwrap();
    let project = definitions.catalogue(bed.path("p").to_str().unwrap()).project.clone().unwrap();
    let changes: Vec<String> =
        project.changes.unwrap().iter().map(|(file, change)| format!("{file} {}", change.word())).collect();
    let expected = ["a.md changed", "b.md removed", "c.md added"].map(|file| format!(".paseo/agents/{file}"));
    assert_eq!((project.trust, changes), (Trust::Changed, expected.to_vec()));
}

#[test]
fn the_home_is_no_project() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join(".paseo");
    fs::create_dir_all(home.join("agents")).unwrap();
    fs::write(home.join("agents/a.md"), "A.").unwrap();
    let definitions = Definitions::new(&home, SettingsCell::default(), Default::default());
    let catalogue = definitions.catalogue(directory.path().to_str().unwrap());
    assert!(
        catalogue.project.is_none() && catalogue.listed().iter().any(|listed| listed.definition.slug == "a")
    );
}

#[test]
fn links_do_not_lead_out_of_a_project() {
    let bed = Bed::new();
    bed.write("elsewhere/agents/a.md", "A.");
    bed.write("project/.git/HEAD", "");
    symlink(bed.path("elsewhere"), bed.path("project/.paseo")).unwrap();
    let catalogue = bed.catalogue("project");
    assert!(catalogue.listed().iter().all(|listed| listed.definition.slug != "a"));
    assert!(
        bed.problems("project")[0].contains("a link that leads outside"),
        "{:?}",
        bed.problems("project")
    );
}

#[test]
fn the_hash_covers_names_and_contents() {
    let bed = Bed::new();
    let hash = || bed.catalogue("p").project.as_ref().unwrap().sha256.clone();
    bed.write("p/.paseo/agents/a.md", "x");
    let first = hash();
    assert_eq!(first.len(), 64);
    bed.write("p/.paseo/agents/a.md", "y");
    assert_ne!(hash(), first);
    bed.write("p/.paseo/agents/a.md", "x");
    assert_eq!(hash(), first);
    bed.write("p/.claude/agents/b.md", "");
    assert_ne!(hash(), first);
    fs::remove_file(bed.path("p/.claude/agents/b.md")).unwrap();
    fs::rename(bed.path("p/.paseo/agents/a.md"), bed.path("p/.paseo/agents/b.md")).unwrap();
    assert_ne!(hash(), first);
    let catalogue = bed.catalogue("p");
    let project = catalogue.project.as_ref().unwrap();
    let files: Vec<&str> = project.files.keys().map(String::as_str).collect();
    assert_eq!((project.trust, files), (Trust::Never, vec![".paseo/agents/b.md"]));
}

/// A syntax error must not open the gates, whatever lies behind the file.
#[test]
fn a_config_that_does_not_parse_keeps_its_last_good_content() {
    for (config, good, bad) in [
        (
            "home/config.json",
            r#"{"agents": [{"agentId": "default", "name": "Mine"}, {"agentId": "a", "name": "A"}]}"#,
            "{\n x",
        ),
        (
            "home/config.toml",
            "[[agents]]\nagentId = 'default'\nname = 'Mine'\n[[agents]]\nagentId = 'a'\nname = 'A'\n",
            "\n= 1",
        ),
    ] {
        let bed = Bed::new();
        bed.trusted(config, good);
        bed.trusted("home/agents/a.md", "---\nname: Behind\n---\n");
        assert_eq!((bed.name("a").unwrap(), bed.name(DEFAULT).unwrap()), ("A".to_owned(), "Mine".to_owned()));
        bed.write(config, bad);
        assert_eq!((bed.name("a").unwrap(), bed.name(DEFAULT).unwrap()), ("A".to_owned(), "Mine".to_owned()));
        let catalogue = bed.catalogue("");
        let notice = catalogue.notice(DEFAULT).unwrap().replace(&bed.path("").display().to_string(), "");
        assert!(notice.starts_with(&format!("{config}:2: invalid")), "{notice}");
        // Nor does one that cannot be read at all, or is gone.
        bed.write(config, b"\xff");
        assert_eq!(bed.name(DEFAULT).unwrap(), "Mine");
        fs::remove_file(bed.path(config)).unwrap();
        fs::create_dir(bed.path(config)).unwrap();
        assert_eq!(bed.name(DEFAULT).unwrap(), "Mine");
        fs::remove_dir(bed.path(config)).unwrap();
        assert_eq!(bed.name(DEFAULT).unwrap(), "Mine", "the built-in one grants more");
    }
}

#[test]
fn a_config_that_never_parsed_refuses_all_that_it_could_define() {
    for (config, bad) in [("home/config.json", "{\n x"), ("home/config.toml", "\n= 1")] {
        let bed = Bed::new();
        bed.trusted("home/agents/a.md", "A.");
        bed.write(config, bad);
        for slug in ["a", DEFAULT, "unknown"] {
            let refused = bed.name(slug).unwrap_err().replace(&bed.path("").display().to_string(), "");
            let expected = format!("cannot use agent definition `{slug}`: {config}:2: invalid");
            assert!(refused.starts_with(&expected), "{refused}");
        }
        assert_eq!(bed.catalogue("").all().count(), 0);
    }
}

#[test]
fn a_folder_that_cannot_be_listed_refuses_what_was_never_read() {
    let bed = Bed::new();
    bed.trusted("home/agents/a.md", "A.");
    bed.write("home/agents/default.md", "---\ntools: Read\n---\nMine.");
    bed.trust();
    // As root every folder can be read; a loop of links cannot.
    fs::rename(bed.path("home/agents"), bed.path("elsewhere")).unwrap();
    symlink("agents", bed.path("home/agents")).unwrap();
    assert!(bed.name("a").is_ok() && bed.name(DEFAULT).is_ok());
    let catalogue = bed.catalogue("");
    assert!(catalogue.notice(DEFAULT).unwrap().contains("cannot read it"));
}

#[test]
fn what_a_trusted_project_held_back_stays_when_its_files_go() {
    let bed = Bed::new();
    bed.write(
        "p/.paseo/config.json",
        r#"{"agents": [{"agentId": "default", "name": "Theirs", "tools": ["read"]}]}"#,
    );
    let definitions = bed.trusting("p");
    let name = || {
        definitions.catalogue(bed.path("p").to_str().unwrap()).get(DEFAULT).map(|found| found.name.clone())
    };
    assert_eq!(name().unwrap(), "Theirs");
    bed.write("p/.paseo/config.json", "{");
    assert_eq!(name().unwrap(), "Theirs", "it does not parse");
    bed.write("p/.paseo/config.json", r#"{"agents": [{"agentId": "default", "name": "Free"}]}"#);
    assert_eq!(name().unwrap(), "Theirs", "it grants more");
    fs::remove_dir_all(bed.path("p/.paseo")).unwrap();
    assert_eq!(name().unwrap(), "Theirs", "the built-in one grants more");
}
