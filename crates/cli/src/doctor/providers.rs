//! The agents that Paseo can drive: whether they are there, and logged in.

use std::time::Duration;

use paseo_runtime::provider::{Provider, Readiness};

use paseo_wire::provider::ProviderView;

use super::Check;
use crate::context::Context;
use crate::settings::Settings;
use crate::{autostart, harnesses};

const NAME: &str = "provider";
/// A program that cannot tell its version in this time has none.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks at each of them, and at the one that was configured.
pub(super) async fn examine(context: &Context) -> Vec<Check> {
    let settings = &context.settings;
    let added = added(context).await;
    let mut checks: Vec<Check> = configured(settings, &added).into_iter().collect();
    for provider in harnesses::all(settings) {
        checks.push(check(provider.as_ref()).await);
    }
    // Nobody needs all of these: those that are there count.
    for provider in harnesses::speakers() {
        if let Readiness::Ready { .. } = provider.readiness()
            && !added.iter().any(|added| added.name == provider.name())
        {
            checks.push(check(provider.as_ref()).await);
        }
    }
    checks.extend(added.into_iter().map(|added| match added.hint {
        None => Check::ok(added.name, added.program.unwrap_or_default()),
        Some(hint) => Check::warn(added.name, "not installed any more", hint),
    }));
    checks
}

/// Returns what people added; only a daemon that runs knows.
async fn added(context: &Context) -> Vec<ProviderView> {
    if !autostart::is_running(&context.settings) {
        return Vec::new();
    }
    let list = context.client_as_is().providers().await.map(|list| list.providers).unwrap_or_default();
    list.into_iter().filter(|provider| provider.added).collect()
}

fn configured(settings: &Settings, added: &[ProviderView]) -> Option<Check> {
    let name = settings.provider.as_deref()?;
    if added.iter().any(|added| added.name == name) {
        return Some(Check::ok(NAME, format!("{name} (configured)")));
    }
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
