//! `paseo agents`

mod edit;
mod trust;

use std::collections::BTreeMap;

use paseo_client::Client;
use paseo_runtime::keys::CHAINS;
use paseo_wire::agent::{
    AgentEntry, AgentList, AgentProblem, AgentQuery, AgentView, AgentViewQuery, ListsView, PendingAgent,
};
use paseo_wire::error::Exit;
use paseo_wire::words::{Layer, PendingChange, PermissionMode, Severity, Trust};

use crate::args::{AgentsCommand, AgentsPlace};
use crate::context::Context;
use crate::failure::Failure;
use crate::printer::{Column, Mode, Printer, Style, Table};

pub(crate) async fn run(context: &Context, command: AgentsCommand) -> Result<Exit, Failure> {
    let client = context.client()?;
    match command {
        AgentsCommand::Ls { place, output } => list(client, &context.printer.with(output), &place).await,
        AgentsCommand::Show { slug, place, untrusted, json } => {
            let printer = context.printer.json_if(json);
            let asked = AgentViewQuery { project: query(&place)?.project, untrusted };
            let view = client.agent(&slug, &asked).await?;
            if printer.mode() == Mode::Json {
                printer.json(&view)?
            } else {
                show(&printer, &view)?
            }
            Ok(Exit::Ok)
        }
        AgentsCommand::Check { place, json } => check(context, &context.printer.json_if(json), &place).await,
        AgentsCommand::Trust(args) => trust::trust(client, &context.printer.json_if(args.json), args).await,
        AgentsCommand::Edit(args) => edit::edit(context, &context.printer, args).await,
    }
}

fn query(place: &AgentsPlace) -> Result<AgentQuery, Failure> {
    let directory = match &place.project {
        Some(directory) => std::path::absolute(directory),
        None => std::env::current_dir(),
    };
    let directory =
        directory.map_err(|error| Failure::usage(format!("cannot use the directory: {error}")))?;
    let directory = directory.into_os_string().into_string();
    let project = directory.map_err(|_| Failure::usage("the path of the directory is not UTF-8"))?;
    Ok(AgentQuery { project: Some(project) })
}

async fn list(client: &Client, printer: &Printer, place: &AgentsPlace) -> Result<Exit, Failure> {
    let list = client.agents(&query(place)?).await?;
    match printer.mode() {
        Mode::Json => printer.json(&list)?,
        Mode::Quiet => {
            list.agents
                .iter()
                .filter(|agent| agent.counts)
                .try_for_each(|agent| printer.line(&agent.slug))?;
        }
        Mode::Normal => {
            printer.table(&table(&list))?;
            remarks(printer, &list);
        }
    }
    Ok(Exit::Ok)
}

fn table(list: &AgentList) -> Table<6> {
    let mut table = Table::new([
        Column::fixed("SLUG"),
        Column::flexible("NAME"),
        Column::fixed("PROVIDER").optional(),
        Column::fixed("KIND").optional(),
        Column::fixed("ORIGIN"),
        Column::flexible("DESCRIPTION").optional(),
    ]);
    // What is beaten by another is seen with --json.
    for agent in list.agents.iter().filter(|agent| agent.counts || !agent.trusted) {
        let (style, origin) = if agent.trusted {
            (Style::Plain, agent.origin.to_string())
        } else {
            (Style::Yellow, format!("{}, not trusted", agent.origin))
        };
        table.row([
            (Style::Bold, agent.slug.clone()),
            (Style::Plain, agent.name.clone()),
            (Style::Plain, provider(agent).to_owned()),
            (Style::Plain, kind(agent)),
            (style, origin),
            (Style::Dim, agent.description.clone().unwrap_or_default()),
        ]);
    }
    table
}

fn provider(agent: &AgentEntry) -> &str {
    match (&agent.provider, agent.kind.as_str()) {
        (Some(provider), _) => provider,
        (None, "external") => "external",
        (None, _) => "default",
    }
}

fn kind(agent: &AgentEntry) -> String {
    let kind = if agent.is_subagent { "subagent" } else { "user" };
    if agent.ui_visible { kind.to_owned() } else { format!("{kind}, hidden") }
}

