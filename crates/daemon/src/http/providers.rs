//! Which kinds of agents there are, and commands that people make such.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::provider::{self, Added, Refused};
use paseo_core::settings::Event;
use paseo_runtime::acp::PRESETS;
use paseo_runtime::provider::{Provider, Readiness};
use paseo_wire::error::Code;
use paseo_wire::provider::{AddProvider, ProviderList};

use super::App;
use super::reply::Answer;
use super::request::{Body, Caller, Path};
use crate::failure::Failure;
use crate::providers::added;

pub(crate) async fn list(State(app): State<App>) -> Json<ProviderList> {
    Json(listed(&app).await)
}

pub(crate) async fn add(
    State(app): State<App>,
    Caller(by): Caller,
    Body(asked): Body<AddProvider>,
) -> Answer<ProviderList> {
    only_people(&by)?;
    let AddProvider { name, command, preset, mode, asks, environment } = asked;
    let agent = Added { command, preset, mode, asks, environment };
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    provider::check(&name, &agent, &presets).map_err(refused)?;
    let context = &app.sessions.context;
    let settings = context.settings.get();
    if settings.providers.len() >= PAGE_ROWS && !settings.providers.contains_key(&name) {
        return Err(refused(Refused::Many));
    }
    if let Readiness::Missing { .. } = added(&name, &agent).readiness() {
        let program = agent.command.first().cloned().unwrap_or_default();
        return Err(Failure::new(
            Code::InvalidRequest,
            format!("`{program}` is not executable, or not on the daemon's PATH"),
        )
        .hint("install it, or correct the path"));
    }
    if settings.providers.get(&name) != Some(&agent) {
        context.settings.change(&context.journal, &by, Event::ProviderAdded { name, agent }).await?;
    }
    Ok(Json(listed(&app).await))
}

pub(crate) async fn remove(
    State(app): State<App>,
    Caller(by): Caller,
    Path(name): Path<String>,
) -> Answer<ProviderList> {
    only_people(&by)?;
    let context = &app.sessions.context;
    if !context.settings.get().providers.contains_key(&name) {
        return Err(Failure::new(Code::NotFound, "no provider with this name was added")
            .hint("run `paseo providers` to list them; built-in providers cannot be removed"));
    }
    context.settings.change(&context.journal, &by, Event::ProviderRemoved { name }).await?;
    Ok(Json(listed(&app).await))
}

/// A command that is added is run: no agent may choose one.
fn only_people(by: &Actor) -> Result<(), Failure> {
    if by.is_human() {
        return Ok(());
    }
    Err(Failure::new(Code::Forbidden, "only people can add providers"))
}

fn refused(refused: Refused) -> Failure {
    let code = if refused == Refused::Many { Code::Conflict } else { Code::InvalidRequest };
    Failure::new(code, refused.to_string()).hint("run `paseo providers add --help`")
}

async fn listed(app: &App) -> ProviderList {
    let context = &app.sessions.context;
    ProviderList {
        providers: context.providers.views().await,
        configured: context.definitions.default_provider(),
    }
}
