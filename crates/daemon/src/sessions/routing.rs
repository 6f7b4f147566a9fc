//! Which session of a definition is meant by default, and where a new one runs.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use paseo_core::actor::Actor;
use paseo_core::definition::Definition;
use paseo_core::session::Session;
use paseo_core::tool::withheld_by_parent;
use paseo_wire::error::Code;

use super::Context;
use crate::directory::Directory;
use crate::failure::Failure;

/// Which of a definition's sessions is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice<'a> {
    Latest,
    Create,
    LatestOrCreate,
    /// The one with this handle.
    This(&'a str),
}

impl<'a> Choice<'a> {
    /// Reads the word for it; no word is the usual choice.
    pub(crate) fn parse(word: Option<&'a str>) -> Self {
        match word {
            None | Some("latest-or-create") => Self::LatestOrCreate,
            Some("latest") => Self::Latest,
            Some("create") => Self::Create,
            Some(handle) => Self::This(handle),
        }
    }
}

/// Finds the definition of an agent that people may talk to.
pub(crate) fn for_person(context: &Context, project: &str, slug: &str) -> Result<Arc<Definition>, Failure> {
    let catalogue = context.definitions.catalogue(project);
    let definition = catalogue.get(slug)?;
    if definition.is_subagent {
        let others = catalogue.all().filter(|other| !other.is_subagent && other.ui_visible);
        let others: Vec<&str> = others.map(|other| other.slug.as_str()).collect();
        return Err(Failure::new(
            Code::Conflict,
            format!("agent `{slug}` is a subagent and can only be started by other agents"),
        )
        .hint(format!("choose one of: {}", others.join(", "))));
    }
    Ok(definition)
}

/// Returns where a definition's sessions run: its own place, else the project.
pub(crate) fn place(definition: &Definition, project: &str) -> String {
    let Some(own) = definition.directory.as_deref() else { return project.to_owned() };
    let rest = own.strip_prefix("~/").or((own == "~").then_some(""));
    let path = match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        // An absolute path stays what it is.
        _ => Path::new(project).join(own),
    };
    // Without a slash at the end, and without `.` in between.
    path.components().collect::<PathBuf>().to_string_lossy().into_owned()
}

/// Returns where a session of a peer runs that an agent asks.
pub(crate) fn place_for(caller: &Session, definition: &Definition) -> String {
    match caller.profile.parent {
        // A child's work stays in its parent's place.
        Some(_) => caller.profile.directory.clone(),
        None => place(definition, &caller.profile.project),
    }
}

/// Returns the open session of a definition that was last busy, for this caller.
pub(crate) fn latest(
    context: &Context,
    definition: &Definition,
    project: &str,
    by: &Actor,
) -> Option<Arc<Session>> {
    let mut open = context.directory.all();
    open.retain(|session| is_of(session, definition, project));
    newest(context, definition, by, open)
}

/// Returns the session that a person means: the open one that was last busy, or else the closed one.
pub(crate) async fn latest_or_closed(
    context: &Context,
    definition: &Definition,
    project: &str,
    by: &Actor,
) -> Result<Option<Arc<Session>>, Failure> {
    // A closed one was put away: it is used again only if there is no other.
    if let Some(open) = latest(context, definition, project, by) {
        return Ok(Some(open));
    }
    let closed = closed(context, definition, project).await?;
    Ok(newest(context, definition, by, closed))
}

/// Returns the session that was last busy. One that an agent started with less than its definition says serves that agent
/// alone.
fn newest(
    context: &Context,
    definition: &Definition,
    by: &Actor,
    mut sessions: Vec<Arc<Session>>,
) -> Option<Arc<Session>> {
    sessions.sort_by_key(|session| Reverse((session.updated_at, session.id)));
    let settings = context.settings.get();
    let serves = |session: &Arc<Session>| {
        session.profile.created_by == *by
            || withheld_by_parent(session, definition, &settings, &context.plugins_off).is_empty()
    };
    sessions.into_iter().find(serves)
}

