//! The table of routes: it builds the router, feeds the OpenAPI document and the test that tries them all.

use axum::routing::{delete, get, patch, post, put};
use paseo_core::tool::{
    READ_TAB, SEND_TO_TAB, TASKS_CANCEL, TASKS_CLAIM, TASKS_COMPLETE, TASKS_CREATE, TASKS_FAIL, TASKS_LIST,
    TASKS_RELEASE, TASKS_RENEW, TEAM_THREADS_LINK, TEAM_THREADS_POST, TEAM_THREADS_READ_TAIL,
    TEAM_THREADS_SEARCH, TEAM_THREADS_START, THREADS_INVITE, THREADS_POST, THREADS_READ, TMUX_ATTACH,
    TMUX_CAPTURE, TMUX_KILL, TMUX_LIST, TMUX_SEND, TMUX_START,
};

use super::gate::Access;
use super::route::{Route, route};
use super::{
    admin, agents, attachments, back, bridge, conversations, devices, external, items, leave, listing,
    messages, openapi, permissions, providers, rules, search, sessions, stream, teamd, teams, threads, tools,
    trace, web, workers, worktrees,
};
use crate::mcp;

/// Every route there is.
pub(crate) static ROUTES: &[Route] = &[
    route("GET", "/healthz", Access::Public, || get(admin::health))
        .says("Get the daemon's health")
        .gives("Health"),
    route("GET", "/api/openapi.json", Access::Anyone, || get(openapi::document)).says("Get this document"),
    route("GET", "/api/status", Access::Anyone, || get(admin::status))
        .says("Get the daemon's status")
        .gives("DaemonStatus"),
    route("GET", "/api/whoami", Access::Anyone, || get(admin::whoami))
        .says("Get the caller's identity")
        .gives("WhoAmI"),
    route("GET", "/api/whereabouts", Access::Human, || get(conversations::whereabouts))
        .says("Get the session of a project that the caller is in")
        .asks(&["project"])
        .gives("Whereabouts"),
    route("POST", "/api/shutdown", Access::Human, || post(admin::shutdown))
        .says("Stop the daemon gracefully")
        .answers(202),
    route("GET", "/api/sessions", Access::Human, || get(listing::list))
        .says("List sessions, pinned first, then newest; with `brief`, returns SessionLines")
        .asks(&["labels", "ui", "any_labels", "all_statuses", "project", "agent", "after", "limit", "brief"])
        .gives("SessionPage"),
    route("POST", "/api/sessions", Access::Human, || post(sessions::create))
        .says("Create a session, optionally with a first message; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .takes("CreateSession")
        .gives("CreatedSession"),
    route("GET", "/api/sessions/{id}", Access::Human, || get(sessions::show))
        .says("Get a session")
        .gives("SessionAnswer"),
    route("GET", "/api/sessions/{id}/prompt", Access::Human, || get(sessions::prompt))
        .says("Get the text added to a session's prompt")
        .gives("PromptView"),
    route("GET", "/api/sessions/{id}/secret", Access::Human, || get(external::secret))
        .says("Get the shared secret of an external agent")
        .gives("SecretView"),
    route("GET", "/api/sessions/{id}/tools", Access::Human, || get(tools::of))
        .says("Get the tools an agent may use")
        .gives("ToolList"),
    route("PATCH", "/api/sessions/{id}", Access::Human, || patch(sessions::patch))
        .says("Update a session's name, labels, pin and attributes")
        .takes("PatchSession")
        .gives("SessionAnswer"),
    route("DELETE", "/api/sessions/{id}", Access::Human, || delete(sessions::remove))
        .says("Delete a session and its transcript")
        .asks(&["force"])
        .gives("ActionAnswer"),
    route("GET", "/api/sessions/{id}/last-turn", Access::Tool(READ_TAB), || get(items::last_turn))
        .says("Get an agent's last turn")
        .gives("LastTurn"),
    route("GET", "/api/sessions/{id}/items", Access::Human, || get(items::page))
        .says("List transcript items, one page at a time")
        .asks(&["after", "before", "limit"])
        .gives("ItemPage"),
    route("GET", "/api/sessions/{id}/items/{ordinal}/text", Access::Human, || get(items::text))
        .says("Get the full text of an item")
        .made_of("text/plain"),
    route("POST", "/api/sessions/{id}/messages", Access::Tool(SEND_TO_TAB), || post(messages::send))
        .says("Send a message; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .takes("SendMessage")
        .gives("Receipt"),
    route("POST", "/api/attachments", attachments::UPLOAD, || post(attachments::upload))
        .says("Upload a file for a message (the body is the file, at most 32 MB; its type is detected)")
        .asks(&["name"])
        .streamed()
        .gives("UploadedAttachment"),
    route("GET", "/api/sessions/{id}/attachments/{attachment}", Access::Human, || get(attachments::show))
        .says("Get an attached file; images are shown inline, other files are downloaded")
        .made_of("application/octet-stream"),
    route("GET", "/api/sessions/{id}/queue", Access::Human, || get(messages::queue))
        .says("List a session's queued messages with previews")
        .gives("Queue"),
    route("GET", "/api/sessions/{id}/deliveries/{delivery}", Access::Tool(SEND_TO_TAB), || {
        get(messages::delivery)
    })
    .says("Get a delivery and its outcome")
    .gives("DeliveryView"),
    route("POST", "/api/sessions/{id}/stop", Access::Human, || post(sessions::stop))
        .says("Stop the running turn and hold the queue until a person sends a message")
        .gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/close", Access::Human, || post(sessions::close))
        .says("Close a session")
        .gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/reopen", Access::Human, || post(sessions::reopen))
        .says("Reopen a closed session")
        .gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/clear", Access::Human, || post(sessions::clear))
        .says("Clear a session's transcript and start over")
        .gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/back", Access::Human, || post(back::back))
        .says("Get a summary from a session, deliver it to the previous one, and return there")
        .takes("GoBack")
        .gives("WentBack"),
    route("GET", "/api/agents/{slug}/sessions", Access::Human, || get(conversations::list))
        .says("List the sessions of an agent definition, open first, then by last update")
        .asks(&["project", "after", "limit"])
        .gives("AgentSessions"),
    route("POST", "/api/agents/{slug}/messages", Access::Human, || post(conversations::message))
        .says(
            "Send a message to a session of an agent definition, creating one if needed; supports \
             Idempotency-Key",
        )
        .heeds(&["Idempotency-Key"])
        .takes("MessageAgent")
        .gives("MessagedAgent"),
    route("POST", "/api/agents/{slug}/switch", Access::Human, || post(conversations::switch))
        .says("Enter a session of an agent definition and remember the previous one")
        .takes("SwitchAgent")
        .gives("SwitchedAgent"),
    route("GET", "/api/permissions", Access::Human, || get(permissions::list))
        .says("List open permission requests, oldest first")
        .asks(&["session", "after", "limit"])
        .gives("AskPage"),
    route("POST", "/api/sessions/{id}/permissions/{hash}", Access::Human, || post(permissions::answer))
        .says("Answer a permission request; the first answer wins")
        .takes("AnswerPermission")
        .gives("AnsweredPermission"),
    route("GET", "/api/rules", Access::Human, || get(rules::list))
        .says("List standing permission rules")
        .gives("RuleList"),
    route("DELETE", "/api/rules/{rule}", Access::Human, || delete(rules::remove))
        .says("Delete a permission rule")
        .gives("RuleList"),
    route("GET", "/api/providers", Access::Human, || get(providers::list))
        .says("List providers and whether each is ready")
        .gives("ProviderList"),
    route("POST", "/api/providers", Access::Human, || post(providers::add))
        .says("Create a provider from a command that speaks the Agent Client Protocol")
        .takes("AddProvider")
        .gives("ProviderList"),
    route("DELETE", "/api/providers/{name}", Access::Human, || delete(providers::remove))
        .says("Delete an added provider")
        .gives("ProviderList"),
    route("GET", "/api/agents", Access::Human, || get(agents::list))
        .says("List agent definitions and their problems")
        .asks(&["project"])
        .gives("AgentList"),
    route("GET", "/api/agents/{slug}", Access::Human, || get(agents::show))
        .says("Get a resolved agent definition and its tools")
        .asks(&["project", "untrusted"])
        .gives("AgentView"),
    route("GET", "/api/agents/{slug}/source", Access::Human, || get(agents::source))
        .says("Get the files that define an agent")
        .asks(&["project"])
        .gives("AgentSource"),
    route("PUT", "/api/agents/{slug}", Access::Human, || put(agents::save))
        .says(
            "Update a user's own definition (agents/<slug>.toml) and trust it; fails if the file has changed",
        )
        .takes("SaveAgent")
        .gives("AgentList"),
    route("POST", "/api/agents/{slug}/trust", Access::Human, || post(agents::trust_one))
        .says("Trust a pending change of an agent definition")
        .takes("TrustAgent")
        .gives("AgentList"),
    route("POST", "/api/projects/trust", Access::Human, || post(agents::trust))
        .says("Trust the definitions of a project in their current version")
        .takes("TrustAgents")
        .gives("AgentList"),
    route("DELETE", "/api/projects/trust", Access::Human, || delete(agents::distrust))
        .says("Revoke the trust in a project's definitions")
        .asks(&["project"])
        .gives("AgentList"),
    route("GET", "/api/settings", Access::Human, || get(admin::settings))
        .says("Get the settings")
        .gives("SettingsView"),
    route("PUT", "/api/settings/{key}", Access::Human, || put(admin::change_setting))
        .says("Update a setting")
        .takes("PutSetting")
        .gives("SettingsView"),
    route("GET", "/api/tokens", Access::Human, || get(admin::tokens))
        .says("List tokens, without secrets")
        .gives("TokenList"),
    route("POST", "/api/tokens", Access::Human, || post(admin::create_token))
        .says("Create a token; its secret is returned once")
        .takes("CreateToken")
        .gives("CreatedToken"),
    route("DELETE", "/api/tokens/{token}", Access::Human, || delete(admin::revoke_token))
        .says("Delete a token")
        .gives("TokenList"),
    route("POST", "/api/login-links", Access::Human, || post(devices::link))
        .says("Create a browser login link, valid once and for five minutes")
        .gives("LoginLink"),
    route("POST", "/api/login", Access::Public, || post(devices::login))
        .says("Log in a browser and set its cookie")
        .answers(204)
        .takes("Login"),
    route("POST", "/api/logout", Access::Human, || post(devices::logout))
        .says("Log out the calling browser")
        .answers(204),
    route("GET", "/api/devices", Access::Human, || get(devices::list))
        .says("List logged-in browsers")
        .gives("DeviceList"),
    route("DELETE", "/api/devices/{device}", Access::Human, || delete(devices::revoke))
        .says("Log out a browser")
        .gives("DeviceList"),
    route("GET", "/api/deliveries/{delivery}", Access::Human, || get(trace::delivery))
        .says("Get the history of a message")
        .gives("DeliveryTrace"),
    route("GET", "/api/causes/{cause}", Access::Human, || get(trace::cause))
        .says("Get everything that descends from a request")
        .gives("CauseView"),
    route("POST", "/api/causes/{cause}/stop", Access::Human, || post(trace::stop_cause))
        .says("Stop everything that descends from a request")
        .gives("CauseView"),
    route("GET", "/api/threads", Access::Human, || get(threads::list))
        .says("List threads, oldest first")
        .asks(&["after", "limit"])
        .gives("ThreadPage"),
    route("POST", "/api/threads", Access::Human, || post(threads::create))
        .says("Create a thread")
        .takes("CreateThread")
        .heeds(&["idempotency-key"])
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}", Access::Seated(Some(THREADS_READ)), || get(threads::show))
        .says("Get a thread by id or name")
        .gives("ThreadAnswer"),
    route("PATCH", "/api/threads/{thread}", Access::Human, || patch(threads::change))
        .says("Update a thread's name and working directory")
        .takes("PatchThread")
        .gives("ThreadAnswer"),
    route("DELETE", "/api/threads/{thread}", Access::Human, || delete(threads::remove))
        .says("Delete a thread and its messages, and close its participants' sessions")
        .asks(&["force"])
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}/events", Access::Seated(Some(THREADS_READ)), || get(threads::events))
        .says("List thread events: the newest, or those after a version or an event")
        .asks(&["after", "before", "from", "limit"])
        .gives("ThreadEventPage"),
    route("POST", "/api/threads/{thread}/messages", Access::Seated(Some(THREADS_POST)), || {
        post(threads::post)
    })
    .says("Send a message to a thread")
    .takes("PostMessage")
    .heeds(&["idempotency-key"])
    .gives("PostedMessage"),
    route("POST", "/api/threads/{thread}/controls", Access::Seated(Some(THREADS_INVITE)), || {
        post(threads::control)
    })
    .says("Update participants (invite, uninvite) or, for people only, controls (mute, pause, discussion)")
    .takes("ThreadControl")
    .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}/presence", Access::Seated(Some(THREADS_READ)), || {
        get(threads::presence)
    })
    .says("List participants' presence")
    .gives("PresenceList"),
    route("POST", "/api/threads/{thread}/presence", Access::Seated(Some(THREADS_POST)), || {
        post(threads::say_presence)
    })
    .says("Update the caller's presence")
    .takes("SayPresence")
    .gives("PresenceList"),
    route("POST", "/api/threads/{thread}/tokens", Access::Human, || post(threads::create_token))
        .says("Create a token for one participant")
        .takes("CreateSeatToken")
        .gives("CreatedToken"),
    route("GET", "/api/search", Access::Human, || get(search::search))
        .says(
            "Search messages, answers and tool calls, newest first; `behind` reports what is not indexed yet",
        )
        .asks(&[
            "q",
            "agent",
            "thread",
            "in",
            "kind",
            "from",
            "since",
            "until",
            "directory",
            "best",
            "after",
            "limit",
        ])
        .gives("SearchPage"),
    route("GET", "/api/teams", Access::Human, || get(teams::list))
        .says("List teams by id")
        .asks(&["after", "limit"])
        .gives("TeamPage"),
    route("POST", "/api/teams", Access::Human, || post(teams::create))
        .says("Create a team")
        .takes("CreateTeam")
        .gives("TeamAnswer"),
    route("GET", "/api/teams/{team}", Access::Member(TASKS_LIST), || get(teams::show))
        .says("Get a team")
        .gives("TeamAnswer"),
    route("DELETE", "/api/teams/{team}", Access::Member(TASKS_CANCEL), || delete(teams::close))
        .says("Close a team: its leases and tokens end, its history remains, and its id is not reused")
        .gives("TeamAnswer"),
    route("DELETE", "/api/teams/{team}/agents/{agent}", Access::Member(TASKS_RELEASE), || {
        delete(teams::take_out)
    })
    .says("Remove an agent from a team (`-` is the caller): its tasks are released and its tokens end")
    .gives("TeamAnswer"),
    route("POST", "/api/teams/{team}/agents", Access::Human, || post(teams::enrol))
        .says("Add an agent to a team, or update its role")
        .takes("EnrolAgent")
        .gives("TeamAnswer"),
    route("POST", "/api/teams/{team}/agents/{agent}/tokens", Access::Human, || post(teams::create_token))
        .says(
            "Create a token for one agent of the team, adding the agent if needed (`again=true` re-adds a \
             removed one)",
        )
        .asks(&["again"])
        .gives("CreatedToken"),
    route("GET", "/api/teams/{team}/tasks", Access::Member(TASKS_LIST), || get(teams::tasks))
        .says("List a team's tasks by id")
        .asks(&["after", "limit"])
        .gives("TaskPage"),
    route("POST", "/api/teams/{team}/tasks", Access::Member(TASKS_CREATE), || post(teams::create_task))
        .says("Create a task; supports Idempotency-Key")
        .takes("CreateTask")
        .heeds(&["Idempotency-Key"])
        .gives("TaskAnswer"),
    route("GET", "/api/teams/{team}/tasks/{task}", Access::Member(TASKS_LIST), || get(teams::task))
        .says("Get a task")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/claim", Access::Member(TASKS_CLAIM), || post(teams::claim))
        .says("Claim a task; returns the lease and its epoch")
        .takes("ClaimTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/renew", Access::Member(TASKS_RENEW), || post(teams::renew))
        .says("Renew the lease on a task")
        .takes("RenewTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/complete", Access::Member(TASKS_COMPLETE), || {
        post(teams::complete)
    })
    .says("Complete a task")
    .takes("EndTask")
    .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/fail", Access::Member(TASKS_FAIL), || post(teams::fail))
        .says("Mark a task as failed")
        .takes("EndTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/release", Access::Member(TASKS_RELEASE), || {
        post(teams::release)
    })
    .says("Release a task")
    .takes("ReleaseTask")
    .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/cancel", Access::Member(TASKS_CANCEL), || {
        post(teams::cancel)
    })
    .says("Cancel a task for the whole team")
    .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/retry", Access::Member(TASKS_CREATE), || {
        post(teams::retry)
    })
    .says("Reopen a failed or canceled task")
    .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/reassign", Access::Member(TASKS_CREATE), || {
        post(teams::reassign)
    })
    .says("Reassign a task, or return it to the queue")
    .takes("ReassignTask")
    .gives("TaskAnswer"),
    route("GET", "/api/teams/{team}/inbox", Access::Member(TASKS_LIST), || get(teams::inbox))
        .says("List the caller's inbox: team events and thread messages, oldest first")
        .asks(&["agent", "after", "limit"])
        .gives("NoticePage"),
    route("GET", "/api/teams/{team}/audit", Access::Member(TASKS_LIST), || get(teams::audit))
        .says("List a team's audit trail, oldest first")
        .asks(&["after", "limit"])
        .gives("NoticePage"),
    route("GET", "/api/teams/{team}/can-write", Access::Member(TASKS_LIST), || get(teams::can_write))
        .says("Get whether an agent may write to a path, and why")
        .asks(&["path", "agent"])
        .gives("WriteAnswer"),
    route("GET", "/api/workers", Access::Tool(TMUX_LIST), || get(workers::list))
        .says("List workers by name; agents see only those of their team")
        .asks(&["team", "prefix"])
        .gives("WorkerList"),
    route("POST", "/api/workers", Access::Tool(TMUX_START), || post(workers::start))
        .says("Create a worker in its own terminal; supports Idempotency-Key")
        .takes("StartWorker")
        .heeds(&["Idempotency-Key"])
        .gives("StartedWorker"),
    route("GET", "/api/workers/{worker}", Access::Tool(TMUX_LIST), || get(workers::show))
        .says("Get a worker by name or handle")
        .gives("WorkerAnswer"),
    route("DELETE", "/api/workers/{worker}", Access::Tool(TMUX_KILL), || delete(workers::kill))
        .says("Kill a worker, its terminal and all its processes")
        .gives("ActionAnswer"),
    route("GET", "/api/workers/{worker}/capture", Access::Tool(TMUX_CAPTURE), || get(workers::capture))
        .says("Get the contents of a worker's terminal as plain text")
        .asks(&["lines"])
        .gives("Capture"),
    route("GET", "/api/workers/{worker}/attach", Access::Tool(TMUX_ATTACH), || get(workers::attach))
        .says("Get the command that attaches to a worker's terminal")
        .gives("AttachView"),
    route("POST", "/api/workers/{worker}/send", Access::Tool(TMUX_SEND), || post(workers::send))
        .says("Send a message to a worker's terminal")
        .takes("SendToWorker")
        .gives("Receipt"),
    route("GET", "/v1/teams", Access::Member(TASKS_LIST), || get(teamd::teams)).says("teamd: list teams"),
    route("POST", "/v1/teams", Access::Member(TASKS_LIST), || post(teamd::create_team))
        .says("teamd: create a team, or get the existing one")
        .answers(201),
    route("GET", "/v1/teams/{team}", Access::Member(TASKS_LIST), || get(teamd::team))
        .says("teamd: get a team"),
    route("GET", "/v1/tasks", Access::Member(TASKS_LIST), || get(teamd::tasks))
        .says("teamd: list tasks")
        .asks(&["teamId"]),
    route("POST", "/v1/tasks", Access::Member(TASKS_CREATE), || post(teamd::create_task))
        .says("teamd: create a task; supports Idempotency-Key")
        .heeds(&["Idempotency-Key"])
        .answers(201),
    route("GET", "/v1/tasks/{task}", Access::Member(TASKS_LIST), || get(teamd::task))
        .says("teamd: get a task")
        .asks(&["teamId"]),
    route("POST", "/v1/tasks/{task}/claim", Access::Member(TASKS_CLAIM), || post(teamd::claim))
        .says("teamd: claim a task"),
    route("POST", "/v1/tasks/{task}/renew", Access::Member(TASKS_RENEW), || post(teamd::renew))
        .says("teamd: renew the lease on a task"),
    route("POST", "/v1/tasks/{task}/complete", Access::Member(TASKS_COMPLETE), || post(teamd::complete))
        .says("teamd: complete a task"),
    route("POST", "/v1/tasks/{task}/fail", Access::Member(TASKS_FAIL), || post(teamd::fail))
        .says("teamd: mark a task as failed"),
    route("POST", "/v1/tasks/{task}/release", Access::Member(TASKS_RELEASE), || post(teamd::release))
        .says("teamd: release a task"),
    route("POST", "/v1/tasks/{task}/cancel", Access::Member(TASKS_CANCEL), || post(teamd::cancel))
        .says("teamd: cancel a task"),
    route("POST", "/v1/tasks/{task}/retry", Access::Member(TASKS_CREATE), || post(teamd::retry))
        .says("teamd: reopen a failed task"),
    route("GET", "/v1/inbox", Access::Member(TASKS_LIST), || get(teamd::inbox))
        .says("teamd: list the inbox")
        .asks(&["teamId", "agentId", "since"]),
    route("POST", "/v1/threads", Access::Member(TEAM_THREADS_START), || post(teamd::start_thread))
        .says("teamd: create a thread")
        .answers(201),
    route("GET", "/v1/threads/search", Access::Member(TEAM_THREADS_SEARCH), || get(teamd::search))
        .says("teamd: search threads")
        .asks(&["teamId", "q"]),
    route("POST", "/v1/threads/{thread}/messages", Access::Member(TEAM_THREADS_POST), || {
        post(teamd::post_message)
    })
    .says("teamd: send a message to a thread")
    .answers(201),
    route("GET", "/v1/threads/{thread}/tail", Access::Member(TEAM_THREADS_READ_TAIL), || get(teamd::tail))
        .says("teamd: list the newest messages of a thread")
        .asks(&["teamId", "limit"]),
    route("POST", "/v1/threads/{thread}/link", Access::Member(TEAM_THREADS_LINK), || post(teamd::link))
        .says("teamd: link a thread to a task"),
    route("GET", "/v1/can-write", Access::Member(TASKS_LIST), || get(teamd::can_write))
        .says("teamd: get whether an agent may write to a path")
        .asks(&["teamId", "agentId", "path"]),
    route("GET", "/api/stream", Access::Seated(None), || get(stream::stream))
        .says(
            "Watch events from a point in the log (server-sent events, see the Frame schemas); \
             `Last-Event-ID` overrides `after`",
        )
        .asks(&["after", "topics", "ui"])
        .heeds(&["Last-Event-ID"])
        .made_of("text/event-stream"),
    route("GET", "/ping", Access::Public, || get(bridge::ping))
        .says("Bridge protocol: get the daemon's health")
        .gives("BridgePing"),
    route("GET", "/threads", Access::Seated(None), || get(bridge::list))
        .says("Bridge protocol: list threads, oldest first; participants see only their own")
        .asks(&["after"])
        .gives("BridgeThreads"),
    route("POST", "/threads", Access::Human, || post(bridge::create))
        .says("Bridge protocol: create a thread")
        .takes("BridgeCreate")
        .gives("BridgeCreated"),
    route("GET", "/threads/{thread}/events", Access::Seated(Some(THREADS_READ)), || get(bridge::events))
        .says(
            "Bridge protocol: list thread events after `since`, oldest first; all of them, or a page of \
             `limit`",
        )
        .asks(&["since", "limit"])
        .gives("BridgeEvents"),
    route("POST", "/threads/{thread}/events", Access::Seated(Some(THREADS_POST)), || post(bridge::post))
        .says("Bridge protocol: send a message or a control as the owner of the credential")
        .takes("BridgePost")
        .heeds(&["idempotency-key"])
        .gives("BridgeReceived"),
    route("GET", "/threads/{thread}/events/stream", Access::Seated(Some(THREADS_READ)), || {
        get(bridge::stream)
    })
    .says(
        "Bridge protocol: watch events after `since`, or from now on (server-sent events); `Last-Event-ID` \
         overrides `since`",
    )
    .asks(&["since"])
    .heeds(&["Last-Event-ID"])
    .made_of("text/event-stream"),
    route("GET", "/threads/{thread}/presence", Access::Seated(Some(THREADS_READ)), || get(bridge::presence))
        .says("Bridge protocol: list participants' presence")
        .gives("BridgePresenceList"),
    route("POST", "/threads/{thread}/presence", Access::Seated(Some(THREADS_POST)), || {
        post(bridge::say_presence)
    })
    .says("Bridge protocol: update the caller's presence")
    .takes("BridgePresence")
    .gives("BridgePresent"),
    route("GET", "/threads/{thread}/state", Access::Seated(Some(THREADS_READ)), || get(bridge::state))
        .says("Bridge protocol: get a thread's participants and controls")
        .gives("BridgeStateAnswer"),
    route("GET", "/api/worktrees", Access::Human, || get(worktrees::list))
        .says("List agents' git worktrees")
        .gives("WorktreeList"),
    route("DELETE", "/api/worktrees/{worktree}", Access::Human, || delete(worktrees::remove))
        .says("Delete a worktree; fails if work would be lost, unless `force` archives it first")
        .asks(&["force"])
        .gives("RemovedWorktree"),
    route("GET", "/api/tools", Access::Agent, || get(tools::own))
        .says("List the calling agent's tools")
        .gives("ToolList"),
    route("POST", "/api/tools/{name}", Access::Agent, || post(tools::call))
        .says("Call a tool as the calling agent; the body is an object with the arguments")
        .takes("ToolArguments")
        .gives("ToolAnswer"),
    route("POST", "/api/sessions/{id}/leave", Access::Itself, || post(leave::ask))
        .says(
            "Request permission for a tool call of the calling agent's harness in a terminal, in the \
             harness's format",
        )
        .takes("AskLeave")
        .gives("LeaveAnswer"),
    route("POST", "/mcp/{id}/{server}", Access::Itself, || post(mcp::serve))
        .says("Call the agent's MCP server (streamable HTTP, stateless)")
        .made_of("application/json"),
    route("POST", "/external/sessions/{id}/messages", Access::Callback, || post(external::receive))
        .says(
            "Receive a callback from an external agent (text or Markdown), deduplicated by \
             Idempotency-Key, X-Paseo-Message-Id, or turnOriginId and text",
        )
        .asks(&["turnOriginId"])
        .heeds(&["Idempotency-Key", "X-Paseo-Message-Id", "X-Paseo-Timestamp", "X-Paseo-Signature"]),
    route("GET", "/", Access::Public, || get(web::front)).says("Redirect to the web app").answers(307),
    route("GET", "/login", Access::Public, || get(web::page))
        .says("Get the login page; the code of a link is in the fragment")
        .made_of("text/html"),
    route("GET", "/app/assets/{name}", Access::Public, || get(web::asset)).says("Get a web app asset"),
    route("GET", "/app", Access::Page, || get(web::page)).says("Get the web app").made_of("text/html"),
    route("GET", "/app/", Access::Page, || get(web::page)).says("Get the web app").made_of("text/html"),
    route("GET", "/app/{*view}", Access::Page, || get(web::page))
        .says("Get a view of the web app")
        .made_of("text/html"),
];

/// Says whether the body of a request to this path is a file.
pub(super) fn is_streamed(path: &str) -> bool {
    ROUTES.iter().any(|route| route.streamed && route.path == path)
}
