//! One method per route of teams. A `team` of `-` is the caller's own, or the only one there is.

use http::Method;
use paseo_wire::past::PastQuery;
use paseo_wire::settings::CreatedToken;
use paseo_wire::team::{
    ClaimTask, CreateTask, CreateTeam, EditTask, EndTask, EnrolAgent, InboxQuery, NoticePage, NoticeQuery,
    ReassignTask, RefusalList, RefusalQuery, ReleaseTask, RenewTask, TaskAnswer, TaskPage, TaskQuery,
    TeamAnswer, TeamPage, TeamQuery, WriteAnswer, WriteQuery,
};
use serde::Serialize;

use crate::client::Ask;
use crate::routes::keyed;
use crate::uri::{path, query};
use crate::{Client, Error};

impl Client {
    /// Returns a page of teams.
    pub async fn teams(&self, asked: &TeamQuery) -> Result<TeamPage, Error> {
        self.get(&format!("/api/teams{}", query(asked))).await
    }

    /// Makes a team.
    pub async fn create_team(&self, wanted: &CreateTeam) -> Result<TeamAnswer, Error> {
        self.read(Ask::new(Method::POST, "/api/teams").json(wanted)).await
    }

    /// Shows a team.
    pub async fn team(&self, team: &str) -> Result<TeamAnswer, Error> {
        self.get(&path(["api", "teams", team])).await
    }

    /// Shows a team as it was.
    pub async fn past_team(&self, team: &str, past: &PastQuery) -> Result<TeamAnswer, Error> {
        self.get(&format!("{}{}", path(["api", "teams", team]), query(past))).await
    }

    /// Takes an agent into a team, or changes its role.
    pub async fn enrol(&self, team: &str, agent: &EnrolAgent) -> Result<TeamAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "teams", team, "agents"])).json(agent)).await
    }

    /// Takes an agent out of a team; `-` is the caller itself.
    pub async fn leave_team(&self, team: &str, agent: &str) -> Result<TeamAnswer, Error> {
        self.read(Ask::new(Method::DELETE, &path(["api", "teams", team, "agents", agent]))).await
    }

    /// Closes a team.
    pub async fn close_team(&self, team: &str) -> Result<TeamAnswer, Error> {
        self.read(Ask::new(Method::DELETE, &path(["api", "teams", team]))).await
    }

    /// Makes a token that acts as one agent of a team; `again`: also as one who was taken out of it.
    pub async fn create_agent_token(
        &self,
        team: &str,
        agent: &str,
        again: bool,
    ) -> Result<CreatedToken, Error> {
        let asked = if again { "?again=true" } else { "" };
        let route = path(["api", "teams", team, "agents", agent, "tokens"]);
        self.read(Ask::new(Method::POST, &format!("{route}{asked}"))).await
    }

    /// Returns a page of the tasks of a team.
    pub async fn tasks(&self, team: &str, asked: &TaskQuery) -> Result<TaskPage, Error> {
        self.get(&format!("{}{}", path(["api", "teams", team, "tasks"]), query(asked))).await
    }

    /// Makes a task. Repeated with the same key, it is made once.
    pub async fn create_task(
        &self,
        team: &str,
        wanted: &CreateTask,
        key: Option<&str>,
    ) -> Result<TaskAnswer, Error> {
        let ask = Ask::new(Method::POST, &path(["api", "teams", team, "tasks"]));
        self.read(keyed(ask, key).json(wanted)).await
    }

    /// Shows a task.
    pub async fn task(&self, team: &str, task: &str) -> Result<TaskAnswer, Error> {
        self.get(&path(["api", "teams", team, "tasks", task])).await
    }

    /// Takes a task.
    pub async fn claim_task(&self, team: &str, task: &str, body: &ClaimTask) -> Result<TaskAnswer, Error> {
        self.on_task(team, task, "claim", body).await
    }

    /// Keeps a task longer.
    pub async fn renew_task(&self, team: &str, task: &str, body: &RenewTask) -> Result<TaskAnswer, Error> {
        self.on_task(team, task, "renew", body).await
    }

    /// Says that a task is done.
    pub async fn complete_task(&self, team: &str, task: &str, body: &EndTask) -> Result<TaskAnswer, Error> {
        self.on_task(team, task, "complete", body).await
    }

    /// Says that a task cannot be done.
    pub async fn fail_task(&self, team: &str, task: &str, body: &EndTask) -> Result<TaskAnswer, Error> {
        self.on_task(team, task, "fail", body).await
    }

    /// Gives a task back.
    pub async fn release_task(&self, team: &str, task: &str, epoch: u64) -> Result<TaskAnswer, Error> {
        self.on_task(team, task, "release", &ReleaseTask { epoch }).await
    }

    /// Cancels a task for the whole team.
    pub async fn cancel_task(&self, team: &str, task: &str) -> Result<TaskAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "teams", team, "tasks", task, "cancel"]))).await
    }

    /// Reopens a failed or canceled task.
    pub async fn retry_task(&self, team: &str, task: &str) -> Result<TaskAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "teams", team, "tasks", task, "retry"]))).await
    }

    /// Reassigns a task, or returns it to the queue.
    pub async fn reassign_task(
        &self,
        team: &str,
        task: &str,
        body: &ReassignTask,
    ) -> Result<TaskAnswer, Error> {
        self.on_task(team, task, "reassign", body).await
    }

    /// Returns what others did.
    pub async fn inbox(&self, team: &str, asked: &InboxQuery) -> Result<NoticePage, Error> {
        self.get(&format!("{}{}", path(["api", "teams", team, "inbox"]), query(asked))).await
    }

    /// Returns everything that happened in a team.
    pub async fn audit(&self, team: &str, asked: &NoticeQuery) -> Result<NoticePage, Error> {
        self.get(&format!("{}{}", path(["api", "teams", team, "audit"]), query(asked))).await
    }

    /// Returns the recent writes that guards refused.
    pub async fn refusals(&self, team: &str, asked: &RefusalQuery) -> Result<RefusalList, Error> {
        self.get(&format!("{}{}", path(["api", "teams", team, "refusals"]), query(asked))).await
    }

    /// Edits a task.
    pub async fn edit_task(&self, team: &str, task: &str, body: &EditTask) -> Result<TaskAnswer, Error> {
        self.read(Ask::new(Method::PATCH, &path(["api", "teams", team, "tasks", task])).json(body)).await
    }

    /// Says whether an agent may write to a path now.
    pub async fn can_write(&self, team: &str, asked: &WriteQuery) -> Result<WriteAnswer, Error> {
        self.get(&format!("{}{}", path(["api", "teams", team, "can-write"]), query(asked))).await
    }

    async fn on_task<T: Serialize>(
        &self,
        team: &str,
        task: &str,
        act: &str,
        body: &T,
    ) -> Result<TaskAnswer, Error> {
        self.read(Ask::new(Method::POST, &path(["api", "teams", team, "tasks", task, act])).json(body)).await
    }
}
