//! The providers as this command finds them, without a daemon.

use paseo_runtime::acp::{Acp, PRESETS};
use paseo_runtime::claude::Claude;
use paseo_runtime::codex::Codex;
use paseo_runtime::openai::OpenAi;
use paseo_runtime::pi::Pi;
use paseo_runtime::provider::{Provider, Readiness};

use crate::printer::Printer;
use crate::settings::Settings;

/// Need no program of the user's.
const OWN: [&str; 3] = ["openai", "openai-compatible", "scripted"];

/// Returns the providers that run a program of the user's.
pub(crate) fn all(settings: &Settings) -> Vec<Box<dyn Provider>> {
    let of = |name: &str| settings.providers.get(name).cloned().unwrap_or_default();
    vec![Box::new(Claude::new(of("claude"))), Box::new(Codex::new(of("codex"))), Box::new(Pi::new(of("pi")))]
}

/// Returns those of Paseo's own that need a key and a model, as a daemon would find them that is started from here.
pub(crate) fn own() -> Vec<Box<dyn Provider>> {
    let variable = |name: &str| std::env::var(name).ok();
    vec![Box::new(OpenAi::new(variable)), Box::new(OpenAi::compatible(variable))]
}

/// Returns the agents that are known to speak ACP.
pub(crate) fn speakers() -> Vec<Box<dyn Provider>> {
    PRESETS.iter().map(|preset| Box::new(Acp::known(preset)) as Box<dyn Provider>).collect()
}

/// Returns the names of all providers, when this is none of them.
pub(crate) fn unknown(settings: &Settings, name: &str) -> Option<String> {
    let all: Vec<_> = all(settings).into_iter().chain(speakers()).collect();
    let mut names: Vec<&str> = all.iter().map(|provider| provider.name()).collect();
    names.extend(OWN);
    (!names.contains(&name)).then(|| names.join(", "))
}

/// Warns that the harness seems to be logged out. Only warns: the harness knows better, and says so itself.
pub(crate) fn warn_without_login(settings: &Settings, printer: &Printer, name: Option<&str>) {
    for provider in all(settings).iter().filter(|provider| Some(provider.name()) == name) {
        if let Readiness::NoLogin { hint, .. } = provider.readiness() {
            printer.warn(&format!("{} seems to be logged out", provider.name()), Some(&hint));
        }
    }
}
