//! Routes: teams: agents, tasks with leases, inboxes and write access.

use axum::routing::{delete, get, patch, post};
use paseo_core::tool::{
    TASKS_CANCEL, TASKS_CLAIM, TASKS_COMPLETE, TASKS_CREATE, TASKS_FAIL, TASKS_LIST, TASKS_RELEASE,
    TASKS_RENEW,
};
use paseo_wire::past::PastQuery;
use paseo_wire::team::{AgainQuery, InboxQuery, NoticeQuery, RefusalQuery, TaskQuery, TeamQuery, WriteQuery};

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::teams;

pub(super) static TEAMS: Group = Group {
    tag: "teams",
    about: "Teams: agents, tasks with leases, inboxes and write access.",
    routes: &[
        route("listTeams", "GET", "/api/teams", Access::Human, || get(teams::list))
            .says("List teams by id")
            .asks(query::<TeamQuery>())
            .gives("TeamPage"),
        route("createTeam", "POST", "/api/teams", Access::Human, || post(teams::create))
            .seeks()
            .says("Create a team")
            .takes("CreateTeam")
            .gives("TeamAnswer"),
        route("getTeam", "GET", "/api/teams/{team}", Access::Member(TASKS_LIST), || get(teams::show))
            .compares()
            .says("Get a team, as it is or as it was at a moment")
            .asks(query::<PastQuery>())
            .gives("TeamAnswer"),
        route("closeTeam", "DELETE", "/api/teams/{team}", Access::Member(TASKS_CANCEL), || {
            delete(teams::close)
        })
        .says("Close a team: its leases and tokens end, its history remains, and its id is not reused")
        .gives("TeamAnswer"),
        route(
            "removeTeamAgent",
            "DELETE",
            "/api/teams/{team}/agents/{agent}",
            Access::Member(TASKS_RELEASE),
            || delete(teams::take_out),
        )
        .says("Remove an agent from a team (`-` is the caller): its tasks are released and its tokens end")
        .gives("TeamAnswer"),
        route("addTeamAgent", "POST", "/api/teams/{team}/agents", Access::Human, || post(teams::enrol))
            .says("Add an agent to a team, or update its role")
            .takes("EnrolAgent")
            .gives("TeamAnswer"),
        route(
            "createTeamAgentToken",
            "POST",
            "/api/teams/{team}/agents/{agent}/tokens",
            Access::Human,
            || post(teams::create_token),
        )
        .says(
            "Create a token for one agent of the team, adding the agent if needed (`again=true` re-adds a \
             removed one)",
        )
        .asks(query::<AgainQuery>())
        .gives("CreatedToken"),
        route("listTasks", "GET", "/api/teams/{team}/tasks", Access::Member(TASKS_LIST), || {
            get(teams::tasks)
        })
        .compares()
        .says("List a team's tasks by id, as they are or as they were at a moment")
        .asks(query::<TaskQuery>())
        .gives("TaskPage"),
        route("createTask", "POST", "/api/teams/{team}/tasks", Access::Member(TASKS_CREATE), || {
            post(teams::create_task)
        })
        .seeks()
        .says("Create a task; supports Idempotency-Key")
        .takes("CreateTask")
        .heeds(&["Idempotency-Key"])
        .gives("TaskAnswer"),
        route("getTask", "GET", "/api/teams/{team}/tasks/{task}", Access::Member(TASKS_LIST), || {
            get(teams::task)
        })
        .says("Get a task")
        .gives("TaskAnswer"),
        route("editTask", "PATCH", "/api/teams/{team}/tasks/{task}", Access::Member(TASKS_CREATE), || {
            patch(teams::edit_task)
        })
        .says(
            "Update a task; while a member owns it, only its title and description, and nothing once it is \
             completed",
        )
        .takes("EditTask")
        .gives("TaskAnswer"),
        route(
            "claimTask",
            "POST",
            "/api/teams/{team}/tasks/{task}/claim",
            Access::Member(TASKS_CLAIM),
            || post(teams::claim),
        )
        .says("Claim a task; returns the lease and its epoch")
        .takes("ClaimTask")
        .gives("TaskAnswer"),
        route(
            "renewTask",
            "POST",
            "/api/teams/{team}/tasks/{task}/renew",
            Access::Member(TASKS_RENEW),
            || post(teams::renew),
        )
        .says("Renew the lease on a task")
        .takes("RenewTask")
        .gives("TaskAnswer"),
        route(
            "completeTask",
            "POST",
            "/api/teams/{team}/tasks/{task}/complete",
            Access::Member(TASKS_COMPLETE),
            || post(teams::complete),
        )
        .says("Complete a task")
        .takes("EndTask")
        .gives("TaskAnswer"),
        route("failTask", "POST", "/api/teams/{team}/tasks/{task}/fail", Access::Member(TASKS_FAIL), || {
            post(teams::fail)
        })
        .says("Mark a task as failed")
        .takes("EndTask")
        .gives("TaskAnswer"),
        route(
            "releaseTask",
            "POST",
            "/api/teams/{team}/tasks/{task}/release",
            Access::Member(TASKS_RELEASE),
            || post(teams::release),
        )
        .says("Release a task")
        .takes("ReleaseTask")
        .gives("TaskAnswer"),
        route(
            "cancelTask",
            "POST",
            "/api/teams/{team}/tasks/{task}/cancel",
            Access::Member(TASKS_CANCEL),
            || post(teams::cancel),
        )
        .says("Cancel a task for the whole team")
        .gives("TaskAnswer"),
        route(
            "retryTask",
            "POST",
            "/api/teams/{team}/tasks/{task}/retry",
            Access::Member(TASKS_CREATE),
            || post(teams::retry),
        )
        .says("Reopen a failed or canceled task")
        .gives("TaskAnswer"),
        route(
            "reassignTask",
            "POST",
            "/api/teams/{team}/tasks/{task}/reassign",
            Access::Member(TASKS_CREATE),
            || post(teams::reassign),
        )
        .says("Reassign a task, or return it to the queue")
        .takes("ReassignTask")
        .gives("TaskAnswer"),
        route("listInbox", "GET", "/api/teams/{team}/inbox", Access::Member(TASKS_LIST), || {
            get(teams::inbox)
        })
        .says("List the caller's inbox: team events and thread messages, oldest first")
        .asks(query::<InboxQuery>())
        .gives("NoticePage"),
        route("listAuditTrail", "GET", "/api/teams/{team}/audit", Access::Member(TASKS_LIST), || {
            get(teams::audit)
        })
        .says("List a team's audit trail, oldest first unless `newest` is set")
        .asks(query::<NoticeQuery>())
        .gives("NoticePage"),
        route("listRefusals", "GET", "/api/teams/{team}/refusals", Access::Member(TASKS_LIST), || {
            get(teams::refusals)
        })
        .says("List recent writes that guards refused, newest first")
        .asks(query::<RefusalQuery>())
        .gives("RefusalList"),
        route("checkWrite", "GET", "/api/teams/{team}/can-write", Access::Member(TASKS_LIST), || {
            get(teams::can_write)
        })
        .says("Get whether an agent may write to a path, and why")
        .asks(query::<WriteQuery>())
        .gives("WriteAnswer"),
    ],
};
