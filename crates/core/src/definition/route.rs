//! Which sessions of a definition a message may go to: those of one project, or of all.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Definition, Origin, missing};
use crate::permission::Power;
use crate::session::Profile;
use crate::settings::Settings;
use crate::tool;

/// How far the sessions of a definition are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// One conversation, wherever it is asked for.
    Global,
    /// One conversation for each project.
    Project,
}

impl Route {
    pub const ALL: [Self; 2] = [Self::Global, Self::Project];

    /// Returns the word that definitions use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
        }
    }
}

impl Definition {
    /// Returns how far its sessions are shared: as it says, else by what its agents can do. Agents that work on the files
    /// of a project belong to that project. An absolute `cwd` is the same place for all projects.
    pub fn route(&self) -> Route {
        let own = self.route;
        own.unwrap_or(if self.works_on_files() && !self.has_own_place() {
            Route::Project
        } else {
            Route::Global
        })
    }

    /// Says whether a message from a project may go to a session of this definition, as far as projects are concerned.
    pub fn is_met_in(&self, session: &Profile, project: &str) -> bool {
        if session.project == project {
            return true;
        }
        let own = self.source.origin == Origin::Project;
        // Another project's definition of the same name is another agent.
        let same = own == session.of_project
            && self.folder().is_none_or(|folder| Path::new(&session.project).starts_with(folder));
        same && self.route() == Route::Global
    }

    /// Says whether its agents may read or write files, or run commands.
    fn works_on_files(&self) -> bool {
        let (settings, off) = (Settings::default(), BTreeSet::new());
        let has = |power: Power| {
            tool::find(power.tool()).is_some_and(|spec| missing(spec, self, &settings, &off).is_none())
        };
        [Power::Read, Power::Write, Power::Shell].into_iter().any(has)
    }

    fn has_own_place(&self) -> bool {
        self.directory.as_deref().is_some_and(|own| own.starts_with(['/', '~']))
    }

    /// Returns the directory that a project's own definition is for.
    fn folder(&self) -> Option<&str> {
        let file = self.source.file.as_deref().filter(|_| self.source.origin == Origin::Project)?;
        let end = ["/.paseo/", "/.claude/"].iter().filter_map(|folder| file.rfind(folder)).max()?;
        Some(&file[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::definition::{Kind, Source};
    use crate::glob::Glob;
    use crate::id::SessionId;
    use crate::permission::Mode;
    use crate::session::{Created, Session};
    use crate::time::Timestamp;

    fn definition(allow: Option<&[&str]>) -> Definition {
        let mut definition = Definition::plain("x", Source { origin: Origin::Home, file: None });
        definition.scope.tools.allow =
            allow.map(|names| names.iter().map(|name| Glob::new(*name)).collect::<Vec<_>>());
        definition
    }

    fn profile(project: &str, of_project: bool) -> Profile {
        let by = Actor::Human("cli".to_owned());
        let plain = Created::plain(SessionId::from_random([1; 16]), by, "scripted", project);
        Session::create(Created { of_project, ..plain }, Timestamp::default()).profile
    }

    #[test]
    fn agents_without_native_powers_are_shared_and_those_that_work_on_files_are_not() {
        for (allow, route) in [
            (None, Route::Project),
            (Some(&[][..]), Route::Global),
            (Some(&["todo", "agents_*"]), Route::Global),
            (Some(&["native_net"]), Route::Global),
            (Some(&["native_read"]), Route::Project),
            (Some(&["native_write"]), Route::Project),
            (Some(&["native_shell"]), Route::Project),
        ] {
            assert_eq!(definition(allow).route(), route, "{allow:?}");
        }
        // What the permission mode takes away does not count.
        let looking = Definition { permissions: Some(Mode::ReadOnly), ..definition(Some(&["native_write"])) };
        assert_eq!(looking.route(), Route::Global);
        let url = "http://a.example".to_owned();
        let kind = Kind::External { input_url: url, callback_base_url: None, timeout_seconds: None };
        assert_eq!(Definition { kind, ..definition(None) }.route(), Route::Global);
        for (directory, route) in [("/w", Route::Global), ("~/w", Route::Global), ("w", Route::Project)] {
            let directory = Some(directory.to_owned());
            assert_eq!(Definition { directory, ..definition(None) }.route(), route);
        }
        for route in Route::ALL {
            for allow in [None, Some(&[][..])] {
                assert_eq!(Definition { route: Some(route), ..definition(allow) }.route(), route);
            }
        }
    }

    #[test]
    fn sessions_of_another_project_are_met_only_when_they_are_of_the_same_definition() {
        let shared = definition(Some(&[]));
        assert!(shared.is_met_in(&profile("/q", false), "/p"));
        assert!(!shared.is_met_in(&profile("/q", true), "/p"), "the other project has its own");
        assert!(!definition(None).is_met_in(&profile("/q", false), "/p"));
        assert!(definition(None).is_met_in(&profile("/p", false), "/p"));
        for folder in [".paseo", ".claude"] {
            let file = Some(format!("/p/{folder}/agents/x.md"));
            let own = Definition { source: Source { origin: Origin::Project, file }, ..shared.clone() };
            assert!(own.is_met_in(&profile("/p/sub", true), "/p"));
            assert!(
                !own.is_met_in(&profile("/q", true), "/p") && !own.is_met_in(&profile("/px", true), "/p")
            );
            assert!(!own.is_met_in(&profile("/p/sub", false), "/p"));
        }
    }
}
