//! Routes: providers: the kinds of agents that can be started.

use axum::routing::{delete, get, post};

use crate::http::gate::Access;
use crate::http::providers;
use crate::http::route::{Group, route};

pub(super) static PROVIDERS: Group = Group {
    tag: "providers",
    about: "Providers: the kinds of agents that can be started.",
    routes: &[
        route("listProviders", "GET", "/api/providers", Access::Human, || get(providers::list))
            .says("List providers and whether each is ready")
            .gives("ProviderList"),
        route("createProvider", "POST", "/api/providers", Access::Human, || post(providers::add))
            .says("Create a provider from a command that speaks the Agent Client Protocol")
            .takes("AddProvider")
            .gives("ProviderList"),
        route("deleteProvider", "DELETE", "/api/providers/{name}", Access::Human, || {
            delete(providers::remove)
        })
        .says("Delete an added provider")
        .gives("ProviderList"),
    ],
};