/// Says on stderr what a list does not show.
fn remarks(printer: &Printer, list: &AgentList) {
    let counting = list.agents.iter().filter(|agent| agent.counts);
    counting.filter_map(|agent| agent.notice.as_ref()).for_each(|notice| printer.warn(notice, None));
    let refused = list
        .pending
        .iter()
        .filter(|pending| pending.origin == Layer::Home && pending.change == PendingChange::New);
    for PendingAgent { slug, widens, .. } in refused {
        let more = if widens.is_empty() { String::new() } else { format!(" ({})", widens.join(", ")) };
        printer.warn(
            &format!("new definition `{slug}` is not trusted yet; it grants more than `default`{more}"),
            None,
        );
    }
    if list.pending.iter().any(|pending| pending.origin == Layer::Home) {
        printer.note("run `paseo agents trust`");
    }
    let held = list.agents.iter().filter(|agent| !agent.trusted && agent.origin == Layer::Project).count();
    if let Some(project) = list.project.as_ref().filter(|project| project.trust != Trust::Trusted && held > 0)
    {
        let changed = project.trust == Trust::Changed;
        let what = match (held, changed) {
            (1, false) => "1 definition is not trusted".to_owned(),
            (1, true) => "1 definition has changed since you trusted it".to_owned(),
            (count, false) => format!("{count} definitions are not trusted"),
            (count, true) => format!("{count} definitions have changed since you trusted them"),
        };
        printer.note(&format!("{what} in {}; to review, run `paseo agents trust`", project.directory));
    }
    let (errors, warnings): (Vec<_>, Vec<_>) =
        list.problems.iter().partition(|problem| problem.severity == Severity::Error);
    // What concerns no single definition may concern them all.
    let shared = errors.iter().filter(|problem| problem.slug.is_none());
    shared.for_each(|AgentProblem { file, line, message, .. }| {
        printer.warn(&format!("{file}:{line}: {message}"), None);
    });
    if !errors.is_empty() && list.agents.iter().all(|agent| !agent.counts) {
        printer.note("fix it before using any definition");
    }
    match (errors.len(), warnings.len()) {
        (0, 0) => {}
        (0, 1) => printer.aside("1 warning; see `paseo agents check`"),
        (0, count) => printer.aside(&format!("{count} warnings; see `paseo agents check`")),
        (1, _) => printer.note("1 problem; see `paseo agents check`"),
        (count, _) => printer.note(&format!("{count} problems; see `paseo agents check`")),
    }
}

fn show(printer: &Printer, view: &AgentView) -> Result<(), Failure> {
    let mut table = Table::new([Column::fixed(""), Column::wrapped("")]);
    for (key, value) in rows(view) {
        if !value.is_empty() {
            table.row([(Style::Dim, key.to_owned()), (Style::Plain, value)]);
        }
    }
    for (reason, names) in granted(view) {
        let (key, style) = match reason {
            None => ("can use", Style::Green),
            Some(_) => ("cannot use", Style::Dim),
        };
        let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        table.row([(Style::Dim, key.to_owned()), (style, format!("{}{why}", names.join(", ")))]);
    }
    printer.table(&table)?;
    if let Some(prompt) = &view.prompt {
        printer.text("")?;
        printer.prose(prompt)?;
    }
    for AgentProblem { file, line, message, .. } in &view.problems {
        printer.warn(&format!("{file}:{line}: {message}"), None);
    }
    match &view.agent.notice {
        Some(notice) if view.agent.counts => {
            printer.warn(notice, Some("run `paseo agents trust`"));
        }
        Some(notice) => {
            printer.warn(&format!("this version has no effect: {notice}"), Some("run `paseo agents check`"));
        }
        None => {}
    }
    if !view.agent.trusted {
        printer.note("not trusted yet; run `paseo agents trust`");
    }
    Ok(())
}

/// Groups the tools by why they are withheld; `None` for those that are granted, which come first.
fn granted(view: &AgentView) -> BTreeMap<Option<&str>, Vec<&str>> {
    let mut groups: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for tool in &view.effective_tools {
        let reason = (!tool.granted).then(|| tool.reason.as_deref().unwrap_or("not granted"));
        groups.entry(reason).or_default().push(&tool.name);
    }
    groups
}

