//! Tools by HTTP: an agent calls them as itself.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::id::SessionId;
use paseo_core::item::ToolOutcome;
use paseo_core::permission::Power;
use paseo_core::session::Session;
use paseo_core::tool::{Plugin, find};
use paseo_wire::error::Code;
use paseo_wire::page::PageQuery;
use paseo_wire::tool::{ToolAnswer, ToolArguments, ToolList, ToolView};
use serde_json::Value;

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Path};
use super::sessions::resolve;
use crate::failure::Failure;
use crate::tools::{self, Way, catalogue};

/// Lists what the calling agent can call.
pub(crate) async fn own(
    State(app): State<App>,
    Caller(by): Caller,
    Asked(query): Asked<PageQuery>,
) -> Answer<ToolList> {
    let session = app.sessions.context.directory.get(agent(&by)?);
    let session = session.ok_or_else(|| Failure::new(Code::Forbidden, "this agent is closed"))?;
    let mut list = granted(&app, &session).await;
    let grants = app.sessions.context.grants(&session);
    list.tools.retain(|tool| grants.check_process(&tool.name).is_ok());
    list.asked(&query).map(Json)
}

/// Lists what an agent can call, for people.
pub(crate) async fn of(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    Asked(query): Asked<PageQuery>,
) -> Answer<ToolList> {
    let id = resolve(&app, &by, &typed).await?;
    let found = app.sessions.context.journal.session(id).await?;
    let (session, _) =
        found.ok_or_else(|| Failure::new(Code::NotFound, format!("agent {id} no longer exists")))?;
    granted(&app, &session).await.asked(&query).map(Json)
}

/// Calls a tool as the calling agent.
pub(crate) async fn call(
    State(app): State<App>,
    Caller(by): Caller,
    Path(name): Path<String>,
    Body(ToolArguments(arguments)): Body<ToolArguments>,
) -> Answer<ToolAnswer> {
    let (outcome, text) =
        tools::call(&app.sessions, agent(&by)?, Way::Process, &name, Value::Object(arguments)).await;
    let outcome = match outcome {
        ToolOutcome::Ok | ToolOutcome::Error | ToolOutcome::Interrupted => outcome.into(),
        ToolOutcome::Denied => {
            let code = if find(&name).is_some() { Code::Forbidden } else { Code::NotFound };
            return Err(Failure::new(code, text).hint("run `paseo tool` to list your tools"));
        }
    };
    Ok(Json(ToolAnswer { outcome, text }))
}

fn agent(by: &Actor) -> Result<SessionId, Failure> {
    by.session().ok_or_else(|| Failure::internal("a route for agents admitted another caller"))
}

async fn granted(app: &App, session: &Session) -> ToolList {
    let context = &app.sessions.context;
    let grants = context.grants(session);
    let names = |powers: Vec<Power>| powers.into_iter().map(|power| power.tool().into()).collect();
    let mut described = catalogue::describe(context, session, &grants);
    // An agent that left its team, or whose team was closed, has no use for these.
    if session.profile.team.is_some() && context.seat(session).await.is_none() {
        described.retain(|tool| tool.plugin != Plugin::Team);
    }
    ToolList {
        tools: described
            .into_iter()
            .map(|tool| ToolView {
                name: tool.name.to_owned(),
                plugin: tool.plugin.into(),
                description: tool.description,
                schema: tool.schema,
            })
            .collect(),
        powers: names(Power::ALL.into_iter().filter(|power| grants.has(power.tool())).collect()),
        // An agent that cannot run at all has nothing.
        unheld: names(context.unheld(session, &grants).unwrap_or_default()),
        next: None,
    }
}
