//! Routes: projects and the files of agents, as people look at them.

use axum::routing::get;
use paseo_wire::file::{CompletionQuery, FileQuery, PreviewQuery};
use paseo_wire::project::{DirectoryQuery, ProjectQuery};

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{files, projects};

pub(super) static FILES: Group = Group {
    tag: "files",
    about: "Projects, and the files of agents.",
    routes: &[
        route("listProjects", "GET", "/api/projects", Access::Human, || get(projects::list))
            .says("List projects: directories that agents worked in, most recently used first")
            .asks(query::<ProjectQuery>())
            .gives("ProjectPage"),
        route("listDirectories", "GET", "/api/directories", Access::Human, || get(projects::complete))
            .seeks()
            .says("List directories that complete a partial path")
            .asks(query::<DirectoryQuery>())
            .gives("DirectoryList"),
        route("completeFile", "GET", "/api/files", Access::Human, || get(files::complete))
            .seeks()
            .says("List files that match a query, without ignored files")
            .asks(query::<CompletionQuery>())
            .gives("CompletionList"),
        route("listFiles", "GET", "/api/sessions/{id}/files", Access::Human, || get(files::list))
            .seeks()
            .says("List one of an agent's directories; includes ignored files on request")
            .asks(query::<FileQuery>())
            .gives("FilePage"),
        route("getFile", "GET", "/api/sessions/{id}/file", Access::Human, || get(files::show))
            .seeks()
            .measures()
            .says("Get a preview of an agent's file; with `raw`, the bytes of an image")
            .asks(query::<PreviewQuery>())
            .gives("FilePreview"),
    ],
};
