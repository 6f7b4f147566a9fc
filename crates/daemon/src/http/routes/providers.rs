//! Routes: providers: the kinds of agents that can be started.

use axum::routing::{delete, get, post};
use paseo_wire::command::CommandQuery;
use paseo_wire::page::PageQuery;

use crate::http::gate::Access;
use crate::http::providers;
use crate::http::route::{Group, query, route};

pub(super) static PROVIDERS: Group = Group {
    tag: "providers",
    about: "Providers: the kinds of agents that can be started.",
    routes: &[
        route("listProviders", "GET", "/api/providers", Access::Human, || get(providers::list))
            .says("List providers and whether each is ready")
            .asks(query::<PageQuery>())
            .gives("ProviderList"),
        route("createProvider", "POST", "/api/providers", Access::Human, || post(providers::add))
            .seeks()
            .says("Create a provider from a command that speaks the Agent Client Protocol")
            .takes("AddProvider")
            .gives("ProviderList"),
        route("deleteProvider", "DELETE", "/api/providers/{name}", Access::Human, || {
            delete(providers::remove)
        })
        .says("Delete an added provider")
        .gives("ProviderList"),
        route("listCommands", "GET", "/api/commands", Access::Human, || get(providers::commands))
            .seeks()
            .says("List the commands that a provider's agents offer in a directory")
            .asks(query::<CommandQuery>())
            .gives("CommandList"),
        route("listModels", "GET", "/api/providers/{name}/models", Access::Human, || get(providers::models))
            .says("List a provider's models, as reported by its server or harness, else those named in definitions")
            .asks(query::<PageQuery>())
            .gives("ModelList"),
    ],
};
