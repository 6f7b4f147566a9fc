//! The house: session actors, the HTTP API, identity.

mod options;

pub use options::{Options, Ready, StartError, StartErrorKind};

/// Runs the daemon until it is told to stop. `ready` is called once, when it answers requests.
pub async fn run(options: Options, ready: impl FnOnce(Ready)) -> Result<(), StartError> {
    let _ = (options, ready);
    Ok(())
}
