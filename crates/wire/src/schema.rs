//! The schemas of everything on the wire, for the OpenAPI document.

use utoipa::OpenApi;

use crate::{device, error, item, message, session, settings, status, stream, trace};

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
        message::Receipt,
        message::SendMessage,
        session::ActionAnswer,
        session::AnswerPermission,
        session::CreateSession,
        session::PatchSession,
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
    ))
)]
pub struct Schemas;
