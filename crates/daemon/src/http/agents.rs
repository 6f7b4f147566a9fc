//! Definitions of agents: what there is, what each comes to, and whose count.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::definition::{Change, Definition, Kind, Problem, Severity, Version, missing};
use paseo_core::glob::{Glob, Lists};
use paseo_core::settings::Event;
use paseo_core::tool::REGISTRY;
use paseo_wire::agent::{
    AgentEntry, AgentFileChange, AgentList, AgentListQuery, AgentProject, AgentQuery, AgentSource, AgentText,
    AgentView, AgentViewQuery, CheckAgent, CheckedAgent, DefinitionModel, EffectiveTool, ListsView,
    PendingAgent, SaveAgent, TrustAgent, TrustAgents,
};
use paseo_wire::error::Code;
use paseo_wire::words::{DefinitionKind, Guard, Layer};

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Path};
use super::sessions::directory;
use crate::definitions::{Catalogue, Listed, Other, Pending, Source, doubts};
use crate::failure::Failure;
use crate::view::problem;

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<AgentListQuery>) -> Answer<AgentList> {
    shown(&app, &project(query.project)?).page(query.after.as_deref(), query.limit).map(Json)
}

pub(crate) async fn show(
    State(app): State<App>,
    Path(slug): Path<String>,
    Asked(query): Asked<AgentViewQuery>,
) -> Answer<AgentView> {
    let project = project(query.project)?;
    let catalogue = app.sessions.context.definitions.catalogue(&project);
    let named = || catalogue.listed().iter().filter(|listed| listed.definition.slug == slug);
    let found = if query.untrusted {
        named().find(|listed| !listed.trusted)
    } else {
        // What cannot be used can be looked at.
        named().find(|listed| listed.counts).or_else(|| named().next())
    };
    match found {
        Some(listed) => Ok(Json(view(&app, &catalogue, listed, &project))),
        None if query.untrusted => Err(no_untrusted(&catalogue, &slug)),
        None => Err(catalogue
            .get(&slug)
            .err()
            .unwrap_or_else(|| Failure::internal("a definition is missing from the list"))),
    }
}

/// Shows the files that define an agent, whether they count or not.
pub(crate) async fn source(
    State(app): State<App>,
    Path(slug): Path<String>,
    Asked(query): Asked<AgentQuery>,
) -> Answer<AgentSource> {
    let project = project(query.project)?;
    let definitions = &app.sessions.context.definitions;
    let catalogue = definitions.catalogue(&project);
    let Source { file, own, locked, others } = definitions.source(&project, &slug);
    if own.is_none() && locked.is_none() && others.is_empty() {
        catalogue.get(&slug)?;
    }
    let shown = |path: &std::path::Path| path.display().to_string();
    let (text, version) = own.map(|own| (own.text, own.version)).unzip();
    let other =
        |other: Other| AgentText { file: shown(&other.path), origin: other.origin.into(), text: other.text };
    let others = others.into_iter().map(other).collect();
    Ok(Json(AgentSource { slug, file: shown(&file), text, version, locked, others }))
}

pub(crate) async fn trust(
    State(app): State<App>,
    Caller(by): Caller,
    Body(TrustAgents { project, sha256 }): Body<TrustAgents>,
) -> Answer<AgentList> {
    check_hash(&sha256)?;
    let project = directory(&project)?;
    let found =
        app.sessions.context.definitions.catalogue(&project).project.clone().ok_or_else(|| none(&project))?;
    if found.sha256 != sha256 {
        return Err(Failure::new(
            Code::Conflict,
            format!("the definitions in {} have changed since you reviewed them", found.directory),
        )
        .hint("review them again: `paseo agents trust`"));
    }
    let event = Event::ProjectTrusted { project: found.directory, sha256, files: found.files };
    change(&app, &by, event, &project).await
}

/// Trusts one change that waits.
pub(crate) async fn trust_one(
    State(app): State<App>,
    Caller(by): Caller,
    Path(slug): Path<String>,
    Body(TrustAgent { project: asked, sha256 }): Body<TrustAgent>,
) -> Answer<AgentList> {
    check_hash(&sha256)?;
    let project = project(asked)?;
    let context = &app.sessions.context;
    context.definitions.trust(&context.journal, &by, &project, &slug, &sha256).await?;
    Ok(Json(shown(&app, &project)))
}

