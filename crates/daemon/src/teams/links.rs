//! Resources are what they seem: a link would let two have the same files under two names.

use std::path::Path;

use paseo_core::team::Resource;
use paseo_runtime::place::real;
use paseo_wire::error::Code;

use crate::failure::Failure;

/// Refuses a resource that is a link, lies behind one, or leads out of the project. What makes no sense as a path is left
/// to the rules.
pub(super) async fn check(project: Option<&str>, typed: &str) -> Result<(), Failure> {
    let (Some(project), Ok(resource)) = (project, Resource::parse(typed, project)) else { return Ok(()) };
    let (root, name) = (project.to_owned(), resource.as_str().to_owned());
    let found = tokio::task::spawn_blocking(move || -> Result<_, String> {
        let root = real(Path::new("/"), &root)?;
        let leads_to = real(&root, &name)?;
        Ok((root.join(&name).components().eq(leads_to.components()) || name == ".", root, leads_to))
    });
    let (is_itself, root, leads_to) = match found.await.map_err(Failure::internal)? {
        Ok(found) => found,
        Err(why) => return Err(refused(format!("`{resource}` cannot be a resource: {why}"))),
    };
    if is_itself {
        return Ok(());
    }
    Err(match leads_to.strip_prefix(&root) {
        Ok(inside) => {
            let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
            refused(format!("`{resource}` is a link to `{}`", inside.display()))
                .hint("use the link's target; each file has one name across tasks")
        }
        Err(_) => refused(format!("`{resource}` is a link that leads outside the project"))
            .hint("use a path inside the project"),
    })
}

/// Refuses a pattern, unless something in the project is called so.
pub(super) async fn check_plain(project: Option<&str>, typed: &str) -> Result<(), Failure> {
    let Ok(resource) = Resource::parse(typed, project) else { return Ok(()) };
    let project = project.map(str::to_owned);
    let is_there = move |path: &str| {
        project.as_ref().is_some_and(|project| Path::new(project).join(path).symlink_metadata().is_ok())
    };
    let checked = tokio::task::spawn_blocking(move || resource.check_plain(is_there));
    checked.await.map_err(Failure::internal)?.map_err(|pattern| refused(pattern.to_string()))
}

fn refused(message: String) -> Failure {
    Failure::new(Code::InvalidRequest, message)
}
