//! HTTP to the outside: the one way to make a client.

use std::time::Duration;

use reqwest::ClientBuilder;
use reqwest::redirect::Policy;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Begins a client. It goes where it is sent and nowhere else: no redirects, no proxies from the environment, nothing
/// is sent a second time by itself. How long an answer may take is for the caller to say.
pub(crate) fn client() -> ClientBuilder {
    // A concurrent caller installed the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_proxy()
        .user_agent(concat!("paseo/", env!("CARGO_PKG_VERSION")))
}
