//! Who calls. One credential, one actor; no caller declares its own identity.

mod credentials;
mod edge;
mod logins;
mod peer;
mod security;

pub(crate) use credentials::{Credentials, Registration};
pub(crate) use edge::Edge;
pub(crate) use logins::{LIFETIME as LOGIN_LIFETIME, Logins, Worth};
pub(crate) use peer::{Peer, identify};
pub(crate) use security::TARGET as SECURITY_TARGET;