/// Says what is wrong with a definition that a person is writing; changes nothing.
pub(crate) async fn check(
    State(app): State<App>,
    Path(slug): Path<String>,
    Body(CheckAgent { text }): Body<CheckAgent>,
) -> Answer<CheckedAgent> {
    let problems = app.sessions.context.definitions.check(&slug, &text)?;
    Ok(Json(CheckedAgent { problems }))
}

/// Saves a definition, which a person thereby trusts.
pub(crate) async fn save(
    State(app): State<App>,
    Caller(by): Caller,
    Path(slug): Path<String>,
    Body(SaveAgent { text, version }): Body<SaveAgent>,
) -> Answer<AgentList> {
    let context = &app.sessions.context;
    context.definitions.save(&context.journal, &by, &slug, text, version.as_deref()).await?;
    Ok(Json(shown(&app, "")))
}

pub(crate) async fn distrust(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<AgentQuery>,
) -> Answer<AgentList> {
    let project = project(query.project)?;
    let catalogue = app.sessions.context.definitions.catalogue(&project);
    // The files may be gone, and the trust in them not.
    let directory = catalogue.project.as_ref().map_or(project.clone(), |found| found.directory.clone());
    if !app.sessions.context.settings.get().trusted.contains_key(&directory) {
        return Err(Failure::new(
            Code::NotFound,
            format!("nothing to revoke: the definitions in {directory} are not trusted"),
        )
        .hint("run `paseo agents ls` to see the definitions in use"));
    }
    let context = &app.sessions.context;
    // What is recorded later would bring back what is forgotten now.
    context.definitions.record_news(&context.journal).await?;
    let event = Event::ProjectDistrusted { project: directory.clone() };
    context.settings.change(&context.journal, &by, event).await?;
    context.definitions.forget(&directory);
    Ok(Json(shown(&app, &project)))
}

/// Refuses what cannot be the hash of anything.
fn check_hash(text: &str) -> Result<(), Failure> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_hash {
        return Ok(());
    }
    Err(Failure::new(Code::InvalidRequest, "`sha256` must be 64 hexadecimal digits")
        .hint("pass the `sha256` of the definitions that you reviewed"))
}

async fn change(app: &App, by: &Actor, event: Event, project: &str) -> Answer<AgentList> {
    let context = &app.sessions.context;
    context.settings.change(&context.journal, by, event).await?;
    Ok(Json(shown(app, project)))
}

fn project(asked: Option<String>) -> Result<String, Failure> {
    asked.map(|project| directory(&project)).transpose().map(Option::unwrap_or_default)
}

fn none(project: &str) -> Failure {
    Failure::new(Code::NotFound, format!("{project} has no definitions of its own")).hint(
        "add definitions to .paseo/agents or .claude/agents, in this directory or above it in the same \
         repository",
    )
}

/// Says that there is nothing to look at before it is trusted, or that it is too broken for that.
fn no_untrusted(catalogue: &Catalogue, slug: &str) -> Failure {
    let lost =
        |problem: &&Problem| problem.slug.as_deref() == Some(slug) && problem.severity == Severity::Error;
    if let Some(Problem { file, line, message, .. }) = catalogue.problems.iter().find(lost) {
        let words = format!("cannot show agent definition `{slug}`: {file}:{line}: {message}");
        return Failure::new(Code::Conflict, words);
    }
    let held = catalogue.listed().iter().filter(|listed| !listed.trusted);
    let held: Vec<&str> = held.map(|listed| listed.definition.slug.as_str()).collect();
    let hint = match &held[..] {
        [] => "run `paseo agents ls`; no definitions here need your approval".to_owned(),
        held => format!("choose one of: {}", held.join(", ")),
    };
    Failure::new(Code::NotFound, format!("no untrusted agent definition `{slug}` found")).hint(hint)
}

pub(super) fn shown(app: &App, project: &str) -> AgentList {
    let context = &app.sessions.context;
    let catalogue = context.definitions.catalogue(project);
    let doubts = doubts(&context.definitions, &catalogue, &context.providers, &context.external, project);
    AgentList {
        project: catalogue.project.as_ref().map(|found| AgentProject {
            directory: found.directory.clone(),
            sha256: found.sha256.clone(),
            trust: found.trust.into(),
            files: found.files.keys().cloned().collect(),
            changes: found.changes.as_ref().map(changed),
        }),
        agents: catalogue.listed().iter().map(|listed| entry(&catalogue, listed)).collect(),
        problems: catalogue.problems.iter().chain(&doubts).map(problem).collect(),
        pending: catalogue.pending.iter().map(pending).collect(),
        next: None,
    }
}

