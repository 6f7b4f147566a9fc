//! The providers as this command finds them, without a daemon.

use paseo_runtime::claude::Claude;
use paseo_runtime::codex::Codex;
use paseo_runtime::provider::{Provider, Readiness};

use crate::printer::Printer;
use crate::settings::Settings;

/// Needs no program and no login.
const SCRIPTED: &str = "scripted";

/// Returns the providers that run a program of the user's.
pub(crate) fn all(settings: &Settings) -> Vec<Box<dyn Provider>> {
    let of = |name: &str| settings.providers.get(name).cloned().unwrap_or_default();
    vec![Box::new(Claude::new(of("claude"))), Box::new(Codex::new(of("codex")))]
}

/// Returns the names of all providers, when this is none of them.
pub(crate) fn unknown(settings: &Settings, name: &str) -> Option<String> {
    let all = all(settings);
    let mut names: Vec<&str> = all.iter().map(|provider| provider.name()).collect();
    names.push(SCRIPTED);
    (!names.contains(&name)).then(|| names.join(", "))
}

/// Warns that nobody seems to be logged in. Only warns: the harness knows better, and says so itself.
pub(crate) fn warn_without_login(settings: &Settings, printer: &Printer, name: Option<&str>) {
    for provider in all(settings).iter().filter(|provider| Some(provider.name()) == name) {
        if let Readiness::NoLogin { hint, .. } = provider.readiness() {
            printer.warn(&format!("{} does not seem to be logged in", provider.name()), Some(&hint));
        }
    }
}
