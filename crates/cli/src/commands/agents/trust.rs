//! `paseo agents trust`: what definitions that wait for a person may do, and whether they count.

use std::path::Path;

use paseo_client::Client;
use paseo_wire::agent::{
    AgentEntry, AgentList, AgentProblem, AgentProject, AgentQuery, PendingAgent, TrustAgents,
};
use paseo_wire::error::Exit;
use paseo_wire::words::{FileChange, Layer, Severity, Trust};

use super::{lists, located, permissions, provider, query};
use crate::args::TrustArgs;
use crate::consent;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table};

pub(super) async fn trust(client: &Client, printer: &Printer, args: TrustArgs) -> Result<Exit, Failure> {
    let query = query(&args.place)?;
    if args.revoke {
        let list = client.distrust_agents(&query).await?;
        return told(printer, &list, "Revoked trust");
    }
    let list = client.agents(&query).await?;
    let (list, found) = own(client, printer, &args, &query, list).await?;
    match &found {
        Own::Refused => {
            printer.note("nothing changed");
            return Ok(Exit::Refused);
        }
        Own::Trusted(own)
            if !args.slugs.is_empty()
                || list.project.as_ref().is_none_or(|project| project.trust == Trust::Trusted) =>
        {
            return told(printer, &list, &format!("Trusted {}", own.join(", ")));
        }
        Own::Trusted(_) | Own::None => {}
    }
    let Some(project) = &list.project else {
        return Err(Failure::new(Exit::NotFound, "this project has no definitions")
            .hint("add them to .paseo/agents or .claude/agents, here or in a parent directory of the same repository"));
    };
    if project.trust == Trust::Trusted {
        return told(printer, &list, "These definitions are already trusted");
    }
    if !args.yes && !confirmed(printer, &list, project)? {
        printer.note("nothing changed");
        return Ok(Exit::Refused);
    }
    let wanted = TrustAgents { project: project.directory.clone(), sha256: project.sha256.clone() };
    let list = client.trust_agents(&wanted).await?;
    let own = match &found {
        Own::Trusted(own) => format!("your own definitions {}, and ", own.join(", ")),
        Own::None | Own::Refused => String::new(),
    };
    told(printer, &list, &format!("Trusted {own}the definitions of this project as they are now"))
}

/// The outcome of changes to the user's own definitions.
enum Own {
    /// There are none.
    None,
    /// These.
    Trusted(Vec<String>),
    Refused,
}

/// Lets a person decide about changes of their own definitions.
async fn own(
    client: &Client,
    printer: &Printer,
    args: &TrustArgs,
    query: &AgentQuery,
    list: AgentList,
) -> Result<(AgentList, Own), Failure> {
    let asked = |pending: &&PendingAgent| args.slugs.is_empty() || args.slugs.contains(&pending.slug);
    let waiting = list.pending.iter().filter(|pending| pending.origin == Layer::Home).filter(asked);
    let waiting: Vec<PendingAgent> = waiting.cloned().collect();
    if let Some(missing) = args.slugs.iter().find(|slug| waiting.iter().all(|pending| pending.slug != **slug))
    {
        let is_broken = |problem: &&AgentProblem| {
            problem.slug.as_ref() == Some(missing) && problem.severity == Severity::Error
        };
        if let Some(AgentProblem { file, line, message, .. }) = list.problems.iter().find(is_broken) {
            let words = format!("cannot trust `{missing}`: {file}:{line}: {message}");
            return Err(Failure::new(Exit::Refused, words)
                .hint("correct the file; `paseo agents check` lists all mistakes"));
        }
        let words = format!("`{missing}` is not one of your own definitions, or has no change to trust");
        return Err(Failure::new(Exit::NotFound, words).hint(
            "run `paseo agents trust` in the project's directory, without a slug, to trust its definitions",
        ));
    }
    if waiting.is_empty() {
        return Ok((list, Own::None));
    }
    if !args.yes {
        waiting.iter().for_each(|pending| consent::show(printer, pending));
        if !consent::is_answerable(printer) {
            return Err(unattended());
        }
        if !consent::asked(printer, "trust exactly this version? [y/N]")? {
            return Ok((list, Own::Refused));
        }
    }
    let mut list = list;
    for pending in &waiting {
        list = consent::trust(client, query, pending).await?;
    }
    let slugs = waiting.into_iter().map(|pending| pending.slug).collect();
    Ok((list, Own::Trusted(slugs)))
}

