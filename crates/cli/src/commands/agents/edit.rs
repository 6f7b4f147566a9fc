//! `paseo agents edit`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use paseo_client::Client;
use paseo_core::definition::is_slug;
use paseo_wire::agent::{AgentList, PendingAgent};
use paseo_wire::error::Exit;

use super::{located, query};
use crate::args::{AgentsPlace, EditArgs};
use crate::consent;
use crate::context::Context;
use crate::environment::{EDITOR, VISUAL};
use crate::failure::Failure;
use crate::printer::Printer;

/// Opens a definition in the user's editor, and trusts what was saved.
pub(super) async fn edit(context: &Context, printer: &Printer, args: EditArgs) -> Result<Exit, Failure> {
    let client = context.client()?;
    let asked = query(&AgentsPlace { project: None })?;
    let path = file(&client.agents(&asked).await?, &context.settings.home, &args.slug)?;
    let before = fs::read_to_string(&path).ok();
    open(&path)?;
    let Ok(saved) = fs::read_to_string(&path) else {
        printer.note("nothing was saved");
        return Ok(Exit::Refused);
    };
    if before.as_deref() == Some(saved.as_str()) {
        printer.note("nothing was changed");
        return Ok(Exit::Ok);
    }
    let list = trust(client, &asked, &path, &saved).await?;
    let wrong: Vec<_> = list.problems.iter().filter(|problem| Path::new(&problem.file) == path).collect();
    wrong.iter().for_each(|problem| printer.warn(&located(problem), None));
    let lost = wrong.iter().any(|problem| problem.severity == "error");
    if !lost {
        printer.note(&format!("Saved and trusted {}", path.display()));
    }
    Ok(if lost { Exit::AgentError } else { Exit::Ok })
}

/// Returns the file that defines an agent of the user's own, or would.
fn file(list: &AgentList, home: &Path, slug: &str) -> Result<PathBuf, Failure> {
    let mut own = list.agents.iter().filter(|agent| agent.slug == slug && agent.origin == "home");
    if let Some(file) = own.find_map(|agent| agent.file.as_ref()) {
        return Ok(file.into());
    }
    // One that is broken is in no list.
    let mut broken = list.problems.iter().filter(|problem| problem.slug.as_deref() == Some(slug));
    if let Some(problem) = broken.find(|problem| Path::new(&problem.file).starts_with(home)) {
        return Ok((&problem.file).into());
    }
    if !is_slug(slug) {
        return Err(Failure::usage(format!("`{slug}` cannot be the slug of an agent"))
            .hint("use letters, digits, `_` and `-`"));
    }
    let folder = home.join("agents");
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::usage(format!("cannot make {}: {error}", folder.display())))?;
    Ok(folder.join(format!("{slug}.toml")))
}

/// Runs the editor, as git does: its value is a command with arguments.
#[allow(clippy::disallowed_methods)] // The user's own editor, which no agent has to do with.
fn open(path: &Path) -> Result<(), Failure> {
    let editor = VISUAL.value().or_else(|| EDITOR.value()).unwrap_or_else(|| "vi".into());
    let mut command = Command::new("sh");
    let mut script = editor.clone();
    script.push(" \"$@\"");
    command.arg("-c").arg(script).arg(&editor).arg(path);
    let failed = |why: String| {
        let words = format!("the editor `{}` failed: {why}", editor.to_string_lossy());
        Failure::new(Exit::AgentError, words).hint("set EDITOR to another; nothing was trusted")
    };
    let status = command.status().map_err(|error| failed(error.to_string()))?;
    if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
}

/// Trusts what was saved, and nothing that was written since.
async fn trust(
    client: &Client,
    asked: &paseo_wire::agent::AgentQuery,
    path: &Path,
    saved: &str,
) -> Result<AgentList, Failure> {
    let mut list = client.agents(asked).await?;
    let holds_many = path.file_stem().is_some_and(|stem| stem == "config");
    let own = |pending: &&PendingAgent| {
        let same = holds_many || pending.after.as_deref() == Some(saved);
        same && pending.file.as_deref().is_some_and(|file| Path::new(file) == path)
    };
    let pending: Vec<PendingAgent> = list.pending.iter().filter(own).cloned().collect();
    for pending in &pending {
        list = consent::trust(client, asked, pending).await?;
    }
    Ok(list)
}
