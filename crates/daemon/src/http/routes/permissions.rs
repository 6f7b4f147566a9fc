//! Routes: permission requests of agents, and the standing rules that answer them.

use axum::routing::{delete, get, post};
use paseo_wire::page::PageQuery;
use paseo_wire::permission::PermissionRequestQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{permissions, rules};

pub(super) static PERMISSIONS: Group = Group {
    tag: "permissions",
    about: "Permission requests of agents, and the standing rules that answer them.",
    routes: &[
        route("listPermissionRequests", "GET", "/api/permissions", Access::Human, || get(permissions::list))
            .seeks()
            .says("List open permission requests, oldest first")
            .asks(query::<PermissionRequestQuery>())
            .gives("PermissionRequestPage"),
        route(
            "answerPermissionRequest",
            "POST",
            "/api/sessions/{id}/permissions/{hash}",
            Access::Human,
            || post(permissions::answer),
        )
        .says("Answer a permission request; the first answer wins")
        .takes("AnswerPermission")
        .gives("AnsweredPermission"),
        route("listRules", "GET", "/api/rules", Access::Human, || get(rules::list))
            .says("List standing permission rules")
            .asks(query::<PageQuery>())
            .gives("RuleList"),
        route("deleteRule", "DELETE", "/api/rules/{rule}", Access::Human, || delete(rules::remove))
            .says("Delete a permission rule")
            .gives("RuleList"),
    ],
};
