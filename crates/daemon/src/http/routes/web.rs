//! Routes: the web app.

use axum::routing::get;

use crate::http::gate::Access;
use crate::http::route::{Group, route};
use crate::http::web;

pub(super) static WEB: Group = Group {
    tag: "web",
    about: "The web app.",
    routes: &[
        route("openFrontPage", "GET", "/", Access::Public, || get(web::front))
            .says("Redirect to the web app")
            .answers(307),
        route("getLoginPage", "GET", "/login", Access::Public, || get(web::page))
            .seeks()
            .says("Get the login page; the code of a link is in the fragment")
            .made_of("text/html"),
        route("getAsset", "GET", "/app/assets/{name}", Access::Public, || get(web::asset))
            .says("Get a web app asset")
            .made_of("*/*"),
        route("getIcon", "GET", "/app/icons/{name}", Access::Public, || get(web::icon))
            .says("Get an icon of the web app")
            .made_of("*/*"),
        route("getManifest", "GET", "/app/manifest.webmanifest", Access::Public, || get(web::manifest))
            .seeks()
            .says("Get the web app's manifest")
            .made_of("application/manifest+json"),
        route("getServiceWorker", "GET", "/app/sw.js", Access::Public, || get(web::worker))
            .seeks()
            .says("Get the web app's service worker")
            .made_of("text/javascript"),
        route("getApp", "GET", "/app", Access::Page, || get(web::page))
            .seeks()
            .says("Get the web app")
            .made_of("text/html"),
        route("getAppRoot", "GET", "/app/", Access::Page, || get(web::page))
            .says("Get the web app")
            .made_of("text/html"),
        route("getAppView", "GET", "/app/{*view}", Access::Page, || get(web::page))
            .seeks()
            .says("Get a view of the web app")
            .made_of("text/html"),
    ],
};
