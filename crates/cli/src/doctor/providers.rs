//! The agents that Paseo can drive: whether they are there, and logged in.

use std::time::Duration;

use paseo_runtime::provider::{Provider, Readiness};

use paseo_wire::provider::ProviderView;
use paseo_wire::words;

use crate::harnesses;
use crate::settings::Settings;
use paseo_daemon::Seen;
use paseo_wire::diagnosis::Check;

const NAME: &str = "provider";
/// What is found of an agent that is no program.
const READY: &str = "set up";
/// A program that cannot tell its version in this time has none.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks at each of them, and at the one that was configured.
pub(super) async fn examine(settings: &Settings, seen: Option<&Seen>) -> Vec<Check> {
    // Only a daemon that runs knows what people added, and what its own environment holds.
    let running = seen.map_or(&[][..], |seen| &seen.providers);
    let added: Vec<ProviderView> = running.iter().filter(|provider| provider.added).cloned().collect();
    let mut checks: Vec<Check> = configured(settings, &added).into_iter().collect();
    for provider in harnesses::all(settings) {
        checks.push(check(provider.as_ref()).await);
    }
    for provider in harnesses::own() {
        checks.push(match running.iter().find(|running| running.name == provider.name()) {
            Some(known) => of_daemon(known),
            None => check(provider.as_ref()).await,
        });
    }
    // These are optional: those that are installed count.
    for provider in harnesses::speakers() {
        if let Readiness::Ready { .. } = provider.readiness()
            && !added.iter().any(|added| added.name == provider.name())
        {
            checks.push(check(provider.as_ref()).await);
        }
    }
    checks.extend(added.into_iter().map(|added| match added.hint {
        None => Check::ok(added.name, added.program.unwrap_or_default()),
        Some(hint) if added.readiness == words::Readiness::Missing => {
            Check::warn(added.name, "no longer installed", hint)
        }
        Some(hint) => Check::warn(added.name, added.problem.unwrap_or_default(), hint),
    }));
    checks
}

/// Says how the daemon finds one of Paseo's own agents.
fn of_daemon(provider: &ProviderView) -> Check {
    match (&provider.problem, &provider.hint) {
        (Some(problem), hint) => {
            Check::warn(&provider.name, problem.as_str(), hint.clone().unwrap_or_default())
        }
        (None, _) => Check::ok(&provider.name, READY),
    }
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
            format!("unknown provider `{name}`"),
            format!("set PASEO_PROVIDER, or `provider` in config.toml, to one of {known}"),
        ),
    })
}

async fn check(provider: &dyn Provider) -> Check {
    let name = provider.name();
    let readiness = provider.readiness();
    let version = match readiness {
        Readiness::Ready { program: Some(_) } | Readiness::NoLogin { .. } => {
            match tokio::time::timeout(PATIENCE, provider.version()).await.unwrap_or(Ok(None)) {
                Ok(version) => version.unwrap_or_else(|| "unknown version".to_owned()),
                Err(broken) => {
                    let (problem, hint) = broken.problem();
                    return Check::warn(name, problem, hint);
                }
            }
        }
        _ => String::new(),
    };
    match readiness {
        Readiness::Ready { program: None } => Check::ok(name, READY),
        Readiness::Ready { .. } => Check::ok(name, version),
        Readiness::NoLogin { hint, .. } => Check::warn(name, format!("{version}, not logged in"), hint),
        Readiness::Unset { needs, hint } => Check::warn(name, format!("needs {needs}"), hint),
        Readiness::Missing { hint } => Check::warn(name, "not installed", hint),
    }
}
