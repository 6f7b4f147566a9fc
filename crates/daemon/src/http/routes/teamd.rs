//! Routes: the teamd protocol, for clients that speak it.

use axum::routing::{get, post};
use paseo_core::tool::{
    TASKS_CANCEL, TASKS_CLAIM, TASKS_COMPLETE, TASKS_CREATE, TASKS_FAIL, TASKS_LIST, TASKS_RELEASE,
    TASKS_RENEW, TEAM_THREADS_LINK, TEAM_THREADS_POST, TEAM_THREADS_READ_TAIL, TEAM_THREADS_SEARCH,
    TEAM_THREADS_START,
};
use paseo_wire::teamd::{TeamdInboxQuery, TeamdQuery, TeamdSearchQuery, TeamdTailQuery, TeamdWriteQuery};

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::teamd;

pub(super) static TEAMD: Group = Group {
    tag: "teamd",
    about: "The teamd protocol, for clients that speak it.",
    routes: &[
        route("teamdListTeams", "GET", "/v1/teams", Access::Member(TASKS_LIST), || get(teamd::teams))
            .gives("TeamdTeams")
            .says("teamd: list teams"),
        route("teamdCreateTeam", "POST", "/v1/teams", Access::Member(TASKS_LIST), || {
            post(teamd::create_team)
        })
        .takes("TeamdCreateTeam")
        .gives("TeamdTeamAnswer")
        .says("teamd: create a team, or get the existing one")
        .answers(201),
        route("teamdGetTeam", "GET", "/v1/teams/{team}", Access::Member(TASKS_LIST), || get(teamd::team))
            .gives("TeamdTeamAnswer")
            .says("teamd: get a team"),
        route("teamdListTasks", "GET", "/v1/tasks", Access::Member(TASKS_LIST), || get(teamd::tasks))
            .seeks()
            .gives("TeamdTasks")
            .says("teamd: list tasks")
            .asks(query::<TeamdQuery>()),
        route("teamdCreateTask", "POST", "/v1/tasks", Access::Member(TASKS_CREATE), || {
            post(teamd::create_task)
        })
        .seeks()
        .takes("TeamdCreateTask")
        .gives("TeamdTaskAnswer")
        .says("teamd: create a task; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .answers(201),
        route("teamdGetTask", "GET", "/v1/tasks/{task}", Access::Member(TASKS_LIST), || get(teamd::task))
            .compares()
            .gives("TeamdTaskAnswer")
            .says("teamd: get a task")
            .asks(query::<TeamdQuery>()),
        route("teamdClaimTask", "POST", "/v1/tasks/{task}/claim", Access::Member(TASKS_CLAIM), || {
            post(teamd::claim)
        })
        .takes("TeamdClaim")
        .gives("TeamdTaskAnswer")
        .says("teamd: claim a task"),
        route("teamdRenewTask", "POST", "/v1/tasks/{task}/renew", Access::Member(TASKS_RENEW), || {
            post(teamd::renew)
        })
        .takes("TeamdKeep")
        .gives("TeamdTaskAnswer")
        .says("teamd: renew the lease on a task"),
        route(
            "teamdCompleteTask",
            "POST",
            "/v1/tasks/{task}/complete",
            Access::Member(TASKS_COMPLETE),
            || post(teamd::complete),
        )
        .takes("TeamdEnd")
        .gives("TeamdTaskAnswer")
        .says("teamd: complete a task"),
        route("teamdFailTask", "POST", "/v1/tasks/{task}/fail", Access::Member(TASKS_FAIL), || {
            post(teamd::fail)
        })
        .takes("TeamdEnd")
        .gives("TeamdTaskAnswer")
        .says("teamd: mark a task as failed"),
        route("teamdReleaseTask", "POST", "/v1/tasks/{task}/release", Access::Member(TASKS_RELEASE), || {
            post(teamd::release)
        })
        .takes("TeamdKeep")
        .gives("TeamdTaskAnswer")
        .says("teamd: release a task"),
        route("teamdCancelTask", "POST", "/v1/tasks/{task}/cancel", Access::Member(TASKS_CANCEL), || {
            post(teamd::cancel)
        })
        .takes("TeamdAct")
        .gives("TeamdTaskAnswer")
        .says("teamd: cancel a task"),
        route("teamdRetryTask", "POST", "/v1/tasks/{task}/retry", Access::Member(TASKS_CREATE), || {
            post(teamd::retry)
        })
        .takes("TeamdAct")
        .gives("TeamdTaskAnswer")
        .says("teamd: reopen a failed task"),
        route("teamdListInbox", "GET", "/v1/inbox", Access::Member(TASKS_LIST), || get(teamd::inbox))
            .seeks()
            .gives("TeamdInbox")
            .says("teamd: list the inbox")
            .asks(query::<TeamdInboxQuery>()),
        route("teamdCreateThread", "POST", "/v1/threads", Access::Member(TEAM_THREADS_START), || {
            post(teamd::start_thread)
        })
        .seeks()
        .takes("TeamdCreateThread")
        .gives("TeamdThreadAnswer")
        .says("teamd: create a thread")
        .answers(201),
        route("teamdSearchThreads", "GET", "/v1/threads/search", Access::Member(TEAM_THREADS_SEARCH), || {
            get(teamd::search)
        })
        .seeks()
        .gives("TeamdThreads")
        .says("teamd: search threads")
        .asks(query::<TeamdSearchQuery>()),
        route(
            "teamdPostMessage",
            "POST",
            "/v1/threads/{thread}/messages",
            Access::Member(TEAM_THREADS_POST),
            || post(teamd::post_message),
        )
        .takes("TeamdPost")
        .gives("TeamdMessageAnswer")
        .says("teamd: send a message to a thread")
        .answers(201),
        route(
            "teamdTailThread",
            "GET",
            "/v1/threads/{thread}/tail",
            Access::Member(TEAM_THREADS_READ_TAIL),
            || get(teamd::tail),
        )
        .compares()
        .gives("TeamdTail")
        .says("teamd: list the newest messages of a thread")
        .asks(query::<TeamdTailQuery>()),
        route(
            "teamdLinkThread",
            "POST",
            "/v1/threads/{thread}/link",
            Access::Member(TEAM_THREADS_LINK),
            || post(teamd::link),
        )
        .takes("TeamdLink")
        .gives("TeamdThreadAnswer")
        .says("teamd: link a thread to a task"),
        route("teamdCheckWrite", "GET", "/v1/can-write", Access::Member(TASKS_LIST), || {
            get(teamd::can_write)
        })
        .gives("TeamdWriteAnswer")
        .says("teamd: get whether an agent may write to a path")
        .asks(query::<TeamdWriteQuery>()),
    ],
};