fn unattended() -> Failure {
    Failure::usage("cannot ask for confirmation without a terminal")
        .hint("pass --yes to trust without asking")
}

fn told(printer: &Printer, list: &AgentList, words: &str) -> Result<Exit, Failure> {
    if printer.mode() == Mode::Json {
        printer.json(list)?;
    } else {
        printer.note(words);
    }
    Ok(Exit::Ok)
}

/// Shows what would be trusted and lets a person confirm it. Without a person, refuses.
fn confirmed(printer: &Printer, list: &AgentList, project: &AgentProject) -> Result<bool, Failure> {
    if printer.mode() == Mode::Normal {
        examine(printer, list, project)?;
    }
    if !consent::is_answerable(printer) {
        return Err(unattended());
    }
    consent::asked(printer, "trust exactly these versions? [y/N]")
}

fn examine(printer: &Printer, list: &AgentList, project: &AgentProject) -> Result<(), Failure> {
    printer.line(&format!("in {}:", project.directory))?;
    for file in &project.files {
        let change = change(project, file).map(|change| format!("  ({change})")).unwrap_or_default();
        printer.line(&format!("  {file}{change}"))?;
    }
    let gone = project.changes.iter().flatten().filter(|change| change.change == FileChange::Removed);
    gone.into_iter().try_for_each(|gone| printer.line(&format!("  {}  (removed)", gone.file)))?;
    if project.trust == Trust::Changed && project.changes.is_none() {
        printer.line("the files changed since they were trusted; which ones is unknown")?;
    }
    for agent in list.agents.iter().filter(|agent| !agent.trusted) {
        printer.line("")?;
        let mut table = Table::new([Column::fixed(""), Column::flexible("")]);
        for (key, value) in rows(list, project, agent) {
            if !value.is_empty() {
                table.row([(Style::Dim, key.to_owned()), (Style::Plain, value)]);
            }
        }
        printer.table(&table)?;
    }
    let theirs = |file: &str| Path::new(file).starts_with(&project.directory);
    let problems: Vec<_> = list.problems.iter().filter(|problem| theirs(&problem.file)).collect();
    if !problems.is_empty() {
        printer.line("")?;
    }
    problems.into_iter().try_for_each(|problem| printer.line(&located(problem)))?;
    printer.aside("to see everything, run `paseo agents show <slug> --untrusted`");
    Ok(())
}

fn rows(list: &AgentList, project: &AgentProject, agent: &AgentEntry) -> Vec<(&'static str, String)> {
    // What comes next under the same slug is what counts otherwise.
    let mut others = list.agents.iter().filter(|other| other.slug == agent.slug && other.trusted);
    let replaced = others.next().map(|other| match other.origin.as_str() {
        "home" => "your own".to_owned(),
        "built-in" => "the built-in definition".to_owned(),
        _ => format!("the definition in {}", other.file.as_deref().unwrap_or("a folder above")),
    });
    let file = agent.file.as_deref().unwrap_or_default();
    let relative = Path::new(file).strip_prefix(&project.directory).ok().and_then(Path::to_str);
    let change = relative.and_then(|file| change(project, file));
    vec![
        ("slug", agent.slug.clone()),
        ("replaces", replaced.unwrap_or_default()),
        ("its file was", change.unwrap_or_default().to_owned()),
        ("description", agent.description.clone().unwrap_or_default()),
        ("provider", provider(agent).to_owned()),
        ("permissions", permissions(agent)),
        ("tools", lists(&agent.tools)),
        ("can pass on", agent.ceiling.as_ref().map_or("all its tools".to_owned(), |all| all.join(", "))),
        ("directory", agent.directory.clone().unwrap_or_default()),
    ]
}

/// Says how a file has changed since it was trusted.
fn change<'a>(project: &'a AgentProject, file: &str) -> Option<&'a str> {
    let mut changes = project.changes.iter().flatten();
    changes.find(|change| change.file == file).map(|change| change.change.as_str())
}
