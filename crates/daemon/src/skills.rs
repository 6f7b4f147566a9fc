//! The skills of agents as files, where their harnesses read them: `skills/<folder of the session>/<name>/SKILL.md` in the home.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use paseo_core::id::SessionId;
use paseo_core::prompt::Skill;
use paseo_core::session::Session;
use paseo_core::skill::{self, FILE, Page, Taught};
use paseo_core::tool::Grants;

use crate::mint;
use crate::sessions::Context;
use crate::tools::catalogue;

/// Returns the skills that a session has now.
pub(crate) fn pages(context: &Context, session: &Session, grants: &Grants) -> Vec<Page> {
    let plugins = skill::plugins(grants);
    if plugins.is_empty() {
        return Vec::new();
    }
    let program = context.executable.to_string_lossy();
    let described = catalogue::describe(context, session, grants);
    let page = |plugin| {
        let tools: Vec<Taught<'_>> = described
            .iter()
            .filter(|tool| tool.plugin == plugin)
            .map(|tool| Taught { name: tool.name, description: &tool.description, schema: &tool.schema })
            .collect();
        skill::page(plugin, &program, &tools)
    };
    plugins.into_iter().map(page).collect()
}

/// Returns skills as the prompt lists them.
pub(crate) fn listed(home: &Path, session: SessionId, pages: &[Page]) -> Vec<Skill> {
    let folder = folder(home, session);
    let entry = |page: &Page| Skill {
        plugin: page.plugin,
        description: page.description.clone(),
        path: folder.join(&page.name).join(FILE).display().to_string(),
    };
    pages.iter().map(entry).collect()
}

/// Writes the skills of a session, and nothing else is left there. No process of the session may run meanwhile.
pub(crate) fn write(home: &Path, session: SessionId, pages: &[Page]) -> io::Result<()> {
    remove(home, session)?;
    let folder = folder(home, session);
    for page in pages {
        let place = folder.join(&page.name);
        DirBuilder::new().recursive(true).mode(0o700).create(&place)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(place.join(FILE))?;
        file.write_all(page.text.as_bytes())?;
    }
    Ok(())
}

/// Removes the skills of a session.
pub(crate) fn remove(home: &Path, session: SessionId) -> io::Result<()> {
    match fs::remove_dir_all(folder(home, session)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the folder of a session. Prompts tell it, and stand on command lines, which everybody can read: its name does
/// not tell the session's id.
fn folder(home: &Path, session: SessionId) -> PathBuf {
    let digest = mint::sha256(format!("skills {session}").as_bytes());
    home.join("skills").join(mint::hex(&digest[..16]))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use paseo_core::tool::Plugin;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_all_that_is_there_and_for_nobody_else() {
        let home = tempfile::tempdir().unwrap();
        let session = SessionId::from_random([7; 16]);
        let schema = json!({});
        let page = |plugin| {
            skill::page(plugin, "paseo", &[Taught { name: "x", description: "X.", schema: &schema }])
        };
        write(home.path(), session, &[page(Plugin::Tabs), page(Plugin::Todo)]).unwrap();
        write(home.path(), session, &[page(Plugin::Todo)]).unwrap();
        let folder = folder(home.path(), session);
        let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["paseo-todo"]);
        let listed = listed(home.path(), session, &[page(Plugin::Todo)]);
        assert_eq!(fs::read_to_string(&listed[0].path).unwrap(), page(Plugin::Todo).text);
        for place in [&home.path().join("skills"), &folder, &folder.join("paseo-todo")] {
            assert_eq!(
                fs::metadata(place).unwrap().permissions().mode() & 0o777,
                0o700,
                "{}",
                place.display()
            );
        }
        remove(home.path(), session).unwrap();
        remove(home.path(), session).unwrap();
        assert!(!folder.exists());
    }
}
