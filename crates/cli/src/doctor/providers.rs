//! The agents that Paseo can drive: whether they are there, and logged in.

use std::time::Duration;

use paseo_runtime::provider::{Provider, Readiness};

use super::Check;
use crate::harnesses;
use crate::settings::Settings;

const NAME: &str = "provider";
/// A program that cannot tell its version in this time has none.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks at each of them, and at the one that was configured.
pub(super) async fn examine(settings: &Settings) -> Vec<Check> {
    let mut checks: Vec<Check> = configured(settings).into_iter().collect();
    for provider in harnesses::all(settings) {
        checks.push(check(provider.as_ref()).await);
    }
    checks
}

fn configured(settings: &Settings) -> Option<Check> {
    let name = settings.provider.as_deref()?;
    Some(match harnesses::unknown(settings, name) {
        None => Check::ok(NAME, format!("{name} (configured)")),
        Some(known) => Check::fail(
            NAME,
            format!("there is no provider `{name}`"),
            format!("set PASEO_PROVIDER, or `provider` in config.toml, to one of {known}"),
        ),
    })
}

async fn check(provider: &dyn Provider) -> Check {
    let name = provider.name();
    let version = || async {
        let said = tokio::time::timeout(PATIENCE, provider.version()).await;
        said.ok().flatten().unwrap_or_else(|| "of unknown version".to_owned())
    };
    match provider.readiness() {
        Readiness::Ready { .. } => Check::ok(name, version().await),
        Readiness::NoLogin { hint, .. } => {
            Check::warn(name, format!("{}, not logged in", version().await), hint)
        }
        Readiness::Missing { hint } => Check::warn(name, "not installed", hint),
    }
}