fn rows(view: &AgentView) -> Vec<(&'static str, String)> {
    let agent = &view.agent;
    let mut models = view.models.iter().map(|model| {
        let effort = model.effort.as_ref().map(|effort| format!(" ({effort})")).unwrap_or_default();
        let key = model.key.as_ref().map(|key| format!(" with the key {key}")).unwrap_or_default();
        format!("{}{effort}{key}", model.model)
    });
    // Others take one model, and know no next.
    let goes_on = agent.provider.as_deref().is_none_or(|provider| CHAINS.contains(&provider));
    let models = match (models.next(), models.collect::<Vec<_>>().join(", then ")) {
        (Some(first), others) if others.is_empty() => first,
        (Some(first), others) if goes_on => format!("{first}, then {others}"),
        (Some(first), others) => {
            format!("{first}; {} has no fallback, so these have no effect: {others}", provider(agent))
        }
        (None, _) => String::new(),
    };
    let origin = match &agent.file {
        Some(file) => format!("{} ({file})", agent.origin),
        None => agent.origin.to_string(),
    };
    vec![
        ("slug", agent.slug.clone()),
        ("name", agent.name.clone()),
        ("description", agent.description.clone().unwrap_or_default()),
        ("icon", agent.icon.clone().unwrap_or_default()),
        ("color", agent.color.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("origin", origin),
        ("kind", kind(agent)),
        ("provider", provider(agent).to_owned()),
        ("models", models),
        ("effort", view.effort.clone().unwrap_or_default()),
        ("permissions", permissions(agent)),
        ("guard", agent.guard.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("tools", lists(&agent.tools)),
        ("capabilities", lists(&view.capabilities)),
        ("exposure", view.exposure.to_string()),
        ("skills", lists(&view.skills)),
        ("sees", lists(&view.agents)),
        ("can pass on", agent.ceiling.as_ref().map(|ceiling| ceiling.join(", ")).unwrap_or_default()),
        ("directory", agent.directory.clone().unwrap_or_default()),
        ("posts to", view.input_url.clone().unwrap_or_default()),
    ]
}

/// Without any, it is what an agent has otherwise.
fn permissions(agent: &AgentEntry) -> String {
    agent
        .permissions
        .as_ref()
        .map_or("full; if another agent starts this one, that agent's mode", PermissionMode::as_str)
        .to_owned()
}

fn lists(lists: &ListsView) -> String {
    let allow = match lists.allow.as_deref() {
        None => "all".to_owned(),
        Some([]) => "none".to_owned(),
        Some(allow) => allow.join(", "),
    };
    if lists.deny.is_empty() { allow } else { format!("{allow}, except {}", lists.deny.join(", ")) }
}

async fn check(context: &Context, printer: &Printer, place: &AgentsPlace) -> Result<Exit, Failure> {
    let mut list = context.client()?.agents(&query(place)?).await?;
    // A daemon that runs does not know what it would be started with.
    let config = context.settings.home.join("config.toml").display().to_string();
    let problem = context.settings.problem.as_ref().map(|problem| misconfigured(&config, &problem.message));
    // What is wrong with the whole file may be known already.
    let known =
        |new: &AgentProblem| list.problems.iter().any(|old| (&old.file, old.line) == (&new.file, new.line));
    if let Some(problem) = problem.filter(|problem| !known(problem)) {
        list.problems.push(problem);
    }
    if printer.mode() == Mode::Json {
        printer.json(&list)?;
    } else {
        list.problems.iter().try_for_each(|problem| printer.line(&located(problem)))?;
        if list.problems.is_empty() {
            let count = list.agents.iter().filter(|agent| agent.file.is_some()).count();
            let what = if count == 1 { "1 definition".to_owned() } else { format!("{count} definitions") };
            printer.note(&format!("{what}, no problems"));
        }
    }
    let lost = list.problems.iter().any(|problem| problem.severity == Severity::Error);
    Ok(if lost { Exit::AgentError } else { Exit::Ok })
}

/// Makes a problem of the words about `config.toml`, which begin with file and line if they are about one.
fn misconfigured(config: &str, message: &str) -> AgentProblem {
    let place = message.strip_prefix(config).and_then(|rest| rest.strip_prefix(':')?.split_once(": "));
    let place = place.and_then(|(line, words)| Some((line.parse().ok()?, words)));
    let (line, words) = place.unwrap_or((1, message));
    AgentProblem {
        file: config.to_owned(),
        line,
        message: words.to_owned(),
        slug: None,
        severity: Severity::Error,
    }
}

fn located(problem: &AgentProblem) -> String {
    let severity = if problem.severity == Severity::Warning { "warning: " } else { "" };
    format!("{}:{}: {severity}{}", problem.file, problem.line, problem.message)
}
