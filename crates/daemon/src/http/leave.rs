//! Leave for harnesses in terminals: those behind pipes ask through their driver.

use axum::Json;
use axum::extract::State;
use paseo_core::id::SessionId;
use paseo_core::permission::Verdict;
use paseo_runtime::provider::Place;
use paseo_wire::error::Code;
use paseo_wire::permission::{CheckPermission, CheckedPermission};
use paseo_wire::words::CheckDecision;
use serde_json::Value;

use super::App;
use super::reply::Answer;
use super::request::{Body, Caller, Path};
use crate::failure::Failure;
use crate::tools::catalogue::SERVERS;

pub(crate) async fn ask(
    State(app): State<App>,
    Caller(by): Caller,
    Path(typed): Path<String>,
    body: Result<Body<CheckPermission>, Failure>,
) -> Answer<CheckedPermission> {
    let own = typed.parse::<SessionId>().ok().filter(|id| by.session() == Some(*id));
    let id =
        own.ok_or_else(|| Failure::new(Code::Forbidden, "an agent can only request permission for itself"))?;
    let Body(CheckPermission(words)) = body?;
    let context = &app.sessions.context;
    let session =
        context.directory.get(id).ok_or_else(|| Failure::new(Code::Closed, "the agent is closed"))?;
    let profile = &session.profile;
    let provider = context.providers.get(&profile.provider).ok_or_else(|| {
        Failure::new(Code::ProviderUnavailable, format!("provider {} no longer exists", profile.provider))
    })?;
    let servers = SERVERS.map(str::to_owned);
    let place = Place {
        directory: profile.directory.as_ref(),
        servers: &servers,
        terminal: profile.terminal.is_some(),
    };
    let request = provider
        .leave(&Value::Object(words), &place)
        .map_err(|why| Failure::new(Code::InvalidRequest, format!("cannot decide this request: {why}")))?;
    let verdict = match &request {
        Some(request) => context.judge(&session, request).await,
        None => Verdict::Allow,
    };
    let (decision, reason) = match verdict {
        Verdict::Allow => (CheckDecision::Allow, None),
        Verdict::Ask => (CheckDecision::Ask, None),
        Verdict::Deny(reason) => (CheckDecision::Deny, Some(reason)),
    };
    Ok(Json(CheckedPermission { decision, reason }))
}
