//! What a stream was opened with: it goes on for as long as that counts.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use paseo_core::actor::Actor;
use paseo_core::id::{DeviceId, TokenId};
use paseo_core::settings::Settings;
use paseo_store::Version;
use paseo_wire::error::Code;
use tokio::sync::watch;

use super::request::Caller;
use super::{App, devices, gate};
use crate::failure::Failure;
use crate::identity::{Credentials, Peer};
use crate::mint;

/// The credential of a request that lasts.
#[derive(Clone)]
pub(crate) struct Pass {
    settings: watch::Receiver<(Version, Arc<Settings>)>,
    /// Tells when agents' own secrets end.
    ended: watch::Receiver<()>,
    kind: Kind,
}

/// What can be taken back.
#[derive(Clone)]
enum Kind {
    Token(TokenId),
    Device(DeviceId),
    /// An agent's own, which ends with its process.
    Secret(Credentials, [u8; 32]),
    /// A local process: the connection ends with it.
    Local,
}

impl Pass {
    /// Refuses once it does not count any more.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let (counts, over) = match &self.kind {
            Kind::Token(token) => {
                (self.settings.borrow().1.tokens.contains_key(token), "this token was revoked")
            }
            Kind::Device(device) => {
                (self.settings.borrow().1.devices.contains_key(device), "this browser was logged out")
            }
            Kind::Secret(known, secret) => {
                (known.counts(secret), "the process this token was created for has ended")
            }
            Kind::Local => return Ok(()),
        };
        if counts { Ok(()) } else { Err(Failure::new(Code::Unauthenticated, over)) }
    }

    /// Waits until it does not.
    pub(crate) async fn lapsed(&mut self) {
        while self.check().is_ok() {
            let changed = tokio::select! {
                changed = self.settings.changed() => changed,
                changed = self.ended.changed() => changed,
            };
            if changed.is_err() {
                return std::future::pending().await;
            }
        }
    }
}

impl FromRequestParts<App> for Pass {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let context = &app.sessions.context;
        let (settings, ended) = (context.settings.watch(), context.credentials.watch());
        let local = matches!(parts.extensions.get::<Peer>(), Some(Peer::Local(_)));
        let caller = parts.extensions.get::<Caller>().map(|Caller(actor)| actor);
        let device = match caller {
            Some(Actor::Human(name)) => devices::named(name),
            _ => None,
        };
        let token = gate::token(&settings.borrow().1, &parts.headers).map(|(token, _)| token);
        let secret = gate::secret(&parts.headers).filter(|_| caller.is_some_and(|by| by.session().is_some()));
        let kind = match (token, device, secret) {
            _ if local => Kind::Local,
            (Some(token), ..) => Kind::Token(token),
            (None, Some(device), _) => Kind::Device(device),
            (None, None, Some(secret)) => {
                Kind::Secret(context.credentials.clone(), mint::sha256(secret.as_bytes()))
            }
            // It let the request in, and was revoked since.
            (None, None, None) => {
                return Err(Failure::new(Code::Unauthenticated, "this token was just revoked")
                    .hint("run `paseo token ls` to list valid tokens"));
            }
        };
        let pass = Self { settings, ended, kind };
        pass.check()?;
        Ok(pass)
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http::header::AUTHORIZATION;

    use super::*;
    use crate::http::tests::House;

    #[tokio::test]
    async fn a_token_that_was_revoked_after_the_gate_opens_no_stream() {
        let house = House::new().await;
        let pass = async |caller: Actor, secret: &str| {
            let request =
                Request::builder().header(AUTHORIZATION, format!("Bearer {secret}")).body(()).unwrap();
            let (mut parts, ()) = request.into_parts();
            parts.extensions.insert(Peer::Network);
            parts.extensions.insert(Caller(caller));
            Pass::from_request_parts(&mut parts, &house.app).await
        };
        let agent = mint::session();
        for caller in [Actor::Human("token:test".into()), Actor::Seat("x/eve".into()), Actor::Session(agent)]
        {
            let refused = pass(caller, "revoked").await.err();
            assert_eq!(refused.map(|failure| failure.code), Some(Code::Unauthenticated));
        }
        let own = house.app.sessions.context.credentials.register(agent, "own");
        let mut pass = pass(Actor::Session(agent), "own").await.unwrap_or_else(|_| panic!("it counts"));
        assert!(pass.check().is_ok());
        tokio::join!(pass.lapsed(), async { drop(own) });
        assert!(pass.check().is_err_and(|over| over.message.contains("has ended")));
    }
}
