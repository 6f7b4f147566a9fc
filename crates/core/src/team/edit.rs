//! Editing tasks: what they are called, what they wait for, what they need.

use std::collections::BTreeSet;

use super::plan::{checked_resources, dependencies, plain};
use super::{By, Event, Refused, Resource, Stage, TaskCreated, TaskId, Team, holds};
use crate::content::ContentRef;

/// A change to a task. Missing fields stay as they are.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    pub title: Option<String>,
    /// The inner `None` removes it.
    pub description: Option<Option<ContentRef>>,
    pub deps: Option<Vec<String>>,
    pub resources: Option<Vec<String>>,
}

/// Edits a task: people, leaders and its creator may. The holder was given its dependencies and resources,
/// so that those stay until it is free again. What was completed stays as it was done. Nothing when nothing changes.
pub fn edit(team: &Team, id: TaskId, by: By<'_>, edit: Edit) -> Result<Vec<Event>, Refused> {
    team.open()?;
    let task = team.task(id)?;
    if !team.directs(by, task) {
        return Err(Refused::NotYours { task: id });
    }
    if task.stage == Stage::Completed {
        return Err(Refused::Over { task: id, status: team.status(task).word() });
    }
    let title = match edit.title {
        Some(title) => plain(&title, "the title of a task")?,
        None => task.title.clone(),
    };
    let deps = match edit.deps {
        Some(deps) => dependencies(team, id, &deps)?.into_iter().collect(),
        None => task.deps.clone(),
    };
    let resources: Vec<Resource> = match edit.resources {
        Some(paths) => checked_resources(team, &paths)?,
        None => task.resources.clone(),
    };
    let description = edit.description.unwrap_or_else(|| task.description.clone());
    if task.stage == Stage::InProgress && (deps != task.deps || resources != task.resources) {
        let holds = holds(task.owner.as_deref().unwrap_or_default(), by);
        return Err(Refused::HeldWhileEdited { task: id, holds });
    }
    if let Some(through) = deps.iter().find(|dep| waits_for(team, **dep, id)) {
        return Err(Refused::Cycle { task: id, through: *through });
    }
    let same_text = |one: &Option<ContentRef>, other: &Option<ContentRef>| {
        one.as_ref().map(|text| &text.sha256) == other.as_ref().map(|text| &text.sha256)
    };
    if title == task.title
        && deps == task.deps
        && resources == task.resources
        && same_text(&description, &task.description)
    {
        return Ok(Vec::new());
    }
    let edited = TaskCreated { task: id, title, description, deps, resources, by: by.id().to_owned() };
    Ok(vec![Event::TaskEdited(Box::new(edited))])
}

/// Says whether a task waits for another, directly or through others.
fn waits_for(team: &Team, task: TaskId, other: TaskId) -> bool {
    let (mut seen, mut left) = (BTreeSet::from([task]), vec![task]);
    while let Some(next) = left.pop() {
        if next == other {
            return true;
        }
        let deps = team.tasks.get(&next).map_or(&[][..], |task| &task.deps[..]);
        left.extend(deps.iter().filter(|dep| seen.insert(**dep)));
    }
    false
}
