//! Projects, and directories while their path is typed.

use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use futures_util::StreamExt;
use futures_util::stream;
use paseo_core::file::Typed;
use paseo_core::limits::{COMPLETIONS, DIRECTORY_ENTRIES};
use paseo_core::project::{self, Position, Project, Worked};
use paseo_runtime::{browse, git};
use paseo_wire::error::Code;
use paseo_wire::project::{
    DirectoryList, DirectoryQuery, DirectoryView, ProjectPage, ProjectQuery, ProjectView,
};
use tokio::time::timeout;

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::Asked;
use crate::failure::Failure;

/// Default number of projects of a page: git is asked about each.
const PAGE: usize = 50;
/// How many times git runs at once.
const AT_ONCE: usize = 4;
/// How long git may take to name the branch of one project. Without it the project is listed all the same.
const GLANCE: Duration = Duration::from_secs(2);

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<ProjectQuery>) -> Answer<ProjectPage> {
    let context = &app.sessions.context;
    let seq = context.directory.point(&context.journal);
    let limit = query.limit.unwrap_or(PAGE);
    let after = query.after.as_deref().map(cursor).transpose()?;
    let (open, past) = (context.directory.all(), context.directory.past());
    let look = move || {
        let open = open.iter().map(|session| Worked {
            directory: &session.profile.project,
            open: 1,
            last: session.updated_at,
        });
        let past = past.iter().map(|(directory, past)| Worked { directory, open: 0, last: past.last });
        let projects = project::gather(open.chain(past), root);
        let (page, next) = project::page(projects, after.as_ref(), limit);
        let present = |project: Project| (FilePath::new(&project.path).is_dir(), project);
        (page.into_iter().map(present).collect::<Vec<_>>(), next)
    };
    let (page, next) = app.looks.look(look).await?;
    let projects = stream::iter(page).map(|(present, project)| view(present, project));
    let projects = projects.buffered(AT_ONCE).collect().await;
    Ok(Json(ProjectPage { seq, projects, next: next.map(|next| next.cursor()) }))
}

/// Finds the project that a directory belongs to: the checkout that it is in, or the directory itself.
fn root(directory: &str) -> String {
    let above = FilePath::new(directory).ancestors().find(|above| above.join(".git").exists());
    above.and_then(FilePath::to_str).unwrap_or(directory).to_owned()
}

async fn view(present: bool, project: Project) -> ProjectView {
    let path = FilePath::new(&project.path);
    let branch = match present {
        true => timeout(GLANCE, git::branch_of(path)).await.ok().and_then(Result::ok).flatten(),
        false => None,
    };
    ProjectView {
        name: project.name().to_owned(),
        branch,
        present,
        open: project.open,
        last_used: project.last_used.into(),
        path: project.path,
    }
}

fn cursor(text: &str) -> Result<Position, Failure> {
    Position::parse(text).ok_or_else(|| Failure::no_cursor(text))
}

pub(crate) async fn complete(
    State(app): State<App>,
    Asked(query): Asked<DirectoryQuery>,
) -> Answer<DirectoryList> {
    let path = absolute(&query.path, std::env::var_os("HOME").map(PathBuf::from))?;
    let look = move || {
        // Only an absolute path comes here.
        let typed = Typed::split(&path).unwrap_or(Typed { parent: "/", start: "" });
        let found = browse::directories(&typed, DIRECTORY_ENTRIES, COMPLETIONS);
        found.map(|(names, truncated)| {
            let directories = names.into_iter().map(|name| {
                let path = format!("{}{name}", typed.parent);
                let repository = FilePath::new(&path).join(".git").exists();
                DirectoryView { name, path, repository }
            });
            DirectoryList { directories: directories.collect(), truncated, next: None }
        })
    };
    let found = app.looks.look(look).await?.map_err(|error| unreadable(&query.path, &error))?;
    found.page(query.after.as_deref(), query.limit).map(Json)
}

