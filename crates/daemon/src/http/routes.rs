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
    route("GET", "/healthz", Access::Public, || get(admin::health)).says("Says that the daemon answers.").gives("Health"),
    route("GET", "/api/openapi.json", Access::Anyone, || get(openapi::document)).says("This document."),
    route("GET", "/api/status", Access::Anyone, || get(admin::status)).says("The daemon about itself.").gives("DaemonStatus"),
    route("GET", "/api/whoami", Access::Anyone, || get(admin::whoami)).says("Who the caller is.").gives("WhoAmI"),
    route("GET", "/api/whereabouts", Access::Human, || get(conversations::whereabouts))
        .says("Which session of a project the caller is in, and where they came from.")
        .asks(&["project"])
        .gives("Whereabouts"),
    route("POST", "/api/shutdown", Access::Human, || post(admin::shutdown)).says("Stops the daemon in good order.")
        .answers(202),
    route("GET", "/api/sessions", Access::Human, || get(listing::list))
        .says("Lists sessions: pinned ones first, then the newest. With `brief` the answer is SessionLines.")
        .asks(&["labels", "ui", "any_labels", "all_statuses", "project", "agent", "after", "limit", "brief"])
        .gives("SessionPage"),
    route("POST", "/api/sessions", Access::Human, || post(sessions::create))
        .says("Starts a session, with its first message if there is one. Honours Idempotency-Key.")
        .heeds(&["Idempotency-Key"])
        .takes("CreateSession")
        .gives("CreatedSession"),
    route("GET", "/api/sessions/{id}", Access::Human, || get(sessions::show)).says("Shows a session.").gives("SessionAnswer"),
    route("GET", "/api/sessions/{id}/prompt", Access::Human, || get(sessions::prompt))
        .says("Shows what is added to the prompt of a session's harness.")
        .gives("PromptView"),
    route("GET", "/api/sessions/{id}/secret", Access::Human, || get(external::secret))
        .says("Shows the secret that Paseo and an external agent know each other by.")
        .gives("SecretView"),
    route("GET", "/api/sessions/{id}/tools", Access::Human, || get(tools::of))
        .says("Shows what an agent may use.")
        .gives("ToolList"),
    route("PATCH", "/api/sessions/{id}", Access::Human, || patch(sessions::patch))
        .says("Changes a session's name, labels, pin and attributes.")
        .takes("PatchSession")
        .gives("SessionAnswer"),
    route("DELETE", "/api/sessions/{id}", Access::Human, || delete(sessions::remove))
        .says("Deletes a session with everything that was said in it.")
        .asks(&["force"])
        .gives("ActionAnswer"),
    route("GET", "/api/sessions/{id}/last-turn", Access::Tool(READ_TAB), || get(items::last_turn))
        .says("Get what an agent said in its last turn")
        .gives("LastTurn"),
    route("GET", "/api/sessions/{id}/items", Access::Human, || get(items::page))
        .says("Reads a page of the transcript.")
        .asks(&["after", "before", "limit"])
        .gives("ItemPage"),
    route("GET", "/api/sessions/{id}/items/{ordinal}/text", Access::Human, || get(items::text)).says("Reads the whole text of an item.")
        .made_of("text/plain"),
    route("POST", "/api/sessions/{id}/messages", Access::Tool(SEND_TO_TAB), || post(messages::send))
        .says("Sends a message. Honours Idempotency-Key.")
        .heeds(&["Idempotency-Key"])
        .takes("SendMessage")
        .gives("Receipt"),
    route("POST", "/api/attachments", attachments::UPLOAD, || post(attachments::upload))
        .says("Upload a file for a message: the body is the file, at most 32 MB. Its kind is told by its bytes.")
        .asks(&["name"])
        .streamed()
        .gives("UploadedAttachment"),
    route("GET", "/api/sessions/{id}/attachments/{attachment}", Access::Human, || get(attachments::show))
        .says("Get an attached file. Images are shown, other files are saved.")
        .made_of("application/octet-stream"),
    route("GET", "/api/sessions/{id}/queue", Access::Human, || get(messages::queue))
        .says("Lists the messages that wait in a session, with the beginning of each.")
        .gives("Queue"),
    route("GET", "/api/sessions/{id}/deliveries/{delivery}", Access::Tool(SEND_TO_TAB), || get(messages::delivery))
        .says("Says what became of a message.")
        .gives("DeliveryView"),
    route("POST", "/api/sessions/{id}/stop", Access::Human, || post(sessions::stop)).says("Stops the running turn; the queue waits for a person.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/close", Access::Human, || post(sessions::close)).says("Closes a session.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/reopen", Access::Human, || post(sessions::reopen)).says("Reopens a closed session.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/clear", Access::Human, || post(sessions::clear)).says("Removes the transcript; the agent starts afresh.").gives("ActionAnswer"),
    route("POST", "/api/sessions/{id}/back", Access::Human, || post(back::back))
        .says("Asks a session for a summary, and takes it to where the person came from. Waits for the summary.")
        .takes("GoBack")
        .gives("WentBack"),
    route("GET", "/api/agents/{slug}/sessions", Access::Human, || get(conversations::list))
        .says("Lists the sessions of a definition: open ones first, the most recently updated first.")
        .asks(&["project", "after", "limit"])
        .gives("AgentSessions"),
    route("POST", "/api/agents/{slug}/messages", Access::Human, || post(conversations::message))
        .says("Sends a message to a session of a definition, and makes one if there is none. Honours Idempotency-Key.")
        .heeds(&["Idempotency-Key"])
        .takes("MessageAgent")
        .gives("MessagedAgent"),
    route("POST", "/api/agents/{slug}/switch", Access::Human, || post(conversations::switch))
        .says("Brings a person to a session of a definition, and notes where they came from.")
        .takes("SwitchAgent")
        .gives("SwitchedAgent"),
    route("GET", "/api/permissions", Access::Human, || get(permissions::list))
        .says("Lists what open agents ask, oldest first.")
        .asks(&["session", "after", "limit"])
        .gives("AskPage"),
    route("POST", "/api/sessions/{id}/permissions/{hash}", Access::Human, || post(permissions::answer))
        .says("Answers what an agent asks. The first answer wins.")
        .takes("AnswerPermission")
        .gives("AnsweredPermission"),
    route("GET", "/api/rules", Access::Human, || get(rules::list)).says("Lists what people decided for good.").gives("RuleList"),
    route("DELETE", "/api/rules/{rule}", Access::Human, || delete(rules::remove)).says("Forgets such a decision.").gives("RuleList"),
    route("GET", "/api/providers", Access::Human, || get(providers::list)).says("Lists the kinds of agents, and which could be used now.").gives("ProviderList"),
    route("POST", "/api/providers", Access::Human, || post(providers::add))
        .says("Makes a command that speaks the Agent Client Protocol a kind of agent.")
        .takes("AddProvider")
        .gives("ProviderList"),
    route("DELETE", "/api/providers/{name}", Access::Human, || delete(providers::remove))
        .says("Forgets such a command.")
        .gives("ProviderList"),
    route("GET", "/api/agents", Access::Human, || get(agents::list))
        .says("Lists the definitions of agents, with what is wrong with them.")
        .asks(&["project"])
        .gives("AgentList"),
    route("GET", "/api/agents/{slug}", Access::Human, || get(agents::show))
        .says("Shows a definition with everything that it comes to: which tools its agents have, and why not the others.")
        .asks(&["project", "untrusted"])
        .gives("AgentView"),
    route("GET", "/api/agents/{slug}/source", Access::Human, || get(agents::source))
        .says("Get the files that define an agent, with what a save needs.")
        .asks(&["project"])
        .gives("AgentSource"),
    route("PUT", "/api/agents/{slug}", Access::Human, || put(agents::save))
        .says("Save a definition of the user's own as agents/<slug>.toml, and trust it. Refused when the file has changed since it was read.")
        .takes("SaveAgent")
        .gives("AgentList"),
    route("POST", "/api/agents/{slug}/trust", Access::Human, || post(agents::trust_one))
        .says("Trusts a change of a definition that waits for a person.")
        .takes("TrustAgent")
        .gives("AgentList"),
    route("POST", "/api/projects/trust", Access::Human, || post(agents::trust))
        .says("Makes the definitions of a project count, as long as they stay as they are.")
        .takes("TrustAgents")
        .gives("AgentList"),
    route("DELETE", "/api/projects/trust", Access::Human, || delete(agents::distrust))
        .says("Takes the trust in a project's definitions back.")
        .asks(&["project"])
        .gives("AgentList"),
    route("GET", "/api/settings", Access::Human, || get(admin::settings)).says("Shows the settings.").gives("SettingsView"),
    route("PUT", "/api/settings/{key}", Access::Human, || put(admin::change_setting)).says("Switches a setting.").takes("PutSetting").gives("SettingsView"),
    route("GET", "/api/tokens", Access::Human, || get(admin::tokens)).says("Lists tokens, without their secrets.").gives("TokenList"),
    route("POST", "/api/tokens", Access::Human, || post(admin::create_token)).says("Makes a token; its secret is shown once.").takes("CreateToken").gives("CreatedToken"),
    route("DELETE", "/api/tokens/{token}", Access::Human, || delete(admin::revoke_token)).says("Revokes a token.").gives("TokenList"),
    route("POST", "/api/login-links", Access::Human, || post(devices::link)).says("Makes a link with which a browser logs in, once, within five minutes.").gives("LoginLink"),
    route("POST", "/api/login", Access::Public, || post(devices::login)).says("Logs a browser in: sets its cookie.")
        .answers(204).takes("Login"),
    route("POST", "/api/logout", Access::Human, || post(devices::logout)).says("Logs the asking browser out.")
        .answers(204),
    route("GET", "/api/devices", Access::Human, || get(devices::list)).says("Lists the browsers that are logged in.").gives("DeviceList"),
    route("DELETE", "/api/devices/{device}", Access::Human, || delete(devices::revoke)).says("Logs a browser out.").gives("DeviceList"),
    route("GET", "/api/deliveries/{delivery}", Access::Human, || get(trace::delivery)).says("Tells the life of a message.").gives("DeliveryTrace"),
    route("GET", "/api/causes/{cause}", Access::Human, || get(trace::cause)).says("Shows what descends from a person's request.").gives("CauseView"),
    route("POST", "/api/causes/{cause}/stop", Access::Human, || post(trace::stop_cause)).says("Ends everything that descends from a person's request.").gives("CauseView"),
    route("GET", "/api/threads", Access::Human, || get(threads::list))
        .says("Lists threads, the oldest first.")
        .asks(&["after", "limit"])
        .gives("ThreadPage"),
    route("POST", "/api/threads", Access::Human, || post(threads::create))
        .says("Makes a thread.")
        .takes("CreateThread")
        .heeds(&["idempotency-key"])
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}", Access::Seated(Some(THREADS_READ)), || get(threads::show))
        .says("Shows a thread, by its id or its name: who is in it, and who may do what.")
        .gives("ThreadAnswer"),
    route("PATCH", "/api/threads/{thread}", Access::Human, || patch(threads::change))
        .says("Changes the name of a thread, and where its agents work.")
        .takes("PatchThread")
        .gives("ThreadAnswer"),
    route("DELETE", "/api/threads/{thread}", Access::Human, || delete(threads::remove))
        .says("Deletes a thread with everything that was said in it, and closes the sessions of its participants.")
        .asks(&["force"])
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}/events", Access::Seated(Some(THREADS_READ)), || get(threads::events))
        .says("What happened in a thread: the newest, or from a version or an event on.")
        .asks(&["after", "before", "from", "limit"])
        .gives("ThreadEventPage"),
    route("POST", "/api/threads/{thread}/messages", Access::Seated(Some(THREADS_POST)), || post(threads::post))
        .says("Says something in a thread, and wakes whom it is for.")
        .takes("PostMessage")
        .heeds(&["idempotency-key"])
        .gives("PostedMessage"),
    route("POST", "/api/threads/{thread}/controls", Access::Seated(Some(THREADS_INVITE)), || post(threads::control))
        .says("Invites and uninvites; mutes, pauses and switches, which only people may.")
        .takes("ThreadControl")
        .gives("ThreadAnswer"),
    route("GET", "/api/threads/{thread}/presence", Access::Seated(Some(THREADS_READ)), || get(threads::presence))
        .says("What participants are doing right now.")
        .gives("PresenceList"),
    route("POST", "/api/threads/{thread}/presence", Access::Seated(Some(THREADS_POST)), || post(threads::say_presence))
        .says("Says what the caller is doing.")
        .takes("SayPresence")
        .gives("PresenceList"),
    route("POST", "/api/threads/{thread}/tokens", Access::Human, || post(threads::create_token))
        .says("Makes a token that speaks as one participant of the thread, and as nobody else.")
        .takes("CreateSeatToken")
        .gives("CreatedToken"),
    route("GET", "/api/search", Access::Human, || get(search::search))
        .says("Finds what was said, answered and done by words: the newest first. Waits a moment for what was acknowledged only just now; `behind` says what is not looked at yet.")
        .asks(&["q", "agent", "thread", "in", "kind", "from", "since", "until", "directory", "best", "after", "limit"])
        .gives("SearchPage"),
    route("GET", "/api/teams", Access::Human, || get(teams::list))
        .says("Lists teams, in order of their ids.")
        .asks(&["after", "limit"])
        .gives("TeamPage"),
    route("POST", "/api/teams", Access::Human, || post(teams::create))
        .says("Makes a team.")
        .takes("CreateTeam")
        .gives("TeamAnswer"),
    route("GET", "/api/teams/{team}", Access::Member(TASKS_LIST), || get(teams::show))
        .says("Shows a team.")
        .gives("TeamAnswer"),
    route("DELETE", "/api/teams/{team}", Access::Member(TASKS_CANCEL), || delete(teams::close))
        .says("Closes a team, for people and its leaders: nobody has a task any more, its tokens end, and what happened stays. Its id is not used again.")
        .gives("TeamAnswer"),
    route("DELETE", "/api/teams/{team}/agents/{agent}", Access::Member(TASKS_RELEASE), || delete(teams::take_out))
        .says("Takes an agent out of a team, for people, its leaders and the agent itself (`-`): its tasks are free, and its tokens end.")
        .gives("TeamAnswer"),
    route("POST", "/api/teams/{team}/agents", Access::Human, || post(teams::enrol))
        .says("Takes an agent into a team, or changes its role.")
        .takes("EnrolAgent")
        .gives("TeamAnswer"),
    route("POST", "/api/teams/{team}/agents/{agent}/tokens", Access::Human, || post(teams::create_token))
        .says("Makes a token that acts as one agent of the team, and as nobody else. Who is not in the team is taken in; who was taken out, only with `again=true`.")
        .asks(&["again"])
        .gives("CreatedToken"),
    route("GET", "/api/teams/{team}/tasks", Access::Member(TASKS_LIST), || get(teams::tasks))
        .says("Lists the tasks of a team, in order of their ids.")
        .asks(&["after", "limit"])
        .gives("TaskPage"),
    route("POST", "/api/teams/{team}/tasks", Access::Member(TASKS_CREATE), || post(teams::create_task))
        .says("Makes a task. Honours Idempotency-Key.")
        .takes("CreateTask")
        .heeds(&["Idempotency-Key"])
        .gives("TaskAnswer"),
    route("GET", "/api/teams/{team}/tasks/{task}", Access::Member(TASKS_LIST), || get(teams::task))
        .says("Shows a task.")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/claim", Access::Member(TASKS_CLAIM), || post(teams::claim))
        .says("Takes a task: the answer holds the lease and its epoch.")
        .takes("ClaimTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/renew", Access::Member(TASKS_RENEW), || post(teams::renew))
        .says("Keeps a task longer.")
        .takes("RenewTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/complete", Access::Member(TASKS_COMPLETE), || post(teams::complete))
        .says("Says that a task is done.")
        .takes("EndTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/fail", Access::Member(TASKS_FAIL), || post(teams::fail))
        .says("Says that a task cannot be done.")
        .takes("EndTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/release", Access::Member(TASKS_RELEASE), || post(teams::release))
        .says("Gives a task back.")
        .takes("ReleaseTask")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/cancel", Access::Member(TASKS_CANCEL), || post(teams::cancel))
        .says("Gives a task up for the whole team.")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/retry", Access::Member(TASKS_CREATE), || post(teams::retry))
        .says("Lets what failed or was canceled be done after all.")
        .gives("TaskAnswer"),
    route("POST", "/api/teams/{team}/tasks/{task}/reassign", Access::Member(TASKS_CREATE), || post(teams::reassign))
        .says("Takes a task from whoever has it and gives it to another, or to nobody.")
        .takes("ReassignTask")
        .gives("TaskAnswer"),
    route("GET", "/api/teams/{team}/inbox", Access::Member(TASKS_LIST), || get(teams::inbox))
        .says("What others did, and what was said in one's threads, the oldest first.")
        .asks(&["agent", "after", "limit"])
        .gives("NoticePage"),
    route("GET", "/api/teams/{team}/audit", Access::Member(TASKS_LIST), || get(teams::audit))
        .says("Everything that happened in a team, the oldest first.")
        .asks(&["after", "limit"])
        .gives("NoticePage"),
    route("GET", "/api/teams/{team}/can-write", Access::Member(TASKS_LIST), || get(teams::can_write))
        .says("Says whether an agent may write to a path now, and why.")
        .asks(&["path", "agent"])
        .gives("WriteAnswer"),
    route("GET", "/api/workers", Access::Tool(TMUX_LIST), || get(workers::list))
        .says("Lists workers, in order of their names: all for people, for agents those of their team.")
        .asks(&["team", "prefix"])
        .gives("WorkerList"),
    route("POST", "/api/workers", Access::Tool(TMUX_START), || post(workers::start))
        .says("Starts a worker in a terminal of its own. Honours Idempotency-Key.")
        .takes("StartWorker")
        .heeds(&["Idempotency-Key"])
        .gives("StartedWorker"),
    route("GET", "/api/workers/{worker}", Access::Tool(TMUX_LIST), || get(workers::show))
        .says("Shows a worker, by its name or its handle.")
        .gives("WorkerAnswer"),
    route("DELETE", "/api/workers/{worker}", Access::Tool(TMUX_KILL), || delete(workers::kill))
        .says("Ends a worker, its terminal and everything that it started.")
        .gives("ActionAnswer"),
    route("GET", "/api/workers/{worker}/capture", Access::Tool(TMUX_CAPTURE), || get(workers::capture))
        .says("Returns what a worker's terminal shows, as plain text.")
        .asks(&["lines"])
        .gives("Capture"),
    route("GET", "/api/workers/{worker}/attach", Access::Tool(TMUX_ATTACH), || get(workers::attach))
        .says("Says by which command a person gets to a worker's terminal.")
        .gives("AttachView"),
    route("POST", "/api/workers/{worker}/send", Access::Tool(TMUX_SEND), || post(workers::send))
        .says("Types a message into a worker's terminal.")
        .takes("SendToWorker")
        .gives("Receipt"),
    route("GET", "/v1/teams", Access::Member(TASKS_LIST), || get(teamd::teams))
        .says("teamd: lists teams."),
    route("POST", "/v1/teams", Access::Member(TASKS_LIST), || post(teamd::create_team))
        .says("teamd: makes a team, or returns the one that is there.")
        .answers(201),
    route("GET", "/v1/teams/{team}", Access::Member(TASKS_LIST), || get(teamd::team))
        .says("teamd: shows a team."),
    route("GET", "/v1/tasks", Access::Member(TASKS_LIST), || get(teamd::tasks))
        .says("teamd: lists tasks.")
        .asks(&["teamId"]),
    route("POST", "/v1/tasks", Access::Member(TASKS_CREATE), || post(teamd::create_task))
        .says("teamd: makes a task. Honours Idempotency-Key.")
        .heeds(&["Idempotency-Key"])
        .answers(201),
    route("GET", "/v1/tasks/{task}", Access::Member(TASKS_LIST), || get(teamd::task))
        .says("teamd: shows a task.")
        .asks(&["teamId"]),
    route("POST", "/v1/tasks/{task}/claim", Access::Member(TASKS_CLAIM), || post(teamd::claim))
        .says("teamd: takes a task."),
    route("POST", "/v1/tasks/{task}/renew", Access::Member(TASKS_RENEW), || post(teamd::renew))
        .says("teamd: keeps a task longer."),
    route("POST", "/v1/tasks/{task}/complete", Access::Member(TASKS_COMPLETE), || post(teamd::complete))
        .says("teamd: says that a task is done."),
    route("POST", "/v1/tasks/{task}/fail", Access::Member(TASKS_FAIL), || post(teamd::fail))
        .says("teamd: says that a task cannot be done."),
    route("POST", "/v1/tasks/{task}/release", Access::Member(TASKS_RELEASE), || post(teamd::release))
        .says("teamd: gives a task back."),
    route("POST", "/v1/tasks/{task}/cancel", Access::Member(TASKS_CANCEL), || post(teamd::cancel))
        .says("teamd: gives a task up."),
    route("POST", "/v1/tasks/{task}/retry", Access::Member(TASKS_CREATE), || post(teamd::retry))
        .says("teamd: lets what failed be done after all."),
    route("GET", "/v1/inbox", Access::Member(TASKS_LIST), || get(teamd::inbox))
        .says("teamd: what others did.")
        .asks(&["teamId", "agentId", "since"]),
    route("POST", "/v1/threads", Access::Member(TEAM_THREADS_START), || post(teamd::start_thread))
        .says("teamd: begins a thread.")
        .answers(201),
    route("GET", "/v1/threads/search", Access::Member(TEAM_THREADS_SEARCH), || get(teamd::search))
        .says("teamd: finds threads.")
        .asks(&["teamId", "q"]),
    route("POST", "/v1/threads/{thread}/messages", Access::Member(TEAM_THREADS_POST), || post(teamd::post_message))
        .says("teamd: says something in a thread.")
        .answers(201),
    route("GET", "/v1/threads/{thread}/tail", Access::Member(TEAM_THREADS_READ_TAIL), || get(teamd::tail))
        .says("teamd: the newest messages of a thread.")
        .asks(&["teamId", "limit"]),
    route("POST", "/v1/threads/{thread}/link", Access::Member(TEAM_THREADS_LINK), || post(teamd::link))
        .says("teamd: says which task a thread is about."),
    route("GET", "/v1/can-write", Access::Member(TASKS_LIST), || get(teamd::can_write))
        .says("teamd: says whether an agent may write to a path.")
        .asks(&["teamId", "agentId", "path"]),
    route("GET", "/api/stream", Access::Seated(None), || get(stream::stream))
        .says("Server-sent events from a point in the log on; see the Frame schemas. `Last-Event-ID` wins over `after`.")
        .asks(&["after", "topics", "ui"])
        .heeds(&["Last-Event-ID"])
        .made_of("text/event-stream"),
    route("GET", "/ping", Access::Public, || get(bridge::ping))
        .says("Bridge protocol: says that the daemon answers.")
        .gives("BridgePing"),
    route("GET", "/threads", Access::Seated(None), || get(bridge::list))
        .says("Bridge protocol: lists threads, the oldest first; to a participant, only its own.")
        .asks(&["after"])
        .gives("BridgeThreads"),
    route("POST", "/threads", Access::Human, || post(bridge::create))
        .says("Bridge protocol: makes a thread.")
        .takes("BridgeCreate")
        .gives("BridgeCreated"),
    route("GET", "/threads/{thread}/events", Access::Seated(Some(THREADS_READ)), || get(bridge::events))
        .says("Bridge protocol: what happened in a thread after `since`, the oldest first: all of it, or a page of `limit` events.")
        .asks(&["since", "limit"])
        .gives("BridgeEvents"),
    route("POST", "/threads/{thread}/events", Access::Seated(Some(THREADS_POST)), || post(bridge::post))
        .says("Bridge protocol: posts a message or a control, as whom the credential stands for.")
        .takes("BridgePost")
        .heeds(&["idempotency-key"])
        .gives("BridgeReceived"),
    route("GET", "/threads/{thread}/events/stream", Access::Seated(Some(THREADS_READ)), || get(bridge::stream))
        .says("Bridge protocol: server-sent events after `since`, or from now on. `Last-Event-ID` wins over `since`.")
        .asks(&["since"])
        .heeds(&["Last-Event-ID"])
        .made_of("text/event-stream"),
    route("GET", "/threads/{thread}/presence", Access::Seated(Some(THREADS_READ)), || get(bridge::presence))
        .says("Bridge protocol: what participants are doing right now.")
        .gives("BridgePresenceList"),
    route("POST", "/threads/{thread}/presence", Access::Seated(Some(THREADS_POST)), || post(bridge::say_presence))
        .says("Bridge protocol: says what the caller is doing.")
        .takes("BridgePresence")
        .gives("BridgePresent"),
    route("GET", "/threads/{thread}/state", Access::Seated(Some(THREADS_READ)), || get(bridge::state))
        .says("Bridge protocol: who is invited, and who may do what.")
        .gives("BridgeStateAnswer"),
    route("GET", "/api/worktrees", Access::Human, || get(worktrees::list)).says("Lists the git worktrees of agents.").gives("WorktreeList"),
    route("DELETE", "/api/worktrees/{worktree}", Access::Human, || delete(worktrees::remove))
        .says("Removes a worktree. Refuses while anything would be lost; `force` archives it first.")
        .asks(&["force"])
        .gives("RemovedWorktree"),
    route("GET", "/api/tools", Access::Agent, || get(tools::own))
        .says("Lists the tools that are granted to the calling agent.")
        .gives("ToolList"),
    route("POST", "/api/tools/{name}", Access::Agent, || post(tools::call))
        .says("Calls a tool as the calling agent. The body is an object with the arguments.")
        .takes("ToolArguments")
        .gives("ToolAnswer"),
    route("POST", "/api/sessions/{id}/leave", Access::Itself, || post(leave::ask))
        .says("Asks leave for what the calling agent's harness wants to do in a terminal, in the harness's own words.")
        .takes("AskLeave")
        .gives("LeaveAnswer"),
    route("POST", "/mcp/{id}/{server}", Access::Itself, || post(mcp::serve))
        .says("An MCP server of the asking agent (streamable HTTP, stateless).")
        .made_of("application/json"),
    route("POST", "/external/sessions/{id}/messages", Access::Callback, || post(external::receive))
        .says("Takes in what an external agent answers: text or Markdown, stored before this returns. Known again by Idempotency-Key, X-Paseo-Message-Id, or turnOriginId and text.")
        .asks(&["turnOriginId"])
        .heeds(&["Idempotency-Key", "X-Paseo-Message-Id", "X-Paseo-Timestamp", "X-Paseo-Signature"]),
    route("GET", "/", Access::Public, || get(web::front)).says("Leads to the web app.").answers(307),
    route("GET", "/login", Access::Public, || get(web::page)).says("The login page; the code of a link is in the fragment.").made_of("text/html"),
    route("GET", "/app/assets/{name}", Access::Public, || get(web::asset)).says("A part of the web app."),
    route("GET", "/app", Access::Page, || get(web::page)).says("The web app.").made_of("text/html"),
    route("GET", "/app/", Access::Page, || get(web::page)).says("The web app.").made_of("text/html"),
    route("GET", "/app/{*view}", Access::Page, || get(web::page)).says("A view of the web app.").made_of("text/html"),
];

/// Says whether the body of a request to this path is a file.
pub(super) fn is_streamed(path: &str) -> bool {
    ROUTES.iter().any(|route| route.streamed && route.path == path)
}
