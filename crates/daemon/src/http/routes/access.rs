//! Routes: tokens, and browsers that are logged in.

use axum::routing::{delete, get, post};
use paseo_wire::page::PageQuery;

use crate::http::gate::Access;
use crate::http::route::{Group, query, route};
use crate::http::{admin, devices};

pub(super) static ACCESS: Group = Group {
    tag: "access",
    about: "Tokens, and browsers that are logged in.",
    routes: &[
        route("listTokens", "GET", "/api/tokens", Access::Human, || get(admin::tokens))
            .says("List tokens, without secrets")
            .asks(query::<PageQuery>())
            .gives("TokenList"),
        route("createToken", "POST", "/api/tokens", Access::Human, || post(admin::create_token))
            .seeks()
            .steady()
            .says("Create a token; its secret is returned once")
            .takes("CreateToken")
            .gives("CreatedToken"),
        route("deleteToken", "DELETE", "/api/tokens/{token}", Access::Human, || delete(admin::revoke_token))
            .says("Delete a token")
            .gives("TokenList"),
        route("createLoginLink", "POST", "/api/login-links", Access::Human, || post(devices::link))
            .steady()
            .says("Create a browser login link, valid once and for five minutes")
            .gives("LoginLink"),
        route("logIn", "POST", "/api/login", Access::Public, || post(devices::login))
            .limited()
            .says("Log in a browser and set its cookie")
            .answers(204)
            .takes("Login"),
        route("logOut", "POST", "/api/logout", Access::Human, || post(devices::logout))
            .steady()
            .says("Log out the calling browser")
            .answers(204),
        route("listDevices", "GET", "/api/devices", Access::Human, || get(devices::list))
            .says("List logged-in browsers")
            .asks(query::<PageQuery>())
            .gives("DeviceList"),
        route("deleteDevice", "DELETE", "/api/devices/{device}", Access::Human, || delete(devices::revoke))
            .says("Log out a browser")
            .gives("DeviceList"),
    ],
};
