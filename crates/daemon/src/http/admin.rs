//! The daemon about itself, its settings and its tokens.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use paseo_core::actor::Actor;
use paseo_core::id::TokenId;
use paseo_core::name;
use paseo_core::settings::{Event, Key};
use paseo_wire::VERSION;
use paseo_wire::diagnosis::Diagnosis;
use paseo_wire::error::Code;
use paseo_wire::page::PageQuery;
use paseo_wire::settings::{CreateToken, CreatedToken, PutSetting, SettingsView, TokenList, TokenView};
use paseo_wire::status::{DaemonStatus, Health, WhoAmI};
use paseo_wire::words::{HealthStatus, Status};

use super::pages::Paged;
use super::reply::Answer;
use super::request::{Asked, Body, Caller, Path, one};
use super::sessions::directory;
use super::{App, agents, providers};
use crate::failure::Failure;
use crate::mint;
use crate::options::Seen;
use crate::workers::Workers;

pub(crate) async fn health() -> Json<Health> {
    Json(Health { status: HealthStatus::Ok, version: VERSION.to_owned() })
}

pub(crate) async fn whoami(Caller(actor): Caller) -> Json<WhoAmI> {
    Json(WhoAmI { actor: actor.into() })
}

pub(crate) async fn status(State(app): State<App>) -> Json<DaemonStatus> {
    let context = &app.sessions.context;
    let mut sessions: BTreeMap<Status, usize> = BTreeMap::new();
    for session in context.directory.all() {
        *sessions.entry(session.condition.status.into()).or_default() += 1;
    }
    sessions.insert(Status::Closed, context.directory.closed(None));
    Json(DaemonStatus {
        pid: std::process::id(),
        version: VERSION.to_owned(),
        home: context.home.display().to_string(),
        socket: app.about.socket.display().to_string(),
        url: app.about.url.clone(),
        started_at: app.about.started_at.into(),
        sessions,
        live_processes: context.processes.living(),
        process_limit: context.processes.limit(),
        waiting_turns: context.processes.waiting(),
        providers: context.providers.names(),
        ready_providers: context.providers.ready_names(),
        tmux: context.terminals.check().await.err().map(Failure::in_one),
        seq: context.journal.head(),
    })
}

/// Checks the machine. Runs programs to learn their versions, so requests take turns.
pub(crate) async fn diagnosis(State(app): State<App>, Caller(by): Caller) -> Answer<Diagnosis> {
    let _one_at_a_time = app.about.examining.lock().await;
    let seen = Seen {
        status: status(State(app.clone())).await.0,
        providers: providers::listed(&app).await.providers,
        workers: Workers::of(&app.sessions)?.list(&by, None, None).await?,
        definitions: Some(agents::shown(&app, "")),
    };
    Ok(Json(app.about.examine.examine(seen).await))
}

pub(crate) async fn shutdown(State(app): State<App>) -> StatusCode {
    app.stop.request();
    StatusCode::ACCEPTED
}

pub(crate) async fn settings(State(app): State<App>) -> Json<SettingsView> {
    Json(shown(&app))
}

pub(crate) async fn change_setting(
    State(app): State<App>,
    Caller(actor): Caller,
    Path(word): Path<String>,
    Body(put): Body<PutSetting>,
) -> Answer<SettingsView> {
    let key = Key::parse(&word).ok_or_else(|| {
        let known: Vec<&str> = Key::ALL.iter().map(|key| key.word()).collect();
        Failure::new(Code::NotFound, "unknown setting").hint(format!("choose one of: {}", known.join(", ")))
    })?;
    let context = &app.sessions.context;
    if context.settings.get().is_on(key) != put.value {
        context.settings.change(&context.journal, &actor, Event::Changed { key, value: put.value }).await?;
    }
    Ok(Json(shown(&app)))
}

pub(crate) async fn tokens(State(app): State<App>, Asked(query): Asked<PageQuery>) -> Answer<TokenList> {
    listed(&app).asked(&query).map(Json)
}

pub(crate) async fn create_token(
    State(app): State<App>,
    Caller(by): Caller,
    Body(CreateToken { name, directory: place }): Body<CreateToken>,
) -> Answer<CreatedToken> {
    if !name::fits(&name) {
        return Err(Failure::new(Code::InvalidRequest, name::limit("a token name")));
    }
    let directory = place.as_deref().map(directory).transpose()?;
    let (token, secret) = (mint::token(), mint::secret().map_err(Failure::internal)?);
    let actor = Actor::Human(format!("token:{name}"));
    let sha256 = mint::hex(&mint::sha256(secret.as_bytes()));
    let (id, place) = (token.to_string(), directory.clone());
    let event = Event::TokenCreated { token, name: name.clone(), actor: actor.clone(), sha256, directory };
    let context = &app.sessions.context;
    context.settings.change(&context.journal, &by, event).await?;
    Ok(Json(CreatedToken { id: id.into(), name, actor: actor.into(), directory: place, secret }))
}

pub(crate) async fn revoke_token(
    State(app): State<App>,
    Caller(by): Caller,
    Path(token): Path<String>,
) -> Answer<TokenList> {
    let context = &app.sessions.context;
    let token = one(&token, context.settings.get().tokens.keys().copied(), "token", "paseo token ls")?;
    context.settings.change(&context.journal, &by, Event::TokenRevoked { token }).await?;
    Ok(Json(listed(&app)))
}

fn shown(app: &App) -> SettingsView {
    let settings = app.sessions.context.settings.get();
    SettingsView { settings: Key::ALL.iter().map(|key| ((*key).into(), settings.is_on(*key))).collect() }
}

fn listed(app: &App) -> TokenList {
    let settings = app.sessions.context.settings.get();
    let view = |(id, token): (&TokenId, &paseo_core::settings::Token)| TokenView {
        id: (*id).into(),
        name: token.name.clone(),
        actor: (&token.actor).into(),
        directory: token.directory.clone(),
        created_at: token.created_at.into(),
    };
    TokenList { tokens: settings.tokens.iter().map(view).collect(), next: None }
}