/// Returns what was typed as an absolute path.
fn absolute(typed: &str, home: Option<PathBuf>) -> Result<String, Failure> {
    let home = home.and_then(|home| home.into_os_string().into_string().ok());
    let path = match (typed.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}/{}", home.trim_end_matches('/'), rest.trim_start_matches('/'))
        }
        _ => typed.to_owned(),
    };
    if Typed::split(&path).is_some() {
        return Ok(path);
    }
    Err(Failure::new(
        Code::InvalidRequest,
        format!("`{}` is not an absolute path", crate::directory::shown(typed)),
    )
    .hint("start with `/` or `~/`"))
}

fn unreadable(typed: &str, error: &io::Error) -> Failure {
    let typed = crate::directory::shown(typed);
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            Failure::new(Code::NotFound, format!("`{typed}` is not in an existing directory"))
                .hint("correct the path before the last slash")
        }
        io::ErrorKind::PermissionDenied => {
            Failure::new(Code::Forbidden, format!("permission denied: `{typed}`"))
                .hint("choose a directory that the daemon's user can read")
        }
        _ => Failure::new(Code::Conflict, format!("cannot read `{typed}`: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http::{Request, Response, StatusCode};
    use http_body_util::BodyExt;
    use paseo_core::actor::Actor;
    use serde_json::Value;

    use super::*;
    use crate::http::tests::{HOST, House};
    use crate::identity::Peer;

    async fn ask(house: &House, uri: &str) -> (StatusCode, Value) {
        let mut request = Request::get(uri).header("host", HOST).body(Body::empty()).unwrap();
        request.extensions_mut().insert(Peer::Local(Ok(Actor::Human("cli".into()))));
        let response: Response<Body> = house.ask(request).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    #[test]
    fn a_tilde_is_the_home() {
        let home = || Some(PathBuf::from("/home/ann/"));
        assert_eq!(absolute("~/pr", home()).unwrap(), "/home/ann/pr");
        assert_eq!(absolute("~", home()).unwrap(), "/home/ann/");
        assert_eq!(absolute("/x", None).unwrap(), "/x");
        for (typed, home) in
            [("~/x", None), ("~bob/x", home()), ("x", home()), ("", home()), ("/a\0", home())]
        {
            assert_eq!(absolute(typed, home).unwrap_err().code, Code::InvalidRequest, "{typed}");
        }
    }

    #[tokio::test]
    async fn a_closed_agent_leaves_its_project_in_the_list() {
        let house = House::new().await;
        let (one, other) = (house.session().await, house.session().await);
        let (status, page) = ask(&house, "/api/projects").await;
        assert_eq!(status, StatusCode::OK);
        assert_eq!(page["projects"][0]["path"], "/");
        assert_eq!((&page["projects"][0]["open"], &page["next"]), (&2.into(), &Value::Null));
        let by = Actor::Human("cli".into());
        for made in [&one, &other] {
            house.app.sessions.close(made.session.id.parse().unwrap(), &by).await.unwrap();
        }
        let (_, page) = ask(&house, "/api/projects").await;
        assert_eq!((&page["projects"][0]["path"], &page["projects"][0]["open"]), (&"/".into(), &0.into()));
        for made in [one, other] {
            house.app.sessions.delete(made.session.id.parse().unwrap(), &by, false).await.unwrap();
        }
        let (_, page) = ask(&house, "/api/projects").await;
        assert_eq!(page["projects"], Value::Array(Vec::new()), "what was deleted left nothing");
    }

    #[tokio::test]
    async fn what_cannot_be_listed_is_told() {
        let house = House::new().await;
        for (uri, expected) in [
            ("/api/projects?after=x", StatusCode::BAD_REQUEST),
            ("/api/directories?path=relative", StatusCode::BAD_REQUEST),
            ("/api/directories", StatusCode::BAD_REQUEST),
            ("/api/directories?path=/nonexistent/x", StatusCode::NOT_FOUND),
            ("/api/directories?path=/dev/null/x", StatusCode::NOT_FOUND),
        ] {
            let (status, body) = ask(&house, uri).await;
            assert_eq!(status, expected, "{uri}");
            assert!(body["code"].is_string(), "{uri}: {body}");
        }
        let (status, body) = ask(&house, "/api/directories?path=/de").await;
        assert_eq!(status, StatusCode::OK);
        let found = body["directories"].as_array().unwrap();
        assert!(found.iter().any(|found| found["path"] == "/dev"), "{body}");
    }
}