fn pending(pending: &Pending) -> PendingAgent {
    let text = |version: &Version| version.text.to_string();
    PendingAgent {
        slug: pending.slug.clone(),
        origin: if pending.layer.is_home() { Layer::Home } else { Layer::Project },
        change: pending.waiting.kind.into(),
        file: pending.file().map(str::to_owned),
        widens: pending.widens(),
        sha256: pending.sha256.clone(),
        before: pending.before.as_ref().map(text),
        after: pending.waiting.version.as_ref().map(text),
        diff: pending.diff(),
    }
}

fn changed(changes: &BTreeMap<String, Change>) -> Vec<AgentFileChange> {
    let change =
        |(file, change): (&String, &Change)| AgentFileChange { file: file.clone(), change: (*change).into() };
    changes.iter().map(change).collect()
}

fn entry(catalogue: &Catalogue, listed: &Listed) -> AgentEntry {
    let Listed { definition, counts, trusted } = listed;
    AgentEntry {
        slug: definition.slug.clone(),
        name: definition.name.clone(),
        description: definition.description.clone(),
        icon: definition.icon.as_ref().map(ToString::to_string),
        color: definition.color.map(Into::into),
        kind: match definition.kind {
            Kind::Chat => DefinitionKind::Chat,
            Kind::External { .. } => DefinitionKind::External,
        },
        provider: definition.provider.clone(),
        is_subagent: definition.is_subagent,
        ui_visible: definition.ui_visible,
        origin: definition.source.origin.into(),
        file: definition.source.file.clone(),
        counts: *counts,
        trusted: *trusted,
        notice: notice(catalogue, listed),
        permissions: definition.permissions.map(Into::into),
        guard: definition.guarded.then_some(Guard::Lease),
        tools: lists(&definition.scope.tools),
        ceiling: definition.ceiling.as_deref().map(words),
        directory: definition.directory.clone(),
    }
}

/// Says why a version counts that is not what its file says, or why it does not and nothing else does in its place.
fn notice(catalogue: &Catalogue, listed: &Listed) -> Option<String> {
    let slug = &listed.definition.slug;
    match listed.counts {
        true => catalogue.notice(slug).map(str::to_owned),
        // Of an untrusted one that is known already.
        false if !listed.trusted => None,
        false => catalogue.get(slug).err().map(|refused| refused.message),
    }
}

fn view(app: &App, catalogue: &Catalogue, listed: &Listed, project: &str) -> AgentView {
    let context = &app.sessions.context;
    let doubts = doubts(&context.definitions, catalogue, &context.providers, &context.external, project);
    let (definition, settings) = (&listed.definition, context.settings.get());
    let tools = REGISTRY.iter().map(|spec| {
        let reason = missing(spec, definition, &settings, &context.plugins_off).map(|why| why.to_string());
        let (name, summary) = (spec.name.to_owned(), spec.summary.to_owned());
        EffectiveTool { name, summary, granted: reason.is_none(), reason }
    });
    let models = definition.models.iter().map(|model| DefinitionModel {
        model: model.model.clone(),
        key: model.key.clone().map(Into::into),
        effort: model.effort.clone(),
    });
    let (input_url, callback_base_url) = match definition.kind.clone() {
        Kind::Chat => (None, None),
        Kind::External { input_url, callback_base_url, .. } => (Some(input_url), callback_base_url),
    };
    AgentView {
        agent: entry(catalogue, listed),
        models: models.collect(),
        effort: definition.effort.clone(),
        prompt: definition.base_prompt(),
        capabilities: lists(&definition.scope.capabilities),
        exposure: definition.exposure.into(),
        skills: lists(&definition.skills),
        agents: lists(&definition.agents),
        input_url,
        callback_base_url,
        effective_tools: tools.collect(),
        problems: catalogue
            .problems
            .iter()
            .chain(&doubts)
            .filter(|problem| concerns(problem, definition))
            .map(problem)
            .collect(),
    }
}

fn concerns(problem: &Problem, definition: &Definition) -> bool {
    problem.slug.as_ref() == Some(&definition.slug) && Some(&problem.file) == definition.source.file.as_ref()
}

fn lists(lists: &Lists) -> ListsView {
    ListsView { allow: lists.allow.as_deref().map(words), deny: words(&lists.deny) }
}

fn words(globs: &[Glob]) -> Vec<String> {
    globs.iter().map(|glob| glob.as_str().to_owned()).collect()
}
