//! Tasks that cannot be in progress at the same time, unless one member holds them: their resources overlap, by the rule
//! that claims follow. Those of which one waits for the other never are, so they are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::{Resource, Stage, Task, TaskId, Team};
use crate::limits::TASK_OVERLAPS;

/// Another task that needs the same files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    pub task: TaskId,
    /// The resource of this task, and that of the other.
    pub own: Resource,
    pub theirs: Resource,
}

/// The resources of the tasks that are not over, to compare many tasks with.
pub struct Needs<'a> {
    team: &'a Team,
    /// Which tasks name a resource, in the order of paths.
    by_path: BTreeMap<&'a str, Vec<TaskId>>,
    /// Which tasks wait for a task.
    dependants: BTreeMap<TaskId, Vec<TaskId>>,
}

impl<'a> Needs<'a> {
    /// Reads what the tasks of a team need.
    pub fn of(team: &'a Team) -> Self {
        let (mut by_path, mut dependants) = (BTreeMap::new(), BTreeMap::new());
        for (id, task) in &team.tasks {
            for resource in task.resources.iter().filter(|_| is_ahead(task)) {
                by_path.entry(resource.as_str()).or_insert_with(Vec::new).push(*id);
            }
            for dep in &task.deps {
                dependants.entry(*dep).or_insert_with(Vec::new).push(*id);
            }
        }
        Self { team, by_path, dependants }
    }

    /// Returns the tasks that overlap with one, in order of their ids: [`TASK_OVERLAPS`] of them at most.
    pub fn overlaps(&self, id: TaskId) -> Vec<Overlap> {
        let Some(task) = self.team.tasks.get(&id).filter(|task| is_ahead(task)) else { return Vec::new() };
        let mut found: BTreeMap<TaskId, Overlap> = BTreeMap::new();
        for own in &task.resources {
            for (path, tasks) in self.touching(own) {
                for other in tasks.iter().filter(|other| **other != id) {
                    let theirs = self.team.tasks.get(other).and_then(|task| named(task, path));
                    let Some(theirs) = theirs.filter(|theirs| theirs.overlaps(own)) else { continue };
                    let overlap = || Overlap { task: *other, own: own.clone(), theirs: theirs.clone() };
                    found.entry(*other).or_insert_with(overlap);
                }
            }
        }
        if found.is_empty() {
            return Vec::new();
        }
        let ordered = self.ordered(id);
        let same_holder = |other: &TaskId| {
            let holder = |task: &Task| task.lease.as_ref().map(|lease| lease.holder.clone());
            let theirs = self.team.tasks.get(other).and_then(holder);
            theirs.is_some() && theirs == holder(task)
        };
        let apart = found.into_iter().filter(|(other, _)| !ordered.contains(other) && !same_holder(other));
        apart.map(|(_, overlap)| overlap).take(TASK_OVERLAPS).collect()
    }

    /// Returns the paths that are above a resource, the same, or below it.
    fn touching<'b>(
        &'b self,
        own: &'b Resource,
    ) -> Box<dyn Iterator<Item = (&'b str, &'b Vec<TaskId>)> + 'b> {
        let path = own.as_str();
        let known = |path: &'b str| self.by_path.get_key_value(path).map(|(path, tasks)| (*path, tasks));
        if path == "." {
            return Box::new(self.by_path.iter().map(|(path, tasks)| (*path, tasks)));
        }
        let above = path.match_indices('/').map(|(end, _)| &path[..end]);
        let below = format!("{path}/");
        let inside = self
            .by_path
            .range(path..)
            // Between `a` and `a/b` there may be `a-b`.
            .take_while(move |(other, _)| other.starts_with(path))
            .filter(move |(other, _)| other.starts_with(&below))
            .map(|(path, tasks)| (*path, tasks));
        Box::new([".", path].into_iter().chain(above).filter_map(known).chain(inside))
    }

    /// Returns the tasks that a task waits for, and those that wait for it, directly or through others.
    fn ordered(&self, id: TaskId) -> BTreeSet<TaskId> {
        let deps = |task: TaskId| self.team.tasks.get(&task).map_or(&[][..], |task| &task.deps[..]);
        let dependants = |task: TaskId| self.dependants.get(&task).map_or(&[][..], |tasks| &tasks[..]);
        let mut all = reached(id, deps);
        all.extend(reached(id, dependants));
        all
    }
}

/// Returns everything that can be reached from a task.
fn reached<'a>(id: TaskId, next: impl Fn(TaskId) -> &'a [TaskId]) -> BTreeSet<TaskId> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![id]);
    while let Some(task) = left.pop() {
        left.extend(next(task).iter().filter(|other| seen.insert(**other)));
    }
    seen
}

fn is_ahead(task: &Task) -> bool {
    matches!(task.stage, Stage::Open | Stage::InProgress)
}

fn named<'a>(task: &'a Task, path: &str) -> Option<&'a Resource> {
    task.resources.iter().find(|resource| resource.as_str() == path)
}
