//! Editing tasks, and what is checked of any task before the rules see it.

use std::sync::Arc;

use paseo_core::limits::TASK_DESCRIPTION_BYTES;
use paseo_core::team::{self, Edit, TaskId, Team, TeamId};
use paseo_wire::error::Code;

use super::{Acting, Change, Teams, links};
use crate::failure::Failure;
use crate::sessions::to_the_end;

/// A change to a task. Missing fields stay as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct EditedTask {
    pub(crate) title: Option<String>,
    /// An empty one removes it.
    pub(crate) description: Option<String>,
    pub(crate) deps: Option<Vec<String>>,
    pub(crate) resources: Option<Vec<String>>,
}

impl Teams {
    /// Edits a task.
    pub(crate) async fn edit(
        &self,
        acting: &Acting,
        id: &TeamId,
        task: TaskId,
        wanted: EditedTask,
    ) -> Result<Arc<Team>, Failure> {
        wanted.description.as_deref().map_or(Ok(()), check_description)?;
        if let Some(resources) = &wanted.resources {
            let project = self.get(id).await?.directory.clone();
            check_resources(project.as_deref(), resources, false).await?;
        }
        let (this, acting, id) = (self.clone(), acting.clone(), id.clone());
        to_the_end(async move {
            let decide = |team: &Team, change: &mut Change| {
                let EditedTask { title, description, deps, resources } = wanted.clone();
                let description = description
                    .map(|text| Some(text).filter(|text| !text.trim().is_empty()))
                    .map(|text| text.map(|text| change.text(&text)));
                team::edit(team, task, acting.by(), Edit { title, description, deps, resources })
            };
            this.decide(&acting.actor, &id, None, decide).await.map(|(team, _)| team)
        })
        .await
    }
}

/// Refuses a description that is too long.
pub(super) fn check_description(text: &str) -> Result<(), Failure> {
    if text.len() <= TASK_DESCRIPTION_BYTES {
        return Ok(());
    }
    let most = TASK_DESCRIPTION_BYTES / 1024;
    Err(Failure::new(Code::TooLarge, format!("the description is too long; the limit is {most} KB"))
        .hint("put the rest into a thread linked to the task"))
}

/// Refuses resources that are links or patterns; `literal`: takes patterns for names, as teamd does.
pub(super) async fn check_resources(
    project: Option<&str>,
    resources: &[String],
    literal: bool,
) -> Result<(), Failure> {
    for resource in resources {
        links::check(project, resource).await?;
        if !literal {
            links::check_plain(project, resource).await?;
        }
    }
    Ok(())
}
