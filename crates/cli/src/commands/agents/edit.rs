//! `paseo agents edit`

use std::fs;
use std::path::{Path, PathBuf};

use paseo_client::Client;
use paseo_core::definition::is_slug;
use paseo_runtime::plain_file;
use paseo_wire::agent::{AgentList, AgentQuery, PendingAgent};
use paseo_wire::error::Exit;
use paseo_wire::words::{Layer, Severity};

use super::{located, query};
use crate::args::{AgentsPlace, EditArgs};
use crate::consent;
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::text_editor::Copy;

/// Opens a copy of a definition in the user's editor, and trusts what was saved there: agents can write to the file
/// itself while the editor is open.
pub(super) async fn edit(context: &Context, printer: &Printer, args: EditArgs) -> Result<Exit, Failure> {
    let client = context.client()?;
    let asked = query(&AgentsPlace { project: None })?;
    let known = client.agents(&asked).await?;
    let path = file(&known, &context.settings.home, &args.slug)?;
    let before = plain_file::read_to_string(&path).ok();
    // What is saved is trusted as a whole: nothing that an agent wrote there goes along unseen.
    for waiting in known.pending.iter().filter(|one| one.slug == args.slug) {
        consent::show(printer, waiting);
        printer.note("The editor opens the new version. Saving it trusts it.");
    }
    let copy = Copy::of(&path, before.as_deref().unwrap_or_default(), &context.settings.home)?;
    copy.open("nothing was trusted")?;
    let Ok(saved) = plain_file::read_to_string(&copy.path) else {
        printer.note("nothing saved");
        return Ok(Exit::Refused);
    };
    if before.as_deref().unwrap_or_default() == saved {
        printer.note("nothing changed");
        return Ok(Exit::Ok);
    }
    if plain_file::read_to_string(&path).ok() != before {
        let words = format!("{} changed on disk while you were editing", path.display());
        let hint = format!("your text is in {}; nothing was trusted", copy.keep().display());
        return Err(Failure::new(Exit::Refused, words).hint(hint));
    }
    fs::write(&path, &saved).map_err(|error| {
        let hint = format!("your text is in {}", copy.path.display());
        Failure::new(Exit::AgentError, format!("cannot write {}: {error}", path.display())).hint(hint)
    })?;
    let list = trust(client, &asked, &args.slug, &path, &saved, &known.pending).await?;
    let wrong: Vec<_> = list.problems.iter().filter(|problem| Path::new(&problem.file) == path).collect();
    wrong.iter().for_each(|problem| printer.warn(&located(problem), None));
    let lost = wrong.iter().any(|problem| problem.severity == Severity::Error);
    if !lost {
        printer.note(&format!("Saved and trusted {}", path.display()));
    }
    Ok(if lost { Exit::AgentError } else { Exit::Ok })
}

/// Returns the file that defines an agent of the user's own, or would.
fn file(list: &AgentList, home: &Path, slug: &str) -> Result<PathBuf, Failure> {
    let mut own = list.agents.iter().filter(|agent| agent.slug == slug && agent.origin == Layer::Home);
    if let Some(file) = own.find_map(|agent| agent.file.as_ref()) {
        return Ok(file.into());
    }
    // One that is broken is in no list.
    let mut broken = list.problems.iter().filter(|problem| problem.slug.as_deref() == Some(slug));
    if let Some(problem) = broken.find(|problem| Path::new(&problem.file).starts_with(home)) {
        return Ok((&problem.file).into());
    }
    if !is_slug(slug) {
        return Err(Failure::usage(format!("invalid slug `{slug}`")).hint("use letters, digits, `_` and `-`"));
    }
    let folder = home.join("agents");
    fs::create_dir_all(&folder)
        .map_err(|error| Failure::usage(format!("cannot create {}: {error}", folder.display())))?;
    Ok(folder.join(format!("{slug}.toml")))
}

/// Trusts what was saved, and nothing that was written since. In a file with many definitions, what waited before and was
/// not asked for goes on waiting.
async fn trust(
    client: &Client,
    asked: &AgentQuery,
    slug: &str,
    path: &Path,
    saved: &str,
    before: &[PendingAgent],
) -> Result<AgentList, Failure> {
    let mut list = client.agents(asked).await?;
    // What the daemon has just read is what was saved.
    let is_still_so = plain_file::read_to_string(path).is_ok_and(|text| text == saved);
    let holds_many = path.file_stem().is_some_and(|stem| stem == "config");
    let waited = |pending: &PendingAgent| {
        before.iter().any(|known| (&known.slug, &known.sha256) == (&pending.slug, &pending.sha256))
    };
    let own = |pending: &&PendingAgent| {
        let after = pending.after.as_deref().unwrap_or_default();
        let same = if holds_many {
            is_still_so && (pending.slug == slug || !waited(pending))
        } else {
            after == saved
        };
        same && pending.file.as_deref().is_some_and(|file| Path::new(file) == path)
    };
    let pending: Vec<PendingAgent> = list.pending.iter().filter(own).cloned().collect();
    for pending in &pending {
        list = consent::trust(client, asked, pending).await?;
    }
    Ok(list)
}
