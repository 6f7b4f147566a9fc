//! Which kinds of agents there are.

use axum::Json;
use axum::extract::State;
use paseo_wire::provider::ProviderList;

use super::App;

pub(crate) async fn list(State(app): State<App>) -> Json<ProviderList> {
    Json(ProviderList { providers: app.sessions.context.providers.views().await })
}