/// Returns all sessions of a definition: open ones first, the last busy of each first.
pub(crate) async fn all(
    context: &Context,
    definition: &Definition,
    project: &str,
) -> Result<Vec<Arc<Session>>, Failure> {
    let mut found = context.directory.all();
    found.retain(|session| is_of(session, definition, project));
    let closed = closed(context, definition, project).await?;
    // Whichever was closed between the two readings is closed.
    found.retain(|open| closed.iter().all(|other| other.id != open.id));
    found.extend(closed);
    found.sort_by_key(|session| (!session.is_open(), Reverse(session.updated_at), session.id));
    Ok(found)
}

async fn closed(
    context: &Context,
    definition: &Definition,
    project: &str,
) -> Result<Vec<Arc<Session>>, Failure> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let (page, next) = Directory::closed_page(&context.journal, after.as_deref()).await?;
        found.extend(page.into_iter().filter(|session| is_of(session, definition, project)));
        match next {
            Some(next) => after = Some(next),
            None => return Ok(found),
        }
    }
}

/// Says whether a session is one that a definition's messages may go to.
pub(crate) fn is_of(session: &Session, definition: &Definition, project: &str) -> bool {
    let profile = &session.profile;
    // A child belongs to its parent.
    profile.parent.is_none()
        // A worker has work of its own.
        && profile.terminal.is_none()
        && profile.slug() == definition.slug
        && definition.is_met_in(profile, project)
}

/// Says whether a session is met in a project: it was started there, or its agent is the same everywhere.
pub(crate) fn is_met_in(context: &Context, session: &Session, project: &str) -> bool {
    let profile = &session.profile;
    let definition = || context.definitions.catalogue(project).get(profile.slug()).ok();
    profile.project == project
        || definition().is_some_and(|definition| definition.is_met_in(profile, project))
}

#[cfg(test)]
mod tests {
    use paseo_core::actor::Actor;
    use paseo_core::session::Created;

    use super::*;
    use crate::mint;

    fn definition(directory: Option<&str>) -> Definition {
        Definition {
            slug: "notes".to_owned(),
            directory: directory.map(str::to_owned),
            ..Definition::built_in()
        }
    }

    fn session(slug: &str, project: &str, parent: bool) -> Session {
        let plain = Created::plain(mint::session(), Actor::Human("cli".into()), "scripted", project);
        let created =
            Created { definition: Some(slug.to_owned()), parent: parent.then(mint::session), ..plain };
        Session::create(created, mint::now())
    }

    #[test]
    fn every_word_but_three_is_a_handle() {
        assert_eq!(Choice::parse(None), Choice::LatestOrCreate);
        assert_eq!(Choice::parse(Some("latest-or-create")), Choice::LatestOrCreate);
        assert_eq!(Choice::parse(Some("latest")), Choice::Latest);
        assert_eq!(Choice::parse(Some("create")), Choice::Create);
        assert_eq!(Choice::parse(Some("3f2a")), Choice::This("3f2a"));
    }

    #[test]
    fn a_place_is_absolute_under_home_or_under_the_project() {
        let place = |own| place(&definition(own), "/p");
        assert_eq!(place(None), "/p");
        assert_eq!(place(Some("/w/")), "/w");
        assert_eq!(place(Some("docs")), "/p/docs");
        assert_eq!(place(Some("./docs/")), "/p/docs");
        let home = std::env::home_dir().unwrap();
        assert_eq!(place(Some("~/notes")), home.join("notes").to_str().unwrap());
        assert_eq!(place(Some("~")), home.to_str().unwrap());
    }

    #[test]
    fn messages_go_to_sessions_of_the_definition_and_the_project_that_nobody_else_owns() {
        let plain = definition(None);
        assert!(is_of(&session("notes", "/p", false), &plain, "/p"));
        assert!(!is_of(&session("notes", "/p", true), &plain, "/p"), "a child");
        assert!(!is_of(&session("todo", "/p", false), &plain, "/p"), "another agent's");
        assert!(!is_of(&session("notes", "/q", false), &plain, "/p"), "another project's");
        for (own, elsewhere) in [("/w", true), ("~/w", true), ("w", false)] {
            assert_eq!(
                is_of(&session("notes", "/q", false), &definition(Some(own)), "/p"),
                elsewhere,
                "{own}"
            );
        }
    }
}
