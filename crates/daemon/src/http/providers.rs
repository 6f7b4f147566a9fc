//! Which kinds of agents there are, and commands that people make such.

use axum::Json;
use axum::extract::State;
use paseo_core::actor::Actor;
use paseo_core::limits::PAGE_ROWS;
use paseo_core::provider::{self, Added, Refused};
use paseo_core::settings::Event;
use paseo_runtime::acp::PRESETS;
use paseo_runtime::models::{self, Model, Offered};
use paseo_runtime::provider::{Provider, Readiness};
use paseo_runtime::slash::SlashCommand;
use paseo_wire::command::{CommandList, CommandQuery, CommandView};
use paseo_wire::error::Code;
use paseo_wire::page::PageQuery;
use paseo_wire::provider::{AddProvider, ModelList, ModelView, ProviderList};
use paseo_wire::words::ModelSource;

use super::App;
use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Path};
use super::sessions::directory;
use crate::failure::Failure;
use crate::providers::added;

pub(crate) async fn list(State(app): State<App>, Asked(query): Asked<PageQuery>) -> Answer<ProviderList> {
    listed(&app).await.asked(&query).map(Json)
}

/// Lists what a message to an agent can begin with.
pub(crate) async fn commands(
    State(app): State<App>,
    Asked(query): Asked<CommandQuery>,
) -> Answer<CommandList> {
    let context = &app.sessions.context;
    let place = directory(&query.directory)?;
    let provider = match &query.provider {
        Some(name) if context.providers.get(name).is_none() => {
            return Err(Failure { code: Code::NotFound, ..context.providers.unknown(name) });
        }
        Some(name) => Some(name.clone()),
        None => context.providers.default_name(),
    };
    let known = provider.map(|provider| context.slash_commands.of(&provider, &place)).unwrap_or_default();
    let shown = |command: &SlashCommand| CommandView {
        name: command.name.clone(),
        description: command.description.clone(),
        hint: command.hint.clone(),
    };
    let list = CommandList { commands: known.iter().map(shown).collect(), next: None };
    list.page(query.after.as_deref(), query.limit).map(Json)
}

pub(crate) async fn models(
    State(app): State<App>,
    Path(name): Path<String>,
    Asked(query): Asked<PageQuery>,
) -> Answer<ModelList> {
    let context = &app.sessions.context;
    let provider = context
        .providers
        .get(&name)
        .ok_or_else(|| Failure { code: Code::NotFound, ..context.providers.unknown(&name) })?;
    let (removed, key) = (context.definitions.withheld_keys(&name), || context.definitions.any_access(&name));
    let offered = context.providers.models.of(provider.as_ref(), removed, key).await;
    let (source, models, truncated) = match offered {
        Ok(Offered { source, models, truncated }) => (told_by(source), models, truncated),
        Err(models::Error::Untold) => {
            let named = context.definitions.named_models(&name).into_iter();
            let models = named.map(|id| Model { id, ..Model::default() }).collect();
            (ModelSource::Configuration, models, false)
        }
        Err(error) => return Err(untold(&name, &error)),
    };
    let views = models.into_iter().map(|Model { id, name, efforts, default }| ModelView {
        id,
        name,
        efforts,
        default,
    });
    let list = ModelList {
        provider: name,
        source,
        models: views.collect(),
        efforts: provider.capabilities().efforts.iter().map(|effort| (*effort).to_owned()).collect(),
        truncated,
        next: None,
    };
    list.asked(&query).map(Json)
}

fn told_by(source: models::Source) -> ModelSource {
    match source {
        models::Source::Endpoint => ModelSource::Endpoint,
        models::Source::Harness => ModelSource::Harness,
    }
}

fn untold(name: &str, error: &models::Error) -> Failure {
    let failure =
        Failure::new(Code::ProviderUnavailable, format!("cannot list the models of {name}: {error}"));
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

pub(crate) async fn add(
    State(app): State<App>,
    Caller(by): Caller,
    Body(asked): Body<AddProvider>,
) -> Answer<ProviderList> {
    only_people(&by)?;
    let AddProvider { name, command, preset, mode, asks, environment } = asked;
    let preset = preset.map(|preset| preset.to_string());
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
            Code::NotFound,
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
        return Err(Failure::new(Code::NotFound, format!("you have not added a provider called `{name}`"))
            .hint("run `paseo providers`; built-in providers cannot be removed"));
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
    let code = match refused {
        Refused::BuiltIn(_) | Refused::Many => Code::Conflict,
        _ => Code::InvalidRequest,
    };
    Failure::new(code, refused.to_string()).hint("run `paseo providers add --help`")
}

pub(super) async fn listed(app: &App) -> ProviderList {
    let context = &app.sessions.context;
    ProviderList {
        providers: context.providers.views().await,
        configured: context.definitions.default_provider(),
        next: None,
    }
}
