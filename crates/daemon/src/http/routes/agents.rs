//! Routes: agent definitions, and the agents that follow them.

use axum::routing::{delete, get, post, put};
use paseo_wire::agent::{AgentListQuery, AgentQuery, AgentViewQuery};
use paseo_wire::conversation::AgentSessionsQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{agents, conversations};

pub(super) static AGENTS: Group = Group {
    tag: "agents",
    about: "Agent definitions, and agents started from them.",
    routes: &[
    route("listAgentSessions", "GET", "/api/agents/{slug}/sessions", Access::Human, || get(conversations::list))
        .compares()
        .says("List agents with a definition, open first, then by last update")
        .asks(query::<AgentSessionsQuery>())
        .gives("AgentSessions"),
    route("messageAgent", "POST", "/api/agents/{slug}/messages", Access::Human, || post(conversations::message))
        .limited()
        .attaches()
        .says(
            "Send a message to an agent by its definition, creating one if needed; supports \
             Idempotency-Key",
        )
        .heeds(&["Idempotency-Key"])
        .takes("MessageAgent")
        .gives("MessagedAgent"),
    route("switchAgent", "POST", "/api/agents/{slug}/switch", Access::Human, || post(conversations::switch))
        .says("Switch to an agent by its definition and remember the previous one")
        .takes("SwitchAgent")
        .gives("SwitchedAgent"),
    route("listAgents", "GET", "/api/agents", Access::Human, || get(agents::list))
        .seeks()
        .says("List agent definitions and their problems")
        .asks(query::<AgentListQuery>())
        .gives("AgentList"),
    route("getAgent", "GET", "/api/agents/{slug}", Access::Human, || get(agents::show))
        .compares()
        .says("Get a resolved agent definition and its tools")
        .asks(query::<AgentViewQuery>())
        .gives("AgentView"),
    route("getAgentSource", "GET", "/api/agents/{slug}/source", Access::Human, || get(agents::source))
        .compares()
        .says("Get the files that define an agent")
        .asks(query::<AgentQuery>())
        .gives("AgentSource"),
    route("updateAgent", "PUT", "/api/agents/{slug}", Access::Human, || put(agents::save))
        .says(
            "Update one of your own definitions (agents/<slug>.toml) and trust it; fails if the file has changed",
        )
        .takes("SaveAgent")
        .gives("AgentList"),
    route("checkAgent", "POST", "/api/agents/{slug}/check", Access::Human, || post(agents::check))
        .steady()
        .says("List the problems of a definition without saving it")
        .takes("CheckAgent")
        .gives("CheckedAgent"),
    route("trustAgent", "POST", "/api/agents/{slug}/trust", Access::Human, || post(agents::trust_one))
        .says("Trust a pending change of an agent definition")
        .takes("TrustAgent")
        .gives("AgentList"),
    route("trustProject", "POST", "/api/projects/trust", Access::Human, || post(agents::trust))
        .seeks()
        .says("Trust the definitions of a project in their current version")
        .takes("TrustAgents")
        .gives("AgentList"),
    route("distrustProject", "DELETE", "/api/projects/trust", Access::Human, || delete(agents::distrust))
        .seeks()
        .says("Revoke the trust in a project's definitions")
        .asks(query::<AgentQuery>())
        .gives("AgentList"),
],
};
