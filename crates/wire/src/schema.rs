//! The schemas of everything on the wire, for the OpenAPI document.

use utoipa::OpenApi;

use crate::{
    device, error, item, message, permission, provider, session, settings, status, stream, trace, worktree,
};

/// Collects every schema; the paths come from the daemon's table of routes.
#[derive(OpenApi)]
#[openapi(
    info(title = "Paseo", description = "Runs and coordinates coding agents.", license(name = "Apache-2.0")),
    components(schemas(
        device::DeviceList,
        device::Login,
        device::LoginLink,
        error::ErrorBody,
        item::ItemPage,
        item::ItemQuery,
        item::ItemView,
        message::CreatedSession,
        message::DeliveryView,
        message::Queue,
        message::Receipt,
        message::SendMessage,
        permission::AnswerPermission,
        permission::AnsweredPermission,
        permission::AskPage,
        permission::AskQuery,
        permission::OpenAsk,
        permission::RuleList,
        permission::RuleView,
        provider::ProviderList,
        session::ActionAnswer,
        session::CreateSession,
        session::PatchSession,
        session::PromptView,
        session::SessionAnswer,
        session::SessionPage,
        session::SessionQuery,
        session::SessionView,
        settings::CreateToken,
        settings::CreatedToken,
        settings::PutSetting,
        settings::SettingsView,
        settings::TokenList,
        status::DaemonStatus,
        status::Health,
        status::WhoAmI,
        stream::EventFrame,
        stream::ItemFrame,
        stream::LiveFrame,
        stream::ResumeFrame,
        trace::CauseView,
        trace::DeliveryTrace,
        worktree::RemovedWorktree,
        worktree::WorktreeList,
    ))
)]
pub struct Schemas;
