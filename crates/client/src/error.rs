//! Why a request did not succeed, by what the caller can do about it.

use std::io;

use paseo_wire::error::{Code, ErrorBody};

/// Why a request did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The daemon does not answer, or the connection broke: start the daemon or try again.
    #[error("no response from {target}: {reason}")]
    Unreachable { target: String, reason: io::Error },
    /// The daemon answered that it will not: the body says why and what to do.
    #[error("{}", .0.message)]
    Api(Box<ErrorBody>),
    /// The answer makes no sense to this version.
    #[error("cannot read the daemon's response: {0}")]
    Protocol(String),
}

impl Error {
    /// Returns the daemon's own code, when it answered with one.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Api(body) => Some(body.code.clone()),
            Self::Unreachable { .. } | Self::Protocol(_) => None,
        }
    }

    /// Says whether the same request may succeed a moment later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Api(body) => {
                matches!(body.code, Code::StorageUnavailable | Code::Overloaded | Code::ShuttingDown)
            }
            Self::Protocol(_) => false,
        }
    }
}
